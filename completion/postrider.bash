# bash completion for postrider: verbs and their forms from the program itself, roles and jobs from the home.

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

_postrider()
{
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} verb='' place words=''
    COMPREPLY=()
    _postrider_verb

    case $prev in
    --home) COMPREPLY=($(compgen -d -- "$cur")); return ;;
    --to | --role | --from)
        words=$(sed -n 's/^\[role  *\(.*[^ ]\) *\]$/\1/p' "$(_postrider_home)/postrider.conf" 2>/dev/null) ;;
    *)
        if [ -z "$verb" ]; then
            words="--home --json $(${COMP_WORDS[0]} help --verbs 2>/dev/null)"
        elif [ "$COMP_CWORD" -eq $((place + 1)) ]; then
            case $verb in
            help) words=$(${COMP_WORDS[0]} help --verbs 2>/dev/null) ;;
            config) words='show check set' ;;
            setup) words='mail brain role limits service' ;;
            job) words='list show log stop continue cancel fork' ;;
            every) words='list remove now day weekday month' ;;
            mail) words='list show thread search trace' ;;
            note) words='get put append list search history rename delete check' ;;
            outbox) words='list show approve reject retry arrived' ;;
            approve | reject)
                words=$(${COMP_WORDS[0]} --home "$(_postrider_home)" outbox list --state held 2>/dev/null |
                    sed -n 's/^\([0-9][0-9]*\) .*/\1/p') ;;
            esac
        fi
        ;;
    esac
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o bashdefault -o default -F _postrider postrider
