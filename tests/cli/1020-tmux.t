#!/usr/bin/env bash
# tmux = yes: a window that runs `postrider watch JOB`, or `watch --date` for a briefing, never the agent itself. Closing it, or tmux, touches no work.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/agent.sh"
command -v tmux >/dev/null || skip_all 'no tmux here'

term() { env -u TMUX tmux -S "$HOME_DIR/state/tmux" "$@"; }
windows() { term list-windows -a -F '#{session_name}:#{window_name}' 2>/dev/null; }
has_window() { windows | grep -qxF "postrider:$1"; }
screen() { term capture-pane -p -J -t "=postrider:$1" 2>/dev/null; }
on_screen() { screen "$1" | grep -q -- "$2"; }
no_server() { ! term has-session 2>/dev/null; }
at_door() { [ "$(grep -c . "$WORK/came")" = "$1" ]; }
pass_once() { pr serve --once >/dev/null 2>"$WORK/once.log"; }

agent_home
agent_does <<S
sh echo here >>$WORK/came
text I LOOK AT IT
sh read -r _ <$WORK/door
result answered
S
trap 'term kill-server 2>/dev/null; tap_end' EXIT
: >"$WORK/came"

exits 0 'the setting' pr config set 'role envoy' tmux yes
exits 0 'is one that is known' pr config check
shut_door
echo 'a task' | pr send --to envoy --subject 'a task' >/dev/null
pass_once &
ok 'the agent works' wait_for at_door 1
ok 'and has a window' wait_for has_window envoy-1
pane=$(term list-panes -a -F '#{pane_pid}')
like "$(tr '\0' ' ' <"/proc/$pane/cmdline")" "--home $HOME_DIR watch 1 " 'which runs watch'
is "$(term list-panes -a -F '#{pane_start_command}' | grep -c stub)" 0 'and not the agent'
ok 'what the agent says stands there' wait_for on_screen envoy-1 'I LOOK AT IT'
server=$(term display-message -p '#{pid}')
is "$(tr '\0' '\n' <"/proc/$server/environ" | grep -c '^POSTRIDER_\(WORK\|PORT\|ROLE\|JOB\)=')" 0 'the server has nothing of the job'
is "$(find "/proc/$server/fd" -lname '*lock' 2>/dev/null | wc -l)" 0 'and holds no lock of ours'
open_door
wait
ok 'it is answered' you_have answered
ok 'the window has closed with its job, and tmux with the last window' wait_for no_server
is "$(grep -c 'no window' "$WORK/once.log")" 0 'nothing was to be complained of'

# Two jobs, two windows; a killed server hurts nobody.
pr config set 'brain default' at-once 2
shut_door
for n in 2 3; do echo "task $n" | pr send --to envoy --subject "task $n" >/dev/null; done
start_serve
ok 'two more work' wait_for at_door 3
ok 'each has a window' wait_for has_window envoy-2
ok 'in the same session' wait_for has_window envoy-3
is "$(term list-sessions | wc -l)" 1 'which is one'
term kill-server
open_door
all_done() { [ "$(db "SELECT count(*) FROM job WHERE state = 'done'")" = 3 ]; }
ok 'both are done though tmux was killed' wait_for all_done
stop_serve

# A job that is tried again has its window still, and no second one.
agent_does <<S
sh [ -e $WORK/fell ] || { : >$WORK/fell; kill -KILL \$PPID; }
sh echo here >>$WORK/came
sh read -r _ <$WORK/door
result answered
S
shut_door
echo 'task 4' | pr send --to envoy --subject 'task 4' >/dev/null
pass_once
is "$(db "SELECT state FROM job WHERE id = 4")" queued 'a program fell, and is run again later'
ok 'its window stays' wait_for has_window envoy-4
POSTRIDER_CLOCK=+3600 pass_once &
ok 'it works again' wait_for at_door 4
windows_of_4() { [ "$(windows | grep -c envoy-4)" = 1 ]; }
ok 'in the same window' windows_of_4
open_door
wait
ok 'and that closes, too' wait_for no_server

# A briefing's window has the name of its date, and shows what `watch --date` does.
D=2026-02-09
pr config set report role envoy
echo '# Good morning' | pr briefing send $D - >/dev/null
agent_does <<S
sh echo here >>$WORK/came
text I READ THE THREAD
sh read -r _ <$WORK/door
result answered
S
shut_door
echo 'And the dentist?' | pr send --to envoy --in-reply-to "<envoy-$D@envoy.local>" --subject 'Re: Good morning' >/dev/null
pass_once &
ok 'an agent answers a reply to a briefing' wait_for at_door 5
ok 'its window is called by the date' wait_for has_window "envoy-$D"
like "$(tr '\0' ' ' <"/proc/$(term list-panes -a -F '#{pane_pid}')/cmdline")" " watch --role envoy --date $D " 'and runs watch --date'
ok 'what the agent says stands there' wait_for on_screen "envoy-$D" 'I READ THE THREAD'
open_door
wait
ok 'it closes when the reply is answered' wait_for no_server
briefing_job=$(db "SELECT job FROM report WHERE date = '$D'")

# No tmux: one line, and the work goes on.
mkdir "$WORK/few" && for tool in env sh cat head git bash python3 bwrap sed; do ln -sf "$(command -v $tool)" "$WORK/few/$tool"; done
echo 'task 5' | pr send --to envoy --subject 'task 5' >/dev/null
(PATH=$WORK/few pass_once)
is "$(db "SELECT state FROM job WHERE id > $briefing_job")" done 'without tmux the work is done'
like "$(cat "$WORK/once.log")" "no window to watch the job in.*tmux" 'and one line says what was missing'

pr config set 'role envoy' tmux no
echo 'task 6' | pr send --to envoy --subject 'task 6' >/dev/null
ok 'tmux = no' pass_once
ok 'starts no tmux' no_server
is "$(pr config set 'role envoy' tmux perhaps 2>&1 | wc -l)" 1 'what is neither yes nor no is refused in one line'
done_testing
