#!/usr/bin/env bash
# Panels that write: section by section members bring ideas and discuss them, the primary decides, and at the end it goes to review.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/workflow.sh"
workflow_home
cd "$ROOT" || exit 1
for m in ann ben eve; do
    cat >"$WORK/$m" <<E
#!/bin/sh
page=\$(cat)
n=\$(cat "$WORK/$m.n" 2>/dev/null || echo 0); echo \$((n + 1)) >"$WORK/$m.n"
printf '%s\n' "\$page" >"$WORK/$m.page.\$((n + 1))"
case \$page in
*'You are the primary: decide'*) [ ! -e "$WORK/mute" ] || { echo 'I can not decide.'; exit; }
    echo '{"summary": "a session ends", "text": "A session ends after an hour. '\$n'"}' ;;
*'WHAT WAS BROUGHT'*) echo "$m says: take that of the others" ;;
*) echo "$m brings an idea" ;;
esac
E
    chmod +x "$WORK/$m"
    printf '[brain %s]\ncommand = %s\n' $m "$WORK/$m" >>"$HOME_DIR/postrider.conf"
done
printf '[panel spec-writer-panel]\nmembers = ann, ben, eve\n' >>"$HOME_DIR/postrider.conf"
NEW=specs/proposed/sessions.md
run pr panel write --sections 'Problem Statement; Goals' "$NEW" 'Sessions must end.'
is "$STATUS" 0 'the panel writes'
like "$OUT" 'written: specs/proposed/sessions.md is written, and under review by spec-reviewer' 'and sends it for review'
like "$(cat "$NEW")" '# sessions.*## Problem Statement.*A session ends after an hour.*## Goals.*A session ends' 'the sections are integrated'
pr serve --once 2>/dev/null
said=$(cat $(ls -v "$HOME_DIR"/mail/you/new/*) | sed -e :a -e '/=$/{N; s/=\n//; ta}' | sed -n '/^Starting Section/p; /^Section . decided/p')
is "$said" 'Starting Section A: Problem Statement
Section A decided: a session ends. Moving to Section B...
Starting Section B: Goals
Section B decided: a session ends. All sections are decided; '"'$NEW'"' goes to review.' 'the primary announces, decides and goes on'
like "$(cat "$HOME_DIR"/mail/you/new/*)" 'From: .spec-writer-panel.ann.' 'the primary does'
unlike "$(cat "$WORK"/ben.page.1)" 'brings an idea' 'each brings ideas of its own'
like "$(cat "$WORK"/ben.page.2)" 'ann brings an idea.*eve brings an idea' 'then they discuss them'
like "$(cat "$WORK"/ann.page.3)" 'ben brings an idea.*eve says: take' 'the primary has read all of it'
is "$(cat "$WORK"/ben.n "$WORK"/eve.n "$WORK"/ann.n | tr '\n' ' ')" '4 4 6 ' 'all are asked alike, and the primary decides'
is "$(db "SELECT type || ' ' || sender || ' ' || recipients FROM event")" 'review-request spec-writer-panel spec-reviewer' 'a review-request of the panel'
is "$(db "SELECT author FROM artifact WHERE name LIKE '%sessions.md'")" spec-writer-panel 'which is the author'
exits 0 'the audit is clean' pr panel audit "$NEW"
exits 65 'what is there is not written' pr panel write "$NEW" x
exits 65 'nor what is in no first state' pr panel write specs/done/x.md x
exits 65 'nor outside' pr panel write /etc/x.md x
exits 64 'nor without a section' pr panel write --sections ' ; ' specs/proposed/y.md x
: >"$WORK/mute"
run pr panel write --sections 'Only' specs/proposed/mute.md 'Sessions.'
is "$STATUS" 75 'a primary who does not decide'
like "$OUT" 'the primary has not decided' 'ends it'
ok 'and nothing is written' test ! -e specs/proposed/mute.md
done_testing
