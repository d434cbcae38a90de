#!/usr/bin/env bash
# integrate: by the clients' own commands, here stand-ins that rewrite their settings as the real ones do; foreign bytes stay.
. "$(dirname "$0")/../lib/tap.sh"
export HOME=$WORK/person POSTRIDER_HOME=/dev/null/none
unset CLAUDE_CONFIG_DIR CODEX_HOME XDG_CONFIG_HOME XDG_STATE_HOME
mkdir -p "$HOME" "$WORK/bin"
PATH=$WORK/bin:$PATH
# Claude Code parses its settings and writes them anew; on removal empty objects stay.
cat >"$WORK/bin/claude" <<'P'
#!/usr/bin/env python3
import json, os, sys
words, path = sys.argv[1:], os.path.join(os.environ.get("CLAUDE_CONFIG_DIR") or os.path.expanduser("~/.claude"), "settings.json")
print(" ".join(words), file=open(os.environ["CALLS"], "a"))
if os.environ.get("FAILS") and os.environ["FAILS"] in words:
    sys.exit("no luck today")
os.makedirs(os.path.dirname(path), exist_ok=True)
settings = json.load(open(path)) if os.path.exists(path) else {}
markets, plugins = settings.setdefault("extraKnownMarketplaces", {}), settings.setdefault("enabledPlugins", {})
if words[:3] == ["plugin", "marketplace", "add"]:
    markets[json.load(open(words[3] + "/.claude-plugin/marketplace.json"))["name"]] = {"source": {"source": "directory", "path": words[3]}}
elif words[:3] == ["plugin", "marketplace", "remove"]:
    markets.pop(words[3])
elif words[:2] == ["plugin", "install"]:
    plugins[words[2]] = True
elif words[:2] == ["plugin", "uninstall"]:
    plugins.pop(words[2])
else:
    sys.exit("unknown")
json.dump(dict(sorted(settings.items())), open(path, "w"), indent=2)
P
cat >"$WORK/bin/codex" <<'P'
#!/usr/bin/env python3
import os, re, sys
words, path = sys.argv[1:], os.path.join(os.environ.get("CODEX_HOME") or os.path.expanduser("~/.codex"), "config.toml")
os.makedirs(os.path.dirname(path), exist_ok=True)
text = re.sub(" +", " ", open(path).read()) if os.path.exists(path) else ""  # it writes them its own way
if words[1:3] == ["marketplace", "add"]:
    text += f'\n[marketplaces.postrider]\nsource_type = "local"\nsource = "{words[3]}"\n'
elif words[1:3] == ["marketplace", "remove"]:
    text = re.sub(r'\n\[marketplaces\.postrider\]\n(?:\w.*\n)*', '', text)
elif words[1] == "add":
    text += f'\n[plugins."{words[2]}"]\nenabled = true\n'
else:
    text = re.sub(r'\n\[plugins\."postrider@postrider"\]\n(?:\w.*\n)*', '', text) + "\n"
open(path, "w").write(text)
P
chmod +x "$WORK/bin/"*
# The difference is shown before the client is called.
sed -i 's|^words.*|&\nif os.environ.get("SHOWN"): shutil.copy(os.environ["SHOWN"], os.environ["SHOWN"] + ".then")|; s/^import /import shutil, /' "$WORK/bin/claude"
export CALLS=$WORK/calls
p() { "$PR_BIN" integrate "$@"; }
sum() { sha256sum <"$1"; }

claude=$HOME/.claude/settings.json
mkdir -p "$HOME/.claude"
turns=('{
    "model":   "sonnet",  
  "permissions": {"allow": ["Read", "Bash(a, \"b\" {c})"]},
	"hooks": { }
}
' '{}' '{"enabledPlugins": {}, "extraKnownMarketplaces": { }}' '{ "enabledPlugins" : { "other@x" :true} , "z":[1,{"postrider":2}] }
' '{"extraKnownMarketplaces":{"a":{"source":{"source":"github","repo":"a/b"}}},"enabledPlugins":
{
   "a@a": false,
   "b@b": true
}}')
for i in "${!turns[@]}"; do
    printf %s "${turns[i]}" >"$claude" && chmod 640 "$claude" && cp -p "$claude" "$WORK/before"
    ok "claude-code, settings $i" p claude-code
    like "$OUT" "settings.json:.*[+] .*postrider@postrider.*knows postrider now" 'the difference is shown'
    [ $i != 0 ] || unlike "$OUT" '(^|
)- .*(model|other|permissions|b@b)' 'nothing else is in it'
    is "$(python3 -c 'import json, sys
now, before = json.load(open(sys.argv[1])), json.load(open(sys.argv[2]))
got = now["enabledPlugins"].pop("postrider@postrider"), now["extraKnownMarketplaces"].pop("postrider")["source"]["path"]
for name in ("enabledPlugins", "extraKnownMarketplaces"):
    if not now[name] and name not in before:
        del now[name]
print(*got, now == before)' "$claude" "$WORK/before")" "True $POSTRIDER_SRC/integrations/plugin True" 'ours is there, and the rest is the same'
    is "$(python3 -c 'import sys
now, before = open(sys.argv[1]).read(), open(sys.argv[2]).read()
at = 0
for char in now:  # what was there is there still, in its order: only insertions
    if at < len(before) and char == before[at]: at += 1
print(at == len(before))' "$claude" "$WORK/before")" True 'byte for byte'
    is "$(stat -c %a "$claude")" 640 'with its mode'
    cp -p "$claude" "$WORK/after"
    ok 'again' p claude-code
    like "$OUT" 'already' 'which is said'
    ok 'changes nothing' cmp "$claude" "$WORK/after"
    ok '--remove' p claude-code --remove
    ok 'gives back the bytes of before' cmp "$claude" "$WORK/before"
    ok '--remove again' p claude-code --remove
    ok 'changes nothing' cmp "$claude" "$WORK/before"
done
is "$(sort -u "$CALLS" | cut -d' ' -f1-3 | paste -sd,)" 'plugin install postrider@postrider,plugin marketplace add,plugin marketplace remove,plugin uninstall postrider@postrider' "by the client's own commands"
rm "$claude"
ok 'without settings' p claude-code
ok 'they are made' test -s "$claude"
ok '--remove' p claude-code --remove
ok 'and there are none again' test ! -e "$claude"

SHOWN=$WORK/shown "$PR_BIN" integrate claude-code >"$WORK/shown"
like "$(cat "$WORK/shown.then")" '[+] .*postrider@postrider' 'the difference is shown before the client is called'
unlike "$(cat "$WORK/shown")" 'otherwise' 'and is what the client has written'
SHOWN=$WORK/shown "$PR_BIN" integrate claude-code --remove >"$WORK/shown"
like "$(cat "$WORK/shown.then")" '[-] .*postrider@postrider' 'also before it is taken away'

# Somebody changed them since.
printf '{\n  "a": 1\n}\n' >"$claude"
p claude-code >/dev/null
sed -i 's/"a": 1/"a": 2,   "b": [ ]/' "$claude"
ok 'settings that were changed since' p claude-code --remove
is "$(cat "$claude" | tr -d '\n')" '{  "enabledPlugins": {  },  "extraKnownMarketplaces": {  },  "a": 2,   "b": [ ]}' 'keep what was changed'
rm "$claude"

# What is refused.
refused() { local file=$1; shift; [ ! -e "$file" ] || cp -P "$file" "$WORK/was"; exits 65 "$1 is refused" p "${@:2}"; is "$(wc -l <<<"$ERR")" 1 'in one line'; like "$ERR" 'nothing was changed' 'which says so'; }
for text in '{"a": ' '' '[1]' '{"a":1,"a":2}' $'{"a":"\xff"}'; do
    printf %s "$text" >"$claude"
    : >"$CALLS"
    refused "$claude" "a file that is '$(printf %q "$text")'" claude-code
    ok 'and stays' cmp "$claude" "$WORK/was"
    is "$(cat "$CALLS")" '' 'the client is not called'
done
rm "$claude" && echo '{}' >"$WORK/elsewhere" && ln -s "$WORK/elsewhere" "$claude"
refused "$claude" 'a symbolic link' claude-code
ok 'and stays one' test -L "$claude"
rm "$claude" && echo '{}' >"$claude" && chmod 444 "$claude"
refused "$claude" 'a read-only file' claude-code
chmod 644 "$claude"
printf '{"x" : 1}' >"$claude" && cp "$claude" "$WORK/was"
FAILS=install exits 65 'a client that refuses' p claude-code
like "$ERR" "'claude plugin install postrider@postrider': exit 1: no luck today" 'is told'
ok 'and its settings are as before' cmp "$claude" "$WORK/was"
exits 69 'no client' env PATH=/nonexistent "$PR_BIN" integrate codex
like "$ERR" "no 'codex' in PATH" 'is told'
exits 64 'which one?' p
exits 64 'another one' p emacs
mkdir "$WORK/other"
CLAUDE_CONFIG_DIR=$WORK/other ok 'a folder of its own' env CLAUDE_CONFIG_DIR="$WORK/other" "$PR_BIN" integrate claude-code
ok 'is used' grep -q postrider@postrider "$WORK/other/settings.json"
ok 'and the usual one is not' cmp "$claude" "$WORK/was"

# Codex.
codex=$HOME/.codex/config.toml
mkdir -p "$HOME/.codex"
printf '# mine\nmodel   =  "x" # keep\n\n[features]\nfoo = false' >"$codex" && cp "$codex" "$WORK/before"
ok codex p codex
like "$OUT" '[+] .plugins."postrider@postrider".' 'the difference is shown'
ok 'what was there is there' grep -q 'model   =  "x" # keep' "$codex"
cp "$codex" "$WORK/after"
ok 'again' p codex
ok 'changes nothing' cmp "$codex" "$WORK/after"
ok '--remove' p codex --remove
ok 'gives back the bytes of before' cmp "$codex" "$WORK/before"
p codex >/dev/null
is "$(head -c "$(stat -c %s "$WORK/before")" "$codex")" "$(cat "$WORK/before")" 'with its tables behind, what was there stays byte for byte'
printf '\n[mine]\nlater   = 1\n' >>"$codex"
ok 'settings that were changed since' p codex --remove
is "$(cat "$codex")" "$(cat "$WORK/before"; printf '\n\n[mine]\nlater   = 1\n')" 'lose our tables alone'
own='
[plugins."postrider@postrider".mcp_servers.postrider]
# on
enabled = true
'
for later in $'\n# my servers\n[mcp_servers.x]\ncommand = "x"\n' $'# my servers\n\n  [mcp_servers.x]\n  command = "x"\n' $'\t[[mine]]\n\n\n# the end' "$own"$'\n# later\n[mine]\na = [\n  ["x"],\n]\n'; do
    cp "$WORK/before" "$codex"
    p codex >/dev/null
    printf %s "$later" >>"$codex"
    ok "settings that got $(printf %q "$later") since" p codex --remove
    ok 'have what was added, byte for byte' cmp "$codex" <(cat "$WORK/before"; printf '\n%s' "${later#"$own"}")
done
is "$(printf '# a\n' >"$codex"; p codex --remove | tail -n 1)" 'codex does not know postrider; nothing was changed.' 'where there are none, nothing is changed'

# A project that has plans gets the scripts.
mkdir -p "$WORK/project/.pilot" "$WORK/bare" && cd "$WORK/project" || exit 1
run p claude-code
ok 'the scripts for the state are there' test -x .pilot/scripts/state_read.sh -a -x .pilot/scripts/state_write.sh -a -x .pilot/scripts/state_backup.sh
cd "$WORK/bare" && run p claude-code
not_ok 'a folder without plans gets none' test -e .pilot
p claude-code --remove >/dev/null

# opencode has no commands.
opencode=$HOME/.config/opencode/opencode.json
ok 'opencode, without settings' p opencode
is "$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1])))' "$opencode")" "{'mcp': {'postrider': {'type': 'local', 'command': ['postrider', 'mcp'], 'enabled': True}}}" 'has the server'
ok '--remove' p opencode --remove
ok 'and there are none again' test ! -e "$opencode"
printf '{ "mcp":{"a":{"type":"local","command":["x"]}},\n "model":"m" }' >"$opencode" && cp "$opencode" "$WORK/before"
ok 'with settings' p opencode
ok 'both servers are there' python3 -c 'import json, sys; assert sorted(json.load(open(sys.argv[1]))["mcp"]) == ["a", "postrider"]' "$opencode"
ok '--remove' p opencode --remove
ok 'gives back the bytes of before' cmp "$opencode" "$WORK/before"
printf '{"mcp": 5}' >"$opencode"
exits 65 'settings of another shape' p opencode
is "$(cat "$opencode")" '{"mcp": 5}' 'stay'

done_testing
