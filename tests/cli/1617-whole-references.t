#!/usr/bin/env bash
# References are whole between roles and people of a home: each mail of a long thread names all that came before. Anybody outside
# gets thirty.
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/workflow.sh"
workflow_home
refs() { pr deliver 2>/dev/null; python3 -c 'import email, email.policy, sys; print(" ".join(email.message_from_binary_file(open(sys.argv[1], "rb"), policy=email.policy.default)["References"].split()))' "$(mail_of "$1")"; }
id=$(notify spec-writer review-request "$SPEC" spec-reviewer)
all=$id
for i in {1..20}; do
    id=$(notify spec-reviewer --in-reply-to "$id" question "$SPEC" spec-writer QUESTION="And $i?") all+=" $id"
    id=$(notify spec-writer --in-reply-to "$id" answer "$SPEC" spec-reviewer CONTEXT="Yes, $i.") all+=" $id"
done
id=$(pr send --from spec-reviewer --to spec-writer --in-reply-to "$id" --subject Thanks <<<'Thanks.')
is "$(refs "$id")" "$all" 'the forty-first reply names all forty, and the root'
last=${all##* }
out=$(pr send --from spec-reviewer --to spec-writer --to carl@example.org --in-reply-to "$last" --subject Thanks <<<'Thanks.')
is "$(refs "$out" | wc -w) $(refs "$out" | cut -d' ' -f1) $(refs "$out" | awk '{ print $NF }')" "30 ${all%% *} $last" 'a mail that goes outside too has thirty, the oldest and the newest'
done_testing
