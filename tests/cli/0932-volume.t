#!/usr/bin/env bash
# Much mail of one sender: others are served all the same, and who may not ask costs nothing.
. "$(dirname "$0")/../lib/tap.sh"

pr init >/dev/null
pr config set trust require-auth none
cat >>"$HOME_DIR/postrider.conf" <<'END'

[person bob]
address = bob@example.org
may = ask

[person kim]
address = kim@example.org
may = ask
END
cat >"$HOME_DIR/scripts/hello" <<END
#!/bin/sh
grep -om 1 'bob@example.org\|kim@example.org' >>'$WORK/order'
echo done
END
comes() # NAME FROM N
{
    python3 - "$HOME_DIR/mail/envoy" "$@" <<'P'
import os, sys
box, name, sender, n = sys.argv[1:]
for i in range(int(n)):
    open(f"{box}/tmp/{name}{i}", "w").write(f"From: {sender}\nTo: envoy@postrider.local\nSubject: {name} {i}\nMessage-ID: <{name}{i}@example.org>\n\ndo {i}\n")
    os.rename(f"{box}/tmp/{name}{i}", f"{box}/new/{name}{i}")
P
}
comes flood mallory@example.net 1500
comes many bob@example.org 40
pr account --once main >/dev/null 2>&1
comes one kim@example.org 2
: >"$WORK/order"
exits 0 'one pass' pr serve --once
is "$(db "SELECT count(*) FROM message WHERE state = 'held' AND from_spec = 'mallory@example.net'")" 1500 'a flood of a stranger is held'
is "$(wc -l <"$WORK/order")" 42 'and starts nothing: 42 tasks, 42 runs'
is "$(grep -n kim "$WORK/order" | cut -d: -f1 | tr '\n' ' ')" '2 4 ' 'who comes late with little is not behind somebody with much'
is "$(db "SELECT count(*) FROM job WHERE state = 'done'")" 42 'everybody is answered in the end'
exits 0 'all is well' pr doctor
done_testing
