#!/usr/bin/env bash
# mcp: what a broken or hostile client sends is answered with an error, or not at all, and the next request is served.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/mcp.sh"
export POSTRIDER_HOME=/dev/null/none
unset CLAUDE_CODE_SESSION_ID CODEX_SESSION_ID CLAUDE_PROJECT_DIR POSTRIDER_PORT
mkdir "$WORK/p" && cd "$WORK/p" || exit 1

wire <<'P'
import resource
pr = sys.argv[1]
w = Wire([pr, "mcp"])
def refused(desc, data, code, ident=None):
    before = len(w.odd)
    w.write(data + b"\n")
    got = w.answer(ident) if ident is not None else w.until(lambda: len(w.odd) > before) and w.odd[-1]
    check(desc, got and got["error"]["code"] == code and got["error"]["message"], got)
    same(f"{desc}: the next is served", w.legacy("ping")["result"], {})
def ignored(desc, data):
    before = len(w.odd), len(w.answers)
    w.write(data + b"\n")
    w.legacy("ping")
    same(desc, (len(w.odd), len(w.answers)), (before[0], before[1] + 1))
refused("no JSON", b"hello", -32700)
refused("half an object", b'{"jsonrpc":"2.0","id":1', -32700)
refused("two objects in a line", b'{"jsonrpc":"2.0","id":71,"method":"ping"}{"jsonrpc":"2.0","id":72,"method":"ping"}', -32700)
check("none of which was carried out", "71" not in w.answers and "72" not in w.answers)
refused("a NUL", b'{"jsonrpc":"2.0","id":1,"method":"pi\0ng"}', -32700)
refused("a NUL as an escape", b'{"jsonrpc":"2.0","id":1,"method":"pi\\u0000ng"}', -32700)
refused("bad UTF-8", b'{"jsonrpc":"2.0","id":1,"method":"p\xff"}', -32700)
refused("a key twice", b'{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', -32700)
refused("deep nesting", b"[" * 100000, -32700)
refused("a batch", b'[{"jsonrpc":"2.0","id":73,"method":"ping"}]', -32600)
check("which is not carried out", "73" not in w.answers)
refused("a number", b"5", -32600)
for ident in [b"null", b"1.5", b"true", b"[]", b"{}"]:
    refused(f"id {ident.decode()}", b'{"jsonrpc":"2.0","id":' + ident + b',"method":"ping"}', -32600)
refused("an id beyond 64 bits", b'{"jsonrpc":"2.0","id":99999999999999999999,"method":"ping"}', -32700)
for ident in [0, -1, 2**62, "", "x" * 5000, "\u2603 \"quoted\""]:
    same(f"id {str(ident)[:20]!r} comes back as it is", w.legacy("ping", ident=ident)["id"], ident)
refused("another jsonrpc", b'{"jsonrpc":"1.0","id":81,"method":"ping"}', -32600, 81)
refused("no jsonrpc", b'{"id":82,"method":"ping"}', -32600, 82)
refused("no method", b'{"jsonrpc":"2.0","id":83}', -32600, 83)
refused("a method that is no text", b'{"jsonrpc":"2.0","id":84,"method":{}}', -32600, 84)
refused("params that are a list", b'{"jsonrpc":"2.0","id":85,"method":"ping","params":[]}', -32602, 85)
refused("initialize without a version", b'{"jsonrpc":"2.0","id":86,"method":"initialize","params":{}}', -32602, 86)
refused("tools/call without a name", b'{"jsonrpc":"2.0","id":87,"method":"tools/call"}', -32602, 87)
ignored("an empty line", b"")
ignored("CR LF", b"\r")
ignored("an answer to nothing", b'{"jsonrpc":"2.0","id":5000,"result":{}}')
ignored("an unknown notification", b'{"jsonrpc":"2.0","method":"notifications/none"}')
ignored("tools/call as a notification", b'{"jsonrpc":"2.0","method":"tools/call","params":{"name":"todo_list"}}')
ignored("a notification of an unknown version", b'{"jsonrpc":"2.0","method":"x","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"1"}}}')
ignored("a notification whose params are a list", b'{"jsonrpc":"2.0","method":"notifications/none","params":[]}')
ignored("a notification of another jsonrpc", b'{"jsonrpc":"1.0","method":"notifications/none"}')
ignored("an answer of another jsonrpc", b'{"jsonrpc":"1.0","id":5001,"result":{}}')
ignored("an error that answers nothing", b'{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"?"}}')
for what in ["{}", '{"requestId":null}', '{"requestId":"none"}', '{"requestId":[1]}', "{\"requestId\":1}"]:
    ignored(f"cancelled {what}", b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":' + what.encode() + b"}")
same("a line with CR LF", w.write(b'{"jsonrpc":"2.0","id":"crlf","method":"ping"}\r\n') or w.answer("crlf")["result"], {})
big = b"x" * (1 << 20)
before = len(w.odd)
for _ in range(50):
    w.write(big)
w.write(b"\n")
check("a line of 50 MB is refused", w.until(lambda: len(w.odd) > before) and "8 MB" in w.odd[-1]["error"]["message"], w.odd[-1:])
same("once", len(w.odd), before + 1)
same("and the next is served", w.legacy("ping")["result"], {})
w.write(b'{"jsonrpc":"2.0","id":"fat","method":"tools/call","params":{"name":"todo_list","arguments":{"all":"' + b"y" * (50 << 20) + b'"}}}\n')
check("also 50 MB of JSON", w.until(lambda: len(w.odd) > before + 1))
check("which is not carried out", '"fat"' not in w.answers)
peak = next(int(l.split()[1]) for l in open(f"/proc/{w.child.pid}/status") if l.startswith("VmHWM"))
check("it was not kept in memory", peak < 400_000, f"{peak} KB")  # AddressSanitizer keeps freed memory for a while
w.write(b'{"jsonrpc":"2.0","id":"half","method":"ping"}')
same("stdin that ends in the middle of a line", w.close(), 0)
check("is no request", '"half"' not in w.answers)

# What was asked before the end is answered.
done = subprocess.run([pr, "mcp"], input=b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n{"jsonrpc":"2.0","id":2,"method":"tools/list"}\n', capture_output=True, timeout=60)
same("two requests and the end", [json.loads(l)["id"] for l in done.stdout.splitlines()], [1, 2])
same("nothing is said beside", done.stderr, b"")
# Nobody reads: it is not fed any more either, and ends when the pipe is closed.
child = subprocess.Popen([pr, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
os.set_blocking(child.stdin.fileno(), False)
line, sent = b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n' * 100, 0
def busy(): return open(f"/proc/{child.pid}/stat").read().rsplit(")")[1].split()[11:13]  # its time of the processor
end, idle, before = time.monotonic() + WAIT, 0, None
while time.monotonic() < end and idle < 50 and sent < 4 << 20:
    try:
        sent, idle = sent + os.write(child.stdin.fileno(), line), 0
    except BlockingIOError:
        now = busy()
        idle, before = idle + 1 if now == before else 0, now
        time.sleep(0.02)
check("who does not read is not read", idle >= 50 and sent < 1 << 20, sent)
child.stdout.close()
same("and it ends when nobody can", child.wait(60), 0)
P
done_testing
