#!/usr/bin/env bash
# Talk inside a space has the space's own limit, and pauses nobody: what would be six mails in circles elsewhere may go on there.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/workflow.sh"
workflow_home
for role in spec-writer spec-reviewer; do
    sed -i "/^\[role $role\]/,/^person/c [role $role]\nbrain = page" "$HOME_DIR/postrider.conf"
done
printf '[brain page]\ncommand = printf "And then?"\n[space pair]\nmembers = spec-writer spec-reviewer\ntalk = 10\n' >>"$HOME_DIR/postrider.conf"
passes() { for _ in {1..15}; do pr serve --once >/dev/null 2>&1; done; }
talked() { db "SELECT count(*) FROM message WHERE trust = 'role' AND $1"; }
paused() { db 'SELECT count(*) FROM role_pause'; }

pr send --from you --to pair@workflow.local --subject 'A section' <<<'Write it together.' >/dev/null
passes
n=$(talked "space = 'pair'")
ok 'ten mails and more are exchanged in it' test "$n" -ge 10
ok 'and then it ends' test "$n" -le 25
is "$(paused)" 0 'nobody pauses'
passes
is "$(talked "space = 'pair'")" "$n" 'nothing more happens'

pr config set 'space pair' talk 2
pr send --from you --to pair@workflow.local --subject 'Another section' <<<'And this one.' >/dev/null
passes
short=$(($(talked "space = 'pair'") - n))
ok "it is the space's limit that ends it" test "$short" -ge 2 -a "$short" -le 8
diag "$n with 10, $short with 2"

# The same two outside of it.
pr send --from spec-reviewer --to spec-writer --subject 'Outside' <<<'And you?' >/dev/null
passes
is "$(talked "space IS NULL AND subject LIKE '%Outside'")" 6 'outside of it six mails are a circle'
is "$(paused)" 1 'and one of them pauses'

# A panel that writes says as much as its sections need.
cd "$WORK" || exit 1
workflow_home
cd "$ROOT" || exit 1
cat >"$WORK/member" <<'E'
#!/bin/sh
case $(cat) in
*'You are the primary: decide'*) echo '{"summary": "a session ends", "text": "A session ends."}' ;;
*) echo 'An idea.' ;;
esac
E
chmod +x "$WORK/member"
for m in ann ben eve; do printf '[brain %s]\ncommand = %s\n' $m "$WORK/member" >>"$HOME_DIR/postrider.conf"; done
printf '[panel spec-writer-panel]\nmembers = ann, ben, eve\n' >>"$HOME_DIR/postrider.conf"
run pr panel write --sections 'A; B; C; D; E; F; G; H' specs/proposed/long.md 'Sessions must end.'
is "$STATUS" 0 'a panel writes eight sections'
written=$(db "SELECT count(*) FROM outbox WHERE from_spec LIKE 'spec-writer-panel%'")
ok 'it has written sixty mails and more' test "$written" -ge 60
is "$(db 'SELECT count(*) FROM role_pause; SELECT count(*) FROM talk')" $'0\n0' 'that is no circle'
diag "$written mails"
done_testing
