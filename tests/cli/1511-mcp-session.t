#!/usr/bin/env bash
# mcp without a port, as a person's coding agent starts it: it reads as the role, and the first write begins a job.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/mcp.sh"

jobs() { pr job list --all --json | jq -r '.[] | "\(.role) \(.state) \(.waiting_for // "")"'; }

# --- no home ---
wire <<'P'
pr = sys.argv[1]
w = Wire([pr, "mcp"])
r = w.tool("mail_inbox")
check("without a home the line says what to do", r["isError"] and "started without a role" in text(r) and "postrider init" in text(r), text(r))
same("and it ends well", w.close(), 0)
P
run pr mcp --role envoy </dev/null
isnt "$STATUS" 0 "a role without a home is told at once"

# --- a home ---
export POSTRIDER_HOME=$HOME_DIR
pr init >/dev/null
cat >>"$HOME_DIR/postrider.conf" <<'C'

[role second]
brain = default
C
run pr mcp --role nobody </dev/null
is "$STATUS" 66 "a role that does not exist: exit status 66"
like "$OUT$ERR" "nobody" "and which one it was"
run pr mcp --role second --port /nowhere </dev/null
is "$STATUS" 64 "--role and --port say two things"
is "$(jobs)" "" "no job was begun"

pr note put second/told <<<'three herons' >/dev/null
wire <<'P'
pr = sys.argv[1]
def jobs(): return [(j["role"], j["state"]) for j in json.loads(subprocess.run([pr, "job", "list", "--all", "--json"], capture_output=True).stdout)]
w = Wire([pr, "mcp", "--role", "second"])
same("what a client lists by itself", [r["uri"] for r in w.legacy("resources/list")["result"]["resources"]], ["todo://open", "mail://inbox"])
w.legacy("initialize", {"protocolVersion": "2025-11-25"}), w.legacy("tools/list"), w.tool("todo_list")
same("begins no job", jobs(), [])
same("nor does reading: mail_inbox", w.tool("mail_inbox")["structuredContent"], {"mails": []})
check("note_read", "three herons" in text(w.tool("note_read", key="second/told")))
check("a search", "second/told" in text(w.tool("note_read", query="herons")))
check("a resource", "three herons" in json.dumps(w.legacy("resources/read", {"uri": "note://second/told"})))
check("mail that is not there", w.tool("mail_read", id="<a@x>")["isError"])
same("none of which begins a job", jobs(), [])
same("what was read may be written over", w.tool("note_write", key="second/told", content="two herons")["structuredContent"]["version"], 2)
same("note_write", w.tool("note_write", key="second/log", content="one\n")["structuredContent"]["version"], 1)
same("the first write has begun the job of the role that --role says", jobs(), [("second", "running")])
seen = subprocess.run([pr, "show", "--json", "1@1"], capture_output=True, text=True).stdout
check("whose first step rests on what was read before", "second/told" in seen, seen)
r = w.tool("mail_send", to=["you@postrider.local"], subject="news", body="one pelican")
same("mail_send", r["structuredContent"]["state"], "ready")
same("twice is one mail", w.tool("mail_send", to=["you@postrider.local"], subject="news", body="one pelican")["structuredContent"]["message_id"], r["structuredContent"]["message_id"])
check("mail_inbox", "mcp in" in text(w.tool("mail_inbox")))
r = w.tool("mail_inbox", role="envoy")
check("no argument says whose mail it is", r["isError"] and "role" in text(r), text(r))
check("notes are listed now", "note://second/log" in text({"content": [{"text": json.dumps(w.legacy("resources/list"))}]}))
other = Wire([pr, "mcp"])
same("another server at the same time: the first role", other.tool("note_write", key="envoy/log", content="x")["structuredContent"]["version"], 1)
same("has a job of its own", sorted(jobs()), [("envoy", "running"), ("second", "running")])
other.child.terminate()
other.child.wait(WAIT)
same("SIGTERM ends its job", sorted(jobs()), [("envoy", "done"), ("second", "running")])
same("the end of its input", w.close(), 0)
same("ends the other", sorted(jobs()), [("envoy", "done"), ("second", "done")])
P
is "$(pr note get second/log)" one "the note is in the home"
pr serve --once >/dev/null 2>&1
like "$(grep -h '^Subject: news' -r "$HOME_DIR/mail")" 'news' "the mail was delivered"

# --- kill -9 ---
wire <<'P'
pr = sys.argv[1]
w = Wire([pr, "mcp"])
w.tool("note_write", key="envoy/two", content="x")
child = int(open(f"/proc/{w.child.pid}/task/{w.child.pid}/children").read().split()[0])
check("the session is a child", "session" in open(f"/proc/{child}/cmdline").read())
w.child.kill()
w.child.wait(WAIT)
check("kill -9 leaves nothing running", wait_until(lambda: not os.path.exists(f"/proc/{child}")))
P
is "$(jobs | grep -v done)" "envoy parked mcp" "and its job waits"

# --- a person stops it ---
wire <<'P'
pr = sys.argv[1]
w = Wire([pr, "mcp"])
w.tool("note_write", key="envoy/three", content="x")
job = max(j["id"] for j in json.loads(subprocess.run([pr, "job", "list", "--json"], capture_output=True).stdout))
same("stop", subprocess.run([pr, "stop", str(job)], capture_output=True).returncode, 0)
check("is told to the agent", wait_until(lambda: "order" in text(w.tool("note_write", key="envoy/four", content="x"))))
r = w.tool("mail_send", body="x")
check("which begins no other job", r["isError"] and "order" in text(r) and "todo_list" in text(r), text(r))
same("todos go on", w.legacy("ping")["result"], {})
same("and the server ends well", w.close(), 0)
same("the job stays stopped", [j["state"] for j in json.loads(subprocess.run([pr, "job", "list", "--all", "--json"], capture_output=True).stdout) if j["id"] == job], ["stopped"])
P

# --- mail that comes meanwhile ---
cat >"$HOME_DIR/scripts/hello" <<'S'
#!/bin/sh
grep -q 'and the herons' && echo 'Two herons.'
S
wire <<'P'
pr = sys.argv[1]
w = Wire([pr, "mcp", "--role", "second"])
w.tool("note_write", key="second/five", content="x")
first = json.loads(subprocess.run([pr, "mail", "list", "--role", "second", "--json"], capture_output=True).stdout)[0]
subprocess.run([pr, "send", "--to", "second", "--in-reply-to", first["message_id"], "--subject", "more"], input=b"and the herons?\n", check=True, stdout=subprocess.DEVNULL)
subprocess.run([pr, "serve", "--once"], capture_output=True)
job = max(j["id"] for j in json.loads(subprocess.run([pr, "job", "list", "--json"], capture_output=True).stdout))
def state(): return [j["state"] for j in json.loads(subprocess.run([pr, "job", "list", "--all", "--json"], capture_output=True).stdout) if j["id"] == job]
same("a mail comes to the job, which is in other hands", state(), ["running"])
same("the session ends", w.close(), 0)
same("and the job is the role's", state(), ["queued"])
P
pr serve --once >/dev/null 2>&1
ok 'who answers that mail' grep -rqs 'Two herons' "$HOME_DIR/mail/you/new"
run env POSTRIDER_PORT=/nowhere "$PR_BIN" session </dev/null
is "$STATUS" 77 "an agent starts no session"
done_testing
