/* Every key there is. The order is that of `config show` and of the manual page. Last in a row is the file
 * below src that acts on the value: tools/check-settings fails the build where that file does not read it. */
#include "base/config/config.h"

/* clang-format off */
#define PORT "0..65535"
#define NOWHERE 0 /* its value goes into a record by other means (config.c) */
/* Where the value lies. A member of another type than the values of its key have does not compile. */
#define PLACE(record, member, c_type) (offsetof(record, member) + 0 * sizeof(_Generic(((record *)NULL)->member, c_type: 0)))
#define TEXT(record, member) PLACE(record, member, const char *)
#define LIST(record, member) PLACE(record, member, const char *const *)
#define NUMBER(record, member) PLACE(record, member, int64_t)
#define SIZE(record, member) PLACE(record, member, uint64_t)
#define FLAG(record, member) PLACE(record, member, bool)
#define ENUM(record, member, Type) PLACE(record, member, Type)
#define FLAGS(record, member, Type) PLACE(record, member, Type)

const ConfKey config_keys[] = {
    {"postrider", "owner", CONF_ADDRESS, "you@postrider.local", NULL, "who this home belongs to: may do everything and gets what is escalated", TEXT(Config, owner), "engine/people/hold_ask.c"},
    {"postrider", "domain", CONF_HOST, "postrider.local", NULL, "right side of local addresses and of the Message-IDs that we mint", TEXT(Config, domain), "engine/out/post.c"},
    {"postrider", "instance", CONF_STRING, "", NULL, "what this home is called among homes on one mailbox, where machine and path change (containers)", TEXT(Config, instance), "base/living.c"},
    {"postrider", "workers", CONF_INT, "16", "1..4096", "jobs at work at the same time, over all brains", NUMBER(Config, workers), "store/job/budget.c"},
    {"postrider", "drain", CONF_SPAN, "60s", NULL, "how long a clean stop waits for programs", NUMBER(Config, drain_us), "engine/run/think.c"},
    {"postrider", "max-cost-per-day", CONF_MONEY, "10.00", NULL, "what all brains may spend in a day", NUMBER(Config, max_cost_per_day_micro), "store/job/budget.c"},
    {"postrider", "retry-first", CONF_SPAN, "5m", NULL, "wait before the second try to deliver a mail", NUMBER(Config, retry_first_us), "engine/out/attempt.c"},
    {"postrider", "retry-max", CONF_SPAN, "4h", NULL, "longest wait between two tries", NUMBER(Config, retry_max_us), "engine/out/attempt.c"},
    {"postrider", "give-up", CONF_SPAN, "5d", NULL, "age at which undelivered mail fails", NUMBER(Config, give_up_us), "engine/out/attempt.c"},
    {"postrider", "max-message", CONF_SIZE, "50m", NULL, "larger mail is held, not read", SIZE(Config, max_message), "engine/mail_load.c"},
    {"postrider", "log-level", CONF_ENUM, "info", CONF_WORDS(CONF_LOG_LIST), "least important lines that are logged", ENUM(Config, log_level, ConfLog), "base/home.c"},
    {"postrider", "log-file", CONF_STRING, "log/postrider.log", NULL, "file to which the log goes beside stderr, relative to the home; to stderr alone when empty", TEXT(Config, log_file), "base/home.c"},
    {"postrider", "continue-after", CONF_SPAN, "0", NULL, "pause of a job that came to its step limit", NUMBER(Config, continue_after_us), "engine/run/run_steps.c"},
    {"postrider", "progress-every", CONF_SPAN, "60m", NULL, "how often whoever asked gets a mail about long work; 0 is never", NUMBER(Config, progress_every_us), "engine/people/progress.c"},
    {"postrider", "ack-after", CONF_SPAN, "2m", NULL, "whoever asked gets a first mail when nothing was said for so long", NOWHERE, "base/config/config.c"},
    {"postrider", "context-bytes", CONF_SIZE, "256k", "8k..64g", "most text that a brain is shown in one step", SIZE(Config, context_bytes), "engine/context/context.c"},
    {"postrider", "plan-max-iterations", CONF_INT, "7", "1..10000", "iterations of a plan before it waits for a person, where MAX_ITERATIONS says nothing when it begins", NUMBER(Config, plan_max_iterations), "cli/plan/plan_orders.c"},
    {"postrider", "email-body-warn-chars", CONF_INT, "4000", "0..1000000000", "longer bodies are noticed before they are sent", NUMBER(Config, body_warn_chars), "engine/out/post.c"},

    {"postrider", "max-questions", CONF_INT, "8", "0..1000", "questions for a person's yes that one job may have open at a time; 0 is no limit", NUMBER(Config, max_questions), "engine/people/hold_ask.c"},
    {"postrider", "max-mails-per-round", CONF_INT, "50", "0..1000000", "mails of one job and round before a person is asked; 0 is no limit", NUMBER(Config, max_mails_per_round), "engine/out/breaker.c"},
    {"postrider", "max-mails-per-hour", CONF_INT, "10", "0..1000000", "mails to one address outside in an hour before a person is asked; 0 is no limit", NUMBER(Config, max_mails_per_hour), "engine/out/breaker.c"},
    {"postrider", "max-mails-per-day", CONF_INT, "50", "0..1000000", "mails to one address outside in a day before a person is asked; 0 is no limit", NUMBER(Config, max_mails_per_day), "engine/out/breaker.c"},
    {"postrider", "max-mails-all", CONF_INT, "400", "0..1000000", "mails to everybody outside in a day before a person is asked; 0 is no limit", NUMBER(Config, max_mails_all), "engine/out/breaker.c"},

    {"account", "kind", CONF_ENUM, "maildir", CONF_WORDS(CONF_ACCOUNT_LIST), "where the mail lies: in Maildirs of this home, or on an IMAP server", ENUM(ConfAccount, kind, ConfAccountKind), "base/config/config_find.c"},
    {"account", "role", CONF_STRING, "", NULL, "the role that gets mail which names no role", TEXT(ConfAccount, role), "remote/remote_route.c"},
    {"account", "preset", CONF_STRING, "", NULL, "imap: settings of a provider by name", NOWHERE, "base/config/config.c"},
    {"account", "folder", CONF_STRING, "INBOX", NULL, "imap: mailbox to watch", TEXT(ConfAccount, folder), "remote/remote.c"},
    {"account", "folder-prefix", CONF_STRING, "postrider/", NULL, "imap: in front of the mailboxes that we make", TEXT(ConfAccount, folder_prefix), "remote/remote.c"},
    {"account", "host", CONF_HOST, "", NULL, "imap: server", TEXT(ConfAccount, server.host), "remote/login.c"},
    {"account", "port", CONF_INT, "0", PORT, "imap: port; 0 is the usual one", NUMBER(ConfAccount, server.port), "remote/login.c"},
    {"account", "tls", CONF_ENUM, "implicit", CONF_WORDS(CONF_TLS_LIST), "imap: encryption", ENUM(ConfAccount, server.tls, ConfTls), "remote/login.c"},
    {"account", "ca-file", CONF_STRING, "", NULL, "imap: certificates to trust instead of the system's", TEXT(ConfAccount, server.ca_file), "remote/login.c"},
    {"account", "user", CONF_STRING, "", NULL, "imap: login", TEXT(ConfAccount, server.user), "remote/login.c"},
    {"account", "password-command", CONF_COMMAND, "", NULL, "imap: program that prints the password", LIST(ConfAccount, server.password_command), "remote/login.c"},
    {"account", "password-file", CONF_STRING, "", NULL, "imap: file with the password, or credential:NAME", TEXT(ConfAccount, server.password_file), "remote/login.c"},
    {"account", "token-command", CONF_COMMAND, "", NULL, "imap: program that prints an access token", LIST(ConfAccount, server.token_command), "remote/login.c"},
    {"account", "in-doubt", CONF_ENUM, "", CONF_WORDS(CONF_DOUBT_LIST), "mail that a server may or may not have taken: look for it there, ask the owner, or send it again; when empty it depends on the server", ENUM(ConfAccount, in_doubt, ConfDoubt), "remote/submit_mail.c"},
    {"account", "sent-copy", CONF_ENUM, "append", CONF_WORDS(CONF_SENT_COPY_LIST), "who files a copy of our mail in Sent: the server by itself, or we", ENUM(ConfAccount, sent_copy, ConfSentCopy), "remote/submit_mail.c"},
    {"account", "envelope", CONF_ENUM, "account", CONF_WORDS(CONF_ENVELOPE_LIST), "envelope sender of our mail: an address of its own for each mail, so that bounces find it, or that of the account", ENUM(ConfAccount, envelope, ConfEnvelope), "engine/out/outward.c"},
    {"account", "message-id", CONF_ENUM, "ours", CONF_WORDS(CONF_MESSAGE_ID_LIST), "whose Message-ID our mail bears: a server may put its own on", ENUM(ConfAccount, message_id, ConfMessageId), "engine/out/outward.c"},
    {"account", "smtp", CONF_ENUM, "", CONF_WORDS(CONF_SUBMIT_LIST), "sendmail: mail leaves by the local program of that name", ENUM(ConfAccount, submit, ConfSubmit), "remote/submit_mail.c"},
    {"account", "smtp-host", CONF_HOST, "", NULL, "submission server of this account", TEXT(ConfAccount, smtp.host), "remote/login.c"},
    {"account", "smtp-port", CONF_INT, "0", PORT, "port of the submission server; 0 is the usual one", NUMBER(ConfAccount, smtp.port), "remote/login.c"},
    {"account", "smtp-tls", CONF_ENUM, "implicit", CONF_WORDS(CONF_TLS_LIST), "encryption to the submission server", ENUM(ConfAccount, smtp.tls, ConfTls), "remote/login.c"},
    {"account", "smtp-ca-file", CONF_STRING, "", NULL, "submission server: certificates to trust instead of the system's", TEXT(ConfAccount, smtp.ca_file), "remote/login.c"},
    {"account", "smtp-user", CONF_STRING, "", NULL, "login at the submission server", TEXT(ConfAccount, smtp.user), "remote/login.c"},
    {"account", "smtp-password-command", CONF_COMMAND, "", NULL, "program that prints the password for the submission server", LIST(ConfAccount, smtp.password_command), "remote/login.c"},
    {"account", "smtp-password-file", CONF_STRING, "", NULL, "file with the password for the submission server, or credential:NAME", TEXT(ConfAccount, smtp.password_file), "remote/login.c"},
    {"account", "smtp-token-command", CONF_COMMAND, "", NULL, "program that prints an access token for the submission server", LIST(ConfAccount, smtp.token_command), "remote/login.c"},

    {"smtp", "host", CONF_HOST, "", NULL, "submission server for all accounts", TEXT(ConfAccount, smtp.host), "remote/login.c"},
    {"smtp", "port", CONF_INT, "0", PORT, "port of that server; 0 is the usual one", NUMBER(ConfAccount, smtp.port), "remote/login.c"},
    {"smtp", "tls", CONF_ENUM, "implicit", CONF_WORDS(CONF_TLS_LIST), "encryption to that server", ENUM(ConfAccount, smtp.tls, ConfTls), "remote/login.c"},
    {"smtp", "ca-file", CONF_STRING, "", NULL, "certificates to trust instead of the system's", TEXT(ConfAccount, smtp.ca_file), "remote/login.c"},
    {"smtp", "user", CONF_STRING, "", NULL, "login at that server", TEXT(ConfAccount, smtp.user), "remote/login.c"},
    {"smtp", "password-command", CONF_COMMAND, "", NULL, "program that prints the password", LIST(ConfAccount, smtp.password_command), "remote/login.c"},
    {"smtp", "password-file", CONF_STRING, "", NULL, "file with the password, or credential:NAME", TEXT(ConfAccount, smtp.password_file), "remote/login.c"},
    {"smtp", "token-command", CONF_COMMAND, "", NULL, "program that prints an access token", LIST(ConfAccount, smtp.token_command), "remote/login.c"},

    {"trust", "principals", CONF_ADDRESSES, "", NULL, "who may give work, beside the owner and persons", LIST(Config, principals), "base/config/config_find.c"},
    {"trust", "authserv-id", CONF_LIST, "", NULL, "servers whose Authentication-Results are believed", LIST(Config, authserv_ids), "engine/in/judge.c"},
    {"trust", "authserv-fields", CONF_ENUM, "", CONF_WORDS(CONF_AUTHSERV_LIST), "how many such fields of a server count: the first alone, or all that stand together, each for what no field above it names (OpenDKIM beside OpenDMARC; only where the server takes forged ones out); several with preset fastmail, else one", ENUM(Config, authserv_fields, ConfAuthserv), "engine/in/judge.c"},
    {"trust", "require-auth", CONF_ENUM, "dmarc", CONF_WORDS(CONF_AUTH_LIST), "what outside mail must pass", ENUM(Config, require_auth, AuthNeed), "engine/in/judge.c"},
    {"trust", "allow", CONF_ADDRESSES, "", NULL, "third parties that may be written to without asking", LIST(Config, allow), "engine/run/policy.c"},
    {"trust", "links", CONF_LIST, "", NULL, "hosts, and what is below them, that agents may make links to, whatever stands behind the host", LIST(Config, link_hosts), "engine/run/policy_links.c"},

    {"brain", "kind", CONF_ENUM, "script", CONF_WORDS(CONF_BRAIN_KIND_LIST), "what thinks: answers from a file, a model, or a program; command where one is given", ENUM(ConfBrain, kind, BrainKind), "brain/brain.c"},
    {"brain", "script", CONF_STRING, "scripts/demo.jsonl", NULL, "script: JSON Lines, relative to the home", TEXT(ConfBrain, script), "brain/script.c"},
    {"brain", "command", CONF_COMMAND, "", NULL, "program and arguments, no shell; of claude, codex and opencode what is started in place of the program of that name, before the options of its kind", LIST(ConfBrain, command), "brain/program_kinds.c"},
    {"brain", "parser", CONF_ENUM, "", CONF_WORDS(CONF_PARSER_LIST), "command: what it prints: its answer, or the stream of Claude Code, Codex or opencode; follows the kind when empty", ENUM(ConfBrain, parser, ConfParser), "brain/program.c"},
    {"brain", "pass-env", CONF_LIST, "", NULL, "program: variables of the environment that it gets beside PATH, HOME, USER, LOGNAME, LANG, LC_*, TZ and TMPDIR", LIST(ConfBrain, pass_env), "brain/program_env.c"},
    {"brain", "env", CONF_COMMAND, "", NULL, "program: NAME=VALUE that it gets too, with blanks between them, quoted as for a shell", LIST(ConfBrain, env), "brain/program_env.c"},
    {"brain", "model", CONF_STRING, "", NULL, "model name; a program takes its own when empty", TEXT(ConfBrain, model), "brain/api.c"},
    {"brain", "url", CONF_STRING, "", NULL, "API address, when not the provider's own", TEXT(ConfBrain, url), "brain/api.c"},
    {"brain", "key-file", CONF_STRING, "", NULL, "file with the API key, or credential:NAME; claude, codex and opencode get it as ANTHROPIC_API_KEY (a subscription's token as CLAUDE_CODE_OAUTH_TOKEN), OPENAI_API_KEY and as the model's provider names it", TEXT(ConfBrain, key_file), "brain/api_key.c"},
    {"brain", "key-env", CONF_STRING, "", NULL, "environment variable with the API key", TEXT(ConfBrain, key_env), "brain/api_key.c"},
    {"brain", "max-tokens", CONF_INT, "8192", "1..1000000000", "longest answer", NUMBER(ConfBrain, max_tokens), "brain/api.c"},
    {"brain", "timeout", CONF_SPAN, "", NULL, "longest time for one answer, 30m when empty, or one run of a program, 4h when empty; 0 is no limit", NUMBER(ConfBrain, timeout_us), "brain/api.c"},
    {"brain", "memory", CONF_SIZE, "0", NULL, "program: address space; 0 is no limit", SIZE(ConfBrain, memory), "brain/program.c"},
    {"brain", "output", CONF_SIZE, "4m", NULL, "program: how much of its answer is kept; its mail says where there was more", SIZE(ConfBrain, output), "brain/program.c"},
    {"brain", "context-bytes", CONF_SIZE, "0", NULL, "as in [postrider], for this brain; 0 is what stands there", SIZE(ConfBrain, context_bytes), "engine/context/context.c"},
    {"brain", "at-once", CONF_INT, "0", "0..4096", "jobs that it works on at the same time; 0: 2 for a program, no limit of its own for a model", NUMBER(ConfBrain, at_once), "store/job/seats.c"},
    {"brain", "fallback", CONF_STRING, "", NULL, "another [brain], asked in its place while this one can't be; its jobs wait when empty", TEXT(ConfBrain, fallback), "engine/run/run_pause.c"},
    {"brain", "takes", CONF_FLAGS, "", CONF_WORDS(CONF_TAKES_LIST), "files that its model sees; by the model's name when empty", FLAGS(ConfBrain, takes, BrainTakes), "brain/takes.c"},

    {"role", "name", CONF_STRING, "", NULL, "what stands in From; the role's name when empty", TEXT(ConfRole, display), "engine/out/outward.c"},
    {"role", "address", CONF_ADDRESS, "", NULL, "its mail address; ROLE@domain when empty", TEXT(ConfRole, address), "remote/remote_route.c"},
    {"role", "brain", CONF_STRING, "", NULL, "which [brain]; 'default' when empty; 'none': it is asked nothing, and what leads its jobs decides", TEXT(ConfRole, brain), "engine/run/run.c"},
    {"role", "mode", CONF_ENUM, "", CONF_WORDS(CONF_ROLE_MODE_LIST), "how its brain is asked: step by step, or as a program with a loop of its own; follows the brain when empty", ENUM(ConfRole, mode, RoleMode), "engine/engine.c"},
    {"role", "workdir", CONF_STRING, "", NULL, "program: where it works; in a git repository each job has a worktree on a branch of its own, postrider/JOB; elsewhere one job works at a time", TEXT(ConfRole, workdir), "engine/run/workplace.c"},
    {"role", "base", CONF_STRING, "", NULL, "program in a git repository: the branch or commit that its work begins from; what is checked out in workdir when empty", TEXT(ConfRole, base), "engine/tree/tree.c"},
    {"role", "commit", CONF_BOOL, "yes", NULL, "program in a git repository: what it leaves uncommitted is committed as the role, without hooks and without signing; no: it is left", FLAG(ConfRole, commit), "engine/tree/tree_commit.c"},
    {"role", "instructions", CONF_STRING, "", NULL, "file with its instructions, relative to the home", TEXT(ConfRole, instructions), "letter/mode_letter.c"},
    {"role", "person", CONF_BOOL, "no", NULL, "a person with a local Maildir, not an agent", FLAG(ConfRole, person), "engine/in/account.c"},
    {"role", "mail", CONF_BOOL, "yes", NULL, "no: it works with a person at a terminal alone ('role run -i'): it has no address and no mailbox, and never works by itself", FLAG(ConfRole, mail), "base/config/config.c"},
    {"role", "answers-cc", CONF_BOOL, "no", NULL, "acts on mail that it got as a copy", FLAG(ConfRole, answers_cc), "engine/in/judge.c"},
    {"role", "reply-cc", CONF_ENUM, "named", CONF_WORDS(CONF_REPLY_CC_LIST), "who gets its answers: also those whom the mail names beside it in To and Cc, or whoever asked alone", ENUM(ConfRole, reply_cc, ConfReplyCc), "engine/run/policy_cc.c"},
    {"role", "hold", CONF_ENUM, "strangers", CONF_WORDS(CONF_HOLD_LIST), "what the owner is asked about before it leaves: mail that the rules hold, or all that it writes to people other than the owner", ENUM(ConfRole, hold, ConfHold), "engine/run/policy.c"},
    {"role", "html", CONF_BOOL, "yes", NULL, "what it writes to people also has an HTML part, made from its Markdown", FLAG(ConfRole, html), "engine/out/role_mail.c"},
    {"role", "max-iterations", CONF_INT, "8", "1..10000", "steps that a job may take in one run", NUMBER(ConfRole, max_iterations), "engine/run/run_steps.c"},
    {"role", "total-iterations", CONF_INT, "24", "1..1000000", "steps that a job may take for one mail", NUMBER(ConfRole, total_iterations), "engine/run/run_steps.c"},
    {"role", "max-cost", CONF_MONEY, "2.00", NULL, "what the work on one mail may cost", NUMBER(ConfRole, max_cost_micro), "engine/run/run_steps.c"},
    {"role", "max-cost-per-day", CONF_MONEY, "0", NULL, "what its work may cost on one day (UTC) before it pauses until the next, and the coordinator hears of it; 0 is no limit of its own", NUMBER(ConfRole, max_cost_per_day_micro), "workflow/supervise.c"},
    {"role", "max-attempts", CONF_INT, "5", "1..1000", "tries before a job that fails is given up", NUMBER(ConfRole, max_attempts), "engine/run/run_again.c"},
    {"role", "retry", CONF_BOOL, "yes", NULL, "program: one that fails is run again after 30 s, 5 min and 30 min; no: never, for one that must not find its own changes in the workdir", FLAG(ConfRole, retry), "engine/run/run_again.c"},
    {"role", "tools-hint", CONF_STRING, "", NULL, "briefings: one line of its prompt about tools that it may use", TEXT(ConfRole, tools_hint), "report/report_prompt.c"},
    {"role", "ack-after", CONF_SPAN, "", NULL, "as in [postrider], for this role", NUMBER(ConfRole, ack_after_us), "engine/run/run.c"},
    {"role", "permissions", CONF_ENUM, "edit", CONF_WORDS(CONF_PERMISSIONS_LIST), "claude, codex, opencode: what it does without asking: read files in its folder; change them too; run commands too; it asks about the rest by mail", ENUM(ConfRole, permissions, ConfPermissions), "engine/permit/permit.c"},
    {"role", "allow", CONF_PHRASES, "", NULL, "claude, codex, opencode: commands that it runs without asking, with commas between them; each stands for all that begins with its words: make test, git status", LIST(ConfRole, allow), "engine/permit/permit.c"},
    {"role", "permit-within", CONF_SPAN, "24h", NULL, "the owner is reminded, once, of a question that is open for so long; 0 is never", NUMBER(ConfRole, permit_within_us), "engine/people/question_permit.c"},
    {"role", "tmux", CONF_BOOL, "no", NULL, "program: while it works a tmux window shows 'postrider watch JOB'; see it by tmux -S HOME/state/tmux attach", FLAG(ConfRole, tmux), "engine/run/think.c"},
    {"role", "sandbox", CONF_ENUM, "auto", CONF_WORDS(CONF_SANDBOX_LIST), "program: bubblewrap hides the home from it, but for the job's folder; auto: where it works; required, or on: without one its jobs wait; without one, mail of people who may not give work starts no program", ENUM(ConfRole, sandbox, ConfSandbox), "engine/wall/wall.c"},
    {"role", "net", CONF_ENUM, "any", CONF_WORDS(CONF_NET_LIST), "program: the network that it reaches; none needs a sandbox, and leaves it the agent port alone", ENUM(ConfRole, net, ConfNet), "engine/wall/wall.c"},

    {"person", "address", CONF_ADDRESS, "", NULL, "their mail address; at our own domain they have a Maildir here, unless a server that we hand mail to keeps the mail of that domain", TEXT(ConfPerson, address), "base/config/config_find.c"},
    {"person", "may", CONF_FLAGS, "ask steer", CONF_WORDS(CONF_MAY_LIST), "their rights: ask gives work; steer gives orders too, and has notes of others changed and third parties written to; approve says yes to held mail", FLAGS(ConfPerson, may, ConfRights), "store/job/steering.c"},

    {"notes", "instruct", CONF_LIST, "", NULL, "notes that tell agents what to do, beside ROLE/start, ROLE/states/ and README/: keys, or folders with / behind; only people who may steer have them changed", LIST(Config, instruct), "notes/instruct.c"},
    {"notes", "shared", CONF_LIST, "", NULL, "folders of roles (ROLE, or ROLE/FOLDER) whose notes other roles may see and change; notes outside of the folders of roles are shared anyway", LIST(Config, notes_shared), "store/viewer.c"},

    {"report", "role", CONF_STRING, "carlton", NULL, "whose briefings lie in reports/DATE, and whom 'briefing' means without --role; those of others lie in reports/ROLE/DATE", TEXT(Config, report_role), "report/face_report.c"},
    {"report", "curator", CONF_STRING, "curator", NULL, "the role that writes the briefings: a model in its place can send one in its answer", TEXT(Config, report_curator), "report/face_report.c"},
    {"report", "by", CONF_STRING, "", NULL, "when the day's briefing is to have been sent, such as 'weekday 09:00' (as 'every' reads it): if not, the owner hears of it", TEXT(Config, report_by), "report/face_report.c"},

    {"workflow", "root", CONF_STRING, "", NULL, "folder with the artifacts, such as a git checkout, from / on or relative to the home; without one there is no workflow", TEXT(Config, workflow_root), "workflow/artifact_place.c"},
    {"workflow", "coordinator", CONF_STRING, "", NULL, "role or person who may move what others may, and hears what went wrong; the owner when empty", TEXT(Config, workflow_coordinator), "workflow/artifact_place.c"},
    {"workflow", "escalate", CONF_LIST, "", NULL, "roles or persons by name who get every blocker-report too, with commas between; 'coordinator' is that one", LIST(Config, workflow_escalate), "workflow/supervise.c"},
    {"workflow", "commit", CONF_BOOL, "no", NULL, "what is sent for review, and every move, is committed, as with --commit", FLAG(Config, workflow_commit), "workflow/flow_acts.c"},
    {"workflow", "answer-within", CONF_SPAN, "24h", NULL, "the coordinator hears of a question that has no answer by then, once; 0 is never", NUMBER(Config, workflow_answer_us), "workflow/supervise.c"},
    {"workflow", "errors-per-day", CONF_INT, "20", "0..1000000", "tries of a role that fail on one day (UTC) before it pauses until the next, and the coordinator hears of it; 0 is no limit", NUMBER(Config, workflow_errors), "workflow/supervise.c"},
    {"workflow", "independence", CONF_ENUM, "warn", CONF_WORDS(CONF_INDEPENDENCE_LIST), "a KIND-writer and KIND-reviewer that have the same model overlook the same: 'config check' warns of it; strict: it is refused, and so is an approval where it is so for want of a key", ENUM(Config, workflow_independence, ConfIndependence), "base/config/config_fit.c"},
    {"workflow", "templates", CONF_STRING, "Workflow/email-templates", NULL, "folder beneath the root with EVENT.txt, the forms of its mails; of one that is not there the built-in form is used", TEXT(Config, workflow_templates), "workflow/event_sight.c"},

    {"artifact", "path", CONF_STRING, "", NULL, "where artifacts of this kind lie beneath the root: specs/{state}/{name}.md; src/{path} takes files of folders below too; without {name} or {path} there is one", TEXT(ConfArtifact, path), "workflow/artifact_place.c"},
    {"artifact", "states", CONF_ENUM, "folder", CONF_WORDS(CONF_STATES_LIST), "where its state stands: the folder that {state} names, or the record alone", ENUM(ConfArtifact, states, ConfStates), "workflow/artifact_place.c"},
    {"artifact", "moves", CONF_PHRASES, "", NULL, "who moves it, with commas between: 'proposed todo spec-reviewer' lets spec-reviewer; more names may follow; 'holder' is whoever moved it last; as the kind is known when empty", LIST(ConfArtifact, moves), "workflow/artifact_place.c"},
    {"artifact", "max-cost", CONF_MONEY, "0", NULL, "what all work on one artifact of this kind may cost, before it pauses and the coordinator hears of it; 0 is no limit", NUMBER(ConfArtifact, max_cost_micro), "store/job/artifact_money.c"},
    {"space", "members", CONF_LIST, "", NULL, "roles and persons who get, and may send, mail to SPACE@domain, and see notes in spaces/SPACE/; nobody else does", LIST(ConfSpace, members), "store/spaces.c"},
    {"space", "talk", CONF_INT, "8", "1..1000", "mails of roles in one job of it without a word of a person; what is more is held", NUMBER(ConfSpace, talk), "store/spaces.c"},

    {"panel", "members", CONF_LIST, "", NULL, "who is on it: roles, whose brain is asked, or brains; claude, gpt-5 and gemini when empty and the name is that of a panel we know, as spec-reviewer-panel", LIST(ConfPanel, members), "workflow/panel.c"},
    {"panel", "primary", CONF_STRING, "", NULL, "the member that decides by the rule 'primary', and writes what a panel of writers writes; the first when empty", TEXT(ConfPanel, primary), "workflow/panel.c"},
    {"panel", "rule", CONF_ENUM, "consensus", CONF_WORDS(CONF_PANEL_RULE_LIST), "how ballots become a decision; where none comes of them, the coordinator hears it", ENUM(ConfPanel, rule, PanelRule), "workflow/panel.c"},
    {"panel", "quorum", CONF_INT, "0", "0..9", "members who must give a verdict, of all that are named; 0: more than half", NUMBER(ConfPanel, quorum), "workflow/panel.c"},
    {"panel", "discuss", CONF_INT, "1", "0..3", "rounds in which members who disagree read what the others said, and vote again", NUMBER(ConfPanel, discuss), "workflow/panel.c"},
    {"panel", "deadline", CONF_SPAN, "24h", NULL, "ballots of one round that come later than this do not count", NUMBER(ConfPanel, deadline_us), "workflow/panel.c"},
    {"panel", "walls", CONF_ENUM, "required", CONF_WORDS(CONF_WALLS_LIST), "a member that is a program works in a sandbox with an empty HOME; required: where there is none the panel refuses such a member; advice: it works without one, and the verdict says so", ENUM(ConfPanel, walls, ConfWalls), "workflow/panel.c"},
    {"panel", "instructions", CONF_STRING, "", NULL, "file with the instructions of its members, relative to the home; ours when empty", TEXT(ConfPanel, instructions), "workflow/panel.c"},

    {"keep", "contexts", CONF_SPAN, "30d", NULL, "of the steps of a job that has ended, what its brain was shown, and, but for the last step, what the next step went on with; 0 is for ever", NUMBER(Config, keep_contexts_us), "engine/keep.c"},
    {"keep", "done", CONF_SPAN, "365d", NULL, "of the steps of a job that has ended, what its brain answered, but for the last step; 0 is for ever; mail, and what each step did and cost, always stays", NUMBER(Config, keep_done_us), "engine/keep.c"},
    {"keep", "work", CONF_SPAN, "14d", NULL, "the folder work/ROLE/JOB of a job that has ended, with its git worktree; the branch stays; 0 is for ever", NUMBER(Config, keep_work_us), "engine/keep.c"},
    {"keep", "logs", CONF_INT, "14", "1..1000", "how many old log files are kept, of 4 MiB each", NUMBER(Config, keep_logs), "base/home.c"},

    {NULL, NULL, CONF_STRING, NULL, NULL, NULL, 0, NULL},
};

/* Keys of earlier versions, and values of keys, that nothing reads: in a file that has them they are no mistake. */
const ConfRetired config_retired[] = {
    {"role", "mode", "session", "program"},
    {"plan", NULL, NULL, NULL},
    {"account", "path", NULL, NULL},
    {NULL, NULL, NULL, NULL},
};
/* clang-format on */
