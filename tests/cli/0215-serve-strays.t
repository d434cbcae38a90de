#!/usr/bin/env bash
# A clean stop leaves nobody: not even what a killed master had only just started, which has neither lock nor job yet.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/serve.sh"

ok 'init' pr init
# Programs that wait at a gate before they begin, where there is one.
real=$(dirname "$(find -L "$(dirname "$POSTRIDER_BIN")" -name postrider-mail -type f -perm -u+x | head -n 1)")
mkdir "$WORK/libexec"
for p in "$real"/postrider-*; do [ -d "$p" ] || ln -s "$p" "$WORK/libexec/"; done
rm "$WORK/libexec/postrider-mail"
cat >"$WORK/libexec/postrider-mail" <<P
#!/bin/sh
if [ -p "$WORK/gate" ]; then echo "\$\$" >>"$WORK/waiting"; read -r x <"$WORK/gate"; fi
exec "$real/postrider-mail" "\$@"
P
chmod +x "$WORK/libexec/postrider-mail"
export POSTRIDER_LIBEXEC=$WORK/libexec
gone() { ! kill -0 "$1" 2>/dev/null; }
waiting() { [ -s "$WORK/waiting" ]; }

mkfifo "$WORK/gate"
start_serve
ok 'an account is started, and is slow to begin' wait_for waiting
stray=$(head -n 1 "$WORK/waiting")
mv "$WORK/gate" "$WORK/closed"
kill_serve
ok 'its master is killed, and it lives' kill -0 "$stray"
start_serve
account() { [ -s "$HOME_DIR/state/account-main.lock" ]; }
ok 'the next master starts an account of its own' wait_for account
kill -TERM "$SERVE_PID"
ok 'and is asked to stop' wait_for logged 'msg="stopping'
ok 'which ends what it knows of' wait_for flock -n "$HOME_DIR/state/account-main.lock" true
ok 'it does not go while the other one lives' kill -0 "$SERVE_PID"
exec 7<>"$WORK/closed"
sed 's/.*/go/' "$WORK/waiting" >&7 # and now that begins, and takes the lock; a spare run that waits here too ends by itself
ok 'that is ended too' wait_for gone "$stray"
wait "$SERVE_PID"
is "$?" 0 'then the master stops in order'
is "$(at_work)" '' 'and nobody is left'
exec 7>&-
unset POSTRIDER_LIBEXEC

# At any moment: in python, since a shell that is killed before it becomes the program would clean up for us.
python3 - "$PR_BIN" "$HOME_DIR" >"$WORK/rounds" 2>"$WORK/rounds.log" <<'P'
import os, random, signal, subprocess, sys, time
command = [sys.argv[1], '--home', sys.argv[2], 'serve']
def left():
    found = []
    for pid in filter(str.isdigit, os.listdir('/proc')):
        try:
            words = open(f'/proc/{pid}/cmdline').read().split('\0')
        except OSError:
            continue
        if sys.argv[2] in words and 'python' not in words[0]:
            found.append(f'{pid} {" ".join(words)}')
    return found
for i in range(60):
    master = subprocess.Popen(command)
    time.sleep(random.random() * 0.3)
    master.kill()
    master.wait()
    master = subprocess.Popen(command)
    time.sleep(0.05 + random.random() * 0.3)
    master.terminate()
    master.wait(60)
    if master.returncode == 0 and left(): # one that was stopped before it could hear that has not stopped in order
        print(i, *left(), sep='\n')
    for line in left():
        try:
            os.kill(int(line.split()[0]), signal.SIGKILL)
        except ProcessLookupError: # it has ended meanwhile
            pass
P
is "$?$(cat "$WORK/rounds")" 0 '60 masters killed, 60 stopped: nobody is ever left'
ok '(some of them began)' test "$(grep -c msg=stopped "$WORK/rounds.log")" -ge 20
done_testing
