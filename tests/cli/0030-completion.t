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

is "$(complete_line 'postrider stat')" status 'a verb, without a home'
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
is "$(complete_line 'postrider cost --by ')" 'day role job' 'what to sum up by'
is "$(POSTRIDER_HOME=/nowhere complete_line "postrider --home $HOME_DIR job show 1")" '1' 'the home of the line'

done_testing
