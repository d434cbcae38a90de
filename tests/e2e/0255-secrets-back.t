#!/usr/bin/env bash
# Servers and programs that repeat a secret: it is in no file of the home, in nothing that a verb prints, and in the
# environment of no child.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/peer.sh"
. "$(dirname "$0")/../lib/serve.sh"
. "$(dirname "$0")/../lib/canary.sh"

PLAIN=$(printf '\0agent@test.example\0%s' "$CANARY" | base64 -w 0)
LOGIN=$(printf '%s' "$CANARY" | base64 -w 0)
XOAUTH2=$(printf 'user=agent@test.example\001auth=Bearer %s\001\001' "$CANARY" | base64 -w 0)
SAYS="no: $CANARY $PLAIN $LOGIN $XOAUTH2"
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

# At every stage of both wires, once the login was good. IDLE is asked by a process that stays.
for stage in 'smtp:connect:421' 'smtp:EHLO:421' 'smtp:MAIL:451' 'smtp:RCPT:550' 'smtp:DATA:451' 'smtp:dot:554' 'smtp:QUIT:421'; do
    IFS=: read -r side on code <<<"$stage"
    run_peer --rule '{"on":"'"$on"'","side":"'"$side"'","times":0,"answer":"'"$code $SAYS"'\r\n"}'
    home 'password-file = secrets/pw'
    mail_to kim@test.example
    all_verbs
    ok "SMTP $on: it was asked" grep -qF "$code no: " "$WORK/log"
    nowhere "SMTP $on"
done
for on in EXAMINE LIST 'UID FETCH' 'UID SEARCH' APPEND; do
    for how in 'answer":"{tag} NO [ALERT]' 'answer":"* BYE' 'before":"* 1 FETCH (UID 1 BODY[]'; do
        run_peer --mails 1 --rule '{"on":"'"$on"'","side":"imap","times":0,"'"$how $SAYS"'\r\n"}'
        home 'password-file = secrets/pw'
        pr account main --once >>"$WORK/said" 2>&1
        nowhere "IMAP $on: ${how#*:}"
    done
done
for how in 'answer":"{tag} NO [ALERT]' 'answer":"* BYE' 'answer":"+ idling\r\n* OK [ALERT]'; do
    run_peer --rule '{"on":"IDLE","side":"imap","times":0,"'"$how $SAYS"'\r\n"}'
    home 'password-file = secrets/pw'
    start_serve
    asked() { grep -q '"got".*IDLE' "$WORK/log"; }
    ok "IMAP IDLE, ${how#*:}: it was asked" wait_for asked
    stop_serve
    cat "$WORK/serve.log" >>"$WORK/said"
    nowhere "IMAP IDLE: ${how#*:}"
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
