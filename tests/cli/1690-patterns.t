#!/usr/bin/env bash
# The four patterns and three examples that the workflow was designed with: word for word by a person at a shell, in a project that
# `init --workflow` made; then by agents.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/loop.sh"
. "$(dirname "$0")/../lib/workflow.sh"
export POSTRIDER_HOME=$HOME_DIR PATH="${PR_BIN%/*}:$PATH" SHELL=/bin/sh HOME=$WORK/person
unset ANTHROPIC_API_KEY OPENAI_API_KEY GEMINI_API_KEY
mkdir -p "$ROOT" "$HOME"
git -C "$ROOT" init -q -b main
cd "$ROOT" || exit 1
pr init --workflow --links >/dev/null
sed -i -E '/^\[role [a-z]+-(writer|reviewer|lead)\]|^\[role implementer\]/,/^$/ { /^(brain|instructions)/d; s/^\[role .*/&\nperson = yes/ }' "$HOME_DIR/postrider.conf"
exits 0 'people in every role' pr config check
git add -A && git commit -q -m start
notify() { ./Workflow/scripts/workflow-notify.sh "$@"; }
as() { POSTRIDER_ROLE=$1 run ./Workflow/scripts/workflow-notify.sh "${@:2}"; ID=$(sed -n 's/^Message-ID: //p' <<<"$OUT"); }
session() { OUT=$(./Workflow/scripts/run-role.sh "$@" 2>&1); } # what is typed comes by standard input
newest() { pr deliver 2>/dev/null; find "$HOME_DIR/mail/$1/new" -type f -printf '%T@ %p\n' | sort -n | tail -1 | cut -d' ' -f2-; }
agrees() { is "$(ls specs/*/"$1".md | cut -d/ -f2) $(sed -n 's/^X-Workflow-State: //p' "$(newest "$2")")" "$3 $3" 'file and header agree'; exits 0 'and the record' pr artifact check; }

# --- example 1, pattern 1: write, review, approve ---
session -i spec-writer <<'TYPED'
echo 'The user logs in.' >specs/proposed/user-auth.md
git add specs && git commit -q -m 'spec-writer: Write user-auth spec'
./Workflow/scripts/workflow-notify.sh \
  review-request \
  specs/proposed/user-auth.md \
  spec-reviewer \
  CONTEXT="Focus on error handling patterns"
TYPED
like "$OUT" $'\nSubject: \\[REVIEW REQUEST\\] user-auth ready for review\n' 'the request is printed'
request=$(sed -n 's/^Message-ID: //p' <<<"$OUT")
like "$request" '^<[0-9.a-z]+\.spec-writer@workflow\.local>$' 'with an id of the known form'
agrees user-auth spec-reviewer proposed
is "$(ls "$HOME"/.maildir/workflow/spec-reviewer/new/ | wc -l)" 1 'it lies where it is looked for'
like "$(pr mail thread "$request")" '\[[a-z]+\], open' 'its thread is open'
session --with-email spec-reviewer <<'TYPED'
git mv specs/proposed/user-auth.md specs/todo/user-auth.md
git commit -q -m "spec-reviewer: Approve user-auth spec"

./Workflow/scripts/workflow-notify.sh \
  approval \
  specs/todo/user-auth.md \
  spec-writer \
  NEXT_STATE="todo" \
  NEXT_ROLES="skeleton-writer,test-writer"
TYPED
like "$OUT" 'review-request of spec-writer: specs/\*/user-auth.md.*Subject: \[APPROVAL\] user-auth approved' 'mail is checked before, and the approval sent'
like "$OUT" $'\nNext roles: skeleton-writer,test-writer\n' 'it says whose turn it is'
like "$OUT" $'\nPrevious state: proposed\nNew state: todo\n' 'and from where to where'
agrees user-auth spec-writer todo
like "$(pr mail thread "$request")" 'resolved by <' 'its thread is resolved'
for role in skeleton-writer test-writer; do is "$(sed -n 's/^X-Event-Type: //p' "$(newest $role)")" approval "$role has it too"; done
session --with-email spec-writer </dev/null
like "$OUT" 'approval of spec-reviewer: specs/\*/user-auth.md' 'the writer sees that it is approved'
is "$(git log -1 --format=%s); $(git status --short specs)" 'spec-reviewer: Approve user-auth spec; ' 'the move that was committed by hand is left alone'

# --- the skeleton writer starts work ---
ok 'todo to doing' pr artifact move --from skeleton-writer specs/todo/user-auth.md doing
as skeleton-writer status-update specs/doing/user-auth.md coordinator CONTEXT='It is begun.'
is "$STATUS" 0 'and says so, if it likes'
agrees user-auth you doing

# --- pattern 4: the skeleton is approved; who goes on hears it, and hears how far the tests are ---
mkdir -p skeletons
echo 'int login(void);' >skeletons/login.h
as skeleton-writer review-request skeletons/login.h skeleton-reviewer
as skeleton-reviewer approval skeletons/login.h skeleton-writer NEXT_ROLES=test-writer,implementer
like "$OUT" 'To: skeleton-writer@workflow.local, test-writer@workflow.local,[[:space:]]+implementer@workflow.local' 'one approval, three recipients'
as skeleton-writer approval skeletons/login.h test-writer,implementer CONTEXT='Begin.'
like "$OUT" 'was approved by skeleton-reviewer' 'sent on, it names who decided'
as test-writer status-update skeletons/login.h implementer CONTEXT='Tests ready soon.'
session --with-email implementer </dev/null
like "$OUT" 'approval of skeleton-writer.*status-update of test-writer' 'who waits is told'

# --- example 3, pattern 3: a blocker, who resolves it, and the retry ---
session --with-email implementer <<'TYPED'
git mv specs/doing/user-auth.md specs/blocked/user-auth.md

./Workflow/scripts/workflow-notify.sh \
  blocker-report \
  specs/blocked/user-auth.md \
  coordinator \
  BLOCKING_DETAILS="External API library incompatible with specified interface" \
  CONTEXT="Tried adapters, but async/sync mismatch prevents clean integration"
TYPED
blocker=$(sed -n 's/^Message-ID: //p' <<<"$OUT")
like "$(pr mail thread "$blocker")" '\[[a-z]+\], open' 'a blocker is open'
like "$OUT" 'To: you@workflow.local.*Subject: \[BLOCKED\] user-auth.*External API library.*Tried adapters' 'the coordinator hears it'
is "$(record)" 'blocked|specs/blocked/user-auth.md|implementer' 'the state is blocked'
as you --in-reply-to "$blocker" question specs/blocked/user-auth.md platform-lead QUESTION='Which interface would fit?'
is "$STATUS" 0 'the coordinator asks the platform lead, in the same thread'
session --with-email platform-lead <<TYPED
./Workflow/scripts/workflow-notify.sh \
  --in-reply-to "$blocker" \
  answer \
  specs/blocked/user-auth.md \
  implementer \
  CONTEXT="Spec needs revision. Use async interfaces throughout. Will update spec." \
  NEXT_ACTIONS="Wait for spec revision, then retry implementation"
TYPED
like "$OUT" 'question of you: specs/\*/user-auth.md.*Use async interfaces.*Wait for spec revision, then retry implementation' 'who answers, with what to do next'
like "$OUT" "In-Reply-To: $blocker" 'in reply to the blocker'
like "$(pr mail thread "$blocker")" "resolved by $(sed -n 's/^Message-ID: //p' <<<"$OUT")" 'which is resolved'
session --with-email implementer <<<'postrider artifact move specs/blocked/user-auth.md doing'
like "$OUT" 'answer of platform-lead.*specs/doing/user-auth.md' 'whoever holds it goes on'
as implementer blocker-report specs/doing/user-auth.md coordinator BLOCKING_DETAILS='Again.'
ok 'the coordinator may bring it back too' pr artifact move --from you specs/blocked/user-auth.md doing
ok 'and it comes to its end' pr artifact move --from implementation-reviewer specs/doing/user-auth.md 'done'
is "$(record)" 'done|specs/done/user-auth.md|implementation-reviewer' 'proposed, todo, doing, done'
exits 0 'artifact check finds nothing' pr artifact check

# --- example 2, pattern 2: clarification in mid-review, a rejection, and the revised spec ---
echo 'Tokens.' >specs/proposed/tokens.md
as spec-writer review-request specs/proposed/tokens.md spec-reviewer
request=$ID
session --with-email spec-reviewer <<TYPED
./Workflow/scripts/workflow-notify.sh \
  --in-reply-to "$request" \
  clarification-request \
  specs/proposed/tokens.md \
  spec-writer \
  QUESTION="Should OAuth tokens expire or use refresh pattern?" \
  BLOCKING="no"
TYPED
ask=$(sed -n 's/^Message-ID: //p' <<<"$OUT")
like "$OUT" "In-Reply-To: $request.*X-Artifacts: specs/\\*/tokens.md.*Blocking: no.*Should OAuth tokens expire" 'the reviewer asks, in reply'
as spec-writer --in-reply-to "$ask" answer specs/proposed/tokens.md spec-reviewer CONTEXT="Use refresh token pattern per OAuth 2.0 spec. Will update spec to clarify."
like "$OUT" "In-Reply-To: $ask" 'the writer answers, in reply'
answer=$ID
echo 'By refresh tokens.' >>specs/proposed/tokens.md
as spec-writer status-update specs/proposed/tokens.md spec-reviewer CONTEXT='The spec is updated.'
as spec-reviewer rejection specs/proposed/tokens.md spec-writer ISSUES_FOUND='Say when they end.'
is "$STATUS $(record 'specs/*/tokens.md')" '0 proposed|specs/proposed/tokens.md|' 'rejected, it stays'
like "$(pr mail thread "$request")" "resolved by $ID" 'which resolves the thread'
echo 'They end after an hour.' >>specs/proposed/tokens.md
as spec-writer review-request specs/proposed/tokens.md spec-reviewer
is "$(sed -n 's/^In-Reply-To: //p' <<<"$OUT")" '' 'the revised spec begins another thread'
as spec-reviewer approval specs/proposed/tokens.md spec-writer
is "$(record 'specs/*/tokens.md')" 'todo|specs/todo/tokens.md|spec-reviewer' 'and is approved'
exits 0 'artifact check finds nothing' pr artifact check

# --- what a mail carries is written down ---
as spec-writer --dry-run status-update specs/todo/tokens.md spec-reviewer CONTEXT=x SESSION_ID=7
like "$OUT" 'X-Session-Id: 7' 'a status-update can name its session'
for name in $(sed -n '/^$/q; s/^\(X-[A-Za-z-]*\):.*/\1/p' <<<"$OUT"); do ok "$name is in the manual" grep -q "$name" "$POSTRIDER_SRC/docs/teams.md"; done

# --- every place in every form ---
for form in Workflow/email-templates/*.txt; do
    printf 'Subject: all\n\n%s\n' '{{FROM_ROLE}}|{{TO_ROLE}}|{{ARTIFACT_PATH}}|{{ARTIFACT_NAME}}|{{WORKFLOW_STATE}}|{{DATE}}|{{MESSAGE_ID}}' >"$form"
done
echo 'All.' >specs/proposed/all.md
as spec-writer review-request specs/proposed/all.md spec-reviewer
for event in review-request approval rejection clarification-request blocker-report status-update question answer; do
    from=spec-reviewer of=specs/proposed/all.md
    [ $event != review-request ] || from=spec-writer
    as $from --dry-run $event $of test-writer ISSUES_FOUND=x QUESTION=x BLOCKING_DETAILS=x CONTEXT=x
    id=$(sed -n 's/^Message-ID: //p' <<<"$OUT") state=$(sed -n 's/^X-Workflow-State: //p' <<<"$OUT")
    like "$OUT" "$from\\|test-writer\\|specs/[a-z]+/all.md\\|all\\|$state\\|[A-Z][a-z]+, [^|]*\\|$id" "$event has them all"
done
git checkout -q Workflow

# --- by agents: pattern 2, and pattern 3 ---
workflow_home
cd "$ROOT" || exit 1
sed -i 's/^\[workflow\]/[workflow]\nescalate = platform-lead/' "$HOME_DIR/postrider.conf"
agent_role spec-writer spec-reviewer platform-lead
done_is='"status":"complete","current_phase":"complete"'
notes() { printf '"notify":[{"event":"%s","artifact":"specs/*/user-auth.md","to":"%s"%s}]' "$1" "$2" "${3:-}"; }
digest=$(sha256sum "$SPEC" | cut -d' ' -f1)
says spec-reviewer "{$done_is,$(notes clarification-request spec-writer ',"question":"For how long?"')}" "{$done_is,$(notes approval spec-writer)}"
says spec-writer "{$done_is,\"write\":[{\"path\":\"$SPEC\",\"content\":\"The user logs in, for an hour.\\n\",\"if_digest\":\"$digest\"}],$(notes answer spec-reviewer ',"context":"For an hour; it says so now."')}" "{$done_is}"
pr notify --quiet --from spec-writer review-request "$SPEC" spec-reviewer >/dev/null
did; did
is "$(db "SELECT type || ' ' || sender FROM event")" 'review-request spec-writer
clarification-request spec-reviewer
answer spec-writer
approval spec-reviewer' 'agents ask, answer with a changed artifact, and approve it'
is "$(record) $(cat specs/todo/user-auth.md)" 'todo|specs/todo/user-auth.md|spec-reviewer The user logs in, for an hour.' 'what was approved is the revised one'
is "$(db "SELECT count(*) FROM job")" 2 'each in one conversation'
program_role implementer <<'END'
case $(grep ^Subject: | tail -n 1) in
*'[BLOCKED]'*) postrider artifact move 'specs/*/user-auth.md' doing ;;
*) postrider notify blocker-report 'specs/*/user-auth.md' coordinator BLOCKING_DETAILS='The library is gone.' ;;
esac
END
says platform-lead "{$done_is,$(notes answer implementer ',"context":"Take the other one.","next_actions":"Try again."')}"
pr send --to implementer --subject work <<<'Go on.' >/dev/null
did; did
is "$(db "SELECT type || ' ' || sender || '>' || recipients FROM event WHERE id > 4")" 'blocker-report implementer>you,platform-lead
answer platform-lead>implementer' 'an agent is blocked, another one resolves it'
is "$(record)" 'doing|specs/doing/user-auth.md|implementer' 'and it goes on'
exits 0 'artifact check finds nothing' pr artifact check
done_testing
