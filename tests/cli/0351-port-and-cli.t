#!/usr/bin/env bash
# For each noun that a program may ask for, the agent port and the command line say the same, byte for byte.
. "$(dirname "$0")/../lib/tap.sh"

pr init >/dev/null
mkdir "$WORK/project" "$WORK/seen"
printf '[space team]\nmembers = envoy you\n[workflow]\nroot = %s\n[artifact spec]\npath = specs/{state}/{name}.md\n' \
    "$WORK/project" >>"$HOME_DIR/postrider.conf"
mkdir -p "$WORK/project/specs/proposed"
echo 'Sessions must end.' >"$WORK/project/specs/proposed/auth.md"
pr notify review-request specs/proposed/auth.md envoy CONTEXT='See section 2.' >/dev/null
pr send --to team@postrider.local --subject 'To all of the team' >/dev/null <<<'A word to all.'
ok 'a typed mail, and a mail to a space' pr serve --once
rm -f "$WORK"/seen/*
cat >"$WORK/ask" <<'END'
import os, socket, sys
port = socket.socket(socket.AF_UNIX)
port.connect(os.environ["POSTRIDER_PORT"])
port.sendall(sys.argv[1].encode() + b"\n")
print(port.makefile().readline(), end="")
END
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
for subject in 'auth ready for review' 'To all of the team'; do
    id=\$('$PR_BIN' --json mail search "\$subject" | sed -n 's/.*"message_id": "\(.*\)",/\1/p' | head -n 1)
    both "mail show, \$subject" "mail show \$id" "mail show \$id"
done
both 'note search' 'note search two' 'note search two'
'$PR_BIN' --json mail thread >'$WORK/thread'
env -u POSTRIDER_PORT '$PR_BIN' --home '$HOME_DIR' --json mail list --limit 20 >'$WORK/list'
env -u POSTRIDER_PORT '$PR_BIN' --home '$HOME_DIR' --json mail list --folder Sent >'$WORK/written'
python3 '$WORK/ask' '{"verb":"status"}' >'$WORK/status'
env -u POSTRIDER_PORT '$PR_BIN' --home '$HOME_DIR' --json job list --all >'$WORK/jobs'
python3 '$WORK/ask' '{"verb":"changes","keys":["envoy/plan"]}' >'$WORK/changes'
echo done
END
ok 'an agent that looks at everything twice' pr ask 'what do you see'
for name in "$WORK"/seen/*.name; do
    port=$(cat "${name%.name}.port")
    is "$port" "$(cat "${name%.name}.cli")" "$(cat "$name")"
    like "$port" '^[[{]' 'and it is JSON'
done
is "$(ls "$WORK/seen" | wc -l)" 33 'all were asked'
like "$(cat "$WORK/seen/1.port")" '"trust": "principal".*"class": "task".*"job": [0-9]' 'with all members'
like "$(cat "$WORK/seen/10.port")" '"space": "team"' 'a mail to a space says so'

# A conversation is a list inside of a run and a tree outside of it: each of its mails is the same noun.
other=$(python3 - "$WORK/thread" "$WORK/list" "$WORK/written" <<'PY'
import json, sys
thread, *lists = (json.load(open(path)) for path in sys.argv[1:])
known = [mail for mails in lists for mail in mails]
assert thread
print(*(mail["message_id"] for mail in thread if mail not in known))
PY
) || other='no JSON'
is "$other" '' 'mail thread: each mail is the one of mail list'

# What the port says of the job in hand, and of news, is what job list, mail list and note list say.
is "$(python3 - "$WORK/status" "$WORK/jobs" "$WORK/thread" <<'PY'
import json, sys
status, jobs, thread = (json.load(open(path)) for path in sys.argv[1:])
job = next(row for row in jobs if row["id"] == status["job"])
mail = [m["message_id"] for m in thread if m["from"] != m["role"]]
same = {name: (status[name], job[other]) for name, other in
        {"job": "id", "role": "role", "round": "round", "subject": "subject", "asker": "from"}.items()}
print(*(name for name, (a, b) in same.items() if a != b), status["answered"], status["open"] == status["shown"] != [],
      set(status["shown"]) <= set(mail), list(status))
PY
)" "False True True ['ok', 'job', 'role', 'round', 'steps', 'subject', 'asker', 'answered', 'shown', 'open']" 'status: the job as job list has it'
is "$(python3 - "$WORK/changes" "$WORK/list" "$WORK/seen/6.cli" <<'PY'
import json, sys
changes, mails, notes = (json.load(open(path)) for path in sys.argv[1:])
print(changes["mail"] == max(mail["id"] for mail in mails),
      changes["versions"] == {note["key"]: note["version"] for note in notes if note["key"] == "envoy/plan"})
PY
)" 'True True' 'changes: the newest of mail list, and versions of note list'

# Every verb of the port was asked, but for those that write, propose, or ask for leave.
writes='send reply note.put note.append note.rename note.delete permit'
asked=$(
    sed -n "s/^both '[A-Za-z, ]*' ['\"]\([a-z]*\) \([a-z]*\).*/\1.\2/p" "$HOME_DIR/scripts/hello"
    sed -n 's/.*"verb":"\([a-z.]*\)".*/\1/p; s/.* --json \(mail\) \(thread\) .*/\1.\2/p' "$HOME_DIR/scripts/hello"
)
all=$(sed -n 's/^    {"\([a-z.]*\)", [a-z_]*, [a-z_]*\(, true\)\{0,1\}},$/\1/p' "$POSTRIDER_SRC/src/port/port_verbs.c" | sort)
is "$(tr ' ' '\n' <<<"$asked $writes" | sort -u)" "$all" 'no verb of the port was left out'

done_testing
