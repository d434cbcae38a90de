#!/usr/bin/env bash
# Mail that is not held here is looked for on the server by its Message-ID: what a new mail answers, what a brain
# asks for, what a lost store had gathered. It is kept as a file, and never becomes work. Issue 4: Build 1.
. "$(dirname "$0")/../lib/tap.sh"
. "$POSTRIDER_SRC/tests/lib/serve.sh"
. "$POSTRIDER_SRC/tests/lib/imap.sh"

imap_start
imap_home
mail() # NAME BODY FOLDER [HEADER...]
{
    local name=$1 body=$2 folder=$3
    shift 3
    printf '%s\n' "From: ${FROM:-you@postrider.local}" "To: ${TO:-agent@test.example}" "Subject: $name" "Message-ID: <$name@test.example>" \
        "Date: $(date -uR)" "$@" '' "$body" | box raw "$folder"
}
mail grandparent 'The budget is seven.' Elsewhere
mail parent 'Can we afford it?' INBOX 'In-Reply-To: <grandparent@test.example>' 'References: <grandparent@test.example>'
mail asked-for 'A word in the archive.' postrider/Old
printf '%s\n' 'From: you@postrider.local' 'To: agent@test.example' 'Subject: with a file' 'Message-ID: <file@test.example>' 'MIME-Version: 1.0' \
    'Content-Type: multipart/mixed; boundary=b' '' --b '' 'See there.' --b 'Content-Type: text/plain' \
    'Content-Disposition: attachment; filename=list.txt' '' 'forty-two lines' --b-- | box raw Sent
TO=agent+clerk@test.example mail of-the-clerk 'Not for you.' Elsewhere
mail thrown-away 'Forget it.' Trash
box list INBOX >"$WORK/before"
elsewhere() { local folder; for folder in Elsewhere postrider/Old Trash; do box list "$folder"; done; }
elsewhere >"$WORK/before.all"

pr config set 'role clerk' address clerk@elsewhere.example
cat >"$HOME_DIR/scripts/gather.jsonl" <<'END'
{"status":"continue","current_phase":"gathering","add_emails":[{"message_id":"<asked-for@test.example>","folder":"Archive"},{"message_id":"<of-the-clerk@test.example>","folder":"INBOX"},{"message_id":"<nowhere@test.example>","folder":""},{"message_id":"<thrown-away@test.example>","folder":""}],"read_attachments":[{"message_id":"<file@test.example>","filename":"list.txt"}]}
{"status":"continue","current_phase":"gathering","add_emails":[{"message_id":"<nowhere@test.example>","folder":""}]}
{"status":"complete","current_phase":"complete","send_emails":[{"to":[],"body":"We can."}]}
END
pr config set 'brain default' kind script && pr config set 'brain default' script scripts/gather.jsonl && pr config set 'role envoy' mode steps
start_serve
ok "the first visit" wait_for visited
mail answer 'So, can we?' INBOX 'In-Reply-To: <parent@test.example>' 'References: <grandparent@test.example> <parent@test.example>'
ok "a mail that answers old ones is work" wait_for job_is done
pr show 1@1 --context >"$WORK/c1"
pr show 1@2 --context >"$WORK/c2"
pr show 1@3 --context >"$WORK/c3"
like "$(cat "$WORK/c1")" 'Can we afford it' "what it answers is shown, from the watched folder"
like "$(cat "$WORK/c1")" 'Subject: grandparent' "and what that answers, from another, by its headers"
like "$(cat "$WORK/c2")" 'A word in the archive' "what the brain asks for is fetched"
like "$(cat "$WORK/c2")" 'forty-two lines' "and so is an attachment of a mail in Sent"
unlike "$(cat "$WORK/c2")" 'Not for you' "another role's mail is not there for it"
unlike "$(cat "$WORK/c2")" 'Forget it' "nor is what a person threw away"
like "$(cat "$WORK/c2")" 'nowhere@test.example>?: there is none' "what is nowhere is said to be so"
like "$(cat "$WORK/c3")" 'UNAVAILABLE' "and after the second time it is UNAVAILABLE"
is "$(jobs)" 1 "nothing of it became work"
is "$(pr --json mail list --limit 100 | grep -c '"state": *"handled"')" 5 "four were stored, as handled"
like "$(pr mail trace '<asked-for@test.example>')" 'somebody asked' "and trace says why"
is "$(find "$HOME_DIR/mail/envoy/.Archive/cur" -type f | wc -l)" 4 "each is a file"
done_there() { box_has postrider/Done answer; }
ok "the new one is done on the server" wait_for done_there
# \Recent is the first session's that may write, which is how a mail is moved.
same() { cmp <(plain <"$1") <("${@:2}" | plain); }
plain() { sed 's/ *\\Recent//; s/FLAGS ( */FLAGS (/'; }
ok "the old one lies there as before" wait_for same "$WORK/before" box list INBOX
ok "and so do all others" same "$WORK/before.all" elsewhere
stop_serve

# Nobody is there to ask
mail second 'And this?' INBOX 'In-Reply-To: <late@test.example>'
mail late 'The late one.' Elsewhere
exits 0 "by cron, where nobody waits" pr serve --once
ok "the job is done all the same" [ "$(jobs)" = 2 ]
exits 0 "the next pass" pr serve --once
like "$(pr mail show '<late@test.example>')" 'The late one' "brings what was asked for"
is "$(jobs)" 2 "still no work"

# Killed between file and row
mail third 'And that?' INBOX 'In-Reply-To: <fourth@test.example>'
mail fourth 'The fourth.' Elsewhere
pr account work --once 2>/dev/null
pr account main --once 2>/dev/null
pr run 2>/dev/null
exits 137 "killed on the way" env POSTRIDER_DIE_AT=remote-kept "$PR_BIN" --home "$HOME_DIR" account work --once
exits 0 "after a crash on the way" pr account work --once
is "$(find "$HOME_DIR/mail/envoy/.Archive" -name '*U*' | xargs grep -l 'The fourth' | wc -l)" 1 "it is one file"
like "$(pr mail show '<fourth@test.example>')" 'The fourth' "and one mail"

# Asked for, and on its way in by itself
mail sixth 'Before it.' INBOX 'In-Reply-To: <fifth@test.example>'
sql() { python3 -c 'import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute(sys.argv[2]).fetchone()[0])' "$HOME_DIR/state/postrider.db" "$1"; }
by_hand() { local part; for part in "$@"; do pr $part 2>/dev/null; done; }
by_hand 'account work --once' 'account main --once'
mail fifth 'It comes late, and is work.' INBOX
by_hand 'account work --once' run 'account work --once'
by_hand 'account main --once'
is "$(sql "select job > 0 from message where msgid = 'fifth@test.example'")" 1 "a mail that was fetched, and not taken in yet, is work although somebody asked for it"
by_hand run run

# A lost store: what a parked job had gathered
cat >"$HOME_DIR/scripts/gather.jsonl" <<'END'
{"status":"continue","current_phase":"gathering","add_emails":[{"message_id":"<asked-for@test.example>","folder":"Archive"}]}
{"status":"waiting","current_phase":"waiting","working_note":"wait","wait":{"for":"reply","until":"","then":"continue"},"send_emails":[{"to":[],"body":"Which one?"}]}
{"status":"complete","current_phase":"complete","send_emails":[{"to":[],"body":"We can."}]}
END
start_serve
mail parks 'Wait for me.' INBOX
parked() { pr --json job list --all | grep -q '"state": *"parked"'; }
ok "a job that has gathered a mail parks" wait_for parked
ok "its checkpoint lies on the server" wait_for box_has INBOX '] parks'
stop_serve
rm -rf "$HOME_DIR/state" "$HOME_DIR/mail/envoy/.Archive"
start_serve
ok "the store is lost, the job is back" wait_for parked
job=$(pr --json job list --all | python3 -c 'import json, sys; print(next(j["id"] for j in json.load(sys.stdin) if j["state"] == "parked"))')
pr continue "$job" >/dev/null
ok "it goes on" wait_for job_is done
like "$(pr show "$job" --context 2>/dev/null || pr show "$job@3" --context)" 'A word in the archive' "with what it had gathered, which is here again"
stop_serve
done_testing
