#!/usr/bin/env bash
# Promise 8: state/index.db can be deleted at any time, under load too, and gives the same answers again.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/serve.sh"

N=300
QUERIES=('apple' 'apple pear' 'subject:report' 'from:ann fig' '"fig tree"' 'subject:"report 17"' 'größe'
    'since:2026-02-01 before:2026-03-01' 'role:envoy from:bob' 'ninety' 'nothing-like-this')

# Every query and the ids that it finds.
answers_to() # FILE
{
    local q
    for q in "${QUERIES[@]}"; do
        echo "? $q"
        pr --json mail search --limit 1000 "$q" || echo "exit $?"
    done >"$WORK/raw"
    sed -n 's/^? /? /p; s/.*"message_id": *"\([^"]*\)".*/\1/p; s/^exit/exit/p' "$WORK/raw" >"$1"
}
found() { sed -n "/^? $1\$/,/^? /p" "$2" | grep -c '@m'; }
drop_index() { rm -f "$HOME_DIR"/state/index.db*; }
all_in() { [ "$(sqlite3 -readonly "$HOME_DIR/state/postrider.db" 'SELECT count(*) FROM message')" -ge "$1" ]; }

pr init >/dev/null
pr serve --once
# The mails, and what each query must find by an independent reading.
python3 - "$WORK/mails" "$N" >"$WORK/want" <<'P'
import os, sys
os.mkdir(sys.argv[1])
words = ['apple', 'pear', 'fig tree', 'tree of figs', 'Größe', 'plum']
names = ['ann', 'bob', 'eve']
n, mails = int(sys.argv[2]), []
for i in range(n):
    text = f'{words[i % 6]} and {words[i // 6 % 6]}' + (' ninety' if i == 90 else '')
    mails.append((f'<{i}@m>', names[i % 3], f'report {i}' if i % 2 else f'note {i}', text, i % 12 + 1))
    with open(f'{sys.argv[1]}/{i:04}.eml', 'w') as f:
        f.write(f'From: {names[i % 3]}@y.example\nTo: envoy@postrider.local\nMessage-ID: <{i}@m>\n'
                f'Date: {i % 28 + 1} {"Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()[i % 12]} 2026 10:00:00 +0000\n'
                f'Subject: {mails[-1][2]}\nContent-Type: text/plain; charset=utf-8\n\n{text}\n')
count = lambda f: sum(bool(f(*m)) for m in mails)
print('apple', count(lambda i, w, s, t, d: 'apple' in t))
print('apple pear', count(lambda i, w, s, t, d: 'apple' in t and 'pear' in t))
print('subject:report', count(lambda i, w, s, t, d: 'report' in s))
print('from:ann fig', count(lambda i, w, s, t, d: w == 'ann' and 'fig tree' in t))
print('"fig tree"', count(lambda i, w, s, t, d: 'fig tree' in t))
print('größe', count(lambda i, w, s, t, d: 'Größe' in t))
print('since:2026-02-01 before:2026-03-01', count(lambda i, w, s, t, d: d == 2))
print('role:envoy from:bob', count(lambda i, w, s, t, d: w == 'bob'))
print('ninety', 1)
print('nothing-like-this', 0)
P

# Mail comes in, jobs are worked, people search; and the index is deleted all the time.
start_serve
(
    for f in "$WORK"/mails/*; do
        cp "$f" "$HOME_DIR/mail/envoy/tmp/${f##*/}" && mv "$HOME_DIR/mail/envoy/tmp/${f##*/}" "$HOME_DIR/mail/envoy/new/"
        case $f in *00.eml | *50.eml) echo x | pr send --to envoy --subject "task ${f##*/}" >/dev/null ;; esac
    done
    touch "$WORK/all-dropped"
) &
feeder=$!
bad=0 looks=0
until [ -e "$WORK/all-dropped" ]; do
    drop_index
    pr mail search 'apple' >/dev/null 2>>"$WORK/search.err" || bad=$((bad + 1))
    looks=$((looks + 1))
done
wait "$feeder"
ok 'all mail was taken in' wait_for all_in $((N + 6))
diag "searched $looks times while it was deleted"
is "$bad" 0 'no search failed' || diag "$(sort "$WORK/search.err" | uniq -c)"
ok 'the jobs were worked' wait_for has_answers 6
not_ok 'the master has no complaint' grep -i 'level=error' "$WORK/serve.log"

answers_to "$WORK/one"
while read -r want; do
    q=${want% *}
    is "$(found "$q" "$WORK/one")" "${want##* }" "finds all of: $q"
done <"$WORK/want"
stop_serve

same() { answers_to "$WORK/again"; ok "the same answers $1" cmp "$WORK/one" "$WORK/again"; }
ok 'doctor --rebuild' pr doctor --rebuild
same 'after it'
drop_index
same 'after it was deleted'
head -c 65536 /dev/urandom >"$HOME_DIR/state/index.db"
same 'after it was overwritten'
: >"$HOME_DIR/state/index.db"
same 'after it was emptied'
rm -f "$HOME_DIR"/state/index.db-*
dd if=/dev/zero of="$HOME_DIR/state/index.db" bs=4096 seek=2 count=4 conv=notrunc status=none
ok 'doctor --rebuild of a damaged one' pr doctor --rebuild
same 'after that'
exits 0 'all is well' pr doctor
done_testing
