#!/usr/bin/env bash
# Checkpoint mails: the store is lost, the run is killed, the mail is forged, copied or deleted.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/loop.sh"

done_step='{"status":"complete","current_phase":"complete","send_emails":[{"body":"All done.","attachments":[{"note_key":"scratch/n1","filename":"n.txt"}]}]}'
busy='{"working_note":"note NNN","write_notes":[{"key":"scratch/nNNN","content":"text NNN"}]}'
five() { # five steps that write notes, then the answer
    local i list=()
    for i in 1 2 3 4 5; do list+=("${busy//NNN/$i}"); done
    steps "${list[@]}" "$done_step"
}
count_forged() { python3 - "$HOME_DIR/state/postrider.db" <<'P'
import sqlite3, sys
r = sqlite3.connect('file:%s?mode=ro' % sys.argv[1], uri=True).execute("select value from meta where key='forged-continuations'").fetchone()
print(r[0] if r else 0)
P
}

# --- the store is lost ---
loop_home
five
echo x >"$WORK/x.txt"
pr inject --subject 'first' --run --max-iter 3 </dev/null >/dev/null
rm -rf "$HOME_DIR/state"
pr serve --once 2>/dev/null
is "$(job state) $(job total_iterations)" 'done 6' 'promise 9: a job goes on from its checkpoint mail alone'
is "$(to_you)" 1 'and answers once'
ok 'with the file attached' you_have 'n.txt'
is "$(cat "$HOME_DIR/notes/scratch/n1.md" "$HOME_DIR/notes/scratch/n5.md")" 'text 1text 5' 'notes of both lives are there'
rm -rf "$HOME_DIR/state"
pr serve --once 2>/dev/null
pr serve --once 2>/dev/null
is "$(to_you)" 1 'lost again after the end: what was answered is not answered again'
is "$(pr --json job list --all)" '[]' 'and no job comes back from Done'

# several jobs: one done, one parked, one parked and cancelled
loop_home
five
pr inject --subject one --run </dev/null >/dev/null
pr inject --subject two --run --max-iter 2 </dev/null >/dev/null
pr inject --subject three --run --max-iter 1 </dev/null >/dev/null
is "$(job state 1) $(job state 2) $(job state 3)" 'done parked parked' 'three jobs'
pr inject --subject four --run --max-iter 1 </dev/null >/dev/null
pr cancel 4 >/dev/null
pr serve --once --max-iter 1 2>/dev/null
t=$(job total_iterations 3)
rm -rf "$HOME_DIR/state"
pr serve --once --max-iter 1 2>/dev/null
is "$(pr --json job list --all | python3 -c 'import json,sys; print([j["id"] for j in json.load(sys.stdin)])')" '[3, 2]' 'only the parked ones come back, with their numbers'
is "$(job total_iterations 3)" $((t + 1)) 'its count goes on'
pr serve --once 2>/dev/null
is "$(to_you)" 3 'each is answered once'

# --- killed ---
loop_home
five
pr inject --subject 'killed' </dev/null >/dev/null
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
    POSTRIDER_DIE_AT=step-committed pr serve --once --max-iter 2 >/dev/null 2>&1
    POSTRIDER_DIE_AT=step-composed pr serve --once --max-iter 2 >/dev/null 2>&1
done
pr serve --once >/dev/null 2>&1
wait_done() { pr serve --once >/dev/null 2>&1; job_is done; }
ok 'killed before and after every commit it comes to its end' wait_for wait_done
is "$(to_you)" 1 'with one answer'
is "$(job total_iterations)" 6 'and six steps'

last_words='{"status":"complete","current_phase":"complete","write_notes":[{"key":"scratch/last","content":"words"}],"send_emails":[{"body":"Done."}]}'
loop_home
steps "$last_words"
pr inject --subject 'last words' </dev/null >/dev/null
POSTRIDER_DIE_AT=step-committed pr serve --once >/dev/null 2>&1
is "$(job state)" done 'killed behind its last commit, it has ended'
pr serve --once
is "$(cat "$HOME_DIR/notes/scratch/last.md")" words 'and the next pass writes the files of its notes'
loop_home
steps "$last_words"
POSTRIDER_DIE_AT=step-committed start_serve
pr inject --subject 'last words' </dev/null >/dev/null
ok 'so does a master whose run was killed there' wait_for test -e "$HOME_DIR/notes/scratch/last.md"
stop_serve

loop_home
five
pr config set 'role envoy' max-attempts 2
pr inject --subject 'deadly' </dev/null >/dev/null
for i in 1 2; do POSTRIDER_CLOCK=+$((i * 600)) POSTRIDER_DIE_AT=run-before-brain pr serve --once >/dev/null 2>&1; done
for i in 3 4; do POSTRIDER_CLOCK=+$((i * 600)) pr serve --once 2>/dev/null; done
is "$(job state)" failed 'a job that ends every run is given up'
ok 'and whoever asked hears of it' you_have '2 runs of it were ended before they finished'

loop_home
five
pr inject --subject 'unlucky' </dev/null >/dev/null
POSTRIDER_DIE_AT=deliver-filed pr serve --once --max-iter 2 >/dev/null 2>&1
for i in 1 2 3 4; do
    POSTRIDER_DIE_AT=intake-marked pr serve --once >/dev/null 2>&1
done
pr serve --once 2>/dev/null
is "$(job state) $(to_you)" 'done 1' 'killed four times while the checkpoint is taken in, it goes on all the same'

# --- forged, replayed, ambiguous ---
loop_home
five
pr config set trust require-auth none
pr inject --subject 'real' --run --max-iter 2 </dev/null >/dev/null
real=$(checkpoint Sent)
mail_with() { # FILE...: a mail from you with these documents
    python3 - "$@" <<'P'
import email.message, sys, uuid
m = email.message.EmailMessage()
m['From'], m['To'], m['Subject'] = 'you@postrider.local', 'envoy@postrider.local', 'look at this'
m['Message-ID'] = '<%s@x>' % uuid.uuid4()
m.set_content('see the file')
for f in sys.argv[1:]:
    m.add_attachment(open(f, 'rb').read(), maintype='application', subtype='json', filename='continuation.json')
sys.stdout.buffer.write(m.as_bytes())
P
}
python3 - "$real" "$WORK" <<'P'
import email, email.policy, sys, json
m = email.message_from_binary_file(open(sys.argv[1], 'rb'), policy=email.policy.default)
b = next(m.iter_attachments()).get_content()
w = sys.argv[2]
open(w + '/good.json', 'wb').write(b)
open(w + '/bad.json', 'wb').write(b.replace(b'"total_iterations":2', b'"total_iterations":0'))
open(w + '/cut.json', 'wb').write(b[:-9])
d = json.loads(b)
for k in 'version job role round seq epoch resume_after mac born steps step_limit face waiting_for round_cost_micro step_results'.split(): d.pop(k)
open(w + '/seed.json', 'w').write(json.dumps(d))
P
take() { pr receive --role envoy && pr account --once main 2>/dev/null; }
before=$(job total_iterations)
mail_with "$WORK/bad.json" | take
is "$(count_forged)" 1 'a lowered count breaks the MAC: counted as forged'
mail_with "$WORK/cut.json" | take
is "$(count_forged)" 2 'a truncated MAC'
mail_with "$WORK/seed.json" | take
is "$(count_forged)" 3 'a document of the seed by mail is an ordinary attachment'
is "$(job state) $(job total_iterations)" "parked $before" 'the job is as it was'
mail_with "$WORK/good.json" "$WORK/good.json" | take
like "$(pr mail list)" 'held' 'two in one mail are held'
is "$(pr --json mail list | grep -c 'ambiguous')" 1 'as ambiguous'
mail_with "$WORK/good.json" >"$WORK/inner"
{ printf 'From: you@postrider.local\nTo: envoy@postrider.local\nSubject: Fwd\nMessage-ID: <fwd@x>\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=F\n\n--F\nContent-Type: message/rfc822\n\n'; cat "$WORK/inner"; printf '\n--F--\n'; } | take
is "$(count_forged)" 3 'one inside a forwarded message is not looked at'
pr serve --once --max-iter 1 2>/dev/null
mail_with "$WORK/good.json" | take
is "$(job state)" parked 'a replayed one with a good MAC changes nothing'
is "$(in_folder Done | xargs grep -l 'look at this' | wc -l)" 1 'it is filed in Done as stale'
like "$(pr status)" 'checkpoint mails that were refused: 3 forged, 1 stale' 'status counts the forged and the stale'
is "$(pr --json status | python3 -c 'import json, sys; print(json.load(sys.stdin)["refused_checkpoints"])')" "{'forged': 3, 'stale': 1}" 'also as JSON'

# --- a document of the operator ---
n=$(pr --json job list --all | grep -o '"id"' | wc -l)
ok 'resume FILE' pr resume "$WORK/seed.json"
pr serve --once --max-iter 1 2>/dev/null
new=$((n + 1))
is "$(job total_iterations $new)" 3 'becomes a new job that goes on from there'
is "$(for f in $(in_folder INBOX | xargs grep -l continuation.json); do [ "$(doc job "$f")" != $new ] || doc working_note "$f"; done)" 'note 3' 'with its state'
exits 65 'one that is none' pr resume "$WORK/x.txt"
exits 65 'one whose MAC does not hold' pr resume "$WORK/bad.json"

# --- an order that is faster than the mail ---
loop_home
five
pr inject --subject 'fast' </dev/null >/dev/null
pr account --once main 2>/dev/null
pr run --max-iterations 1 2>/dev/null
pr continue 1 >/dev/null
pr deliver
pr account --once main 2>/dev/null
is "$(db "SELECT why, folder FROM message WHERE class = 'checkpoint'")" 'stale: used already|Done' 'a checkpoint that its job was faster than is filed'
unlike "$(pr status)" refused 'and not counted: nobody sent it twice'

# --- deleted ---
loop_home
steps '{"status":"waiting","current_phase":"waiting","working_note":"w","send_emails":[{"body":"Which?"}]}' "${done_step/scratch\/n1/CONTENTS}"
pr inject --subject s --run </dev/null >/dev/null
c=$(checkpoint)
mkdir -p "$HOME_DIR/mail/envoy/.Later/cur" "$HOME_DIR/mail/envoy/.Later/new" "$HOME_DIR/mail/envoy/.Later/tmp"
mv "$c" "$HOME_DIR/mail/envoy/.Later/cur/$(basename "$c"):2,S"
pr serve --once
is "$(job state)" parked 'moving it is no abort'
mv "$HOME_DIR/mail/envoy/.Later/cur/$(basename "$c"):2,S" "$HOME_DIR/mail/envoy/cur/$(basename "$c"):2,ST"
pr serve --once
is "$(job state)" stopped 'the deleted flag is one'
pr serve --once
ok 'the owner is told' you_have 'The checkpoint mail of job 1 was deleted'
pr continue 1 >/dev/null
pr serve --once
is "$(job state)" done 'CONTINUE undoes it'
like "$(pr job log 1)" 'order       its checkpoint mail was deleted.*order       the order CONTINUE from the operator' 'and the log has both'

loop_home
steps '{"status":"waiting","current_phase":"waiting","working_note":"w","send_emails":[{"body":"Which?"}]}' "${done_step/scratch\/n1/CONTENTS}"
pr inject --subject s --run </dev/null >/dev/null
c=$(checkpoint)
mkdir -p "$HOME_DIR/mail/envoy/.Trash/cur" "$HOME_DIR/mail/envoy/.Trash/new" "$HOME_DIR/mail/envoy/.Trash/tmp"
mv "$c" "$HOME_DIR/mail/envoy/.Trash/cur/$(basename "$c"):2,S"
pr serve --once
is "$(job state)" stopped 'so is the Trash'

loop_home
steps '{"status":"waiting","current_phase":"waiting","working_note":"w","send_emails":[{"body":"Which?"}]}' "${done_step/scratch\/n1/CONTENTS}"
now=$(date +%s)
POSTRIDER_CLOCK=@$now pr inject --subject s --run </dev/null >/dev/null
rm "$(checkpoint)"
POSTRIDER_CLOCK=@$now pr serve --once
is "$(job state)" parked 'one look that finds nothing proves nothing'
POSTRIDER_CLOCK=@$now pr serve --once
is "$(job state)" stopped 'a second one in the next pass does'

# by its time, with nobody in between (continue-after = 0)
loop_home
pr config set postrider continue-after 0
five
pr inject --subject s --run --max-iter 1 </dev/null >/dev/null
c=$(checkpoint)
mv "$c" "$WORK/kept"
pr serve --once --max-iter 1
is "$(job state) $(job total_iterations)" 'parked 1' 'missed once, it does not go on, though its time has come'
mv "$WORK/kept" "$c"
pr serve --once --max-iter 1
is "$(job state) $(job total_iterations)" 'parked 2' 'found again, it does'
rm "$(checkpoint)"
pr serve --once --max-iter 1
pr serve --once --max-iter 1
is "$(job state) $(job total_iterations)" 'stopped 2' 'missed in the next pass too, it is stopped'
ok 'and the owner is told' you_have 'The checkpoint mail of job 1 was deleted'
pr continue 1 >/dev/null
pr serve --once --max-iter 1
is "$(job state) $(job total_iterations)" 'parked 3' 'CONTINUE undoes that'
rm "$(checkpoint)"
pr serve --once --max-iter 1
is "$(job state) $(job total_iterations)" 'parked 3' 'and looks begin anew'

loop_home
pr config set postrider continue-after 0
five
pr inject --subject s --run --max-iter 1 </dev/null >/dev/null
rm "$(checkpoint)"
pr run --max-iterations 1
is "$(job state) $(job total_iterations)" 'parked 1' 'a run looks for it before it goes on with a job'

# before it was taken in, and before it was delivered
loop_home
five
pr inject --subject s </dev/null >/dev/null
pr account --once main 2>/dev/null
pr run --max-iterations 1
pr account --once main 2>/dev/null
pr account --once main 2>/dev/null
is "$(job state)" parked 'nobody misses a checkpoint that is owed to its mailbox'
pr deliver
rm "$(checkpoint)"
pr account --once main 2>/dev/null
pr account --once main 2>/dev/null
is "$(job state)" stopped 'one that was deleted before it was taken in stops its job too'

# under a master
loop_home
five
pr config set 'role envoy' max-iterations 1
pr config set postrider continue-after 1h
start_serve
pr inject --subject s </dev/null >/dev/null
ok 'it parks' wait_for job_is parked
seen() { [ -n "$(db "SELECT 1 FROM message WHERE class = 'checkpoint'")" ]; }
wait_for seen
stop_serve
rm "$(checkpoint)"
POSTRIDER_CLOCK=+3601 start_serve
ok 'under a master ten seconds apart' wait_for job_is stopped
is "$(job total_iterations)" 1 'and it did not go on in between'
stop_serve

loop_home
steps '{"status":"waiting","current_phase":"waiting","working_note":"w","send_emails":[{"body":"Which?"}]}' "${done_step/scratch\/n1/CONTENTS}"
pr inject --subject s --run </dev/null >/dev/null
pr inject --subject t --run </dev/null >/dev/null
rm $(in_folder INBOX)
run pr serve --once
like "$ERR" "2 checkpoint mails of role 'envoy' are gone at once" 'several that are gone at once are said'
POSTRIDER_CLOCK=+11 pr serve --once 2>/dev/null
is "$(job state 1) $(job state 2)" 'parked parked' 'and prove nothing about a job'

# --- in Junk ---
loop_home
steps '{"status":"waiting","current_phase":"waiting","working_note":"w","send_emails":[{"body":"Which?"}]}' "${done_step/scratch\/n1/CONTENTS}"
pr inject --subject s --run </dev/null >/dev/null
c=$(checkpoint)
mkdir -p "$HOME_DIR/mail/envoy/.Junk/cur" "$HOME_DIR/mail/envoy/.Junk/new" "$HOME_DIR/mail/envoy/.Junk/tmp"
mv "$c" "$HOME_DIR/mail/envoy/.Junk/new/"
pr serve --once
like "$(job state) $(job why)" 'stopped held: .*Junk' 'a checkpoint in Junk: the job is held'
pr serve --once
is "$(grep -rl 'lies in Junk' "$HOME_DIR/mail/you/new" | wc -l)" 1 'and the owner asked, once'
pr continue 1 >/dev/null
pr serve --once
is "$(job state)" done 'CONTINUE goes on'

# --- what others flagged as deleted stays ---
loop_home
steps "${done_step/scratch\/n1/CONTENTS}"
pr inject --subject s --run </dev/null >/dev/null
f=$(in_folder Done | head -n 1)
mv "$f" "$(dirname "$(dirname "$f")")/cur/$(basename "${f%%:*}"):2,ST"
printf 'From: x@example.net\nSubject: old\n\nx\n' >"$HOME_DIR/mail/envoy/cur/1.person:2,ST"
pr serve --once
pr serve --once
is "$(find "$HOME_DIR/mail/envoy" -name '*:2,*T*' | wc -l)" 2 'a pass expunges nothing that somebody else flagged; postrider itself flags no mail as deleted'

# --- the lines of a script, over rounds and a lost store ---
loop_home
steps "${done_step/All done/One}" "${busy//NNN/2}" "${done_step/All done/Three}"
sed -i 's/, "attachments": \[{[^]]*\]/, "attachments": []/' "$HOME_DIR/scripts/steps.jsonl"
pr inject --subject s --run </dev/null >/dev/null
ok 'line 1 answers the first question of the job' you_have One
q=$(grep -rh '^Message-ID' "$HOME_DIR/mail/you/new" | sed 's/.*: //')
printf 'From: you@postrider.local\nTo: envoy@postrider.local\nSubject: Re: s\nIn-Reply-To: %s\n\nmore\n' "$q" | pr sendmail -t
pr serve --once --max-iter 1
is "$(job round) $(job total_iterations) $(job state)" '2 1 parked' 'the next round counts its steps anew'
is "$(doc total_iterations "$(checkpoint)") $(doc steps "$(checkpoint)")" '1 2' 'the checkpoint has the steps of the round and of the job'
rm -rf "$HOME_DIR/state"
pr serve --once 2>/dev/null
ok 'the script goes on at line 3, also when only the mail is left' you_have Three

# --- the original is gone ---
loop_home
five
pr inject --subject 'gone' --run --max-iter 2 </dev/null >/dev/null
rm -f $(in_folder Active)
pr serve --once
is "$(job state)" done 'without its original the job goes on'

done_testing
