#!/usr/bin/env bash
# Pictures and PDF for a model that sees: the same bytes on the wire, in each step, and when it is looked at again.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/model.sh"

json() { python3 -c 'import json,sys; d=json.loads(sys.argv[1]); print(eval(sys.argv[2]))' "$OUT" "$1"; }
digests() { for n in "$@"; do pr show "1@$n" --context 2>/dev/null | sha256sum | cut -c1-64; done; }
kept() { for n in "$@"; do pr --json show "1@$n" --context 2>/dev/null | sed -n 's/.*"sha256": "\([0-9a-f]\{64\}\)",$/\1/p' | sed -n 1p; done; }

full() # fills in the fields that are not there
{
    python3 -c '
import json, sys
for line in sys.stdin:
    a = json.loads(line)
    if "fake" in a: print(json.dumps(a)); continue
    d = dict(status="continue", current_phase="working", working_note="", bundle_key="", reasoning="", wait={"for": "reply", "until": "", "then": "continue"})
    for k in "add_notes add_emails search_emails search_notes read_attachments drop write_notes rename_notes delete_notes send_emails move_emails".split(): d[k] = []
    d.update(a)
    for m in d["send_emails"]:
        for k, v in dict(to=[], cc=[], subject="", in_reply_to="", attachments=[]).items(): m.setdefault(k, v)
    print(json.dumps(d))'
}
python3 - "$WORK" <<'P'
import sys, os, random
w, r = sys.argv[1], random.Random(7)
def put(name, head, n): open(os.path.join(w, name), 'wb').write(head + bytes(r.randrange(256) for _ in range(n)))
put('pic.png', b'\x89PNG\r\n\x1a\n', 3001)
put('photo.bin.jpg', b'\xff\xd8\xff\xe0', 2000)
put('paper.pdf', b'%PDF-1.7\n', 5002)
put('liar.png', b'MZ', 100)
put('big.gif', b'GIF89a', 3600 << 10)
P
# The files of request N in the log, as NAME or TYPE and SHA-256.
wire()
{
    python3 - "$WORK/$1.log" "$2" <<'P'
import base64, hashlib, json, sys
body = json.loads(open(sys.argv[1]).read().splitlines()[int(sys.argv[2]) - 1])['body']
body = json.loads(body) if isinstance(body, str) else body
content = body['messages'][-1]['content']
for b in content if isinstance(content, list) else []:
    if b['type'] in ('image', 'document'):
        kind, data = b['type'] + ' ' + b['source']['media_type'], b['source']['data']
    elif b['type'] == 'image_url':
        head, data = b['image_url']['url'].split(',', 1)
        kind = 'image ' + head[5:].split(';')[0]
    elif b['type'] == 'file':
        head, data = b['file']['file_data'].split(',', 1)
        kind = 'document ' + head[5:].split(';')[0]
    else:
        continue
    print(kind, hashlib.sha256(base64.b64decode(data, validate=True)).hexdigest())
P
}
want_files()
{
    echo "image image/png $(sha256sum <"$WORK/pic.png" | cut -c1-64)"
    echo "image image/jpeg $(sha256sum <"$WORK/photo.bin.jpg" | cut -c1-64)"
    echo "document application/pdf $(sha256sum <"$WORK/paper.pdf" | cut -c1-64)"
}
system_on_wire()
{
    python3 - "$WORK/$1.log" "$2" <<'P'
import json, sys
body = json.loads(open(sys.argv[1]).read().splitlines()[int(sys.argv[2]) - 1])['body']
body = json.loads(body) if isinstance(body, str) else body
first = body['messages'][0]
if 'system' in body:
    print(body['system'][0].get('cache_control'), body['system'][0]['text'])
elif first['role'] in ('system', 'developer'):
    print(first['content'])
P
}
files=()
for f in pic.png photo.bin.jpg paper.pdf liar.png big.gif; do files+=(--attach "$WORK/$f"); done
asks=$(for f in pic.png photo.bin.jpg paper.pdf liar.png big.gif; do printf '{"message_id":"<pics-%s@x>","filename":"%s"},' "@K@" $f; done)

one_kind() # KIND MODEL URL-TAIL
{
    rm -rf "$HOME_DIR"
    pr init >/dev/null
    pr config set 'brain default' kind "$1"
    pr config set 'brain default' model "$2"
    pr config set 'role envoy' max-iterations 2
    (umask 077; echo sk-not-a-real-one >"$HOME_DIR/secrets/model")
    pr config set 'brain default' key-file secrets/model
    fake "$1" < <(full <<END
{"read_attachments":[${asks//@K@/$1}{"message_id":"<no@x>","filename":"y"}]}
{"working_note":"seen"}
{"status":"complete","current_phase":"complete","send_emails":[{"body":"A picture of a cat."}]}
END
    )
    pr config set 'brain default' url "$URL$3"
    python3 - "$WORK" "$1" >"$WORK/mail" <<'P'
import email.message, sys
m = email.message.EmailMessage()
m['From'], m['To'], m['Subject'], m['Message-ID'] = 'you@postrider.local', 'envoy@postrider.local', 'Pictures', f'<pics-{sys.argv[2]}@x>'
m.set_content('What is on them?\n')
for name, kind in (('pic.png', 'image/png'), ('photo.bin.jpg', 'application/octet-stream'), ('paper.pdf', 'application/pdf'),
                   ('liar.png', 'image/png'), ('big.gif', 'image/gif')):
    m.add_attachment(open(f'{sys.argv[1]}/{name}', 'rb').read(), *kind.split('/'), filename=name)
sys.stdout.buffer.write(bytes(m))
P
    ok "$1: pictures for a model that sees" pr inject --run "$WORK/mail"
    ok "$1: a resume" pr resume --run
    fake_end
    is "$(wc -l <"$WORK/$1.log")" 3 "$1: three questions"
    is "$(wire "$1" 1)" '' "$1: no file is sent unasked"
    is "$(wire "$1" 2)" "$(want_files)" "$1: what was asked for arrives, the same bytes"
    is "$(wire "$1" 3)" "$(want_files)" "$1: and again after the resume"
    like "$(pr show 1@1 --context)" 'filename photo.bin.jpg, content_type application/octet-stream, size_bytes 2004, readable true' \
        "$1: readable is what this brain can read"
    like "$(pr show 1@2 --context)" 'UNSUPPORTED: ATTACHMENT liar.png \(binary, not readable\)' "$1: a file that is not what its name says is not sent"
    like "$(pr show 1@2 --context)" 'UNSUPPORTED: ATTACHMENT big.gif \(too large to be shown\)' "$1: nor one that is too large"
    is "$(digests 1 2 3)" "$(kept 1 2 3)" "$1: --context builds it again, files and all"
    run pr --json show 1@3 --context
    is "$(json '[(f["filename"], f["size_bytes"], f["sha256"]) for f in d["files"]] [0]')" \
        "('pic.png', 3009, '$(sha256sum <"$WORK/pic.png" | cut -c1-64)')" "$1: and names them"
    is "$(for n in 1 2 3; do system_on_wire "$1" $n | sed '/YOUR PHASE IS/,$d' | sha256sum; done | sort -u | wc -l)" 1 "$1: the instructions are the same bytes in each question, but for those of the phase"
    like "$(system_on_wire "$1" 1)" 'You are envoy.*mail is the channel' "$1: with the start note"
    run pr --json mail show "<pics-$1@x>"
    is "$(json '[a["readable"] for a in d["available_attachments"]]')" '[True, True, True, True, False]' "$1: mail show knows it too"
}
one_kind anthropic claude-opus-5-5 ''
like "$(system_on_wire anthropic 1)" "^\{'type': 'ephemeral'\} You are" 'anthropic: and may be kept by the provider'
one_kind openai gpt-6 /v1

# A model that sees nothing, and one whose settings say so.
pr config set 'brain default' model some-text-model
readable() { run pr --json mail show '<pics-openai@x>'; json '[int(a["readable"]) for a in d["available_attachments"]]'; }
is "$(readable)" '[0, 0, 0, 0, 0]' 'a model that is not known for it sees nothing'
pr config set 'brain default' takes images
is "$(readable)" '[1, 1, 0, 1, 0]' 'takes = images'
pr config set 'brain default' takes 'images, pdf'
is "$(readable)" '[1, 1, 1, 1, 0]' 'takes = images, pdf'
pr config set 'brain default' model gpt-6
pr config set 'brain default' takes none
is "$(readable)" '[0, 0, 0, 0, 0]' 'takes = none'
exits 78 'takes = smells is a mistake' pr config set 'brain default' takes smells
is "$(digests 1 2 3)" "$(kept 1 2 3)" 'what was shown before is what it was'
grep -rl '^Message-ID: <pics-openai@x>' "$HOME_DIR/mail/envoy" | xargs rm
exits 65 'a picture that is gone' pr show 1@3 --context
like "$ERR" 'attachment pic.png of <pics-openai@x> is gone' 'is named'

# A provider that can't read a picture is asked without it.
refuse() # KIND MODEL URL-TAIL MESSAGE
{
    rm -rf "$HOME_DIR"
    pr init >/dev/null
    fake "refuse-$1" < <(full <<END
{"read_attachments":[{"message_id":"<pics-refuse@x>","filename":"pic.png"}]}
{"fake":"400","body":{"type":"error","error":{"type":"invalid_request_error","message":"$4"}}}
{"status":"complete","current_phase":"complete","send_emails":[{"body":"I could not see it."}]}
END
    )
    pr config set 'brain default' kind "$1"
    pr config set 'brain default' model "$2"
    pr config set 'brain default' url "$URL$3"
    (umask 077; echo sk-not-a-real-one >"$HOME_DIR/secrets/model")
    pr config set 'brain default' key-file secrets/model
    sed 's/pics-openai@x/pics-refuse@x/' "$WORK/mail" >"$WORK/mail2"
    ok "$1: a picture that the provider refuses" pr inject --run "$WORK/mail2"
    fake_end
    is "$(wire "refuse-$1" 2 | wc -l)$(wire "refuse-$1" 3 | wc -l)" 10 "$1: is left out of the next question"
    like "$(cat "$HOME_DIR"/mail/you/new/*)" 'I could not see it' "$1: and the job goes on"
}
refuse anthropic claude-opus-5-5 '' 'messages.0.content.0.image.source: Could not process image'
refuse openai gpt-6 /v1 'image input is not supported by this model'

done_testing
