#!/usr/bin/env bash
# Roles from templates: each is made, and its first mail is answered; listed, edited and removed, with nothing lost.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/steps.sh"

ok 'a home whose agents work in steps' steps_home
pr config set 'role envoy' mode ''
conf=$HOME_DIR/postrider.conf
printf '\n# The last words of a person.\n' >>"$conf"
same() { cmp -s "$conf" "$WORK/before"; }

# --- each template ---

for t in reviewer digest triage researcher echo; do
    exits 0 "$t: is made" pr role new "my-$t" --from "$t"
    like "$OUT" "^made the role 'my-$t', which has the address my-$t@postrider.local" "$t: and says so"
    # The printed command, as a person would paste it. Where a model would be asked, the scripted one answers.
    line=$(sed -n 's/^try it: postrider --home [^ ]* //p' <<<"$OUT")
    [ "$t" = echo ] || pr config set "role my-$t" mode steps
    echo '{"status":"complete","current_phase":"complete","send_emails":[{"to":[],"body":"I have read it."}]}' | answers
    eval "run pr $line"
    like "$STATUS $OUT" "^0 .*$([ "$t" = echo ] && echo 'You wrote' || echo 'I have read it')" "$t: its first mail is answered"
    [ "$t" = echo ] || like "$(seen 1)" "$(sed -n '/^--- task/{n;p}' "$POSTRIDER_SRC/share/roles/$t.role" | cut -c1-30)" "$t: the model is told its task"
done
like "$OUT" 'Is anybody there' 'echo: with the words of the mail'
like "$(cat "$conf")" $'\n# The last words of a person.\n' 'comments stay'
ok 'the settings are sound' pr config check
like "$(pr config show)" 'hold *= all' 'a template has settings of its own'
ok 'it has a mailbox' test -d "$HOME_DIR/mail/my-reviewer/new"
like "$(cat "$HOME_DIR/roles/my-reviewer.md")" '^You review' 'its task is a file, for programs'
like "$(pr note get my-reviewer/start)" '# How my-reviewer works.*## Your task.*You review' 'and stands in its start note, for models'
is "$(stat -c %a "$HOME_DIR/scripts/my-echo" "$conf" | tr '\n' ' ')" '700 600 ' 'modes are those of the home'

# --- list ---

like "$(pr role list)" $'my-triage +0 +default +steps +my-triage@postrider.local' 'list has name, open jobs, brain, mode and address'
is "$(pr --json role list | python3 -c 'import json,sys; print([r["name"] for r in json.load(sys.stdin)])')" \
    "['envoy', 'my-reviewer', 'my-digest', 'my-triage', 'my-researcher', 'my-echo']" 'and is JSON too'

# --- wrong input: one line, and nothing changes ---

cp "$conf" "$WORK/before"
while IFS='|' read -r status words want; do
    eval "run pr role $words"
    is "$STATUS $(grep -c . <<<"${ERR%%usage:*}")" "$status 1" "role $words: exit $status, one line"
    like "$ERR" "$want" "role $words: says why"
done <<'END'
73|new my-echo --from echo|there is a role 'my-echo' already; nothing was changed
73|new envoy --from digest|there is a role 'envoy' already
64|new 'a b' --from echo|'a b': a name is
64|new ../x --from echo|a name is
64|new x --from reviever|no template 'reviever'; did you mean 'reviewer'
64|new x|new needs --from reviewer\|digest\|triage\|researcher\|echo
64|new --from echo|needs NAME
78|new x --from digest --brain none|there is no \[brain none\]; nothing was changed
78|new x --from digest --address nobody|address = 'nobody'
78|new x --from digest --address envoy@postrider.local|has the address of \[role envoy\]
73|new default --from echo|there is a \[brain default\] already
66|remove my-ecko|no role 'my-ecko'; did you mean 'my-echo'
66|edit nobody|no role 'nobody'
64|edit|needs NAME
64|list x|what is .x.?
64|rename x|rename
END
ok 'none of that changed the settings' same
is "$(ls "$HOME_DIR/mail" | grep -cx x)" 0 'nor made a mailbox'

# --- edit ---

editor() { printf '#!/bin/sh\n%s\n' "$1" >"$WORK/editor"; chmod +x "$WORK/editor"; }
export EDITOR="$WORK/editor" TMPDIR="$WORK"
unset VISUAL
editor 'cp "$1" "'"$WORK"'/shown"; echo "max-cost = 7.50" >>"$1"'
sed -i '/\[role my-digest\]/,/^\[role my-triage/{/max-cost/d}' "$conf"
exits 0 'an edit' pr role edit my-digest
is "$(head -n 1 "$WORK/shown") $(grep -c '^\[' "$WORK/shown")" '[role my-digest] 1' 'shows the section alone'
like "$(pr config show)" 'max-cost *= 7.50' 'and takes its place'
like "$(cat "$conf")" $'max-cost = 7.50\n\n# sorts what' 'with what stood behind it'
cp "$conf" "$WORK/before"
editor 'sed -i "s/^max-cost.*/max-cost = much/" "$1"'
exits 78 'a mistake' pr role edit my-triage
like "$ERR" "max-cost = 'much'.*what you wrote is in $WORK/postrider-role-" 'is named, and the text is kept'
editor 'echo "[role evil]" >>"$1"'
exits 78 'another section in it' pr role edit my-triage
editor 'sed -i "s/my-triage\]/other]/" "$1"'
exits 78 'another name' pr role edit my-triage
editor 'exit 3'
exits 69 'an editor that fails' pr role edit my-triage
EDITOR=/nowhere/ed exits 69 'an editor that is not there' pr role edit my-triage
editor ':'
exits 0 'no change' pr role edit my-triage
is "$OUT" 'nothing was changed' 'says so'
editor "echo '# x' >>'$conf'; echo 'max-cost = 9.99' >>\"\$1\""
sed -i '/\[role my-triage\]/,/^\[role my-researcher/{/max-cost/d}' "$conf"
exits 75 'a change by somebody else meanwhile' pr role edit my-triage
unlike "$(cat "$conf")" 'max-cost = 9.99' 'is not written over'

# --- remove ---

echo '{"status":"waiting","current_phase":"waiting","send_emails":[{"body":"Which one?"}],"wait":{"for":"reply","until":"","then":"remind"}}' | answers
pr ask --to my-digest --no-wait 'wait' >/dev/null
pass_once
exits 75 'a role with open jobs' pr role remove my-digest
like "$ERR" "role 'my-digest' has open jobs \([0-9]+\); nothing was changed" 'is not removed'
pr cancel "$(last_job)" >/dev/null
echo '{"status":"complete","current_phase":"complete","send_emails":[{"to":["bob@example.net","eve@example.net"],"body":"Hello."}]}' | answers
pr ask --to my-digest --no-wait 'write to Bob and Eve' >/dev/null
pass_once
pr every 1d --to my-digest sum up >/dev/null
pr every 1d --to my-triage sort >/dev/null
exits 0 'without, it is' pr role remove my-digest
is "$(grep -c 'still there' <<<"$OUT")" 2 'what is left of it is named, each once'
like "$OUT" 'still there: schedule 1 \(1d\), which mails nobody now; to end it: postrider every remove 1' 'what the clock would mail it'
like "$OUT" "still there: held mail ([0-9]+); to see it: postrider outbox show [0-9]+" 'and what waits for a yes'
pr every remove 1 >/dev/null
pr every remove 2 >/dev/null
like "$OUT" "kept: its mail in $HOME_DIR/mail/my-digest, its notes in $HOME_DIR/notes/my-digest" 'and what it had stays'
ok 'its mail' test -d "$HOME_DIR/mail/my-digest"
ok 'its notes' test -f "$HOME_DIR/notes/my-digest/start.md"
unlike "$(pr role list)" 'my-digest' 'it is not listed any more'
ok 'the settings are sound' pr config check
run pr role remove my-echo
like "$OUT" 'kept: \[brain my-echo\]' 'a brain of its own is told'
echo 'my words' >"$HOME_DIR/roles/my-digest.md"
exits 0 'it can be made again' pr role new my-digest --from digest
is "$(cat "$HOME_DIR/roles/my-digest.md")" 'my words' 'with what was there'

# --- killed at each point ---

role_there() { pr role list | grep -q '^late ' && pr note get late/start | grep -q '^You sum up' && [ -s "$HOME_DIR/roles/late.md" ]; }
cp -a "$HOME_DIR" "$WORK/copy"
POSTRIDER_POINTS=$WORK/points pr role new late --from digest >/dev/null
points=$(wc -l <"$WORK/points") again=0 whole=0
for ((n = 1; n <= points; n++)); do
    rm -rf "$HOME_DIR" && cp -a "$WORK/copy" "$HOME_DIR"
    POSTRIDER_DIE_AT=$n run pr role new late --from digest
    run pr role new late --from digest
    [ "$STATUS" = 0 ] || [[ $ERR = *"there is a role 'late' already"* ]] && again=$((again + 1))
    role_there && whole=$((whole + 1))
done
ok "'role new' reaches points where it may be killed ($points)" test "$points" -ge 3
is "$again $whole" "$points $points" 'killed at any of them, it is there or can be made again, whole'

done_testing
