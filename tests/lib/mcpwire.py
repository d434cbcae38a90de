"""A client of the Model Context Protocol that knows nothing of ours: it writes lines and reads lines.

    wire = Wire([program, "mcp"], cwd=...)      wire.legacy(method, params)    wire.modern(method, params)
    wire.tool(name, **arguments)                the result of tools/call; .text(result), .json(result)
    check(desc, truth, diag), same(desc, got, want)   print "ok\tDESC" or "not ok\tDESC\tDIAG"; tests/lib/mcp.sh makes TAP of it
"""
import json, os, subprocess, sys, threading, time

META = "io.modelcontextprotocol/"
VERSION = "2026-07-28"
WAIT = 60


def check(desc, truth, diag=""):
    print(("ok\t" + desc) if truth else f"not ok\t{desc}\t{str(diag)[:1500]!r}", flush=True)


def same(desc, got, want):
    check(desc, got == want, f"got {got!r}, want {want!r}")


class Wire:
    def __init__(self, argv, cwd=None, env=None):
        self.child = subprocess.Popen(argv, cwd=cwd, env={**os.environ, **(env or {})}, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.came, self.answers, self.notes, self.odd, self.next = threading.Condition(), {}, [], [], 0
        self.lock, self.ended = threading.Lock(), False
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.child.stdout:
            message = json.loads(line)
            with self.came:
                if "method" in message:
                    self.notes.append(message)
                elif message.get("id") is None:
                    self.odd.append(message)
                else:
                    self.answers.setdefault(json.dumps(message["id"]), []).append(message)
                self.came.notify_all()
        with self.came:
            self.ended = True
            self.came.notify_all()

    def write(self, data):
        with self.lock:
            self.child.stdin.write(data)
            self.child.stdin.flush()

    def send(self, **message):
        self.write((json.dumps({"jsonrpc": "2.0", **message}) + "\n").encode())

    def until(self, look, wait=WAIT):
        with self.came:
            self.came.wait_for(lambda: look() or self.ended, wait)
            return look()

    def answer(self, ident, wait=WAIT):
        key = json.dumps(ident)
        if not self.until(lambda: self.answers.get(key), wait):
            raise SystemExit(f"no answer to {key}")
        return self.answers[key][0]

    def fresh(self):
        with self.lock:
            self.next += 1
            return self.next

    def legacy(self, method, params=None, ident=None):
        ident = self.fresh() if ident is None else ident
        self.send(id=ident, method=method, **({} if params is None else {"params": params}))
        return self.answer(ident)

    def modern(self, method, params=None, ident=None, version=VERSION):
        meta = {META + "protocolVersion": version, META + "clientInfo": {"name": "t", "version": "1"}, META + "clientCapabilities": {}}
        return self.legacy(method, {**(params or {}), "_meta": meta}, ident)

    def tool(self, tool_name, **arguments):
        return self.legacy("tools/call", {"name": tool_name, "arguments": arguments})["result"]

    def close(self):
        """Ends stdin, waits; its exit status."""
        self.child.stdin.close()
        status = self.child.wait(WAIT)
        self.until(lambda: False)
        return status


def text(result):
    return result["content"][0]["text"]


def wait_until(look, wait=WAIT):
    end = time.monotonic() + wait
    while time.monotonic() < end:
        if look():
            return True
        time.sleep(0.02)
    return False
