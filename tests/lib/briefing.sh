# For tests of briefings. Sourced behind tap.sh.
#
#   briefing_home       a home whose role carlton is a program, $WORK/agent: it keeps what it reads as
#                       $WORK/prompt, adds a line to $WORK/starts, and answers "Answer N."
#   R D                 the folder of a date: $R/responses; D is the date of most tests
#   send_briefing       sends $WORK/briefing.md for D
#   reply TEXT [ARG..]  a mail of the owner that answers the briefing; its Message-ID
#   turn                one pass
#   starts              how often the agent was started
#   thread              thread.md of D

D=2026-02-09
R=$HOME_DIR/reports/$D
briefing_home()
{
    rm -rf "$HOME_DIR" "$WORK/starts" "$WORK/prompt"
    : >"$WORK/starts"
    printf '# Good morning\n\n* 09:00 budget\n' >"$WORK/briefing.md"
    cat >"$WORK/agent" <<A
#!/bin/sh
cat >"$WORK/prompt"
echo start >>"$WORK/starts"
if [ -e "$WORK/door" ]; then read -r _ <"$WORK/door"; fi
echo "Answer \$(wc -l <"$WORK/starts" | tr -d ' ')."
A
    chmod +x "$WORK/agent"
    pr init >/dev/null
    printf '[brain program]\nkind = command\ncommand = %s\n[role carlton]\nname = Carlton\nbrain = program\n' \
        "$WORK/agent" >>"$HOME_DIR/postrider.conf"
}
send_briefing() { pr briefing send "$D" "$WORK/briefing.md"; }
reply() { local text=$1; shift; pr send --to carlton --in-reply-to "<carlton-$D@carlton.local>" --subject 'Re: Good morning' "$@" <<<"$text"; }
turn() { pr serve --once 2>"$WORK/turn.log"; }
starts() { grep -c start "$WORK/starts"; }
thread() { cat "$R/thread.md"; }
open_replies() { pr briefing status --json "$D" | python3 -c 'import json, sys; print(json.load(sys.stdin)[0]["open"])'; }
