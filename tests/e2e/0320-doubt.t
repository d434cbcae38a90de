#!/usr/bin/env bash
# Mail that was handed over without an answer: who is asked, when, and what an answer does. The peer's log says what
# it took; nothing is taken twice unless somebody said so.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/peer.sh"

lost='{"on": "dot", "lost": true}'               # taken, and the answer is lost
gone='{"on": "dot", "answer": "", "end": "close"}' # not even taken
questions() { POSTRIDER_CLOCK=+4000 pr deliver; grep -l 'Has this mail arrived' "$HOME_DIR"/mail/you/new/* "$HOME_DIR"/mail/you/cur/* 2>/dev/null; }
n_questions() { questions | wc -l; }
id_of() { sed -n 's/^Message-ID: *//p' "$1" | head -n 1; }
question() { id_of "$(questions | tail -n 1)"; }
last_text() { cat "$(newest_file "$HOME_DIR"/mail/you/new/*)"; }
why() { pr --json outbox list --all | python3 -c 'import json,sys
print([r["why"] for r in json.load(sys.stdin) if str(r["id"]) == sys.argv[1]][0])' "$1"; }
trace() { pr mail trace "$(pr --json mail list --role envoy --limit 1 | python3 -c 'import json,sys; print(json.load(sys.stdin)[0]["message_id"])')"; }
copies() { pr deliver; find "$HOME_DIR/mail/envoy/.Sent/new" "$HOME_DIR/mail/envoy/.Sent/cur" -type f 2>/dev/null | xargs -r grep -l "^Subject: $1" | wc -l; }

# in_doubt RULE [TO]: a home with one mail in doubt; Q is the question.
in_doubt()
{
    peer_home hold
    start_peer --rule "$1"
    mail_to "${2:-bob@test.example}" plans
    pr submit 2>/dev/null
    Q=$(question) ID=$(cat "$WORK/msgid")
}

# --- hold: APPROVE and REJECT ---

in_doubt "$gone"
is "$(state 1) $(n_questions)" 'bob in_doubt 1' 'hold: the owner is asked at once'
like "$(cat "$(questions)")" 'APPROVE +it is sent once more' 'and told what to reply'
like "$(cat "$(questions)")" '\| Subject: plans' 'about exactly this mail'
like "$(pr status)" 'has mail 1 to bob@test.example arrived\? postrider approve 1' 'status says it too'
is "$(pr --json outbox list --state in_doubt | python3 -c 'import json,sys; r = json.load(sys.stdin)[0]; print(r["question"], r["question_state"])')" \
    "$Q open" 'and the list names the question'
reply "$ID" APPROVE
is "$(state 1)" 'bob in_doubt' 'an APPROVE to another mail changes nothing'
reply "$Q" APPROVE carol@test.example
is "$(state 1)" 'bob in_doubt' 'nor does one of somebody who may not'
reply "$Q" APPROVE
is "$(state 1) $(taken "$ID")" 'bob sent 1' 'APPROVE sends it once more, with the same id'
like "$(last_text)" 'Approved\. This mail is sent once more' 'and says so'
like "$(trace)" 'APPROVE.*mail in doubt is sent once more' 'so does the trace'
is "$(copies plans)" 1 'its copy lies in Sent'
reply "$Q" REJECT
like "$(last_text)" 'was approved by you@postrider.local' 'an answer counts once'
is "$(state 1)" 'bob sent' 'the second changes nothing'

in_doubt "$lost"
is "$(copies plans)" 0 'in doubt: no copy says that it left'
reply "$Q" 'REJECT: bob has it'
is "$(state 1) $(taken "$ID") $(copies plans)" 'bob sent 1 1' 'REJECT does not send it again, and it counts as sent'
like "$(why 1)" 'counts as sent: you@postrider.local says so' 'by whose word is known'
reply "$Q" APPROVE
is "$(taken "$ID")" 1 'and nothing sends it afterwards'

# The same by command, and commands settle the question.
in_doubt "$gone"
ok 'postrider approve is the same decision' pr approve 1
pr submit
is "$(state 1) $(taken "$ID")" 'bob sent 1' 'it leaves'
in_doubt "$lost"
ok 'outbox arrived' pr outbox arrived 1
reply "$Q" APPROVE
like "$(last_text)" 'What became of this mail is known by now' 'leaves nothing to answer'
is "$(state 1) $(taken "$ID")" 'bob sent 1' 'an APPROVE that comes late sends nothing'

# Some recipients only.
peer_home hold
start_peer --rule '{"on": "RCPT TO:<carol@test.example>", "answer": "550 5.1.1 no such user"}' --rule "$gone"
echo hello | pr send --from envoy --to bob@test.example --to carol@test.example --subject two >"$WORK/msgid"
pr submit 2>/dev/null
is "$(state 1 | tr '\n' ' ')" 'bob in_doubt carol failed ' 'one recipient is in doubt, one has failed'
reply "$(question)" APPROVE
is "$(state 1 | tr '\n' ' ')" 'bob sent carol failed ' 'APPROVE is about the one in doubt'
unlike "$(grep '"event": "accepted"' "$WORK/log")" carol 'the other is not tried again'

# --- whoever dies meanwhile ---

POSTRIDER_POINTS=$WORK/points
for point in intake-before-commit intake-committed; do
    in_doubt "$gone"
    printf 'From: you@postrider.local\nTo: agent@test.example\nSubject: Re\nIn-Reply-To: %s\n\nAPPROVE\n' "$Q" | pr sendmail -t
    pr deliver
    POSTRIDER_DIE_AT=$point pr serve --once >/dev/null 2>&1
    pr serve --once >/dev/null 2>&1
    is "$(state 1) $(taken "$ID")" 'bob sent 1' "killed at $point: approved once, sent once"
done
for point in submit-before-asking submit-asked; do
    peer_home probe
    start_peer --rule "$gone"
    mail_to bob@test.example plans
    pr submit 2>/dev/null
    POSTRIDER_CLOCK=+1900 POSTRIDER_DIE_AT=$point pr submit 2>/dev/null
    POSTRIDER_CLOCK=+1901 pr submit 2>/dev/null
    POSTRIDER_CLOCK=+1902 pr submit 2>/dev/null
    is "$(n_questions)" 1 "killed at $point: one question"
done

# --- probe by a copy to ourselves: half an hour ---

peer_home probe
start_peer --rule "$gone"
mail_to bob@test.example plans
pr submit 2>/dev/null
like "$(grep RCPT "$WORK/log")" 'RCPT TO:<agent@test.example>' 'probe: one more recipient, ourselves'
is "$(state 1) $(n_questions)" 'bob in_doubt 0' 'in doubt, and nobody is asked yet'
POSTRIDER_CLOCK=+1500 pr submit 2>/dev/null
is "$(n_questions)" 0 'nor after 25 minutes'
POSTRIDER_CLOCK=+1810 pr submit 2>/dev/null
is "$(state 1) $(n_questions)" 'bob in_doubt 1' 'after half an hour the owner is'
POSTRIDER_CLOCK=+1900 pr submit 2>/dev/null
is "$(n_questions) $(taken "$(cat "$WORK/msgid")")" '1 0' 'once, and nothing was sent again'
reply "$(question)" APPROVE
is "$(state 1) $(taken "$(cat "$WORK/msgid")")" 'bob sent 1' 'and decides'

# The master knows the moment by itself.
peer_home probe
start_peer --rule "$gone"
mail_to bob@test.example plans
pr submit 2>/dev/null
export POSTRIDER_CLOCK=+1797
start_serve
asked() { grep -q 'Has this mail arrived' "$HOME_DIR"/mail/you/new/* 2>/dev/null; }
ok 'the master asks when it is time' wait_for asked
stop_serve
unset POSTRIDER_CLOCK

peer_home probe
start_peer --rule "$lost"
mail_to bob@test.example plans
pr submit 2>/dev/null
# What the server put into our mailbox.
python3 - "$IMAP" >"$WORK/copy" <<'PY'
import imaplib, sys
imap = imaplib.IMAP4("127.0.0.1", int(sys.argv[1]))
imap.login("agent", "x")
imap.select("INBOX")
sys.stdout.write(imap.uid("fetch", "1:*", "(BODY.PEEK[])")[1][0][1].decode().replace("\r\n", "\n"))
PY
pr receive --role envoy <"$WORK/copy"
pr serve --once >/dev/null 2>&1
is "$(state 1)" 'bob sent' 'the copy came: it was sent'
POSTRIDER_CLOCK=+1810 pr submit 2>/dev/null
is "$(n_questions)" 0 'and nobody is asked'

peer_home probe
start_peer --rule '{"on": "RCPT TO:<agent@test.example>", "answer": "550 no"}' --rule "$gone"
mail_to bob@test.example plans
pr submit 2>/dev/null
is "$(state 1) $(n_questions)" 'bob in_doubt 1' 'no copy can come: the owner is asked at once'

# --- a job's mail ---

peer_home hold
cat >"$HOME_DIR/scripts/hello" <<END
#!/bin/sh
cat >>'$WORK/shown'
echo done
END
start_peer --rule "$gone"
: >"$WORK/shown"
ask one
Q=$(question)
is "$(state 1) $(n_questions)" 'carol in_doubt 1' "an answer of a job: the owner is asked, not carol"
like "$(pr job log 1)" 'has this mail arrived' "the job's log knows the question"
pr stop 1 >/dev/null
reply "$Q" APPROVE
is "$(state 1)" 'carol in_doubt' 'nothing of a stopped job is sent again'
like "$(last_text)" 'Job 1 is stopped, and nothing of it leaves' 'and that is said'
pr continue 1 >/dev/null
reply "$Q" APPROVE
is "$(state 1)" 'carol sent' 'after CONTINUE the question counts again'
ask two 'In-Reply-To: <one@test.example>'
like "$(cat "$WORK/shown")" 'Your mail to carol@test.example, <[^>]*>, may not have arrived, and is sent once more' 'the job is told'
unlike "$(cat "$WORK/shown")" "${Q#<}" 'but not the id that a yes must answer'

# --- nobody got it ---

peer_home hold
start_peer --rule '{"on": "RCPT", "answer": "550 5.1.1 no such user", "times": 2}'
echo hello | pr send --from envoy --to bob@test.example --to carol@test.example --subject nobody >/dev/null
copy_state() { pr --json outbox list --all --copies | python3 -c 'import json,sys
print(*[r["state"] + ": " + (r["why"] or "") for r in json.load(sys.stdin) if r["id"] == 1 and r["to"].startswith("agent")])'; }
is "$(copy_state)" 'waiting: ' 'the copy for Sent waits for one who has the mail'
pr submit 2>/dev/null
is "$(state 1 | tr '\n' ' ')$(copy_state)" 'bob failed carol failed failed: nobody got this mail' 'and fails with the last of them'
ok 'tried again' pr outbox retry 1
is "$(copy_state)" 'waiting: nobody got this mail' 'the copy waits again'
pr submit 2>/dev/null
is "$(state 1 | tr '\n' ' ')$(copies nobody)" 'bob sent carol sent 1' 'and is filed when the mail has left'
done_testing
