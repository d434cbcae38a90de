# Completion for postrider: verbs, forms, options and what they take from the program's own table (`help --rows`), roles,
# jobs, mail and notes from the home.

_postrider_home()
{
    local i
    for ((i = 1; i < COMP_CWORD; i++)); do
        [ "${COMP_WORDS[i]}" = --home ] && { echo "${COMP_WORDS[i + 1]/#\~/$HOME}"; return; }
    done
    echo "${POSTRIDER_HOME:-$HOME/.postrider}"
}

# The verb on the line: the first word that is no option and no option's value. Sets verb and its place.
_postrider_verb()
{
    for ((place = 1; place < COMP_CWORD; place++)); do
        case ${COMP_WORDS[place]} in
        --home) ((place++)) ;;
        -*) ;;
        *) verb=${COMP_WORDS[place]}; return ;;
        esac
    done
}

# The first column of what a list prints, without its heading.
_postrider_column() { "${COMP_WORDS[0]}" --home "$(_postrider_home)" "$@" 2>/dev/null | sed -n '2,$s/ .*//p'; }

# What an argument of this name may be, by the words of its row (src/cli/verbs.def), else by its name.
_postrider_may_be()
{
    local entry list entries lists
    IFS=';' read -ra entries <<<"$2"
    for entry in "${entries[@]}"; do
        [ "${entry%%=*}" = "$1" ] || continue
        [[ $entry = *=!* ]] || { echo "${entry#*=}"; return; }
        IFS='!' read -ra lists <<<"${entry#*=!}"
        # shellcheck disable=SC2086
        for list in "${lists[@]}"; do _postrider_column $list; done
        return
    done
    case $1 in
    ROLE | A) sed -n 's/^\[role  *\(.*[^ ]\) *\]$/\1/p' "$(_postrider_home)/postrider.conf" 2>/dev/null ;;
    JOB) _postrider_column job list --all --limit 20 ;;
    KEY) _postrider_column note list ;;
    VERB) echo "$verbs" ;;
    [a-z]*) echo "${1//|/ }" ;;
    esac
}

_postrider()
{
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} verb='' place words=''
    local row name rest verbs='' forms='' form='' args='' all='' what=''
    COMPREPLY=()
    _postrider_verb
    [ $((place + 1)) -ge "$COMP_CWORD" ] || form=${COMP_WORDS[place + 1]}

    while IFS= read -r row; do
        name=${row%%$'\t'*} rest=${row#*$'\t'}
        case $name in
        "$verb $form") args=${rest%$'\t'*} all=$args what=${rest#*$'\t'} forms=; ((place++)); break ;;
        "$verb") args=${rest%$'\t'*} all=$args what=${rest#*$'\t'} ;;
        "$verb "*) forms="$forms ${name#* }" all="$all ${rest%$'\t'*}" ;;
        esac
        [[ $name = *' '* ]] || verbs="$verbs $name"
    done < <("${COMP_WORDS[0]}" help --rows 2>/dev/null)

    if [ "$prev" = --home ]; then
        COMPREPLY=($(compgen -d -- "$cur"))
        return
    elif [ -z "$verb" ]; then
        words="--home --json $verbs"
    elif [[ $prev = -* && " $all" =~ [\ [|]"$prev"(\|--[a-z-]+)*\ ([A-Za-z][A-Za-z|]*) ]]; then
        words=$(_postrider_may_be "${BASH_REMATCH[2]}" "$what")
    elif [[ $cur = -* ]]; then
        words=$(grep -oE -e '--[a-z][a-z-]*' <<<"$all")
    elif [ "$COMP_CWORD" -eq $((place + 1)) ]; then
        name=$(sed -E 's/\[-[^]]*\]//g; s/--[a-z-]+ [A-Z]+//g; s/^[^A-Z]*([A-Z]*).*/\1/' <<<"$args") # the first operand
        words="$forms $(_postrider_may_be "$name" "$what")"
    fi
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
}

# For zsh and fish: run, not sourced, with the place of the word to complete and the words of the line.
if [ "${BASH_SOURCE[0]}" = "$0" ]; then
    COMP_CWORD=$1 COMP_WORDS=("${@:2}")
    _postrider
    [ ${#COMPREPLY[@]} -eq 0 ] || printf '%s\n' "${COMPREPLY[@]}"
else
    complete -o bashdefault -o default -F _postrider postrider
fi
