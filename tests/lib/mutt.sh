# For tests with a mutt at a terminal (tmux), behind tap.sh. The session is called mutt; who starts it says
# `term kill-server` at the end.
#
#   term ARG...      tmux, a server of this test's own        keys KEY...  typed into mutt
#   screen           what stands there                         on_screen REGEX
#   sees DESC REGEX  passes when it stands there soon          shows_mails N

term() { tmux -f /dev/null -S "$WORK/tmux" "$@"; }
keys() { term send-keys -t mutt "$@"; }
screen() { term capture-pane -p -t mutt; }
on_screen() { screen | grep -qE -- "$1"; }
sees() { wait_for on_screen "$2" && pass "$1" || fail "$1" "no /$2/ in: $(screen | grep .)"; }
# mutt looks for new mail when a key is pressed.
shows_mails() { keys C-l; on_screen "Msgs:$1 "; }
