#!/usr/bin/env bash
# An old store beside newer mail: what became of each job since is found in the mailbox. Nothing is answered twice, and
# what can't be known waits for a person.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/loop.sh"

NOW=1800000000
pass_by() { POSTRIDER_CLOCK=@$NOW pr serve --once >/dev/null 2>>"$WORK/log"; }
send() { echo "${2:-please}" | pr send --to envoy --subject "$1" >/dev/null; }
# The store as it was when `keep` was said, with the mail of now; the owner accepts it.
keep() { rm -rf "$WORK/kept"; cp -a "$HOME_DIR/state" "$WORK/kept"; }
go_back() { rm -rf "$HOME_DIR/state"; cp -a "$WORK/kept" "$HOME_DIR/state"; }
accept() { exits 0 'accepted' pr --json doctor --accept-backup; }
told() { printf '%s' "$OUT" | python3 -c 'import json, sys; d = json.load(sys.stdin); print(*(d[k] for k in "answered ended parked stopped".split()))'; }
answers_to() { grep -rhi '^Subject:' "$HOME_DIR/mail/you/new" "$HOME_DIR/mail/you/cur" 2>/dev/null | grep -c "^Subject: Re: $1\$"; }
later() { NOW=$((NOW + 100000)); pass_by; pass_by; pass_by; }
state_of() { pr --json job list --all | python3 -c 'import json, sys
print(*(j["state"] for j in json.load(sys.stdin) if j["subject"] == sys.argv[1]))' "$1"; }
why_of() { pr --json mail list --limit 100 | python3 -c 'import json, sys
print(*(": ".join((m["state"], m["why"] or "-")) for m in json.load(sys.stdin) if m["subject"] == sys.argv[1]))' "$1"; }
reply() # ID SUBJECT TEXT
{
    printf 'From: you@postrider.local\nTo: envoy@postrider.local\nSubject: Re: %s\nMessage-ID: <%s@client.example>\nIn-Reply-To: %s\nReferences: %s\n\n%s\n' \
        "$2" "$RANDOM.$RANDOM" "$1" "$1" "$3" | pr sendmail -t
}
from_agent() { sed -n '/^$/q;s/^Message-ID: //Ip' "$(grep -rl "$1" "$HOME_DIR/mail/you" | head -n 1)"; }
wait_step='{"status":"waiting","current_phase":"waiting","wait":{"for":"reply","until":"2027-01-15T12:00:00Z","then":"continue"},"send_emails":[{"body":"Which one?"}]}'
answer='{"status":"complete","current_phase":"complete","send_emails":[{"body":"Here it is."}]}'
found='{"status":"continue","working_note":"half","send_emails":[{"body":"So far I found this."}]}'
note() { printf '{"status":"continue","working_note":"%s","write_notes":[{"key":"scratch/log","content":"%s","mode":"append"}]}' "$1" "$1"; }
begin() { loop_home; pr config set 'role envoy' max-iterations 1; NOW=1800000000; }
export POSTRIDER_CLOCK=@$NOW

# --- a parked job that had answered since: it ends ---

begin
steps "$wait_step" "$answer" "$answer"
send task
pass_by
is "$(job state)" parked 'a job waits for a reply'
keep
reply "$(from_agent 'Which one')" task 'The first.'
pass_by
is "$(job state) $(grep -rl 'Here it is' "$HOME_DIR/mail/you" | wc -l)" 'done 1' 'which comes after the backup, and is answered'
go_back
is "$(job state)" parked 'the old store waits for it again'
accept
is "$(job state)" 'done' 'the job has ended'
later
is "$(grep -rl 'Here it is' "$HOME_DIR/mail/you" | wc -l)" 1 'nobody is answered a second time'

# --- a job that was queued: the same, and by a mail in INBOX that the store does not know ---

begin
steps "$answer"
send task
pr deliver >/dev/null 2>&1 && pr account main --once >/dev/null 2>&1
keep
pass_by
send another
pass_by
mv "$(in_folder Done | xargs grep -l '^Subject: another')" "$HOME_DIR/mail/envoy/new/"
is "$(answers_to task) $(answers_to another)" '1 1' 'a queued job is answered after the backup, and a new one'
go_back
accept
is "$(state_of task), $(why_of another)" 'done, handled: history: answered by a mail in Sent' 'both have ended'
later
is "$(answers_to task) $(answers_to another)" '1 1' 'and are not answered again'

# --- one that ended without another word: its mail lies in Done, and nobody can tell that from an answer that was lost ---

begin
steps "$found" '{"status":"complete","current_phase":"complete","send_emails":[]}'
send task
pass_by
keep
pass_by
is "$(job state) $(in_folder Done | wc -l)" 'done 2' 'a job ends after the backup without another word'
go_back
accept
is "$(job state) $(job why)" 'stopped it ended or asked after the backup, and nobody here has its answer or waits for one: CONTINUE works on its mail again, CANCEL does not' 'a person decides'

# --- a newer checkpoint: the job goes on from there ---

begin
steps "$(note 1)" "$(note 2)" "$(note 3)" "$answer"
send task
pass_by
keep
pass_by && pass_by
is "$(job state) $(job total_iterations)" 'parked 3' 'a job has taken two more steps since the backup'
go_back
accept
is "$(job state) $(job total_iterations) $(told)" 'parked 3 0 0 1 0' 'it is where its newest checkpoint has it'
later
is "$(job state) $(job total_iterations) $(answers_to task)" 'done 4 1' 'and goes on from there'

# --- one that began after the backup ---

begin
steps "$found" "$answer"
keep
send task
pass_by
is "$(job state)" parked 'a job that the backup does not know is parked'
go_back
accept
is "$(state_of task) $(why_of task)" 'parked shown: its job came back from a checkpoint mail' 'it comes back from its checkpoint'
later
is "$(grep -rl 'Here it is' "$HOME_DIR/mail/you" | wc -l) $(grep -rl 'So far' "$HOME_DIR/mail/you" | wc -l)" '1 1' 'and ends with one answer'

# --- stopped or cancelled since, by command and by mail ---

for how in 'stop command' 'cancel command' 'stop mail' 'cancel mail'; do
    begin
    word=${how% *}
    steps "$wait_step" "$answer" "$answer"
    send task
    pass_by
    keep
    if [ "${how#* }" = command ]; then
        pr "$word" 1 >/dev/null
    else
        reply "$(from_agent 'Which one')" task "${word^^}"
    fi
    pass_by
    case $word in stop) want=stopped ;; *) want=cancelled ;; esac
    is "$(job state)" $want "$how: after the backup"
    ok "$how: leaves a mail in Sent" grep -rqz "X-Postrider-Order: ${word^^} job=1 " "$HOME_DIR/mail/envoy/.Sent"
    # The mail of the order is gone from INBOX, as people do.
    grep -rlx "${word^^}" "$HOME_DIR/mail/envoy/cur" "$HOME_DIR/mail/envoy/new" | xargs -r rm
    go_back
    is "$(job state)" parked "$how: the old store does not know"
    accept
    is "$(job state)" $want "$how: and learns it"
    later
    is "$(grep -rl 'Here it is' "$HOME_DIR/mail/you" | wc -l)" 0 "$how: nothing more leaves"
    # The same in a store that is lost, when the checkpoint still lies in INBOX.
    mv "$(in_folder Done | xargs grep -l continuation.json | tail -1)" "$HOME_DIR/mail/envoy/cur/" && rm -rf "$HOME_DIR/state"
    pass_by
    is "$(job state)" $want "$how: a lost store respects it too"
    later
    is "$(grep -rl 'Here it is' "$HOME_DIR/mail/you" | wc -l)" 0 "$how: and nothing leaves"
done
begin
steps "$wait_step" "$answer" "$answer"
send task
pass_by
pr stop 1 >/dev/null
keep
pr continue 1 >/dev/null
pass_by
is "$(job state)" 'done' 'a stopped job is continued after the backup, and answers'
go_back
accept
is "$(job state)" 'done' 'that counts more than the stop'

# --- it went on, and nothing says how far ---

begin
steps "$(note 1)" "$found" "$answer"
send task
pass_by
keep
pass_by
checkpoint | xargs rm # the run died before it parked
go_back
accept
is "$(job state) $(told)" 'stopped 0 0 0 1' 'a job that wrote after the backup is stopped'
like "$(pr job show 1)" 'it went on after the backup.*CONTINUE or CANCEL' 'and says why'
later
is "$(answers_to task)" 1 'nothing leaves by itself'
pr continue 1 >/dev/null
later
is "$(job state) $(grep -rl 'Here it is' "$HOME_DIR/mail/you" | wc -l)" 'done 1' 'a person lets it go on'

# --- mail that came since and was in hand ---

begin
steps "$found" "$answer"
keep
send task
pass_by
checkpoint | xargs rm
go_back
accept
is "$(why_of task)" 'ignored: history: was in hand' 'a mail in Active that nobody knows is listed'
like "$(pr status)" '1 old mail was left alone' 'by status'
pr doctor --release all >/dev/null
later
is "$(grep -rl 'Here it is' "$HOME_DIR/mail/you" | wc -l)" 1 'and released'

# --- approved and rejected since ---

state_to() { pr --json outbox list --all | python3 -c 'import json, sys
print(*(m["state"] for m in json.load(sys.stdin) if m["to"] == sys.argv[1]))' "$1"; }
for word in approve reject; do
    begin
    printf '\n[smtp]\nhost = 127.0.0.1\nport = 1\ntls = none\n' >>"$HOME_DIR/postrider.conf"
    steps '{"status":"complete","current_phase":"complete","send_emails":[{"to":["ann@y.example"],"subject":"Hello","body":"A word."},{"body":"Here it is."}]}'
    send task
    pass_by
    is "$(state_to ann@y.example)" held 'a mail waits for a yes'
    id=$(pr --json outbox list --state held | python3 -c 'import json, sys; print(json.load(sys.stdin)[0]["id"])')
    keep
    exits 0 "$word" pr "$word" "$id"
    pr deliver >/dev/null 2>&1
    ok "$word leaves a mail in Sent" grep -rqz "X-Postrider-Order: ${word^^} job=1 .*<" "$HOME_DIR/mail/envoy/.Sent"
    go_back
    case $word in
    reject)
        accept
        is "$(state_to ann@y.example)" failed 'what was rejected after the backup stays so' ;;
    approve)
        exits 0 'accepted' pr doctor --accept-backup
        like "$OUT" '1 mail was approved since, and not in Sent: held still' 'what was approved and is not in Sent is told'
        is "$(state_to ann@y.example)" held 'and waits for another word'
        like "$(pr status)" 'ann@y.example' 'status lists it'
        accept
        is "$(printf '%s' "$OUT" | grep -o '"held": *[0-9]*')" '"held": 1' 'also as JSON' ;;
    esac
done
exits 0 'all is well' pr doctor
done_testing
