#!/usr/bin/env bash
# Behind the wall: the resource limits of the brain hold, and STOP leaves a program its grace.
. "$(dirname "$0")/../lib/tap.sh"
unset POSTRIDER_TEST_SANDBOX
BASE=$(wall_base wall) || exit 1
end() { rm -rf "$BASE"; tap_end; }
trap end EXIT
HOME=$BASE/op HOME_DIR=$BASE/home
mkdir "$HOME"
pr init >/dev/null
pr config set 'brain default' command "$BASE/agent"
pr config set 'role envoy' sandbox required
! pr status | grep -q 'starts no program' || skip_all 'bubblewrap does not work here'
agent() { { echo '#!/bin/bash'; cat; } >"$BASE/agent"; chmod +x "$BASE/agent"; }
ask() { pr ask "$1" 2>&1; }

# --- limits ---
agent <<'END'
cat >/dev/null
[ -e "$HOME/../home/key" ] && echo open || echo walled
echo "space $(ulimit -v), files $(ulimit -n)"
head -c 1500000000 /dev/zero | tail -n 1 | wc -c
echo "status ${PIPESTATUS[1]}"
END
like "$(ask 'How much?')" 'walled.*space unlimited, files 1024' 'without a limit there is none but that of open files'
pr config set 'brain default' memory 1g
said=$(ask 'How much now?')
like "$said" 'walled.*space 1048576, files 1024' 'a limit of memory holds behind the wall'
like "$said" 'status [^0]' 'and a program that takes more is refused it'

# --- STOP ---
pr config set 'brain default' memory 0
agent <<END
cat >/dev/null
trap 'echo went >"\$POSTRIDER_OUT/went"; exit 0' TERM
touch "\$POSTRIDER_OUT/began"
while :; do sleep 1000 & wait \$!; done
END
began() { ls "$HOME_DIR"/work/envoy/*/out/began; }
went() { ls "$HOME_DIR"/work/envoy/*/out/went; }
stopped() { [ "$(db "SELECT state FROM job ORDER BY id DESC LIMIT 1")" = stopped ] && ! pgrep -f "$BASE/agent"; }
pr ask 'Something long.' >/dev/null 2>&1 & run=$!
ok 'a program works behind the wall' wait_for began
exits 0 'STOP' pr stop "$(db 'SELECT max(id) FROM job')"
ok 'it could put things away' wait_for went
ok 'and is gone' wait_for stopped
wait $run

# One that does not hear is ended all the same, with all that it has started.
rm -f "$HOME_DIR"/work/envoy/*/out/*
agent <<END
cat >/dev/null
trap '' TERM
touch "\$POSTRIDER_OUT/began"
setsid sh -c 'trap "" TERM; exec sleep 1000' '$BASE/agent-deaf' &
while :; do sleep 1000; done
END
pr ask 'Something deaf.' >/dev/null 2>&1 & run=$!
ok 'another one works' wait_for began
exits 0 'STOP' pr stop "$(db 'SELECT max(id) FROM job')"
ok 'one that is deaf to it is gone too' wait_for stopped
wait $run
is "$(pgrep -fc "$BASE/agent")" 0 'and nothing is left of it'
done_testing
