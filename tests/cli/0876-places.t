#!/usr/bin/env bash
# Places at brains: programs that take long keep nobody else waiting, and whoever waits for a place is told behind whom.
. "$(dirname "$0")/../lib/tap.sh"

state() { db "SELECT state FROM job WHERE id = $1"; }
states() { db "SELECT group_concat(state, ' ') FROM (SELECT state FROM job ORDER BY id)"; }
at_work() { [ "$(db "SELECT count(*) FROM job WHERE state = 'running'")" = "$1" ]; }
all_done() { [ "$(db "SELECT count(*) FROM job WHERE state <> 'done'")" = 0 ]; }
mail_to() { echo "$2" | pr send --to "$1" --subject "$2" >/dev/null; }

pr init >/dev/null
printf '#!/bin/sh\ncat >/dev/null\nread -r _ <"%s/door"\necho done\n' "$WORK" >"$HOME_DIR/scripts/long.sh"
chmod +x "$HOME_DIR/scripts/long.sh"
cat >>"$HOME_DIR/postrider.conf" <<'C'
[brain tool]
command = scripts/long.sh
[role coder]
brain = tool
[role tester]
brain = tool
C
like "$(pr config show)" 'workers +=  *16' 'sixteen at work at a time, where the settings name no number'
shut_door
start_serve
mail_to coder one
mail_to coder two
ok 'two programs are at work' wait_for at_work 2
mail_to coder three
mail_to tester four
ok 'more is asked of them' wait_for eval '[ "$(states)" = "running running queued queued" ]'
exits 0 'who asks another role has an answer meanwhile' pr ask 'Are you there?'
is "$(states)" 'running running queued queued done' 'while the others wait'
like "$(pr status)" 'job 3 queued, coder, [^:]*: three; waits for a place at brain tool, behind jobs 1, 2' 'status says who waits, and behind whom'
like "$(pr show 4)" 'It waits for a place at brain tool, behind jobs 1, 2\.' 'show too'
is "$(pr --json status | python3 -c 'import json, sys; print([j.get("waits_for") for j in json.load(sys.stdin)["jobs"] if j["id"] in (1, 3)])')" \
    "['a place at brain tool, behind jobs 1, 2', None]" 'as JSON too'
unlike "$(pr status)" 'job 1 [^
]*waits for a place' 'not of one that works'

# A change of the settings counts at once.
pr config set 'brain tool' at-once 3
ok 'one place more, one job more' wait_for at_work 3
is "$(state 4)" running 'for the role that had nothing at work'
open_door
ok 'all are done in the end' wait_for all_done
stop_serve
exits 78 'a number that is none' pr config set 'brain tool' at-once -1
done_testing
