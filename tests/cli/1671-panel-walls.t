#!/usr/bin/env bash
# Members that are programs: behind a wall with an empty HOME, the key of their brain and the artifact, or refused; and a ballot
# that is given by the port.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/workflow.sh"
command -v bwrap >/dev/null || skip_all 'no bubblewrap here'
bwrap --unshare-user --unshare-net --unshare-pid --ro-bind / / --proc /proc --dev /dev true 2>/dev/null || skip_all 'bubblewrap does not work here'
BASE=$(wall_base panel) || exit 1
end() { rm -rf "$BASE"; tap_end; }
trap end EXIT
HOME_DIR=$BASE/home ROOT=$BASE/project
export HOME=$BASE/op SECRET_KEY=sk-member OTHER=not-for-you PR_BIN
mkdir -p "$HOME/.claude/projects" "$BASE/bin"
echo CANARY >"$HOME/.claude/projects/old-session"
echo CANARY >"$HOME/.bashrc"
# A program that was built below /tmp, of which no member sees anything else.
built=$(dirname "$PR_BIN")
mkdir "$WORK/built" && cp "$PR_BIN" "$built"/src/cli/postrider-{mail,net} "$built/src/base/postrider-limit" "$WORK/built" || exit 1
PR_BIN=$WORK/built/postrider
workflow_home
cd "$ROOT" || exit 1
echo CANARY | pr note put secrets/plan >/dev/null
echo CANARY >"$ROOT/why.md"

# A member that looks around, and says what it found.
cat >"$BASE/bin/looks" <<E
#!/bin/sh
cat >/dev/null
found=\$(ls -A "\$HOME" 2>&1 | tr '\n' ' ')
canary=\$(cat "$HOME/.bashrc" "$HOME/.claude/projects/old-session" "$ROOT/why.md" "$ROOT/$SPEC" "$HOME_DIR"/notes/secrets/plan.md "$HOME_DIR/postrider.conf" 2>/dev/null | tr -dc A-Za-z0-9)
write=no; { echo x >>artifact || echo x >artifact || rm -f artifact || mv artifact b; } 2>/dev/null && write=yes
echo "{\"verdict\": \"approve\", \"assessment\": \"home[\$found] canary[\$canary] key[\$SECRET_KEY] other[\$OTHER] artifact[\$(tr -d "\n" <artifact)] write[\$write]\"}"
E
cat >"$BASE/bin/votes" <<E
#!/bin/sh
cat >/dev/null
"$PR_BIN" panel vote --finding 'major: line 1: no timeout' revise 'By the port.' >&2 || exit 1
"$PR_BIN" panel vote approve 'Once more.' >&2
echo 'This is prose.'
E
chmod +x "$BASE/bin/looks" "$BASE/bin/votes"
{
    printf '[brain ann]\ncommand = %s\npass-env = SECRET_KEY\n' "$BASE/bin/looks"
    printf '[brain ben]\ncommand = %s\n' "$BASE/bin/looks"
    printf '[brain eve]\ncommand = %s\n' "$BASE/bin/votes"
} >>"$HOME_DIR/postrider.conf"

unset POSTRIDER_TEST_SANDBOX
run pr panel review --members ann,ben --discuss 0 "$SPEC"
is "$STATUS" 0 'both approve'
ann=$(pr panel status 1 --json | jq -r '.members[0].ballots[0].assessment')
ben=$(pr panel status 1 --json | jq -r '.members[1].ballots[0].assessment')
like "$ann" 'home\[\]' 'its HOME is empty'
like "$ann" 'canary\[\]' 'it finds no session, no note, no settings and nothing of the project'
like "$ann" 'artifact\[The user logs in\.\] write\[no\]' 'the artifact is there, read-only'
like "$ann" 'key\[sk-member\]' 'it has the key of its brain'
like "$ben" 'key\[\]' 'and no other member has it'
unlike "$ann$ben" 'not-for-you' 'nor what the environment has besides'
exits 0 'the audit is clean' pr panel audit 1

run pr panel review --members ann,eve --discuss 0 --rule primary --primary eve "$SPEC"
is "$STATUS" 1 'a ballot by the port'
like "$OUT" 'eve +eve +revise' 'counts'
like "$OUT" '\[major\] line 1: no timeout' 'with its findings'
unlike "$OUT" 'Once more' 'and once'
is "$(db "SELECT tries FROM ballot WHERE assessment = 'By the port.'")" 0 'and what the program prints is not asked for again'
unlike "$(pr show "$(db "SELECT job FROM ballot WHERE assessment = 'By the port.'")@1" --json)" 'By the port' 'the step does not say which way'
exits 77 'who is no member at work does not vote' pr panel vote approve x

# --- where there is no wall ---
mkdir "$BASE/none" && ln -s "$(command -v sh)" "$(command -v cat)" "$(command -v ls)" "$(command -v tr)" "$(command -v rm)" "$(command -v mv)" "$(command -v git)" "$BASE/none"
n=$(db 'SELECT count(*) FROM panel; SELECT count(*) FROM job')
exits 78 'without bubblewrap the panel refuses such a member' env PATH="$BASE/none" "$PR_BIN" --home "$HOME_DIR" panel review --members ann,ben "$SPEC"
like "$ERR" "member 'ann' is a program, and would have no wall" 'and says why'
is "$(db 'SELECT count(*) FROM panel; SELECT count(*) FROM job')" "$n" 'nothing has begun'
run env PATH="$BASE/none" "$PR_BIN" --home "$HOME_DIR" panel review --walls advice --discuss 0 --members ann,ben "$SPEC"
is "$STATUS" 0 'walls = advice lets it work'
like "$OUT" 'approve: 2 approve of 2 members; rule consensus; walls = advice' 'and the verdict says so'
like "$OUT" 'no wall: ' 'and of each member, why'
pr serve --once 2>/dev/null
like "$(cat "$HOME_DIR"/mail/you/new/* | tr -d '=\n')" 'no wall: ' 'so does the mail'
run pr panel review --walls advice --discuss 0 --rule primary --primary eve --members ann,eve "$SPEC"
like "$OUT" 'revise: .*walls = advice' 'every verdict does, also where there are walls'
pr serve --once 2>/dev/null
like "$(cat "$HOME_DIR"/mail/you/new/* | tr -d '=\n')" 'revise of 2 members; rule primary; walls 3D advice: programs' 'in the mail too'
done_testing
