#!/usr/bin/env bash
# docs/agents.md: from nothing to the first patch, with each of the real programs and with a script.
. "$(dirname "$0")/../lib/tap.sh"
. "$POSTRIDER_SRC/tests/lib/serve.sh"
. "$POSTRIDER_SRC/tests/lib/realagent.sh"
[ -n "${POSTRIDER_TEST_AGENTS:-}" ] || skip_all "no agents' programs: set POSTRIDER_TEST_AGENTS, see tools/install-agents"

patch=$(python3 -c 'import json
patch = "*** Begin Patch\n*** Add File: hello.txt\n+hello\n*** End Patch\n"
print(json.dumps(["exec", f"text(await tools.apply_patch({json.dumps(patch)}));", "functions"]))')
declare -A edit=(
    [claude]='["Write", {"file_path": "hello.txt", "content": "hello\n"}]'
    [codex]=$patch
    [opencode]='["write", {"filePath": "hello.txt", "content": "hello\n"}]')

first_patch() # KIND: in a home that is set up
{
    mail - 'Add a file hello.txt that says hello.' 'say hello' && work
    ok "$1: it is answered" owner_has 'I wrote hello.txt'
    ok "$1: with a diffstat" owner_has 'hello.txt | 1 +'
    ok "$1: and its branch" owner_has 'git merge postrider/1'
    python3 - "$(newest_mails | xargs grep -l 'I wrote hello.txt' | head -n 1)" "$WORK/$1.patch" <<'P'
import email, email.policy, sys
mail = email.message_from_binary_file(open(sys.argv[1], "rb"), policy=email.policy.default)
open(sys.argv[2], "wb").write(next(mail.iter_attachments()).get_payload(decode=True))
P
    rm -rf "$WORK/clone" && git clone -q "$REPO" "$WORK/clone"
    ok "$1: git am takes the patch" git -C "$WORK/clone" -c user.name=x -c user.email=x@example.org am -q "$WORK/$1.patch"
    is "$(git -C "$WORK/clone" rev-parse 'HEAD^{tree}')" "$(git -C "$REPO" rev-parse 'postrider/1^{tree}')" "$1: and gives the branch's tree"
    is "$(cat "$WORK/clone/hello.txt")" hello "$1: the file"
}

for KIND in claude codex opencode; do
    AGENT=$POSTRIDER_TEST_AGENTS/$KIND
    [ -x "$AGENT" ] || { skip "$KIND" 'not there'; continue; }
    model < <(printf '{"fake": "calls", "calls": [%s]}\n"I wrote hello.txt."\n' "${edit[$KIND]}")
    agent_home $KIND
    run pr setup brain --check
    like "$OUT$ERR" "program: ok, $AGENT, .*[0-9]+\.[0-9]+\.[0-9]+" "$KIND: setup names the program and its version"
    first_patch $KIND
done

agent_home command
printf '#!/bin/sh\ncat >"$POSTRIDER_OUT/prompt.txt"\necho hello >hello.txt\necho "I wrote hello.txt."\n' >"$HOME_DIR/scripts/hello"
set_brain kind command command scripts/hello
mail - 'Add a file.' && work
ok 'a script: it is answered' owner_has 'I wrote hello.txt'
is "$(git -C "$REPO" show postrider/1:hello.txt)" hello 'a script: on its branch'
done_testing
