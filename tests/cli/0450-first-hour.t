#!/usr/bin/env bash
# What a person meets who tries things out: a brain that is not there, one that fails, a word too much or too few.
. "$(dirname "$0")/../lib/tap.sh"

in_you() { find "$HOME_DIR/mail/you/new" -type f | wc -l; }

pr init >/dev/null
exits 64 'ask without a question' pr ask
like "$ERR" 'nothing to ask' 'sends nothing'
exits 64 'nor with blanks' pr ask '  '
is "$(pr mail list)" 'no mail' 'no mail came of it'
exits 0 'an order as a question' pr ask STATUS
is "$OUT" 'Nothing is going on.' 'is answered at once'
exits 64 'an option that is none' pr --hom x status
like "$ERR" "did you mean '--home'" 'gets the nearest one'
exits 66 'a name that is nothing' pr show nothing
like "$ERR" "no job, mail or note 'nothing'\$" 'is said to be nothing'
exits 64 'nearly an option' pr show 1@1 --contxt
like "$ERR" "unknown option --contxt; did you mean '--context'?" 'gets the nearest one'
exits 66 'nearly a note' pr show envoy/strt
like "$ERR" "note 'envoy/strt'; did you mean 'envoy/start'?" 'gets the nearest one'
exits 66 'run of a job that is not there' pr run 99
like "$ERR" 'there is no job 99' 'says so'

# A brain that is not there: the job waits, and everybody says why.
pr config set 'brain default' command no-such-program
exits 75 'ask does not wait for minutes' pr ask 'hello'
like "$ERR" "job 1 waits: no program 'no-such-program' in PATH" 'and says what is wrong'
run pr status
like "$OUT" "the brain 'default' does not work: no program 'no-such-program'" 'status does'
run pr show 1
like "$OUT" 'Job 1 \(hello\) has been queued for .*: no program .* It is tried again in 4 min' 'and show'
exits 75 'it is not ready' pr run 1
like "$ERR" 'job 1 is not ready' 'which run tells'
is "$(grep -l 'does not work' "$HOME_DIR"/mail/you/new/* | wc -l)" 1 'the owner has one mail about it'
pr config set 'brain default' command scripts/hello
run pr status
like "$OUT" "the brain 'default' did not work, and was not asked since it was changed: no program 'no-such-program'.*; to ask it: postrider setup brain" 'mended: status says that it does not know yet'
unlike "$OUT" 'does not work' 'and no more that it does not work'
before=$(in_you)
ok 'mended, CONTINUE does not wait' pr continue 1
ok 'a pass' pr serve --once
is "$(in_you)" $((before + 1)) 'answers'
run pr status
unlike "$OUT" 'does not work' 'and the brain is well again'

# A brain that fails: the job failed, and CONTINUE gives it another try.
pr config set 'brain default' command /bin/false
pr config set 'role envoy' retry no
exits 1 'ask of a brain that fails' pr ask 'again'
like "$OUT" 'could not do this: exit 1' 'tells so'
like "$OUT" 'Reply CONTINUE' 'and the way on'
run pr show 2
like "$OUT" 'Job 2 \(again\) failed .* ago: exit 1 .*Reply CONTINUE to go on.' 'as show does'
pr config set 'brain default' command scripts/hello
before=$(in_you)
ok 'CONTINUE' pr continue 2
ok 'a pass' pr serve --once
is "$(in_you)" $((before + 1)) 'it is answered now'
like "$(cat "$HOME_DIR"/mail/you/new/*)" 'I have your mail:.*  - again' 'with an answer to the question'
run pr mail trace "$(sed -n 's/^Message-ID: //p' "$(grep -l '^Subject: again' "$HOME_DIR"/mail/envoy/.Done/cur/*)")"
like "$OUT" 'dead +exit 1.*stored +another try.*handled' 'its mail was dead, open again, and handled'
run pr show 2
like "$OUT" 'was done' 'and the job is done'

# A restored home speaks of itself.
pr backup "$WORK/bk" >/dev/null
HOME_DIR="$WORK/it's there"
ok 'restore to another place' pr restore "$WORK/bk"
unlike "$(cat "$HOME_DIR/muttrc")" "$WORK/home" 'its muttrc does not name the old one'
like "$(cat "$HOME_DIR/muttrc")" "setenv POSTRIDER_HOME '$WORK/it'\\\\''s there'" 'but the new one'
done_testing
