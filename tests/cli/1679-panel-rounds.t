#!/usr/bin/env bash
# Several rounds of discussion, in panels that review and in panels that write; and a member who leaves between two rounds.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/workflow.sh"
workflow_home
cd "$ROOT" || exit 1
# Each member's n-th answer is the n-th line of NAME.says, or the last.
for m in ann ben eve; do
    cat >"$WORK/$m" <<E
#!/bin/sh
page=\$(cat)
n=\$(cat "$WORK/$m.n" 2>/dev/null || echo 0); n=\$((n + 1)); echo \$n >"$WORK/$m.n"
printf '%s\n' "\$page" >"$WORK/$m.page.\$n"
[ ! -e "$WORK/$m.does" ] || . "$WORK/$m.does"
case \$page in
*'You are the primary: decide'*) echo '{"summary": "it ends", "text": "A session ends."}'; exit ;;
*'You are a writer on a panel'*) echo "$m says \$n"; exit ;;
esac
printf '{"verdict": "%s", "assessment": "%s in its answer %s", "findings": []}\n' "\$(head -n \$n "$WORK/$m.says" | tail -n 1)" $m \$n
E
    chmod +x "$WORK/$m"
    printf '[brain %s]\ncommand = %s\n' $m "$WORK/$m" >>"$HOME_DIR/postrider.conf"
done
anew() { rm -f "$WORK"/*.n "$WORK"/*.page.*; }
says() { local m=$1; shift; printf '%s\n' "$@" >"$WORK/$m.says"; }
asked() { cat "$WORK"/ann.n "$WORK"/ben.n "$WORK"/eve.n | tr '\n' ' '; }
review() { anew; run pr panel review --rule majority --members ann,ben,eve "$@" "$SPEC"; }

for rounds in 2 3; do
    says ann approve
    says ben revise
    says eve abstain
    review --discuss $rounds
    is "$(asked)" "$((rounds + 1)) $((rounds + 1)) $((rounds + 1)) " "--discuss $rounds: who never agree are asked $((rounds + 1)) times"
    like "$(cat "$WORK/ben.page.$((rounds + 1))")" "WHAT YOU SAID.*ben in its answer $rounds.*WHAT THE OTHERS SAID.*ann in its answer $rounds" 'the last time with what was said in the round before'
    unlike "$(cat "$WORK/ben.page.$((rounds + 1))")" "answer $((rounds - 1))" 'and not before that'
    is "$(db "SELECT round, revealed FROM panel ORDER BY id DESC LIMIT 1")" "$((rounds + 1))|$((rounds + 1))" 'each round was revealed'
done
says ben revise revise approve
says eve approve
review --discuss 3
is "$(asked) $STATUS" '3 3 3  0' 'who agree in the third round are not asked a fourth time'
like "$OUT" 'approve: 3 approve' 'and what they say last counts'
like "$OUT" 'ben +ben +revise > revise > approve' 'the rounds before can be read'
exits 0 'the audit is clean' pr panel audit 3

# --- a member leaves between the rounds ---
says ann approve
says ben approve
says eve revise
# What ann is asked in the second round takes eve out of the settings; the run dies, too, so that the next one reads them anew.
cat >"$WORK/ann.does" <<E
[ \$n -lt 2 ] || { sed -i '/^\[brain eve\]/,/^command/d' "$HOME_DIR/postrider.conf"; rm "$WORK/ann.does"; kill -9 \$PPID; exit 1; }
E
CONF=$(cat "$HOME_DIR/postrider.conf")
pr config set postrider workers 1 >/dev/null # one after the other: ann is asked first
anew
pr panel review --no-wait --discuss 1 --rule majority --members ann,ben,eve "$SPEC" >/dev/null
for hours in 0 1 2; do POSTRIDER_CLOCK=@$(($(date +%s) + hours * 3600)) pr serve --once >/dev/null 2>&1; done
run pr panel status 4
like "$OUT" 'approve: 2 approve, 1 revise of 3 members' 'a member who leaves between two rounds: what it said in the round before counts'
like "$OUT" 'eve .*revise > none .*left: its brain' 'with the reason'
printf '%s\n' "$CONF" >"$HOME_DIR/postrider.conf"
anew
cat >"$WORK/ann.does" <<E
[ \$n -lt 2 ] || { job=\$(sqlite3 -readonly "$HOME_DIR/state/postrider.db" 'SELECT job FROM ballot WHERE member = 2 ORDER BY id DESC LIMIT 1')
    (unset POSTRIDER_PORT POSTRIDER_ROLE; "$PR_BIN" --home "$HOME_DIR" job cancel "\$job" >/dev/null 2>&1); }
E
pr config set postrider workers 1 >/dev/null
run pr panel review --discuss 1 --rule majority --quorum 3 --members ann,ben,eve "$SPEC"
like "$OUT" 'approve: 2 approve, 1 revise of 3 members.*left: its job was cancelled' 'so it is with one whose job is cancelled in the second round, and it counts for the quorum'
rm -f "$WORK/ann.does"

# --- panels that write ---
for rounds in 2 3; do
    anew
    run pr panel write --discuss $rounds --members ann,ben,eve --sections 'A; B' specs/proposed/w$rounds.md 'Sessions must end.'
    is "$STATUS $(asked)" "0 $((2 * (rounds + 2))) $((2 * (rounds + 1))) $((2 * (rounds + 1))) " "discuss = $rounds: each brings ideas and discusses them $rounds times in each section, and the primary decides"
    like "$(cat "$WORK/ben.page.$((rounds + 1))")" "ann says 1.*ann says $rounds" 'the last time with all that was brought before'
    is "$(db "SELECT round, revealed FROM panel ORDER BY id DESC LIMIT 1")" "$((2 * (rounds + 2)))|$((2 * (rounds + 2)))" 'each round was revealed'
done
printf '[panel spec-writer-panel]\nmembers = ann, ben, eve\ndiscuss = 2\n' >>"$HOME_DIR/postrider.conf"
anew
pr panel write --sections 'A' specs/proposed/w4.md 'Sessions must end.' >/dev/null
is "$(asked)" '4 3 3 ' 'the settings say how often, too'
exits 0 'doctor is clean' pr doctor
done_testing
