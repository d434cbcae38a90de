#!/usr/bin/env bash
# A home of the version before (tests/homes/8, recorded by tests/homes/record): its store is migrated, doctor finds nothing
# wrong, and the half-finished job, the held mail, the mail in doubt, the pause, the budget and the schedule go on.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/loop.sh"
. "$(dirname "$0")/../lib/model.sh"

T0=1800000000
at() { local s=$1; shift; POSTRIDER_CLOCK=@$((T0 + s)) POSTRIDER_BOOT=11111111-2222-3333-4444-555555555555@$((1000 + s)) pr "$@"; }
old=$POSTRIDER_SRC/tests/homes/8
mkdir -m 700 "$HOME_DIR" "$HOME_DIR/state"
(cd "$HOME_DIR" && sh "$old/files.sh")
# A brain's pause is one under certain settings: it knows them by the file, which is another one here.
mark=$(python3 - "$HOME_DIR/postrider.conf" <<'P'
import os, sys
st, mark = os.stat(sys.argv[1]), 0
for part in (st.st_dev, st.st_ino, st.st_size, st.st_mtime_ns // 10**9, st.st_mtime_ns % 10**9):
    mark = ((mark ^ part) * 0x100000001b3 + 1) % 2**64
print("%x" % mark)
P
)
# Two lists in one text each, as a store of that version may have them.
sed -E -e "s/^(INSERT INTO meta VALUES\('broken-until:absent','[0-9]+ )[0-9a-f]+/\1$mark/" \
    -e "s/^(INSERT INTO meta VALUES\('first-roles',).*/\1'envoy clerk');/" \
    -e "s/^(INSERT INTO meta VALUES\('notes-shown-abroad',).*/\1'clerk envoy\/plans scout'||char(10)||'envoy scout'||char(10));/" "$old/store.sql" |
    sqlite3 "$HOME_DIR/state/postrider.db" >/dev/null
chmod 600 "$HOME_DIR/state/postrider.db"
is "$(db 'PRAGMA user_version')" 8 'a store of the version before'
families=$(db "SELECT count(*) FROM meta WHERE key LIKE '%:%'")
isnt "$families" 0 'with encoded texts in meta'

# --- it opens, and is whole ---

run at 60 doctor
is "$STATUS $(grep -v '^note: \|may or may not have arrived\|brain absent$\|was shown notes' <<<"$OUT$ERR")" '1 ' 'doctor finds the mail in doubt and the absent brain, and nothing else'
like "$OUT$ERR" "role 'clerk' was shown notes of other roles.*shared = envoy/plans scout" 'but what roles were shown once'
is "$(db 'PRAGMA user_version')" "$(sed -n 's/.*schema \([0-9]*\);.*/\1/p' <<<"$OUT" | head -n 1)" 'the store is of this version'
ok 'a copy of the old one is kept' test -f "$HOME_DIR/state/postrider.db.before-8"
is "$(db "SELECT group_concat(key, ' ') FROM (SELECT key FROM meta WHERE key LIKE '%:%' ORDER BY key)")" '' 'nothing encoded is left in meta'

is "$(db "SELECT group_concat(key, ' ') FROM meta WHERE key IN ('first-roles', 'notes-shown-abroad') OR value LIKE '%' || char(10) || '%'")" '' \
    'nor a list in one text'
is "$(db "SELECT group_concat(name, ' ') FROM (SELECT name FROM first_role ORDER BY name)")" 'clerk envoy' 'the first roles are rows'
is "$(db "SELECT group_concat(role || ':' || folder, ' ') FROM (SELECT * FROM shown_abroad ORDER BY role, folder)")" \
    'clerk:envoy/plans clerk:scout envoy:scout' 'and folders that roles were shown'

# --- what people see of it ---

run at 60 status
like "$OUT" "the brain 'absent' does not work: no program" 'the pause is there'
like "$OUT" 'job 2 asks: may mail 3 to bob@postrider.local leave\?' 'the question about held mail'
like "$OUT" 'has mail 10 to kim@y.example arrived\?' 'and the one about mail in doubt'
like "$OUT" 'job 1 waits for your answer: Colour' 'the job that waits'
like "$OUT" 'spent today: \$2.00 of \$3.00' 'and what was spent'
like "$(at 60 cost --by day)" '2027-01-15  4      \$2.00' 'as in the list of costs'
like "$(at 60 job log 3)" 'the order STOP from the operator' 'the order by command stands in the log'
like "$(at 60 every list)" 'day 9:00' 'the schedule is there'
is "$(db "SELECT broken_until_us FROM brain WHERE name = 'absent'")" $(((T0 + 300) * 1000000)) 'the brain is not asked before its time'

# --- it goes on ---

mkdir "$HOME_DIR/scripts"
steps '{"status":"complete","current_phase":"complete","send_emails":[{"body":"Red it is."}]}' \
    '{"status":"complete","current_phase":"complete","send_emails":[{"body":"Not reached."}]}'
python3 -c 'import json, sys
for line in open(sys.argv[1]):
    print(json.dumps({"fake": "slow", "delay": 0, "answer": json.loads(line), "usage": {"output_tokens": 50000}}))' \
    "$HOME_DIR/scripts/steps.jsonl" >"$WORK/lines"
fake model <"$WORK/lines"
at 60 run 4 2>/dev/null
is "$(db "SELECT state FROM job WHERE id = 4") $(db 'SELECT max(id) FROM step')" 'queued 4' 'nobody asks the broken brain'
at 60 config set 'brain default' url "$URL"
at 60 config set 'brain default' max-tokens 50000
ok 'the mail that was not delivered is' at 60 deliver
is "$(grep -rl '^Subject: Late' "$HOME_DIR/mail/bob" | wc -l)" 1 'once'
run at 60 approve 3
like "$OUT" 'Approved. This mail leaves now' 'the held mail is released'
at 60 deliver
is "$(grep -rl '^Subject: Plans' "$HOME_DIR/mail/bob" | wc -l)" 1 'and leaves'
run at 60 reject 10
like "$OUT" 'This mail is not sent again, and counts as sent' 'the mail in doubt is decided'
asked=$(db "SELECT msgid FROM outbox WHERE job = 1 AND question IS NULL ORDER BY id LIMIT 1")
echo Red | at 60 send --to envoy --subject 'Re: Colour' --in-reply-to "<$asked>" >/dev/null
at 60 serve --once 2>/dev/null
is "$(job state 1)" done 'the job that waited goes on'
ok 'and answers' you_have 'Red it is'
like "$(at 60 status)" 'spent today: \$3.00 of \$3.00' 'what was spent before the migration counts'
echo Round | at 60 continue 3 >/dev/null
at 60 serve --once 2>/dev/null
like "$(job why 3)" 'the budget of the day of \$3.00 is spent' 'so the next one stops'
at 3700 serve --once 2>/dev/null
is "$(db "SELECT count(*) FROM job WHERE subject = 'Daily'")" 1 'the schedule mails when its time comes'
run at 3700 doctor
is "$STATUS $(grep -v '^note: \|was shown notes' <<<"$OUT$ERR" | sed 's/.*: //')" '1 brain absent' 'doctor finds nothing at the end but the brain that never was there'
done_testing
