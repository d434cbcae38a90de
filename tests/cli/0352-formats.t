#!/usr/bin/env bash
# What verbs print with --json has just the members that docs/formats.md promises; of nouns of src/view, unit/view-shape tells.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/workflow.sh"
formats=$POSTRIDER_SRC/tests/cli/formats.py
page=$POSTRIDER_SRC/docs/formats.md
workflow_home
cd "$ROOT" || exit 1

# promised VERB [ARG...]: the verb, which is a row of the page, asked so
promised()
{
    local verb=$1
    shift
    run pr --json ${verb%JOB@N} "$@"
    is "$(/usr/bin/python3 "$formats" "$page" "$verb" <<<"$OUT" 2>&1)" '' "$verb"
}

for brain in ann ben eve; do
    cat >"$WORK/$brain" <<END
#!/bin/sh
cat >/dev/null
printf '{"verdict": "%s", "assessment": "So says $brain.", "findings": [{"where": "line 1", "what": "no word", "severity": "major"}]}\n' \
    $([ $brain = eve ] && echo revise || echo approve)
END
    chmod +x "$WORK/$brain"
    printf '[brain %s]\ncommand = %s\n' $brain "$WORK/$brain" >>"$HOME_DIR/postrider.conf"
done
id=$(notify spec-writer review-request "$SPEC" spec-reviewer CONTEXT='See section 2.')
notify spec-reviewer clarification-request "$SPEC" spec-writer QUESTION='Which one?' CONTEXT='Two are named.' >/dev/null
pr panel review --members ann,ben,eve "$SPEC" >/dev/null 2>&1
echo 'A word.' | pr note put envoy/plan >/dev/null
echo 'Do it.' | pr send --to envoy --subject 'a task' >/dev/null
pr every 'monday 09:30' --to envoy 'Look.' >/dev/null
pr serve --once >/dev/null 2>&1

promised 'artifact list'
promised 'artifact log' "$SPEC"
promised 'role inbox' spec-writer
promised 'role inbox' spec-reviewer
promised 'panel list'
promised 'panel status' 1
promised 'panel audit' 1
promised 'mail trace' "$id"
promised 'mail list'
promised 'mail show' "$id"
promised 'outbox list' --all
promised 'note list'
promised 'note history' envoy/plan
promised 'note search' word
promised 'job list' --all
promised 'job show' 1
promised 'job log' 1
promised 'show JOB@N' 1@1
promised 'cost'
promised 'status'
promised 'doctor'
promised 'config show'
promised 'every list'
printf 'The user logs in twice.\n' >"$ROOT/$SPEC"
mv "$ROOT/$SPEC" "$ROOT/specs/elsewhere.md"
run pr --json artifact check
is "$STATUS $(jq -r 'type, (.[0] | type)' <<<"$OUT" | paste -sd' ')" '1 array string' 'artifact check'

# The comparison finds what is missing, and what is more.
printf '| `x` | `[{a, b: {c}, d or e: [text]}]`; `f` may be there |\n' >"$WORK/page"
is "$(/usr/bin/python3 "$formats" "$WORK/page" x <<<'[{"b": {"c": 1, "g": 2}, "e": [], "f": 1}]')" 'x: no a
x.b: g is not promised' 'a member that is missing is found, and one that nobody promised'
done_testing
