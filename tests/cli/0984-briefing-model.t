#!/usr/bin/env bash
# Acts in a model's answer: a curator that is a model sends the briefing of the morning by `every`, carlton that is a model responds;
# what may not be done is told to it; research and memory are notes to it and files to a program.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/briefing.sh"
. "$(dirname "$0")/../lib/loop.sh"
. "$(dirname "$0")/../lib/model.sh"
model_home()
{
    rm -rf "$HOME_DIR"
    pr init --briefing >/dev/null
    pr config set 'brain sonnet' kind script
    pr config set 'brain sonnet' script scripts/steps.jsonl
}
today=$(date +%F)
D=$today
R=$HOME_DIR/reports/$D
shown() { pr show "$1" --context; }
to_owner() { grep -rls "$1" "$HOME_DIR/mail/you/new" | wc -l; }
job_of() { db "SELECT max(id) FROM job WHERE role = '$1'"; }
state_of() { db "SELECT state FROM job WHERE id = $(job_of "$1")"; }

# --- the morning ---
model_home
steps '{"write_notes":[{"key":"reports/'$D'/research/dentist","content":"# Dentist\n\nAt ten.\n"}]}' \
    '{"status":"complete","current_phase":"complete","briefing":[{"date":"today","body":"# Today\n\n* dentist 10:00\n","subject":"","to":""}]}'
pr every now 1 >/dev/null
turn
turn
is "$(to_owner "^Message-ID: <carlton-$D@carlton.local>")" 1 'a curator that is a model sends the briefing of the morning'
ok 'the thread begins' grep -q 'dentist 10:00' "$R/thread.md"
is "$(ls "$HOME_DIR/mail/you/new" | wc -l)" 1 'that is its answer: nothing else is said'
is "$(state_of curator)" 'done' 'the job is done'
like "$(pr job log "$(job_of curator)")" "sent the briefing of $D" 'the step says so'
is "$(cat "$R/research/dentist.md")" '# Dentist

At ten.' 'what it found out, as a note, is a file in research/'
page=$(shown "$(job_of curator)@1")
like "$page" '- briefing \[\{date, body, subject, to\}\]: sends the briefing of a date, once' 'its page says how'
unlike "$page" '- respond \[' 'and nothing of what it can not do'

# --- a reply ---
steps '{"add_notes":["reports/'$D'/research/dentist","reports/memory"]}' \
    '{"status":"complete","current_phase":"complete","write_notes":[{"key":"reports/memory","content":"likes tea\n"}],"respond":[{"date":"'$D'","body":"At ten, with tea.","subject":""}]}'
reply 'When is the dentist? I like tea.' >/dev/null
turn
turn
is "$(cat "$R/responses/01-response.md")" 'At ten, with tea.' 'carlton, a model, responds'
is "$(to_owner '^At ten, with tea')" 1 'by one mail'
unlike "$(thread)" '## NEW' 'the reply is settled'
is "$(state_of carlton)" 'done' 'and the job done'
is "$(cat "$HOME_DIR/reports/memory.txt")" 'likes tea' 'what it writes to reports/memory is memory.txt'
first=$(shown "$(job_of carlton)@1")
like "$first" '- respond \[\{date, body, subject\}\]' 'its page says how'
like "$first" "reports/$D/research/dentist — Dentist" 'research is listed by the keys of notes'
like "$first" 'memory.txt as reports/memory' 'so is memory.txt'
like "$(shown "$(job_of carlton)@2")" 'NOTE.*dentist.*
.*At ten\.' 'and read as a note'

# --- what is refused; the script counts the steps of a job ---
steps '{}' '{}' '{"status":"complete","current_phase":"complete","respond":[{"date":"2026-01-01","body":"Wrong day.","subject":""}]}' \
    '{"status":"complete","current_phase":"complete","respond":[{"date":"'$D'","body":"Right day.","subject":"Day"}]}'
reply 'Which day?' >/dev/null
turn
turn
like "$(shown "$(job_of carlton)@4")" "respond was not done: this job does not answer for the briefing of '2026-01-01'" 'an act that may not be done is told to the model'
is "$(to_owner 'Wrong day')" 0 'nothing of it happened'
is "$(cat "$R/responses/02-response.md")" 'Right day.' 'and the step was not the end'
ok 'a subject of its own' grep -rqs '^Subject: Day' "$HOME_DIR/mail/you/new"
pr note put carlton/kept <<<'mine' >/dev/null
steps '{}' '{}' '{}' '{}' '{"respond":[{"date":"'$D'","body":"Too soon.","subject":""}],"write_notes":[{"key":"carlton/kept","content":"other"}]}' \
    '{"status":"complete","current_phase":"complete","respond":[{"date":"'$D'","body":"Now.","subject":""}]}'
reply 'A note fails?' >/dev/null
turn
turn
is "$(to_owner '^Too soon')" 0 'an act is not done in a step of which a note failed'
is "$(cat "$R/responses/03-response.md")" 'Now.' 'its reply stays open for the next step'
like "$(shown "$(job_of carlton)@6")" 'respond was not done: a note or a mail of the same step failed' 'and the model hears why'
steps '{}' '{}' '{}' '{}' '{}' '{}' '{"respond":[{"date":"'$D'","body":"Once.","subject":""}]}' \
    '{"status":"complete","current_phase":"complete","respond":[{"date":"'$D'","body":"Twice.","subject":""}]}' \
    '{"status":"complete","current_phase":"complete"}'
reply 'Say it once.' >/dev/null
turn
turn
like "$(shown "$(job_of carlton)@9")" 'respond was not done: all replies that were shown are answered already' 'nothing is answered twice'
is "$(to_owner '^Once') $(to_owner '^Twice') $(state_of carlton)" '1 0 done' 'and the first response was the word'
# --- who may not steer ---
printf '\n[person bob]\naddress = bob@postrider.local\nmay = ask\n' >>"$HOME_DIR/postrider.conf"
steps '{"status":"complete","current_phase":"complete","briefing":[{"date":"2026-01-05","body":"# For bob\n","subject":"","to":""}]}' \
    '{"status":"complete","current_phase":"complete","send_emails":[{"to":[],"body":"I may not."}]}'
printf 'From: bob@postrider.local\nTo: curator@postrider.local\nSubject: Brief us\n\nSend a briefing.\n' | pr sendmail -t
turn
turn
like "$(shown "$(job_of curator)@2")" 'briefing was not done: this job may send no briefing: ' 'somebody who may only ask has no briefing sent'
not_ok 'none is there' test -e "$HOME_DIR/reports/2026-01-05/thread.md"
steps '{"status":"complete","current_phase":"complete","briefing":[{"date":"today","body":"# Again\n","subject":"","to":""}]}' \
    '{"status":"complete","current_phase":"complete","briefing":[{"date":"2026-01-02","body":"# Other\n","subject":"","to":"mallory@example.net"}]}' \
    '{"status":"continue","current_phase":"working","briefing":[{"date":"2026-01-02","body":"# Other\n","subject":"","to":""}]}' \
    '{"status":"complete","current_phase":"complete"}'
n=$(ls "$HOME_DIR/mail/you/new" | wc -l)
pr every now 1 >/dev/null
turn
turn
job=$(job_of curator)
like "$(shown "$job@2")" "briefing was not done: the briefing of $D was sent already" 'a second briefing of a date is refused'
like "$(shown "$job@3")" "briefing was not done: 'mallory@example.net' is nobody we work for" 'and one to strangers'
ok 'one of another date is sent' test -f "$HOME_DIR/reports/2026-01-02/thread.md"
is "$(state_of curator) $(($(ls "$HOME_DIR/mail/you/new" | wc -l) - n))" 'done 1' 'an end after it is an end: the act was the word'
steps '{"status":"complete","current_phase":"complete","send_emails":[{"body":"Hello."}],"briefing":[{"date":"2026-01-03","body":"# X\n","subject":"","to":""}]}'
pr send --to envoy --subject x <<<'hello' >/dev/null
pr config set 'role envoy' brain sonnet
turn
not_ok 'who is not the curator is offered nothing of it' test -e "$HOME_DIR/reports/2026-01-03/thread.md"
unlike "$(shown "$(job_of envoy)@1")" 'further fields' 'and its page is as it was'

# --- behind an API ---
model_home
fake both <<END
{"status":"complete","current_phase":"complete","reasoning":"r","briefing":[{"date":"today","body":"# Morning\n"}]}
{"status":"complete","current_phase":"complete","reasoning":"r","respond":{"date":"$D","body":"Broken form."}}
{"status":"complete","current_phase":"complete","reasoning":"r","respond":[{"date":"$D","body":"By the API."}]}
END
pr config set 'brain sonnet' kind openai
pr config set 'brain sonnet' url "$URL"
pr config set 'brain sonnet' model any
pr every now 1 >/dev/null
turn
turn
is "$(to_owner "^Message-ID: <carlton-$D@carlton.local>")" 1 'a model behind an API sends a briefing'
reply 'Hm?' >/dev/null
turn
turn
is "$(cat "$R/responses/01-response.md")" 'By the API.' 'and responds, after its form was mended'
fields() { sed -n "$1p" "$WORK/both.log" | python3 -c 'import json, sys
s = json.load(sys.stdin)["body"]["response_format"]["json_schema"]["schema"]
a = s["properties"].get(sys.argv[1])
print(sys.argv[1] in s["required"], sorted(a["items"]["required"]) if a else None)' "$2"; }
is "$(fields 1 briefing); $(fields 1 respond)" "True ['body', 'date', 'subject', 'to']; False None" 'the schema has the act of the role'
is "$(fields 2 respond); $(fields 2 briefing)" "True ['body', 'date', 'subject']; False None" 'and no other'
fake_end
done_testing
