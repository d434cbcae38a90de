#!/usr/bin/env bash
# A home with briefings, a plan, panels and a workflow of the version that had schema 13 (tests/homes/13, recorded by
# tests/homes/record): its store is migrated, doctor finds nothing wrong, and all that was half done goes on.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/loop.sh"

export POSTRIDER_TEST_SANDBOX=off
T0=1800000000
at() { local s=$1; shift; POSTRIDER_CLOCK=@$((T0 + s)) POSTRIDER_BOOT=11111111-2222-3333-4444-555555555555@$((1000 + s)) pr "$@"; }
old=$POSTRIDER_SRC/tests/homes/13
here() { sed "s|/nowhere|$WORK|g" "$1"; }
(cd "$WORK" && here "$old/files.sh" | sh)
mkdir -m 700 "$HOME_DIR/state"
here "$old/store.sql" | sqlite3 "$HOME_DIR/state/postrider.db" >/dev/null
chmod 600 "$HOME_DIR/state/postrider.db"
is "$(db 'PRAGMA user_version')" 13 'a store of an older version'
states() { db "SELECT group_concat(id || ' ' || state, ', ') FROM (SELECT id, state FROM job WHERE id IN (1, 2, 8, 9, 10) ORDER BY id)"; }
said() { grep -rl -- "$1" "$HOME_DIR/mail/you" | wc -l; }

# --- it opens, and is whole ---

run at 60 doctor
is "$STATUS $(grep -v '^note: ' <<<"$OUT$ERR" | sed 's/.*: //')" '1 brain absent' 'doctor finds the program that is not there, and nothing else'
is "$(db 'PRAGMA user_version')" "$(sed -n 's/.*schema \([0-9]*\);.*/\1/p' <<<"$OUT" | head -n 1)" 'the store is of this version'
is "$(db "SELECT group_concat(name, ' ') FROM (SELECT name FROM first_role ORDER BY name)")" "$(sed -n "s/.*'first-roles','\(.*\)').*/\1/p" "$old/store.sql" | tr ' ' '\n' | sort | paste -sd' ')" \
    'the roles that the settings named first are rows'
is "$(db "SELECT value FROM meta WHERE key = 'note-readers-kept'")" 1 'and it is known who had been shown which notes'

# --- what people see of it ---

run at 60 status
like "$OUT" 'job 3 asks: may mail 7 to kim@y.example leave\?' 'a question about held mail'
like "$OUT" 'job 1 waits for your answer: Colour' 'a job that waits'
like "$OUT" "the role 'idler' .*its owner is away" 'a role that pauses'
like "$OUT" 'plan PLAN.md in .*/plan: job 8 waits for your word: no progress' 'a plan'
like "$(at 60 briefing status)" '2027-01-15 +carlton +1 +1 +0 ' 'a briefing, whose reply has its answer'
like "$(at 60 panel list)" 'login.md +1 +approve' 'a panel that has decided'
like "$(at 60 role inbox spec-reviewer)" 'review-request +spec-writer +specs/\*/logout.md' 'typed mail that waits'
is "$(states)" '1 parked, 2 parked, 8 parked, 9 queued, 10 queued' 'and jobs that are half done'

# --- it goes on ---

steps '{"status":"complete","current_phase":"complete","send_emails":[{"body":"It was unread."}]}' \
    '{"status":"complete","current_phase":"complete","send_emails":[{"body":"This was the second half."}]}'
touch "$WORK/plan/ready"
at 60 serve --once 2>/dev/null
is "$(said 'It was unread')" 1 'mail that nobody had read is answered'
like "$(at 60 briefing status)" '2027-01-15 +carlton +2 +2 +0 ' 'so is the second reply to the briefing'
like "$(at 60 panel list)" 'logout.md +1 +approve' 'the panel that was asked for asks its members, and decides'
run at 60 reject 7 'Kim is away.'
like "$OUT" 'rejected|Rejected' 'held mail gets its no' || diag "$OUT$ERR"
asked=$(db "SELECT msgid FROM outbox WHERE job = 1 AND question IS NULL ORDER BY id LIMIT 1")
echo Red | at 60 send --to envoy --subject 'Re: Colour' --in-reply-to "<$asked>" >/dev/null
at 60 continue 8 >/dev/null
at 60 role resume idler >/dev/null
at 60 config set 'brain absent' command "$WORK/bin/carlton"
at 60 serve --once 2>/dev/null
is "$(states)" '1 done, 2 parked, 8 done, 9 done, 10 done' 'the answer, the word, the end of the pause and the mended brain let jobs go on'
is "$(jq -r '.status' "$WORK/plan/.pilot/state/continuation.json")" complete 'the plan is complete'
at 2000 serve --once 2>/dev/null
is "$(states | grep -o '2 [a-z]*')" '2 done' 'the job at its limit goes on when its time comes'
like "$(at 2000 show 2@2 --context)" 'half of it' 'with what it had written down'
(cd "$WORK/work" && at 2000 notify --from spec-reviewer --quiet approval specs/proposed/logout.md spec-writer >/dev/null)
at 2000 serve --once 2>/dev/null
ok 'an approval moves the artifact' test -f "$WORK/work/specs/todo/logout.md"
run at 2000 doctor
is "$STATUS $(grep -v '^note: ' <<<"$OUT$ERR")" '0 all is well' 'doctor finds nothing at the end'
done_testing
