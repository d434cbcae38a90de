#!/usr/bin/env bash
# mcp inside a run: mail and notes by the run's port, as the role that the run is of. The client is the role's own program.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/mcp.sh"

pr init >/dev/null
pr note put shared/plan >/dev/null <<<'The plan of the owner.'
pr note put shared/a_b >/dev/null <<<'Another.'
cat >"$WORK/wire.py" <<'P'
from mcpwire import *
pr, home = sys.argv[1:3]
w = Wire([pr, "mcp"])
same("resources", [r["uri"] for r in w.legacy("resources/list")["result"]["resources"]][:2], ["todo://open", "mail://inbox"])
uris = [r["uri"] for r in w.legacy("resources/list")["result"]["resources"]]
check("notes are listed", "note://shared/plan" in uris and "note://shared/a_b" in uris, uris)
r = w.tool("mail_inbox")
mails = r["structuredContent"]["mails"]
check("the inbox", len(mails) == 1 and mails[0]["subject"] == "first", r)
same("text and structure are the same", json.loads(text(r)), r["structuredContent"])
number, msgid = mails[0]["id"], mails[0]["message_id"]
same("limit", len(w.tool("mail_inbox", limit=1)["structuredContent"]["mails"]), 1)
r = w.tool("mail_inbox", limit=0)
check("a limit that is none", r["isError"] and "limit" in text(r), text(r))
for ident in (number, str(number), msgid):
    check(f"mail_read by {'number' if ident == number else 'id'}", "count the pelicans" in w.tool("mail_read", id=ident)["structuredContent"]["mail"]["text"])
r = w.tool("mail_read", id=99999)
check("no such mail, and what to do", r["isError"] and "mail_inbox" in text(r), text(r))
check("mail_search", [m["id"] for m in w.tool("mail_search", query="pelicans")["structuredContent"]["mails"]] == [number])
# A mail that is sent again within a minute is one mail.
same("mail_send", (r := w.tool("mail_send", to=["you@postrider.local"], subject="news", body="one pelican"))["structuredContent"]["state"], "ready")
first = r["structuredContent"]["message_id"]
again = [w.tool("mail_send", to=["you@postrider.local"], subject="news", body="one pelican")["structuredContent"] for _ in range(3)]
check("again within a minute: the same mail", all(a["message_id"] == first and a["repeated"] for a in again), again)
second = Wire([pr, "mcp"])
same("also by another server of the same run", second.tool("mail_send", to=["you@postrider.local"], subject="news", body="one pelican")["structuredContent"]["message_id"], first)
same("other words are another mail", w.tool("mail_send", to=["you@postrider.local"], subject="news", body="two pelicans")["structuredContent"].get("repeated"), None)
r = w.tool("mail_send", to=["you@postrider.local"], body="no subject")
check("what is missing is said", r["isError"] and "subject" in text(r) and "call it again" in text(r), text(r))
r = w.tool("mail_send", to=["stranger@example.org"], subject="x", body="x")
check("policy is the run's", r["isError"] or r["structuredContent"]["state"] == "held", r)
for name in ("from", "role", "sender"):
    r = w.tool("mail_send", **{"body": "x", name: "boss@postrider.local"})
    check(f"{name} is no argument", r["isError"] and name in text(r), r)
r = w.tool("mail_send", body="There are three pelicans.")
check("without `to` it answers whoever asked", not r["isError"] and r["structuredContent"]["state"] == "ready", r)
same("which may be repeated, too", w.tool("mail_send", body="There are three pelicans.")["structuredContent"]["message_id"], r["structuredContent"]["message_id"])
r = w.tool("mail_send", body="There are four pelicans.")
check("and is answered once", r["isError"] and "answered already" in text(r) and "`to`" in text(r), text(r))
# Notes.
r = w.tool("note_write", key="shared/plan", content="mine")
check("a note that was not read is not written over", r["isError"] and "conflict" in text(r) and "note_read" in text(r), text(r))
same("note_read", w.tool("note_read", key="shared/plan")["structuredContent"]["note"]["text"], "The plan of the owner.\n")
same("note_write", w.tool("note_write", key="agent/log", content="one\n")["structuredContent"]["version"], 1)
same("append", w.tool("note_write", key="agent/log", content="two\n", append=True)["structuredContent"]["version"], 2)
same("what is there", w.tool("note_read", key="agent/log")["structuredContent"]["note"]["text"], "one\ntwo\n")
same("prefix", [n["key"] for n in w.tool("note_read", prefix="agent/")["structuredContent"]["notes"]], ["agent/log"])
check("query", "agent/log" in text(w.tool("note_read", query="two")))
r = w.tool("note_read", key="agent/lg")
check("no such note, and what to do", r["isError"] and "prefix" in text(r), text(r))
r = w.tool("note_write", key="../../x", content="x")
check("a key that leads out", r["isError"], r)
long = "pelican \u2603 " * 20000
w.tool("note_write", key="agent/long", content=long)
got, at = "", 0
while at is not None:
    note = w.tool("note_read", key="agent/long", offset=at)["structuredContent"]["note"]
    got, at = got + note["text"], note.get("more")
check("a long note is read in pieces", got == long, (len(got), len(long)))
same("a note as a resource", w.modern("resources/read", {"uri": "note://shared/%61_b"})["result"]["contents"][0]["text"], "Another.\n")
check("a mail as a resource", "pelicans" in w.legacy("resources/read", {"uri": f"mail://{number}"})["result"]["contents"][0]["text"])
check("the inbox as a resource", '"first"' in w.legacy("resources/read", {"uri": "mail://inbox"})["result"]["contents"][0]["text"])
same("no such note as a resource", w.legacy("resources/read", {"uri": "note://none"})["error"]["code"], -32002)
# Updates.
w.legacy("resources/subscribe", {"uri": "mail://inbox"}), w.legacy("resources/subscribe", {"uri": "note://agent/log"})
def told(): return {n["params"].get("uri", n["method"]) for n in w.notes}
def nudge(want, act):
    """The first look may come after the first change: goes on until it is told."""
    for i in range(20):
        act(i)
        if w.until(lambda: want in told(), 5):
            return True
def note(i): second.tool("note_write", key="agent/log", content=f"{i}\n", append=True)
check("a note that changed", nudge("note://agent/log", note), w.notes)
check("a new note is a new list", nudge("notifications/resources/list_changed", lambda i: second.tool("note_write", key=f"agent/new{i}", content="x")), w.notes)
outside = {k: v for k, v in os.environ.items() if k != "POSTRIDER_PORT"}
def mail(i): subprocess.run([pr, "--home", home, "send", "--to", "envoy", "--subject", f"more {i}"], input=b"x\n", env=outside, stdout=subprocess.DEVNULL)
check("new mail", nudge("mail://inbox", mail), w.notes)
same("they end", (w.close(), second.close()), (0, 0))
w = Wire([pr, "mcp", "--port", os.environ["POSTRIDER_PORT"]], env={"POSTRIDER_PORT": ""})
check("--port says it, too", not w.tool("mail_inbox")["isError"])
w.close()
w = Wire([pr, "mcp", "--port", "/nonexistent/port.sock"])
r = w.tool("mail_inbox")
check("a run that is gone", r["isError"] and "nonexistent" in text(r) and "again" in text(r), text(r))
same("is told to resources, too", w.legacy("resources/read", {"uri": "mail://inbox"})["error"]["code"], -32002)
w.close()
P
cat >"$HOME_DIR/scripts/hello" <<END
#!/bin/sh
mkdir '$WORK/once' 2>/dev/null || { echo seen; exit 0; } # mail whose job fails does not count as let in
PYTHONPATH='$POSTRIDER_SRC/tests/lib' PYTHONDONTWRITEBYTECODE=1 POSTRIDER_PATIENCE=1 python3 '$WORK/wire.py' '$PR_BIN' '$HOME_DIR' >'$WORK/wire.out' 2>'$WORK/wire.err'
echo \$? >'$WORK/wire.status'
END
start_serve
pr ask -s first 'count the pelicans' >/dev/null 2>&1
WAIT=300 # the server looks for changes every five seconds, and the client waits for three of them
wait_for test -s "$WORK/wire.status"
results "$(cat "$WORK/wire.status")"
is "$(db "SELECT count(DISTINCT id) FROM outbox WHERE subject = 'news' OR subject LIKE '%news%'")" 2 'two mails about news were written'
ok 'the job' pr show 1
like "$OUT" 'wrote note agent/log' 'each write is a step of the job'
stop_serve
done_testing
