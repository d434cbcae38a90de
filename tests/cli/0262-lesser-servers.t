#!/usr/bin/env bash
# Servers that know less than they are asked for: the schema is told in words, and what a server refused once is not
# tried in every step.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/model.sh"

brain() { pr config set 'brain default' "$1" "$2"; }
forms() # NAME: the response_format of each request, and whether the schema stands in the text
{
    python3 - "$WORK/$1.log" <<'P'
import json, sys
for line in open(sys.argv[1]):
    body = json.loads(line)["body"]
    text = "words" if '"additionalProperties"' in body["messages"][0]["content"] else ""
    print(body.get("response_format", {}).get("type", "none"), "max_tokens" in body, text)
P
}
one='{"status":"continue","current_phase":"working","write_notes":[{"key":"scratch/a","content":"x"}]}'
last='{"status":"complete","current_phase":"complete","send_emails":[{"to":[],"body":"Done."}]}'

pr init >/dev/null
brain kind openai
brain model m
fake one <<S
{"fake": "no-schema"}
{"fake": "no-max-tokens"}
$one
$last
$last
$last
S
brain url "$URL/v1"
ok 'a server that knows json_object only' pr ask 'do it'
is "$(forms one)" 'json_schema True 
json_object True words
json_object False words
json_object False words' 'is told the schema in words, and asked so in the next step'
ok 'another job' pr ask 'do it again'
is "$(forms one | tail -n +5)" 'json_object False words' 'asks so at once: the store remembers it'
brain max-tokens 5000
ok 'after a change of the settings' pr ask 'and again'
is "$(forms one | tail -n +6)" 'json_schema True ' 'it is tried again: it may be another server'
fake_end
done_testing
