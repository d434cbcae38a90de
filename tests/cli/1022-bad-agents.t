#!/usr/bin/env bash
# Programs that do not behave: each has a clear outcome, the mail is answered once in the end, and nothing is left running.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/agent.sh"

HOURS=0 N=0
agent_home
pr config set 'brain default' command "$WORK/agent/bad"
pr config set 'brain default' timeout 3s
pr config set postrider ack-after 0
bad() { { echo '#!/bin/bash'; echo 'init() { echo "{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"$1\"}"; }'
    echo 'answer() { echo "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"result\":\"$1\",\"session_id\":\"s\",\"total_cost_usd\":0.01}"; }'
    cat; } >"$WORK/agent/new" && chmod +x "$WORK/agent/new" && mv "$WORK/agent/new" "$WORK/agent/bad"; }
good() { bad <<<"init s; answer 'right $N'"; }
later() { HOURS=$((HOURS + 1)); export POSTRIDER_CLOCK=+$((HOURS * 3600)); pr serve --once >/dev/null 2>"$WORK/once.log"; }
state() { db "SELECT state FROM job WHERE id = $N"; }
why() { db "SELECT why FROM job WHERE id = $N"; }
answers() { grep -l "Subject: Re: bad $N\$" "$HOME_DIR"/mail/you/new/* 2>/dev/null | wc -l; }
# WHAT WHY: the program on stdin fails so; a good one then answers
fails()
{
    N=$((N + 1))
    bad
    echo "bad $N" | pr send --to envoy --subject "bad $N" >/dev/null
    later
    is "$(state) $(answers)" 'queued 0' "$1: the job waits for its next try"
    like "$(why)" "$2" 'and says why'
    good
    later
    is "$(state) $(answers)" 'done 1' 'a program that works answers, once'
}
# WHAT WHY: the program on stdin ended well, but gave no answer, twice; whoever asked hears so, and CONTINUE tries again
ends()
{
    N=$((N + 1))
    bad
    echo "bad $N" | pr send --to envoy --subject "bad $N" >/dev/null
    later
    is "$(state) $(answers)" 'failed 1' "$1: the job fails, and whoever asked has one mail"
    like "$(why)" "$2" 'and it is said why'
    good
    ok 'CONTINUE' pr continue $N
    later
    is "$(state) $(answers)" 'done 2' 'a program that works answers'
}
# WHAT TEXT: this one is answered all the same, by this
works()
{
    N=$((N + 1))
    bad
    echo "bad $N" | pr send --to envoy --subject "bad $N" >/dev/null
    later
    is "$(state) $(answers)" 'done 1' "$1: it is answered"
    ok 'by what it said' you_have "$2"
}

ends 'a stream that is cut in a line' 'ended without an answer' <<'S'
init s; printf '{"type":"result","subtype":"success","is_error":false,"result":"hal'
S
ends 'a stream without a result' 'ended without an answer' <<'S'
init s; echo '{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"hm"}]}}'
S
ends 'nothing at all' 'ended without an answer' <<<'exit 0'
fails 'nothing, and an exit status' 'exit 3' <<<'exit 3'
fails 'one that asks for input for ever' 'longer than 3 s' <<'S'
while :; do printf 'Password: '; read -r _ || sleep 1; done
S
fails 'one that waits for ever and says nothing' 'longer than 3 s' <<<'exec sleep 1000'
works 'two results' 'second word' <<'S'
init s; answer 'first word'; answer 'second word'
S
works 'lines that nobody knows, and bytes that are no text' 'known at last' <<'S'
init s; echo '{"type":"from_the_future","x":[1,{"y":null}]}'; printf 'no json\n\377\376\n\0\n[]\n"x"\n1e999\n'; answer 'known at last'
S
works 'one that forks a daemon' 'left a daemon' <<S
init s; setsid sh -c 'echo \$\$ >$WORK/daemon; exec sleep 1000' >/dev/null 2>&1 </dev/null &
until [ -s $WORK/daemon ]; do read -r -t 0.05 _ <>/dev/null; done
answer 'left a daemon'
S
gone() { ! kill -0 "$(cat "$WORK/daemon")" 2>/dev/null; }
ok 'which is ended with it' wait_for gone

# Another version takes the place of the program during a job: it does not know the session, and has the whole page.
works 'the first version' 'of version 1' <<S
echo "1 \$*" >>$WORK/versions; init s; answer 'of version 1'
S
id=$(db "SELECT original_msgid FROM job WHERE id = $N")
bad <<S
case "\$*" in
*--resume*) echo 'No conversation found with session ID: s' >&2; exit 1 ;;
esac
echo "2 \$*" >>$WORK/versions; cat >$WORK/page & init s2; answer 'of version 2'
S
reply "<$id>" 'And now?'
later
is "$(state)" done 'another version in its place: it is answered'
ok 'by the new one' you_have 'of version 2'
unlike "$(tail -n 1 "$WORK/versions")" '--resume' 'which began a session of its own'
is "$(db "SELECT count(*) FROM job WHERE state NOT IN ('done')")" 0 'nothing is left to do'
done_testing
