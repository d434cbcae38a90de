#!/usr/bin/env bash
# For each noun that a program may ask for, the agent port and the command line say the same, byte for byte.
. "$(dirname "$0")/../lib/tap.sh"

pr init >/dev/null
mkdir "$WORK/seen"
cat >"$HOME_DIR/scripts/hello" <<END
#!/bin/sh
n=0
# NAME, the words inside of the run, the words outside of it: both at the same moment.
both() {
    n=\$((n + 1))
    echo "\$1" >'$WORK/seen/'\$n.name
    shift
    '$PR_BIN' --json \$1 >'$WORK/seen/'\$n.port 2>&1
    env -u POSTRIDER_PORT '$PR_BIN' --home '$HOME_DIR' --json \$2 >'$WORK/seen/'\$n.cli 2>&1
}
printf 'one\n' | '$PR_BIN' note put envoy/plan >/dev/null
printf 'two\n' | '$PR_BIN' note append envoy/plan >/dev/null
echo 'In between.' | '$PR_BIN' send --to you@postrider.local --subject 'A word' >/dev/null
both 'mail list' 'mail list --limit 20' 'mail list --role envoy --limit 20'
both 'mail search' 'mail search see' 'mail search see'
id=\$('$PR_BIN' --json mail list | sed -n 's/.*"message_id": "\(.*\)",/\1/p' | head -n 1)
both 'mail show, by its id' "mail show \$id" "mail show \$id"
both 'mail show, by its number' 'mail show 1' 'mail show 1'
sent=\$('$PR_BIN' --json mail search 'A word' | sed -n 's/.*"message_id": "\(.*\)",/\1/p' | head -n 1)
both 'mail show, of mail that it wrote' "mail show \$sent" "mail show \$sent"
both 'note list' 'note list' 'note list'
both 'note history' 'note history envoy/plan' 'note history envoy/plan'
both 'note get' 'note get envoy/plan' 'note get envoy/plan'
echo done
END
ok 'an agent that looks at everything twice' pr ask 'what do you see'
for name in "$WORK"/seen/*.name; do
    port=$(cat "${name%.name}.port")
    is "$port" "$(cat "${name%.name}.cli")" "$(cat "$name")"
    like "$port" '^[[{]' 'and it is JSON'
done
is "$(ls "$WORK/seen" | wc -l)" 24 'all were asked'
like "$(cat "$WORK/seen/1.port")" '"trust": "principal".*"class": "task".*"job": 1' 'with all members'

done_testing
