#!/usr/bin/env bash
# Who waits at a terminal sees each step as it is committed, and what is waited for; elsewhere stderr stays empty.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/loop.sh"
need_terminal

# CMD...: with a terminal as stderr, whose lines are printed, then what came on stdout.
at_terminal()
{
    python3 - "$PR_BIN" --home "$HOME_DIR" "$@" <<'P'
import os, pty, subprocess, sys, threading
ours, theirs = pty.openpty()
said = []
def listen():
    try:
        while data := os.read(ours, 65536):
            said.append(data)
    except OSError:
        pass
ear = threading.Thread(target=listen)
ear.start()
out = subprocess.run(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=theirs)
os.close(theirs)
ear.join()
print(b"".join(said).decode().replace("\r", "") + "OUT " + out.stdout.decode(), end="")
sys.exit(out.returncode)
P
}
busy='{"status":"continue","current_phase":"working","reasoning":"more \u001b[31mred","write_notes":[{"key":"scratch/nNNN","content":"text NNN"}]}'
done_step='{"status":"complete","current_phase":"complete","reasoning":"all","send_emails":[{"body":"All done."}]}'

loop_home
steps "${busy//NNN/1}" "${busy//NNN/2}" "$done_step"
run at_terminal inject --subject s --run --max-iterations 2
like "$OUT" $'^postrider: job 1, step 1 \(.*\): wrote note scratch/n1, because more .*red\npostrider: job 1, step 2 \(.*\): wrote note scratch/n2' 'a line for each step'
is "$(grep -c 'step 2 (' <<<"$OUT")" 1 'and only one, where it parks'
like "$OUT" $'OUT <.*>$' 'stdout has the Message-ID alone'
unlike "$OUT" $'\033' 'what the brain said is escaped'
run at_terminal resume --run
like "$OUT" '^postrider: job 1, step 3 \(.*\): wrote [a-z2-7]{8}, because all' 'resume --run goes on with it'

loop_home
steps "${busy//NNN/1}" "$done_step"
run at_terminal ask 'do it'
like "$OUT" 'job 1, step 1 \(.*step 2 \(.*OUT All done' 'ask that works by itself'
steps "${busy//NNN/1}" "$done_step"
start_serve
run at_terminal ask 'do it again'
like "$OUT" 'OUT All done' 'ask of who is served'
stop_serve

typed() { python3 - "$PR_BIN" --home "$HOME_DIR" "$@" <<'P'
import os, pty, subprocess, sys
ours, theirs = pty.openpty()
os.write(ours, b"typed\n\x04")
out = subprocess.run(sys.argv[1:], stdin=theirs, capture_output=True)
print(out.stderr.decode() + "OUT " + out.stdout.decode(), end="")
P
}
like "$(typed note put scratch/typed)" $'^postrider: reading the note from the terminal; end with Ctrl-D\nOUT scratch/typed version 1$' 'note put says that it waits for the text'

loop_home
steps "${busy//NNN/1}" "$done_step"
run pr inject --subject s --run </dev/null
is "$ERR" '' 'no terminal: nothing is said'
done_testing
