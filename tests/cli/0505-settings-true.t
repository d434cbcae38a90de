#!/usr/bin/env bash
# A setting that is in the table has a reader, is in the manual, and does something; what is not there is named by
# `config check`; what nothing reads is a warning.
. "$(dirname "$0")/../lib/tap.sh"

conf=$HOME_DIR/postrider.conf
pr init >/dev/null
cp "$conf" "$WORK/good"
settings() { cp "$WORK/good" "$conf"; printf "$@" >>"$conf"; }

# The table against the source: the build itself fails where nothing reads a key (tools/check-settings).
exits 0 'every key of the table is read by something' "$POSTRIDER_SRC/tools/check-settings"
mkdir -p "$WORK/tree"
cp -r "$POSTRIDER_SRC/src" "$POSTRIDER_SRC/tools" "$WORK/tree/"
keys=src/base/config/config_keys.c
with_row() { sed 's/^    {"postrider", "workers".*/&\n    {"postrider", '"$1"'},/' "$POSTRIDER_SRC/$keys" >"$WORK/tree/$keys"; }
with_row '"unread", CONF_STRING, "", NULL, "nothing", TEXT(Config, unread_text), "engine\/run\/run.c"'
exits 1 'a key that nothing reads' "$WORK/tree/tools/check-settings"
is "$ERR" 'check-settings: nothing reads [postrider] unread' 'is named'
with_row '"path", CONF_STRING, "", NULL, "nothing", TEXT(Config, path), "workflow\/artifact_place.c"'
exits 1 'a key that is called as those of other records are' "$WORK/tree/tools/check-settings"
is "$ERR" 'check-settings: nothing reads [postrider] path' 'has no reader by that'
with_row '"unread", CONF_STRING, "", NULL, "nothing", NOWHERE, "base\/config\/config.c"'
exits 1 'a key without a place that nothing reads' "$WORK/tree/tools/check-settings"
is "$ERR" 'check-settings: nothing reads [postrider] unread' 'is named too'
with_row '"unread", CONF_STRING, "", NULL, "nothing", TEXT(Config, unread_text)'
exits 1 'a row that names no reader' "$WORK/tree/tools/check-settings"
like "$ERR" 'names no reader' 'is refused'
sed 's/TEXT(Config, owner), "[^"]*"/TEXT(Config, owner), "engine\/keep.c"/' "$POSTRIDER_SRC/$keys" >"$WORK/tree/$keys"
exits 1 'a key that another file reads' "$WORK/tree/tools/check-settings"
is "$ERR" 'check-settings: [postrider] owner is not read by engine/keep.c' 'is named with the file'
cp "$POSTRIDER_SRC/$keys" "$WORK/tree/$keys"
sed -i 's/role->tmux/(1)/' "$WORK/tree/src/engine/run/think.c"
exits 1 'a reader that does not look any more' "$WORK/tree/tools/check-settings"
is "$ERR" 'check-settings: nothing reads [role] tmux' 'is found'
like "$("$POSTRIDER_SRC/tools/check-settings" --list)" '\[keep\] work: .*engine/keep.c' 'and --list says who reads which'

page=$(mandoc -T utf8 "$(dirname "$POSTRIDER_BIN")/man/postrider.conf.5" 2>/dev/null | sed 's/.\x08//g')
run pr config show
absent=$(printf '%s\n' "$OUT" | sed -nE 's/^#?([a-z-]+) +=.*/\1/p' | sort -u | while read -r key; do
    grep -qE "^ +$key = " <<<"$page" || echo "$key"; done)
is "$absent" '' 'every key is in the manual'
unlike "$page" 'no effect|does not have' 'which names nothing that is not built'
bare=$(awk '/^ +[a-z-]+ = /{ if (key && text !~ / From [^ ]+ to /) print key; key = / = (number|span|size|money)$/ ? $1 : ""; text = "" }
    { sub(/^ +/, " "); text = text $0 }' <<<"$page")
is "$bare" '' 'with the least and the most of each number, also where the row says no other than the usual'
like "$(tr -s ' \n' ' ' <<<"$page")" 'drain = span how long .* From 0 to 1000d\. Default' 'such as 1000 days for a time'
exits 78 'which is what is enforced' pr config set postrider drain 1001d
like "$ERR" "drain = '1001d': expected a time in 0..1000d" 'and told'

# Not built: refused.
settings '[brain cc]\nkind = gemini\n'
exits 78 'a kind that is not built is refused' pr config check
like "$ERR" "kind = 'gemini': expected one of script, anthropic, openai, command, claude, codex, opencode" 'with those that there are'
settings '[brain cc]\nkind = command\ncommand = cat\nparser = gemini-json\n'
exits 78 'and so is a parser' pr config check
like "$ERR" "parser = 'gemini-json'" 'in one line'

# Of earlier versions: a warning, and all goes on.
settings '[role old]\nmode = session\n[plan]\ndomain = x\n[account old]\npath = elsewhere\n'
exits 0 'keys that nothing reads are no mistake' pr config check
like "$OUT" 'is fine' 'the file is fine'
for what in "'mode = session' in \[role old\]" 'section \[plan\]' "'path' in \[account old\]"; do
    like "$ERR" "postrider.conf:[0-9]+: $what.* has no effect" "but there is a word about $what"
done
exits 0 'the home works with them' pr status
like "$(pr config show)" '\[role old\].*mode += program' 'and a mode that was never built is the one that it always was'
exits 78 'which nobody can choose any more' pr config set 'role envoy' mode session
like "$ERR" "mode 'session': expected one of steps, program" 'in one line'
exits 78 'but nobody is let to set one' pr config set plan domain x
like "$ERR" "domain 'x': no such key" 'in one line'

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
