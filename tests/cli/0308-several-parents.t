#!/usr/bin/env bash
# A mail that answers several: its headers, whose job it goes to, its place in the thread, and what may not be answered.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/workflow.sh"
# py EXPRESSION: of the JSON in $OUT, as d; each(d): all mails of a tree
py() { printf '%s' "$OUT" | python3 -c '
import json, sys
d = json.load(sys.stdin)
def each(l):
    for m in l:
        yield m
        yield from each(m["replies"])
print('"$1"')'; }
send() { pr send --from "$1" --to "$2" --subject "$3" "${@:4}" <<<'Words.'; }
job_of() { db "SELECT job FROM message WHERE msgid = '$(tr -d '<>' <<<"$1")' AND role = 'worker'"; }
refs() { pr mail show --raw "$1" | sed -n '/^$/q; /^References:/,/^[^ \tR]/p' | grep -oE '<[^>]*>' | tr '\n' ' '; }

workflow_home
pr config set 'brain worker' kind script && pr config set 'brain worker' script scripts/worker.jsonl &&
    printf '[role worker]\nbrain = worker\n' >>"$HOME_DIR/postrider.conf"
: >"$HOME_DIR/scripts/worker.jsonl"

# --- send ---
one=$(send you worker One)
two=$(send you worker Two)
pr serve --once 2>/dev/null
answer=$(db "SELECT '<' || msgid || '>' FROM outbox WHERE job = $(job_of "$two") ORDER BY id LIMIT 1")
both=$(send you worker Both --in-reply-to "$two" --in-reply-to "$one")
pr serve --once 2>/dev/null
is "$(header "$both" In-Reply-To)" "$two $one" 'In-Reply-To has both ids, on one line'
is "$(refs "$both")" "$one $two " 'References have both, and the first stands last'
is "$(job_of "$both")" "$(job_of "$two")" 'it belongs to the job of the first'
isnt "$(job_of "$one")" "$(job_of "$two")" 'which is another than that of the second'
after=$(send you worker After --in-reply-to "$both")
pr serve --once 2>/dev/null
is "$(refs "$after")" "$one $two $both " 'an answer to it has the ancestors of both'
run pr --json mail thread "$one"
is "$(py 'sorted(m["subject"] for m in each(d) if m["subject"][:3] != "Re:")')" "['After', 'Both', 'One', 'Two']" 'all is one thread'

# --- mail thread --graph ---
run pr --json mail thread --graph "$one"
is "$(py '[m["parents"] for m in each(d) if m["subject"] == "Both"]')" "[['$two', '$one']]" 'once in the graph, with its parents'
is "$(py '[m["parents"] for m in each(d) if m["subject"] == "One"]')" '[[]]' 'a root has none'
is "$(py '[r["subject"] for m in each(d) if m["subject"] == "Two" for r in m["replies"] if r["subject"][:3] != "Re:"]')" "['Both']" 'it hangs below the first'
is "$(py '[m["parents"] for m in each(d) if m["message_id"] == "'"$answer"'"]')" "[['$two']]" 'mail that was written here has its parent too'
run pr mail thread --graph "$one"
is "$(grep -c 'you@workflow.local: Both \[' <<<"$OUT")" 1 'at the terminal it stands there once'
further=$(sed -n 's/.*local: Both \[[a-z]*\], answers too \([^ ]*\)$/\1/p' <<<"$OUT")
like "$OUT" "$further [^ ]*: One \\[" 'its further parent is named as it stands there'
run pr mail thread "$one"
unlike "$OUT" 'answers too' 'without --graph it is the plain tree'
rm -f "$(mail_of "$both")"
run pr --json mail thread --graph "$one"
is "$(py '[m["parents"] for m in each(d) if m["subject"] == "Both"]')" "[['$two']]" 'of a mail whose file is gone the first is known'

# --- what may not be ---
before=$(db 'SELECT count(*) FROM outbox')
exits 64 'the same id twice' pr send --to worker --subject s --in-reply-to "$one" --in-reply-to "${one:1:-1}" </dev/null
like "$ERR" 'names .* twice' 'is told'
exits 65 'no id' pr send --to worker --subject s --in-reply-to "$one" --in-reply-to nonsense </dev/null
many=()
for i in 1 2 3 4 5 6 7 8 9; do many+=(--in-reply-to "<$i@far.example>"); done
exits 64 'too many' pr send --to worker --subject s "${many[@]}" </dev/null
is "$(db 'SELECT count(*) FROM outbox')" "$before" 'nothing was written'
exits 0 'mail that is not here may be answered' pr send --to worker --subject s "${many[@]:0:16}" </dev/null

# --- notify ---
request=$(notify spec-writer review-request "$SPEC" spec-reviewer,test-writer)
first=$(notify spec-reviewer clarification-request "$SPEC" spec-writer QUESTION='Does it expire?')
second=$(notify test-writer clarification-request "$SPEC" spec-writer QUESTION='Who logs in?')
told=$(notify spec-writer --in-reply-to "$second" --in-reply-to "$first" answer "$SPEC" spec-reviewer,test-writer CONTEXT='After a day; anybody.')
pr serve --once 2>/dev/null
is "$(header "$told" In-Reply-To)" "$second $first" 'an event answers two'
is "$(refs "$told")" "$request $first $second " 'References are whole'
is "$(db "SELECT count(*) FROM event WHERE question <> '' AND answer = '$(tr -d '<>' <<<"$told")'")" 2 'both questions have their answer'
rm -rf "$HOME_DIR/state"
is "$(pr artifact list >/dev/null; db "SELECT count(*) FROM event WHERE question <> '' AND answer = '$(tr -d '<>' <<<"$told")'")" 2 'also when the store was lost'
before=$(db 'SELECT count(*) FROM event')
exits 66 'an event answers no mail that is not here' pr notify --from spec-writer --in-reply-to "$first" --in-reply-to '<far@away.example>' answer "$SPEC" spec-reviewer CONTEXT=x
is "$ERR" "postrider: there is no mail '<far@away.example>' here" 'and says so'
exits 64 'the same twice' pr notify --from spec-writer --in-reply-to "$first" --in-reply-to "$first" answer "$SPEC" spec-reviewer CONTEXT=x
is "$(db 'SELECT count(*) FROM event')" "$before" 'nothing happened'

# --- a program: both through its port, and no mail of another role, which looks like none ---
program_role implementer <<END
exec 2>&1
mine=\$(postrider --json mail list | sed -n 's/.*"message_id": "\(.*\)",/\1/p' | head -n 1)
p() { echo "[\$1]"; shift; postrider "\$@" </dev/null; echo "[status \$?]"; }
p foreign send --to you@workflow.local --subject s --in-reply-to "\$mine" --in-reply-to '$first'
p missing send --to you@workflow.local --subject s --in-reply-to "\$mine" --in-reply-to '<far@away.example>'
p event-foreign notify --in-reply-to "\$mine" --in-reply-to '$first' question - spec-writer QUESTION=x
p event-missing notify --in-reply-to "\$mine" --in-reply-to '<far@away.example>' question - spec-writer QUESTION=x
p twice send --to you@workflow.local --subject s --in-reply-to "\$mine" --in-reply-to "\$mine"
sent=\$(echo Both | postrider send --to you@workflow.local --subject Two --in-reply-to "\$mine")
echo Three | postrider send --to you@workflow.local --subject Three --in-reply-to "\$sent" --in-reply-to "\$mine"
END
pr send --to implementer --subject Go <<<'Go.' >/dev/null
did
said=$(find "$HOME_DIR/mail/you" -type f -exec grep -l '\[foreign\]' {} + | head -1)
part() { awk -v want="[$1]" '$0 == want {on = 1; next} on && /^\[status/ {print; exit} on' "$said" | sed ':a; N; $!ba; s/=\n//g' | sed "s/'<[^>]*>'/ID/"; }
like "$(part foreign)" 'status 66' 'mail of another role can not be answered'
is "$(part foreign)" "$(part missing)" 'it looks like none'
is "$(part event-foreign)" "$(part event-missing)" 'so it does for an event'
like "$(part event-foreign)" 'there is no mail' 'which is told'
like "$(part twice)" 'status 64' 'the same twice'
three=$(db "SELECT '<' || msgid || '>' FROM outbox WHERE subject = 'Three'")
two=$(db "SELECT '<' || msgid || '>' FROM outbox WHERE subject = 'Two'")
go=$(db "SELECT '<' || msgid || '>' FROM message WHERE subject = 'Go'")
is "$(header "$three" In-Reply-To)" "$two $go" 'a program answers two'
is "$(refs "$three")" "$go $two " 'with whole References'

# --- walls look at each of them ---
printf '[space team]\nmembers = implementer platform-lead\n' >>"$HOME_DIR/postrider.conf"
program_role implementer <<END
secret=\$(postrider --json mail list | sed -n 's/.*"message_id": "\(.*\)",/\1/p' | head -n 1)
out() { postrider send --to test-writer@workflow.local --subject Out "\$@" <<<'Hello.' 2>&1; }
out --in-reply-to '$go' --in-reply-to "\$secret" >'$WORK/both'
out --in-reply-to '$go' >'$WORK/alone'
echo Done.
END
sed -i 's,^#!/bin/sh,#!/bin/bash,' "$HOME_DIR/scripts/implementer"
pr send --from platform-lead --to team@workflow.local --subject Secret <<<'Between us.' >/dev/null
did
like "$(cat "$WORK/both")" 'it names .* of the space .team' 'no further parent leads out of a space'
unlike "$(cat "$WORK/alone")" 'of the space' 'the first alone may'
done_testing
