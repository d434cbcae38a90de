#!/usr/bin/env bash
# `init --workflow`: a team for a project. All of it at once, again without a change, in a home that is there, and with what can't
# be meant.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/loop.sh"
. "$(dirname "$0")/../lib/workflow.sh"
export POSTRIDER_HOME=$HOME_DIR PATH="${PR_BIN%/*}:$PATH"
unset ANTHROPIC_API_KEY OPENAI_API_KEY GEMINI_API_KEY
mkdir -p "$ROOT/deep/er"
git -C "$ROOT" init -q -b main
state() { (cd "$1" && find . -type f ! -path './state/*' ! -path './log/*' ! -path './.git/*' -exec sha256sum {} + | sort -k2); }
roles() { pr --json role list | sed -n 's/.*"name": "\([^"]*\)".*/\1/p'; }

# --- a home and a team ---
cd "$ROOT/deep/er" || exit 1
run pr init --workflow
is "$STATUS" 0 'a home and a team are made'
like "$OUT" "the workflow of $ROOT has its home in $HOME_DIR" 'for the checkout that we are in'
cd "$ROOT" || exit 1
for kind in vision scope roadmap spec skeleton test; do
    for role in writer reviewer; do
        ok "$kind-$role has a mailbox, instructions and notes" test -d "$HOME_DIR/mail/$kind-$role/new" -a -s "$HOME_DIR/roles/$kind-$role.md" -a -s "$HOME_DIR/notes/$kind-$role/start.md"
    done
done
is "$(roles | grep -cx -e implementer -e implementation-reviewer -e platform-lead)" 3 'implementer, implementation-reviewer and platform-lead are there'
for kind in vision scope roadmap spec; do
    helper=$kind-writing-helper
    ok "$helper has instructions, and no mailbox" test -s "$HOME_DIR/roles/$helper.md" -a ! -e "$HOME_DIR/mail/$helper"
    exits 65 'it can not be written to' pr notify question - "$helper" QUESTION=x
done
is "$(grep -L '^{{' "$HOME_DIR"/roles/*.md | wc -l)" 19 'no part of the instructions is missing'
like "$(cat "$HOME_DIR/roles/spec-writer.md")" 'by a question or a clarification-request' 'planning talks by question and answer'
like "$(cat "$HOME_DIR/roles/implementer.md")" 'mail hands work over.*blocker-report' 'building hands over, and reports blockers'
like "$(cat "$HOME_DIR/roles/vision-writer.md")" 'has changed the artifact, or has come to none' 'a conclusion changes the artifact'
like "$(cat "$HOME_DIR/notes/spec-reviewer/start.md")" 'ISSUES_FOUND is a list' 'a role is told the same by its note'
run pr config check
is "$STATUS $OUT$ERR" "0 $HOME_DIR/postrider.conf is fine" 'config check has nothing to say'
run pr doctor
is "$STATUS" 0 'nor has doctor'
like "$(cat "$HOME_DIR/postrider.conf")" "domain = workflow.local" "addresses are those of the seed"
is "$(pr --json panel list | tr -d ' \n')" '[]' 'no panel is at work'
pr config show >"$WORK/shown"
for panel in {vision,scope,roadmap,spec,skeleton,test,implementation}-reviewer {vision,scope,roadmap,spec}-writer; do
    is "$(sed -n "/^\[panel $panel-panel\]/,/^\$/p" "$WORK/shown" | sed -nE 's/^#?(members|primary|rule) *= *([^#]*[^# ])? *#.*/\1 \2/p' | tr '\n' ';')" \
        'members claude gpt-5 gemini;primary ;rule consensus;' "$panel-panel: claude, the first and so the primary, gpt-5 and gemini, who agree"
done
is "$(grep -c '^\[panel ' "$WORK/shown")" 11 'eleven panels'

# --- models without a key ---
run pr status
like "$OUT" "the brain 'claude' has no key: ANTHROPIC_API_KEY is not in this environment; 'default' is asked in its place" 'status says who is asked in whose place'
like "$(ANTHROPIC_API_KEY=x pr status)" "the brain 'gpt-5' has no key" 'for each'
unlike "$(ANTHROPIC_API_KEY=x pr status)" "the brain 'claude' has no key" 'where a key is there it says nothing'
like "$(pr --json status)" '"stand_ins": \[' 'as JSON too'

# --- the project ---
cd "$ROOT" || exit 1
is "$(ls Workflow/scripts | tr '\n' ' ')" 'run-role.sh workflow-notify.sh ' 'scripts by the names of the seed'
is "$(ls Workflow/email-templates | tr '\n' ' ')" 'README.md answer.txt approval.txt blocker-report.txt clarification-request.txt question.txt rejection.txt review-request.txt status-update.txt ' 'eight forms, and what is to be known of them'
ok 'git mv finds the folder of each state' test -d specs/proposed -a -d specs/todo -a -d specs/doing -a -d specs/done -a -d specs/blocked -a -d specs/deferred
echo 'The user logs in.' >specs/proposed/user-auth.md
run ./Workflow/scripts/workflow-notify.sh --dry-run review-request specs/proposed/user-auth.md spec-reviewer CONTEXT="Focus on errors"
like "$OUT" 'Subject: \[REVIEW REQUEST\] user-auth ready for review' 'the script notifies'
mv Workflow/email-templates "$WORK/forms"
built_in=$(pr notify --dry-run question specs/proposed/user-auth.md spec-writer QUESTION=x | sed '1,/^$/d; /^Date:/d; /^Generated:/d')
mv "$WORK/forms" Workflow/email-templates
is "$(pr notify --dry-run question specs/proposed/user-auth.md spec-writer QUESTION=x | sed '1,/^$/d; /^Date:/d; /^Generated:/d')" "$built_in" 'a form says what the built-in one does until it is edited'
like "$(./Workflow/scripts/workflow-notify.sh --dry-run question - coordinator QUESTION=x)" 'To: you@workflow.local' 'the owner is the coordinator'
is "$(./Workflow/scripts/run-role.sh -i spec-writing-helper -- sh -c 'head -1 "$POSTRIDER_INSTRUCTIONS"; echo "[$POSTRIDER_ROLE]"')" 'You help a person to write a spec, specs/proposed/NAME.md: what one piece does, for every input and every failure.
[]' 'a helper works with the person, and is told how'
is "$(./Workflow/scripts/run-role.sh -i spec-writer -- sh -c 'echo $POSTRIDER_ROLE')" spec-writer 'the script has a role work'

# --- again ---
before=$(state "$HOME_DIR"; state "$ROOT")
run pr init --workflow
is "$STATUS" 0 'it can be said again'
like "$OUT" 'nothing was missing' 'which is noticed'
is "$(state "$HOME_DIR"; state "$ROOT")" "$before" 'and changes nothing'

# --- what a person changed stays, what is gone comes back ---
sed -i 's/^model = claude-sonnet.*/model = claude-opus-5-5/' "$HOME_DIR/postrider.conf"
echo 'Be kind.' >"$HOME_DIR/roles/spec-writer.md"
echo 'Subject: mine' >Workflow/email-templates/answer.txt
rm Workflow/email-templates/question.txt Workflow/scripts/run-role.sh
sed -i '/^\[role test-writer\]/,/^$/d' "$HOME_DIR/postrider.conf"
run pr init --workflow
like "$OUT" 'added 1 sections.*wrote 2 files' 'what is missing is added'
like "$(cat "$HOME_DIR/postrider.conf")" "model = claude-opus-5-5" 'settings stay'
is "$(cat "$HOME_DIR/roles/spec-writer.md" Workflow/email-templates/answer.txt)" $'Be kind.\nSubject: mine' 'and files'
is "$(roles | grep -cx test-writer)" 1 'the role is there again'
ok 'the script runs again' test -x Workflow/scripts/run-role.sh
is "$(grep -c 'These are your\|You write tests' "$HOME_DIR/notes/test-writer/start.md")" 1 'and its note says its task once'

# --- a role of one's own ---
cp "$HOME_DIR/postrider.conf" "$WORK/conf"
pr config set 'role spec-reviewer' brain '' && pr config set 'role spec-reviewer' person yes
exits 0 'a role is taken from a model' pr config check
ok 'and its mail is for a person' sh -c "'$PR_BIN' config show | sed -n '/^.role spec-reviewer/,/^$/p' | grep -q '^person *= yes'"
cp "$WORK/conf" "$HOME_DIR/postrider.conf"

# --- links ---
export HOME=$WORK/person
mkdir -p "$HOME/.maildir/workflow/spec-writer"
run pr init --workflow --links
is "$(readlink "$HOME/.maildir/workflow/spec-reviewer")" "$HOME_DIR/mail/spec-reviewer" 'the mailboxes have the places of the seed'
like "$OUT" 'kept: ~/.maildir/workflow/spec-writer is there already' 'what is there stays'
pr notify -q review-request specs/proposed/user-auth.md spec-reviewer >/dev/null
pr deliver 2>/dev/null
is "$(ls "$HOME"/.maildir/workflow/spec-reviewer/new | wc -l)" 1 'mail is found there'
like "$(pr init --workflow --links)" 'nothing was missing' 'links are made once'

# --- in a home that is there ---
OLD=$WORK/old
"$PR_BIN" init "$OLD" >/dev/null
echo '# my own words' >>"$OLD/postrider.conf"
is "$("$PR_BIN" --home "$OLD" init --workflow --root "$ROOT" | head -1)" "the workflow of $ROOT has its home in $OLD" 'a home that is there takes a team'
like "$(cat "$OLD/postrider.conf")" 'domain = postrider.local.*# my own words.*\[role spec-writer\]' 'what it has stays'
ok 'it can be used' "$PR_BIN" --home "$OLD" notify -q question - spec-writer QUESTION=x
exits 0 'and is in order' "$PR_BIN" --home "$OLD" doctor

# --- the scripts know their home ---
mkdir "$WORK/with '\$quotes"; git -C "$WORK/with '\$quotes" init -q -b main
cd "$WORK/with '\$quotes" || exit 1
"$PR_BIN" init --workflow "$WORK/home '\$of it" >/dev/null
echo x >VISION.md
run env -u POSTRIDER_HOME HOME="$WORK/nobody" ./Workflow/scripts/workflow-notify.sh -q review-request VISION.md vision-reviewer
is "$STATUS; $("$PR_BIN" --home "$WORK/home '\$of it" --json artifact list | grep -c '"path": "VISION.md"')" '0; 1' 'a script uses the home that it was made for'
run env -u POSTRIDER_HOME HOME="$WORK/nobody" ./Workflow/scripts/run-role.sh -i vision-writing-helper -- true
is "$STATUS" 0 'each does'
run env POSTRIDER_HOME="$OLD" ./Workflow/scripts/workflow-notify.sh -q review-request VISION.md vision-reviewer
isnt "$STATUS" 0 'but for another that is named'
mkdir "$WORK/plain"; git -C "$WORK/plain" init -q -b main
(cd "$WORK/plain" && env -u POSTRIDER_HOME HOME="$WORK/somebody" "$PR_BIN" init --workflow >/dev/null)
unlike "$(cat "$WORK/plain"/Workflow/scripts/*)" 'home=' 'the usual home needs no name'
cd "$ROOT" || exit 1

# --- a program to talk to ---
mkdir "$WORK/bin"
printf '#!/bin/sh\necho "asked: $2"\n' >"$WORK/bin/claude"
chmod +x "$WORK/bin/claude"
PATH="$WORK/bin:$PATH" "$PR_BIN" init --workflow --root "$ROOT" "$WORK/talk" >/dev/null
like "$(PATH="$WORK/bin:$PATH" "$PR_BIN" --home "$WORK/talk" role run -i vision-writing-helper)" 'asked: You help a person to write the first VISION.md' 'a coding agent that is installed is what helpers work by'

# --- what can't be meant ---
mkdir "$WORK/else" "$WORK/other" "$WORK/stuck"
cd "$WORK/else" || exit 1
refuses() # STATUS TEXT DESC ARG...
{
    local status=$1 text=$2 desc=$3
    shift 3
    exits "$status" "$desc" "$PR_BIN" "$@"
    like "$ERR" "$text" 'and it is said why'
}
refuses 66 'is in no git checkout; go to the project.s folder, or say --root DIR' 'not in a project' init --workflow "$WORK/new"
not_ok 'no home was made' test -e "$WORK/new"
refuses 66 "no folder; --root takes the project's" 'a project that is not there' init --workflow --root "$WORK/none" "$WORK/new"
refuses 65 'lies in the home' 'the home as a project' init --workflow --root "$HOME_DIR" "$HOME_DIR"
refuses 78 "the workflow of this home is in '$ROOT'; for '$WORK/other' take another home" 'a second project' init --workflow --root "$WORK/other" "$HOME_DIR"
is "$(ls "$WORK/other")" '' 'of which nothing is changed'
echo x >"$WORK/stuck/Workflow"
refuses 73 "the project '$WORK/stuck': .*Workflow" 'a project that can not be written' init --workflow --root "$WORK/stuck" "$WORK/new2"
not_ok 'no home was made' test -e "$WORK/new2"
refuses 64 '--root and --links need --workflow' 'options of a team without one' init --links "$WORK/new3"
export POSTRIDER_PORT=$WORK/port
refuses 77 'an agent may not' 'an agent' init --workflow --root "$ROOT" "$WORK/new4"
done_testing
