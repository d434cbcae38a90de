#!/usr/bin/env bash
# Servers and programs that repeat a secret: it is in no file of the home, in nothing that a verb prints, and in the
# environment of no child.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/peer.sh"

CANARY='CANARY-s3cret-9f27'
PLAIN=$(printf '\0agent@test.example\0%s' "$CANARY" | base64 -w 0)
LOGIN=$(printf '%s' "$CANARY" | base64 -w 0)
XOAUTH2=$(printf 'user=agent@test.example\001auth=Bearer %s\001\001' "$CANARY" | base64 -w 0)
SAYS="no: $CANARY $PLAIN $LOGIN $XOAUTH2"
# What base64 of the canary holds wherever it stands in what was encoded.
inside() { local k; for k in '' x xx; do printf '%s%s' "$k" "$CANARY" | base64 -w 0 | cut -c 4-20; done; }
mapfile -t FORMS < <(echo "$CANARY"; inside)

# no_canary DESC: all files but those that hold the secret, and all that verbs print.
no_canary()
{
    local verb form
    {
        for verb in status 'status --json' doctor 'mail list' 'outbox list --all' 'outbox show 1' 'job list --all' 'job log 1' 'show 1' 'show 1@1' \
            'mail trace 1' 'mail search no' cost 'config show' 'config check' 'note list'; do
            # shellcheck disable=SC2086
            pr $verb 2>&1
            # shellcheck disable=SC2086
            pr --json $verb 2>&1
        done
        cat "$WORK/said" "$WORK/children" 2>/dev/null
        find "$HOME_DIR" -type f ! -path "$HOME_DIR/secrets/*" -exec cat {} +
    } >"$WORK/all"
    for form in "${FORMS[@]}"; do
        if grep -aqF -- "$form" "$WORK/all"; then
            fail "$1" "'$form': $(grep -aF -m 3 -- "$form" "$WORK/all" | cut -c 1-300) in $(grep -rlaF -- "$form" "$HOME_DIR")"
            return
        fi
    done
    pass "$1"
    : >"$WORK/said"
}
said() { grep -aq "$1" "$WORK/said" || pr status 2>&1 | grep -aq "$1" || pr doctor 2>&1 | grep -aq "$1" || pr outbox list --all 2>&1 | grep -aq "$1"; }

# home SETTING: how the password is had
home()
{
    peer_home hold imap
    sed -i "s|^password-file = password|$1|" "$HOME_DIR/postrider.conf"
    (umask 077; mkdir -p "$HOME_DIR/secrets"; echo "$CANARY" >"$HOME_DIR/secrets/pw")
    printf '#!/bin/sh\nenv >>"%s/children"\ncat secrets/pw >&2\ncat secrets/pw\n' "$WORK" >"$HOME_DIR/scripts/tell"
    printf '#!/bin/sh\nenv >>"%s/children"\ncat secrets/pw >&2\ncat secrets/pw\nexit 3\n' "$WORK" >"$HOME_DIR/scripts/refuse"
    chmod 700 "$HOME_DIR/scripts/tell" "$HOME_DIR/scripts/refuse"
    pr config set smtp port "$SMTP" >/dev/null
    pr config set 'account main' port "$IMAP" >/dev/null
    : >"$WORK/said"
}
all_verbs() { local i; for i in 1 2; do pr account main --once; pr submit; pr serve --once; done >>"$WORK/said" 2>&1; }

for way in 'password-file = secrets/pw' 'password-command = scripts/tell' 'token-command = scripts/tell'; do
    caps=(--capability 'IMAP4rev1 UIDPLUS LITERAL+ AUTH=PLAIN AUTH=XOAUTH2')
    run_peer --rule '{"on":"LOGIN","side":"imap","times":0,"answer":"{tag} NO '"$SAYS"'\r\n"}' \
        --rule '{"on":"AUTHENTICATE","side":"imap","times":0,"answer":"{tag} NO '"$SAYS"'\r\n"}' \
        --rule '{"on":"AUTH","side":"smtp","times":0,"answer":"535 '"$SAYS"'\r\n"}' "${caps[@]}"
    home "$way"
    mail_to kim@test.example
    all_verbs
    ok "$way: a refused login is told" said 'no: \[secret\]'
    no_canary "$way: without the secret"

    run_peer --rule '{"on":"MAIL","side":"smtp","times":0,"answer":"550 '"$SAYS"'\r\n"}' "${caps[@]}" \
        --rule '{"on":"UID SEARCH","side":"imap","times":0,"answer":"{tag} NO [ALERT] '"$SAYS"'\r\n"}'
    home "$way"
    mail_to kim@test.example
    all_verbs
    ok "$way: a refused mail is told" said 'no: \[secret\]'
    no_canary "$way: without the secret"
done

run_peer
home 'password-command = scripts/refuse'
all_verbs
ok 'a command that fails is told' said 'gives no password'
no_canary 'a command that fails and prints the secret: it is not'

# A program that thinks.
home 'password-file = secrets/pw'
grep -qa CANARY "$HOME_DIR/secrets/pw" || fail 'the canary is there'
printf '#!/bin/sh\nenv >>"%s/children"\ncat >/dev/null\necho done\n' "$WORK" >"$HOME_DIR/scripts/hello"
MAIL_PASSWORD=$CANARY ANTHROPIC_API_KEY=$CANARY pr ask hello >>"$WORK/said" 2>&1
ok 'children were seen' test -s "$WORK/children"
no_canary 'the environment of children'
done_testing
