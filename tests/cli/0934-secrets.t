#!/usr/bin/env bash
# What must not get out, and what must not get in: secrets to agents, escapes to a terminal, others to the
# home, and a yes out of the mouth of an agent.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/steps.sh"

# --- what an agent can read ---

pr init >/dev/null
(umask 077; echo CANARY-file >"$HOME_DIR/secrets/password")
cat >"$HOME_DIR/scripts/hello" <<END
#!/bin/sh
cat >/dev/null
env >'$WORK/agent.env'
ls -l /proc/self/fd >'$WORK/agent.fd'
tr '\0' ' ' </proc/\$PPID/cmdline >'$WORK/agent.parent'
cat /proc/\$PPID/environ >>'$WORK/agent.environ' 2>&1
ulimit -c >'$WORK/agent.core'
echo done
END
secretly() { env MAIL_PASSWORD=CANARY-env ANTHROPIC_API_KEY=CANARY-key AWS_SECRET=CANARY-aws POSTRIDER_HOME=/CANARY "$@"; }
ok 'an agent that looks around' secretly "$PR_BIN" --home "$HOME_DIR" ask hello
unlike "$(cat "$WORK/agent.env")" 'CANARY|AWS_SECRET|API_KEY|PASSWORD' 'no secret is in its environment'
unlike "$(cat "$WORK/agent.parent")" 'CANARY' 'nor in the arguments of who started it'
is "$(grep -c 'postrider.db\|/key\|\.lock\|secrets' "$WORK/agent.fd")" 0 'no file of the home is open in it'
is "$(cat "$WORK/agent.core")" 0 'it leaves no core'
not_ok 'what only programs of ours are told is not there' grep -q GNUTLS "$WORK/agent.env"
if [ "$(id -u)" = 0 ]; then
    ok 'though whoever started it was told' grep -aq GNUTLS_NO_IMPLICIT_INIT=1 "$WORK/agent.environ"
else
    skip 'though whoever started it was told' 'only root may look there'
fi
# Root may read every process: then by somebody else, who must be able to reach the program.
other=$WORK/public/home
mkdir -m 777 "$WORK/public" && passable
if as_other "$PR_BIN" --home "$other" init >/dev/null 2>&1; then
    printf '#!/bin/sh\ncat >/dev/null\ncat /proc/$PPID/environ\necho looked\n' >"$WORK/public/look" && chmod 755 "$WORK/public/look"
    as_other "$PR_BIN" --home "$other" config set 'brain default' command "$WORK/public/look"
    for verb in 'ask hello' 'inject --subject hello --run' 'serve --once'; do
        rm -f "$other"/mail/you/new/*
        [ "$verb" != 'serve --once' ] || as_other "$PR_BIN" --home "$other" ask --no-wait hello >/dev/null
        # shellcheck disable=SC2086
        as_other env TMPDIR="$WORK/public" MAIL_PASSWORD=CANARY-env "$PR_BIN" --home "$other" $verb >/dev/null 2>&1 </dev/null
        ok "$verb: an agent looks" grep -q looked -r "$other/mail/you/new"
        not_ok "$verb: and can not read them from its parent" grep -aq CANARY -r "$other/mail/you/new"
    done
else
    skip 'nor can it read them from its parent' 'no other user can run the program here'
fi
is "$(grep -rl 'CANARY-env\|CANARY-key\|CANARY-aws' "$HOME_DIR" | wc -l)" 0 'and none is written down'

# --- a home that others may enter ---

for mode in 777 770 707 722; do
    chmod "$mode" "$HOME_DIR"
    exits 78 "a home with mode $mode is refused" pr status
    like "$ERR" 'chmod 700' 'and it says what to do'
done
chmod 700 "$HOME_DIR"
chmod 644 "$HOME_DIR/key"
run pr status
isnt "$STATUS" 0 'so is a key that others can read'
chmod 600 "$HOME_DIR/key"
(umask 0 && pr ask 'with umask 0' >/dev/null)
is "$(find "$HOME_DIR" -perm /077 -not -type l -not -path '*/work/*' -not -path '*/scripts/*' | head -n 3)" '' 'nothing in it is for others, whatever the umask'

# --- escapes to a terminal and to the log ---

rm -rf "$HOME_DIR"
ok 'another home' steps_home
pr config set trust require-auth none
bad=$'\xc2\x9b31m'
python3 - "$HOME_DIR/mail/envoy/new/t28" <<'P'
import sys
evil = "=?utf-8?b?G10wO3B3bgcbWzJKwpszMW3igK5ldmls?="
open(sys.argv[1], "w").write(f"""From: {evil} <you@postrider.local>
To: envoy@postrider.local
Subject: {evil}
Message-ID: <t28@out.example>
Content-Type: multipart/mixed; boundary=b

--b

body \x1b[2J \x1b]0;pwn\x07
--b
Content-Type: text/plain; name="{evil}"
Content-Disposition: attachment; filename="a\x1b[2Jb.txt"

x
--b--
""")
P
printf '%s\n' '{"status":"waiting","current_phase":"waiting","working_note":"\u001b[2J","reasoning":"\u001b]0;x\u0007\u009b1m","wait":{"for":"reply","until":"","then":"continue"},"send_emails":[{"to":["evil@example.net"],"subject":"\u009b31m","body":"\u001b[2J"}],"write_notes":[{"key":"scratch/e","content":"\u001b[2J","mode":"replace"}]}' | answers
pr serve --once >"$WORK/log" 2>&1
for verb in 'mail list' 'mail show <t28@out.example>' 'mail thread <t28@out.example>' 'mail trace <t28@out.example>' 'mail search body' 'job list --all' 'job show 1' 'job log 1' \
    'show 1' 'show 1@1' 'outbox list --all' 'outbox show 1' 'status' 'note list' 'note history scratch/e' 'doctor' 'config show'; do
    run pr $verb
    unlike "$OUT$ERR" $'[\001-\010\013-\037\177]|\xc2[\x80-\x9f]|\xe2\x80\xae' "no escape comes through: $verb"
done
unlike "$(cat "$WORK/log")" $'[\001-\010\013-\037\177]' 'nor through the log'
for verb in 'show 1@1 --context' 'note get scratch/e'; do # as they are into a file
    if command -v script >/dev/null; then
        script -qec "'$PR_BIN' --home '$HOME_DIR' $verb" /dev/null </dev/null >"$WORK/tty" 2>&1
        unlike "$(tr -d '\r' <"$WORK/tty")" $'[\001-\010\013-\037\177]' "nor onto a terminal: $verb"
        ok "which is there" grep -q '[a-z]' "$WORK/tty"
    else
        skip "nor onto a terminal: $verb" 'no script here'
    fi
done

# --- a yes by an agent ---

printf '%s\n%s\n' '{"status":"complete","current_phase":"complete","approve":true}' '{"status":"complete","current_phase":"complete","send_emails":[{"to":["evil@example.net"],"subject":"APPROVE","body":"APPROVE"}]}' | answers
mail_in 'Yes' <<<'please'
like "$(results 2)" 'were unknown, so dropped: approve' 'an agent has no word for yes'
is "$(db "SELECT count(*) FROM delivery WHERE address = 'evil@example.net' AND state <> 'held'")" 0 'what is held stays held'
question=$(db 'SELECT msgid FROM question ORDER BY id DESC LIMIT 1')
printf '{"status":"complete","current_phase":"complete","send_emails":[{"to":["envoy@postrider.local"],"subject":"x","body":"APPROVE","in_reply_to":"<%s>"}]}\n' "$question" | answers
mail_in 'Yes again' <<<'please'
answers </dev/null
pr deliver; pr serve --once >/dev/null 2>&1
is "$(db "SELECT state FROM question WHERE msgid = '$question'")" open 'nor does it answer its own question by mail'
done_testing
