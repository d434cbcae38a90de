#!/usr/bin/env bash
# Six mails between two roles are counted whatever threads and artifacts the two write about, and counting begins anew with a move, a
# changed artifact, a decision on new bytes, or a person.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/workflow.sh"
workflow_home
cd "$ROOT" || exit 1
pair() { db "SELECT coalesce(sum(n), 0) FROM talk WHERE one = 'spec-reviewer' AND other = 'spec-writer'"; }
paused() { db 'SELECT count(*) FROM role_pause'; }
reports() { grep -rlE '^X-Event-Type: blocker-report' "$HOME_DIR/mail/you/new" 2>/dev/null | wc -l; }
taken() { pr deliver 2>/dev/null; pr account main --once 2>/dev/null; }
go_on() {
    for role in spec-writer spec-reviewer; do pr role resume $role >/dev/null; done
    is "$(pair)" 0 'a person lets them go on'
}

# --- a new thread for each mail ---
for role in spec-writer spec-reviewer; do
    other=spec-writer
    [ $role = spec-reviewer ] || other=spec-reviewer
    program_role $role <<<"cat >/dev/null; postrider notify question - $other QUESTION=\"What of matter \$\$?\" >/dev/null"
done
talked() { db "SELECT count(*), count(DISTINCT thread) FROM message WHERE trust = 'role' AND subject LIKE '[QUESTION]%'"; }
pr send --from you --to spec-writer --subject 'A login' <<<'Think about it together.' >/dev/null
did; did; did
is "$(talked)" '6|6' 'two roles that begin a thread with each mail stop at six mails'
is "$(paused) $(reports)" '1 1' 'one of them pauses, and the coordinator hears it once'
like "$(db 'SELECT why FROM role_pause')" '6 mails went between spec-[a-z]* and spec-[a-z]*, while' 'the report says how many mails there were'
did
is "$(talked) $(reports)" '6|6 1' 'nothing more happens'

# --- in turn about three artifacts ---
go_on
for n in 1 2 3; do
    echo "Matter $n." >specs/proposed/m$n.md
    notify platform-lead review-request specs/proposed/m$n.md spec-reviewer >/dev/null
done
taken
before=$(reports)
for n in 1 2 3 4 5 6; do
    [ "$(paused)" = 0 ] || diag "paused after $((n - 1))"
    from=spec-writer to=spec-reviewer
    [ $((n % 2)) = 0 ] || from=spec-reviewer to=spec-writer
    notify $from question specs/proposed/m$((n % 3 + 1)).md $to QUESTION="Question $n?" >/dev/null
    taken
done
is "$(paused) $(pair)" '1 6' 'six mails in turn about three artifacts are a circle'
like "$(db 'SELECT why FROM role_pause')" 'the last about specs/\*/m1\.md' 'the report names the last of them'
pr deliver 2>/dev/null
is "$(reports)" $((before + 1)) 'the coordinator hears it once'

# --- what begins counting anew ---
talk() { # N mails between the two, in turn, each in a thread of its own
    local n
    for ((n = 1; n <= $1; n++)); do
        if ((n % 2)); then pr send --from spec-reviewer --to spec-writer --subject "Matter $n" <<<'And you?' >/dev/null
        else pr send --from spec-writer --to spec-reviewer --subject "Matter $n" <<<'And you?' >/dev/null; fi
    done
    taken
}
begins_anew() { # WHAT COMMAND...
    local what=$1
    shift
    go_on
    talk 3
    is "$(pair) $(paused)" '3 0' "three mails before $what"
    "$@" >"$WORK/out" 2>&1 || diag "$(cat "$WORK/out")"
    taken
    ok "$what begins counting anew" test "$(pair)" -le 1
}
sends() { notify "$@"; }
change() { echo More >>specs/proposed/m1.md && notify spec-writer review-request specs/proposed/m1.md spec-reviewer; }
begins_anew 'a changed artifact' change
begins_anew 'a decision on bytes that nobody had decided on' sends spec-reviewer rejection specs/proposed/m1.md spec-writer ISSUES_FOUND='Too short.'
writes() {
    echo 'A new one.' >"$WORK/new"
    pr artifact write --from spec-writer specs/proposed/m9.md "$WORK/new"
}
begins_anew 'an artifact that is written' writes
begins_anew 'a move' sends spec-reviewer approval "specs/proposed/m2.md" platform-lead
begins_anew 'a word of a person' pr send --from you --to spec-writer --subject 'By the way' <<<'Be brief.'
talk 6
is "$(paused)" 1 'and six mails more are a circle'

# --- a second decision on the same bytes is none of these ---
go_on
notify spec-writer review-request specs/proposed/m1.md spec-reviewer >/dev/null
taken
is "$(pair)" 1 'the same bytes are sent for review again'
notify spec-reviewer rejection specs/proposed/m1.md spec-writer ISSUES_FOUND='Still too short.' >/dev/null
taken
is "$(pair)" 2 'rejecting them once more brings nobody further'

# --- sending an approval on decides nothing ---
go_on
notify spec-writer review-request specs/proposed/m3.md spec-reviewer >/dev/null
notify spec-reviewer approval specs/proposed/m3.md spec-writer >/dev/null
taken
talk 3
before=$(pair)
notify spec-writer approval specs/todo/m3.md platform-lead >/dev/null || diag 'not sent on'
taken
is "$(pair)" "$before" 'an author who sends an approval on has decided nothing'
done_testing
