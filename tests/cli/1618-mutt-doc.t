#!/usr/bin/env bash
# docs/mutt.md is true: its commands work, and a mail of mutt decides and answers as it says. The keys are pressed in e2e/0440.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/loop.sh"
. "$(dirname "$0")/../lib/workflow.sh"
command -v mutt >/dev/null || skip_all 'no mutt'
export HOME=$WORK/ann
HOME_DIR=$HOME/.postrider
mkdir -p "$HOME"
workflow_home
sed -i 's/postrider\.local/workflow.local/g' "$HOME_DIR/muttrc"
program_role envoy <<<"cat >/dev/null; cp in/* '$WORK' 2>/dev/null; echo Seen."
program_role spec-writer <<<"cat >/dev/null; cp in/* '$WORK' 2>/dev/null; echo Seen."
cd "$ROOT" || exit 1

# --- each command ---
echo plan >plan.md
echo 'Look at it.' >text
MAIN='mutt -F ~/.postrider/muttrc'
n=0
while read -r line; do
    n=$((n + 1))
    case $line in
    *'<'*) exits 0 "$line" bash -c "$line" ;;
    *) run bash -c "$line -D"
       from=$(sed -n 's/^from="\?\([^"]*\)"\?$/\1/p' <<<"$OUT") name=${line#*mail/} name=${name%% *}
       [ "$line" != "$MAIN" ] || name=you
       is "$STATUS $from" "0 $name@workflow.local" "$line"
       is "$(sed -nE 's/^(spoolfile|record|postponed)="(.*)"$/\2/p' <<<"$OUT" | sed "s|~|$HOME|; s|^=|$HOME_DIR/mail/$name/|; s|/*\$||" | sort | tr '\n' ' ')" \
           "$HOME_DIR/mail/$name $HOME_DIR/mail/$name/.Drafts $HOME_DIR/mail/$name/.Sent " 'it reads and files in the mailbox of the role' ;;
    esac
done < <(grep '^    mutt ' "$POSTRIDER_SRC/docs/mutt.md" | sed 's/^ *//')
is "$n" 3 'these are all commands of the page'
did
ok 'the file has come' cmp plan.md "$WORK/plan.md"
echo 'source ~/.postrider/muttrc' >"$HOME/.muttrc"
like "$(mutt -n -D)" 'from="you@workflow.local"' 'a muttrc of one'"'"'s own reads it too'

# --- mail of mutt ---
by_mutt() { # WHO TO ID [ARG...]: what standard input says
    local who=$1 to=$2 id=$3
    shift 3
    { printf 'To: %s\nSubject: Re: it\nIn-Reply-To: %s\n\n' "$to" "$id"; cat; } >"$WORK/draft"
    $(eval echo "$MAIN") -e "set folder=~/.postrider/mail/$who spoolfile=+ record=+.Sent from=$who@workflow.local" -H "$WORK/draft" "$@" </dev/null
    did
}
review() { echo "Spec $1." >"specs/proposed/$1.md"; notify "$2" review-request "specs/proposed/$1.md" spec-reviewer; pr deliver 2>/dev/null; }
is_open() { like "$(pr mail thread "$1" | head -1)" 'open$' "$2"; }
for author in spec-writer vision-writer; do
    request=$(review "by-$author" $author)
    for wrong in 'APPROVE, but mind the gap' APROVE REJECT; do
        by_mutt spec-reviewer $author "$request" <<<"$wrong"
        is_open "$request" "$wrong decides nothing ($author)"
    done
    printf 'From: ann@example.org\nTo: %s@workflow.local\nSubject: Re\nIn-Reply-To: %s\n\nAPPROVE\n' $author "$request" | pr sendmail -t; did
    is_open "$request" 'nor does another address'
    by_mutt spec-reviewer $author "$request" -a plan.md <<<$'> quoted above\n\napprove!\n\nGood.'
    is "$(record "specs/*/by-$author.md")" "todo|specs/todo/by-$author.md|spec-reviewer" 'the right line does, whatever its case, below a quotation, and with a file'
    approval=$(mail_of "<$(db "SELECT msgid FROM event ORDER BY id DESC LIMIT 1")>")
    like "$(cat "$approval")" 'Good\.' 'the comments are in the approval'
    unlike "$(cat "$approval")" 'plan\.md' 'the file is not'
    rm -f "$WORK/plan.md"
    id=$(notify $author question "specs/todo/by-$author.md" spec-reviewer QUESTION='Which limit?')
    pr deliver 2>/dev/null
    by_mutt spec-reviewer $author "$id" -a plan.md <<<'Ten.'
    like "$(pr mail thread "$id" | grep -F QUESTION | head -1)" 'resolved by' 'an answer in plain words'
done
ok 'the file of an answer is in the mailbox' grep -rqF 'filename="plan.md"' "$HOME_DIR/mail/vision-writer"
exits 0 'artifact check finds nothing' pr artifact check
done_testing
