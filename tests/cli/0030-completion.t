#!/usr/bin/env bash
# Completion in a real bash: verbs, forms, options, and what is in the home.
. "$(dirname "$0")/../lib/tap.sh"
. "$POSTRIDER_SRC/completion/postrider.bash"

# What the last word of a line may become; the words as readline cuts them.
complete_line()
{
    local line=$1
    read -ra COMP_WORDS <<<"$line"
    [[ $line != *' ' ]] || COMP_WORDS+=('')
    COMP_WORDS[0]=$PR_BIN
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    COMPREPLY=()
    POSTRIDER_HOME=$HOME_DIR _postrider
    echo "${COMPREPLY[*]}"
}

is "$(complete_line 'postrider statu')" status 'a verb, without a home'
is "$(complete_line 'postrider stop ')" '' 'no job, and no complaint'
pr init >/dev/null
pr ask hello >/dev/null
pr ask --no-wait again >/dev/null
pr serve --once 2>/dev/null
is "$(complete_line 'postrider mail tr')" trace 'a form'
is "$(complete_line 'postrider ask --to ')" envoy 'a role'
is "$(complete_line 'postrider role new x --from re')" 'reviewer researcher' 'a template'
is "$(complete_line 'postrider role edit ')" envoy 'a role to edit'
is "$(complete_line 'postrider ask --no')" --no-wait 'an option'
like "$(complete_line 'postrider doctor --')" '--rebuild.*--release' 'the options of a verb'
is "$(complete_line 'postrider job show ')" '2 1' 'jobs'
is "$(complete_line 'postrider stop ')" '' 'but none that have ended, where that matters'
is "$(complete_line 'postrider mail show ')" '2 1' 'mail'
is "$(complete_line 'postrider note get envoy/st')" \
    "$(pr --json note list envoy/st | python3 -c 'import json,sys; print(*(n["key"] for n in json.load(sys.stdin)))')" 'notes'
is "$(complete_line 'postrider show REA')" README/links 'a note to show'
is "$(complete_line 'postrider job list --state wai')" waiting 'a state'
is "$(complete_line 'postrider cost --by ')" 'day role job brain artifact' 'what to sum up by'
is "$(POSTRIDER_HOME=/nowhere complete_line "postrider --home $HOME_DIR job show 1")" '1' 'the home of the line'

# In step with the table of verbs: its forms are offered.
for verb in config role setup job mail note outbox every; do
    forms=$(pr help --rows | sed -n "s/^$verb \([a-z]*\)\t.*/\1/p" | tr '\n' ' ')
    [ "$verb" != every ] || forms="${forms}day weekday month "
    is "$(complete_line "postrider $verb ") " "$forms" "the forms of $verb"
done
is "$(complete_line 'postrider job list --')" '--all --role --state --limit' 'the options of a form'
is "$(complete_line 'postrider log -f --level ')" 'debug info warn error' 'what an option takes'

# zsh and fish ask the same.
share=$WORK/share # as it is installed
mkdir -p "$WORK/bin" "$share"/{bash-completion/completions,zsh/site-functions,fish/vendor_completions.d} && ln -s "$PR_BIN" "$WORK/bin/postrider"
cp "$POSTRIDER_SRC/completion/postrider.bash" "$share/bash-completion/completions/postrider"
cp "$POSTRIDER_SRC/completion/_postrider" "$share/zsh/site-functions"
cp "$POSTRIDER_SRC/completion/postrider.fish" "$share/fish/vendor_completions.d"
is "$(POSTRIDER_HOME=$HOME_DIR bash "$POSTRIDER_SRC/completion/postrider.bash" 3 "$PR_BIN" mail tr | tr '\n' ' ')" '' 'no such word'
is "$(POSTRIDER_HOME=$HOME_DIR bash "$POSTRIDER_SRC/completion/postrider.bash" 2 "$PR_BIN" mail tr)" trace 'the file, run'
if command -v fish >/dev/null; then
    in_fish() { PATH=$WORK/bin:$PATH HOME=$WORK POSTRIDER_HOME=$HOME_DIR fish --no-config -c "source $share/fish/vendor_completions.d/postrider.fish; complete -C '$1'" | tr '\n' ' '; }
    is "$(in_fish 'postrider mail t')" 'thread trace ' 'fish: forms'
    is "$(in_fish 'postrider stat')" 'status ' 'fish: a verb'
    is "$(in_fish 'postrider ask --to ')" 'envoy ' 'fish: a role'
else
    skip 'fish' 'no fish here'
fi
if command -v zsh >/dev/null; then
    in_zsh()
    {
        HOME=$WORK POSTRIDER_HOME=$HOME_DIR PATH=$WORK/bin:$PATH zsh -f -c '
            compadd() { shift 3; print -r -- "$@"; }; _files() { print files; }
            fpath=('"$share"'/zsh/site-functions $fpath); autoload -Uz _postrider
            words=("$@"); CURRENT=$#words; _postrider' - "$@"
    }
    is "$(in_zsh postrider mail t)" 'thread trace' 'zsh: forms'
    is "$(in_zsh postrider stat)" status 'zsh: a verb'
    is "$(in_zsh postrider ask --to '')" envoy 'zsh: a role'
    is "$(in_zsh postrider ask -a x)" files 'zsh: files where there is nothing else'
else
    skip 'zsh' 'no zsh here'
fi

done_testing
