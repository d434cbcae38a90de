#!/usr/bin/env bash
# What a new user sees: at a terminal, in lists, in status, and after a slip.
. "$(dirname "$0")/../lib/tap.sh"
need_terminal

# at COLUMNS ENV... -- ARG...: the program at a terminal of that width; stdin is what is typed
cat >"$WORK/at.py" <<'PY'
import fcntl, os, pty, struct, sys, termios
columns, typed, argv = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
pid, fd = pty.fork()
if pid == 0:
    os.execvp(argv[0], argv)
fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
if typed:
    os.write(fd, typed.encode())
out = b""
while True:
    try:
        data = os.read(fd, 65536)
    except OSError:
        break
    if not data:
        break
    out += data
sys.stdout.write(out.decode().replace("\r\n", "\n"))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
PY
at() { python3 "$WORK/at.py" "$@"; }
# A terminal gets its width before the program looks: a shell in between waits for the word.
wide() { local columns=$1; shift; at "$columns" $'\n' sh -c 'read -r _; exec "$@"' - "$@"; }
longest() { sed 's/\x1b\[[0-9;]*m//g' <<<"$1" | LC_ALL=C.UTF-8 wc -L; }

out=$(at 80 $'n\n' "$PR_BIN" --home "$HOME_DIR" init)
like "$out" 'Set up a model for it now\?' 'init offers a model at a terminal'
ok 'and no is an answer' test -f "$HOME_DIR/postrider.conf"
unlike "$("$PR_BIN" --home "$WORK/other" init </dev/null)" 'Set up a model for it now' 'elsewhere it asks nothing'
like "$(POSTRIDER_HOME=$WORK/other2 "$PR_BIN" init </dev/null)" 'postrider setup brain' 'but says how'
out=$(at 80 $'y\n\004\004' timeout 30 "$PR_BIN" --home "$WORK/third" init)
like "$out" 'What thinks:' 'yes begins setup'
run pr ask hello
like "$OUT" 'postrider setup brain' 'the first answer names the way to a model'

# Lists fit, and have colour where it is wanted.
pr ask --no-wait hello -s "a subject that is rather long, so that the list of jobs would be wider than any terminal that people have today" >/dev/null
pr serve --once 2>/dev/null
for columns in 80 60; do
    for list in 'job list --all' 'mail list'; do
        out=$(wide "$columns" "$PR_BIN" --home "$HOME_DIR" $list)
        ok "'$list' fits $columns columns" [ "$(longest "$out")" -le "$columns" ]
        like "$out" '…' 'by shortening what is long'
    done
done
like "$(wide 80 "$PR_BIN" --home "$HOME_DIR" job list --all)" $'\033\\[1m' 'headings stand out at a terminal'
unlike "$(NO_COLOR=1 wide 80 "$PR_BIN" --home "$HOME_DIR" job list --all)" $'\033' 'not with NO_COLOR'
run pr job list --all
ok 'what goes to a program has its whole width' [ "$(longest "$OUT")" -gt 80 ]
unlike "$OUT" $'\033' 'and is plain'

# status tells of jobs that failed, and Prometheus of all there are.
printf '#!/bin/sh\nexit 64\n' >"$HOME_DIR/scripts/hello"
run pr ask 'this fails'
run pr status
like "$OUT" 'failed in the last day:' 'status has jobs that failed'
like "$OUT" 'job 3 \(this fails\): .*see: postrider show 3' 'with what to do'
run pr status --prometheus
like "$OUT" 'postrider_jobs\{state="failed"\} 1' 'they are counted'
like "$OUT" 'postrider_jobs\{state="done"\} 2' 'and so are those that ended well'

# A slip in a name of our own domain.
exits 65 'mail to nobody of our own domain is refused' pr send --to envoi@postrider.local --subject x </dev/null
like "$ERR" "nobody here is 'envoi@postrider.local'; did you mean 'envoy@postrider.local'" 'with the nearest name'
is "$(pr --json outbox list | tr -d ' \n')" '[]' 'and nothing is queued'
done_testing
