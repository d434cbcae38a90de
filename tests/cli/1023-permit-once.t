#!/usr/bin/env bash
# A yes is for one call of one session: the same call once more, or in another session, is asked about again.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/permit.sh"

ok 'a home' agent_home claude
script <<'END'
bash push
bash push
result pushed twice
END
mail_coder 'Twice' <<<'Push, and push again.'
is "$(asked) $(ran)" '1 ' 'the first call waits'
reply "$(question)" APPROVE
is "$(ran | wc -l) $(asked)" '1 1' 'the yes is used up: the same call again is a question of its own'
is "$(job_state)" parked 'and the job waits for it'
reply "$(question)" APPROVE
is "$(ran | wc -l) $(asked) $(job_state)" '2 0 done' 'with a second yes it is made once more'
is "$(db "SELECT count(*) FROM question WHERE used_us IS NOT NULL")" 2 'two calls, two yeses'

script <<'END'
bash deploy
result deployed
END
: >"$WORK/agent/calls.jsonl"
mail_coder 'Gone' <<<'Deploy.'
first=$(question)
is "$(asked) $(job_state 2)" '1 parked' 'another call waits'
rm "$WORK/agent"/*.json
reply "$first" APPROVE
is "$(ran) $(asked)" ' 1' 'its session is gone: the call of the new one is not the one that was granted'
isnt "$(question)" "$first" 'and is asked about by a mail of its own'
reply "$(question)" APPROVE
is "$(ran) $(job_state 2)" 'Bash deploy done' 'after that yes it is made, once'
done_testing
