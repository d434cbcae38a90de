#!/usr/bin/env bash
# mcp: 2,000 calls, 16 at a time, without a loss: each is answered once, and each write that was acknowledged is in the log.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/mcp.sh"
export POSTRIDER_HOME=/dev/null/none
unset CLAUDE_CODE_SESSION_ID CODEX_SESSION_ID CLAUDE_PROJECT_DIR POSTRIDER_PORT
mkdir "$WORK/p" && cd "$WORK/p" || exit 1
{ echo '# P'; for n in {1..16}; do echo "- [ ] SC-$n: todo $n"; done; } >PLAN.md
"$PR_BIN" plan execute PLAN.md >/dev/null

wire <<'P'
w = Wire([sys.argv[1], "mcp"])
bad, written = [], []
def worker(n):
    for i in range(125):
        if i % 5:
            r = w.legacy("tools/call" if i % 2 else "tools/list", {"name": "todo_list", "arguments": {"all": True}})["result"]
            good = len(r["tools"]) == 8 if "tools" in r else r["structuredContent"]["total"] == 16
        else:
            status = ["in_progress", "pending"][i // 5 % 2]
            r = w.tool("todo_update", id=f"SC-{n}", status=status)
            good = not r["isError"] and r["structuredContent"]["status"] == status
            written.append(n)
        if not good:
            bad.append(r)
threads = [threading.Thread(target=worker, args=(n,)) for n in range(1, 17)]
for t in threads: t.start()
for t in threads: t.join()
same("2,000 calls were answered", sum(len(a) for a in w.answers.values()), 2000)
check("each once", all(len(a) == 1 for a in w.answers.values()))
same("and well", bad[:1], [])
lines = [json.loads(line) for line in open(".pilot/state/log.jsonl")]
marks = [line for line in lines if line["act"] == "mark"]
same("each write is in the log", [len([m for m in marks if m["todo"] == f"SC-{n}"]) for n in range(1, 17)], [25] * 16)
same("none was made from an older state", [l["revision"] for l in lines if "revision" in l], list(range(1, len(lines) + 1)))
same("it ends", w.close(), 0)
P
done_testing
