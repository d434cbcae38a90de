#!/usr/bin/env bash
# A model at work in steps: what it is shown, and what becomes of what it says. The brain is a program
# that answers line by line and keeps each question. E numbers are those of the checklist.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/steps.sh"

ok 'a home whose agent works in steps' steps_home

# --- attachments in ---

printf 'print("caf\303\251")\n' >"$WORK/x.py"
printf '\211PNG\r\n\032\n\0\0' >"$WORK/pic.png"
answers <<'END'
{"status":"continue","current_phase":"gathering","working_note":"first","read_attachments":[{"message_id":"<@ID@>","filename":"x.py"},{"message_id":"@ID@","filename":"pic.png"},{"message_id":"@ID@","filename":"x (2).py"},{"message_id":"@ID@","filename":"none.c"}]}
{"status":"continue","current_phase":"composing","working_note":"second"}
{"status":"complete","current_phase":"complete","send_emails":[{"to":[],"body":"It prints a word."}]}
END
mkdir "$WORK/more" && echo 'second = True' >"$WORK/more/x.py"
mail_in 'What is this?' --attach "$WORK/x.py" --attach "$WORK/pic.png" --attach "$WORK/more/x.py" <<<'Please look.'
is "$STATUS" 0 'a mail with three attachments is worked on'
like "$(seen 1)" 'filename x.py, content_type text/x-python, size_bytes 15, readable true' \
    'attachments are listed with type, decoded size and whether they can be read'
like "$(seen 1)" 'filename pic.png, content_type image/png, size_bytes 10, readable false' 'a picture is not readable'
like "$(seen 1)" 'filename x \(2\).py' 'a second one of the same name has a number'
like "$(seen 2)" '=== ATTACHMENT: x.py \(from <[^>]+>\) \[[a-z0-9]+\] ===
print\("café"\)
=== END' 'one that was asked for stands under its heading, in the next step'
like "$(seen 2)" 'second = True' 'and the second of that name too'
like "$ERR" 'binary.*pic.png' 'asking for a binary one is a warning with its name'
like "$ERR" 'inject\.[a-z0-9]+@' 'and its Message-ID'
like "$(results 2)" 'UNSUPPORTED: ATTACHMENT pic.png \(binary, not readable\)' 'the context says so, and the results'
like "$(results 2)" 'attachment none.c of <[^>]+>: there is none' 'one that is not there is said too'
unlike "$(results 3)" 'none.c' 'results are those of one step'
like "$(seen 3)" 'café' 'what was loaded stays loaded'
like "$(seen 2)" '=== YOUR WORKING NOTE \[[a-z0-9]+\] ===
first
' 'the working note is carried along'
is "$(grep -c 'Please look' "$WORK/seen.3")" 1 'the mail itself stands there once'
is "$(mails)" 1 'one answer'

# --- attachments out ---

answers <<'END'
{"status":"complete","current_phase":"complete","write_notes":[{"key":"projects/sum/code","content":"def add(a, b):\n    return a + b\n","mode":"replace"},{"key":"projects/sum/odd","content":"odd\n","mode":"replace"}],"send_emails":[{"to":["You <you@postrider.local>"],"body":"Code is in notes at projects/sum/code. See attached.","attachments":[{"note_key":"projects/sum/code","filename":"sum.py"},{"note_key":"projects/sum/odd","filename":"odd.qqq"},{"note_key":"projects/sum/odd","filename":""}]}]}
END
mail_in 'Write a sum' <<<'in Python'
newest >"$WORK/mail"
python3 - "$WORK/mail" >"$WORK/py" <<'P'
import sys, email, email.policy
m = email.message_from_binary_file(open(sys.argv[1], 'rb'), policy=email.policy.default)
print(m.get_content_type(), m['subject'])
parts = [m.get_body(('plain',))] + list(m.iter_attachments())
for p in parts: print(p.get_content_type(), p.get_filename())
print(parts[0].get_content().splitlines()[0])
print(parts[1].get_payload(decode=True).decode())
P
like "$(cat "$WORK/py")" '^multipart/mixed Re: Write a sum
text/plain None
text/x-python sum.py
text/plain odd.qqq
text/markdown odd.md
Code is in notes at projects/sum/code. See attached.
def add' 'the file comes from the note, its type from the name, behind the text'
ok 'the note is there' pr note get projects/sum/code

answers <<'END'
{"status":"complete","current_phase":"complete","send_emails":[{"to":[],"body":"See attached.","attachments":[{"note_key":"projects/none","filename":"x.py"}]}]}
{"status":"complete","current_phase":"complete","send_emails":[{"to":[],"body":"There is no such file."}]}
END
before=$(mails)
mail_in 'Send it' <<<'now'
is "$(mails)" $((before + 1)) 'a mail whose attachment is missing is not sent'
like "$(results 2)" "mail to you@postrider.local was not sent: the note 'projects/none' to attach does not exist" \
    'and the next context says why'

# --- length ---

body=$(printf 'ä%.0s' $(seq 4001))
answers <<END
{"status":"complete","current_phase":"complete","send_emails":[{"to":[],"body":"$body"}]}
END
mail_in 'Long' <<<'tell me all'
like "$ERR" "Email to 'you@postrider.local' body is 4001 chars \(>4000\). Consider using an attachment instead." \
    'a long body is a warning in characters'
newest >"$WORK/mail"
is "$(python3 -c '
import sys, email, email.policy
m = email.message_from_binary_file(open(sys.argv[1], "rb"), policy=email.policy.default)
print(m.get_body(("plain",)).get_content().count("ä"))' "$WORK/mail")" 4001 'and is not cut'

answers <<END
{"status":"complete","current_phase":"complete","send_emails":[{"to":[],"body":"${body%ä}"}]}
END
mail_in 'Just short enough' <<<'please'
unlike "$ERR" 'Consider using an attachment' '4000 are no reason for a warning'

run bash -c "printf '%s' '$body' | '$PR_BIN' --home '$HOME_DIR' send --from envoy --to you --subject long"
like "$ERR" "Email to 'you@postrider.local' body is 4001 chars \(>4000\)" 'a mail that is sent in its name, too'
run bash -c "printf '%s' '$body' | '$PR_BIN' --home '$HOME_DIR' send --from you --to you --subject long"
unlike "$ERR" 'Consider using' 'a person writes as long a mail as they like'
run bash -c "printf 'From: envoy@postrider.local\nTo: you@postrider.local\n\n%s\n' '${body//ä/a}' | '$PR_BIN' --home '$HOME_DIR' sendmail -t"
like "$ERR" "body is 400[12] chars \(>4000\)" 'and by sendmail'

# --- what was tried ---

pr config set 'role envoy' max-iterations 8
answers <<'END'
{"status":"continue","current_phase":"gathering","add_notes":["no/such"],"search_emails":[{"text":"xylophone"}],"search_notes":["xylophone"]}
{"status":"continue","current_phase":"gathering","add_notes":["no/such"],"search_emails":[{"text":"xylophone"}],"search_notes":["xylophone"]}
{"status":"continue","current_phase":"gathering","add_notes":["no/such"],"search_emails":[{"text":"xylophone"}],"search_notes":["sum"]}
{"status":"complete","current_phase":"complete","send_emails":[{"to":[],"body":"Not there."}]}
END
mail_in 'Find it' <<<'the instrument'
unlike "$(seen 1)" 'SEARCHES TRIED' 'nothing was tried, nothing is said'
like "$(seen 2)" '=== SEARCHES TRIED THIS RUN ===
  note no/such
  xylophone
  notes: xylophone
Try a different approach if these have already failed.' 'keys and searches are listed'
like "$(results 2)" 'search xylophone: 0 found' 'and what came of them'
unlike "$(seen 2)" '=== UNAVAILABLE' 'once is not unavailable'
like "$(seen 3)" '=== UNAVAILABLE ===
  no/such
  search:xylophone
  search:notes: xylophone
' 'twice is'
like "$(results 4)" 'note no/such is UNAVAILABLE; it was not looked for again' 'a third request is not carried out'
like "$(results 4)" 'search xylophone is UNAVAILABLE; it was not tried again' 'nor a third search'
like "$(results 4)" 'projects/sum/code' 'while another one finds something'

ask='{"status":"continue","current_phase":"gathering","add_emails":[{"message_id":"<no@such>","folder":""}],"read_attachments":[{"message_id":"<@ID@>","filename":"none.c"}],"write_notes":[{"key":"scratch/tried","content":"x","mode":"append"}]'
printf '%s}\n' "$ask" "$ask" "$ask,\"search_emails\":[{\"subject\":\"still not\"}]" >"$WORK/three"
echo "$done_now" | cat "$WORK/three" - | answers
mail_in 'Still not there' <<<'the file'
like "$(results 2)" 'mail <no@such>: there is none; look for it with search_emails
attachment none.c of <[^>]+>: there is none; take the filename as its mail lists it' 'mails and attachments that are not there are said'
like "$(results 4)" 'mail <no@such> is UNAVAILABLE; it was not looked for again' 'a third request for a mail is not carried out'
like "$(results 4)" 'attachment none.c of <[^>]+> is UNAVAILABLE; it was not looked for again' 'nor one for an attachment'
like "$(results 4)" 'search subject:"still not": 1 found' 'several words are one phrase of their field'

answers <<'END'
{"status":"continue","current_phase":"gathering","working_note":"half","search_notes":["zither"]}
{"status":"complete","current_phase":"complete","send_emails":[{"to":[],"body":"Done."}]}
END
mail_in 'Park' --max-iterations 1 <<<'and go on'
like "$(seen 1)" 'This is the last step of this run: leave a working_note' 'the last step of a run is told that it is'
python3 - "$(grep -rl continuation.json "$HOME_DIR/mail/envoy" | head -n 1)" >"$WORK/py" <<'P'
import sys, email, email.policy, json
m = email.message_from_binary_file(open(sys.argv[-1], 'rb'), policy=email.policy.default)
doc = json.loads(list(m.iter_attachments())[0].get_payload(decode=True))
print(doc['attempted_searches'], doc['failed_fetches'])
P
is "$(cat "$WORK/py")" "['notes: zither'] {'search:notes: zither': 1}" 'searches travel in continuation.json'
ok 'the job goes on' pr serve --once
like "$(seen 2)" '  notes: zither' 'and are known when it goes on'
unlike "$(seen 2)" 'last step of this run' 'and others are not told so'
unlike "$(seen 2)" 'YOU WROTE' 'its checkpoint is no mail that it wrote'
unlike "$(seen 2)" 'EARLIER MAIL' 'nor one that it got'

# --- what was gathered, by way of the mailbox alone ---

answers <<END
{"status":"complete","current_phase":"complete","send_emails":[{"to":[],"body":"Noted."}]}
END
mail_in 'Zebra facts' <<<'A zebra has stripes.'
zebra=$(sed -n 's/^Message-ID: <\(.*\)>$/\1/p' "$WORK/seen.1" | head -n 1)
answers <<END
{"status":"continue","current_phase":"gathering","add_emails":[{"message_id":"<$zebra>","folder":"Done"}],"add_notes":["no/zebra"]}
{"status":"continue","current_phase":"gathering","add_notes":["no/zebra"]}
{"status":"continue","current_phase":"gathering","add_notes":["no/zebra"],"search_notes":["okapi"]}
{"status":"complete","current_phase":"complete","send_emails":[{"to":[],"body":"Stripes."}]}
END
mail_in 'Zebra?' --max-iterations 2 <<<'What do we know?'
c=$(grep -rl continuation.json "$HOME_DIR/mail/envoy/new" "$HOME_DIR/mail/envoy/cur" | head -n 1)
python3 - "$c" >"$WORK/py" <<'P'
import sys, email, email.policy, json
m = email.message_from_binary_file(open(sys.argv[1], 'rb'), policy=email.policy.default)
print(m['Message-ID'].strip())
doc = json.loads(list(m.iter_attachments())[0].get_payload(decode=True))
print(doc['gathered_email_refs'], doc['failed_fetches']['no/zebra'])
P
is "$(sed 1d "$WORK/py")" "[{'message_id': '<$zebra>', 'folder': 'Done'}] 2" 'gathered_email_refs are Message-ID and folder'
like "$(pr --json mail show "$(sed -n 1p "$WORK/py")")" '"continuation": \{.*"gathered_email_refs"' 'mail show --json has the continuation'
mkdir -p "$HOME_DIR/mail/envoy/.Later/cur" "$HOME_DIR/mail/envoy/.Later/new" "$HOME_DIR/mail/envoy/.Later/tmp"
for f in $(grep -rl 'A zebra has stripes' "$HOME_DIR/mail/envoy/.Done"); do mv "$f" "$HOME_DIR/mail/envoy/.Later/cur/"; done
rm -rf "$HOME_DIR/state"
pr serve --once >/dev/null 2>&1
like "$(seen 3)" 'GATHERED MAIL.*A zebra has stripes' 'a gathered mail is fetched again by its id, from the hinted folder or any other'
like "$(seen 3)" '=== UNAVAILABLE ===
  no/zebra' 'failed fetches are restored'
like "$(results 4)" 'note no/zebra is UNAVAILABLE; it was not looked for again' 'and not asked for again'

# --- a checkpoint is no effect ---

answers <<'END'
{"status":"continue","current_phase":"working","working_note":"thinking"}
{"status":"complete","current_phase":"complete"}
{"status":"complete","current_phase":"complete","send_emails":[{"to":[],"body":"Really done."}]}
END
mail_in 'Lazy' --max-iterations 1 <<<'please'
ok 'a job that has only written its checkpoint' pr serve --once
like "$(results 3)" 'complete was refused' 'has done nothing yet: complete is refused'
like "$(newest)" 'Really done' 'until it answers'

# --- the mail itself is deleted meanwhile ---

answers <<END
{"status":"continue","current_phase":"gathering","working_note":"half","read_attachments":[{"message_id":"<@ID@>","filename":"x.py"}]}
$done_now
END
echo 'x = 1' >"$WORK/x.py"
mail_in 'Soon away' --max-iterations 1 -a "$WORK/x.py" <<<'please'
rm $(grep -rl '^Subject: Soon away' "$HOME_DIR/mail/envoy/.Active")
ok 'the job goes on' pr serve --once
like "$(seen 2)" '=== ORIGINAL MAIL[^
]* ===
Subject: Soon away
From: you@postrider.local

UNAVAILABLE: the mail itself is gone.' 'what is known of the mail is shown, and that it is gone'
like "$(seen 2)" '=== ATTACHMENT: x.py [^
]* ===
UNAVAILABLE: it is gone.' 'and of what was attached to it'

# --- the next round ---

answers <<END
{"status":"continue","current_phase":"composing","working_note":"of the first round","bundle_key":"scratch/first","write_notes":[{"key":"scratch/first","content":"x","mode":"replace"}]}
{"status":"continue","current_phase":"composing","write_notes":[{"key":"scratch/second","content":"x","mode":"replace"}]}
{"status":"complete","current_phase":"complete","send_emails":[{"to":[],"body":"One."}]}
{"status":"complete","current_phase":"complete"}
$done_now
$done_now
END
mail_in 'Twice' <<<'please'
one=$(newest | sed -n 's/^Message-ID: //p')
pr send --to envoy --subject 'Re: Twice' --in-reply-to "$one" <<<'And more.' >/dev/null
pass_once
like "$(seen 3)" 'NOTE: scratch/first .*of the first round|of the first round.*NOTE: scratch/first ' 'a working note and a bundle that are left out stay as they were'
like "$(seen 4)" 'round 2, step 1 of this round; the phase is triage' 'another question begins in the first phase'
unlike "$(seen 4)" 'of the first round' 'without the working note of the last one'
like "$(results 5)" 'complete was refused' 'and what the last round did is no effect of this one'
pr send --to envoy --subject 'Re: Twice' --in-reply-to "$one" <<<'To the first.' >/dev/null
pass_once
like "$(seen 6)" 'YOU WROTE [^
]*
[^=]*
One\.
' 'the mail that the newest one answers is there in full'
like "$(seen 6)" 'Done\.' 'and so are the others, while there is room'
unlike "$(seen 6)" 'reply STOP, STATUS, WHY' 'without the line that ends our mails'

# --- an end that is none ---

answers <<'END'
{"status":"complete","current_phase":"complete","move_emails":[{"message_id":"<@ID@>","folder":"Archive"}],"send_emails":[{"to":[],"body":"See there.","attachments":[{"note_key":"projects/none","filename":"a.txt"}]}]}
{"status":"waiting","current_phase":"waiting","wait":{"for":"reply","until":"","then":"continue"}}
END
mail_in 'Not the end' <<<'please'
is "$(db "SELECT folder FROM message WHERE subject = 'Not the end' AND class = 'task'")" Active 'an end that was none moves no mail'

# --- answers from a file ---

cat >"$HOME_DIR/scripts/two.jsonl" <<'END'
{"status":"continue","current_phase":"working","write_notes":[{"key":"scratch/script","content":"by script","mode":"replace"}]}
{"status":"complete","current_phase":"complete","send_emails":[{"to":[],"body":"The script says so."}]}
END
pr config set 'brain default' kind script && pr config set 'brain default' script scripts/two.jsonl
mail_in 'Script' <<<'please'
like "$(newest)" 'The script says so' 'a script is a brain too'
is "$(pr note get scratch/script)" 'by script' 'and writes notes'

done_testing
