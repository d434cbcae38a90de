#!/usr/bin/env bash
# Two roles that answer each other would do so for ever: each takes eight mails of the other, and the next is held. When a
# person has written, they may talk again.
. "$(dirname "$0")/../lib/tap.sh"
export POSTRIDER_CLOCK=@1795000000
pr init >/dev/null
cat >"$HOME_DIR/postrider.conf" <<'END'
[brain default]
kind = command
command = printf "And then?"
[role envoy]
[role scribe]
END
passes() { local i; for i in $(seq "$1"); do pr serve --once 2>/dev/null; done; }
mails() { db "SELECT count(*) || ' ' || role || ' ' || state FROM message WHERE trust = 'role' AND role IN ('envoy', 'scribe') GROUP BY role, state"; }
why() { db "SELECT DISTINCT why FROM message WHERE state = 'held'"; }

first=$(pr send --from scribe --to envoy --subject 'A chat' <<<'What is new?')
passes 9
is "$(mails)" $'8 envoy handled\n1 envoy held\n8 scribe handled' 'the ninth mail is held'
is "$(why)" 'loop: roles talk without a person' 'says why'
passes 1
is "$(mails)" $'8 envoy handled\n1 envoy held\n8 scribe handled' 'nothing more happens'
pr send --from you --to envoy --in-reply-to "$first" --subject 'Re: A chat' <<<'Go on.' >/dev/null
passes 1
pr send --from scribe --to envoy --in-reply-to "$first" --subject 'Re: A chat' <<<'So?' >/dev/null
passes 1
like "$(mails)" '9 envoy handled'$'\n''1 envoy held' 'a person lets them talk again'

# Both fail: neither is told of the other's failure, since it would only fail at that too. Their owner is.
pr config set 'brain default' command false
pr config set 'role scribe' retry no
pr config set 'role envoy' retry no
pr send --from scribe --to envoy --subject 'A task' <<<'Do it.' >/dev/null
before=$(db "SELECT count(*) FROM message WHERE role IN ('envoy', 'scribe')")
passes 3
is "$(db "SELECT count(*) FROM message WHERE role IN ('envoy', 'scribe')")" $((before + 1)) 'a role that has nothing to wait for gets no mail about a failure'
is "$(grep -ls 'I could not do this' "$HOME_DIR"/mail/you/new/* | wc -l)" 1 'the owner hears of it, once'
done_testing
