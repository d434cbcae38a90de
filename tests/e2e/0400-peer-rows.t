#!/usr/bin/env bash
# Rows of servers and of what they are told: greylisting, a bounce after the mail was accepted, headers and
# addresses that are more, names that lead nowhere, a password that is repeated. The peer's log is the witness.
. "$(dirname "$0")/../lib/tap.sh"
. "$POSTRIDER_SRC/tests/lib/peer.sh"
peer_home hold
pr config set 'account main' envelope verp >/dev/null
cat >"$HOME_DIR/scripts/hello" <<END
#!/bin/sh
cat >>'$WORK/shown'
echo done
END
state() { db "SELECT group_concat(state, ' ') FROM delivery WHERE address = '$1@test.example'"; }
accepted() { local n; n=$(grep -c '"event": "accepted"' "$WORK/log"); echo "$n"; }
owner_mails() { pr deliver; find "$HOME_DIR/mail/you/new" -type f 2>/dev/null | wc -l; }

# --- greylisting ---

start_peer --rule '{"on": "RCPT", "answer": "451 4.7.1 greylisted, try again in 5 minutes", "times": 2}'
echo hello | pr send --from envoy --to bob@test.example --subject grey >/dev/null
pr submit 2>/dev/null
is "$(state bob) $(accepted)" 'retry 0' '451 first: it is to be tried again'
is "$(owner_mails)" 0 'nobody is told of that'
pr submit 2>/dev/null
is "$(accepted) $(grep -c '"line": "RCPT' "$WORK/log")" '0 1' 'and not at once'
POSTRIDER_CLOCK=+400 pr submit 2>/dev/null
is "$(state bob)" retry 'too early once more'
POSTRIDER_CLOCK=+4000 pr submit 2>/dev/null
is "$(state bob) $(accepted)" 'sent 1' 'later it is delivered'
POSTRIDER_CLOCK=+9000 pr submit 2>/dev/null
is "$(accepted)" 1 'one copy'

# --- mail that comes late, twice or back ---

from_carol() # ID [HEADER]
{
    printf '%s\n' "Message-ID: <$1@test.example>" 'From: carol@test.example' 'To: agent@test.example' 'Subject: work' \
        'Date: Sun, 15 Nov 2026 09:00:00 +0000' ${2:+"$2"} '' "please: $1" | pr receive --role envoy
    pr serve --once >/dev/null 2>&1
}
bounce() # TO ID: the server says that it did not arrive after all
{
    printf '%s\n' "Message-ID: <$2@mx.example>" 'Return-Path: <>' 'From: MAILER-DAEMON@mx.example' "To: $1" 'Subject: Undelivered Mail' \
        'MIME-Version: 1.0' 'Content-Type: multipart/report; report-type=delivery-status; boundary=b' '' '--b' '' 'Sorry.' '--b' \
        'Content-Type: message/delivery-status' '' 'Reporting-MTA: dns; mx.example' '' 'Final-Recipient: rfc822; carol@test.example' \
        'Action: failed' 'Status: 5.2.2' 'Diagnostic-Code: smtp; 552 5.2.2 mailbox is full' '--b--' | pr receive --role envoy
    pr serve --once >/dev/null 2>&1
}
start_peer
from_carol one
is "$(state carol) $(accepted)" 'sent 1' 'an answer is accepted'
sender=$(grep -o '"sender": "[^"]*"' "$WORK/log" | tail -n 1 | cut -d'"' -f4)
n=$(owner_mails)
bounce "${sender/+b.*@/+b.1.aaaaaaaaaaaaaaaa@}" forged
is "$(state carol) $(owner_mails)" "sent $n" 'a bounce to another tag says nothing'
: >"$WORK/shown"
bounce "$sender" real
is "$(state carol)" failed 'one to the envelope of the mail is tied to it'
like "$(pr outbox list --all)" 'failed +carol@test.example' 'in sight'
is "$(owner_mails)" $((n + 1)) 'the owner is told'
bounce "$sender" again
is "$(owner_mails) $(accepted)" "$((n + 1)) 1" 'once, and a bounce is never answered'
is "$(cat "$WORK/shown")" '' 'nor is it work'
like "$(pr mail trace '<real@mx.example>')" 'bounce' 'mail trace says what it was'
from_carol two 'In-Reply-To: <one@test.example>'
like "$(cat "$WORK/shown")" 'Your mail to carol@test.example, <[^>]*>, did not arrive' 'the job hears of it'

# --- On the wire ---

start_peer
n=$(accepted)
for to in $'bob@test.example\r\nRCPT TO:<evil@test.example>' 'bob@test.example> RCPT TO:<evil@test.example' 'bob@test.example>NOTIFY=NEVER' '<bob@test.example' "$(printf 'b%.0s' {1..300})@test.example" '-bob @test.example'; do
    echo hello | pr send --from envoy --to "$to" --subject x >/dev/null 2>&1
    isnt $? 0 "no address: $(printf %q "${to:0:40}")"
done
for subject in $'x\r\nBcc: evil@test.example' $'x\nBcc: evil@test.example' $'x\r\n.\r\nMAIL FROM:<evil@test.example>'; do
    echo hello | pr send --from envoy --to bob@test.example --subject "$subject" >/dev/null 2>&1
done
printf 'one\n.\nMAIL FROM:<evil@test.example>\n..\n\r.\r\nBcc: evil@test.example\n.' | pr send --from envoy --to bob@test.example --subject 'dots' >/dev/null
pr submit 2>/dev/null
is "$(grep -c '"event": "accepted"' "$WORK/log") $(grep -c '"line": "MAIL FROM' "$WORK/log")" '1 1' 'one mail is one mail'
unlike "$(grep '"side": "smtp"' "$WORK/log" | grep -v '"event": "sent"')" 'RCPT TO:<evil' 'and nobody else gets it'

# --- Names that lead nowhere, or to many places ---

cat >"$WORK/resolve.c" <<'C'
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
static struct addrinfo *add(struct addrinfo *next, const char *text, const char *service, const struct addrinfo *hints)
{
    struct addrinfo h = {.ai_family = AF_UNSPEC, .ai_socktype = hints ? hints->ai_socktype : SOCK_STREAM, .ai_flags = AI_NUMERICHOST}, *one = NULL;
    int (*real)(const char *, const char *, const struct addrinfo *, struct addrinfo **) = dlsym(RTLD_NEXT, "getaddrinfo");
    if (real(text, service, &h, &one) != 0) return next;
    one->ai_next = next;
    return one;
}
int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **ret)
{
    int (*real)(const char *, const char *, const struct addrinfo *, struct addrinfo **) = dlsym(RTLD_NEXT, "getaddrinfo");
    if (!name || !strstr(name, ".test")) return real(name, service, hints, ret);
    if (strstr(name, "nxdomain")) return EAI_NONAME;
    if (strstr(name, "servfail")) return EAI_AGAIN;
    *ret = add(NULL, "127.0.0.1", service, hints);
    if (strstr(name, "blackhole")) *ret = add(*ret, "2001:db8::1", service, hints);
    for (int i = 1; strstr(name, "several") && i < 5; i++) {
        char text[32] = "127.1.0.";
        text[8] = (char)('0' + i / 10); text[9] = (char)('0' + i % 10); text[10] = 0;
        if (i < 10) { text[8] = (char)('0' + i); text[9] = 0; }
        *ret = add(*ret, text, service, hints);
    }
    return 0;
}
C
if cc -shared -fPIC -o "$WORK/resolve.so" "$WORK/resolve.c" -ldl 2>"$WORK/cc.err"; then
    start_peer
    cp "$HOME_DIR/postrider.conf" "$WORK/conf.login" # these names are not this machine: no login without TLS
    sed -i '/^user = /d; /^password-file = /d' "$HOME_DIR/postrider.conf"
    submit_to() # HOST: a mail through a server of that name; prints what became of it
    {
        pr config set smtp host "$1" >/dev/null
        echo hello | pr send --from envoy --to "$2@test.example" --subject "by $1" >/dev/null
        ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0 LD_PRELOAD=$WORK/resolve.so timeout 60 "$PR_BIN" --home "$HOME_DIR" submit >"$WORK/submit.err" 2>&1
        state "$2"
    }
    like "$(submit_to nxdomain.test nx)" '^(retry|ready)$' 'a name that does not exist: the mail waits'
    like "$(pr --json outbox list)" "nxdomain.test': Could not resolve" 'and the outbox says why'
    pr config set smtp host 127.0.0.1; pr submit 2>/dev/null
    like "$(submit_to servfail.test sf)" '^(retry|ready)$' 'a name server that fails: likewise'
    is "$(POSTRIDER_CLOCK=+90000 submit_to blackhole.test bh)" sent 'IPv6 leads nowhere: IPv4 does'
    is "$(POSTRIDER_CLOCK=+190000 submit_to several.test ff)" sent 'several addresses, and only the last one answers'
    is "$(state nx) $(state sf)" 'sent sent' 'and what waited leaves with them'
    is "$(grep '"event": "accepted"' "$WORK/log" | grep -o '"id": "[^"]*"' | sort | uniq -d)" '' 'once each'
    cp "$WORK/conf.login" "$HOME_DIR/postrider.conf"
else
    skip 'names that lead nowhere' 'no compiler'
fi

# --- The password, in everything that anybody can read ---

pr config set smtp host 127.0.0.1
pr config set postrider log-level debug
(umask 077; echo CANARY-password >"$HOME_DIR/password")
for answer in '535 5.7.8 CANARY-password is wrong' '454 4.7.0 no, not AGFnZW50QHRlc3QuZXhhbXBsZQBDQU5BUlktcGFzc3dvcmQ=' '250 ok'; do
    start_peer --rule "{\"on\": \"AUTH\", \"answer\": \"$answer\"}"
    echo hello | pr send --from envoy --to bob@test.example --subject 'a secret' >>"$WORK/said" 2>&1
    pr outbox retry "$(db 'SELECT max(id) FROM outbox')" >>"$WORK/said" 2>&1
    POSTRIDER_CLOCK=+20000 pr submit >>"$WORK/said" 2>&1
    for verb in status doctor 'outbox list --all' 'config show' '--json status' 'job list --all'; do
        pr $verb >>"$WORK/said" 2>&1
    done
done
pr deliver
ok 'a server that repeats the password was heard' grep -q '535' "$WORK/said"
is "$(grep -l 'CANARY\|Q0FOQVJZ\|DQU5BUlkt' "$WORK/said" | wc -l)" 0 'nothing that was said holds the password'
is "$(grep -rlaE 'CANARY|DQU5BUlkt' "$HOME_DIR" | grep -v '/password$')" '' 'nor does a file of the home, but the one that it is in'
done_testing
