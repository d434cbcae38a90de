#!/usr/bin/env bash
# The typed mail that waits for a role: order and filters, open questions, and an inbox of 20 among 100,000.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/workflow.sh"
workflow_home
cd "$ROOT" || exit 1
inbox() { pr --json role inbox "$@" | python3 -c 'import json, sys
for r in json.load(sys.stdin): print(r["event"], r["artifact"], r["state"], "asked" if r["asked"] else "")' | sed 's/ *$//'; }
exits 66 'nobody is called so' pr role inbox spec-witer
like "$ERR" "no role 'spec-witer'; did you mean 'spec-writer'" 'and says who is'
like "$(pr role inbox spec-reviewer)" 'no typed mail waits' 'nothing waits at first'

# --- what waits, in the order of reading ---
mkdir -p specs/doing
echo two >specs/proposed/second.md
echo three >specs/doing/third.md
notify spec-writer status-update "$SPEC" spec-reviewer CONTEXT='Soon.' >/dev/null
question=$(notify spec-writer question - spec-reviewer QUESTION='Which one?')
first=$(notify spec-writer review-request "$SPEC" spec-reviewer)
second=$(notify spec-writer review-request specs/proposed/second.md spec-reviewer)
blocked=$(notify you blocker-report specs/doing/third.md spec-reviewer BLOCKING_DETAILS='It leaks.')
is "$(inbox spec-reviewer)" 'blocker-report specs/*/third.md blocked
review-request specs/*/user-auth.md proposed
review-request specs/*/second.md proposed
question
status-update specs/*/user-auth.md proposed' 'blockers, reviews, questions, status; the oldest first'
is "$(inbox spec-reviewer --event question)" 'question' 'by event'
is "$(inbox spec-reviewer --artifact 'specs/*/second.md')" 'review-request specs/*/second.md proposed' 'by artifact, as a glob'
is "$(inbox spec-reviewer --artifact specs/proposed/second.md)" 'review-request specs/*/second.md proposed' 'or as a path'
is "$(inbox spec-reviewer --artifact 'specs/*/*o*.md')" 'review-request specs/*/second.md proposed' 'or as a wider glob'
is "$(inbox spec-reviewer --state blocked)" 'blocker-report specs/*/third.md blocked' 'by state'
is "$(inbox spec-reviewer --event review-request --state blocked)" '' 'by several'
exits 64 'an event that is none' pr role inbox spec-reviewer --event reveiw
is "$(inbox spec-reviewer --limit 1)" 'blocker-report specs/*/third.md blocked' 'and not more than asked for'
is "$(inbox spec-writer)" 'question   asked' 'a question that nobody answered stands in the inbox of who asked'

# --- what does not wait any more ---
notify spec-reviewer answer - spec-writer --in-reply-to "$question" CONTEXT='That one.' >/dev/null
notify spec-reviewer rejection "$SPEC" spec-writer ISSUES_FOUND='Too short.' >/dev/null
notify spec-reviewer answer specs/blocked/third.md you --in-reply-to "$blocked" CONTEXT='Mend it.' >/dev/null
is "$(inbox spec-reviewer)" 'review-request specs/*/second.md proposed
status-update specs/*/user-auth.md proposed' 'what was answered or decided waits no longer'
is "$(inbox spec-writer)" 'rejection specs/*/user-auth.md proposed
answer' 'decisions and answers wait until they are read'
is "$(inbox spec-reviewer --all | wc -l)" 5 '--all has all of it'

# --- 20 among 100,000 ---
python3 - "$HOME_DIR/state/postrider.db" <<'P'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
n = db.execute("SELECT max(id) FROM event").fetchone()[0]
types = ["status-update", "review-request", "question", "approval"]
db.executemany("INSERT INTO event (id, type, artifact, cycle, msgid, sender, recipients, state, digest, question, answer, at_us) "
               "VALUES (?, ?, ?, 0, ?, 'spec-writer', 'implementer', 'todo', '', '', '', 1)",
               [(n + i, types[i % 4], 1000 + i % 5000, f"m{i}@workflow.local") for i in range(1, 100001)])
db.executemany("INSERT INTO event_to (role, event, rank, type, state, artifact, done) VALUES ('implementer', ?, ?, ?, ?, ?, ?)",
               [(n + i, (3, 1, 2, 1)[i % 4], types[i % 4], "doing" if i % 5000 == 7 else "todo", 1000 + i % 5000, 0 if i % 3 else 1)
                for i in range(1, 100001)])
db.commit()
P
# The processor time of the program itself, beside that of an inbox in which nothing waits: the least of several, in turn.
quick() # ARG...: "quick", or both times
{
    python3 - "$POSTRIDER_PLAIN_BIN" "$HOME_DIR" "$@" <<'P'
import os, sys
program, home, *args = sys.argv[1:]
def spent(role, *more):
    pid = os.posix_spawn(program, [program, "--home", home, "--json", "role", "inbox", role, "--limit", "20", *more], os.environ,
                         file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)])
    _, status, used = os.wait4(pid, 0)
    assert status == 0
    return used.ru_utime + used.ru_stime
floor, full = zip(*[(spent("platform-lead"), spent("implementer", *args)) for _ in range(9)])
print("quick" if min(full) < 2 * min(floor) + 0.01 else f"{min(full) * 1000:.1f} ms, an empty one {min(floor) * 1000:.1f} ms")
P
}
for filter in '' '--event approval' '--state doing' '--artifact specs/proposed/second.md'; do
    is "$(quick $filter)" quick "an inbox of 20 among 100,000 mails${filter:+ by $filter} costs little more than an empty one"
done
is "$(inbox implementer --state doing --limit 20 | wc -l)" 13 'and the verb gives them'
done_testing
