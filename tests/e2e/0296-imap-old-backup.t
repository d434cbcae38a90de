#!/usr/bin/env bash
# The whole home comes from an old backup, store and Maildirs, and the mailbox on the server knows what happened since:
# nobody is answered twice, orders that were given stay given, and nothing runs before the server was asked.
. "$(dirname "$0")/../lib/tap.sh"
. "$POSTRIDER_SRC/tests/lib/serve.sh"
. "$POSTRIDER_SRC/tests/lib/loop.sh"
. "$POSTRIDER_SRC/tests/lib/imap.sh"

NOW=1800000000
export POSTRIDER_CLOCK=@$NOW
pass_by() { POSTRIDER_CLOCK=@$NOW pr serve --once >/dev/null 2>>"$WORK/log"; }
later() { NOW=$((NOW + 100000)); pass_by; pass_by; pass_by; }
# The home as it was when `keep` was said. What its people had got stays with them: they are the witness.
keep() { rm -rf "$WORK/kept"; cp -a "$HOME_DIR" "$WORK/kept"; }
go_back()
{
    mkdir -p "$WORK/got"
    find "$HOME_DIR/mail/you" -type f -path '*/new/*' -exec mv -t "$WORK/got" {} +
    rm -rf "$HOME_DIR"
    cp -a "$WORK/kept" "$HOME_DIR"
    rm -rf "$HOME_DIR/mail/you/new" && mkdir "$HOME_DIR/mail/you/new"
}
got() { grep -l -- "$1" "$WORK"/got/* "$HOME_DIR"/mail/you/new/* 2>/dev/null | wc -l; }
state_of() { pr --json job list --all | python3 -c 'import json, sys
print(*(j["state"] for j in json.load(sys.stdin) if j["subject"] == sys.argv[1]))' "$1"; }
told() { printf '%s' "$OUT" | python3 -c 'import json, sys; d = json.load(sys.stdin); print(*(d[k] for k in "answered ended parked stopped unseen".split()))'; }
wait_step='{"status":"waiting","current_phase":"waiting","wait":{"for":"reply","until":"2027-02-15T12:00:00Z","then":"continue"},"send_emails":[{"body":"Which one?"}]}'
answer='{"status":"complete","current_phase":"complete","send_emails":[{"body":"Here it is."}]}'
silence='{"status":"complete","current_phase":"complete","send_emails":[]}'
number_of() { pr --json job list --all | python3 -c 'import json, sys
print(*(j["id"] for j in json.load(sys.stdin) if j["subject"] == sys.argv[1]))' "$1"; }
task() { box send 1 you@postrider.local agent@test.example "$1"; }
begin()
{
    rm -rf "$HOME_DIR" "$WORK/got"
    "$mailserver" stop "$MAIL" >/dev/null 2>&1
    imap_start
    imap_home
    NOW=1800000000
    pr config set 'brain default' kind script
    pr config set 'brain default' script scripts/steps.jsonl
    pr config set 'role envoy' max-iterations 1
    pass_by
}
accept() { exits "${1:-0}" 'accepted' pr --json doctor --accept-backup; }

# --- a job that waited in the queue was answered since; so was a mail that the backup does not know ---

begin
steps "$answer"
task 'one.'
pr account work --once 2>/dev/null; pr account main --once
is "$(state_of 'one.')" queued 'a job waits'
keep
pass_by
task 'two.'
pass_by
is "$(got 'Here it is')" 2 'after the backup both are answered'
ok 'which lie in Done on the server' box_has postrider/Done . 2
box move postrider/Done 'two.' INBOX >/dev/null # as a kill right behind the answer leaves it
go_back
steps "$answer" "$answer"
accept
is "$(state_of 'one.') $(told)" 'done 1 1 0 0 []' 'the server knows that the waiting job has ended'
is "$(in_folder Sent | wc -l)" 2 'its mail in Sent is here again'
later
is "$(got 'Here it is')" 2 'and nobody is answered a second time'
mirror() { (cd "$HOME_DIR/mail" && find envoy -type f | sort | xargs sha256sum); pr --json job list --all | grep -v '"epoch"'; }
before=$(mirror)
accept
is "$(mirror)" "$before" 'to accept it again changes no mail and no job'
later
is "$(got 'Here it is')" 2 'and answers nobody'

# --- one that ended without a word lies in Done there; one that was in hand, and of which nothing speaks, stops ---

begin
steps "$silence"
task 'quiet.'
task 'taken.'
pr account work --once 2>/dev/null; pr account main --once
keep
box move INBOX 'quiet.' postrider/Done >/dev/null
box move INBOX 'taken.' postrider/Active >/dev/null
go_back
steps "$answer"
accept
is "$(state_of 'quiet.') $(state_of 'taken.')" 'done stopped' 'Done there has ended it, what was in hand stops'
like "$(pr show "$(number_of 'taken.')")" 'in hand after the backup, and nothing says how far' 'and says why'
later
is "$(got 'Here it is')" 0 'nobody is answered by guess'
pr continue "$(number_of 'taken.')" >/dev/null
later
is "$(got 'Here it is') $(state_of 'taken.')" '1 done' 'a person lets it go on'

# --- what came and was in hand since is listed; a parked job comes back from its checkpoint there ---

begin
steps "$wait_step" "$answer"
keep
task 'asks.'
pass_by
ok 'a job that the backup does not know is parked, its checkpoint on the server' box_has INBOX 'asks.'
task 'unknown.'
pr account work --once 2>/dev/null
box move INBOX 'unknown.' postrider/Active >/dev/null
go_back
steps "$wait_step" "$answer"
accept
is "$(state_of 'asks.')" parked 'it comes back'
accept
is "$(state_of 'asks.')" parked 'and waits on, when the backup is accepted again at once'
ok 'with its checkpoint in INBOX' box_has INBOX 'asks.'
like "$(pr mail list --state ignored)" 'unknown.' 'what was in hand is listed'
later
is "$(got 'Which one')" 1 'and nobody is asked twice'

# --- STOP and CANCEL by command: their copies lie in Sent on the server ---

for word in stop cancel; do
    begin
    steps "$wait_step" "$answer" "$answer"
    task 'ordered.'
    pass_by
    keep
    pr "$word" "$(number_of 'ordered.')" >/dev/null
    pass_by
    ok "$word by command is filed on the server" box_has Sent "[order] ${word^^}: ordered."
    go_back
    is "$(state_of 'ordered.')" parked 'the old store knows nothing of it'
    accept
    case $word in stop) want=stopped ;; *) want=cancelled ;; esac
    is "$(state_of 'ordered.')" "$want" "after it is accepted the job is $want again"
    later
    is "$(got 'Here it is')" 0 'and does not go on'
done

# --- the server is away: nothing of the account runs until it was asked ---

begin
steps "$answer"
task 'away.'
pr account work --once 2>/dev/null; pr account main --once
echo x | pr send --to envoy --subject 'from here' >/dev/null
pr deliver && pr account main --once
keep
pass_by
is "$(got 'Here it is')" 2 'two are answered after the backup'
go_back
steps "$answer" "$answer"
port=$IMAPS_PORT
pr config set 'account work' port 1
accept 75
is "$(told)" "0 0 0 0 ['work']" 'the account that was not looked at is named'
exits 75 'and in words' pr doctor --accept-backup
like "$OUT" "account 'work' was not looked at: .*" 'with the reason'
like "$OUT" 'nothing of it runs' 'and what follows'
later
is "$(got 'Here it is') $(state_of 'away.')" '2 queued' 'its jobs wait'
exits 75 'also for who runs one by hand' pr run "$(number_of 'away.')"
is "$(got 'Here it is')" 2 'nothing was answered'
like "$(pr status)" "nothing of the account 'work' runs until its server was asked" 'status says so'
pr config set 'account work' port "$port"
later
is "$(got 'Here it is') $(state_of 'away.')" '2 done' 'when the server is back it is asked first'
is "$(pr --json doctor --accept-backup | python3 -c 'import json,sys; print(json.load(sys.stdin)["unseen"])')" '[]' 'then all is looked at'

# --- the Sent folder there is gone ---

begin
steps "$answer"
task 'gone.'
pr account work --once 2>/dev/null; pr account main --once
keep
pass_by
box delete Sent 'gone.'
go_back
accept
is "$(state_of 'gone.')" 'done' 'without Sent there is still Done'
later
is "$(got 'Here it is')" 1 'and one answer'

# --- under a running master its own process looks ---

begin
steps "$answer"
task 'served.'
pr account work --once 2>/dev/null; pr account main --once
keep
pass_by
go_back
steps "$answer" "$answer"
rm -rf "$HOME_DIR/state.now"
pr config set 'brain default' script scripts/none.jsonl # nothing may be asked before the look
start_serve
looked() { pr doctor --accept-backup >/dev/null 2>&1; [ "$(state_of 'served.')" = 'done' ]; }
ok 'the account of the master looks by itself' wait_for looked
stop_serve
is "$(got 'Here it is')" 1 'one answer'
done_testing
