#!/usr/bin/env bash
# How providers fail, as one table: what the job does, what whoever asked and the owner hear, and how often, over two
# hours. Each row is a role with a brain of its own; kim asks all of them by one mail.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/loop.sh"
. "$(dirname "$0")/../lib/model.sh"

# What becomes of a row. At each moment: state of the job (q queued, d done, f failed), mails to kim, mails to the
# owner. Waits grow: 1 min, as long as it is away already, an hour. No attempt is ever counted.
#
#   class      0      60     600    4200   7799   7800
cat >"$WORK/classes" <<'END'
    waits      q0,0   q0,0   q1,0   q1,0   q1,0   d2,0    an outage: told once after ten minutes, then it goes on
    away       q0,0   q0,0   q1,0   q1,0   q1,0   q1,0    the same, and it is not over
    limit      q1,0   q1,0   q1,0   q1,0   d2,0   d2,0    it said when: told at once, asked again at 7200
    far        q1,1   q1,1   q1,1   q1,1   q1,1   q1,1    for days: tried once a day, the owner is asked once
    broken     q0,1   q0,1   q1,1   q1,1   d2,1   d2,1    a person must mend it: the owner is told once
    unmended   q0,1   q0,1   q1,1   q1,1   q1,1   q1,1    the same, and nobody has mended it
    fails      f1,1   f1,1   f1,1   f1,1   f1,1   f1,1    no wait mends it: one mail, with a copy to the owner
    goes-on    d1,0   d1,0   d1,0   d1,0   d1,0   d1,0    it answers when it is asked again
END

# name | kind (Anthropic, OpenAI) | class | requests at the beginning | the fault, as in tools/fake-model. "times": so
# often, then it answers as it should; else for as long as the class wants it. NOBODY is longer than a part of a name can
# be: no server is asked about it.
cat >"$WORK/rows" <<'END'
400 invalid request            | a | fails   | 1  | {"fake":"400"}
401 wrong key                  | a | broken  | 1  | {"fake":"401"}
402 billing                    | a | broken  | 1  | {"fake":"402"}
403 not allowed                | a | broken  | 1  | {"fake":"403"}
404 no such model              | a | broken  | 1  | {"fake":"404"}
405 wrong method               | o | fails   | 1  | {"fake":"400","status":405}
408 timeout                    | a | waits   | 3  | {"fake":"500","status":408}
409 conflict                   | a | waits   | 3  | {"fake":"500","status":409}
413 too large                  | a | fails   | 3  | {"fake":"413"}
413 too large at first         | o | goes-on | 2  | {"fake":"413","times":1}
422 wrong form                 | o | fails   | 1  | {"fake":"400","status":422,"body":{"detail":"n must be 1"}}
429 in ms                      | a | waits   | 3  | {"fake":"429"}
429 in ms, three times         | o | goes-on | 3  | {"fake":"429","times":2}
429 in a second                | a | waits   | 3  | {"fake":"429","headers":{"retry-after":"1"}}
429 in two hours               | a | limit   | 1  | {"fake":"429-long","times":1}
429 until a date               | a | limit   | 1  | {"fake":"429","headers":{"retry-after":"DATE7200"},"times":1}
429 until a reset              | a | limit   | 1  | {"fake":"429","headers":{"anthropic-ratelimit-tokens-remaining":"0","anthropic-ratelimit-tokens-reset":"2027-01-15T10:00:00Z"},"times":1}
429 for a span                 | o | limit   | 1  | {"fake":"429","headers":{"x-ratelimit-remaining-tokens":"0","x-ratelimit-reset-tokens":"2h0m0s"},"times":1}
429 for 30 days                | o | far     | 1  | {"fake":"429","headers":{"retry-after":"2592000"}}
429 without a word             | o | waits   | 3  | {"fake":"429-bare"}
429 quota exhausted            | o | broken  | 1  | {"fake":"429-quota"}
429 spend limit                | a | broken  | 1  | {"fake":"429-spend"}
429 too long for a minute      | o | goes-on | 2  | {"fake":"429","body":{"error":{"message":"Request too large for gpt-6 on tokens per min (TPM): Limit 30000, Requested 50000"}},"times":1}
400 credit balance             | a | broken  | 1  | {"fake":"400-credit"}
400 api usage limit            | a | far     | 1  | {"fake":"400-spend","body":{"error":{"message":"You have reached your specified API usage limits. You will regain access on 2027-02-01 at 00:00 UTC."}}}
500                            | a | waits   | 3  | {"fake":"500"}
500 once                       | o | goes-on | 2  | {"fake":"500","times":1}
500, do not come back          | a | waits   | 1  | {"fake":"no-retry"}
501 not implemented            | o | fails   | 1  | {"fake":"500","status":501}
502 HTML                       | o | waits   | 3  | {"fake":"500","status":502,"body":"<html>Bad Gateway</html>"}
503 loading                    | o | waits   | 3  | {"fake":"503"}
503 in an hour                 | a | limit   | 1  | {"fake":"503","headers":{"retry-after":"7200"},"times":1}
504                            | o | waits   | 3  | {"fake":"500","status":504}
520 of a proxy                 | a | waits   | 3  | {"fake":"500","status":520,"body":""}
529 overloaded                 | a | waits   | 3  | {"fake":"529"}
stream: overloaded             | a | waits   | 3  | {"fake":"stream-error"SOON}
stream: rate limit             | a | waits   | 3  | {"fake":"stream-error","stream_error":"rate_limit_error"SOON}
stream: internal error         | a | waits   | 3  | {"fake":"stream-error","stream_error":"api_error"SOON}
stream: cut in the middle      | a | waits   | 3  | {"fake":"cut"SOON}
stream: reset in the middle    | a | waits   | 3  | {"fake":"reset"SOON}
stream: without its end        | a | waits   | 3  | {"fake":"no-stop"SOON}
stream: an event is no JSON    | a | waits   | 3  | {"fake":"bad-event"SOON}
stream: shorter than promised  | a | waits   | 3  | {"fake":"length"SOON}
stream: wrong chunks           | a | waits   | 3  | {"fake":"chunks"SOON}
body: empty                    | o | waits   | 3  | {"fake":"html","raw":"","type":"application/json"SOON}
body: HTML of a hotel          | o | waits   | 3  | {"fake":"html"SOON}
body: truncated JSON           | o | waits   | 3  | {"fake":"not-json"SOON}
body: cut                      | o | waits   | 3  | {"fake":"cut"SOON}
body: another JSON             | o | waits   | 3  | {"fake":"html","raw":"{\"hello\":1}","type":"application/json"SOON}
body: no choices               | o | waits   | 3  | {"fake":"html","raw":"{\"choices\":[]}","type":"application/json"SOON}
body: wrong type               | o | waits   | 3  | {"fake":"html","raw":"{}","type":"text/plain"SOON}
body: gzip that is none        | o | waits   | 3  | {"fake":"html","raw":"this is not packed","type":"application/json","headers":{"content-encoding":"gzip","retry-after-ms":"5"}}
body: endless                  | o | fails   | 1  | {"fake":"huge"}
body: null content             | o | goes-on | 2  | {"fake":"html","raw":"{\"choices\":[{\"finish_reason\":\"stop\",\"message\":{\"content\":null}}]}","type":"application/json","times":1}
error within a 200             | o | waits   | 3  | {"fake":"html","raw":"{\"error\":{\"type\":\"api_error\",\"message\":\"try later\"}}","type":"application/json"SOON}
no HTTP                        | o | waits   | 3  | {"fake":"garbage"}
hangs up before it answers     | a | waits   | 3  | {"fake":"hang-up"}
redirect                       | o | broken  | 1  | {"fake":"redirect"}
nobody there                   | o | away    | 0  | {"url":"http://127.0.0.1:1"}
no TLS there                   | o | away    | 0  | {"url":"https"}
no such name                   | o | away    | 0  | {"url":"http://NOBODY.invalid"}
a certificate of its own       | o | unmended | 0  | {"url":"foreign"}
silent                         | o | waits   | 1  | {"fake":"stall","timeout":"1s"}
silent in the middle           | a | waits   | 1  | {"fake":"stall","timeout":"1s"}
too long: Anthropic            | a | goes-on | 2  | {"fake":"400-long","times":1}
too long: OpenAI               | o | goes-on | 2  | {"fake":"400","body":{"error":{"code":"context_length_exceeded","message":"This model's maximum context length is 8192 tokens."}},"times":1}
too long: llama.cpp            | o | goes-on | 2  | {"fake":"400","body":{"error":{"code":400,"type":"exceed_context_size_error","message":"the request exceeds the available context size"}},"times":1}
too long: window full          | a | goes-on | 2  | {"fake":"truncated","stop":"model_context_window_exceeded","times":1}
too long: always               | o | fails   | 3  | {"fake":"400-long"}
refusal                        | a | fails   | 1  | {"fake":"refusal"}
content filter                 | o | fails   | 1  | {"fake":"refusal"}
answer longer than max-tokens  | a | fails   | 2  | {"fake":"truncated"}
a tool that nobody gave it     | a | fails   | 2  | {"fake":"tool"}
a tool, once                   | o | goes-on | 2  | {"fake":"tool","times":1}
empty answer                   | o | fails   | 2  | {"fake":"empty"}
prose                          | a | fails   | 2  | {"fake":"prose"}
prose, once                    | o | goes-on | 2  | {"fake":"prose","times":1}
wrong schema                   | o | fails   | 2  | {"fake":"slow","delay":0,"answer":{"status":7}}
END

T0=1800000000
at() { local s=$1; shift; POSTRIDER_CLOCK=@$((T0 + s)) pr "$@"; }

rm -rf "$HOME_DIR"
pr init >/dev/null
steps '{"status":"complete","current_phase":"complete","send_emails":[{"to":["kim@postrider.local"],"body":"All done."}]}'
mkdir "$WORK/scripts"
mkfifo "$WORK/port"
"$POSTRIDER_SRC/tools/fake-model" --with-stdin --scripts "$WORK/scripts" --log "$WORK/fake.log" <&"$TAP_NEVER" >"$WORK/port" &
FAKE_PID=$!
read -r PORT <"$WORK/port"
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1 -keyout "$WORK/own.key" \
    -out "$WORK/own.crt" 2>/dev/null
cat "$WORK/own.key" "$WORK/own.crt" >"$WORK/own.pem"
"$POSTRIDER_SRC/tools/fake-model" --with-stdin --scripts "$WORK/scripts" --log "$WORK/foreign.log" --tls "$WORK/own.pem" \
    <&"$TAP_NEVER" >"$WORK/port" &
FOREIGN_PID=$!
trap 'kill "$FOREIGN_PID"; fake_end; tap_end' EXIT
read -r FOREIGN <"$WORK/port"
cat >"$WORK/table.py" <<'P'
import collections, email.utils, json, os, re, sqlite3, sys, time
work, home, port = os.environ['WORK'], os.environ['HOME_DIR'], os.environ['PORT']
foreign = f"https://127.0.0.1:{os.environ['FOREIGN']}"
rows = [[c.strip() for c in line.split('|', 4)] for line in open(f'{work}/rows')]
moments = '0 60 600 4200 7799 7800'.split()

def prepare():
    answer = open(f'{home}/scripts/steps.jsonl').read()
    to = []
    with open(f'{home}/postrider.conf', 'a') as conf:
        conf.write('\n[person kim]\naddress = kim@postrider.local\nmay = ask steer\n')
        for n, (name, kind, class_, calls, fault) in enumerate(rows, 1):
            date = email.utils.formatdate(time.time() + 7200, usegmt=True) # libcurl counts from the real time
            plan = json.loads(fault.replace('SOON', ',"headers":{"retry-after-ms":"5"}').replace('DATE7200', date))
            # Three questions are asked at 0, 60, 600 and 4200; a brain that is broken is asked at 0, 600, 4200.
            times = plan.pop('times', {'waits': 4 * max(int(calls), 1), 'broken': 3}.get(class_, 99))
            url = plan.pop('url', f'http://127.0.0.1:{port}/row{n}').replace('https', f'https://127.0.0.1:{port}/row{n}')
            url = url.replace('NOBODY', 'n' * 64).replace('foreign', foreign)
            timeout = plan.pop('timeout', '30m')
            with open(f'{work}/scripts/row{n}.jsonl', 'w') as script:
                script.write((json.dumps(plan) + '\n') * times + answer * 3)
            conf.write(f'\n[brain b{n}]\nkind = {"anthropic" if kind == "a" else "openai"}\nmodel = m\nurl = {url}\n'
                       f'timeout = {timeout}\n\n[role r{n}]\nbrain = b{n}\n')
            to.append(f'r{n}@postrider.local')
    with open(f'{work}/mail', 'w') as mail:
        mail.write('From: kim@postrider.local\nTo: ' + ',\n '.join(to) + '\nSubject: please\n\n' + 'words and words\n' * 2500)

def mails(who):
    """How many mails each role has sent them."""
    found = collections.Counter()
    for folder in ('new', 'cur'):
        path = f'{home}/mail/{who}/{folder}'
        for file in os.listdir(path) if os.path.isdir(path) else []:
            head = open(f'{path}/{file}', errors='replace').read().split('\n\n')[0]
            found[re.search(r'^From:.*?(r\d+)@', head, re.M)[1]] += 1
    return found

def look(moment):
    kim, you = mails('kim'), mails('you')
    db = sqlite3.connect(f'file:{home}/state/postrider.db?mode=ro', uri=True)
    jobs = {role: (state, attempts) for role, state, attempts in db.execute('SELECT role, state, attempts FROM job')}
    calls = collections.Counter(json.loads(line)['path'].split('/')[1] for line in open(f'{work}/fake.log'))
    with open(f'{work}/seen', 'a') as seen:
        for n in range(1, len(rows) + 1):
            state, attempts = jobs.get(f'r{n}', ('?', 0))
            seen.write(json.dumps([moment, n, f'{state[0]}{kim[f"r{n}"]},{you[f"r{n}"]}', attempts, calls[f'row{n}']]) + '\n')

def judge():
    classes = {line.split()[0]: line.split()[1:7] for line in open(f'{work}/classes')}
    seen = collections.defaultdict(dict)
    for line in open(f'{work}/seen'):
        moment, n, what, attempts, calls = json.loads(line)
        seen[n][moment] = (what, attempts, calls)
    for n, (name, kind, class_, calls, fault) in enumerate(rows, 1):
        got = ' '.join(seen[n][m][0] for m in moments) + f' {seen[n]["0"][2]} requests, {max(seen[n][m][1] for m in moments)} attempts'
        want = ' '.join(classes[class_]) + f' {calls} requests, 0 attempts'
        print('\t'.join([got, want, f'{name}: {class_}']))

globals()[sys.argv[1]](*sys.argv[2:])
P
export WORK HOME_DIR PORT FOREIGN
table() { python3 "$WORK/table.py" "$@"; }
table prepare
ok 'the settings hold' pr config check
at 0 sendmail -t <"$WORK/mail"
at 0 deliver
at 0 account --once main
for s in 0 60 600 4200 7799 7800; do
    for i in {1..16}; do at $s run 2>>"$WORK/run.log" & pids="$pids $!"; done
    wait $pids
    pids=
    at $s deliver
    table look $s
done
ok 'nothing is said to a server whose certificate nobody vouches for' test ! -s "$WORK/foreign.log"
ok 'and its owner reads why' grep -rqi 'certificate' "$HOME_DIR/mail/you/new"
while IFS=$'\t' read -r got want name; do is "$got" "$want" "$name"; done < <(table judge)

# Only what the model itself wrote is told to it as its fault.
cat >"$WORK/told.py" <<'P'
import json, sys
told = {}
for line in map(json.loads, open(sys.argv[1])):
    if 'could not be used' in json.dumps(line['body']):
        row = line['path'].split('/')[1]
        told[row] = told.get(row, 0) + 1
print(len(told), max(told.values()))
P
is "$(python3 "$WORK/told.py" "$WORK/fake.log")" '8 1' 'a repair is asked for where the model answered wrongly, once, and nowhere else'
# What was too long is asked again with half of it.
cat >"$WORK/half.py" <<'P'
import json, re, sys
log, run, row = sys.argv[1:]
def texts(x):
    return len(x.encode()) if isinstance(x, str) else sum(map(texts, x)) if isinstance(x, list) else \
        texts(x.get('content') or x.get('text') or '')
first = next(b for b in (json.loads(l) for l in open(log)) if b['path'].split('/')[1] == row)['body']
shown = texts(first.get('system') or '') + texts(first['messages'])
kb = int(re.search(rf'too long.*brain=b{row[3:]} bytes="(\d+) KB"', open(run).read())[1])
print('half' if abs(shown / 2 / 1024 - kb) < 1.1 else f'{kb} KB of {shown} bytes')
P
row=row$(grep -n '^413 too large  ' "$WORK/rows" | cut -d: -f1)
is "$(python3 "$WORK/half.py" "$WORK/fake.log" "$WORK/run.log" "$row")" half 'and with half of what it was before that'
ok 'a question that is too long for good names the setting' grep -rq 'context-bytes' "$HOME_DIR/mail/kim/new"
done_testing
