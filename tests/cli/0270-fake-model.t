#!/usr/bin/env bash
# The scripted model server of the tests and the demonstration: which line answers which request.
. "$(dirname "$0")/../lib/tap.sh"

start() # ARG...: sets PORT
{
    mkfifo "$WORK/port"
    "$POSTRIDER_SRC/tools/fake-model" "$@" --log "$WORK/log" >"$WORK/port" &
    FAKE_PID=$!
    read -r PORT <"$WORK/port"
    rm "$WORK/port"
}
stop() { kill "$FAKE_PID"; wait "$FAKE_PID" 2>/dev/null; }
ask() # TEXT [PATH]: what the model says, or the status
{
    python3 - "http://127.0.0.1:$PORT/${2:-chat/completions}" "$1" <<'P'
import json, sys, urllib.error, urllib.request
body = json.dumps({"model": "m", "messages": [{"role": "user", "content": sys.argv[2]}]}).encode()
try:
    reply = json.load(urllib.request.urlopen(urllib.request.Request(sys.argv[1], body, {"x-api-key": "k"})))
    print(reply["choices"][0]["message"]["content"] if "choices" in reply else reply["content"][0]["text"])
except urllib.error.HTTPError as e:
    print(e.code)
P
}

printf '%s\n' '"one"' '{"two": 2}' '{"fake": "401"}' '{"fake": "prose", "answer": "four"}' >"$WORK/s.jsonl"
start --script "$WORK/s.jsonl"
like "$("$POSTRIDER_SRC/tools/fake-model" --help)" 'faults:.* 429-reset .* bomb ' 'its help names the faults'
is "$(ask a) $(ask b v1/messages) $(ask c) $(ask d) $(ask e)" 'one {"two": 2} 401 four 500' 'line k for request k'
is "$(wc -l <"$WORK/log")" 5 'each is in the log'
stop

start --script "$WORK/s.jsonl" --by-step 'step ([0-9]+) of'
is "$(ask 'step 2 of 9') $(ask 'step 1 of 9') $(ask 'step 2 of 9')" '{"two": 2} one {"two": 2}' 'by the step in the question'
stop

start --script "$WORK/s.jsonl" --fault 529:2 --fault 401
is "$(ask a) $(ask b) $(ask c) $(ask d)" '529 529 401 one' 'faults come first and use up no line'
stop

mkdir "$WORK/all" && cp "$WORK/s.jsonl" "$WORK/all/x.jsonl" && echo '"other"' >"$WORK/all/y.jsonl"
start --scripts "$WORK/all"
is "$(ask a x/chat/completions) $(ask b y/v1/messages) $(ask c x/v1/messages)" 'one other {"two": 2}' 'a script for each URL'
stop

# Agents' programs
cat >"$WORK/talk" <<'P'
import json, sys, urllib.request
port, api, turns = sys.argv[1], sys.argv[2], int(sys.argv[3])
said = {"messages": {"role": "assistant", "content": "x"}, "completions": {"role": "assistant", "content": "x"},
        "responses": {"type": "function_call", "call_id": "1", "name": "t", "arguments": "{}"}}[api]
talk = [{"role": "user", "content": "do JOB-7 please"}] + [said, {"role": "user", "content": "go on"}] * turns
body = {"model": "m", "stream": "stream" in sys.argv, "input" if api == "responses" else "messages": talk}
if "aside" not in sys.argv:
    body["tools"] = [{"name": "t"}]
answer = urllib.request.urlopen(f"http://127.0.0.1:{port}/v1/{api}?beta=true", json.dumps(body).encode()).read().decode()
print(answer)
P
talk() { python3 "$WORK/talk" "$PORT" "$@"; }
printf '%s\n' '{"fake": "calls", "answer": "I do %1.", "calls": [["Bash", {"command": "one %1"}], ["Edit", {"file": "f"}]]}' '"said"' >"$WORK/a.jsonl"
start --script "$WORK/a.jsonl" --by-turn --take 'JOB-(\w+)'
for api in messages completions responses; do
    is "$(talk $api 1 | grep -c said) $(talk $api 1 | grep -c said)" '1 1' "$api: the second turn is the second line, however often it is asked"
    is "$(talk $api 2 | grep -c 'All done')" 1 "$api: after the last line all is done"
    whole=$(talk $api 0) stream=$(talk $api 0 stream)
    for form in "$whole" "$stream"; do
        is "$(grep -oE 'I do 7|one 7|"name": "(Bash|Edit)"' <<<"$form" | sort -u | wc -l)" 4 "$api: words and both calls"
    done
done
printf '%s\n' '{"fake": "prose", "answer": "again", "until": "go on.*go on"}' '"said"' >"$WORK/u.jsonl"
like "$(talk messages 0 aside)" 'A title' 'a question without tools uses up no line'
stop
start --script "$WORK/u.jsonl" --by-turn
is "$(talk messages 0 | grep -c again) $(talk messages 1 | grep -c again) $(talk messages 2 | grep -c 'All done')" '1 1 1' \
    'a line comes again until the request has what it wants'
stop
exits 2 'an unknown fault' "$POSTRIDER_SRC/tools/fake-model" --script "$WORK/s.jsonl" --fault 99
like "$ERR" "no fault '99'; there are: 429" 'names those that there are'
done_testing
