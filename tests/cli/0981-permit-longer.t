#!/usr/bin/env bash
# A yes for longer than once, a changed call, a reminder, several questions in one mail, and questions of the agent's own.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/permit.sh"

ok 'a home with an agent' agent_home claude
clear_calls() { : >"$WORK/agent/calls.jsonl"; }
ran_n() { ran | wc -l; }
job() { db 'SELECT max(id) FROM job'; }

# --- ALWAYS ---

script <<'END'
bash make deploy
result done
END
mail_coder 'First' <<<'Deploy.'
reply "$(question)" 'APPROVE ALWAYS'
like "$(last_text)" 'done' 'ALWAYS lets it happen'
is "$(ran)" 'Bash make deploy' 'once'
mail_coder 'Second' <<<'Deploy.'
is "$(ran_n) $(asked)" '2 0' 'and the next time without a question'
script <<'END'
bash make deploy x
result done
END
mail_coder 'Other' <<<'Deploy.'
is "$(ran_n) $(asked)" '2 1' 'another command is asked about'
reply "$(question)" REJECT
like "$(pr permit list)" 'coder +Bash +always +1 .*make deploy' 'permit list shows it, with its uses'
is "$(pr --json permit list | python3 -c 'import json,sys; p=json.load(sys.stdin)[0]; print(p["role"], p["tool"], p["what"], p["covers"], p["left"], p["uses"])')" \
    'coder Bash command make deploy -1 1' 'as JSON too'
exits 66 'there is no other' pr permit revoke 7
exits 64 'which?' pr permit revoke x
ok 'revoke' pr permit revoke 1
exits 66 'once' pr permit revoke 1
is "$(pr --json permit list)" '[]' 'it is gone'
like "$(pr permit list --all)" 'revoked' 'but known'
script <<'END'
bash make deploy
result done
END
mail_coder 'Third' <<<'Deploy.'
is "$(ran_n) $(asked)" '2 1' 'what was revoked is asked about again'

# --- so often ---

reply "$(question)" 'APPROVE 3'
is "$(ran_n)" 3 'APPROVE 3 is one'
mail_coder 'a' <<<'Deploy.'
mail_coder 'b' <<<'Deploy.'
is "$(ran_n) $(asked)" '5 0' 'and two more'
mail_coder 'c' <<<'Deploy.'
is "$(ran_n) $(asked)" '5 1' 'and no fourth'

# --- until then ---

reply "$(question)" 'APPROVE UNTIL WED'
mail_coder 'd' <<<'Deploy.'
is "$(ran_n) $(asked)" '7 0' 'UNTIL WED holds on Monday'
pass_at $((3 * 86400))
mail_coder 'e' <<<'Deploy.'
is "$(ran_n) $(asked)" '7 1' 'and not on Thursday'
ok 'for longer on the command line' pr approve --times 2 "$(number)"
once
is "$(ran_n) $(pr --json permit list | grep -c '"left": 1')" '8 1' 'counts this one'
pr permit revoke "$(db 'SELECT max(id) FROM permit')" >/dev/null

# --- what configures an agent or git ---

pr config set 'role coder' permissions all
script <<'END'
bash echo free
bash cp x .git/hooks/pre-commit
result done
END
clear_calls
mail_coder 'Hooks' <<<'Set a hook.'
is "$(ran) $(asked)" 'Bash echo free 1' 'with permissions = all only what configures git is asked'
like "$(last_text)" 'This is asked each time' 'the mail says so'
reply "$(question)" 'APPROVE ALWAYS'
is "$(ran_n) $(asked)" '1 1' 'and no longer yes is taken'
reply "$(question)" 'REJECT'
pr config set 'role coder' permissions ask
script <<'END'
write notes.txt hello
result done
END
clear_calls
mail_coder 'Edit' <<<'Write.'
is "$(ran_n) $(asked)" '0 1' 'with permissions = ask an edit is asked'
like "$(last_text)" 'file_path: .*/src/notes.txt.*content:.*hello' 'and shown in full'
reply "$(question)" APPROVE
is "$(ran) $(cat "$WORK/src/notes.txt")" "Write $WORK/src/notes.txt hello" 'then made'
pr config set 'role coder' permissions edit

# --- a changed call ---

script <<'END'
bash push main
result {reason}
---
bash push --force main
result forced: {reason}
END
clear_calls
mail_coder 'Push' <<<'Push.'
first=$(question)
echo 'Never mind, do it with force.' | pr send --to coder --subject 'Re: Push' --in-reply-to "<$(db "SELECT original_msgid FROM job WHERE id = $(job)")>" >/dev/null
once
is "$(ran_n) $(asked)" '0 2' 'mail that comes meanwhile reaches the agent, and its changed call is a question of its own'
like "$(last_text)" '1\. Job .*push --force main.*Still open from before.*2\. Job .*push main' 'one mail shows both, numbered'
is "$(db "SELECT count(*) FROM asked WHERE msgid = '$(question)'")" 2 'as two'
reply "$(question)" '1 no: never with force, 3 yes'
like "$(last_text)" 'asks no question with the number 3' 'a number that is none changes nothing'
is "$(asked)" 2 'of anything'
reply "$(question)" '1 no: never with force, 2 no'
is "$(ran_n) $(asked)" '0 0' 'each is decided by its number'
like "$(db "SELECT group_concat(coalesce(why, '-')) FROM (SELECT why FROM question ORDER BY id DESC LIMIT 2)")" 'never with force,-' 'with its own reason'
like "$(last_text)" 'forced: .*never with force' 'which reaches the model'
reply "$first" APPROVE
is "$(ran_n)" 0 'an APPROVE of the first mail is too late'

# --- a reminder ---

script <<'END'
bash slow
result done
END
clear_calls
mail_coder 'Slow' <<<'Do it.'
before=$(got | wc -l)
now=$((3 * 86400))
pass_at $((now + 86399)); pass_at $((now + 86400))
is "$(got | wc -l)" $((before + 1)) 'after a day the owner is reminded'
like "$(last_text)" 'A reminder: job [0-9]+ still waits' 'by one mail'
reminder=$(db "SELECT msgid FROM outbox ORDER BY id DESC LIMIT 1")
pass_at $((now + 5 * 86400))
is "$(got | wc -l) $(asked) $(job_state "$(job)")" "$((before + 1)) 1 parked" 'and once only; the job waits on'
reply "$reminder" APPROVE
is "$(ran)" 'Bash slow' 'an answer to the reminder counts'

# --- questions of the agent's own ---

script <<'END'
ask Which colour?|Red|Blue|Green
result You want {tool}
END
clear_calls
mail_coder 'Colour' <<<'Paint it.'
is "$(asked) $(job_state "$(job)")" '1 parked' 'a question of the agent waits'
like "$(last_text)" 'Which colour\?.*1  Red.*2  Blue.*3  Green' 'and is mailed with numbered choices'
reply "$(question)" APPROVE
is "$(asked)" 1 'APPROVE is no answer'
reply "$(question)" 2
like "$(last_text)" '"Which colour\?"="Blue"' 'a number is'
is "$(ran)" 'AskUserQuestion {"Which colour?": "Blue"}' 'and becomes the result of the tool'
mail_coder 'Colour' <<<'Paint it.'
reply "$(question)" 'Something warmer, please'
like "$(last_text)" '"Which colour\?"="Something warmer, please"' 'so do words'
mail_coder 'Colour' <<<'Paint it.'
ok 'or on the command line' pr approve --answer green "$(number)"
once
like "$(last_text)" '"Which colour\?"="Green"' 'by its label'
mail_coder 'Colour' <<<'Paint it.'
reply "$(question)" 'REJECT: ask somebody else'
is "$(ran_n)" 3 'a question may be turned down'

# --- mail of other kinds knows no longer yes ---

like "$(pr help approve)" '--always' 'help says how'
exits 65 'held mail is approved once' pr approve --always "$(db 'SELECT max(id) FROM outbox')"

done_testing
