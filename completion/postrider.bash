# Completion for postrider: verbs and options from the program itself, roles, jobs, mail and notes from the home.

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

_postrider_roles() { sed -n 's/^\[role  *\(.*[^ ]\) *\]$/\1/p' "$(_postrider_home)/postrider.conf" 2>/dev/null; }

# What a form or a short verb works on.
_postrider_things()
{
    case $1 in
    show) _postrider_column job list --all --limit 20; _postrider_column note list ;;
    fork | 'job show' | 'job log' | 'job fork') _postrider_column job list --all --limit 20 ;;
    stop | continue | cancel | watch | 'job stop' | 'job continue' | 'job cancel') _postrider_column job list ;;
    approve | reject) _postrider_column outbox list --state held ;;
    outbox\ *) _postrider_column outbox list ;;
    'mail show' | 'mail thread' | 'mail trace') _postrider_column mail list --limit 20 ;;
    'role edit' | 'role remove') _postrider_roles ;;
    'every remove' | 'every now') _postrider_column every list ;;
    note\ [gpahrd]*) _postrider_column note list ;;
    esac
}

_postrider()
{
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} verb='' place words=''
    COMPREPLY=()
    _postrider_verb

    case $prev in
    --home) COMPREPLY=($(compgen -d -- "$cur")); return ;;
    --to | --role) words=$(_postrider_roles) ;;
    --from)
        words='reviewer digest triage researcher echo'
        [ "$verb" = role ] || words=$(_postrider_roles) ;;
    --by) words='day role job brain' ;;
    --level) words='debug info warn error' ;;
    --job) words=$(_postrider_column job list --all --limit 20) ;;
    --state)
        case $verb in
        job) words='queued working waiting done failed stopped cancelled' ;;
        mail) words='stored shown handled ignored held dead' ;;
        outbox) words='ready sending sent retry in_doubt held failed' ;;
        esac
        ;;
    *)
        if [ -z "$verb" ]; then
            words="--home --json $("${COMP_WORDS[0]}" help --verbs 2>/dev/null)"
        elif [[ $cur = -* ]]; then
            words=$("${COMP_WORDS[0]}" help "$verb" 2>/dev/null | grep -o -e '--[a-z][a-z-]*' | sort -u)
        elif [ "$COMP_CWORD" -eq $((place + 2)) ]; then
            words=$(_postrider_things "$verb ${COMP_WORDS[place + 1]}")
        elif [ "$COMP_CWORD" -eq $((place + 1)) ]; then
            case $verb in
            help) words=$("${COMP_WORDS[0]}" help --verbs 2>/dev/null) ;;
            config) words='show check set' ;;
            role) words='new list edit remove' ;;
            setup) words='mail brain role limits service' ;;
            job) words='list show log stop continue cancel fork' ;;
            every) words='list remove now day weekday month' ;;
            mail) words='list show thread search trace' ;;
            note) words='get put append list search history rename delete check' ;;
            outbox) words='list show approve reject retry arrived' ;;
            *) words=$(_postrider_things "$verb") ;;
            esac
        fi
        ;;
    esac
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
