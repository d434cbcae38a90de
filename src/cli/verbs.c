#include "base/banned.h"
#include "cli/cli.h"

/*
 * Every verb once: for `postrider`, `help VERB`, the manual pages and completion. Lines of help
 * are wrapped here as they are printed.
 */
/* clang-format off */
const Verb verbs[] = {
    {"every day", "ask", "[--to ROLE] [-s SUBJECT] [-a FILE]... [--no-wait] [TEXT]",
     "mail a role as the owner, wait, print the answer",
     "Writes a mail from the owner to ROLE (default: the first role), with TEXT or standard "
     "input as\n"
     "its body and each FILE attached, waits for the answer and prints it. Without a running\n"
     "'postrider serve' it works the job itself. At a terminal each step is told as it is\n"
     "committed. --no-wait prints the Message-ID and returns.\n\n"
     "Exit status: 0 answered; 75 it waits for somebody, or the answer is held; 1 the job failed\n"
     "or was cancelled; 77 the mail was refused. In every case but the first one line says why.",
     true},
    {"every day", "status", "[--check] [--prometheus]", "does it work, what waits, what runs",
     "Shows whether postrider works here, what waits for a person, what failed in the last "
     "day,\nwhat runs and what is queued.\n"
     "--check prints one line and exits with 0 (fine), 1 (something waits or is wrong) or 2 "
     "(broken).\n"
     "--prometheus prints the numbers for a scraper.",
     false},
    {"every day", "watch", "[JOB]", "follow what happens",
     "Prints one line for each mail that comes in, each step, and each mail that leaves, as "
     "it\n"
     "happens; with JOB only that job's, and ends when the job does.",
     false},
    {"every day", "log", "[-n N] [-f] [--job JOB] [--level LEVEL]", "what the service wrote to its log",
     "Prints the last N lines (50) of the log file, log/postrider.log in the home, oldest first; those that\n"
     "were rotated away count too. -f goes on as lines come. --job shows lines about one job, --level those\n"
     "of at least this level (debug, info, warn, error). --json prints each line as one JSON object. What\n"
     "was decided about a job, and why, is in 'job log'.",
     false},
    {"every day", "show", "[--context] ID", "show a job, a step, a mail or a note",
     "ID is a job (12), a step of a job (12@3), a Message-ID or a note's key. A job begins "
     "with one sentence:\n"
     "what it does or waits for, since when, and what happens next.\n\n"
     "--context prints what the brain was shown in a step, byte for byte, built again from "
     "what is kept.\n"
     "Its digest is held against the step's; where a part is gone or has changed it is named "
     "and the exit\n"
     "status is 65.",
     false},
    {"every day", "stop", "JOB", "stop a job now",
     "Nothing of the job happens after this: its run is ended and its unsent mail is held. "
     "'continue'\n"
     "goes on. The same as a reply that says STOP.",
     false},
    {"every day", "continue", "[--steps N] [--money N] JOB [INSTRUCTION]",
     "go on with a stopped or failed job",
     "Queues the job again. INSTRUCTION is shown to the agent. --steps lets its round have so many "
     "more\n"
     "steps, --money so many more dollars (and today's budget too, where that is spent). The same as "
     "a\n"
     "reply that says CONTINUE, CONTINUE 12 or CONTINUE $1. A job whose brain is paused is tried at "
     "once.",
     false},
    {"every day", "cancel", "JOB", "end a job for good",
     "As 'stop', but the mail that is still open is ignored. A new mail on the thread begins "
     "anew.",
     false},
    {"every day", "approve", "ID...", "let held mail leave",
     "ID is the number of a held mail in 'outbox list', its Message-ID, or that of the mail that "
     "asks about it;\n"
     "the last means all that it asks about. It leaves exactly as it was shown, and only once. "
     "The same as a\n"
     "reply to that mail that says APPROVE. Mail in doubt, that may not have arrived, is sent once more.\n\n"
     "Exit status: 65 it was decided before, 66 no such mail, 75 it can't leave now (its job "
     "is stopped,\n"
     "or there is no way to send it), 77 what is held is not what was shown.",
     false},
    {"every day", "reject", "ID [WHY]", "say no to held mail",
     "It never leaves. With WHY the agent goes on with what you say. ID and exit status are those "
     "of 'approve';\n"
     "the same as a reply that says REJECT: WHY. Mail in doubt is not sent again, and counts as sent.",
     false},
    {"every day", "cost", "[--by day|role|job|brain] [--since WHEN]", "what was spent",
     "Sums up what the steps have cost, by day (default, UTC), role, job or brain, the dearest first, and says\n"
     "how much of max-cost-per-day is left today. --since is a date (2026-11-15) or a span back (7d).",
     false},
    {"set up", "init", "[DIR]", "make a home",
     "Makes DIR (default: --home, $POSTRIDER_HOME, ~/.postrider) with a commented "
     "postrider.conf, a key, a\n"
     "mailbox for the role 'envoy' and for you, and a muttrc. Refuses to overwrite anything;\n"
     "an init that was broken off is finished. At a terminal it offers 'setup brain'.",
     false},
    {"set up", "setup", "mail|brain|role|limits|service [OPTION]...",
     "ask, test, and write the settings",
     "At a terminal it asks, with what is set now as the default ('<' goes back to the question before);\n"
     "elsewhere options are the answers. It tests what it was told, shows what would change in\n"
     "postrider.conf, and writes it once you or --yes agree; the file as it was is kept as postrider.conf.bak.\n"
     " Passwords and keys come by a prompt that shows "
     "nothing, and\n"
     "are kept in secrets/. --no-test writes without testing. Who serves the home is told to read it again.\n\n"
     "mail: --address A --preset gmail|outlook|fastmail|dovecot|other --user U, --password-file F or\n"
     "--password-command C or --token-command C; --host --port --tls --ca-file, --smtp-host --smtp-port\n"
     "--smtp-tls --smtp-user or --smtp sendmail; --account NAME --role ROLE --folder F. Tests login, push,\n"
     "submission and a mail that comes back (--no-round-trip: not that). --pair shows a word for ten "
     "minutes\n"
     "(--pair-within SPAN): the mail that brings it says who the owner is; or say --owner A --authserv-id "
     "ID.\n"
     "--check repeats the tests and changes nothing; --take-over makes the mailbox this home's.\n"
     "brain: --kind command|script|anthropic|openai --model M --url U --key-file F|--key-env V --command C\n"
     "--script F --name NAME. Asks it one short question; a model must answer with a step, as in a job.\n"
     "role: NAME --address A --display NAME --brain B --workdir DIR --instructions FILE.\n"
     "limits: --max-cost-per-day N --role ROLE --max-cost N --max-iterations N --total-iterations N "
     "--workers N.\n"
     "service: writes a systemd unit, --user or --system; --print shows it; --credential NAME:/PATH says where\n"
     "systemd finds what the settings call credential:NAME (as a password-file or key-file).\n\n"
     "Exit status: 64 an option is wrong or missing, 75 no answer or try later, 78 the settings or a "
     "login.",
     true},
    {"set up", "config", "show|check|set SECTION KEY VALUE", "settings: show, check, change",
     "'show' lists every key with its value and whether it comes from the file or is the "
     "default.\n"
     "'check' reads the file and names the first mistake with its line, or what it names and is not "
     "there:\n"
     "key files, scripts, folders, programs. 'set' changes one key and keeps comments and order:\n"
     "postrider config set 'role envoy' workdir ~/src/app\n"
     "It refuses what would be wrong; a 'postrider serve' that runs is told, and reads it again.",
     false},
    {"set up", "role", "new NAME --from TEMPLATE|list|edit NAME|remove NAME", "roles: make from a template, list, edit, remove",
     "'new' makes a role with an address, a brain, instructions, notes and limits, and prints a first mail\n"
     "to try it with. TEMPLATE is reviewer, digest, triage, researcher or echo, which has a brain of its own.\n"
     "--brain BRAIN is another one than 'default', --address ADDRESS another one than NAME@domain.\n"
     "'edit' opens $VISUAL or $EDITOR on the role's section; it is checked before it replaces the old one.\n"
     "'remove' takes the section out; mail and notes stay, and schedules and held mail that are left are named.\n"
     "A role with open jobs is not removed.\n\n"
     "Exit status: 66 no such role, 73 there is one already, 75 it has open jobs, 78 the settings\n"
     "would be wrong.",
     false},
    {"set up", "doctor", "[--full] [--rebuild] [--release ID|all] [--accept-backup]",
     "check integrity, mend what can be",
     "Checks the store (SQLite's own check, --full for the long one, and our rules over its "
     "rows), and that\n"
     "files and store agree: mail, and notes, whose edits it takes in; and whether mail servers let us in.\n"
     "--rebuild makes the full-text index anew. --release lets mail that was held or is history be work.\n"
     "--accept-backup goes on with a home that was restored, or a store that is older than its mail.\n"
     "Mail servers are asked too; while one can't be, nothing of its account runs (exit status 75).\n\n"
     "Exit status: 0 all is well, 1 there are findings.",
     true},
    {"set up", "backup", "DIR", "copy the home while it works",
     "Writes a consistent copy of store, settings, key and mail to DIR, which must not exist.",
     false},
    {"set up", "restore", "DIR", "make a home from a backup",
     "Copies the backup DIR to the home, which must not exist or be empty. Nothing runs or leaves there\n"
     "until the home that the backup was made of is stopped and 'doctor --accept-backup' says so: both\n"
     "would answer the same mail.",
     false},
    {"agents at work", "serve", "[--once] [--max-iterations N] [--take-over]", "the master: take mail in, run agents, deliver",
     "Runs until SIGTERM. --once does one pass (mail in, jobs, mail out) and exits: the cron "
     "mode.\n"
     "--max-iterations N (or --max-iter N) ends a run after N steps; the role's own number is the default.\n"
     "SIGTERM lets steps finish ('drain'); SIGHUP reads the settings again.\n"
     "So does a change of postrider.conf, when anything happens next, or within a minute.\n"
     "A mail folder or a mailbox has one home: a copy of a home, or one that was moved, is refused (exit\n"
     "status 78) until --take-over says that it counts; the other one then holds its mail.",
     false},
    {"agents at work", "job", "list|show|log|stop|continue|cancel|fork [JOB]", "jobs",
     "'list' shows live jobs (--all: all; --role ROLE; --state STATE; --limit N). 'show' shows one job\n"
     "and its steps. 'log JOB' prints all that was decided about it, in the order of time: mail in,\n"
     "orders, steps, mail out, parks and forks; -f goes on as it happens, until the job rests.\n"
     "'stop', 'continue', 'cancel', 'fork' are also verbs of their own.",
     false},
    {"agents at work", "fork", "JOB[@STEP] [INSTRUCTION]", "begin a second job from an old step",
     "Makes a new job of the same role that goes on from the state after STEP (default: the newest), with\n"
     "its own budget and its own conversation. The first job is not touched. INSTRUCTION is shown to the\n"
     "agent. Whoever asked gets a mail from the fork; a reply to it reaches the fork alone. A job whose\n"
     "agent is a program keeps its state to itself and can't be forked.",
     true},
    {"agents at work", "every", "WHEN --to ROLE [--subject S] [TEXT] | list | remove ID | now ID",
     "mail a role by the clock",
     "Mails ROLE as the owner, again and again; TEXT or standard input is the body. WHEN is an interval\n"
     "(30m, 2h, 1d, 1w, at least 1m), a time ('day 07:00', 'weekday 07:00', 'monday 09:30', 'month 1\n"
     "08:00'; the 31st of a shorter month is its last day) or five fields as cron has them ('0 7 * * 1-5').\n"
     "Times are those of the wall clock (TZ). When clocks change, none is lost and none comes twice: what\n"
     "the clock jumps over comes at the jump, what it shows twice comes the first time.\n\n"
     "Each occurrence is one mail with one Message-ID. Those that were missed while postrider was down are\n"
     "mailed once, by the next 'serve' or 'serve --once'. 'now' mails at once and leaves the plan as it is.",
     true},
    {"agents at work", "mail", "list|show|thread|search|trace [ID|QUERY]",
     "mail that roles have, and wrote",
     "'list' shows mail, newest first (--role, --folder, --state, --job, --limit N); '--folder Sent' is what\n"
     "roles wrote. 'show ID' prints one mail (--raw: its bytes; --attachment NAME: those of an attachment).\n"
     "'thread ID' draws the conversation. 'search' takes words, \"phrases\", from: to: subject: since: before:\n"
     "role: folder: state:, and finds what roles wrote, too. 'trace ID' prints every decision about a mail\n"
     "and its reason. ID is a number of the list, a Message-ID, or as much of one as is unique, as lists show\n"
     "it; one that may be several is exit status 65, and they are named.",
     true},
    {"agents at work", "note",
     "get KEY[@VERSION] | put [--if-version N] KEY [FILE] | append KEY [FILE] | list [PREFIX] "
     "| search WORDS | history KEY | rename OLD NEW | delete KEY... | check [--restore]",
     "notes: read, write, search, mend",
     "Notes are files below notes/ (KEY is the path without .md) that you may edit with "
     "anything; each change\n"
     "is a version. 'put' and 'append' read FILE or standard input. --if-version N refuses "
     "when somebody\n"
     "wrote since version N (0: when there is such a note). 'rename' and 'delete' keep the "
     "note CONTENTS\n"
     "right; the 'history' of a renamed note says what it WAS. 'check' finds links that lead "
     "nowhere,\n"
     "notes that CONTENTS does not list, and files that can't be notes; --restore writes "
     "files that\n"
     "were lost again.\n\n"
     "A program agent sees the notes of its own role and shared ones: [notes] in "
     "postrider.conf.\n\n"
     "Exit status: 65 conflict or a key that is none, 66 no such note, 77 a note of others; "
     "'check': 1\n"
     "there are findings.",
     false},
    {"agents at work", "outbox", "list|show|approve|reject|retry|arrived [ID]", "mail on its way out",
     "'list' shows what has not left (--all: also what has). ID is the number in the list or "
     "a\n"
     "Message-ID. 'show' prints the mail as its reader will see it (--raw: its bytes). "
     "'approve' lets held\n"
     "mail go, 'reject' drops it (both are also verbs of their own), 'retry' tries again now. Mail that is\n"
     "in doubt was handed over without an answer: 'approve' or 'retry' sends it once more, 'reject' or\n"
     "'arrived' says that it need not be.",
     false},
    {"for programs", "send",
     "--to A --subject S [--cc A] [--attach F]... [--in-reply-to ID] [--from ROLE]",
     "send a mail; body on stdin",
     "Queues a mail and prints its Message-ID. From is the owner, or a role or person with "
     "--from. Inside\n"
     "a program agent it goes through the agent port, under the agent's own name and rights.",
     true},
    {"for programs", "sendmail", "[-t] [-i] [-f A] [--] [RCPT]...",
     "sendmail for mutt, cron, git",
     "Reads a message and queues it. -t takes the recipients from To, Cc and Bcc; -i and "
     "other\n"
     "options of sendmail are accepted. Who sends is decided by the From line; without one, and "
     "under\n"
     "any name that is no address, it is the owner. A bare name is a role, a person, or the user "
     "who\n"
     "runs it, who is the owner. A text without headers is a mail, too. A name of our own domain that\n"
     "nobody has is refused (exit status 67), with the nearest one.",
     true},
    {"for programs", "receive", "--role ROLE", "take a mail from an MTA's pipe",
     "Reads one message from standard input and files it in ROLE's mailbox as mail from "
     "outside. For\n"
     ".forward files and Postfix pipes; exits with 75 when the MTA should try again.",
     true},
    {"for programs", "inject",
     "[--role R] [--from A] [--subject S] [--attach F]... [--again] [--run] "
     "[--max-iterations N] [FILE]",
     "put a message into a role's inbox",
     "Files a message as the operator: FILE (or standard input) is its body, or a whole "
     "message when it\n"
     "has headers of its own. Prints the Message-ID. --run works one pass, and at a terminal tells each\n"
     "step. A mail that the role has already is refused unless --again gives it a new id.",
     true},
    {"for programs", "resume", "[JOB|FILE] [--role R] [--run] [--max-iterations N]",
     "go on from a checkpoint mail",
     "Takes the newest checkpoint mail that is not used yet (of JOB, or of any job) from Sent "
     "and puts\n"
     "it into the role's inbox, unseen; the job need not wait for its time any more. --run "
     "works one\n"
     "pass. A checkpoint that was used, or is older than its job, is exit status 66. FILE is "
     "a\n"
     "continuation.json without a MAC: it becomes a new job of the role.",
     true},
    {"for programs", "account", "NAME [--once] [--since DAY] [--take-over]", "one account's process, by hand",
     "Runs until SIGTERM; --once does one pass. --take-over makes the mailbox (or the folder of the "
     "Maildirs)\n"
     "this home's, when it was another's. --since is for imap accounts: it fetches mail that was received "
     "on DAY\n"
     "(2026-11-15) or later, though it lay there before the first visit, as work; where 'serve' is at "
     "work, that\n"
     "does it.\n\n"
     "Exit status: 75 the server is away, 78 the login is refused or the mailbox is another home's.",
     true},
    {"for programs", "run", "[--max-iterations N] [JOB] | --timers", "work a job that is ready, by hand",
     "Claims JOB, or whatever is ready, and works it. Exit status 75: not ready. --timers takes no job and\n"
     "acts on what the clock says: schedules, waits that are over, words about long work.",
     true},
    {"for programs", "deliver", "", "deliver what is due, by hand", "", false},
    {"for programs", "submit", "", "send what is due to people outside, by hand",
     "Mail goes to the submission server of its account ([smtp], smtp-host), or to the local sendmail with\n"
     "`smtp = sendmail`. What could not be sent stays in the outbox and is tried again; what was handed over\n"
     "without an answer is in doubt, and nothing sends that twice by itself: see outbox.",
     true},
    {"for programs", "index", "", "bring the full-text index up to date", "", true},
    {"for programs", "help", "[VERB]", "this list, or a verb's own page", "", false},
    {NULL, NULL, NULL, NULL, NULL, false},
};
/* clang-format on */

const Verb *
verb_find(const char *name)
{
    for (const Verb *v = verbs; v->name; v++) {
        if (g_str_equal(v->name, name))
            return v;
    }
    return NULL;
}

const char *const *
verb_names(void)
{
    static const char *names[G_N_ELEMENTS(verbs)];
    for (size_t i = 0; verbs[i].name; i++)
        names[i] = verbs[i].name;
    return names;
}
