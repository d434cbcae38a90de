#!/usr/bin/env bash
# Several processes that write and checkpoint one store: SQLite alone damages it, the write gate does not.
. "$(dirname "$0")/../lib/tap.sh"
stress=$(dirname "$POSTRIDER_PLAIN_BIN")/bench/gate_stress
seconds=${SOAK_SECONDS:-600}
writers=6
checkpointers=4
slice=10 # seconds; most runs that do damage have done it by then

# In memory where that is possible: the race is one between processes, a disk only slows it down.
room=$(mktemp -d /dev/shm/t.XXXXXX 2>/dev/null) || room=$WORK
trap '[ "$room" = "$WORK" ] || rm -rf "$room"; tap_end' EXIT
export TMPDIR=$room

stress_for() { run "$stress" "$1" "$writers" "$checkpointers" "$2"; }

end=$((SECONDS + seconds))
until stress_for "$slice" nogate; [ "$STATUS" -ne 0 ] || [ "$SECONDS" -ge "$end" ]; do
    :
done
diag "$OUT"
case $STATUS in
    1) pass 'without the gate the store is damaged' ;;
    0) skip 'without the gate the store is damaged' "not in $seconds s; SQLite has mended it from 3.51.3 on" ;;
    *) fail 'without the gate the store is damaged' "exit $STATUS: $ERR" ;;
esac

stress_for "$seconds" gate
diag "$OUT"
is "$STATUS" 0 "with the gate it is clean after $seconds s"

# "writer 0: 50883 commits, worst wait 72.1 ms": nobody starves.
spread=$(awk '/^writer/ { if (!low || $3 < low) low = $3; if ($3 > high) high = $3; if ($7 > worst) worst = $7 }
    END { print (low * 3 >= high && worst < 5000) ? "fair" : low " to " high " commits, worst wait " worst " ms" }' <<<"$OUT")
is "$spread" fair 'its queue is fair: no writer has less than a third of another, none waits for 5 s'

done_testing
