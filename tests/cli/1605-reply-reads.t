#!/usr/bin/env bash
# A reply that decides on an artifact: its file is looked at before the store is locked, never while it is.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/workflow.sh"
strace -o /dev/null true 2>/dev/null || skip_all 'no strace here'
workflow_home
cd "$ROOT" || exit 1
sed -i '/^\[role spec-writer\]/,/^person/c [role spec-writer]\nbrain = page\n[brain page]\ncommand = printf Noted.' "$HOME_DIR/postrider.conf"
request=$(notify spec-writer review-request "$SPEC" spec-reviewer)
pr serve --once 2>/dev/null
pr send --from spec-reviewer --to spec-writer --in-reply-to "$request" --subject 'Re: user-auth' <<<'APPROVE' >/dev/null
pr deliver 2>/dev/null
POSTRIDER_TRACED=1 strace -f -qq -e trace=flock,openat,openat2 -o "$WORK/calls" "$POSTRIDER_PLAIN_BIN" --home "$HOME_DIR" account main --once 2>/dev/null
ok 'it is looked at' grep -q 'user-auth\.md"' "$WORK/calls"
is "$(awk '/flock\(.*LOCK_EX/ && / = 0/ { held = 1 } /flock\(.*LOCK_UN/ { held = 0 } held && /user-auth\.md"|email-templates/' "$WORK/calls")" '' \
    'but not while the store is locked'
for _ in 1 2; do pr serve --once 2>/dev/null; done
is "$(record)" 'todo|specs/todo/user-auth.md|spec-reviewer' 'the decision counts'
is "$(db "SELECT count(*) FROM event WHERE type = 'approval'")" 1 'once'
done_testing
