#!/usr/bin/env bash
# Disks, locks, descriptors and files that are not as they
# should be. Full and failing disks, and interrupted calls, at every system call are the business of tests/crash.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/serve.sh"

trap 'umount -l "$WORK/fs" 2>/dev/null; tap_end' EXIT
new=$HOME_DIR/mail/envoy/new
owner_mail() { printf 'From: you@postrider.local\nTo: envoy@postrider.local\nMessage-ID: <%s@x>\nSubject: %s\n\nhi\n' "$1" "$1"; }
stranger() { printf 'From: x@evil.example\nTo: envoy@postrider.local\nMessage-ID: <%s@x>\nSubject: %s\n\nhi\n' "$1" "$1"; }
question() { echo x | pr send --to envoy --subject "$1" >/dev/null; }
answered() { grep -rl "^Subject: Re: $1\$" "$HOME_DIR/mail/you" 2>/dev/null | wc -l; }
gone() { ! kill -0 "$1"; }
# Nothing is lost and nothing done twice: the next pass answers what is left, each once.
comes_through()
{
    exits 0 "$1: the next pass" pr serve --once
    shift
    for subject; do is "$(answered "$subject")" 1 "$subject is answered once"; done
    exits 0 "and doctor finds nothing" pr doctor
}

# Without sanitizers, which a tracer stops from looking for leaks. faulty SPEC... -- ARG...
traced_bin=$PR_BIN
[ ! -x "$POSTRIDER_PLAIN_BIN" ] || traced_bin=$POSTRIDER_PLAIN_BIN
can_trace() { command -v strace >/dev/null && strace -qq -o /dev/null -e trace=none true 2>/dev/null; }
faulty()
{
    local specs=()
    while [ "$1" != -- ]; do specs+=(-e "inject=$1"); shift; done
    shift
    ASAN_OPTIONS=detect_leaks=0 timeout 200 strace -qq -o "$WORK/trace" "${specs[@]}" "$traced_bin" --home "$HOME_DIR" "$@"
}
injected() { grep -q INJECTED "$WORK/trace" && echo yes; }
# Ends what a killed master left behind.
end_all()
{
    local pids
    pids=$(at_work)
    [ -z "$pids" ] && flock -n "$HOME_DIR/state/account-main.lock" true && return
    # shellcheck disable=SC2086
    kill -KILL $pids
    return 1
}
can_mount() { [ "$(id -u)" = 0 ] && mkdir -p "$WORK/fs" && mount -t tmpfs -o size=4m none "$WORK/fs" 2>/dev/null; }

pr init >/dev/null
pr ask first >/dev/null

# A small disk of our own: full, then read-only.
if can_mount; then
    real=$HOME_DIR
    HOME_DIR=$WORK/fs/home
    pr init >/dev/null
    pr ask first >/dev/null
    pr note search steps >/dev/null
    question 'before it was full'
    fill() { head -c 8m /dev/zero >"$WORK/fs/fill" 2>/dev/null; head -c 4096 /dev/zero >"$WORK/fs/fill2" 2>/dev/null; }
    fill
    exits 0 'a full disk: status works' pr status
    for verb in 'send --to envoy --subject full' 'ask full' 'serve --once' 'config set postrider workers 7' "backup $WORK/fs/copy"; do
        # shellcheck disable=SC2086
        exits 75 "$verb: try again later" pr $verb
        one_line "$ERR" "$verb: one line"
        like "$ERR" 'full|No space' "$verb: says why"
    done
    not_ok 'no half backup is left' test -e "$WORK/fs/copy"
    unlike "$(cat "$HOME_DIR/postrider.conf")" 'workers = 7' 'the settings are as they were'
    "$PR_BIN" --home "$HOME_DIR" serve >>"$WORK/serve.log" 2>&1 &
    SERVE_PID=$!
    ok 'the master says so' wait_for logged 'full\|No space'
    ok 'and lives' kill -0 "$SERVE_PID"
    rm "$WORK"/fs/fill*
    ok 'with room again it goes on by itself' wait_for has_answers 2
    stop_serve
    is "$SERVE_STATUS" 0 'and stops in order'
    is "$(answered 'before it was full')$(answered full)" 10 'what was accepted is answered once, what was refused never'
    exits 0 'all is well' pr doctor

    question 'before it was read-only'
    mount -o remount,ro "$WORK/fs"
    for verb in status 'mail list' 'mail search first' 'show 1' 'job log 1' 'note list' 'note get envoy/start' 'note history envoy/start' \
        'note search steps' 'note check' 'every list' cost 'outbox list' "backup $WORK/copy"; do
        # shellcheck disable=SC2086
        exits 0 "a read-only home: $verb works" pr $verb
    done
    run pr status
    like "$OUT" 'not served' 'nobody serves it'
    for verb in 'ask hi' 'send --to envoy --subject x' serve 'serve --once' doctor deliver 'account --once main'; do
        # shellcheck disable=SC2086
        exits 78 "$verb is refused" pr $verb
        one_line "$ERR" "$verb: one line"
        like "$ERR" "can't be written|Read-only" "$verb: says why"
    done
    run pr note get envoy/start
    like "$OUT" 'How envoy works' 'note get prints the note'
    like "$ERR" "this home can't be written: it is shown as it was" 'and says that edits since are not in it'
    exits 66 'a note that is not there' pr note get envoy/none
    exits 78 'note put is refused' pr note put envoy/start /dev/null
    exits 73 'config set' pr config set postrider workers 7
    like "$ERR" 'Read-only' 'says why'
    mount -o remount,rw "$WORK/fs"
    comes_through 'writable again' 'before it was read-only'
    umount "$WORK/fs"
    HOME_DIR=$real
else
    skip 'a full disk' 'can not mount one'
    skip 'a read-only disk' 'can not mount one'
fi

# No rights: for root by another user, who must be able to reach the program.
passable
if as_other "$PR_BIN" --home "$WORK/other" init >/dev/null 2>&1 || { mkdir -m 777 "$WORK/public" && as_other "$PR_BIN" --home "$WORK/public/other" init >/dev/null 2>&1; }; then
    other=$WORK/public/other
    [ -d "$other" ] || other=$WORK/other
    ok 'another user asks' as_other "$PR_BIN" --home "$other" ask hello
    for place in state/postrider.db state/write.lock; do
        mode=$(stat -c %a "$other/$place")
        chmod 500 "$other/$place"
        exits 78 "'$place' without the right to write" as_other "$PR_BIN" --home "$other" ask no
        one_line "$ERR" "'$place': one line"
        chmod "$mode" "$other/$place"
    done
    chmod 500 "$other/mail/envoy/new"
    echo x | as_other "$PR_BIN" --home "$other" send --to envoy --subject 'no way in' >/dev/null
    as_other "$PR_BIN" --home "$other" serve --once 2>"$WORK/err"
    run as_other "$PR_BIN" --home "$other" outbox list
    like "$OUT" 'retry .*no way in' 'mail that can not be filed is kept and tried again'
    chmod 700 "$other/mail/envoy/new"
    : >"$WORK/serve.log" # before it is looked at
    as_other "$PR_BIN" --home "$other" serve >>"$WORK/serve.log" 2>&1 &
    ok 'a master of another user' wait_for logged msg=serving
    pid=$(head -n 1 "$other/state/master.lock")
    is "$(stat -c %u "/proc/$pid/environ")" 0 'can not be dumped or traced: its memory belongs to root'
    ok 'and works' as_other timeout "$WAIT" "$PR_BIN" --home "$other" ask 'still there'
    if can_trace; then
        not_ok 'no debugger attaches' as_other timeout "$WAIT" strace -qq -o /dev/null -p "$pid"
        like "$ERR" 'not permitted' 'it is refused'
    fi
    kill "$pid"
    ok 'it ends' wait_for gone "$pid"
else
    skip 'no rights' 'no other user can run the program here'
    skip 'no core, no tracer' 'no other user can run the program here'
fi

# Too few descriptors: whatever it is enough for, nothing is lost.
question 'few descriptors'
for n in 4 5 6 7 8 9 10 11 12 13 14; do
    run prlimit --nofile="$n" "$PR_BIN" --home "$HOME_DIR" serve --once
    [ "$STATUS" = 75 ] || [ "$STATUS" = 0 ] || fail "$n descriptors" "exit $STATUS: $ERR"
done
like "$ERR" '^$|Too many open files' 'says what there is too much of'
sqlite3 "$HOME_DIR/state/postrider.db" "UPDATE delivery SET next_us = 0 WHERE state = 'retry'" 2>"$WORK/err" || diag "$(cat "$WORK/err")"
comes_through 'with enough descriptors' 'few descriptors'

if can_trace; then
    # A disk that fails. Reading one mail: that one waits, the others do not.
    stranger unread >"$new/unread"
    question 'beside it'
    POSTRIDER_TRACED=1 ASAN_OPTIONS=detect_leaks=0 strace -qq -o "$WORK/trace" -P "$new/unread" -e inject=read:error=EIO \
        "$traced_bin" --home "$HOME_DIR" serve --once 2>"$WORK/err"
    is $? 0 'a mail that can not be read'
    if [ "$(id -u)" = 0 ]; then # nobody else may ask which file a descriptor of it is
        is "$(injected)" yes '(it was tried)'
        like "$(cat "$WORK/err")" "can't read a mail, leaving it for the next pass.*Input/output" 'is left for later, which is said'
    else
        skip 'is left for later, which is said' 'needs root'
    fi
    is "$(answered 'beside it')" 1 'the one beside it is answered'
    exits 0 'the next pass' pr serve --once
    is "$(pr --json mail show '<unread@x>' | grep -c '"state": "held"')" 1 'takes it in'
    for call in fsync fdatasync pwrite64; do
        question "failing $call"
        run faulty "$call:error=EIO:when=2+" -- serve --once
        is "$(injected)" yes "EIO in $call (happened)"
        # What can't be flushed is at last the answer's own file: it is on its way out, and tried again later.
        late=$(pr --json outbox list | python3 -c 'import json, sys; print(*(o["id"] for o in json.load(sys.stdin) if o["state"] == "retry"))')
        [ -n "$late" ] || isnt "$STATUS" 0 "EIO in $call ends the pass"
        like "$ERR" 'I/O error|Input/output' "EIO in $call is said"
        for id in $late; do exits 0 "EIO in $call: the answer waits to go out" pr outbox retry "$id"; done
        comes_through "EIO in $call" "failing $call"
    done

    # No new processes: the job waits, and costs no answer.
    question 'no process'
    run faulty clone,clone3,fork,vfork:error=EAGAIN -- serve --once
    is "$(injected)" yes 'EAGAIN on fork (happened)'
    is "$STATUS" 75 'is to be tried again'
    like "$ERR" 'Resource temporarily unavailable' 'and said'
    comes_through 'EAGAIN on fork' 'no process'

    # Interrupted calls change nothing at all.
    question 'interrupted'
    run faulty openat2,write,writev,pwrite64,fsync,fdatasync,flock,ftruncate:error=EINTR:when=2+3 pread64:error=EINTR:when=12+4 -- serve --once
    is "$(injected)" yes 'EINTR (happened)'
    is "$STATUS$ERR" 0 'nobody notices'
    is "$(answered interrupted)" 1 'it is answered'

    # A file system without locks.
    for errno in ENOLCK EOPNOTSUPP; do
        for verb in serve 'serve --once' 'ask hi'; do
            # shellcheck disable=SC2086
            run faulty "flock:error=$errno" -- $verb
            is "$STATUS" 78 "$errno: $verb is refused"
            like "$ERR" 'file system without locks; keep the home on a local disk' "$errno: $verb says why"
        done
    done

    # File systems without hard links, or without a rename that replaces nothing, or both.
    question 'no links'
    run faulty link,linkat:error=EPERM -- serve --once
    is "$STATUS$(answered 'no links')" 01 'without link()'
    question 'no flags'
    run faulty renameat2:error=EINVAL -- serve --once
    is "$STATUS$(answered 'no flags')" 01 'without renameat2()'
    question 'neither'
    run faulty renameat2:error=EINVAL link,linkat:error=EPERM -- serve --once
    is "$STATUS$(answered neither)" 01 'without both'
else
    for what in 'a failing disk' 'descriptors' 'signals' 'short reads' 'no renameat2()'; do skip "$what" 'can not trace'; done
fi
is "$(find "$HOME_DIR/mail" -type f -name '*[A-Z]*' -printf '%f\n' | sed 's/:2,.*//' | grep -v '^[0-9]*\.M[0-9]*P[0-9]*Q' | grep '[A-Z]')" '' \
    'no two names of ours differ in case only'

# The store is moved away, and the whole home.
: >"$WORK/serve.log"
start_serve
account_lives() { ! flock -n "$HOME_DIR/state/account-main.lock" true; }
# A part that begins when state/ has just gone makes it anew, as after a loss: all of them are to have it open.
all_opened()
{
    local pid lines=
    for pid in $(at_work); do
        readlink "/proc/$pid/fd/"* | grep -q '/state/postrider.db$' || return 1
        lines+=$(tr '\0' ' ' <"/proc/$pid/cmdline")
    done
    [[ $lines = *--spare* ]]
}
wait_for account_lives
ok 'account and spare run are at work' wait_for all_opened
mv "$HOME_DIR/state" "$WORK/moved"
stranger moved >"$new/moved"
ok 'a store that is moved away ends the master' wait_for gone "$SERVE_PID"
wait "$SERVE_PID"
is $? 70 'with a status that says so'
SERVE_PID=
like "$(cat "$WORK/serve.log")" 'moved away under a running' 'and a line'
nobody() { [ -z "$(at_work)" ]; }
ok 'nobody is left' wait_for nobody
not_ok 'no new store was made' test -e "$HOME_DIR/state/postrider.db"
rm -rf "$HOME_DIR/state" && mv "$WORK/moved" "$HOME_DIR/state"
comes_through 'with its store back'
start_serve
mv "$HOME_DIR" "$WORK/away"
kill -HUP "$SERVE_PID"
ok 'so does a home that is moved away' wait_for gone "$SERVE_PID"
wait "$SERVE_PID" 2>/dev/null
SERVE_PID=
ok 'nobody is left' wait_for nobody
mv "$WORK/away" "$HOME_DIR"
comes_through 'where it was'

# The lock is replaced under its holder.
: >"$WORK/serve.log"
start_serve
first=$SERVE_PID
rm "$HOME_DIR/state/master.lock"
start_serve
isnt "$SERVE_PID" "$first" 'with the lock gone a second master starts'
kill -HUP "$first"
ok 'the first one sees it and ends' wait_for gone "$first"
wait "$first"
is $? 70 'with a status that says so'
like "$(cat "$WORK/serve.log")" "master.lock' was replaced under its holder" 'and a line'
ok 'the second one works' timeout "$WAIT" "$PR_BIN" --home "$HOME_DIR" ask 'who is it'
stop_serve
start_serve
exits 75 'the write gate: two at once' pr serve
rm "$HOME_DIR/state/write.lock"
ok 'a gate that is gone is made anew' timeout "$WAIT" "$PR_BIN" --home "$HOME_DIR" ask 'through the gate'
stop_serve
comes_through 'with one master' 'who is it' 'through the gate'

# What a dead one left: nothing in a file, no pid and no clock says that it lives.
for pid in 1 $$ 999999999 nonsense ''; do
    echo "$pid" >"$HOME_DIR/state/master.lock"
    echo "$pid" >"$HOME_DIR/state/account-main.lock"
    touch -d '1 year' "$HOME_DIR/state/master.lock"
    ok "locks of '$pid' with nobody behind them" start_serve
    kill_serve
    wait_for end_all
done
cp "$HOME_DIR/scripts/hello" "$WORK/hello"
slow_brain
: >"$WORK/serve.log"
start_serve
pr ask --no-wait 'a living one' >/dev/null
ok 'a run at work' wait_for begun 1
brain=$(tail -n 1 "$WORK/begun")
kill_serve
for shift in 31536000 -31536000; do
    : >"$WORK/serve.log"
    export POSTRIDER_CLOCK=@$(($(date +%s) + shift))
    POSTRIDER_BOOT=$(cat /proc/sys/kernel/random/boot_id)@$(($(cut -d. -f1 /proc/uptime) + 1))
    export POSTRIDER_BOOT
    start_serve
    wait_for logged msg=serving
    like "$(grep -m 1 msg=serving "$WORK/serve.log")" 'adopted 1 living run' "the clock set by $shift s: it is adopted"
    exits 75 'and a second master is refused' pr serve
    kill -HUP "$SERVE_PID"
    wait_for logged 'settings read again'
    ok 'the living run goes on' kill -0 "$brain"
    unlike "$(cat "$WORK/serve.log")" 'past its deadline' 'no clock ends it'
    unset POSTRIDER_CLOCK POSTRIDER_BOOT
    kill_serve
done
start_serve
open_gate
ok 'it is answered' wait_for has_answers 1
one_answer() { [ "$(grep -rlx done "$HOME_DIR/mail/you" | wc -l)" = 1 ]; } # a clock that jumps may bring mail on progress too
ok 'once' wait_for one_answer
stop_serve
is "$(wc -l <"$WORK/begun")" 1 'by the first run'
cp "$WORK/hello" "$HOME_DIR/scripts/hello"

# Foreign files among the mail: skipped, told, left alone.
mkdir "$new/folder" "$HOME_DIR/mail/envoy/cur/folder"
mkfifo "$new/fifo"
ln -s /etc/passwd "$new/link"
ln -s nowhere "$new/dangling"
python3 -c 'import socket,sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$new/socket"
echo x >"$new/.hidden"
echo x >"$HOME_DIR/mail/envoy/stray"
mkdir "$HOME_DIR/mail/envoy/.Half" "$HOME_DIR/mail/nobody"
question 'among them'
ok 'a pass over foreign files' timeout "$WAIT" "$PR_BIN" --home "$HOME_DIR" serve --once
is "$(answered 'among them')" 1 'answers the mail'
run pr doctor
like "$OUT" 'foreign|no mail' 'doctor tells'
for name in folder fifo link dangling socket .hidden ../stray; do ok "$name is left alone" ls -d "$new/$name"; done
unlike "$(pr mail list --limit 1000)" 'root:' 'no link was followed'
rm -r "$new"/{folder,fifo,link,dangling,socket,.hidden} "$HOME_DIR"/mail/envoy/{cur/folder,stray,.Half} "$HOME_DIR/mail/nobody"

# Long names, a long path, and a full folder.
name=$(printf 'n%.0s' {1..255})
stranger longname >"$new/$name"
exits 0 'a file name of 255 bytes' pr serve --once
is "$(pr --json mail show '<longname@x>' | grep -c '"state": "held"')" 1 'is taken in'
rm "$new/$name"
printf 'x' >"$new/"$'control\ncharacter'
exits 0 'a name with a line end' pr serve --once
run pr doctor
like "$OUT" 'foreign|no mail' 'is foreign'
rm "$new/"$'control\ncharacter'
deep=$WORK/$(printf 'd%.0s' {1..200})/$(printf 'e%.0s' {1..100})
mkdir -p "$deep"
ok 'a home with a path of more than 300 bytes' "$PR_BIN" --home "$deep/home" init
(HOME_DIR=$deep/home && start_serve && timeout "$WAIT" "$PR_BIN" --home "$HOME_DIR" ask hi && stop_serve && echo "$SERVE_STATUS") >"$WORK/out" 2>&1
like "$(cat "$WORK/out")" 'I have your mail.*0$' 'is served'
for n in 1 21; do
    long=$deep$(printf "/$(printf 'f%.0s' {1..200})%.0s" $(seq $n))
    for verb in init status serve; do
        exits 78 "a path of ${#long} bytes: $verb" "$PR_BIN" --home "$long" $verb
        like "$ERR" 'the path of a home has at most' "says so"
    done
done
is "$(find "$deep" -maxdepth 1 -name 'f*')" '' 'and nothing was made'

n=20000
[ -x "$POSTRIDER_PLAIN_BIN" ] && many=$POSTRIDER_PLAIN_BIN || { many=$PR_BIN n=5000; }
python3 - "$new" "$n" <<'P'
import os, sys
for i in range(int(sys.argv[2])):
    with open(f"{sys.argv[1]}/{i}.many", "wb") as f:
        f.write(b"From: x@evil.example\nTo: envoy@postrider.local\nMessage-ID: <%d@many>\n\nhi\n" % i)
P
question 'in the crowd'
ok "$n mails at once" timeout 200 "$many" --home "$HOME_DIR" serve --once
is "$(answered 'in the crowd')" 1 'and one that is answered'
is "$(sqlite3 -readonly "$HOME_DIR/state/postrider.db" "SELECT count(*) FROM message WHERE state = 'held' AND file LIKE '%.many'")" "$n" 'all are taken in'
question 'after the crowd'
ok 'the next pass looks at them and no more' timeout "$WAIT" "$many" --home "$HOME_DIR" serve --once
is "$(answered 'after the crowd')" 1 'and answers'
sqlite3 "$HOME_DIR/state/postrider.db" "UPDATE message SET state = 'dead', why = 'test' WHERE file LIKE '%.many' OR file LIKE 'nnn%'"
find "$new" -name '*.many' -delete

# Times in the future say nothing: neither when mail is new, nor when the store is.
stranger future >"$new/future"
touch -d '10 years' "$new/future"
touch -d '10 years' "$new" "$HOME_DIR/state" "$HOME_DIR/postrider.conf" "$HOME_DIR/state/postrider.db"
exits 0 'a mail of the future' pr serve --once
is "$(pr --json mail show '<future@x>' | grep -c '"state": "held"')" 1 'is taken in as any other'
lost=$WORK/lost
"$PR_BIN" --home "$lost" init >/dev/null
"$PR_BIN" --home "$lost" ask 'old question' >/dev/null
rm -r "$lost/state"
mv "$lost"/mail/envoy/.Done/*/* "$lost/mail/envoy/new/" && rm -f "$lost"/mail/envoy/.Sent/*/* "$lost"/mail/you/new/*
touch -d '10 years' "$lost"/mail/envoy/new/*
ok 'a lost store, and mail of the future' "$PR_BIN" --home "$lost" serve --once
is "$(find "$lost/mail/you/new" -type f | wc -l)" 0 'is not answered again'
run "$PR_BIN" --home "$lost" --json mail list
like "$OUT" '"why": "history' 'but waits for a person'

# A log that can't be written: work goes on, status tells.
rm -f "$HOME_DIR"/mail/you/*/*
mkdir "$HOME_DIR/log/folder"
for log in log/folder log/gone/x.log /dev/full; do
    pr config set postrider log-file "$log"
    start_serve
    ok "log-file = $log: mail is answered" timeout "$WAIT" "$PR_BIN" --home "$HOME_DIR" ask "log $log"
    run pr status
    [ "$log" = /dev/full ] || like "$OUT" "the log '.*$log' can't be written" "log-file = $log: status tells"
    stop_serve
    is "$SERVE_STATUS" 0 "log-file = $log: clean stop"
done
pr config set postrider log-file log/postrider.log
start_serve
wait_for grep -q msg=serving "$HOME_DIR/log/postrider.log"
mv "$HOME_DIR/log/postrider.log" "$HOME_DIR/log/postrider.log.1"
kill -HUP "$SERVE_PID"
ok 'a log that was rotated away is begun anew' wait_for grep -q 'settings read again' "$HOME_DIR/log/postrider.log"
is "$(stat -c %a "$HOME_DIR/log/postrider.log")" 600 'for us alone'
stop_serve
exits 0 'all is well' pr doctor
is "$(sqlite3 -readonly "$HOME_DIR/state/postrider.db" "SELECT count(*) FROM message WHERE state IN ('stored', 'shown')")" 0 'every mail is in an end state'

done_testing
