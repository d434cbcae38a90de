#!/usr/bin/env bash
# Walls at sending: what a job was shown in a space goes to nobody outside of it, whatever carries it, and its writer alone hears why.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/space.sh"
LINE='The lamp must turn once in eleven seconds, or the harbour is blind.'
space_home alpha beta gamma
printf '\n[role pat]\nperson = yes\n' >>"$HOME_DIR/postrider.conf"
add_space team 'alpha beta pat'
add_space other 'alpha gamma'
asks() { tell "${2:-you}" alpha@postrider.local "$1" <<<"Do it." >/dev/null; pass_once; }
mail() { printf '{"status":"continue","current_phase":"composing","send_emails":[{"to":["%s"],"subject":"%s","body":"%s"%s}]}\n' "$@"; }
heard() { cat "$WORK"/brains/alpha.seen.* | sed -n '/^=== RESULTS/,/^=== END/p'; }
outside() { grep -rlF "$1" "$HOME_DIR/mail/gamma" "$HOME_DIR/notes" 2>/dev/null | grep -v /notes/spaces/ | grep -v /notes/alpha/; }
# What alpha writes next, in the job of the space: in a mail of pat to the space, so that the job is shown it.
in_space() # DESC WHY: its answers are on standard input
{
    rm -f "$WORK"/brains/alpha.seen.* "$WORK/brains/alpha.n"
    says alpha
    tell pat team@postrider.local 'The lamp' <<<"$LINE" >"$WORK/id"
    pass_once
    like "$(heard)" "$2" "$1"
}
refused='was not sent: it carries a line of the space .team., which not all who would read it are of: "The lamp must turn once'

# --- lines ---
in_space 'a line does not go to somebody outside' "$refused" < <(mail gamma@postrider.local Plain "So they say: $LINE Is it so?" '')
in_space 'nor quoted, and broken elsewhere' "$refused" < <(mail gamma@postrider.local Quoted '> The lamp must turn once in\n> eleven seconds, or\n>   the harbour is blind.' '')
in_space 'nor as the subject' "$refused" < <(mail gamma@postrider.local "$LINE" 'Hello.' '')
in_space 'nor to another space' "$refused" < <(mail other@postrider.local Other "$LINE" '')
in_space 'a shorter one may' 'mail to gamma@postrider.local was sent' < <(mail gamma@postrider.local Few 'The lamp must turn once.' '')
in_space 'the owner may have it' 'mail to you@postrider.local was sent' < <(mail you@postrider.local Owner "$LINE" '')
in_space 'so may the space' 'mail to team@postrider.local was sent' < <(mail team@postrider.local Team "$LINE" '')

# --- ids, in any form, and links ---
ids() { sed 's/[<>]//g' "$WORK/id"; }
tell pat team@postrider.local 'First' <<<'x' >"$WORK/id"
first=$(ids)
pass_once
in_space 'an id does not go' 'it names .* of the space .team.' < <(mail gamma@postrider.local Id "See <$first>." '')
in_space 'nor without its domain, in the subject' 'it names ' < <(mail gamma@postrider.local "Id ${first%@*}" "Hello." '')
in_space 'nor joined to other letters, and cut off' 'it names ' < <(mail gamma@postrider.local Joined "See u003c${first:0:30}x." '')
in_space 'nor as In-Reply-To' 'it names ' < <(mail gamma@postrider.local Parent 'Hello.' ",\"in_reply_to\":\"<$first>\"")
in_space 'nor a link to a note' 'it leads to .spaces/team/lamp' < <(mail gamma@postrider.local Link 'See [[spaces/team/lamp]].' '')
is "$(db "SELECT count(*) FROM outbox WHERE subject IN ('Plain', 'Quoted', 'Other', 'Id', 'Parent', 'Link')")" 0 'nothing of it was written down to be sent'

private=$(tell pat alpha@postrider.local 'Aside' --in-reply-to "<$first>" <<<'Between us.')
mail gamma@postrider.local Aside 'Hello.' ",\"in_reply_to\":\"<$(tr -d '<>' <<<"$private")>\"" >"$WORK/aside"
in_space 'nor in the References of an answer to a mail that refers to it' 'it names ' <"$WORK/aside"

# --- files and notes ---
pr note put alpha/draft <<<"Draft. $LINE" >/dev/null
in_space 'nor in a file' "$refused" < <(mail gamma@postrider.local File 'Here.' ',"attachments":[{"note_key":"alpha/draft","filename":"d.txt"}]')
in_space 'nor in a note for everybody' 'note facts: not changed: it carries a line of the space' < <(printf '{"status":"continue","current_phase":"composing","write_notes":[{"key":"facts","content":"%s","mode":"append"}]}\n' "$LINE")
in_space 'a note of its own may have it' 'note alpha/own: saved' < <(printf '{"status":"continue","current_phase":"composing","write_notes":[{"key":"alpha/own","content":"%s"}]}\n' "$LINE")
in_space 'but is not renamed to one for everybody' 'note alpha/own: not changed: it carries a line' < <(printf '{"status":"continue","current_phase":"composing","rename_notes":[{"from":"alpha/own","to":"open"}]}\n')
in_space 'a note of the space has it' 'note spaces/team/lamp: saved' < <(printf '{"status":"continue","current_phase":"composing","write_notes":[{"key":"spaces/team/lamp","content":"%s"}]}\n' "$LINE")
says alpha < <(echo '{"status":"continue","current_phase":"composing","add_notes":["alpha/own"]}'; mail gamma@postrider.local 'By a note' "$LINE" '')
rm -f "$WORK"/brains/alpha.seen.*
asks 'Another job'
like "$(heard)" "$refused" 'another job that reads its own note is behind the same wall'

# --- by way of a member ---
rm -f "$WORK"/brains/*.seen.*
in_space 'a member may have it by a mail of its own' 'mail to beta@postrider.local was sent' < <(mail beta@postrider.local Private "$LINE" '')
is "$(db "SELECT space FROM message WHERE subject = 'Private' AND role = 'beta'")" team 'which stays behind the wall'
mail beta@postrider.local Both "$LINE" ',"cc":["you@postrider.local"]' >"$WORK/both"
in_space 'or with the owner beside' 'mail to beta@postrider.local, you@postrider.local was sent' <"$WORK/both"
is "$(db "SELECT space FROM message WHERE subject = 'Both' AND role = 'beta'")" team 'likewise'
says beta < <(mail gamma@postrider.local 'Handed on' "$LINE" '')
in_space 'once more' 'was sent' < <(mail beta@postrider.local Again "$LINE" '')
like "$(cat "$WORK"/brains/beta.seen.* | sed -n '/^=== RESULTS/,/^=== END/p')" "$refused" 'so that it is not handed on'
is "$(outside 'or the harbour is blind')" '' 'outside of the space there is nothing of it'

# --- what was said openly is nobody's secret ---
OPEN='Please find out how often the big lamp has to turn in a minute.'
rm -f "$WORK"/brains/alpha.seen.*
says alpha < <(mail team@postrider.local Ask "$OPEN" ''; mail gamma@postrider.local Openly "$OPEN" '')
tell you alpha@postrider.local 'Task' <<<"$OPEN" >/dev/null
pass_once
like "$(heard)" 'mail to gamma@postrider.local was sent' 'a line of the task itself may go on'

# --- without the store ---
in_space 'a job of the space waits' 'mail to team@postrider.local was sent|^$' < <(
    echo '{"status":"waiting","current_phase":"waiting","send_emails":[{"to":[],"body":"Tell me more."}],"wait":{"for":"reply","until":"","then":"remind"}}')
parked() { db "SELECT DISTINCT s.space FROM job j JOIN job_space s ON s.job = j.id WHERE j.role = 'alpha' AND j.state = 'parked'"; }
is "$(parked)" team 'behind its wall'
of_team() { db "SELECT count(DISTINCT msgid) FROM message WHERE space = 'team'"; }
before=$(of_team)
rm -rf "$HOME_DIR/state"
pass_once
ok 'mail keeps its space without the store' test "$(of_team)" -ge "$before"
is "$(parked)" team 'so does the job that waited, by its checkpoint'
fork=$(pr fork "$(db "SELECT max(id) FROM job WHERE role = 'alpha' AND state = 'parked'")" 2>/dev/null)
ok 'and a fork of it' test "$(db "SELECT count(*) FROM job_space s JOIN job j ON j.id = s.job WHERE j.forked_job <> 0 AND s.space = 'team'")" = 1
says alpha < <(printf '{"status":"continue","current_phase":"gathering","add_emails":[{"message_id":"<%s>","folder":""}]}\n' "$first"
    mail gamma@postrider.local 'Old id' "See <$first>." '')
rm -f "$WORK"/brains/alpha.seen.*
asks 'After the loss'
like "$(heard)" 'it names ' 'and its wall'
is "$(outside 'or the harbour is blind')" '' 'nothing of it is outside'
exits 0 'doctor finds nothing' pr doctor
done_testing
