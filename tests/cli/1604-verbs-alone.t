#!/usr/bin/env bash
# A verb that has forms may be called without one: it does what its first form does, or says what it needs. It never aborts.
. "$(dirname "$0")/../lib/tap.sh"
pr init >/dev/null
cd "$WORK" || exit 1

verbs=$(grep -oE '^VERB\("[a-z-]+".*VERB_FORMS' "$POSTRIDER_SRC/src/cli/verbs.def" | cut -d'"' -f2)
like " ${verbs//$'\n'/ } " ' briefing .* artifact ' 'the verbs with forms are found'
for verb in $verbs; do
    run pr "$verb" </dev/null
    [ "$STATUS" -lt 128 ]
    is $? 0 "$verb alone does not abort" || diag "$STATUS $ERR"
done
exits 0 'artifact is artifact list' pr artifact --state todo
is "$OUT" 'no artifacts' 'with its options'
exits 0 'briefing is briefing status' pr briefing
done_testing
