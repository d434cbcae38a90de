#!/usr/bin/env bash
# A real mutt, told to believe ids alone (strict_threads), shows a briefing, its replies and its responses as one thread; also without the
# person's own replies, which lie in another folder.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/briefing.sh"
. "$(dirname "$0")/../lib/mutt.sh"
command -v mutt >/dev/null || skip_all 'no mutt'
command -v tmux >/dev/null || skip_all 'no tmux'
need_terminal
export HOME=$WORK
trap 'term kill-server 2>/dev/null; tap_end' EXIT
briefing_home
send_briefing >/dev/null
turn
reply 'one' >/dev/null
turn
reply 'two' >/dev/null
reply 'three' >/dev/null
turn
turn
pr send --to carlton --subject 'Re: Good morning' <<<'Something else.' >/dev/null
turn
turn
# box NAME FOLDER...: a Maildir with the mail of these folders
box()
{
    local name=$1 f
    shift
    mkdir -p "$WORK/$name/cur" "$WORK/$name/new" "$WORK/$name/tmp"
    for f in "$@"; do find "$f/new" "$f/cur" -type f -exec cp -t "$WORK/$name/cur" {} + 2>/dev/null; done
}
box read "$HOME_DIR/mail/you"
box all "$HOME_DIR/mail/you" "$HOME_DIR/mail/you/.Sent"
cat >"$WORK/muttrc" <<R
set sort=threads
set sort_aux=date
set strict_threads=yes
set ascii_chars=yes
set mbox_type=Maildir
set index_format="%3C|%s"
set quit=yes
set folder=$HOME
R
mutt_on() { term new-session -d -s mutt -x 100 -y 30 "mutt -n -F '$WORK/muttrc' -f '$WORK/$1'"; }
tree() { screen | grep -E '^ *[0-9]+\|' | sed 's/ *$//'; }
drawn() { [ "$(tree | wc -l)" = "$1" ]; }
mutt_on read
ok 'mutt shows what the owner has' wait_for drawn 4 || diag "$(screen)"
is "$(tree | grep -c '[|]-[>*]\|`-[>*]\|->')" 2 'both responses hang below the briefing'
like "$(tree)" "Good morning — $D
.*->.*
.*->" 'which is their root'
keys q
gone() { ! term has-session 2>/dev/null; }
wait_for gone
rm -f "$WORK/tmux"
mutt_on all
ok 'mutt shows all mail' wait_for drawn 8
diag "$(tree)"
is "$(tree | grep -vc -e '->')" 2 'with the replies it is one thread, and the conversation beside it another'
done_testing
