#!/usr/bin/env bash
# Programs behind the wall of the machine: one that is of no space looks for what is said in one, by files, environment and processes, by
# its port and by what an earlier job of a member left, and finds nothing.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/space.sh"
unset POSTRIDER_TEST_SANDBOX
BASE=$(wall_base space) || exit 1
end() { rm -rf "$BASE"; tap_end; }
trap end EXIT
command -v bwrap >/dev/null || skip_all 'no bubblewrap here'
bwrap --unshare-user --unshare-net --unshare-pid --ro-bind / / --proc /proc --dev /dev true 2>/dev/null || skip_all 'bubblewrap does not work here'
HOME=$BASE/op HOME_DIR=$BASE/home
mkdir "$HOME"
pr init >/dev/null
for role in alpha gamma; do
    printf '\n[brain %s]\nkind = command\ncommand = %s\n[role %s]\nbrain = %s\nmode = program\nsandbox = required\n' \
        "$role" "$BASE/$role" "$role" "$role" >>"$HOME_DIR/postrider.conf"
done
printf '\n[role pat]\nperson = yes\n' >>"$HOME_DIR/postrider.conf"
add_space team 'alpha pat'
cat >"$BASE/alpha" <<'END'
#!/bin/sh
cat >out/page
cp out/page kept
grep -c 'PELICA[N]' out/page
END
cat >"$BASE/gamma" <<END
#!/bin/sh
cat >/dev/null
echo "files:"
grep -rl 'PELICA[N]' "\$HOME" '$BASE' /tmp /var/tmp /run /etc "\$PWD" "\$PWD/.." 2>/dev/null
echo "environment and processes:"
{ env; cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline; } 2>/dev/null | tr '\\0' '\\n' | grep 'PELICA[N]'
echo "port:"
{
    '$PR_BIN' mail list; '$PR_BIN' mail search bird; '$PR_BIN' note list; '$PR_BIN' note search bird; '$PR_BIN' note get spaces/team/bird
    '$PR_BIN' mail show "\$(cat '$BASE/first')"
    echo x | '$PR_BIN' send --to team@postrider.local --subject x
} 2>&1
echo "end."
END
chmod +x "$BASE/alpha" "$BASE/gamma"
tell pat team@postrider.local 'The bird' <<<'The bird is called PELICAN, and nobody may know that outside of here.' >"$BASE/first"
pr note put spaces/team/bird <<<'PELICAN is the bird.' >/dev/null
pass_once
like "$(cat "$HOME_DIR"/mail/pat/new/* 2>/dev/null)" $'\n1\n' 'a member was shown it, and has left it in its folder'
tell you gamma@postrider.local 'Look' <<<'Find the bird.' >/dev/null
pass_once
found=$(cat "$HOME_DIR"/mail/you/new/* "$HOME_DIR"/mail/you/cur/* 2>/dev/null)
like "$found" $'end\\.' 'somebody outside has looked'
unlike "$found" PELICAN 'and found nothing'
like "$found" "nobody here is 'team@postrider.local'" 'by its port it hears that there is no such address'
like "$found" 'no mail .<' 'and no such mail'
ok 'though it is there' grep -rqF PELICAN "$HOME_DIR/mail/alpha"
# The same tries without a wall, so that none of them is there for nothing.
pr config set 'role gamma' sandbox off >/dev/null
rm -f "$HOME_DIR"/mail/you/*/*
tell you gamma@postrider.local 'Look again' <<<'Find the bird.' >/dev/null
pass_once
like "$(cat "$HOME_DIR"/mail/you/new/* "$HOME_DIR"/mail/you/cur/* 2>/dev/null)" 'mail/alpha' 'without a wall the same look finds its files'
done_testing
