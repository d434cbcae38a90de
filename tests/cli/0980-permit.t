#!/usr/bin/env bash
# What an agent may not do by itself it asks by mail; after the yes it does exactly that, once.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/permit.sh"

ok 'a home with an agent' agent_home claude
pr config set 'role coder' allow 'git status, make test'

# --- asked, everything ended, APPROVE two days later ---

script <<'END'
text I look around.
bash git status
bash touch deployed
result It says: {tool}
END
mail_coder 'Deploy it' <<<'Please deploy.'
is "$(ran)" 'Bash git status' 'what is allowed runs, what is not does not'
is "$(asked) $(job_state)" '1 parked' 'one question is open, and the job waits'
mail=$(last_text)
like "$mail" 'May this be done\? Nothing of it has happened yet' 'one mail asks'
like "$mail" 'Job 1 of coder would use Bash in .*/src\. It asks, since it is none of the commands' 'says who, what, where and why'
like "$mail" $'\n\\| touch deployed\n' 'shows the command'
like "$mail" 'covers: role coder, tool Bash, exactly this command, in the folder' 'and what a longer yes covers'
like "$(pr status)" 'job 1 asks: may it do this\? Bash: touch deployed\. postrider approve' 'status lists it'
like "$(pr show 1)" "waits for a person's yes" 'show says what the job waits for'
like "$(pr job log 1)" 'may it do this' 'and its log'
pass_at 7200
is "$(ran)" 'Bash git status' 'silence is no yes'
pass_at 172800
reply "$(question)" APPROVE
is "$(ran)" $'Bash git status\nBash touch deployed' 'after the yes that call runs, and no other'
ok 'it really ran' test -e "$WORK/src/deployed"
is "$(job_state) $(asked)" 'done 0' 'and the job is done'
like "$(last_text)" 'It says:' 'with its answer'
is "$(db 'SELECT count(*) FROM question WHERE used_us IS NOT NULL')" 1 'the yes is used'
is "$(grep -c '"start"' "$WORK/agent/calls.jsonl")" 2 'two processes'
is "$(grep -c '"prompt"' "$WORK/agent/calls.jsonl")" 1 'of which the second had no prompt'
reply "$(question)" APPROVE
like "$(last_text)" 'This was approved by you@postrider.local' 'a second yes changes nothing'
is "$(ran | wc -l)" 2 'and runs nothing'

# --- two calls in one answer ---

script <<'END'
bash touch one
also bash touch two
bash touch two
result both
END
: >"$WORK/agent/calls.jsonl"
mail_coder 'Two' <<<'Both, please.'
is "$(asked) $(ran)" '1 ' 'of two calls in one answer the first is asked'
like "$(grep '"hook"' "$WORK/agent/calls.jsonl" | tail -n 1)" 'One at a time' 'the other is put off'
reply "$(question)" APPROVE
is "$(ran)" 'Bash touch one' 'the first runs'
is "$(asked)" 1 'and the other, made again, is asked'
reply "$(question)" yes
is "$(ran)" $'Bash touch one\nBash touch two' 'so none is lost'

# --- no ---

script <<'END'
bash rm -rf everything
result The owner said: {reason}
---
bash rm -rf everything
result Again: {reason}
END
: >"$WORK/agent/calls.jsonl"
mail_coder 'Clean' <<<'Clean up.'
reply "$(question)" 'REJECT: not on a Monday'
is "$(ran)" '' 'what was refused does not run'
like "$(last_text)" 'The owner said: .*said no to this call: not on a Monday' 'and the reason reaches the model'

script <<'END'
bash make mess
result Heard: {reason}
END
mail_coder 'Words' <<<'Do it.'
reply "$(question)" 'Please use make tidy instead.'
is "$(ran)" '' 'words are a no'
like "$(last_text)" 'Heard: .*: Please use make tidy instead' 'with these words'
is "$(db "SELECT state FROM question ORDER BY id DESC LIMIT 1")" rejected 'and settle the question'

# --- who may, and when it is too late ---

pr config set 'person bob' address bob@postrider.local
pr config set 'person bob' may 'ask steer'
script <<'END'
bash touch asked-for
result made
---
bash touch asked-for
result It waits: {reason}
---
bash touch asked-for
result made
END
mail_coder 'Late' <<<'Do it.'
reply "$(question)" APPROVE bob
is "$(ran) $(asked)" ' 1' 'a yes of somebody who may not approve does not count'
reply "$(question)" 'APPROVE UNTIL WHENEVER'
is "$(ran) $(asked)" ' 1' 'nor one until no time'
like "$(last_text)" "'whenever' is no time" 'which is said'
job=$(db 'SELECT max(id) FROM job')
pr stop "$job" >/dev/null
reply "$(question)" APPROVE
is "$(ran) $(job_state "$job")" ' stopped' 'after STOP a yes does not count'
like "$(last_text)" "Job $job is stopped" 'which is said'
pr continue "$job" >/dev/null; once
is "$(ran) $(job_state "$job")" ' parked' 'CONTINUE is no yes'
like "$(last_text)" 'Still waits for a person' 'and the model hears that the call waits'
reply "$(question)" APPROVE
is "$(ran)" 'Bash touch asked-for' 'but the question counts again'
script <<'END'
bash touch cancelled
result made
END
: >"$WORK/agent/calls.jsonl"
mail_coder 'Cancelled' <<<'Do it.'
pr cancel "$(db 'SELECT max(id) FROM job')" >/dev/null
reply "$(question)" APPROVE
is "$(ran)" '' 'after CANCEL a yes does not count'
like "$(last_text)" 'was cancelled' 'which is said'

# --- the command line ---

script <<'END'
bash touch by-hand
result made
END
: >"$WORK/agent/calls.jsonl"
mail_coder 'By hand' <<<'Do it.'
n=$(number)
exits 64 'until what?' pr approve --until whenever "$n"
like "$(pr status)" "postrider approve $n" 'status names the mail'
ok 'approve on the command line' pr approve "$n"
like "$OUT" 'Approved. This happens now' 'says what follows'
exits 65 'once' pr approve "$n"
once
is "$(ran)" 'Bash touch by-hand' 'and it happens'

done_testing
