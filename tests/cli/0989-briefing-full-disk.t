#!/usr/bin/env bash
# The disk of the home is full while an agent answers a briefing: nothing is lost, and the service goes on by itself when there is
# room. The disk is one of our own, so this is for root alone; each single call: crash/walk-briefing-full.t.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/serve.sh"
mkdir "$WORK/fs"
[ "$(id -u)" = 0 ] && mount -t tmpfs -o size=6m none "$WORK/fs" 2>/dev/null || skip_all 'no right to mount a small disk'
trap 'umount -l "$WORK/fs" 2>/dev/null; tap_end' EXIT
HOME_DIR=$WORK/fs/home
. "$(dirname "$0")/../lib/briefing.sh"
fill() { head -c 8m /dev/zero >"$WORK/fs/fill" 2>/dev/null; head -c 4096 /dev/zero >"$WORK/fs/fill2" 2>/dev/null; }
room() { rm -f "$WORK"/fs/fill*; }
started() { [ "$(starts)" -ge "$1" ]; }
response() { [ -s "$R/responses/$1-response.md" ]; }
mailed() { grep -rlsE "^$1" "$HOME_DIR/mail/you/new" | wc -l; }
sections() { grep -c "^## Response to Reply #$1\$" "$R/thread.md"; }

briefing_home
sed -i "s|^echo \"Answer|echo 'likes tea' 2>/dev/null >>reports/memory.txt\n&|" "$WORK/agent"
send_briefing >/dev/null
start_serve
shut_door
reply 'first' >/dev/null
ok 'an agent works on a reply' wait_for started 1
ok 'its lock is there' test -s "$R/responses/.processing"
cp "$R/thread.md" "$WORK/before.md"
fill
open_door
ok 'the disk is full when it answers: the service says so' wait_for logged 'full\|No space'
ok 'thread.md is whole' cmp "$WORK/before.md" "$R/thread.md"
not_ok 'there is no half of a response' test -e "$R/responses/01-response.md"
exits 75 'a response by hand is refused for now' pr respond "$D" "$WORK/briefing.md"
like "$ERR" 'full|No space' 'and says why'
exits 0 'status works' pr briefing status
is "$(mailed Answer)" 0 'nothing has been mailed'
ok 'the service lives' kill -0 "$SERVE_PID"
room
WAIT=150 # who was at work is looked for once a minute
ok 'with room again it goes on by itself' wait_for response 01
is "$(sections 1)" 1 'one section'
reply 'second' >/dev/null
ok 'the next reply is answered' wait_for response 02
both() { [ "$(mailed Answer)" = 2 ]; }
ok 'each by one mail' wait_for both
unlike "$(thread)" '## NEW' 'nothing is open'
is "$(find "$R" -name '*.edited-*')" '' 'no file was taken for an edit'
is "$(sort -u "$HOME_DIR/reports/memory.txt")" 'likes tea' 'memory.txt is whole'
stop_serve
is "$SERVE_STATUS" 0 'it stops in order'
is "$(pr note get reports/memory)" "$(cat "$HOME_DIR/reports/memory.txt")" 'the note is what the file is'

# A full disk with nobody at work: a reply that could not be written is refused, and nothing of it is left.
fill
exits 75 'a reply is refused' reply 'third'
room
turn
is "$(open_replies) $(mailed Answer)" '0 2' 'what was refused is not there'
cp "$R/thread.md" "$WORK/kept.md"
exits 0 'rebuild' pr briefing rebuild "$D"
ok 'gives the same bytes' cmp "$WORK/kept.md" "$R/thread.md"
exits 0 'and doctor finds nothing' pr doctor
done_testing
