#!/usr/bin/env bash
# What a brain is shown: built again byte for byte, and within its budget.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/steps.sh"

json() { python3 -c 'import json,sys; d=json.loads(sys.argv[1]); print(eval(sys.argv[2]))' "$OUT" "$1"; }
state() { python3 -c 'import sqlite3,sys; d=sqlite3.connect(sys.argv[1]); d.execute(sys.argv[2]); d.commit()' "$HOME_DIR/state/postrider.db" "$1"; }
digests() { for n in "$@"; do pr show "1@$n" --context 2>/dev/null | sha256sum | cut -c1-64; done; }
kept() { for n in "$@"; do pr --json show "1@$n" --context 2>/dev/null | sed -n 's/.*"sha256": "\([0-9a-f]\{64\}\)",$/\1/p' | sed -n 1p; done; }
# What the program read on its stdin begins with the instructions and has the page.
is_shown()
{
    pr --json show "1@$1" --context >"$WORK/shown"
    python3 - "$WORK/seen.$1" "$WORK/shown" <<'P'
import json, sys
seen, d = open(sys.argv[1], 'rb').read().decode(), json.load(open(sys.argv[2]))
sys.exit(not (d['same'] and seen.startswith(d['system'] + '\n\n' + d['text'])))
P
}

# --- byte for byte ---

ok 'a home whose agent works in steps' steps_home
pr config set 'role envoy' max-iterations 3
pr note put work/b >/dev/null <<<'A note of the owner.'
echo 'print("first")' >"$WORK/x.py"
printf '\211PNG\r\n\032\nnot much of a picture' >"$WORK/p.png"
answers <<'END'
{"status":"continue","current_phase":"gathering","working_note":"look around","add_notes":["CONTENTS","work/b","no/such"],"search_emails":[{"text":"zebra"}],"write_notes":[{"key":"work/a","content":"version one","mode":"replace","if_version":0}]}
{"status":"continue","current_phase":"working","add_notes":["work/a"],"read_attachments":[{"message_id":"<@ID@>","filename":"x.py"},{"message_id":"<@ID@>","filename":"p.png"}],"bundle_key":"work/b"}
{"status":"continue","current_phase":"working","working_note":"half done","send_emails":[{"to":[],"body":"I am at it."}]}
{"status":"continue","current_phase":"composing","write_notes":[{"key":"work/a","content":"version three","mode":"replace","if_version":0}]}
{"status":"complete","current_phase":"complete","send_emails":[{"to":[],"body":"Done."}],"move_emails":[{"message_id":"<@ID@>","folder":"Kept"}]}
END
cat >"$WORK/before" <<END
#!/bin/sh
[ \$1 != 1 ] || printf 'An edit.\n- work/a\n' >>'$HOME_DIR/notes/work/b.md'
[ \$1 != 2 ] || echo 'Be brief.' >>'$HOME_DIR/notes/envoy/states/working.md'
[ \$1 != 4 ] || echo 'Be kind.' >>'$HOME_DIR/notes/envoy/start.md'
END
chmod +x "$WORK/before"
mail_in 'Five steps' --attach "$WORK/x.py" --attach "$WORK/p.png" <<<'Gr[1müße, please do it.'
is "$(cat "$WORK/n")" 3 'three steps, and a checkpoint'
ok 'a resume' pr resume --run
is "$(cat "$WORK/n")" 5 'five steps in all'
for n in 1 2 3 4 5; do ok "step $n: what the brain read is what --context builds" is_shown $n; done
is "$(digests 1 2 3 4 5)" "$(kept 1 2 3 4 5)" 'the SHA-256 of what is printed is what each step keeps'
run pr --json show 1@5 --context
is "$(json 'd["job"], d["step"], d["same"], d["files"], d["problems"]')" '(1, 5, True, [], [])' 'as JSON'
like "$(json 'd["system"]')" 'Be kind' 'an edit of the instructions is used at the next step'
unlike "$(pr show 1@4 --context)" 'Be kind' 'and not shown before'
like "$(pr show 1@3 --context)" 'ATTACHMENT: x.py .*print\("first"\)' 'an attachment is part of it'
like "$(pr show 1@4 --context)" 'ATTACHMENT: x.py ' 'and still after the resume'
like "$(pr show 1@3 --context)" 'filename p.png, content_type image/png, size_bytes 29, readable false' \
    'a picture is none for a brain that takes none'
like "$(results 3)" 'UNSUPPORTED: ATTACHMENT p.png \(binary, not readable\)' 'and said so'

# --- the instructions stay ---

system_of() { pr --json show "1@$1" --context | python3 -c 'import json,sys; print(json.load(sys.stdin)["system"].split("\n\nYOUR PHASE IS")[0])' | sha256sum; }
is "$(for n in 1 2 3 4; do system_of $n; done | sort -u | wc -l)" 1 'the instructions are the same bytes from step to step, but for those of the phase'
isnt "$(system_of 4)" "$(system_of 5)" 'until somebody changes them'

# --- afterwards ---

pr note put work/b >/dev/null <<<'Quite another text.'
pr note rename work/a work/z >/dev/null
pr note delete envoy/states/gathering >/dev/null
echo 'More.' >>"$HOME_DIR/notes/envoy/start.md"
mkdir -p "$HOME_DIR/mail/envoy/.Away/"{new,cur,tmp}
mail=$(grep -rl 'please do it' "$HOME_DIR/mail/envoy" | head -n 1)
mv "$mail" "$HOME_DIR/mail/envoy/.Away/cur/"
pr config set 'brain default' context-bytes 17k
pr config set 'role envoy' name Somebody
is "$(digests 1 2 3 4 5)" "$(kept 1 2 3 4 5)" 'notes edited, renamed and deleted, mail moved, settings changed: the same bytes'
rm "$HOME_DIR/mail/envoy/.Away/cur/"*
exits 65 'a mail that is deleted' pr show 1@3 --context
like "$ERR" 'mail <[^>]+> is gone' 'is named'
like "$ERR" 'attachment x.py of <[^>]+> is gone' 'and what was attached to it'
like "$OUT" 'NOTE: work/b .*A note of the owner' 'the rest is printed all the same'
exits 65 'as JSON too' pr --json show 1@3 --context
is "$(json 'd["same"], [p for p in d["problems"] if "attachment" not in p][0][:6]')" "(False, 'mail <')" 'with the names'
state "DELETE FROM note_version WHERE key = 'work/b' AND version = 2"
exits 65 'a version that is pruned' pr show 1@2 --context
like "$ERR" 'note work/b version 2 is gone' 'is named'
state "UPDATE note_version SET body = 'forged' WHERE key = 'CONTENTS' AND version = 1"
exits 65 'a version that somebody changed' pr show 1@2 --context
like "$ERR" 'note CONTENTS version 1 has changed' 'is named'
state "UPDATE step SET manifest = NULL WHERE n = 4"
exits 66 'a step without a manifest' pr show 1@4 --context
exits 66 'a step that is none' pr show 1@44 --context
exits 64 '--context needs a step' pr show 1 --context
exits 66 'and a job' pr show 9@1 --context

# --- a store that is lost, a job that is forked ---

rm -rf "$HOME_DIR"
steps_home
pr config set 'role envoy' max-iterations 2
answers <<'END'
{"status":"continue","current_phase":"working","working_note":"one","write_notes":[{"key":"work/a","content":"a","mode":"replace","if_version":0}]}
{"status":"continue","current_phase":"working","working_note":"two","add_notes":["work/a","no/such"]}
{"status":"continue","current_phase":"working","working_note":"three"}
{"status":"complete","current_phase":"complete","send_emails":[{"to":[],"body":"Done."}]}
{"status":"complete","current_phase":"complete","send_emails":[{"to":[],"body":"Done again."}]}
END
mail_in 'Two and two' <<<'please'
rm -rf "$HOME_DIR/state"
ok 'the store is gone' pr serve --once
is "$(cat "$WORK/n")" 4 'the job goes on'
for n in 3 4; do ok "step $n after that is built again" is_shown $n; done
like "$(pr show 1@3 --context)" 'YOUR WORKING NOTE .*two' 'with what the checkpoint brought back'
ok 'a fork' pr fork 1@3
ok 'is worked' pr serve --once
last=$(pr --json show 2 | python3 -c 'import json,sys; print(json.load(sys.stdin)["steps"][-1]["n"])')
ok 'what it was shown is built again' pr show "2@$last" --context
like "$OUT" 'YOUR WORKING NOTE .*three' 'with what the step before the fork left'

# --- within the budget ---

fits() # STEP KB
{
    pr --json show "$1" --context >"$WORK/shown"
    python3 - "$WORK/shown" "$2" <<'P'
import json, re, sys
d, budget = json.load(open(sys.argv[1])), int(sys.argv[2]) * 1024
text = d['text']
bytes_ = len((d['system'] + text).encode())
mark = re.search(r'carry the mark \[(\w+)\]', text)[1]
opened = len(re.findall(rf'^=== .* \[{mark}\] ===$', text, re.M))
ended = len(re.findall(rf'^=== END \[{mark}\] ===$', text, re.M))
print(bytes_, budget, opened, ended)
sys.exit(not (d['same'] and bytes_ <= budget and opened == 2 * ended >= 2 and '\ufffd' not in text))
P
}

rm -rf "$HOME_DIR"
steps_home
pr config set 'role envoy' max-iterations 8
python3 -c 'print("ünd " * 60000)' | pr note put big/note >/dev/null
mkdir -p "$HOME_DIR/notes/many/of-them"
for i in $(seq 40); do echo "Note number $i, with some words in it." >"$HOME_DIR/notes/many/of-them/$i.md"; done
list=$(seq -f '"many/of-them/%g"' -s, 40)
job=0
for size in 8k 12k 33k 100k; do
    pr config set postrider context-bytes $size
    answers <<END
{"status":"continue","current_phase":"gathering","add_notes":["big/note","not/there",$list],"working_note":"remember this"}
{"status":"complete","current_phase":"complete","send_emails":[{"to":[],"body":"Done."}]}
END
    python3 -c 'print("Ein lánger Brief. " * 700, "THE END OF IT")' | mail_in "Long $size"
    job=$((job + 1))
    for n in 1 2; do
        ok "$size, step $n: never over the budget, whole characters, whole fences" fits "$job@$n" ${size%k}
    done
    like "$(pr show "$job@2" --context)" 'YOUR WORKING NOTE .*remember this' "$size: what the job carries is there"
done
unlike "$(pr show 4@1 --context)" 'cut: this is' 'a mail that fits comes whole'
like "$(pr show 4@1 --context)" 'THE END OF IT' 'to its end'
like "$(pr show 1@1 --context)" 'ORIGINAL MAIL.*\[… cut: bytes 0 to [0-9]+ of 13315; to read on: read_attachments, filename /text, offset [0-9]+\]' 'one that does not says that it was cut'
like "$(pr show 1@2 --context)" '=== NOT SHOWN \[.*- NOTE: many/of-them/9 .*: no room.*- and [0-9]+ more' 'what did not fit is listed'
pr config set 'brain default' context-bytes 64k
pr config set postrider context-bytes 16k
answers <<'END'
{"status":"complete","current_phase":"complete","send_emails":[{"to":[],"body":"Done."}]}
END
python3 -c 'print("x y z " * 5000, "THE END OF IT")' | mail_in 'Brain has its own'
like "$(pr show 5@1 --context)" 'THE END OF IT' 'a brain may have a budget of its own'

done_testing
