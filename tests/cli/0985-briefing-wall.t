#!/usr/bin/env bash
# What a program agent sees of reports/ from behind the wall: all of it, and it writes memory.txt and out/ alone; the curator also
# what it finds out for today.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/briefing.sh"
unset POSTRIDER_TEST_SANDBOX
command -v bwrap >/dev/null || skip_all 'no bubblewrap here'
bwrap --unshare-user --unshare-net --unshare-pid --ro-bind / / --proc /proc --dev /dev true 2>/dev/null || skip_all 'bubblewrap does not work here'
BASE=$(wall_base wall) || exit 1
end() { rm -rf "$BASE"; tap_end; }
trap end EXIT
HOME_DIR=$BASE/home
today=$(date +%F)
D=$today
R=$HOME_DIR/reports/$D
pr init --briefing >/dev/null
cat >"$BASE/agent" <<'A'
#!/bin/sh
cat >/dev/null
d=$(date +%F)
try() { name=$1; shift; if "$@" >/dev/null 2>&1; then echo "$name yes"; else echo "$name no"; fi; }
say() { echo "$1" >>"$2"; }
{
    try research grep -q Dentist reports/$d/research/dentist.md
    try thread grep -q 'Carlton Thread' reports/$d/thread.md
    try reply grep -q . reports/$d/responses/01-reply.md
    try write-thread say x reports/$d/thread.md
    try write-new say x reports/$d/new
    try write-response say x reports/$d/responses/01-response.md
    try write-research say 'also: bring the card' reports/$d/research/dentist.md
    try new-research say '# Weather' reports/$d/research/weather.md
    try make-note say x "$(dirname "$(readlink -f reports/memory.txt)")/other.md"
    try remove-thread rm -f reports/$d/thread.md
    try memory say 'likes tea' reports/memory.txt
    try out say x out/table.txt
    try settings cat "$(dirname "$(readlink -f reports)")/postrider.conf"
    try notes ls "$(dirname "$(readlink -f reports)")/notes/carlton"
} >seen
if [ "$POSTRIDER_ROLE" = curator ]; then
    printf '# Today\n' >b.md
    "$PR" briefing send today b.md >>seen 2>&1
else
    echo Noted.
fi
A
sed -i "s|\"\$PR\"|'$PR_BIN'|" "$BASE/agent"
chmod +x "$BASE/agent"
pr config set 'brain sonnet' command "$BASE/agent"
seen() { cat "$HOME_DIR"/work/"$1"/*/seen 2>/dev/null; }
pr every now 1 >/dev/null
turn
like "$(seen curator)" 'write-new no.*new-research yes.*make-note no.*memory yes.*out yes.*settings no.*notes no' 'a curator behind the wall writes research of today, memory.txt and out/, and nothing else'
is "$(pr note get "reports/$D/research/weather")" '# Weather' 'what it found out is a note'
ok 'it sends the briefing' test -f "$R/thread.md"
printf '# Dentist\n' >"$R/research/dentist.md"
reply 'When?' >/dev/null
turn
is "$(seen carlton)" 'research yes
thread yes
reply yes
write-thread no
write-new no
write-response no
write-research no
new-research no
make-note no
remove-thread no
memory yes
out yes
settings no
notes no' 'who answers replies reads reports/, and writes memory.txt and out/ alone'
ok 'it has answered' grep -qs Noted "$R/responses/01-response.md"
turn
is "$(pr note get reports/memory)" 'likes tea
likes tea' 'both wrote the note reports/memory'
done_testing
