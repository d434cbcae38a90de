#!/usr/bin/env bash
# `fallback`: another brain is asked instead of waiting, from step to step, and named where it answered.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/loop.sh"
. "$(dirname "$0")/../lib/model.sh"

T0=1800000000
at() { local s=$1; shift; POSTRIDER_CLOCK=@$((T0 + s)) pr "$@"; }
calls() { cat "$WORK/fake.log" 2>/dev/null | wc -l; }
go='{"working_note":"first","write_notes":[{"key":"scratch/a","content":"x"}]}'
end='{"status":"complete","current_phase":"complete","send_emails":[{"body":"All done."}]}'
# LINES on stdin: what the model says; its deputy is the script brain `spare`
fallback_home()
{
    fake_end
    fake fake
    loop_home
    steps "$go" "$end"
    cat >>"$HOME_DIR/postrider.conf" <<END

[brain spare]
kind = script
script = scripts/steps.jsonl
END
    pr config set 'brain default' kind openai
    pr config set 'brain default' model m
    pr config set 'brain default' url "$URL"
    pr config set 'brain default' fallback spare
}

fallback_home <<<'{"fake":"429-long"}'
at 0 inject --subject s --run </dev/null >/dev/null 2>&1
is "$(job state) $(calls) $(to_you)" 'done 1 1' 'a model at its limit: another one answers, at once'
ok 'its mail names it' you_have ' by spare '
like "$(at 1 show 1@1)" $'\nbrain +spare\n' 'so does the step'
like "$(at 1 cost --by brain)" 'spare +2 ' 'and the sum of its costs'
at 60 inject --subject t --run </dev/null >/dev/null 2>&1
is "$(job state 2) $(calls)" 'done 1' 'until then the model is left alone'
like "$(at 61 status)" "the brain 'default' can't be asked" 'status says so'

second=$(tail -n 1 "$HOME_DIR/scripts/steps.jsonl")
fallback_home <<<$'{"fake":"500"}\n{"fake":"500"}\n{"fake":"500"}\n'"$second"
at 0 inject --subject s --run </dev/null >/dev/null 2>&1
is "$(job state) $(calls)" 'done 4' 'a step that failed there is asked here; the next one is asked there again'
like "$(at 1 show 1@1)" $'\nbrain +spare\n' 'the first step by the other'
like "$(at 1 show 1@2)" $'\nbrain +default\n' 'the second by its own'
ok 'whose mail names nobody' you_have 'All done'
not_ok 'indeed' you_have ' by '

fallback_home <<<'{"fake":"401"}'
at 0 inject --subject s --run </dev/null >/dev/null 2>&1
is "$(job state) $(to_you)" 'done 2' 'a model that is broken: it is answered, and the owner told of it'
ok 'as ever' you_have 'does not work'

fallback_home <<<'{"fake":"429-long"}'
pr config set 'brain spare' kind openai
pr config set 'brain spare' url http://127.0.0.1:1
at 0 inject --subject s --run </dev/null >/dev/null 2>&1
is "$(job state) $(calls)" 'queued 1' 'both away: the job waits'
pr config set 'brain spare' kind script
at 60 serve --once 2>/dev/null
is "$(job state)" done 'for the first that can be asked again'

# --- what does not fit ---
pr config set 'brain spare' fallback default 2>"$WORK/err"
like "$(cat "$WORK/err"; pr config check 2>&1)" 'the fallbacks from here lead in a circle' 'a circle is refused'
loop_home
printf '\n[brain spare]\nfallback = spare\n' >>"$HOME_DIR/postrider.conf"
exits 78 'so is its own deputy' pr config check
like "$ERR$OUT" 'lead in a circle' 'by the same words'
loop_home
printf '\n[brain a]\nfallback = spair\n\n[brain spare]\n' >>"$HOME_DIR/postrider.conf"
not_ok 'a deputy who is not there' pr config check
like "$ERR$OUT" 'there is no \[brain spair\]; did you mean' 'is named, with what may be meant'
loop_home
printf '\n[brain p]\nkind = command\ncommand = cat\nfallback = default\n\n[role worker]\nbrain = p\n' >>"$HOME_DIR/postrider.conf"
not_ok 'a model as the deputy of a program' pr config check
like "$ERR$OUT" 'works as a program: of \[brain p\] and its fallback \[brain default\] only one is a program' 'does not fit'
sed -i 's/^brain = p$/brain = p\nmode = steps/' "$HOME_DIR/postrider.conf"
: >"$HOME_DIR/scripts/steps.jsonl"
ok 'but in steps it does' pr config check
cat >"$HOME_DIR/scripts/where" <<END
#!/bin/sh
cat >/dev/null
pwd >'$WORK/where'
echo '{"status":"complete","current_phase":"complete","send_emails":[{"body":"Here."}]}'
END
chmod +x "$HOME_DIR/scripts/where"
pr config set 'brain p' command scripts/where 2>/dev/null
pr send --from you --to worker@postrider.local --subject where <<<'Where are you?' >/dev/null
pr serve --once 2>/dev/null
is "$(cat "$WORK/where")" "$HOME_DIR/work/worker/$(db "SELECT id FROM job WHERE role = 'worker'")" "and then its program runs in the job's folder"
done_testing
