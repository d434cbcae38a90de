#!/usr/bin/env bash
# An answer was committed, its mail filed in Done, and the store was lost or put back before the answer left: the mail is
# not answered, so it does not count as answered. It is listed, and a person lets it be answered once.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/loop.sh"

NOW=1800000000
export POSTRIDER_CLOCK=@$NOW
pass_by() { POSTRIDER_CLOCK=@$NOW pr serve --once >/dev/null 2>>"$WORK/log"; }
later() { NOW=$((NOW + 100000)); pass_by; pass_by; pass_by; }
send() { echo please | pr send --to envoy --subject "$1" >/dev/null; pr deliver && pr account main --once; }
why_of() { pr --json mail list --limit 100 | python3 -c 'import json, sys
print(*(": ".join((m["state"], m["why"] or "-")) for m in json.load(sys.stdin) if m["subject"] == sys.argv[1]))' "$1"; }
got() { grep -rl "$1" "$HOME_DIR/mail/you" | wc -l; }
flags() { in_folder "$1" | xargs grep -l "^Subject: $2\$" | sed 's/.*:2,//'; }
answer='{"status":"complete","current_phase":"complete","send_emails":[{"body":"Here it is."}]}'
silence='{"status":"complete","current_phase":"complete","send_emails":[]}'
found='{"status":"continue","working_note":"half","send_emails":[{"body":"So far I found this."}]}'
begin() { loop_home; NOW=1800000000; pass_by; }
lost() { rm -rf "$HOME_DIR/state"; }

# --- a lost store ---

begin
steps "$answer" "$answer"
send task
pr run 1 >/dev/null 2>&1
is "$(job state) $(flags Done task) $(got 'Here it is')" 'done RS 0' 'a job has ended, and its answer has not left'
lost
later
is "$(why_of task)" 'ignored: history: filed as answered, and no answer lies in Sent' 'without its store it is listed'
like "$(pr status)" '1 old mail was left alone' 'by status'
is "$(got 'Here it is')" 0 'and not answered by guess'
pr doctor --release all >/dev/null
later
is "$(got 'Here it is') $(in_folder Done | wc -l)" '1 1' 'a person releases it: it is answered once, and lies in Done'
lost
later
is "$(why_of task)" 'handled: history: filed as done' 'an answer in Sent settles it for every later store'

# --- what Sent proves, and what needs no proof ---

begin
steps "$answer"
send answered
pass_by
lost
later
is "$(why_of answered)" 'handled: history: filed as done' 'an answer that left is one'
begin
pr config set 'role envoy' max-iterations 1
steps "$found" "$silence"
send quiet
pass_by
NOW=$((NOW + 100000))
pass_by
is "$(flags Done quiet)" RS 'a job ends without another word'
lost
later
is "$(why_of quiet)" 'ignored: history: filed as answered, and no answer lies in Sent' 'nobody can tell that from an answer that was lost: it is listed'

# --- an interim word is no answer ---

begin
pr config set 'role envoy' max-iterations 1
steps "$found" "$answer" "$answer"
send interim
pass_by
NOW=$((NOW + 100000))
POSTRIDER_CLOCK=@$NOW pr account main --once
pr continue 1 >/dev/null
POSTRIDER_CLOCK=@$NOW pr run 1 >/dev/null 2>&1
is "$(job state) $(got 'So far') $(got 'Here it is')" 'done 1 0' 'interim words have left, the answer has not'
lost
later
is "$(why_of interim)" 'ignored: history: filed as answered, and no answer lies in Sent' 'that is listed too'

# --- several mails, one answer ---

begin
steps "$answer"
for i in 1 2 3; do
    printf 'From: you@postrider.local\nTo: envoy@postrider.local\nSubject: many %s\nMessage-ID: <m%s@x.example>\nReferences: <m1@x.example>\n\nplease\n' $i $i | pr sendmail -t
done
pr deliver && pr account main --once
pr run 1 >/dev/null 2>&1
is "$(for i in 1 2 3; do flags Done "many $i"; done | tr '\n' ' ')" 'RS RS RS ' 'one answer settles three mails, and flags them'
lost
later
is "$(for i in 1 2 3; do why_of "many $i"; done | sort | uniq -c | sed 's/^ *//')" \
    '3 ignored: history: filed as answered, and no answer lies in Sent' 'all three are listed when it is lost'

# --- an old store instead of none ---

begin
steps "$answer" "$answer"
send task
cp -a "$HOME_DIR/state" "$WORK/kept"
pr run 1 >/dev/null 2>&1
lost
cp -a "$WORK/kept" "$HOME_DIR/state"
exits 0 'an old store is accepted' pr doctor --accept-backup
is "$(job state)" stopped 'the job that had ended without its answer stops'
like "$(pr job show 1)" 'nobody here has its answer.*CONTINUE works on its mail again' 'and says why'
later
is "$(got 'Here it is')" 0 'nothing leaves by itself'
pr continue 1 >/dev/null
later
is "$(got 'Here it is') $(job state)" '1 done' 'CONTINUE answers, once'
exits 0 'all is well' pr doctor

# One that the old store does not know, and one that waited for a person's yes.
begin
steps "$answer" "$answer"
cp -a "$HOME_DIR/state" "$WORK/before"
send unknown
pr run 1 >/dev/null 2>&1
lost
cp -a "$WORK/before" "$HOME_DIR/state"
exits 0 'a store that does not know the mail is accepted' pr doctor --accept-backup
is "$(why_of unknown)" 'ignored: history: filed as answered, and no answer lies in Sent' 'the mail is listed'
later
is "$(got 'Here it is')" 0 'nothing leaves by itself'
pr doctor --release all >/dev/null
later
is "$(got 'Here it is')" 1 'a person lets it be answered'

# --- an answer that waited for a yes ---

link='{"status":"complete","current_phase":"complete","send_emails":[{"to":[],"body":"See https://evil.example/?q=SECRET"}]}'
bobs() { grep -rl 'evil.example' "$HOME_DIR/mail/bob" 2>/dev/null | wc -l; }
asked()
{
    begin
    printf '[person bob]\naddress = bob@postrider.local\nmay = ask\n' >>"$HOME_DIR/postrider.conf"
    steps "$link" "$link"
    pass_by
    cp -a "$HOME_DIR/state" "$WORK/asked$1"
    printf 'From: bob@postrider.local\nTo: envoy@postrider.local\nSubject: yes\n\nplease\n' | pr sendmail -t
    pass_by
}
asked 1
is "$(flags Done yes) $(pr --json outbox list --state held | grep -c '"held"') $(bobs)" 'S 1 0' 'an answer is held, and a person is asked'
lost
later
is "$(why_of yes)" 'ignored: history: its answer waited for a yes, and no answer lies in Sent' 'without its store the mail is listed'
asked 2
lost
cp -a "$WORK/asked2" "$HOME_DIR/state"
exits 0 'nor does an older store lose it' pr doctor --accept-backup
is "$(why_of yes)" 'ignored: history: its answer waited for a yes, and no answer lies in Sent' 'it is listed too'
asked 3
pr approve "$(pr --json outbox list --state held | python3 -c 'import json, sys; print(json.load(sys.stdin)[0]["id"])')" >/dev/null
pass_by
is "$(bobs)" 1 'it is approved, and leaves'
lost
later
is "$(why_of yes)" 'handled: history: filed as done' 'then it is settled'
done_testing
