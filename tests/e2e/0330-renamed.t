#!/usr/bin/env bash
# Servers that put a Message-ID of their own on our mail: whoever tells which one, answers that name nothing else find
# their job, orders and yes and no count, and a mail in doubt is found under its other name. The peer's log has both ids.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/peer.sh"
. "$(dirname "$0")/../lib/steps.sh"

person() { "$POSTRIDER_SRC/tests/peers/person" "$IMAP" "$SMTP" "$@"; }
once() { pr serve --once >/dev/null 2>&1; pr serve --once >/dev/null 2>&1; }
job_state() { pr --json job list --all | python3 -c 'import json,sys
print(*[j["state"] for j in json.load(sys.stdin) if str(j["id"]) == sys.argv[1]])' "${1:-1}"; }
n_jobs() { pr --json job list --all | grep -c '"id"'; }
now_of() { grep '"event": "accepted"' "$WORK/log" | grep -F "\"$1@test.example\"" | tail -n 1 | sed -n 's/.*"id_now": "\([^"]*\)".*/\1/p'; }
trace() { pr mail trace "$(pr --json mail list --role envoy --limit 1 | python3 -c 'import json,sys; print(json.load(sys.stdin)[0]["message_id"])')"; }
asks='{"status":"waiting","current_phase":"waiting","working_note":"asked","send_emails":[{"to":["carol@test.example"],"subject":"Choose","body":"Which one?"}],"wait":{"for":"reply"}}'
ends='{"status":"complete","current_phase":"complete","send_emails":[{"body":"All done."}]}'

# server MODE OPTION...: a home with an account there, known to rename mail.
server()
{
    local mode=$1
    shift
    peer_home "$mode" imap
    cat >"$HOME_DIR/more" <<END
[brain default]
kind = command
command = $HOME_DIR/scripts/think
[role envoy]
address = agent@test.example
mode = steps
END
    sed -i -e "/^\[brain default\]/,/^\[trust\]/{/^\[trust\]/!d}" "$HOME_DIR/postrider.conf"
    cat "$HOME_DIR/more" >>"$HOME_DIR/postrider.conf"
    sed -i 's/^role = envoy/&\nmessage-id = server\nsent-copy = server/' "$HOME_DIR/postrider.conf"
    cat >"$HOME_DIR/scripts/think" <<END
#!/bin/sh
read -r n <'$WORK/n'
echo \$((n += 1)) >'$WORK/n'
cat >'$WORK/seen.'\$n
sed -n "\${n}p" '$WORK/answers'
END
    chmod +x "$HOME_DIR/scripts/think"
    start_peer "$@"
    printf '%s\n%s\n%s\n' "$asks" "$ends" "$ends" | answers
    once
}

# waiting: a job that began a thread with carol, and waits for her.
waiting() { pr inject --subject choose </dev/null >/dev/null; once; }

# --- who tells ---

for tells in reply header nobody; do
    server hold --rewrite-message-id "$tells" --files-sent --rewrites-from 'Agency <agent@test.example>'
    waiting
    is "$(job_state)" parked "$tells: a job begins a thread with carol, and waits"
    like "$(person carol read Which)" 'Message-ID: <server.[0-9]+@peer.example>' "$tells: she has the mail under another id"
    is "$(person carol read Which | grep -A 1 '^References:' | grep -c '<.*@postrider.local>$')" 1 "$tells: which carries ours in References"
    person carol reply-bare Which 'The blue one.'
    once
    is "$(job_state) $(n_jobs)" 'done 1' "$tells: an answer that names only that id wakes the job"
    like "$(seen 2)" 'The blue one' "$tells: and is shown to it"
    is "$(pr show "$(now_of carol)" 2>/dev/null | grep -c Choose)" 1 "$tells: people may use that id, too"
done

# What Sent can tell only by the text: a person's own bytes.
server hold --rewrite-message-id nobody --files-sent
printf 'From: you@postrider.local\nTo: dave@test.example\nDate: %s\nSubject: my own\n\nOnce.\n' "$(date -R)" | pr sendmail -t
pr submit
once
is "$(pr show "$(now_of dave)" 2>/dev/null | grep -c 'my own')" 1 'a mail without any mark is known by date, subject and body'
printf 'From: you@postrider.local\nTo: dave@test.example\nDate: %s\nSubject: my own\n\nTwice.\n' "$(date -R)" | pr sendmail -t
pr submit
once
like "$(pr show "$(now_of dave)" 2>/dev/null)" 'Twice' 'and not by less'

# --- orders, bounces, copies ---

server hold --rewrite-message-id reply
waiting
person carol reply-bare Which STOP
once
is "$(job_state)" stopped 'STOP that names only the new id stops the job'
person carol reply-bare Which CONTINUE
once
is "$(job_state)" done 'CONTINUE likewise'

server hold --rewrite-message-id reply
waiting
person carol bounce Which
once
is "$(state | grep carol)" 'carol failed' 'a bounce that names only the new id is tied to its mail'

# --- yes and no ---

server hold --rewrite-message-id reply --rule '{"on": "dot", "answer": "", "end": "close"}'
pr config set postrider owner boss@test.example >/dev/null
mail_to bob@test.example plans
pr submit 2>/dev/null
pr submit
like "$(person boss read arrived)" 'Message-ID: <server.1@peer.example>' 'a question to an owner outside has another id, too'
person boss reply-bare arrived APPROVE
once
is "$(state 1) $(taken "$(cat "$WORK/msgid")")" 'bob sent 1' 'APPROVE that names only that id counts'
like "$(trace)" 'APPROVE.*mail in doubt is sent once more' 'as the answer to the question'

# Who tells is a copy that comes back to us.
server hold --rewrite-message-id header --rule '{"on": "dot", "answer": "", "end": "close"}'
pr config set postrider owner boss@test.example >/dev/null
mail_to bob@test.example plans
pr submit 2>/dev/null
pr submit
person boss read 'Digest of' | sed 's/Digest/Digests/' | pr receive --role envoy
once
like "$(trace)" 'ignored +self: ' 'a copy that comes back is no work'
person boss reply-bare 'Digest of' APPROVE
once
is "$(state 1)" 'bob in_doubt' 'a header over another text teaches nothing'
person boss read 'Digest of' | pr receive --role envoy
once
person boss reply-bare 'Digest of' 'APPROVE
please'
once
is "$(state 1) $(taken "$(cat "$WORK/msgid")")" 'bob sent 1' 'the mail itself with that header teaches its other id'

# --- in doubt ---

server probe --rewrite-message-id nobody --files-sent --rule '{"on": "dot", "lost": true}'
mail_to bob@test.example plans
pr submit 2>/dev/null
is "$(state 1)" 'bob in_doubt' 'probe: the answer is lost'
once
is "$(state 1) $(accepted)" 'bob sent 1' 'it lies in Sent under another id: it was sent'

server probe --rewrite-message-id nobody --files-sent --rule '{"on": "dot", "answer": "", "end": "close"}'
mail_to bob@test.example plans
pr submit 2>/dev/null
POSTRIDER_CLOCK=+700 pr account main --once 2>/dev/null
is "$(state 1)" 'bob in_doubt' 'not in Sent, but no mail of ours was ever recognised there: that proves nothing'
POSTRIDER_CLOCK=+1810 pr submit 2>/dev/null
POSTRIDER_CLOCK=+1820 pr deliver
is "$(grep -l 'Has this mail arrived' "$HOME_DIR"/mail/you/new/* | wc -l) $(accepted)" '1 0' 'the owner is asked'
server probe --rewrite-message-id nobody --files-sent --rule '{"on": "dot", "skip": 1, "answer": "", "end": "close"}'
mail_to bob@test.example first
mail_to bob@test.example second
pr submit 2>/dev/null
POSTRIDER_CLOCK=+700 pr account main --once 2>/dev/null
POSTRIDER_CLOCK=+700 pr submit 2>/dev/null
is "$(state 2) $(taken "$(cat "$WORK/msgid")")" 'bob sent 1' 'another mail of ours was: it goes again, once'

# --- whoever dies meanwhile ---

for point in submit-answered submit-marked remote-renaming remote-renamed remote-filed intake-before-commit; do
    case $point in submit-marked) tells=reply ;; *) tells=header ;; esac
    server probe --rewrite-message-id "$tells" --files-sent
    pr inject --subject choose </dev/null >/dev/null
    pr account local --once >/dev/null 2>&1; pr run >/dev/null 2>&1
    case $point in
    submit-*) exits 137 "$point is reached" env POSTRIDER_DIE_AT="$point" "$PR_BIN" --home "$HOME_DIR" submit ;;
    esac
    pr submit 2>/dev/null
    case $point in remote-ren*)
        exits 137 "$point is reached" env POSTRIDER_DIE_AT="$point" "$PR_BIN" --home "$HOME_DIR" account main --once ;;
    esac
    person carol reply-bare Which 'The blue one.'
    POSTRIDER_DIE_AT=$point pr serve --once >/dev/null 2>&1
    once
    is "$(job_state)$(grep '"event": "accepted"' "$WORK/log" | grep -o '"id": "[^"]*"' | sort | uniq -d)" 'done' \
        "killed at $point: nothing comes twice, and the answer finds the job"
done
done_testing
