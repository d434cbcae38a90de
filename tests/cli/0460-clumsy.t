#!/usr/bin/env bash
# A hurried person: slips of the hand, settings that are edited while everything runs, a terminal that stays silent.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/serve.sh"

one_line() { is "$(wc -l <"$WORK/.err")" 1 "$1"; }
# A terminal; what the program says on it is in $OUT, and meanwhile in $WORK/said. Ctrl-C once it
# has said WHEN, or that file is there, if any; then, when the terminal has shown it and so has sent
# its signal, the door is opened for whoever waits there.
at_terminal() # WHEN DOOR CMD...
{
    OUT=$(python3 - "$WORK/said" "$@" <<'P'
import os, pty, select, signal, sys, time
heard, when, door, cmd = open(sys.argv[1], "wb", 0), sys.argv[2], sys.argv[3], sys.argv[4:]
pid, fd = pty.fork()
if pid == 0:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # whoever runs this in the background has it ignored
    os.execvp(cmd[0], cmd)
said, sent, end = b"", False, time.time() + 50
while time.time() < end:
    if select.select([fd], [], [], 0.2)[0]:
        try:
            data = os.read(fd, 4096)
        except OSError:
            data = b""
        if not data:
            break
        said += data
        heard.write(data)
    if when and not sent and (when.encode() in said or os.path.exists(when)):
        os.write(fd, b"\x03")
        sent = True
    if sent and door and b"^C" in said:
        open(door, "w").close()
        door = ""
else:
    os.kill(pid, 9)
_, status = os.waitpid(pid, 0)
print(said.decode(errors="replace"), "exit", os.waitstatus_to_exitcode(status))
P
    )
}

# No home, or one that can't be opened.
exits 78 'no home yet' env POSTRIDER_HOME="$WORK/none" "$PR_BIN" status
like "$ERR" "there is no home '$WORK/none' yet; run: postrider init$" 'says what to type'
exits 78 'nor one that was named' "$PR_BIN" --home "$WORK/other home" status
like "$ERR" "run: postrider init '$WORK/other home'$" 'which is another thing to type'
touch "$WORK/file"
exits 78 'a home that is a file' "$PR_BIN" --home "$WORK/file" status
unlike "$ERR" 'init' 'is not to be made'

exits 64 'init with an option that is none' "$PR_BIN" --home "$WORK/none" init --workflo
ok 'makes no folder of that name' test ! -e "$PWD/--workflo"
ok 'init of a strange name' "$PR_BIN" init "$WORK/"$'a\033[31mb'
unlike "$OUT" $'\033' 'is told without its escapes'
pr init >/dev/null

# One line, whatever it quotes.
exits 64 'a job of two lines' pr stop $'1\npostrider: all is well'
one_line 'is refused in one'
exits 64 'an option of stop' pr stop --now
like "$ERR" "unknown option --now" 'is called one'
exits 64 'a slip in an option' pr mail list --limt 3
like "$ERR" "unknown option --limt; did you mean '--limit'" 'gets the nearest'
exits 65 'sendmail without a mail' pr sendmail -t
like "$ERR" 'no message on standard input' 'says what is missing'
exits 64 'inject of nothing at all' pr inject
is "$(pr mail list)" 'no mail' 'files no mail'
exits 0 'a day that is none' pr mail search since:yesterday budget
like "$ERR" "'yesterday' is no day, .* write since:2026-11-15" 'is said to be no day'

# Settings without an agent, or with a person first.
sed '/^\[role/,$d' "$HOME_DIR/postrider.conf" >"$WORK/conf" && cp "$HOME_DIR/postrider.conf" "$WORK/good.conf"
cp "$WORK/conf" "$HOME_DIR/postrider.conf"
for line in 'ask hello' 'inject --subject x' 'resume'; do
    # shellcheck disable=SC2086
    exits 78 "$line without any role" pr $line
    like "$ERR" 'there is no \[role\] in postrider.conf; run: postrider setup role' 'says so'
done
printf '[role ann]\nperson = yes\n' | cat "$WORK/conf" - >"$HOME_DIR/postrider.conf"
exits 78 'nor is a person one' pr ask hello
cp "$WORK/good.conf" "$HOME_DIR/postrider.conf"

# States by the names that people are shown.
exits 64 'a slip in a state' pr job list --state workin
like "$ERR" "no state 'workin'; did you mean 'working'" 'gets the nearest'
exits 64 'a state that is none' pr job list --state asleep
like "$ERR" 'there are queued, working, waiting, done, failed, stopped, cancelled' 'gets all'
exits 0 'what people read' pr job list --state working
exits 0 'and what programs read' pr job list --state running

exits 64 'and in one of the outbox' pr outbox list --state hold
like "$ERR" "no state 'hold'; did you mean 'held'" 'too'
exits 64 'a word too much' pr config show envoy
like "$ERR" "what is 'envoy'\\?" 'is named'
exits 64 'a number where a form should be' pr job 1
like "$ERR" "did you mean 'job show 1'" 'is what to show'
exits 64 'send of nothing at all' pr send --to envoy
exits 66 'a new name for a note that is not there' pr note rename nope x

exits 73 'a backup into a folder whose own is not there' pr backup "$WORK/backups/home"
like "$ERR" "there is no folder '$WORK/backups' for it; make that first" 'says what to do'

# A role that a person adds while everything runs, and nobody thinks of SIGHUP.
ok 'serve' start_serve || done_testing
ok 'its account knows the old ones' timeout "$WAIT" "$PR_BIN" --home "$HOME_DIR" ask hello
exits 75 'a job that has ended' pr continue 1
like "$ERR" 'job 1 is done: there is nothing to continue; a mail on its thread' 'is said to be'
sed -i 's/.*scripts\/hello$/&\n\n[brain slow]\ncommand = scripts\/slow\n\n[role slow]\nbrain = slow/' "$HOME_DIR/postrider.conf"
printf '#!/bin/sh\ncat >/dev/null\necho begun >>%q\nread -r _ <%q\necho slept\n' \
    "$WORK/begun" "$WORK/door" >"$HOME_DIR/scripts/slow"
chmod 700 "$HOME_DIR/scripts/slow"
shut_door && open_door
ok 'a role that was just written into the settings' timeout "$WAIT" "$PR_BIN" --home "$HOME_DIR" ask --to slow hello
is "$OUT" slept 'answers'
ok 'since they were read again' wait_for logged 'settings read again'
echo '[rol x]' >>"$HOME_DIR/postrider.conf"
kill -HUP "$SERVE_PID"
ok 'a mistake in them is refused' wait_for logged 'settings are refused'
sed -i '$d' "$HOME_DIR/postrider.conf"
ok 'mended, all goes on' timeout "$WAIT" "$PR_BIN" --home "$HOME_DIR" ask --to slow again
is "$(grep -c 'settings are refused' "$WORK/serve.log")" 1 'the mistake was told once'

# Ask at a terminal, and leave.
if python3 -c 'import os; os.openpty()' 2>/dev/null; then
    shut_door
    rm "$WORK/begun"
    at_terminal 'Ctrl-C leaves it at work' '' "$PR_BIN" --home "$HOME_DIR" ask --to slow 'take your time'
    like "$OUT" 'job 4 is at work; .*postrider watch 4' 'a long silence is explained'
    like "$OUT" 'exit -2' 'Ctrl-C ends ask'
    ok 'its program began' wait_for test -e "$WORK/begun"
    ok 'the job works' pr job list --state working
    like "$OUT" 'take your time' 'on'
    rm "$WORK/said"
    account=$(head -n 1 "$HOME_DIR/state/account-main.lock")
    kill -STOP "$account"
    { wait_for grep -q 'not taken in yet' "$WORK/said"; kill -CONT "$account"; } &
    at_terminal 'Ctrl-C leaves it at work' '' "$PR_BIN" --home "$HOME_DIR" ask --to slow 'in a while'
    like "$OUT" 'not taken in yet.*job 5 is at work; ' 'a mail that nobody takes in is told, and its job when there is one'
    open_door
    ok 'both are answered' wait_for has_answers 5
    stop_serve
    at_terminal '' '' "$PR_BIN" --home "$HOME_DIR" ask --to slow 'alone'
    like "$OUT" "no 'postrider serve' is at work here.*slept.*exit 0" 'without a master it says who works'
    shut_door
    rm "$WORK/begun"
    at_terminal "$WORK/begun" "$WORK/door" "$PR_BIN" --home "$HOME_DIR" ask --to slow 'enough'
    open_door
    like "$OUT" 'slept.*exit 0' 'Ctrl-C lets the step end, and what it said is printed'
    ok 'what is left is done' pr serve --once
    ok 'each was answered' has_answers 7
else
    skip 'ask at a terminal' 'no terminal can be opened here'
    stop_serve
fi
exits 0 'all is well' pr doctor

done_testing
