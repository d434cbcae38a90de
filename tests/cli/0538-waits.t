#!/usr/bin/env bash
# Waits: one that was given as a span lasts as long, however the clock is set meanwhile; a moment stays that moment.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/loop.sh"

done_step='{"status":"complete","current_phase":"complete","send_emails":[{"body":"All done."}]}'
YEAR=$((365 * 86400))
# Some weeks ahead, since files that are younger than now are not believed.
T0=$(($(date +%s) / 86400 * 86400 + 60 * 86400))
# WALL BOOT UPTIME VERB...: at that second after T0, on that boot, so long after it began
on() { local wall=$1 boot=$2@$3; shift 3; POSTRIDER_CLOCK=@$((T0 + wall)) POSTRIDER_BOOT=$boot pr "$@" 2>>"$WORK/log"; }
iso() { date -u -d "@$((T0 + $1))" +%Y-%m-%dT%H:%M:%SZ; }
count() { grep -rl -- "$1" "$HOME_DIR/mail/you/new" "$HOME_DIR/mail/you/cur" 2>/dev/null | wc -l; }

# A job that came to the limit of its run, by a clock that is a year ahead; it goes on after an hour.
parks()
{
    loop_home
    pr config set postrider continue-after 1h
    steps '{"status":"continue"}' "$done_step"
    on $YEAR a 1000 inject --subject 'go on' --run --max-iterations 1 </dev/null >/dev/null
    on $YEAR a 1000 serve --once
}
parks
is "$(job state) $(doc resume_after "$(checkpoint)") $(doc resume_span "$(checkpoint)")" "parked $(iso $((YEAR + 3600))) true" 'it is parked for an hour, by a clock that is a year ahead'
on 60 a 1060 serve --once
is "$(job state)" parked 'the clock is set back on the same boot: it waits on'
like "$(cat "$WORK/log")" 'the clock was set back by 365 d' 'and a line says what happened'
like "$(on 60 a 1060 show 1)" 'goes on in 59 min' 'people are told the time by the clock of now'
on 3540 a 4540 serve --once
is "$(job state)" parked 'a minute too soon'
on 3600 a 4600 serve --once
is "$(job state)" 'done' 'after its hour it goes on, not after a year'

parks
on 60 b 5 serve --once
is "$(job state)" parked 'set back over a boot: its hour begins anew'
on 3540 b 3485 serve --once
is "$(job state)" parked 'and is not over a minute too soon'
on 3660 b 3605 serve --once
is "$(job state)" 'done' 'then it goes on'

parks
on $((2 * YEAR)) a 1060 serve --once
is "$(job state)" parked 'set forward on the same boot: its hour is not over'
on $((2 * YEAR + 3540)) a 4600 serve --once
is "$(job state)" 'done' 'it is when an hour has passed'

parks
on $((YEAR + 3600)) b 5 serve --once
is "$(job state)" 'done' 'a machine that was off for that hour goes on at once'

# The store is lost, and only the checkpoint mail knows of the wait.
parks
rm -rf "$HOME_DIR/state"
on 60 b 5 serve --once
is "$(job state)" parked 'a lost store: the job is found in its mail'
on 3540 b 3485 serve --once
is "$(job state)" parked 'its hour begins anew'
on 3660 b 3605 serve --once
is "$(job state)" 'done' 'and ends'

# --- a moment ---
waits() # THEN SECONDS
{
    loop_home
    steps "{\"status\":\"waiting\",\"current_phase\":\"waiting\",\"send_emails\":[{\"body\":\"Which one?\"}],\"wait\":{\"for\":\"reply\",\"until\":\"$(iso "$2")\",\"then\":\"$1\"}}" "$done_step"
    on 0 a 1000 inject --subject choose --run </dev/null >/dev/null
    on 0 a 1000 serve --once
}
waits continue 7200
on 60 a 9000 serve --once
is "$(job state)" parked 'a moment: two hours pass, the clock was set back: it is not that time yet'
on 7200 a 9001 serve --once
is "$(job state)" 'done' 'the clock is set forward: now it is'

# --- a reminder, and the owner after it: the first is a moment, the second a span ---
waits remind 7200
on 7200 a 8200 serve --once
is "$(count 'A reminder')" 1 'a reminder goes out at its time'
on 0 b 5 serve --once
on 7100 b 7105 serve --once
is "$(count 'no answer since')" 0 'the clock is set back: the owner is not asked too soon'
on 7260 b 7265 serve --once
is "$(count 'no answer since')" 1 'but two hours later, as if nobody had set it'

# --- mail that is tried again, and a brain that is broken ---
loop_home
mkdir -p "$WORK/bin"
printf '#!/bin/sh\ncat >/dev/null\ntest -e "%s/open" || exit 75\n' "$WORK" >"$WORK/bin/sendmail"
chmod +x "$WORK/bin/sendmail"
PATH=$WORK/bin:$PATH
pr config set 'account main' smtp sendmail
echo out | on $YEAR a 1000 send --from envoy --to bob@test.example --subject outside >/dev/null
on $YEAR a 1000 submit
touch "$WORK/open"
state() { db "select state from delivery where address = 'bob@test.example'"; }
on 0 a 1290 submit
is "$(state)" retry 'mail that was tried a year ahead waits for its five minutes'
on 20 a 1310 submit
is "$(state)" sent 'and leaves then'

loop_home # without a script
on $YEAR a 1000 inject --subject broken --run </dev/null >/dev/null
is "$(job state)" queued 'a brain that is broken: its job waits'
steps "$done_step"
on 0 b 5 serve --once
is "$(job state)" queued 'the clock is set back: it waits for five minutes'
on 300 b 305 serve --once
is "$(job state)" 'done' 'and is tried then'
done_testing
