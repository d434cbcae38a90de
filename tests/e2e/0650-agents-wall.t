#!/usr/bin/env bash
# The real programs behind the wall: they work and commit there, and find neither the home's key nor its store.
. "$(dirname "$0")/../lib/tap.sh"
. "$POSTRIDER_SRC/tests/lib/serve.sh"
. "$POSTRIDER_SRC/tests/lib/realagent.sh"
unset POSTRIDER_TEST_SANDBOX
[ -n "${POSTRIDER_TEST_AGENTS:-}" ] || skip_all "no agents' programs: set POSTRIDER_TEST_AGENTS, see tools/install-agents"
bwrap --ro-bind / / true 2>/dev/null || skip_all 'no bubblewrap here'

for KIND in claude codex; do
    AGENT=$POSTRIDER_TEST_AGENTS/$KIND
    [ -x "$AGENT" ] || { skip "$KIND" 'not there'; continue; }
    case $KIND:$(readlink -f "$AGENT") in # its helpers lie beside it, and behind the wall /tmp is another
    codex:/tmp/* | codex:/var/tmp/*) skip codex "it lies below /tmp: install it elsewhere"; continue ;;
    esac
    look="cat $HOME_DIR/key $HOME_DIR/secrets/agent $HOME_DIR/state/postrider.db; ls $HOME_DIR $HOME_DIR/mail $WORK/model.log; echo hello >hello.txt; git add hello.txt; git commit -qm mine; echo LOOKED-\$((6 * 7))"
    model < <(calls '' "$(call "$look")"; echo '"I looked."')
    agent_home $KIND
    pr config set 'role envoy' sandbox required
    pr config set 'role envoy' permissions all
    mail - 'Look round.' && work
    ok "$KIND: it works behind the wall" owner_has 'I looked.'
    is "$(shown 'LOOKED-42')" 1 "$KIND: and ran what it wanted"
    is "$(shown "$(head -c 20 "$HOME_DIR/key")") $(shown 'dummy-key') $(shown 'SQLite format')" '0 0 0' "$KIND: it saw no key and no store"
    is "$(git -C "$REPO" show postrider/1:hello.txt 2>/dev/null)" hello "$KIND: and could commit"
done
done_testing
