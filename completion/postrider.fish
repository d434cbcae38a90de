# fish completion for postrider: bash's own answers, else files.
set -g __postrider_bash (status dirname)/../../bash-completion/completions/postrider
function __postrider_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l found (bash $__postrider_bash (math (count $words) - 1) $words 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c postrider -f -k -a '(__postrider_complete)'
