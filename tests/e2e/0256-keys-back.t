#!/usr/bin/env bash
# A model's key, and programs that print what they find: a server that repeats the key in a body, a header, a stream or
# a redirect, a sendmail program and a brain that print their environment. The key is nowhere, and in no child that asks
# no model.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/serve.sh"
. "$(dirname "$0")/../lib/model.sh"
. "$(dirname "$0")/../lib/canary.sh"

export OTHER_KEY=$CANARY
home() # KIND
{
    rm -rf "$HOME_DIR"
    pr init >/dev/null
    (umask 077; mkdir -p "$HOME_DIR/secrets"; echo "$CANARY" >"$HOME_DIR/secrets/key")
    sed -i '/^\[brain default\]/,/^$/d' "$HOME_DIR/postrider.conf"
    cat >>"$HOME_DIR/postrider.conf" <<END

[brain default]
kind = $1
model = some-model
url = $URL
key-file = secrets/key
END
    : >"$WORK/said"
}
asked() { echo hello | pr send --to envoy --subject hello >/dev/null; POSTRIDER_LOG=debug pr serve --once >>"$WORK/said" 2>&1; }
K=$CANARY
body='{"type":"error","error":{"type":"invalid_request_error","message":"your key '"$K"' is bad"}}'
declare -A plans=(
    [401]='{"fake":"401","body":'"$body"'}'
    [400]='{"fake":"400","body":'"$body"'}'
    [429]='{"fake":"429-long","body":'"$body"'}'
    [500]='{"fake":"no-retry","body":'"$body"'}'
    [header]='{"fake":"500","headers":{"x-should-retry":"false","request-id":"'"$K"'","x-request-id":"'"$K"'","retry-after":"'"$K"'","www-authenticate":"Bearer '"$K"'"}}'
    [redirect]='{"fake":"redirect","headers":{"location":"http://127.0.0.1:1/'"$K"'?key='"$K"'"}}'
    [redirect-user]='{"fake":"redirect","headers":{"location":"http://x:'"$K"'@127.0.0.1:1/"}}'
    [html]='{"fake":"html","raw":"<html>'"$K"'</html>"}'
    [bad-event]='{"fake":"bad-event","raw":"event: message_start\ndata: {'"$K"'\n\n"}'
    [stream-error]='{"fake":"stream-error","stream_error":"'"$K"'"}'
    [streamed]='"The key is '"$K"', and here it is again: '"$K"'"'
    [slow]='{"fake":"slow","answer":"The key is '"$K"'."}'
    [no-stream]='{"fake":"no-stream","answer":"The key is '"$K"'."}'
    [stop]='{"fake":"prose","answer":"","stop":"'"$K"'"}'
    [truncated]='{"fake":"truncated","answer":"{\"status\": \"'"$K"'","stop":"max_tokens"}'
    [echo-key]='{"fake":"echo-key"}'
)
play() # KIND NAME
{
    fake "m-$2-$1" < <(for _ in 1 2 3 4 5 6; do echo "${plans[$2]}"; done)
    home "$1"
    asked
    ok "$1, $2: the key was sent" grep -qF "$CANARY" "$WORK/m-$2-$1.log"
    nowhere "$1, $2: and comes back nowhere"
    fake_end
}
for name in "${!plans[@]}"; do play anthropic "$name"; done
for name in 401 header streamed echo-key; do play openai "$name"; done

# --- programs: nothing that holds a secret is in their environment ---

fake last < <(echo '"fine"')
home anthropic
sed -i 's/^key-file = .*/key-env = OTHER_KEY/' "$HOME_DIR/postrider.conf"
mkdir "$WORK/bin"
prints() { printf '#!/bin/sh\ncat >/dev/null\necho "'"$1"'" >>"%s/ran"\nenv | tee -a "%s/children" >&2\nenv\n%s\n' "$WORK" "$WORK" "$2"; }
prints brain 'exit 0' >"$HOME_DIR/scripts/hello"
prints sendmail 'exit 75' >"$WORK/bin/sendmail"
prints password 'exit 3' >"$HOME_DIR/scripts/password"
chmod 700 "$HOME_DIR"/scripts/* "$WORK/bin/sendmail"
PATH=$WORK/bin:$PATH
cat >>"$HOME_DIR/postrider.conf" <<END
[brain program]
kind = command
command = scripts/hello
[role tool]
address = tool@postrider.local
brain = program
[account far]
kind = imap
role = tool
host = 127.0.0.1
port = 1
tls = none
user = agent@test.example
password-command = scripts/password
END
pr config set 'account main' smtp sendmail
run pr config check
is "$STATUS" 0 'settings hold'
echo hello | pr send --to tool --subject hello >/dev/null
ANTHROPIC_API_KEY=$CANARY pr serve --once >>"$WORK/said" 2>&1
echo hello | pr send --from envoy --to kim@y.example --subject out >>"$WORK/said" 2>&1
pr submit >>"$WORK/said" 2>&1
pr account far --once >>"$WORK/said" 2>&1
pr serve --once >>"$WORK/said" 2>&1
is "$(sort -u "$WORK/ran" | tr '\n' ' ')" 'brain password sendmail ' 'all three programs ran'
no_canary 'programs that print their environment print no key'

# --- the parts of a master ---

start_serve
has_parts() { [ "$(at_work | wc -l)" -ge 3 ]; }
ok 'a master and its parts are there' wait_for has_parts
for pid in $(at_work); do
    case $(tr '\0' ' ' <"/proc/$pid/cmdline") in
    *' serve '* | *' serve' | *' run '* | *' run') ;; # those who got it, and those who ask
    *) tr '\0' '\n' <"/proc/$pid/environ" >>"$WORK/children" ;;
    esac
done
ok 'environments were seen' grep -q '^PATH=' "$WORK/children"
stop_serve
cat "$WORK/serve.log" >>"$WORK/said"
no_canary 'no part that asks no model has it'
done_testing
