#!/usr/bin/env bash
# mcp: both eras by request, todos, resources and prompts, without a port. The client is tests/lib/mcpwire.py.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/mcp.sh"
export POSTRIDER_HOME=/dev/null/none
unset CLAUDE_CODE_SESSION_ID CODEX_SESSION_ID CLAUDE_PROJECT_DIR POSTRIDER_PORT
mkdir "$WORK/p" && cd "$WORK/p" || exit 1
git init -q . 2>/dev/null
printf '# P\n- [ ] SC-1: a (check: test -e done)\n- [ ] SC-2: b (after: SC-1)\n- [ ] SC-3: c\n- [ ] SC-4: d (check: sleep 600)\n' >PLAN.md
"$PR_BIN" plan execute PLAN.md >/dev/null

wire <<'P'
pr = sys.argv[1]
w = Wire([pr, "mcp"])
# --- legacy
for offered, got in [("2025-06-18",) * 2, ("2025-11-25",) * 2, ("2024-11-05",) * 2, ("1999-01-01", "2025-11-25"), (VERSION, "2025-11-25")]:
    r = w.legacy("initialize", {"protocolVersion": offered, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}})["result"]
    same(f"initialize {offered}", r["protocolVersion"], got)
check("what it can", r["capabilities"]["resources"] == {"subscribe": True, "listChanged": True} and "tools" in r["capabilities"] and "prompts" in r["capabilities"], r)
check("instructions", "mail_inbox" in r["instructions"])
same("ping", w.legacy("ping")["result"], {})
tools = w.legacy("tools/list")["result"]["tools"]
same("eight tools", [t["name"] for t in tools], ["mail_inbox", "mail_read", "mail_send", "mail_search", "note_read", "note_write", "todo_list", "todo_update"])
check("no tool takes a role", not any({"role", "from", "as", "sender"} & set(t["inputSchema"]["properties"]) for t in tools))
check("each has a closed schema", all(t["inputSchema"]["type"] == "object" and t["inputSchema"]["additionalProperties"] is False for t in tools))
size = len(json.dumps(w.modern("tools/list"), separators=(",", ":")).encode())
check("tools/list has less than 6,000 bytes", size < 6000, size)
same("legacy results are not modern ones", sorted(w.legacy("tools/list")["result"]), ["tools"])
same("no discovery in the old era", w.legacy("server/discover")["error"]["code"], -32601)
# --- modern
r = w.modern("server/discover")["result"]
check("discover", r["resultType"] == "complete" and r["supportedVersions"][0] == VERSION and r["ttlMs"] >= 0 and r["cacheScope"] == "private", r)
same("serverInfo", r["_meta"][META + "serverInfo"]["name"], "postrider")
for method in ["tools/list", "resources/list", "resources/templates/list", "prompts/list"]:
    r = w.modern(method)["result"]
    check(f"{method} may be kept", r["resultType"] == "complete" and r["ttlMs"] >= 0 and "cacheScope" in r, r)
for method in ["initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"]:
    same(f"no {method} in the new era", w.modern(method, {"uri": "todo://open"})["error"]["code"], -32601)
e = w.modern("tools/list", version="2031-01-01")["error"]
check("an unknown version", e["code"] == -32022 and e["data"]["requested"] == "2031-01-01" and VERSION in e["data"]["supported"], e)
e = w.legacy("tools/list", {"_meta": {META + "protocolVersion": VERSION}})["error"]
same("capabilities are required", e["code"], -32602)
same("a version that is no text", w.legacy("tools/list", {"_meta": {META + "protocolVersion": 5}})["error"]["code"], -32602)
same("an unknown method", w.legacy("tools/none")["error"]["code"], -32601)
same("an unknown tool is told", w.legacy("tools/call", {"name": "todo_lst"})["error"]["message"], "there is no tool 'todo_lst'; did you mean 'todo_list'?")
same("arguments of another kind", w.legacy("tools/call", {"name": "todo_list", "arguments": [1]})["error"]["code"], -32602)
# --- todos
r = w.tool("todo_list")
same("text and structure are the same", json.loads(text(r)), r["structuredContent"])
same("open todos, and what is next", [r["structuredContent"][k] for k in ["plan", "status", "open", "total", "next"]], ["PLAN.md", "active", 4, 4, "SC-1"])
same("a todo", r["structuredContent"]["todos"][0], {"id": "SC-1", "title": "a", "status": "pending", "owner": "coder", "check": "test -e done"})
r = w.legacy("tools/call", {"name": "todo_list"})["result"]
check("arguments may be absent", r["isError"] is False)
r = w.tool("todo_list", role="boss")
check("an argument that is none", r["isError"] and "role" in text(r), text(r))
r = w.tool("todo_update", id="SC-2", status="in_progress")
check("what waits can't be taken, and it says what to do", r["isError"] and "todo_list" in text(r), text(r))
r = w.tool("todo_update", id="SC-1", status="complete")
check("its check is run", r["isError"] and "its check failed (exit 1)" in text(r) and "todo_update" in text(r), text(r))
open("done", "w").close()
r = w.tool("todo_update", id="SC-1", status="complete")
same("and when it passes the todo is complete", r["structuredContent"], {"id": "SC-1", "status": "complete", "open": 3, "next": "SC-2"})
check("PLAN.md is ticked", "- [x] SC-1" in open("PLAN.md").read())
r = w.tool("todo_update", id="SC-3", status="blocked")
check("blocked wants a reason", r["isError"] and "why" in text(r))
r = w.tool("todo_update", id="SC-3", status="blocked", why="no key")
check("blocked", not r["isError"] and '"no key"' in text(w.tool("todo_list")))
r = w.tool("todo_update", id="SC-9", status="complete")
check("no such todo", r["isError"] and "SC-9" in text(r), text(r))
r = w.tool("todo_update", id="SC-3", status="finished")
check("no such status", r["isError"] and "pending, in_progress, complete, blocked" in text(r))
w.legacy("tools/call", {"name": "todo_update", "arguments": {"id": "SC-2", "status": "in_progress"}, "_meta": {"threadId": "t-1", "x-codex-turn-metadata": {"session_id": "s-1"}}})
state = json.load(open(".pilot/state/continuation.json"))
same("a claim is of the client's session", state["todos"][1]["claim"]["session"], "s-1")
same("which owns the plan then", [s["id"] for s in state["sessions"]], ["s-1"])
same("all of them", len(w.tool("todo_list", all=True)["structuredContent"]["todos"]), 4)
# A check that runs holds up nobody, and can be cancelled.
w.send(id="slow", method="tools/call", params={"name": "todo_update", "arguments": {"id": "SC-4", "status": "complete"}})
same("while a check runs others are answered", w.legacy("ping")["result"], {})
w.send(method="notifications/cancelled", params={"requestId": "slow", "reason": "t"})
w.send(method="notifications/cancelled", params={"requestId": "slow"})
same("a cancelled one is over", w.legacy("ping")["result"], {})
check("and never answered", '"slow"' not in w.answers)
check("nothing was marked", json.load(open(".pilot/state/continuation.json"))["todos"][3]["status"] == "pending")
# --- mail and notes without a port
for name, arguments in [("mail_inbox", {}), ("mail_read", {"id": 1}), ("mail_send", {"body": "x"}), ("mail_search", {"query": "x"}), ("note_read", {}), ("note_write", {"key": "a", "content": "b"})]:
    r = w.tool(name, **arguments)
    check(f"{name} says what to do", r["isError"] and "POSTRIDER_PORT" in text(r) and "\n" not in text(r), text(r))
# --- resources
same("resources", [r["uri"] for r in w.legacy("resources/list")["result"]["resources"]], ["todo://open"])
same("templates", [r["uriTemplate"] for r in w.modern("resources/templates/list")["result"]["resourceTemplates"]], ["mail://{id}", "note://{+key}"])
r = w.modern("resources/read", {"uri": "todo://open"})["result"]
check("todo://open", json.loads(r["contents"][0]["text"])["open"] == 3 and r["contents"][0]["uri"] == "todo://open" and r["ttlMs"] == 0, r)
same("no such resource, new", w.modern("resources/read", {"uri": "todo://none"})["error"]["code"], -32602)
e = w.legacy("resources/read", {"uri": "mail://%zz"})["error"]
same("no such resource, old", [e["code"], e["data"]], [-32002, {"uri": "mail://%zz"}])
same("subscribe", w.legacy("resources/subscribe", {"uri": "todo://open"})["result"], {})
same("to what is not there", w.legacy("resources/subscribe", {"uri": "note://x"})["error"]["code"], -32002)
w.send(id="listen:0", method="subscriptions/listen", params={"_meta": {META + "protocolVersion": VERSION, META + "clientCapabilities": {}}, "notifications": {"toolsListChanged": True, "resourceSubscriptions": ["todo://open", "file:///etc/passwd"]}})
w.until(lambda: w.notes)
same("what is honoured is acknowledged first", w.notes[0], {"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged", "params": {"_meta": {META + "subscriptionId": "listen:0"}, "notifications": {"resourceSubscriptions": ["todo://open"]}}})
w.legacy("ping"), w.legacy("ping")
subprocess.run([pr, "plan", "mark", "SC-3", "pending", "--session", "s-1"], check=True)
def updates(): return [n["params"].get("_meta", {}).get(META + "subscriptionId", "old") for n in w.notes if n["method"] == "notifications/resources/updated" and n["params"]["uri"] == "todo://open"]
w.until(lambda: len(updates()) >= 2)
same("both hear of a change", sorted(updates()), ["listen:0", "old"])
w.legacy("resources/unsubscribe", {"uri": "todo://open"})
w.send(method="notifications/cancelled", params={"requestId": "listen:0"})
w.send(id="listen:1", method="subscriptions/listen", params={"_meta": {META + "protocolVersion": VERSION, META + "clientCapabilities": {}}, "notifications": {"resourceSubscriptions": ["todo://open"]}})
w.legacy("ping"), w.legacy("ping")
subprocess.run([pr, "plan", "mark", "SC-3", "blocked", "--session", "s-1"], check=True)
w.until(lambda: len(updates()) >= 3)
same("who does not listen any more does not", sorted(updates()), ["listen:0", "listen:1", "old"])
# A server that was started elsewhere finds the plan where the client was told that its project is, and watches it there.
e = Wire([pr, "mcp"], cwd="/", env={"CLAUDE_PROJECT_DIR": os.getcwd()})
e.legacy("resources/subscribe", {"uri": "todo://open"}), e.legacy("ping"), e.legacy("ping")
subprocess.run([pr, "plan", "mark", "SC-3", "pending", "--session", "s-1"], check=True)
check("a plan elsewhere is watched, too", e.until(lambda: any(n["params"].get("uri") == "todo://open" for n in e.notes)), e.notes)
e.close()
# --- prompts
names = [p["name"] for p in w.legacy("prompts/list")["result"]["prompts"]]
same("prompts are the plan commands", names, ["00_plan", "02_execute", "00_continue", "03_close", "stop", "cancel", "done"])
r = w.modern("prompts/get", {"name": "00_plan", "arguments": {"goal": "ship $ARGUMENTS it"}})["result"]["messages"][0]
check("with the argument", r["role"] == "user" and r["content"]["text"].startswith("Goal: ship $ARGUMENTS it\n"), r)
same("which is required", w.legacy("prompts/get", {"name": "00_plan"})["error"]["code"], -32602)
r = w.legacy("prompts/get", {"name": "02_execute", "_meta": {"threadId": "t-9"}})["result"]["messages"][0]["content"]["text"]
check("and the session, where it is known", "--session t-9`" in r and "CLAUDE" not in r and "ARGUMENTS" not in r, r)
for name in names:
    r = w.legacy("prompts/get", {"name": name, "arguments": {"goal": "g"}})["result"]["messages"][0]["content"]["text"]
    check(f"{name}: no place is left", "${" not in r and "$ARG" not in r and "--session" not in r, r)
same("no such prompt", w.legacy("prompts/get", {"name": "04_none"})["error"]["code"], -32602)
same("it ends with its input", w.close(), 0)
same("and answers who listened", w.answers['"listen:1"'][0]["result"]["resultType"], "complete")
check("each request had one answer", all(len(a) == 1 for a in w.answers.values()))
w = Wire([pr, "mcp"], cwd="/")
r = w.tool("todo_list")
check("a folder without a plan", r["isError"] and "postrider plan execute" in text(r), text(r))
os.mkdir("sub")
same("it ends", w.close(), 0)
w = Wire([pr, "mcp"], cwd="/", env={"CLAUDE_PROJECT_DIR": os.getcwd(), "CLAUDE_CODE_SESSION_ID": "c-1"})
check("the folder that Claude Code names", not w.tool("todo_list")["isError"])
r = w.legacy("prompts/get", {"name": "02_execute"})["result"]["messages"][0]["content"]["text"]
check("and its session", "--session c-1`" in r, r)
w.close()
P
done_testing
