#!/usr/bin/env bash
# Settings, command line, environment and signals.
# What the tables of tests/unit/base/config.c, home.c and 0340-wrong-input.t have is not repeated.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/serve.sh"

conf=$HOME_DIR/postrider.conf
# one STATUS REGEX DESC CMD...: fails that way, in one line that says so.
one()
{
    local status=$1 want=$2 desc=$3
    shift 3
    run "$@"
    if [ "$STATUS" != "$status" ]; then
        fail "$desc" "exit $STATUS, want $status: $OUT$ERR"
    elif [ "$(printf '%s\n' "$ERR" | wc -l)" != 1 ]; then
        fail "$desc" "not one line: $ERR"
    else
        like "$ERR" "$want" "$desc"
    fi
}
limited() { timeout "$WAIT" "$PR_BIN" --home "$HOME_DIR" "$@"; }
settings() { { cat "$WORK/good"; printf '%b' "$1"; } >"$conf"; }
mails() { pr --json mail list --limit 1000 | grep -c '"message_id"'; }
gone() { ! kill -0 "$1"; }
closed_store() { sqlite3 -readonly "$HOME_DIR/state/postrider.db" "$1"; }

pr init >/dev/null
pr ask first >/dev/null
cp "$conf" "$WORK/good"

# A file that is none.
rm "$conf"
one 78 'postrider.conf' 'no settings' limited status
mkdir "$conf"
one 78 "'postrider.conf': is a folder" 'a folder' limited status
rmdir "$conf" && mkfifo "$conf"
one 78 "'postrider.conf': is a FIFO" 'a FIFO does not hang' limited status
rm "$conf" && truncate -s 1G "$conf"
one 78 "'postrider.conf': is larger than" '1 GB is not read' limited status
rm "$conf" && ln -s /dev/zero "$conf"
one 78 "'postrider.conf'" 'a link to a device' limited status
rm "$conf" && : >"$conf"
exits 0 'an empty file has all defaults' pr config check
cp "$WORK/good" "$conf"
if [ "$(id -u)" = 0 ]; then
    skip 'an unreadable file' 'root reads everything'
else
    chmod 000 "$conf"
    one 78 "'postrider.conf'.*Permission" 'an unreadable file' limited status
    chmod 600 "$conf"
fi

# The line, and what was meant.
lines=$(wc -l <"$WORK/good")
settings '[postrder]\n'
one 78 "postrider.conf:$((lines + 1)): .*did you mean \[postrider\]" 'a section with a typo' pr status
settings '[trust]\nlinkz = 3\n'
one 78 "postrider.conf:$((lines + 2)): unknown key 'linkz'.*did you mean 'links'" 'a key with a typo' pr serve
settings '[role x]\nack-after = 5 parsecs\n'
one 78 "postrider.conf:$((lines + 2)): ack-after = '5 parsecs'" 'a wrong unit' pr ask hi
settings '[role x]\nmax-attempts = -1\n'
one 78 "postrider.conf:$((lines + 2)):" 'a negative number' pr run
settings '[role x]\nmax-attempts = 99999999999999999999\n'
one 78 "postrider.conf:$((lines + 2)):" 'one too large' pr doctor
settings '[trust]\nlinks = 3\nlinks = 4\n'
one 78 "postrider.conf:$((lines + 3)): key 'links' is in line $((lines + 2)) already" 'a key twice' pr config check
settings '[role bad]\nbrain = defalt\n'
one 78 "did you mean 'default'" 'a brain that is not there' pr status
settings '[account other]\nrole = nobody\n'
one 78 'no \[role nobody\]' 'a role that is not there' pr status
cp "$WORK/good" "$conf"
one 78 'workers' 'config set refuses what would be wrong' pr config set postrider workers many
ok 'and leaves the file alone' cmp "$WORK/good" "$conf"

# Secrets that others may read.
chmod 644 "$HOME_DIR/key"
one 78 "key' can be read by others; run: chmod 600" 'a key for all to read' pr status
chmod 600 "$HOME_DIR/key"
echo pw >"$HOME_DIR/secrets/mail" && chmod 644 "$HOME_DIR/secrets/mail"
run pr doctor
like "$OUT" 'open to other users \(mode 644\): secrets/mail' 'doctor finds a password for all to read'
is "$(stat -c %a "$HOME_DIR/secrets/mail")" 600 'and closes it'
for folder in . state; do
    chmod 777 "$HOME_DIR/$folder"
    one 78 'can be changed by others; run: chmod 700' "'$folder' that others may write" pr status
    chmod 700 "$HOME_DIR/$folder"
done

# Hosts.
for host in 'imap.example.org:993' '[::1' "$(printf 'x%.0s' {1..300})" 'a b' 'imap..example' '-x.example' 'user@host' 'a/b'; do
    settings "[smtp]\nhost = $host\n"
    one 78 "postrider.conf:$((lines + 2)): host = .*expected a host name" "host '${host:0:24}'" pr status
done
settings '[smtp]\nhost = a\x01b\n'
one 78 "postrider.conf:$((lines + 2)): has a control character" 'a control character' pr status
settings '[smtp]\nhost =\n'
exits 0 'an empty one is none' pr status
settings '[smtp]\nhost = mail.example.org\n'
exits 0 'a good one' pr status
cp "$WORK/good" "$conf"

# What 0340-wrong-input.t has not.
one 64 "usage: postrider mail" '-n -1' pr mail list --limit -1
one 64 "did you mean 'list'" 'a misspelt noun' pr mail lits
exits 0 '-- ends the options' pr mail show -- 1
exits 0 '--home twice: the last one counts' "$PR_BIN" --home /nonexistent --home "$HOME_DIR" status
exits 0 'globals behind the verb' "$PR_BIN" status --home "$HOME_DIR" --json
head -c 100000 /dev/zero | tr '\0' x >"$WORK/long"
one 65 "Subject|subject|long" 'a subject of 100 KB' pr send --to envoy --subject "$(cat "$WORK/long")"
is "${#ERR}" "$((${#ERR} < 2000 ? ${#ERR} : 0))" 'is not repeated in full'

# Standard output: the state is untouched by what can't be said.
before=$(mails)
pr --json mail list >/dev/full 2>"$WORK/err"
is $? 74 'a full disk behind stdout'
pr mail show 1 >&- 2>"$WORK/err"
is $? 74 'a closed stdout'
pr mail list | head -c 1 >/dev/null
is "${PIPESTATUS[0]}" "$((PIPESTATUS[0] == 0 || PIPESTATUS[0] == 74 ? PIPESTATUS[0] : -1))" 'a reader that left'
is "$(mails)" "$before" 'nothing changed'

# Arguments that are no text.
run pr ask --no-wait $'bytes \377\376 and more'
is "$STATUS" 0 'bytes that are no UTF-8 can be asked'
pr serve --once
run pr mail list
ok 'and are valid text from then on' sh -c 'printf %s "$1" | iconv -f UTF-8 -t UTF-8 >/dev/null' sh "$OUT"
one 65 'control character' 'an escape sequence in a subject' pr ask $'red \033[31m'
unlike "$ERR" $'\033' 'is echoed escaped'
one 66 'no role' 'a role that is no text' pr ask --to $'en\033voy' hi
unlike "$ERR" $'\033' 'is echoed escaped too'

# The environment.
exits 78 'no HOME' env -u HOME -u POSTRIDER_HOME "$PR_BIN" status
like "$ERR" 'POSTRIDER_HOME|--home' 'says what to set'
exits 0 'an empty environment' env -i "$PR_BIN" --home "$HOME_DIR" status
exits 0 'POSTRIDER_HOME' env POSTRIDER_HOME="$HOME_DIR" "$PR_BIN" status
for env in LC_ALL=C LC_ALL=xx_YY.nonsense LANG=tr_TR.UTF-8 TZ=Nowhere/Else TZ=X+99:99:99 TZ=:/nonexistent; do
    echo x | env "$env" "$PR_BIN" --home "$HOME_DIR" send --to envoy --subject "grüße $env" >/dev/null 2>"$WORK/err"
    is "$?$(cat "$WORK/err")" 0 "send with $env"
done
env LC_ALL=C TZ=X+99:99:99 "$PR_BIN" --home "$HOME_DIR" serve --once
is "$(pr --json mail list --limit 6 | grep -c '"subject": "grüße .*=')" 6 'and every subject is right'
ok 'found again in the locale C' sh -c 'LC_ALL=C "$0" --home "$1" mail search grüße | grep -q LC_ALL' "$PR_BIN" "$HOME_DIR"
mkdir "$WORK/ro" "$WORK/gone" && chmod 555 "$WORK/ro"
ok 'a read-only folder to be in' sh -c 'cd "$0" && "$1" --home "$2" ask here' "$WORK/ro" "$PR_BIN" "$HOME_DIR"
ok 'one that was deleted' sh -c 'cd "$0" && rmdir "$0" && "$1" --home "$2" ask here' "$WORK/gone" "$PR_BIN" "$HOME_DIR"
(umask 0 && "$PR_BIN" --home "$WORK/open" init && "$PR_BIN" --home "$WORK/open" ask hi) >/dev/null
is "$(find "$WORK/open" -perm /077 ! -type l)" '' 'with umask 0 all is ours alone'
before=$(mails)
"$PR_BIN" --home "$HOME_DIR" ask 'without any' <&- >&- 2>&-
is $? 74 'without descriptors 0, 1 and 2'
is "$(mails)" $((before + 1)) 'the mail is there'
is "$(closed_store 'PRAGMA integrity_check')" ok 'nothing was written into the store'
"$PR_BIN" --home "$HOME_DIR" serve <&- >&- 2>&- &
SERVE_PID=$!
ok 'serve without them' wait_for serve_is_master
if [ "$(id -u)" = 0 ]; then
    is "$(readlink "/proc/$SERVE_PID/fd/0" "/proc/$SERVE_PID/fd/1" "/proc/$SERVE_PID/fd/2" | sort -u)" /dev/null 'has nothing of ours there'
else
    skip 'has nothing of ours there' 'only root may look into it'
fi
ok 'and answers' limited ask served
stop_serve
is "$SERVE_STATUS" 0 'and stops'
is "$(closed_store 'PRAGMA integrity_check')" ok 'with a whole store'

# Two at once.
start_serve
exits 75 'a second master' pr serve
like "$ERR" "another master serves.*process $SERVE_PID" 'is told who serves'
for _ in 1 2 3 4 5; do "$PR_BIN" --home "$HOME_DIR" status >/dev/null & done
account_lives() { kill -0 "$(cat "$HOME_DIR/state/account-main.lock")"; }
wait_for account_lives # else the one by hand would be the account
exits 75 'an account by hand' limited account main
like "$ERR$OUT" 'locked by process' 'is told too'
before=$(mails)
pids=
for i in 1 2 3 4 5 6 7 8; do
    echo "$i" | "$PR_BIN" --home "$HOME_DIR" send --to envoy --subject "both $i" >/dev/null 2>>"$WORK/both.err" &
    pids="$pids $!"
done
# shellcheck disable=SC2086
wait $pids
is "$(cat "$WORK/both.err")" '' 'a master, and eight that send'
all_in() { [ "$(mails)" = $((before + 8)) ]; }
ok 'each mail came in once' wait_for all_in
stop_serve

# A store of a later version.
cp -a "$HOME_DIR/state" "$WORK/state"
sqlite3 "$HOME_DIR/state/postrider.db" 'PRAGMA user_version = 999'
for line in status serve 'serve --once' 'ask hi' 'mail list' doctor 'backup x'; do
    # shellcheck disable=SC2086
    one 65 "made by a newer postrider \(schema 999, this one knows [0-9]+\)" "$line" limited $line
done
is "$(pr status --check 2>/dev/null; echo $?)" 2 'status --check says that it is broken'
is "$(closed_store 'PRAGMA user_version')" 999 'nothing was changed'
rm -r "$HOME_DIR/state" && mv "$WORK/state" "$HOME_DIR/state"
exits 0 'the old one is well' pr doctor

# Signals at every phase: nothing is lost, nothing done twice, no lease is left behind.
reset_answers() { rm -f "$HOME_DIR"/mail/you/*/*; : >"$WORK/begun"; : >"$WORK/serve.log"; }
pr config set 'brain default' command scripts/nowhere
one 75 "job [0-9]+ waits: no program '.*scripts/nowhere'" 'an ask that nobody can answer now' limited ask 'nobody there'
pr config set 'brain default' command scripts/hello
pr cancel "$(closed_store 'SELECT max(id) FROM job')" >/dev/null
pr serve --once

pr config set postrider drain 1s
reset_answers
slow_brain
for signal in INT TERM HUP; do
    for phase in 'no master:ask' 'no master:serve --once' 'no master:run'; do
        verb=${phase#*:}
        reset_answers
        echo x | pr send --to envoy --subject "$signal in $verb" >/dev/null
        [ "$verb" != run ] || { pr deliver && pr account --once main; }
        # shellcheck disable=SC2086
        case $verb in # who runs this may have told all to ignore SIGHUP, as nohup does
        ask) env --default-signal=HUP "$PR_BIN" --home "$HOME_DIR" ask 'mine' >/dev/null 2>&1 & ;;
        *) env --default-signal=HUP "$PR_BIN" --home "$HOME_DIR" $verb >/dev/null 2>&1 & ;;
        esac
        pid=$!
        wait_for begun 1 || fail "$signal in $verb: begins"
        brain=$(tail -n 1 "$WORK/begun")
        kill "-$signal" "$pid"
        wait "$pid" 2>/dev/null
        ok "$signal in $verb: its program ends with it" wait_for gone "$brain"
        is "$(answers)" 0 "$signal in $verb: nothing was answered"
        cp "$HOME_DIR/scripts/hello" "$WORK/slow" && printf '#!/bin/sh\ncat >/dev/null\necho quick\n' >"$HOME_DIR/scripts/hello"
        exits 0 "$signal in $verb: the next pass" pr serve --once
        want=$([ "$verb" = ask ] && echo 2 || echo 1)
        is "$(answers)" "$want" "$signal in $verb: answers each mail once"
        cp "$WORK/slow" "$HOME_DIR/scripts/hello"
    done
done
is "$(closed_store "SELECT count(*) FROM job WHERE state = 'running'")" 0 'no lease is left behind'

# Idle, and while it starts: a signal that comes before the master is one ends it like any other.
reset_answers
for signal in INT TERM; do
    for ms in 1 4 7 10 20 40; do # somewhere while it starts; a leak check in the end could miss the signal
        ASAN_OPTIONS=detect_leaks=0 timeout --foreground --preserve-status -s "$signal" "0.0$ms" \
            "$PR_BIN" --home "$HOME_DIR" serve >/dev/null 2>&1
        like "$?" '^(0|130|143)$' "$signal as it starts"
    done
    start_serve
    serve_end "$signal"
    is "$SERVE_STATUS" 0 "$signal when idle"
    is "$(at_work)" '' "$signal: nobody is left"
done
pr config set postrider drain 10m
start_serve
kill -HUP "$SERVE_PID" && kill -HUP "$SERVE_PID"
ok 'HUP twice' wait_for logged 'settings read again'
pr ask --no-wait 'under way' >/dev/null
ok 'a job begins' wait_for begun 1
kill -HUP "$SERVE_PID"
ok 'HUP leaves it alone' kill -0 "$(tail -n 1 "$WORK/begun")"
kill -INT "$SERVE_PID"
ok 'INT drains' wait_for logged 'stopping: [12] at work'
kill -HUP "$SERVE_PID"
ok 'HUP while it drains changes nothing' kill -0 "$SERVE_PID"
kill -INT "$SERVE_PID"
wait "$SERVE_PID"
is $? 0 'a second INT ends it at once'
SERVE_PID=
nobody() { [ -z "$(at_work)" ]; }
ok 'nobody is left' wait_for nobody
end_brains
printf '#!/bin/sh\ncat >/dev/null\necho quick\n' >"$HOME_DIR/scripts/hello"
exits 0 'the next pass' pr serve --once
is "$(answers)" 1 'answers it once'
exits 0 'all is well' pr doctor

done_testing
