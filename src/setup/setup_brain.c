/* `setup brain`: what thinks. */
#include "base/secret.h"
#include "base/secretfile.h"
#include "brain/brain.h"
#include "brain/program.h"
#include "cli/cmds.h"
#include "setup/setup.h"
#include "steps/answer.h"
#include "store/job/pauses.h"

#define TEST_US (90 * USEC_PER_SEC)
#define TEST_TOKENS 1024 /* enough for a model that thinks before it says one word */
#define TEST_STEP                                                                              \
    "This is a test of the connection; there is nothing to do. Answer with one step: "         \
    "reasoning "                                                                               \
    "\"ready\", status \"complete\", current_phase \"complete\", all lists and texts empty."

static bool
is_api(BrainKind kind)
{
    return kind == BRAIN_ANTHROPIC || kind == BRAIN_OPENAI;
}

/* Claude Code, Codex, opencode: a program that we know how to call. */
static bool
is_agent(BrainKind kind)
{
    const ProgramKind *program = program_kind(kind);
    return program && program->keeps_session;
}

/* --- the test --- */

static void
wait_for(BrainCall *call)
{
    int64_t end = clock_mono_us() + TEST_US;
    bool ended = false;
    while (!brain_work(call)) {
        struct pollfd fds[BRAIN_POLL_MAX];
        int64_t wait_us, left = end - clock_mono_us();
        unsigned n = brain_poll(call, fds, &wait_us);
        if (left <= 0 && !ended) {
            brain_end(call);
            ended = true;
        }
        if (!ended)
            wait_us = MIN(wait_us, left);
        (void)poll(fds, n, (int)CLAMP(wait_us / 1000 + 1, 0, 1000));
    }
}

/* What a person does about it; the reason itself comes from the brain. */
static const char *
remedy_of(const ConfBrain *b, const BrainAnswer *answer)
{
    bool program = b->kind == BRAIN_COMMAND;
    if (b->kind == BRAIN_SCRIPT)
        return "check 'script': a file in the home, one answer a line";
    if (!secretfile_within_reach(b->key_file))
        return "say --no-test here; the service asks it when it works";
    if (is_agent(b->kind) && answer->end == BRAIN_BROKEN)
        return "log in with the program itself, as the user that the service runs as, or say "
               "--key-file FILE or --key-env VARIABLE";
    if (is_agent(b->kind) && answer->end != BRAIN_LIMITED)
        return "run the program by hand: it must answer there";
    if (strstr(answer->failed, "there is no key"))
        return "say --key-file FILE or --key-env VARIABLE, or run this at a terminal, which "
               "asks";
    if (strstr(answer->failed, "can't reach"))
        return "check the url, and that this machine is online";
    switch (answer->end) {
    case BRAIN_BROKEN:
        return program ? "check 'command': it must run on this machine"
                       : "check key, model and url, and what the account may spend";
    case BRAIN_LIMITED:
        return "wait: the provider lets nothing through for now; or go on with --no-test";
    case BRAIN_REFUSED:
        return "try another model";
    default:
        return program
                   ? "run the command by hand: it reads standard input and prints its answer"
                   : "check the url, and that this machine is online";
    }
}

/* Whether a model answers in the form that its work will need. One that does not is told, and can be
 * written down all the same: answers are mended in a job, and asked for again. */
static void
judge_step(Setup *s, const BrainAnswer *answer, const GError *why)
{
    if (why)
        setup_say(s,
                  "step: the model can't answer with a step as jobs need it (%s); do: try a "
                  "larger one\n",
                  why->message);
    else if (answer->lacks & (BRAIN_LACKS_SCHEMA | BRAIN_LACKS_JSON))
        setup_ok(s, "step", "though its server takes no %s; the question says it in words",
                 answer->lacks & BRAIN_LACKS_JSON ? "form of an answer" : "JSON schema");
    else
        setup_ok(s, "step", "it answers in the form that jobs need");
}

static int
judge(Setup *s, const ConfBrain *b, const BrainAnswer *answer)
{
    if (answer->end == BRAIN_OK || answer->end == BRAIN_TRUNCATED) {
        g_autoptr(GError) unfit = NULL;
        g_autoptr(Answer) step = NULL;
        bool fits =
            is_api(b->kind) && answer_parse(answer->text, strlen(answer->text), NULL, &step, &unfit);
        g_autofree char *text = text_shorten(fits ? step->reasoning : answer->text, 60);
        setup_ok(s, "answer", "it says: %s", g_strdelimit(text, "\r\n\t", ' '));
        if (is_api(b->kind))
            judge_step(s, answer, unfit);
        return 0;
    }
    GError *why = g_error_new(ERR_DOMAIN, answer->end == BRAIN_BROKEN ? ERR_CONFIG : ERR_LATER,
                              "%s", answer->failed);
    return setup_failed(s, "answer", why, remedy_of(b, answer));
}

/* In whose name a program is tried: that of a role which has this brain. */
static char *
role_env(const Config *config, const char *brain)
{
    const char *name = "test";
    for (unsigned i = config->n_roles; i-- > 0;) {
        const ConfRole *role = &config->roles[i];
        if (!role->person && g_str_equal(role->brain, brain))
            name = role->name;
    }
    return g_strconcat("POSTRIDER_ROLE=", name, NULL);
}

/* Which program it is, and of which version. Costs nothing, and needs no key. */
static int
name_program(Setup *s, const BrainAsk *with_key)
{
    GError *error = NULL;
    ConfBrain keyless = *with_key->conf;
    BrainAsk ask = *with_key;
    g_auto(GStrv) env = NULL;
    g_autofree char *missing = NULL;
    keyless.key_file = keyless.key_env = "";
    ask.conf = &keyless;
    if (!program_env(&ask, program_kind(keyless.kind), &env, &error))
        return setup_failed(s, "program", error, NULL);
    g_autofree char *path = program_find(&keyless, ask.home, env, &missing);
    if (!path)
        return setup_failed(s, "program", g_error_new(ERR_DOMAIN, ERR_CONFIG, "%s", missing),
                            "install it, or say --command with its path");
    g_autofree char *version = program_version(path, env);
    setup_ok(s, "program", "%s, %s", path, version ? version : "which names no version");
    return 0;
}

static int
test(Setup *s, const char *name, unsigned *ret_lacks)
{
    GError *error = NULL;
    g_autoptr(Config) config = NULL;
    g_autoptr(BrainCall) call = NULL;
    if (!setup_preview(s, &config, &error))
        return cli_error(EX_CONFIG, error);
    ConfBrain conf = *config_brain(config, name);
    conf.timeout_us = MIN(conf.timeout_us, TEST_US);
    conf.max_tokens = MIN(conf.max_tokens, TEST_TOKENS);
    g_autofree char *role = role_env(config, name);
    /* A key that is refused need not be tried for minutes. */
    const char *const env[] = {role, "CLAUDE_CODE_MAX_RETRIES=1", NULL};
    g_autofree char *schema = is_api(conf.kind) ? answer_schema(NULL) : NULL;
    BrainAsk ask = {.conf = &conf,
                    .home = s->cli->home->path,
                    .prompt =
                        is_api(conf.kind)
                            ? TEST_STEP
                            : "This is a test of the connection. Answer with one word: ready.",
                    .schema = schema,
                    .cwd = s->cli->home->path,
                    .permit = BRAIN_PERMIT_ASK,
                    .env = env};
    int status = is_agent(conf.kind) ? name_program(s, &ask) : 0;
    if (status)
        return status;
    setup_say(s, "asking brain '%s' one short question\n", name);
    if (!brain_start(&ask, &call, &error))
        return setup_failed(s, "answer", error, NULL);
    wait_for(call);
    *ret_lacks = brain_answer(call)->lacks;
    return judge(s, &conf, brain_answer(call));
}

/* --- the questions --- */

typedef struct BrainSetup {
    Setup *s;
    const char *name;
    char *section;
    bool tested;
    unsigned lacks;
} BrainSetup;

static int
ask_secret(Setup *s, const char *section, const char *name, BrainKind kind)
{
    g_autofree char *file = setup_value(s, section, "key-file");
    g_autofree char *env = setup_value(s, section, "key-env");
    g_autofree char *question = g_strdup_printf(
        "API key; empty: %s%s",
        *file  ? "the one in "
        : *env ? "the one in $"
        : is_agent(kind)
            ? "the program has its own login"
            : "none is needed, or it is in the environment as the provider names it",
        *file ? file : env);
    char *key = setup_ask_hidden(s, question);
    if (!key || s->back) {
        g_free(key);
        return setup_no_answer(s);
    }
    g_strstrip(key);
    g_autofree char *secret = g_strconcat(name, ".key", NULL);
    g_autofree char *path = g_strconcat("secrets/", secret, NULL);
    bool ok = !*key || (setup_keep_secret(s, secret, key, &s->cli->error) &&
                        setup_set(s, section, "key-file", path, &s->cli->error) &&
                        setup_set(s, section, "key-env", "", &s->cli->error));
    secret_free(key);
    return ok ? 0 : cli_failed(s->cli, 0);
}

/* One of the two, never both: what was named last counts. */
static int
flag_secret(Setup *s, const char *section)
{
    g_autofree char *path = setup_flag_path(s, "key-file");
    const char *env = cli_text(s->cli, "key-env");
    if (path && env)
        return cli_usage(s->cli, "--key-file or --key-env, not both");
    if (!setup_set(s, section, "key-file", path ? path : "", &s->cli->error) ||
        !setup_set(s, section, "key-env", env ? env : "", &s->cli->error))
        return cli_failed(s->cli, EX_USAGE);
    return 0;
}

/* What this program can ask; a person chooses among it. */
static char *
kinds_question(void)
{
    static const char *const more[] = {[BRAIN_OPENAI] = " (and what speaks like it)",
                                       [BRAIN_SCRIPT] = " (answers from a file)",
                                       [BRAIN_COMMAND] = " (a program of your own)",
                                       [BRAIN_CLAUDE] = " (Claude Code)",
                                       [BRAIN_OPENCODE] = NULL};
    GString *out = g_string_new("What thinks:");
    for (const BrainOps *const *ops = brain_kinds; *ops; ops++) {
        BrainKind kind = (*ops)->kind;
        g_string_append_printf(out, "%s %s%s", ops == brain_kinds ? "" : ",",
                               brain_kind_word(kind), more[kind] ? more[kind] : "");
    }
    return g_string_free(out, FALSE);
}

static int
ask_kind(void *data)
{
    BrainSetup *b = data;
    g_autofree char *question = kinds_question();
    const SetupKey kind = {b->section, "kind", question, .needed = true};
    return setup_keys(b->s, &kind, 1);
}

/* The command of another kind is none of this one: it would be started in the program's place. */
static int
ask_agent(BrainSetup *b, BrainKind kind)
{
    const ConfBrain *now = config_brain(b->s->cli->home->config, b->name);
    const SetupKey keys[] = {
        {b->section, "command", NULL},
        {b->section, "url", NULL},
        {b->section, "model",
         kind == BRAIN_OPENCODE ? "Model, as PROVIDER/MODEL; empty: the program's choice"
                                : "Model; empty: the program's choice"},
    };
    if (!cli_text(b->s->cli, "command") && now && now->kind != kind &&
        !setup_set(b->s, b->section, "command", "", &b->s->cli->error))
        return cli_failed(b->s->cli, EX_USAGE);
    return setup_keys(b->s, keys, G_N_ELEMENTS(keys));
}

static BrainKind
kind_now(BrainSetup *b)
{
    g_autofree char *word = setup_value(b->s, b->section, "kind");

    return brain_kind_parse(word);
}

/* What else this kind needs. */
static int
ask_rest(void *data)
{
    BrainSetup *b = data;
    const SetupKey command = {b->section, "command", "Program and its arguments",
                              .needed = true};
    const SetupKey script = {b->section, "script", "File with its answers, in the home",
                             .needed = true};
    const SetupKey api[] = {
        {b->section, "model", "Model, as the provider names it", .needed = true},
        {b->section, "url", "URL of the API; empty: the provider's own"},
    };
    BrainKind is = kind_now(b);
    if (is == BRAIN_COMMAND)
        return setup_keys(b->s, &command, 1);
    if (is == BRAIN_SCRIPT)
        return setup_keys(b->s, &script, 1);
    if (is_agent(is))
        return ask_agent(b, is);
    return setup_keys(b->s, api, G_N_ELEMENTS(api));
}

static int
ask_key(void *data)
{
    BrainSetup *b = data;
    BrainKind is = kind_now(b);
    if (!is_api(is) && !is_agent(is))
        return 0;
    if (cli_text(b->s->cli, "key-file") || cli_text(b->s->cli, "key-env"))
        return flag_secret(b->s, b->section);
    return b->s->ask ? ask_secret(b->s, b->section, b->name, is) : 0;
}

static int
try_it(void *data)
{
    BrainSetup *b = data;
    b->tested = !cli_flag(b->s->cli, "no-test");
    if (b->s->back || !b->tested)
        return 0;
    int status = test(b->s, b->name, &b->lacks);
    b->tested = status == 0;
    return setup_go_on(b->s, status);
}

/* What was wrong with it is over, and its jobs go on. What its server lacks they need not find out. */
static int
mark_well(Setup *s, const char *name, unsigned lacks)
{
    GError *error = NULL;
    int status = cli_db(s->cli, DB_WRITE);
    if (status)
        return status;
    if (!home_reload(s->cli->home, &error) || !brain_worked(s->cli->db, name, &error) ||
        !brain_set_lacks(s->cli->db, name, lacks, &error))
        return cli_error(0, error);
    db_hint(s->cli->db);
    return 0;
}

/* --check: the brain as it is, and nothing is written. */
static int
check(Setup *s, const char *name)
{
    unsigned lacks;
    if (!config_brain(s->cli->home->config, name))
        return cli_fail(EX_NOINPUT, "there is no [brain %s]", name);
    return test(s, name, &lacks);
}

static int
work(Setup *s)
{
    const char *name = cli_text(s->cli, "name") ? cli_text(s->cli, "name") : "default";
    const SetupStep steps[] = {ask_kind, ask_rest, ask_key, try_it};
    if (!text_name_valid(name))
        return cli_usage(s->cli, "--name '%s': a name is a-z, 0-9, '.', '_', '-'", name);
    if (cli_flag(s->cli, "check"))
        return check(s, name);
    BrainSetup b = {.s = s, .name = name, .section = g_strconcat("brain ", name, NULL)};
    int status = setup_talk(s, steps, G_N_ELEMENTS(steps), &b);
    g_free(b.section);
    return status || !b.tested ? status : mark_well(s, name, b.lacks);
}

int
cmd_setup_brain(Cli *cli, int argc, char **argv)
{
    return setup_run(&(SetupPart){.work = work}, cli, argc, argv);
}
