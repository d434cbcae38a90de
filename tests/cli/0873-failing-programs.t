#!/usr/bin/env bash
# Programs that fail: run again after 30 s, 5 min, 30 min, unless they say that it is no use; then one mail with
# what they said.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/loop.sh"

T0=1800000000
at() { local s=$1; shift; POSTRIDER_CLOCK=@$((T0 + s)) pr "$@"; }
runs() { cat "$WORK/runs" 2>/dev/null | wc -l; }
program_home() # LINES...: what the program does behind its count
{
    rm -f "$WORK/runs"
    loop_home
    pr config set postrider ack-after 0
    pr config set 'brain default' kind command
    pr config set 'brain default' command "$HOME_DIR/scripts/agent"
    { echo '#!/bin/sh'; echo "echo run >>'$WORK/runs'"; printf '%s\n' "$@"; } >"$HOME_DIR/scripts/agent"
    chmod +x "$HOME_DIR/scripts/agent"
}
fails='for i in $(seq 30); do echo "out $i"; echo "err $i" >&2; done; exit 3'

program_home "$fails"
at 0 inject --subject s --run </dev/null >/dev/null 2>&1
is "$(job state) $(runs) $(to_you)" 'queued 1 0' 'a program that exits with 3 is put back, and nobody hears of it'
like "$(at 1 show 1)" 'exit 3: err 30' 'show says why it waits'
for s in 29 30 329 330 2129; do at $s serve --once 2>/dev/null; echo "$s:$(runs)"; done >"$WORK/seen"
is "$(tr '\n' ' ' <"$WORK/seen")" '29:1 30:2 329:2 330:3 2129:3 ' 'it is run again after 30 s, 5 min'
at 2130 serve --once 2>/dev/null
is "$(job state) $(runs) $(to_you)" 'failed 4 1' 'and 30 min; then the job fails, with one mail'
ok 'that says how often' you_have 'exit 3: err 30 (it failed 4 times)'
body=$(cat "$HOME_DIR"/mail/you/new/* | tr '\n' ' ')
like "$body" 'out 11 .*out 30 .*err 11 .*err 30' 'it has the last 20 lines of stdout and of stderr'
unlike "$body" 'out 10|err 10' 'and no more'
like "$(at 2131 show 1@1 | tr '\n' ' ')" 'what the brain said: out 11 .*out 30 .*err 11 .*err 30' 'so has show'
at 2132 continue 1 >/dev/null
at 2132 serve --once 2>/dev/null
is "$(job state) $(runs)" 'queued 5' 'CONTINUE begins anew'

program_home '[ $(wc -l <'"'$WORK/runs'"') -gt 1 ] || { echo "no luck" >&2; exit 75; }' 'echo "Here it is."'
at 0 inject --subject s --run </dev/null >/dev/null 2>&1
at 30 serve --once
is "$(job state) $(runs) $(to_you)" 'done 2 1' 'one that works the second time has answered'
ok 'and only that is heard' you_have 'Here it is.'

for never in 64 65 66 77 78; do
    program_home "echo 'no such thing' >&2; exit $never"
    at 0 inject --subject s --run </dev/null >/dev/null 2>&1
    is "$(job state) $(runs) $(to_you)" 'failed 1 1' "exit $never says never: the job fails at once, with one mail"
done
ok 'with its words' you_have 'no such thing'

program_home 'kill -KILL $$'
at 0 inject --subject s --run </dev/null >/dev/null 2>&1
is "$(job state) $(runs)" 'queued 1' 'one that was killed is run again too'

# Two runs are killed, then the program fails by itself, as often as any other.
program_home '[ $(wc -l <'"'$WORK/runs'"') -gt 2 ] || { kill -KILL $PPID; exec sleep 300; }' 'echo "no luck" >&2; exit 3'
at 0 inject --subject s --run </dev/null >/dev/null 2>&1
for s in 0 10 11 40 41 340 341 2140; do at $s serve --once 2>/dev/null; echo "$s:$(runs)"; done >"$WORK/seen"
is "$(tr '\n' ' ' <"$WORK/seen")" '0:2 10:2 11:3 40:3 41:4 340:4 341:5 2140:5 ' 'what a killed run lost is no try of the program'
at 2141 serve --once 2>/dev/null
is "$(job state) $(runs) $(to_you)" 'failed 6 1' 'which is given up at its own fourth failure'
ok 'with that count' you_have 'exit 3: no luck (it failed 4 times)'

program_home 'touch changed; exit 1'
pr config set 'role envoy' retry no
at 0 inject --subject s --run </dev/null >/dev/null 2>&1
is "$(job state) $(runs) $(to_you)" 'failed 1 1' 'retry = no: a program that may have changed something is run once'
ok 'and the mail says so' you_have 'exit 1 (it was run once: retry'

program_home 'exit 1'
pr config set 'role envoy' max-attempts 2
at 0 inject --subject s --run </dev/null >/dev/null 2>&1
at 30 serve --once 2>/dev/null
is "$(job state) $(to_you)" 'failed 1' 'max-attempts 2: it fails after the second'
ok 'with its own reason' you_have 'exit 1 (it failed 2 times)'

program_home 'cat >/dev/null; exit 1'
pr config set 'role envoy' mode steps
at 0 inject --subject s --run </dev/null >/dev/null 2>&1
is "$(job state) $(runs)" 'queued 1' 'a program that is asked in steps likewise'
done_testing
