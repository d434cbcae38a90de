# A home whose role `coder` is a program agent: tests/peers/stub-agent, which does what a script says.
#
#   agent_home KIND           the home, with the role; KIND is claude, codex or opencode
#   script                    standard input is what the agent does from its next session on; turns end with ---
#   mail_coder SUBJECT        the owner's mail to it, body on standard input; then one pass
#   reply ID BODY [FROM]      as a mail client answers, from the owner or FROM@postrider.local; then one pass
#   pass_at SECONDS           one pass; the clock stands so long after the beginning (clock NOW likewise)
#   question [N]              Message-ID of the mail that asks newest (or the N-th newest)
#   last_text                 the text of the newest mail to the owner
#   ran                       the tool calls that really ran, one per line: "Bash make test"
#   asked                     how many questions are open

agent_home()
{
    export POSTRIDER_CLOCK=@1794823200 # a Monday
    pr init >/dev/null || return
    mkdir -p "$WORK/src" "$WORK/agent" && : >"$WORK/script"
    cat >"$WORK/agent/run" <<END
#!/bin/sh
exec "$POSTRIDER_SRC/tests/peers/stub-agent" --mode $1 --script "$WORK/script" --state "$WORK/agent" "\$@"
END
    chmod +x "$WORK/agent/run"
    cat >>"$HOME_DIR/postrider.conf" <<END

[brain stub]
kind = $1
command = $WORK/agent/run

[role coder]
brain = stub
workdir = $WORK/src
ack-after = 0
END
}

script() { cat >"$WORK/script"; }
once() { pr serve --once >>"$WORK/once.log" 2>&1; }
pass_at() { export POSTRIDER_CLOCK=@$((1794823200 + $1)); once; }
mail_coder() { pr send --to coder --subject "$1" >/dev/null && once; }
got() { find "$HOME_DIR/mail/you/new" "$HOME_DIR/mail/you/cur" -type f 2>/dev/null; }
text_of() { python3 -c 'import sys, email, email.policy
m = email.message_from_binary_file(open(sys.argv[1], "rb"), policy=email.policy.default)
print(m.get_body(("plain",)).get_content() if m.is_multipart() else m.get_content())' "$1"; }
last_text() { text_of "$(newest_file $(got))"; }
question() { db "SELECT msgid FROM (SELECT DISTINCT msgid, max(id) AS id FROM question GROUP BY msgid) ORDER BY id DESC LIMIT 1 OFFSET $((${1:-1} - 1))"; }
number() { db "SELECT id FROM outbox WHERE msgid = '$(question)'"; }
reply()
{
    printf 'From: %s@postrider.local\nTo: coder@postrider.local\nSubject: Re: may this be done?\nIn-Reply-To: <%s>\n\n%s\n' \
        "${3:-you}" "$1" "$2" | pr sendmail -t >/dev/null && pr deliver >/dev/null 2>&1 && once
}
ran()
{
    [ -f "$WORK/agent/calls.jsonl" ] && python3 -c '
import json, sys
for line in open(sys.argv[1]):
    e = json.loads(line)
    if "ran" in e:
        i = e["input"]
        print(e["ran"], i.get("command") or i.get("file_path") or json.dumps(i.get("answers", i)))' "$WORK/agent/calls.jsonl"
}
asked() { db "SELECT count(*) FROM question WHERE state = 'open'"; }
job_state() { db "SELECT state FROM job WHERE id = ${1:-1}"; }
