#!/usr/bin/env bash
# The wait contract, kept by the runtime: continue, remind, escalate (DESIGN section 6); with the clock in our hands.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/loop.sh"

done_step='{"status":"complete","current_phase":"complete","send_emails":[{"body":"All done."}]}'
# What the clock says when a mail comes: some weeks ahead, since files that are younger than now are not believed.
T0=$(($(date +%s) / 86400 * 86400 + 60 * 86400))
at() { local s=$1; shift; POSTRIDER_CLOCK=@$((T0 + s)) pr "$@"; }
iso() { date -u -d "@$((T0 + $1))" +%Y-%m-%dT%H:%M:%SZ; }
# THEN SECONDS [MORE]: a job that asks and waits so long
waits()
{
    steps "{\"status\":\"waiting\",\"current_phase\":\"waiting\",\"working_note\":\"asked\",\"send_emails\":[{\"body\":\"Which one?\"${3:-}}],\"wait\":{\"for\":\"reply\",\"until\":\"$(iso "$2")\",\"then\":\"$1\"}}" "$done_step"
    at 0 inject --subject 'choose' --run </dev/null >/dev/null
}
count() { grep -rl -- "$1" "$HOME_DIR/mail/you/new" "$HOME_DIR/mail/you/cur" 2>/dev/null | wc -l; }
header() # NAME TEXT: of the first mail that you have with this text
{
    python3 - "$1" "$(grep -rl -- "$2" "$HOME_DIR/mail/you/new" | sort -V | head -n 1)" <<'P'
import email, email.policy, sys
print((email.message_from_binary_file(open(sys.argv[2], 'rb'), policy=email.policy.default)[sys.argv[1]] or '').strip())
P
}
checkpoints() { in_folder INBOX | xargs -r grep -l continuation.json | wc -l; }
reply() { # TEXT, to the newest mail that holds $2
    local id; id=$(header Message-ID "${2:-Which one}")
    printf 'From: you@postrider.local\nTo: envoy@postrider.local\nSubject: Re: choose\nIn-Reply-To: %s\n\n%s\n' "$id" "$1" | at "${3:-0}" sendmail -t
}

# --- continue: as a clock ---
loop_home
waits continue 7200
is "$(doc wait_then "$(checkpoint)")" continue 'then = continue travels in the checkpoint'
at 7000 serve --once
is "$(job state)" parked 'before its time it waits'
where() { db "SELECT state || ' in ' || folder FROM message WHERE class = 'task'"; }
is "$(where) $(in_folder Active | wc -l)" 'handled in Active 1' 'the mail that its question answers is in hand as long'
at 7201 serve --once
is "$(job state) $(count reminder)" 'done 0' 'then = continue: at its time it goes on, without a word'
is "$(where) $(in_folder Active | wc -l)" 'handled in Done 0' 'and at its end nothing is left in Active, though no later step was shown that mail'

# --- remind ---
loop_home
waits remind 7200
is "$(doc wait_then "$(checkpoint)") $(doc resume_after "$(checkpoint)")" "remind $(iso 7200)" 'then = remind travels in the checkpoint'
like "$(at 60 show 1)" 'It reminds you@postrider.local in 119 min' 'show tells whom it reminds, and when'
like "$(at 60 status)" 'waits for you:.*job 1 waits for your answer: choose' 'and status that it is your turn'
like "$(at 60 job log 1)" "now         waiting, for a reply, at most until $(iso 7200)\$" 'the log says once until when'
reply STATUS 'Which one' 60
at 60 serve --once
ok 'STATUS tells it too' you_have 'It reminds you@postrider.local in 119 min'
at 7100 serve --once
is "$(count 'A reminder')" 0 'before its time nobody is reminded'
at 7200 serve --once
is "$(job state) $(count 'A reminder')" 'parked 1' 'then = remind: one reminder, and the job waits on'
is "$(header In-Reply-To 'A reminder')" "$(header Message-ID 'Which one')" 'in the thread of the question'
is "$(doc wait_then "$(checkpoint)") $(doc resume_after "$(checkpoint)")" "escalate $(iso 14400)" 'its new checkpoint knows of it: the second wait is as long as the first'
is "$(checkpoints)" 1 'and is the only one in INBOX'
for s in 7201 14300; do at $s serve --once; done
is "$(count 'A reminder')" 1 'one reminder stays one'
at 14400 serve --once
is "$(job state) $(count 'no answer since')" 'parked 1' 'when that passes too the owner is asked'
ok 'with what can be said' you_have 'Reply CONTINUE to let it go on without one, CANCEL'
like "$(at 14401 show 1)" 'It goes on when somebody writes' 'from then on it has no time'
at 999999 serve --once
is "$(count 'A reminder') $(count 'no answer since') $(job total_iterations)" '1 1 1' 'and nothing more is said or done'
reply 'the red one' 'no answer since' 1000000
at 1000000 serve --once
is "$(job state)" done 'an answer to that mail wakes it'

# --- a short wait, and somebody who answers in between ---
loop_home
waits remind 600
at 700 serve --once
is "$(doc resume_after "$(checkpoint)")" "$(iso $((700 + 3600)))" 'the second wait is at least an hour'
reply 'the blue one' 'A reminder' 800
at 800 serve --once
is "$(job state)" done 'an answer to the reminder wakes it'
at 9999 serve --once
is "$(count 'no answer since')" 0 'new mail drops what was still to come'

# --- escalate, and orders in between ---
loop_home
waits escalate 7200
like "$(at 60 job show 1)" 'It asks the owner in 119 min' 'show tells that the owner will be asked'
at 7200 serve --once
is "$(job state) $(count 'no answer since') $(count 'A reminder')" 'parked 1 0' 'then = escalate: the owner is asked, nobody reminded'
reply CONTINUE 'no answer since' 7300
at 7300 serve --once
is "$(job state)" done 'CONTINUE goes on'
for order in stop cancel continue; do
    loop_home
    waits escalate 7200
    at 100 $order 1 >/dev/null
    at 7300 serve --once
    is "$(count 'no answer since')" 0 "$order drops the wait"
done

# --- those it waits for ---
loop_home
pr config set trust allow bob@example.org
pr config set 'person bob' address bob@postrider.local
waits remind 7200 ',"to":["bob@postrider.local"]'
at 7200 serve --once
unlike "$(at 7300 status)" 'your answer' 'whose turn it is when another was asked is not yours'
is "$(grep -rl 'A reminder' "$HOME_DIR/mail/bob/new" | wc -l) $(count 'A reminder')" '1 0' 'the reminder goes to those who were asked, not to who asked for the work'
at 14400 serve --once
ok 'and the owner hears who did not answer' you_have 'waits for bob'

loop_home
pr config set trust allow bob@example.org
pr config set 'person bob' address bob@postrider.local
steps "{\"status\":\"waiting\",\"current_phase\":\"waiting\",\"send_emails\":[{\"body\":\"Which one?\",\"to\":[\"bob@postrider.local\"]},{\"body\":\"Bob is asked.\"}],\"wait\":{\"for\":\"reply\",\"until\":\"$(iso 7200)\",\"then\":\"remind\"}}" "$done_step"
at 0 inject --subject choose --run </dev/null >/dev/null
at 7200 serve --once
is "$(grep -rl 'A reminder' "$HOME_DIR/mail/bob/new" | wc -l) $(count 'A reminder')" '1 0' 'nor to the owner, who only heard of it in the same step'

# --- no time, wrong time, nothing said ---
loop_home
steps '{"status":"waiting","current_phase":"waiting","send_emails":[{"body":"Which one?"}],"wait":{"for":"reply","until":"","then":"remind"}}' "$done_step"
at 0 inject --subject choose --run </dev/null >/dev/null
is "$(doc wait_then "$(checkpoint)")" continue 'without a time there is nothing to remind of'
loop_home
waits remind -50
at 10 serve --once
is "$(count 'A reminder') $(doc resume_after "$(checkpoint)")" "0 $(iso 3600)" 'a time that has passed is an hour from now'

# --- killed ---
for point in wait-composed wait-acted; do
    loop_home
    waits remind 7200
    POSTRIDER_DIE_AT=$point at 7300 serve --once >/dev/null 2>&1
    at 7301 serve --once
    at 7302 serve --once
    is "$(count 'A reminder') $(checkpoints)" '1 1' "killed at $point: one reminder, one checkpoint"
done

# --- the store is lost ---
loop_home
waits remind 7200
rm -rf "$HOME_DIR/state"
at 100 serve --once 2>/dev/null
is "$(job state) $(count 'A reminder')" 'parked 0' 'from its checkpoint alone it waits on'
at 7200 serve --once
is "$(job state) $(count 'A reminder')" 'parked 1' 'and keeps the contract'
rm -rf "$HOME_DIR/state"
at 7300 serve --once 2>/dev/null
is "$(count 'A reminder')" 1 'lost after the reminder: it is not sent again'
at 20000 serve --once
is "$(count 'no answer since')" 1 'and the owner is asked in the end'

loop_home
waits remind 7200
mkdir -p "$HOME_DIR/mail/envoy/.Done/cur" "$HOME_DIR/mail/envoy/.Done/new" "$HOME_DIR/mail/envoy/.Done/tmp"
mv $(in_folder Active) "$HOME_DIR/mail/envoy/.Done/cur/"
rm -rf "$HOME_DIR/state"
at 100 serve --once 2>/dev/null
is "$(job state) $(db "SELECT state FROM message WHERE subject = 'choose'")" 'parked handled' 'a mail that was filed as done is not open again for it'

# --- a word about long work (progress-every) ---
loop_home
pr config set 'person bob' address bob@postrider.local
waits remind 90000 ',"to":["bob@postrider.local"]'
at 3500 serve --once
is "$(to_you)" 0 'for an hour whoever asked hears nothing'
at 3601 serve --once
is "$(count 'I am still at this')" 1 'then that the job waits, and for what'
ok 'in words' you_have 'has been waiting for'
is "$(grep -rl 'still at this' "$HOME_DIR/mail/bob" | wc -l)" 0 'nobody else does'
at 7300 serve --once
at 11000 serve --once
is "$(count 'I am still at this')" 1 'one that waits is spoken of once'

loop_home
waits remind 90000
at 3601 serve --once
is "$(count 'I am still at this')" 0 'whoever was asked needs no word that we wait'

loop_home
waits remind 90000
sqlite3 "$HOME_DIR/state/postrider.db" "UPDATE job SET asker = 'robot@example.org'"
at 3601 serve --once
is "$(db "SELECT count(*) FROM delivery WHERE address = 'robot@example.org'")" 0 'who is no person of this home is not told either'

# --- the first word (ack-after) ---
loop_home
steps '{"working_note":"1"}' '{"working_note":"2"}' "$done_step"
at 0 inject --subject s --run --max-iter 1 </dev/null >/dev/null
at 100 serve --once --max-iter 1
is "$(to_you)" 0 'for two minutes whoever asked hears nothing'
at 121 serve --once
is "$(count 'I have your mail') $(count 'All done')" '1 1' 'the time runs from the first step on, also over runs'

loop_home
steps '{"send_emails":[{"body":"Soon."}]}' "$done_step"
at 0 inject --subject s --run --max-iter 1 </dev/null >/dev/null
at 121 serve --once
is "$(count 'I have your mail') $(to_you)" '0 2' 'who had a word needs no such mail'

loop_home
pr config set 'brain default' kind command
pr config set 'brain default' command "$HOME_DIR/scripts/slow"
pr config set postrider progress-every 2s
pr config set postrider ack-after 1s
mkfifo "$WORK/go"
printf '#!/bin/sh\ncat >/dev/null\nread x <%s\necho done it\n' "$WORK/go" >"$HOME_DIR/scripts/slow"
chmod +x "$HOME_DIR/scripts/slow"
pr inject --subject slow </dev/null >/dev/null
start_serve
ok 'ack-after: one mail, if nothing was said yet' wait_for you_have 'I have your mail'
ok 'while a program works there is a word about it' wait_for you_have 'I am still at this'
is "$(count 'I have your mail')" 1 'the first is said once'
pr config set postrider progress-every 0
echo go >"$WORK/go"
ok 'and the answer in the end' wait_for you_have 'done it'
stop_serve

# --- under the master ---
loop_home
steps '{"status":"waiting","current_phase":"waiting","send_emails":[{"body":"Which one?"}],"wait":{"for":"reply","until":"'"$(date -u -d '+7200 seconds' +%Y-%m-%dT%H:%M:%SZ)"'","then":"remind"}}' "$done_step"
pr inject --subject choose --run </dev/null >/dev/null
export POSTRIDER_CLOCK=+7300
start_serve
ok 'serve reminds by itself' wait_for you_have 'A reminder'
stop_serve
unset POSTRIDER_CLOCK

done_testing
