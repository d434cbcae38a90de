#!/usr/bin/env bash
# What decides on an artifact, a person's reply or a panel: its files are looked at before the store is locked, never while it is.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/workflow.sh"
strace -o /dev/null true 2>/dev/null || skip_all 'no strace here'
workflow_home
cd "$ROOT" || exit 1
sed -i '/^\[role spec-writer\]/,/^person/c [role spec-writer]\nbrain = page\n[brain page]\ncommand = printf Noted.' "$HOME_DIR/postrider.conf"
traced() { POSTRIDER_TRACED=1 strace -f -qq -e trace=flock,openat,openat2 -o "$WORK/calls" "$POSTRIDER_PLAIN_BIN" --home "$HOME_DIR" "$@" 2>/dev/null; }
# Files of the project, and mail, that a process opens while it has locked the store; the account's own lock is not the store's.
locked_reads()
{
    awk '/flock\(/ { if (match($0, /flock\([0-9]+/)) fd = $1 " " substr($0, RSTART + 6, RLENGTH - 6) }
        /write\.lock"/ && match($0, /= [0-9]+$/) { store = $1 " " substr($0, RSTART + 2); is_store[store] = 1 }
        /flock\(.*LOCK_EX/ && / = 0/ && is_store[fd] { held[$1] = 1 } /flock\(.*LOCK_UN/ && is_store[fd] { held[$1] = 0 }
        held[$1] && /\.md"|"reviews|email-templates|\/(new|cur)\//' "$WORK/calls"
}
request=$(notify spec-writer review-request "$SPEC" spec-reviewer)
pr serve --once 2>/dev/null
pr send --from spec-reviewer --to spec-writer --in-reply-to "$request" --subject 'Re: user-auth' <<<'APPROVE' >/dev/null
pr deliver 2>/dev/null
traced account main --once
ok 'a reply: the file is looked at' grep -q 'user-auth\.md"' "$WORK/calls"
is "$(locked_reads)" '' 'but not while the store is locked'
for _ in 1 2; do pr serve --once 2>/dev/null; done
is "$(record)" 'todo|specs/todo/user-auth.md|spec-reviewer' 'the decision counts'
is "$(db "SELECT count(*) FROM event WHERE type = 'approval'")" 1 'once'

# --- what is answered lies in the mailbox of a panel ---
printf '[brain ann]\ncommand = %s\n[brain ben]\ncommand = %s\n[panel spec-reviewer-panel]\nmembers = ann, ben\n' "$WORK/says" "$WORK/says" >>"$HOME_DIR/postrider.conf"
printf '#!/bin/sh\ncat >/dev/null\necho "{\\"verdict\\": \\"approve\\", \\"assessment\\": \\"Fine.\\"}"\n' >"$WORK/says"
chmod +x "$WORK/says"
echo 'Second.' >specs/proposed/second.md
request=$(notify spec-writer review-request specs/proposed/second.md spec-reviewer,spec-reviewer-panel)
pr deliver 2>/dev/null
pr account main --once 2>/dev/null
pr send --from spec-reviewer --to spec-writer --in-reply-to "$request" --subject 'Re: second' <<<'APPROVE' >/dev/null
pr deliver 2>/dev/null
traced account main --once
is "$(locked_reads)" '' 'a reply to mail that a panel has: that mail is read before'
approval=$(db "SELECT '<' || msgid || '>' FROM event ORDER BY id DESC LIMIT 1")
for _ in 1 2; do pr serve --once 2>/dev/null; done
is "$(record 'specs/*/second.md')" 'todo|specs/todo/second.md|spec-reviewer' 'the decision counts'
is "$(header "$approval" In-Reply-To) $(sed -n '/^References:/,/^[^ R]/p' "$(mail_of "$approval")" | grep -cF "$request")" "$request 1" 'and its mail answers the request'

# --- a panel decides ---
echo 'Third.' >specs/proposed/third.md
notify spec-writer review-request specs/proposed/third.md spec-reviewer-panel >/dev/null
traced serve --once
ok 'a panel: the file is looked at' grep -q 'third\.md"' "$WORK/calls"
is "$(locked_reads)" '' 'but not while the store is locked'
is "$(record 'specs/*/third.md')" 'todo|specs/todo/third.md|spec-reviewer-panel' 'the decision counts'
done_testing
