#!/usr/bin/env bash
# The disk of the home is full while an agent works, when its result is committed, when its question is, and when a yes is
# used: nothing runs that was not granted, nothing twice, and with room again each mail has one answer.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/permit.sh"
trap 'umount -l "$WORK/fs" 2>/dev/null; tap_end' EXIT
can_mount() { [ "$(id -u)" = 0 ] && mkdir -p "$WORK/fs" && mount -t tmpfs -o size=12m none "$WORK/fs" 2>/dev/null; }
can_mount || skip_all 'can not mount a small disk'

HOME_DIR=$WORK/fs/home
fill="head -c 64m /dev/zero >$WORK/fs/fill; head -c 4096 /dev/zero >$WORK/fs/fill2; true"
once_full="[ -e $WORK/filled ] || { touch $WORK/filled; $fill; }" # of a turn that may be begun again
fresh() # PERMISSIONS
{
    rm -rf "$HOME_DIR" "$WORK/agent" "$WORK/src" "$WORK/fs"/fill* "$WORK/filled" "$WORK/ran"
    agent_home claude
    pr config set 'role coder' permissions "$1"
    # The disk is full as soon as the program starts, where a test says so.
    sed -i "2i [ ! -e '$WORK/full-at-start' ] || { $fill; } 2>/dev/null" "$WORK/agent/run"
}
room() { rm -f "$WORK"/fs/fill* "$WORK/full-at-start"; }
answers() { grep -rl -- "$1" "$HOME_DIR/mail/you/new" 2>/dev/null | wc -l; }

# --- while it works, and when its result is committed ---

fresh all
script <<END
bash echo one >>$WORK/ran
sh $once_full
text I go on.
bash echo two >>$WORK/ran
result Did it.
---
result It was done before.
END
mail_coder 'Fill' <<<'Do it.'
is "$(cat "$WORK/ran" | tr '\n' ' ')" 'one two ' 'a full disk does not end a program at work'
is "$(answers 'Did it') $(job_state)" '0 running' 'what it said can not be committed'
like "$(cat "$WORK/once.log")" 'full|No space' 'and the log says why'
pass_at 60
is "$(answers 'was done before')" 0 'nor later, as long as the disk is full'
room
pass_at 600
is "$(answers 'was done before\|Did it') $(job_state)" '1 done' 'with room again the mail is answered, once'
is "$(wc -l <"$WORK/ran")" 2 'by the same session, which does nothing again'
pass_at 7200
is "$(answers 'was done before\|Did it')" 1 'and not later either'

# --- when its question is committed ---

fresh ask
script <<END
sh $once_full
bash echo asked >>$WORK/ran
result Ran it: {reason}
---
bash echo asked >>$WORK/ran
result Ran it: {reason}
END
mail_coder 'Ask' <<<'Do it.'
is "$(asked) $(cat "$WORK/ran" 2>/dev/null)" '0 ' 'a question that can not be committed is none, and nothing ran'
room
pass_at 600
is "$(asked) $(answers 'may this be done') $(job_state)" '1 1 parked' 'with room again it is asked, by one mail'

# --- when a yes is given, and when it is used ---

sh -c "$fill" 2>/dev/null
exits 75 'a yes on a full disk is refused' pr approve "$(number)"
is "$(asked)" 1 'and the question still open'
room
ok 'with room again it counts' pr approve "$(number)"
touch "$WORK/full-at-start"
pass_at 660
is "$(cat "$WORK/ran" 2>/dev/null)" '' 'a yes whose use can not be noted lets nothing run'
room
pass_at 1200
pass_at 7200
is "$(cat "$WORK/ran")" asked 'with room again that call runs, once'
is "$(asked) $(answers 'Ran it') $(job_state)" '0 1 done' 'nobody is asked again, and the mail is answered once'
exits 0 'all is well' pr doctor
done_testing
