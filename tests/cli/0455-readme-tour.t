#!/usr/bin/env bash
# README's tour: its commands, as they stand there, from `init` to a model's answer.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/model.sh"

# The indented blocks under the heading, without comments behind the commands.
tour() { awk -v title="### $1" '$0 == title { on = 1; next } /^##/ { on = 0 } on && /^    / { sub(/^    /, ""); print }' \
    "$POSTRIDER_SRC/README.md"; }
step() { printf '{"reasoning": "", "status": "complete", "current_phase": "complete", "send_emails": [{"to": [], "cc": [], "subject": "", "body": "%s", "in_reply_to": "", "attachments": []}], "working_note": "", "bundle_key": "", "add_notes": [], "add_emails": [], "search_emails": [], "search_notes": [], "read_attachments": [], "drop": [], "write_notes": [], "rename_notes": [], "delete_notes": [], "move_emails": [], "wait": {"for": "reply", "until": "", "then": "remind"}}\n' "$1"; }

fake tour < <(echo '"fine"'; step 'I am a model now.'; step 'I am a model now.')
mkdir "$WORK/bin" "$WORK/me"
ln -s "$PR_BIN" "$WORK/bin/postrider"
# What is installed is the program of this build.
printf '#!/bin/sh\necho "$0 $*" >>"%s"\n' "$WORK/built" | tee "$WORK/bin/make" >"$WORK/bin/sudo"
chmod +x "$WORK/bin/make" "$WORK/bin/sudo"
begun=$SECONDS
{
    echo 'set -e'
    tour 'Make a home and ask'
    tour 'Give it a model' | grep '^postrider ' | sed "s|http://127.0.0.1:8080|$URL|"
} >"$WORK/tour.sh"
like "$(cat "$WORK/tour.sh")" $'postrider init\npostrider serve &\npostrider ask .*\npostrider setup brain .*\npostrider ask ' \
    'README has a tour from init to a model'
env -i PATH="$WORK/bin:$PATH" HOME="$WORK/me" sh -c 'echo $$ >"$1"; exec timeout 110 setsid --wait sh "$2"' - "$WORK/pid" "$WORK/tour.sh" \
    >"$WORK/tour.out" 2>"$WORK/tour.err" </dev/null
is "$?" 0 'each command of it succeeds' || diag "$(cat "$WORK/tour.out" "$WORK/tour.err")"
took=$((SECONDS - begun))
HOME_DIR=$WORK/me/.postrider
SERVE_PID=$(head -n 1 "$HOME_DIR/state/master.lock")
like "$(cat "$WORK/built")" 'make.*sudo make install' 'it is built and installed first'
like "$(cat "$WORK/tour.out")" 'postrider setup brain.*I am a model now' 'the script names the way to a model, and the model answers'
like "$(cat "$WORK/tour.out")" "served by process $SERVE_PID" 'status tells that all is well'
unlike "$(cat "$WORK/tour.out")" 'problems:' 'and of no problem'
ok "within two minutes (it took $took s)" [ "$took" -lt 120 ]
kill "$SERVE_PID"
ok 'the master ends' wait_for sh -c "! kill -0 $SERVE_PID 2>/dev/null"
SERVE_PID=

# The plan: with an agent that does one thing at a time, and stops.
mkdir "$WORK/project"
cat >"$WORK/bin/claude" <<'END'
#!/bin/sh
case $(head -n 1) in
*'Your todo: SC-1'*) echo 'echo hello' >hello.sh ;;
*) echo 'hello.sh says hello.' >README ;;
esac
printf '{"type":"result","subtype":"success","is_error":false,"session_id":"s1","result":"I am done.","total_cost_usd":0}\n'
END
chmod +x "$WORK/bin/claude"
{
    echo 'set -e'
    tour 'A plan that gets finished' | grep -v '^postrider integrate'
} >"$WORK/plan.sh"
like "$(cat "$WORK/plan.sh")" $'>todos.md\npostrider plan run todos.md -- claude .*\npostrider plan show ' 'README has a plan'
(cd "$WORK/project" && env -i PATH="$WORK/bin:$PATH" HOME="$WORK/me" timeout 110 sh "$WORK/plan.sh") >"$WORK/plan.out" 2>&1 </dev/null
is "$?" 0 'its commands succeed' || diag "$(cat "$WORK/plan.out")"
like "$(cat "$WORK/plan.out")" '<CODER_COMPLETE>.*SC-1 .*complete.*SC-2 .*complete' 'and it is finished by an agent that stops after each todo'
is "$(cat "$WORK/project/README")" 'hello.sh says hello.' 'as its checks say'
like "$(tour 'A plan that gets finished')" $'\npostrider integrate claude-code ' 'README names the way into Claude Code'
exits 0 'which is there' pr integrate --help

# The team: its models have no key, so 'default' is asked in their place, a script that approves.
mkdir -p "$WORK/team/project/specs/proposed"
echo '# Auth' >"$WORK/team/project/specs/proposed/auth.md"
printf '#!/bin/sh\ncat >/dev/null\necho "{\\"verdict\\": \\"approve\\", \\"assessment\\": \\"Fine.\\", \\"findings\\": []}"\n' >"$WORK/bin/approves"
chmod +x "$WORK/bin/approves"
{
    echo 'set -e'
    tour 'A team that hands on artifacts' | sed '/^postrider panel/ i postrider config set "brain default" command approves'
} >"$WORK/team.sh"
(cd "$WORK/team/project" && git init -q . && env -i PATH="$WORK/bin:$PATH" HOME="$WORK/team" POSTRIDER_TEST_SANDBOX=off \
    timeout 110 sh "$WORK/team.sh") >"$WORK/team.out" 2>&1 </dev/null
is "$?" 0 'the commands for a team succeed' || diag "$(cat "$WORK/team.out")"
ok 'and an approval has moved the spec' test -f "$WORK/team/project/specs/todo/auth.md"
like "$(cat "$WORK/team.out")" 'todo .*specs/.*auth.md.*approve: 3 approve of 3 members' 'the board shows it, and a panel has decided'
done_testing
