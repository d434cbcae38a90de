#!/usr/bin/env bash
# integrations/plugin: what its files call is there, and its hooks are all hooks.
. "$(dirname "$0")/../lib/tap.sh"
command -v jq >/dev/null || skip_all 'no jq'
plugin=$POSTRIDER_SRC/integrations/plugin
export POSTRIDER_HOME=/dev/null/none

for file in .claude-plugin/plugin.json .claude-plugin/marketplace.json hooks/hooks.json .mcp.json; do ok "$file is JSON" jq -e . "$plugin/$file"; done
is "$(jq -r .version "$plugin/.claude-plugin/plugin.json")" "$("$PR_BIN" --version | cut -d' ' -f2)" 'its version is ours'
is "$(cd "$plugin/skills" && ls | paste -sd' ')" '00_continue 00_plan 02_execute 03_close cancel done stop' 'the skills'
is "$(cd "$plugin/agents" && ls | paste -sd' ')" 'coder.md documenter.md tester.md validator.md' 'the agents'
wrong=()
for file in "$plugin"/skills/*/SKILL.md "$plugin"/agents/*.md; do
    name=$(sed -n 's/^name: //p' "$file")
    [[ $file = */$name/SKILL.md || $file = */$name.md ]] || wrong+=("$file: name $name")
    grep -q '^description: .' "$file" || wrong+=("$file: no description")
done
is "${wrong[*]}" '' 'each has its name and a description'
hooks=$(jq -r '.hooks[][].hooks[] | [.type, .command, (has("args") | tostring)] | join("|")' "$plugin/hooks/hooks.json" | sort -u)
is "$(sed 's/.*|postrider hook \(.*\)|.*/\1/' <<<"$hooks" | paste -sd' ')" "$("$PR_BIN" help --rows | sed -n 's/^hook \([a-z-]*\)\t.*/\1/p' | sort | paste -sd' ')" 'its hooks are those that there are'
unlike "$hooks" '[|]true' 'one string without args, since Codex ignores these'
# Each command in backquotes is one of ours, with options that it has.
wrong=()
while IFS= read -r command; do
    read -ra words <<<"$command"
    rows=$("$PR_BIN" help --rows | awk -F'\t' -v name="${words[1]} ${words[2]}" '$1 == name { print $2 "\t" }')
    [ -n "$rows" ] || wrong+=("$command")
    for word in "${words[@]:3}"; do [[ $word != --* || $rows = *"$word"* ]] || wrong+=("$command: $word"); done
done < <(cat "$plugin"/skills/*/SKILL.md "$plugin"/agents/*.md | tr '\n' ' ' | grep -oE '`postrider [^`]*`' | tr -d '`' | sort -u)
is "${wrong[*]}" '' 'each command that it names is one'

is "$(jq -rc '.mcpServers | to_entries[] | [.key, .value.command] + .value.args' "$plugin/.mcp.json")" '["postrider","postrider","mcp"]' 'its server'

done_testing
