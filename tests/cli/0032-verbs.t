#!/usr/bin/env bash
# The table of verbs (src/cli/verbs.def) is the only one: help, manual pages, completion and the parser say what it says.
. "$(dirname "$0")/../lib/tap.sh"
. "$POSTRIDER_SRC/completion/postrider.bash"
build=$(dirname "$POSTRIDER_BIN")
export POSTRIDER_HOME=/dev/null/none # no row needs one for this, and none can be made

rows=() # "name<tab>arguments<tab>words"
mapfile -t rows < <("$PR_BIN" help --rows)
options() { grep -oE -e '(^|[^a-z0-9-])--?[a-z][a-z-]*' | sed 's/^[^-]*//' | sort -u; }

# The arguments of each verb with those of its forms; a verb that has nothing but forms has none of its own.
declare -A args
for row in "${rows[@]}"; do
    name=${row%%$'\t'*} rest=${row#*$'\t'}
    args[${name%% *}]+="${rest%%$'\t'*}"$'\n'
done
isnt "${#rows[@]}" 0 'there is a table'

# What 'postrider' alone prints, and postrider(1): four groups, each once, and every verb in one of them.
groups=$'every day\nset up\nagents at work\nfor programs'
is "$("$PR_BIN" | grep -xE '[a-z]+( [a-z]+)*')" "$groups" 'the list of verbs has four groups, each once'
is "$("$PR_BIN" | grep -oE '^  [a-z-]+' | tr -d ' ' | sort)" "$(printf '%s\n' "${!args[@]}" | sort)" 'and every verb, once'
is "$("$PR_BIN" help --man | sed -n 's/^\.Ss //p' | tr A-Z a-z)" "$groups" 'so has the manual'

wrong=() # differences, for one line of each kind
for verb in "${!args[@]}"; do
    want=$(options <<<"${args[$verb]}")
    [ "$("$PR_BIN" "$verb" --help | sed '/^$/q' | options)" = "$want" ] || wrong+=("$verb --help")
    [ "$(sed '1,/^\.Sh SYN/d; /^\.Sh/,$d' "$build/man/postrider-$verb.1" | options)" = "$want" ] || wrong+=("postrider-$verb.1")
    for option in $("$PR_BIN" help "$verb" | sed "1,/^\$/d; s/'[^']* --[^']*'//g" | options); do
        grep -qxe "$option" <<<"$want"$'\n--json\n--home' || wrong+=("$verb: its help speaks of $option")
    done
done
is "${wrong[*]}" '' 'help and manual page of each verb name the options of its rows, and no others'

wrong=()
for row in "${rows[@]}"; do
    name=${row%%$'\t'*} rest=${row#*$'\t'}
    arguments=${rest%%$'\t'*}
    read -ra words <<<"$name --"
    COMP_WORDS=("$PR_BIN" "${words[@]}")
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _postrider
    want=$arguments
    [[ $name = *' '* ]] || want=${args[$name]}
    [ "$(printf '%s\n' "${COMPREPLY[@]}" | sort -u)" = "$(options <<<"$want" | grep -e '^--')" ] || wrong+=("completion of $name")
    [ "$name" = sendmail ] && continue # takes any option, as sendmail does

    # Each option is taken, in all its spellings: what is refused is the one behind them.
    all=()
    while read -r names value; do
        [ "$names" != -- ] || continue # a command of somebody's own follows
        case $value in '|') value= ;; N | JOB) value=1 ;; esac
        for option in ${names//|/ }; do all+=("$option" ${value:+"${value%...}"}); done
    done < <(sed 's/ *[][]/\n/g' <<<"$arguments" | grep -oE -e '^-.*|--[a-z-]+( [A-Z]+)?')
    # shellcheck disable=SC2086
    run "$PR_BIN" $name "${all[@]}" --no-such-option
    [[ $STATUS = 64 && $ERR = *'unknown option --no-such-option'* && $ERR != *$'\n'* ]] || wrong+=("$name ${all[*]}: $ERR")
done
is "${wrong[*]}" '' 'completion names the options of each row, which are taken, and any other is refused by one line'

wrong=()
for row in "${rows[@]}"; do
    # shellcheck disable=SC2086
    run "$PR_BIN" ${row%%$'\t'*} </dev/null
    [[ $STATUS -lt 128 && $ERR != *'belongs to another program'* ]] || wrong+=("${row%%$'\t'*}: $ERR")
done
is "${wrong[*]}" '' 'each row has a function in one of the programs'

# The example of a verb in CONTRIBUTING.md is what there is.
sed -n '/^```diff$/,/^```$/p' "$POSTRIDER_SRC/CONTRIBUTING.md" | sed '/^```/d' >"$WORK/example"
if command -v git >/dev/null; then
    ok 'the example is the code' git -C "$POSTRIDER_SRC" apply -p0 -R --check "$WORK/example"
else
    skip 'the example is the code' 'no git here'
fi

# An option that nothing asks for would be taken in silence, one that no row has would end the program.
in_rows=$(printf '%s\n' "${args[@]}" | options | sed -n 's/^--//p' | grep -vx max-iter) # another spelling
code=$(cat "$POSTRIDER_SRC"/src/cli/*.c "$POSTRIDER_SRC"/src/cli/*/*.c "$POSTRIDER_SRC"/src/setup/*.c)
is "$(for name in $in_rows; do grep -qF "\"$name\"" <<<"$code" || echo "$name"; done)" '' 'each option is asked for'
asked=$(grep -oE 'cli_(flag|texts?|number)\([a-z>-]+, "[a-z-]+"' <<<"$code" | sed 's/.*"\(.*\)"/\1/' | sort -u)
is "$(for name in $asked; do grep -qx "$name" <<<"$in_rows" || echo "$name"; done)" '' 'and nothing else is'

# Words that completion offers are those that the program takes.
unset POSTRIDER_HOME
pr init >/dev/null
for verb in job mail outbox; do
    run pr "$verb" list --state nosuchthing
    is "$(sed -n 's/.*there are \(.*\); usage.*/\1/p' <<<"$ERR" | tr -d ,)" \
        "$(printf '%s\n' "${rows[@]}" | sed -n "s/^$verb list\t.*STATE=//p")" "the states of $verb"
done
run pr role new x
is "$(sed -n 's/.*needs --from \(.*\); usage.*/\1/p' <<<"$ERR" | tr '|' ' ')" \
    "$(printf '%s\n' "${rows[@]}" | sed -n 's/^role new\t.*TEMPLATE=//p')" 'the templates'

done_testing
