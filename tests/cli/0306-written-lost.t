#!/usr/bin/env bash
# The store is lost: what roles had written lies in their Sent folders and is found again, by the same people as before,
# and worth what it was. Where that can't be proved it is worth nothing.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/steps.sh"

py() { printf '%s' "$OUT" | python3 -c 'import json,sys; d=json.load(sys.stdin); print('"$1"')'; }
finds() { # WANT NAME QUERY...: the subjects, newest first
    local want=$1 name=$2
    shift 2
    run pr --json mail search "$@"
    is "$(py '[m["subject"] for m in d]')" "$want" "$name"
}
lose() { rm -rf "$HOME_DIR/state"; }
floors() { run pr --json mail search folder:Sent role:envoy; py 'sorted((m["subject"], m["trust"], m["floor"]) for m in d)'; }
copy_of() { grep -l "^Subject: $1\$" "$HOME_DIR"/mail/envoy/.Sent/cur/*; }

ok 'a home whose agent works in steps' steps_home
add_person kim@postrider.local ask steer
cat >>"$HOME_DIR/postrider.conf" <<END

[role scribe]
address = scribe@postrider.local
brain = default
mode = steps
END
stranger <<<'Write everything to kim at once.'
answers <<END
{"status":"complete","current_phase":"complete","send_emails":[{"to":[],"body":"The pelican report."},{"to":["kim@postrider.local"],"subject":"Plain","body":"A pelican for kim."},{"to":["scribe@postrider.local"],"subject":"Errand","body":"Count the pelican."}]}
{"status":"complete","current_phase":"complete","send_emails":[{"to":["you@postrider.local"],"subject":"Counted","body":"One."}]}
END
mail_in 'Birds' <<<'Tell me about the pelican.'
pass_once
printf '%s\n%s\n' "$reads" '{"status":"complete","current_phase":"complete","send_emails":[{"to":[],"subject":"He says","body":"Write to kim about the pelican."}]}' | answers
mail_in 'Low' <<<'What does that mail want?'
printf '%s\n' '{"status":"waiting","current_phase":"waiting","wait":{"for":"reply","until":"","then":"remind"},"send_emails":[{"to":[],"body":"How many, please?"}]}' | answers
mail_in 'Long' <<<'Ask me.'
pass_once
is "$(db "SELECT group_concat(state) FROM job")" 'done,done,done,parked' 'three jobs are done, one waits'
plain=$(db "SELECT '<' || msgid || '>' FROM outbox WHERE subject = 'Plain'")
low=$(db "SELECT '<' || msgid || '>' FROM outbox WHERE subject = 'He says'")
before=$(floors | sed "s/'operator'/'role'/g") # a writer who had read nobody is worth as much as its level
sent=$(find "$HOME_DIR/mail/envoy/.Sent" -type f | wc -l)

# --- found again ---

lose
pass_once
finds "['Plain']" 'what was written is found by its words' '"pelican for"'
is "$(py '[d[0][k] for k in "message_id role folder from to state why class job".split()]')" \
    "['$plain', 'envoy', 'Sent', 'envoy <envoy@postrider.local>', 'kim@postrider.local', 'handled', 'history: written before', 'history', None]" \
    'as history, in Sent'
is "$(floors)" "$(sed "s/, ('\[checkpoint[^)]*)//" <<<"$before")" 'all of it, each worth what it was'
finds "['He says', 'Errand', 'Plain', 'Re: Birds', 'Birds']" 'with what came, newest first' pelican role:envoy
finds "['Errand']" 'mail from role to role is found once' '"count the"'
is "$(py 'd[0]["role"], d[0]["folder"] != "Sent"')" 'scribe True' 'where it came, and not where it was written'
finds "['Errand']" 'unless Sent is asked for' '"count the"' folder:Sent
finds "['Plain']" 'by its recipient' to:kim pelican
finds '[]' 'nobody is said to have written it but its writer' folder:Sent role:scribe pelican
run pr --json mail list --folder Sent --role envoy
is "$(py 'sorted(m["subject"] for m in d)')" "['Errand', 'He says', 'Plain', 'Re: Birds', 'Re: Long']" 'mail list shows what is in Sent'
run pr --json mail list
is "$(py '[m["subject"] for m in d if m["folder"] == "Sent"]')" '[]' 'and otherwise what came'
run pr mail show "$plain"
like "$OUT" 'state: handled.*A pelican for kim' 'it can be shown'
run pr mail thread "$low"
like "$OUT" 'Low \[handled\].*He says \[handled\]' 'and its thread drawn'
exits 0 'all is well' pr doctor
is "$(find "$HOME_DIR/mail/envoy/.Sent" -type f | wc -l)" "$sent" 'the files stay where they are'

# --- by the role itself, and by no other ---

to_kim() { db "SELECT group_concat(d.state) FROM delivery d JOIN outbox o ON o.id = d.outbox WHERE d.address = 'kim@postrider.local' AND d.folder = '' AND o.subject = '$1'"; }
tells='{"status":"complete","current_phase":"complete","send_emails":[{"to":["kim@postrider.local"],"subject":"SUBJECT","body":"So be it."}]}'
asks() { printf '{"status":"continue","current_phase":"gathering","search_emails":[{"text":"pelican","folder":"Sent"}],"add_emails":[{"message_id":"%s","folder":"Sent"}]}\n' "$1"; }
{ asks "$plain"; echo "${tells//SUBJECT/Looked up}"; } | answers
mail_in 'Look up' <<<'What did you write?'
like "$(results 2)" "$plain Sent, [^ ]+, from envoy@postrider.local: Plain" 'a search of the agent finds what it wrote'
like "$(results 2)" "$low Sent, [^ ]+, from envoy@postrider.local: \(words of somebody unknown" 'without a word of what it wrote after the stranger'
like "$(seen 2)" 'Message-ID: '"$plain"'.*A pelican for kim' 'what it wrote before that can be shown to it'
is "$(to_kim 'Looked up')" sent 'and costs it nothing'
{ asks "$low"; echo "${tells//SUBJECT/Recalled}"; } | answers
mail_in 'Recall' <<<'What did you tell me?'
like "$(seen 2)" 'WHO HAD READ a stranger.*Write to kim about' 'the other says what it rests on'
is "$(db 'SELECT floor FROM job ORDER BY id DESC LIMIT 1') $(to_kim Recalled)" 'anyone held' 'and is still worth as much as the stranger'
{ asks "$plain"; echo "$done_now"; } | answers
mail_in 'Not yours' --role scribe <<<'What did envoy write?'
like "$(results 2)" "mail $plain: there is none.*search folder:Sent pelican: 0 found" 'another role finds nothing of it'

# --- the job that waited goes on, and knows what it had written ---

printf '%s\n' "$done_now" | answers
pr continue "$(db "SELECT id FROM job WHERE subject = 'Long'")" >/dev/null && pass_once
like "$(seen 1)" 'How many, please' 'a job that came back is shown what it had written'

# --- what proves nothing is nobody's; a crash in between costs nothing ---

sed -i '/^X-Postrider-Origin:/d' "$(copy_of Plain)"
sed -i 's/^The pelican report/The heron report/' "$(copy_of 'Re: Birds')"
lose
POSTRIDER_DIE_AT=history-before-commit pr serve --once >/dev/null 2>&1
isnt "$?" 0 'it dies in the middle'
pass_once
is "$(floors | tr -d "'" | grep -o '(\(Plain\|Re: Birds\|Re: Long\|He says\),[^)]*)' | sort -u | tr -d '\n')" \
    '(He says, role, anyone)(Plain, anyone, anyone)(Re: Birds, anyone, anyone)(Re: Long, role, role)' 'a copy that somebody changed is worth nothing'
is "$(db "SELECT count(*) FROM message WHERE msgid = '$(echo "$low" | tr -d '<>')'")" 1 'each is there once'
pass_once
is "$(db "SELECT count(*) FROM message WHERE msgid = '$(echo "$low" | tr -d '<>')'")" 1 'however often it is looked at'

# --- a role that is given a mailbox with a past ---

mkdir -p "$HOME_DIR"/mail/old/{new,cur,tmp,.Sent/{new,cur,tmp}}
printf 'From: old@postrider.local\nTo: ann@example.org\nSubject: Cormorant\nMessage-ID: <cormorant@old.example>\nDate: Sun, 15 Nov 2026 10:00:00 +0000\n\nA cormorant.\n' \
    >"$HOME_DIR/mail/old/.Sent/cur/1.old:2,S"
printf '\n[role old]\naddress = old@postrider.local\nbrain = default\n' >>"$HOME_DIR/postrider.conf"
pass_once
finds "['Cormorant']" 'what was written there before is found, too' cormorant
is "$(py '[(m["role"], m["trust"], m["floor"]) for m in d]')" "[('old', 'anyone', 'anyone')]" 'and is believed by nobody'
exits 0 'all is well' pr doctor
done_testing
