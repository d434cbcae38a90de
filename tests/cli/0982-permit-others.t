#!/usr/bin/env bash
# Codex, which can't wait, and opencode, which asks by its settings: denied or rejected first, done after a yes.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/permit.sh"

# --- Codex ---

ok 'a home with Codex' agent_home codex
pr config set 'role coder' allow 'git status'
script <<'END'
bash git status
bash touch one
bash touch two
result I wait for your yes.
---
bash touch one
bash touch two
bash touch three
result Went on: {reason}
---
result At last.
END
mail_coder 'Two' <<<'Both, please.'
is "$(ran)" 'Bash git status' 'what is allowed runs, the rest is denied'
is "$(asked) $(job_state)" '2 parked' 'both are asked when its turn has ended'
mail=$(last_text)
like "$mail" 'May these be done\?.*1\. .*touch one.*2\. .*touch two' 'in one mail, numbered'
like "$mail" 'It says:.*I wait for your yes' 'with what it said'
like "$(grep '"hook"' "$WORK/agent/calls.jsonl" | tail -n 1)" 'End your turn now' 'the model is told to end its turn'
like "$(pr status)" "approve $(number).2, or reject $(number).2" 'status names each'
ok 'and the command line decides each' pr approve "$(number).1"
is "$(asked) $(job_state)" '1 parked' 'the job waits for the rest'
exits 65 'there is no ninth' pr approve "$(number).9"
reply "$(question)" '2 no: not two'
is "$(ran)" $'Bash git status\nBash touch one' 'the repeated call that was approved passes, the other does not'
like "$(grep '"hook"' "$WORK/agent/calls.jsonl" | tail -n 2 | head -n 1)" 'said no to this call: not two' 'whose reason reaches the model'
is "$(asked)" 1 'and what is new is asked'
like "$(grep '"prompt"' "$WORK/agent/calls.jsonl" | tail -n 1)" 'Bash: touch one was approved: make exactly this call again' 'the page says what to do'
reply "$(question)" REJECT
is "$(ran | wc -l) $(job_state)" '2 done' 'the end'

# --- opencode ---

rm -rf "$HOME_DIR" "$WORK/agent" "$WORK/src"
ok 'a home with opencode' agent_home opencode
pr config set 'role coder' allow 'git status'
script <<'END'
bash git status
bash touch one
---
bash touch one
bash touch two
---
result done
END
mail_coder 'One' <<<'Do it.'
is "$(ran)" 'Bash git status' 'what is allowed runs'
is "$(asked) $(job_state)" '1 parked' 'what opencode rejected by itself is asked'
like "$(last_text)" '\| touch one' 'as it was'
reply "$(question)" APPROVE
is "$(ran)" $'Bash git status\nBash touch one' 'the exact command is allowed in the next run'
is "$(asked)" 1 'and nothing else'
reply "$(question)" REJECT
is "$(job_state)" done 'the end'
script <<'END'
bash touch three
---
bash touch three
result once more
END
mail_coder 'Always' <<<'Do it.'
reply "$(question)" 'APPROVE 10'
is "$(asked)" 1 'opencode does not count, so a yes for ten times is none'
like "$(last_text)" 'say APPROVE, or APPROVE ALWAYS' 'which is said'
reply "$(question)" 'APPROVE ALWAYS'
is "$(asked) $(ran | tail -n 1)" '0 Bash touch three' 'always'
pr config set 'role coder' permissions all
script <<'END'
bash touch three
bash cat .git/config
---
result the end
END
mail_coder 'Always' <<<'Do it again.'
is "$(ran | tail -n 1)" 'Bash touch three' 'is always'
like "$(last_text)" '\| cat .git/config' 'and what configures git is asked, whatever is permitted'
pr config set 'role coder' permissions edit
reply "$(question)" REJECT
mkdir "$WORK/elsewhere"
pr config set 'role coder' workdir "$WORK/elsewhere"
mail_coder 'Elsewhere' <<<'Do it there.'
like "$(last_text)" '\| touch three' 'in another folder it is asked about'
reply "$(question)" REJECT
pr config set 'role coder' workdir "$WORK/src"
script <<'END'
bash rm *.o
---
result heard
END
mail_coder 'Wild' <<<'Do it.'
like "$(last_text)" "can't be granted alone: opencode takes" 'a command with a wildcard is no exact pattern'
reply "$(question)" APPROVE
is "$(asked)" 1 'so a yes does not count'
reply "$(question)" 'REJECT: name the files'
is "$(asked) $(ran | grep -c 'rm ')" '0 0' 'a no does'
pr config set 'role coder' permissions ask
script <<'END'
write notes words
---
result heard
END
mail_coder 'Write' <<<'Write it.'
like "$(last_text)" "can't be granted alone: opencode can be allowed exact commands.*permissions = edit" 'an edit of opencode can not be granted, and its mail says so'
reply "$(question)" APPROVE
is "$(asked)" 1 'so a yes does not count'
reply "$(question)" 'REJECT: say it in words'
is "$(asked) $(ls "$WORK/src/notes" 2>/dev/null)" '0 ' 'after a no it goes on, and nothing was written'

done_testing
