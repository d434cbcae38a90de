#!/usr/bin/env bash
# Checks behind the wall: where the agent of a plan has one, what its checks start sees of the machine what the agent sees.
. "$(dirname "$0")/../lib/tap.sh"
unset POSTRIDER_TEST_SANDBOX
command -v jq >/dev/null || skip_all 'no jq'
command -v bwrap >/dev/null || skip_all 'no bubblewrap here'
bwrap --unshare-user --unshare-net --unshare-pid --ro-bind / / --proc /proc --dev /dev true 2>/dev/null || skip_all 'bubblewrap does not work here'
BASE=$(wall_base wall) || exit 1
trap 'rm -rf "$BASE"; tap_end' EXIT
. "$POSTRIDER_SRC/tests/lib/plan.sh"
. "$POSTRIDER_SRC/tests/lib/steps.sh"
HOME_DIR=$BASE/home
real=$WORK WORK=$BASE # plan_project makes its folders there
see="cat $BASE/home/key >seen 2>/dev/null; touch $BASE/outside 2>/dev/null; test -f a"

plan_home
printf '#!/bin/sh\ncat >/dev/null; touch a\n' >"$BASE/brain" && chmod +x "$BASE/brain"
pr config set 'brain default' kind command
pr config set 'brain default' command "$BASE/brain"
plan_project role "SC-1: a (check: $see)"
exits 0 "plan run with a role's brain" pr plan run PLAN.md
is "$(st .status) $(wc -c <seen)" 'complete 0' 'the check does not see the home'
not_ok 'nor writes beside the project' test -e "$BASE/outside"
plan_project own "SC-1: a (check: $see)"
exits 0 "plan run with a person's own command" pr plan run PLAN.md -- "$BASE/brain"
isnt "$(wc -c <seen)" 0 'whose agent has no wall, and its checks have none'
ok 'and write' test -e "$BASE/outside"
rm "$BASE/outside"
plan_project later "SC-1: a (check: $see)"
ok 'the same left to the service' pr plan run --detach PLAN.md -- "$BASE/brain"
turn
is "$(st .status) $(wc -c <seen)" 'complete 0' 'has one'
not_ok 'for its checks, too' test -e "$BASE/outside"

# The act of a model whose role works in the project.
rm -rf "$HOME_DIR"
steps_home
plan_project act "SC-1: a (check: $see)"
"$PR_BIN" plan execute PLAN.md >/dev/null
touch a
pr config set 'role envoy' workdir "$PWD"
printf '#!/bin/sh\ncat >/dev/null; [ -e done ] && echo %s || echo %s; touch done\n' "'$done_now'" \
    "'{\"status\":\"continue\",\"current_phase\":\"working\",\"todo\":[{\"id\":\"SC-1\",\"status\":\"complete\"}]}'" >"$HOME_DIR/scripts/think"
mail_in go <<<'Please.'
is "$(st '.todos[0].status') $(wc -c <seen)" 'complete 0' "the check of an act does not see the home either" || diag "$(cat "$WORK/.err")"
not_ok 'nor writes outside' test -e "$BASE/outside"
WORK=$real

done_testing
