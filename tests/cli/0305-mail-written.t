#!/usr/bin/env bash
# mail search finds what roles wrote, too: answers and mail to others, each once, with what became of it; from the
# store and the files alone, however often the index goes away.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/steps.sh"

py() { printf '%s' "$OUT" | python3 -c 'import json,sys; d=json.load(sys.stdin); print('"$1"')'; }
finds() { # WANT NAME QUERY...: the subjects, newest first
    local want=$1 name=$2
    shift 2
    run pr --json mail search "$@"
    is "$(py '[m["subject"] for m in d]')" "$want" "$name"
}

ok 'a home whose agent works in steps' steps_home
cat >>"$HOME_DIR/postrider.conf" <<END

[person kim]
address = kim@postrider.local
may = ask steer

[person lee]
address = lee@postrider.local
may = ask

[role scribe]
address = scribe@postrider.local
brain = default
mode = steps
END
end='{"status":"escalate","current_phase":"escalate","reasoning":"enough"}'
answers <<END
{"status":"complete","current_phase":"complete","send_emails":[{"to":[],"body":"The pelican report, as you wished."},{"to":["kim@postrider.local","lee@postrider.local"],"subject":"Figures","body":"Pelican figures for both of you, größer."},{"to":["ann@example.org"],"subject":"Abroad","body":"A pelican for somebody outside."},{"to":["scribe@postrider.local"],"subject":"Errand","body":"Count the pelican."}]}
$end
END
mail_in 'Birds' <<<'Tell me about the pelican.'
pass_once
answer=$(db "SELECT '<' || msgid || '>' FROM outbox WHERE subject = 'Re: Birds' AND step > 0")
figures=$(db "SELECT '<' || msgid || '>' FROM outbox WHERE subject = 'Figures'")

# --- what is found ---

run pr --json mail search '"pelican report"'
is "$(py '[m["message_id"] for m in d]')" "['$answer']" 'the answer of an agent is found by its words'
is "$(py '[d[0][k] for k in "id role folder from to state why class job".split()]')" \
    "[None, 'envoy', 'Sent', 'envoy@postrider.local', 'you@postrider.local', 'sent', None, 'sent', 1]" 'with what became of it'
is "$(py 'sorted(set("message_id role folder from to subject date thread state why flags trust floor class job".split())-set(d[0]))')" '[]' \
    'and every member of the contract'
run pr mail search '"pelican report"'
like "$OUT" "^ID .*[a-z2-7]{8} .* envoy +Sent +sent +envoy@postrider.local +Re: Birds\$" 'so in the table'
run pr mail show "$(printf '%s\n' "$OUT" | tail -n 1 | cut -d ' ' -f 1)"
like "$OUT" 'state: sent.*The pelican report' 'whose id can be shown'
run pr mail thread "$answer"
like "$OUT" 'Birds \[handled\].*Re: Birds \[sent\].*Errand' 'and whose thread can be drawn'

run pr --json mail search subject:figures
is "$(py '[(m["to"], m["state"]) for m in d]')" "[('kim@postrider.local lee@postrider.local', 'sent')]" 'a mail to two is one mail'
finds "['Figures']" 'by words, with or without their dots' größer to:lee
finds "['Figures']" 'by any of its recipients' to:kim
finds "['Abroad']" 'what is held is found' to:ann
is "$(py 'd[0]["state"], bool(d[0]["why"])')" 'held True' 'as held, with the reason'
finds "['Abroad']" 'state: knows the states of the outbox' state:held pelican
finds "['Errand', 'Figures', 'Re: Birds']" 'sent is one of them' state:sent role:envoy pelican
exits 64 'a state that there is not' pr mail search state:nosuch pelican
like "$ERR" "no state 'nosuch'; there are stored, .*held.*sent" 'is told with all that there are'
exits 64 'a slip' pr mail search state:hold
like "$ERR" "did you mean 'held'" 'with the nearest'
finds '[]' 'in quotes it is a word' '"state:nosuch"' '"a state:nosuch pelican"'
finds "['Errand']" 'mail from role to role is found once' '"count the"'
is "$(py 'd[0]["role"], d[0]["folder"] != "Sent"')" 'scribe True' 'where it was taken in'
finds "['Errand', 'Abroad', 'Figures', 'Re: Birds']" 'folder:Sent is what was written' folder:Sent role:envoy pelican
finds "['Birds']" 'and no other folder is' folder:Done role:envoy pelican
finds "['Errand', 'Re: Birds', 'Abroad', 'Figures', 'Re: Birds', 'Birds']" 'both in the order of time, and the question about what is held' pelican
finds "['Errand', 'Re: Birds']" 'up to the limit' --limit 2 pelican
finds '[]' 'before: is the day of writing' before:2026-01-01 pelican from:envoy
finds "['Errand', 'Abroad', 'Figures', 'Re: Birds']" 'so is since:' since:2026-01-01 pelican role:envoy -n 4
finds "['Abroad']" 'without any words, too' since:2026-01-01 state:held
finds "['Errand', 'Abroad', 'Figures', 'Re: Birds']" 'nor folder: needs them' folder:Sent role:envoy
finds '[]' 'nor role:' folder:Sent role:nobody

run pr --json mail list --folder Sent --role envoy
is "$(py '[m["subject"] for m in d]')" "['Errand', 'Abroad', 'Figures', 'Re: Birds']" 'mail list shows what is in Sent'
run pr --json mail list --folder Sent --state held --job 1
is "$(py '[m["subject"] for m in d]')" "['Abroad']" 'with its states'
run pr --json mail list --folder Sent --job 99
is "$(py d)" '[]' 'and by its job'
run pr --json mail list --folder Sent --limit 1 --role envoy
is "$(py '[m["subject"] for m in d]')" "['Errand']" 'as many as were asked for'
exits 64 'a state that there is not' pr mail list --folder Sent --state snet
like "$ERR" "did you mean 'sent'" 'gets the nearest one'

# A mail that nobody here has taken in, and no job wrote.
printf 'From: you@postrider.local\nTo: ann@example.org\nSubject: Heron\n\nA heron for you.\n' | pr sendmail -t
run pr --json mail search heron
is "$(py '[(m["role"], m["job"], m["state"]) for m in d]')" "[(None, None, 'held')]" 'mail of a person that goes outside is found'
run pr mail thread "$(py 'd[0]["message_id"]')"
like "$OUT" '\[held\]$' 'and its thread is itself'

# --- some recipients have it, some do not ---

sqlite3 "$HOME_DIR/state/postrider.db" "UPDATE delivery SET state = 'failed', why = 'no such user' WHERE address = 'kim@postrider.local' AND folder = ''"
for verb in 'mail search subject:figures' "mail show $figures"; do
    # shellcheck disable=SC2086
    run pr --json $verb
    is "$(py '[(m["state"], m["why"]) for m in (d if isinstance(d, list) else [d])]')" "[('failed', 'no such user')]" \
        "what is furthest from its reader counts: ${verb%% <*}"
done
run pr mail thread "$figures"
like "$OUT" 'Figures \[failed\]' 'in the thread, too'
sqlite3 "$HOME_DIR/state/postrider.db" "UPDATE delivery SET state = 'sent', why = NULL WHERE address = 'kim@postrider.local' AND folder = ''"

# --- an independent reading of all mail, in the files and in the outbox ---

WORDS=(pelican report figures count somebody you großer ann scribe birds re heron)
cat >"$WORK/oracle" <<'P'
import email, email.policy, pathlib, re, sqlite3, sys, unicodedata
def fold(s):
    return ''.join(c for c in unicodedata.normalize('NFKD', s.lower()) if not unicodedata.combining(c))
raw = [p.read_bytes() for p in pathlib.Path(sys.argv[1], 'mail').rglob('*') if p.is_file() and p.parent.name in ('new', 'cur')]
db = sqlite3.connect(f'file:{sys.argv[1]}/state/postrider.db?mode=ro', uri=True)
raw += [b for (b,) in db.execute('SELECT bytes FROM outbox WHERE bytes IS NOT NULL')]
known = {f'<{i}>' for (i,) in db.execute('SELECT msgid FROM message UNION SELECT msgid FROM outbox')}
rcpt = {}
for i, a in db.execute("SELECT o.msgid, d.address FROM outbox o JOIN delivery d ON d.outbox = o.id WHERE d.folder = ''"):
    rcpt.setdefault(f'<{i}>', []).append(a)
words = {}
for b in raw:
    m = email.message_from_bytes(b, policy=email.policy.default)
    spec = [a.addr_spec for h in ('from', 'to', 'cc') if m[h] for a in m[h].addresses]
    text = ' '.join(p.get_content() for p in m.walk() if p.get_content_type() == 'text/plain' and not p.is_attachment())
    said = ' '.join(spec + rcpt.get(m['message-id'], []) + [m['subject'] or '', text])
    words.setdefault(m['message-id'], set()).update(re.findall(r'\w+', fold(said)))
for w in sys.argv[2:]:
    print(w, *sorted(i for i, ws in words.items() if i in known and fold(w) in ws))
P
python3 "$WORK/oracle" "$HOME_DIR" "${WORDS[@]}" >"$WORK/want"
searched() {
    local w
    for w in "${WORDS[@]}"; do
        run pr --json mail search --limit 1000 "$w"
        py "' '.join(['$w'] + sorted(m['message_id'] for m in d))"
    done
}
same() { searched >"$WORK/found"; ok "the same as an independent reading finds: $1" diff "$WORK/want" "$WORK/found"; }
ok 'there is much to find' test "$(grep -o '<' "$WORK/want" | wc -l)" -gt 20
same 'at first'
pr doctor --rebuild >/dev/null
same 'in an index that was rebuilt'
for n in 2 4; do POSTRIDER_CLOCK=+$((n * 86400)) pr serve --once >/dev/null 2>&1; done
is "$(db "SELECT count(*) FROM outbox WHERE bytes IS NOT NULL AND subject = 'Figures'")" 0 'days later the bytes are forgotten'
rm -f "$HOME_DIR"/state/index.db*
searched >"$WORK/found"
python3 "$WORK/oracle" "$HOME_DIR" "${WORDS[@]}" >"$WORK/want"
ok 'and the same is found, from the copies' diff "$WORK/want" "$WORK/found"
exits 0 'all is well' pr doctor

# --- the store is lost: the numbers of the new one mean other mail ---

rm -f "$HOME_DIR"/state/postrider.db*
pass_once
run pr --json mail search pelican
is "$(py 'sorted((m["subject"], m["folder"], m["class"]) for m in d if m["subject"] not in ("Birds", "Errand"))')" \
    "[('Figures', 'Sent', 'history'), ('Re: Birds', 'Sent', 'history'), ('Re: Birds', 'Sent', 'history')]" \
    'what was written is history, where it had left (0306); what was held is gone'
answers <<END
{"status":"complete","current_phase":"complete","send_emails":[{"to":[],"body":"A stork report."}]}
END
mail_in 'More birds' <<<'And the others?'
finds "['Re: More birds']" 'what is written from then on is found' stork
run pr --json mail search from:envoy
is "$(py '[m["subject"] for m in d if m["class"] == "sent"]')" "['Re: More birds']" 'and nothing else for it'
done_testing
