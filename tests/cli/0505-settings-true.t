#!/usr/bin/env bash
# A setting that is in the table has a reader, is in the manual, and does something; what is not there is named by
# `config check`; what nothing reads is a warning.
. "$(dirname "$0")/../lib/tap.sh"

conf=$HOME_DIR/postrider.conf
pr init >/dev/null
cp "$conf" "$WORK/good"
settings() { cp "$WORK/good" "$conf"; printf "$@" >>"$conf"; }

# The table against the source: each key is put into a field of the settings, and something outside of the reader of
# the settings looks at that field.
unread=$(python3 - "$POSTRIDER_SRC/src" <<'PY'
import pathlib, re, sys
src = pathlib.Path(sys.argv[1])
table = re.findall(r'^\s*\{"([a-z]+)", "([a-z-]+)", CONF_', (src / "base/config_keys.c").read_text(), re.M)
reader = (src / "base/config.c").read_text()
rest = "\n".join(p.read_text() for p in src.rglob("*.c") if not p.name.startswith("config_keys"))
fields = {}
for field, value in re.findall(r'\.(\w+)\s*=\s*((?:[^,;{}()]|\((?:[^()]|\([^()]*\))*\))+)[,;]', reader):
    for key in re.findall(r'(?:get\(s, "[a-z]+"|conf_value\(\w+|conf_find_section\(s->sections, "[a-z]+", ""\)), "([a-z-]+)"\)', value):
        fields.setdefault(key, set()).add(field)
server = {"host": "host", "port": "port", "tls": "tls", "ca-file": "ca_file", "user": "user", "password-file": "password_file",
          "password-command": "password_command", "token-command": "token_command"}
by_hand = {"preset": "preset_find", "address": "address", "domain": "domain", "smtp-host": "smtp", "mode": "mode", "brain": "brain"}
assert len(table) > 80 and len(fields) > 40
for section, key in table:
    bare = key.removeprefix("smtp-")
    names = set(fields.get(key, ())) | ({server[bare]} if bare in server else set()) | ({by_hand[key]} if key in by_hand else set())
    if not any(re.search(r"(?:->|\.|offsetof\(Config, )%s\b(?!\s*=[^=])|\b%s\(" % (n, n), rest) for n in names):
        print(f"[{section}] {key}")
PY
)
is "$unread" '' 'every key of the table is read by something'

page=$(mandoc -T utf8 "$(dirname "$POSTRIDER_BIN")/man/postrider.conf.5" 2>/dev/null | sed 's/.\x08//g')
run pr config show
absent=$(printf '%s\n' "$OUT" | sed -nE 's/^#?([a-z-]+) +=.*/\1/p' | sort -u | while read -r key; do
    grep -qE "^ +$key = " <<<"$page" || echo "$key"; done)
is "$absent" '' 'every key is in the manual'
unlike "$page" 'no effect|does not have' 'which names nothing that is not built'

# Not built: refused.
settings '[brain cc]\nkind = claude\n'
exits 78 'a kind that is not built is refused' pr config check
like "$ERR" "kind = 'claude': expected one of script, anthropic, openai, command" 'with those that there are'
settings '[brain cc]\nkind = command\ncommand = cat\nparser = claude-json\n'
exits 78 'and so is a parser' pr config check
like "$ERR" "parser = 'claude-json'" 'in one line'

# Of earlier versions: a warning, and all goes on.
settings '[role old]\nmode = session\npermissions = all\nsandbox = on\nnet = none\ntools-hint = x\n[report]\nx = 3\n[workflow]\ndomain = x\n'
exits 0 'keys that nothing reads are no mistake' pr config check
like "$OUT" 'is fine' 'the file is fine'
for what in "'mode = session' in \[role old\]" "'permissions' in \[role old\]" "'sandbox'" "'net'" "'tools-hint'" 'section \[report\]' 'section \[workflow\]'; do
    like "$ERR" "postrider.conf:[0-9]+: $what.* has no effect" "but there is a word about $what"
done
exits 0 'the home works with them' pr status
like "$(pr config show)" '\[role old\].*mode += program' 'and a mode that was never built is the one that it always was'
exits 78 'which nobody can choose any more' pr config set 'role envoy' mode session
like "$ERR" "mode 'session': expected one of steps, program" 'in one line'
exits 78 'but nobody is let to set one' pr config set 'role envoy' sandbox on
like "$ERR" "sandbox 'on': no such key" 'in one line'

# What is named and not there.
settings '[brain m]\nkind = openai\nmodel = m\nkey-file = secrets/none\n[brain s]\nscript = scripts/none.jsonl\n
[brain c]\ncommand = no-such-program-here -p\n[brain d]\ncommand = scripts/none.sh\n[brain n]\nkind = anthropic\n
[brain x]\ncommand = scripts/plain\n[role w]\nworkdir = /no/such/folder\ninstructions = none.md\n
[account w]\nkind = imap\nca-file = secrets/ca.pem\npassword-file = secrets/pw\nsmtp-host = mail.example.org\n
smtp-ca-file = secrets/smtp.pem\nsmtp-password-command = no-such-pass show mail\n
[account v]\nkind = imap\ntoken-command = /no/such/token\n'
echo true >"$HOME_DIR/scripts/plain"
chmod 600 "$HOME_DIR/scripts/plain"
exits 78 'what is not there is told' pr config check
for what in "\[brain m\]: key-file 'secrets/none' is not there" "\[brain s\]: script 'scripts/none.jsonl' is not there" \
    "\[brain c\]: command: no program 'no-such-program-here' in PATH" "\[brain d\]: command: program 'scripts/none.sh'" \
    "\[brain n\]: it has no 'model'" "\[role w\]: workdir '/no/such/folder'" "\[role w\]: instructions 'none.md'" \
    "\[brain x\]: command: 'scripts/plain' can't be run; run: chmod \+x" "\[account w\]: ca-file 'secrets/ca.pem'" \
    "\[account w\]: password-file 'secrets/pw'" "\[account w\]: smtp-ca-file 'secrets/smtp.pem'" \
    "\[account w\]: smtp-password-command: no program 'no-such-pass' in PATH" \
    "\[account v\]: token-command: program '/no/such/token' is not there"; do
    like "$ERR" "$what" "in a line of its own: $what"
done
is "$(wc -l <<<"$ERR")" 13 'and nothing else'
rm "$HOME_DIR/scripts/plain"
if [ "$(id -u)" != 0 ]; then
    settings '[brain s]\nscript = scripts/closed.jsonl\n'
    touch "$HOME_DIR/scripts/closed.jsonl"
    chmod 0 "$HOME_DIR/scripts/closed.jsonl"
    exits 78 'a file that can not be read' pr config check
    like "$ERR" "\[brain s\]: script 'scripts/closed.jsonl' can't be read" 'is told too'
    rm -f "$HOME_DIR/scripts/closed.jsonl"
else
    skip 'a file that can not be read' 'root reads everything'
fi
cp "$WORK/good" "$conf"
exits 0 'the first settings are fine' pr config check
is "$ERR" '' 'without a word'
done_testing
