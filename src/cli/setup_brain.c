/* `setup brain`: what thinks. */
#include "base/banned.h"
#include "base/err.h"
#include "base/text.h"
#include "brain/brain.h"
#include "cli/setup.h"
#include <errno.h>

#define TEST_US (90 * USEC_PER_SEC)
#define TEST_TOKENS 256 /* enough for a model that thinks before it says one word */

typedef struct BrainFlags {
    char *name, *kind, *model, *url, *key_file, *key_env, *command, *script;
} BrainFlags;

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
remedy_of(const ConfBrain *b, BrainEnd end)
{
    bool program = g_str_equal(b->kind, "command");
    switch (end) {
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

static int
judge(Setup *s, const ConfBrain *b, const BrainAnswer *answer)
{
    if (answer->end == BRAIN_OK || answer->end == BRAIN_TRUNCATED) {
        g_autofree char *text = text_shorten(answer->text, 60);
        g_autofree char *line = text_vis(text, false);
        setup_ok(s, "answer", "it says: %s", line);
        return 0;
    }
    GError *why = g_error_new(ERR_DOMAIN, answer->end == BRAIN_BROKEN ? ERR_CONFIG : ERR_LATER,
                              "%s", answer->failed);
    return setup_failed(s, "answer", why, remedy_of(b, answer->end));
}

static int
test(Setup *s, const char *name)
{
    GError *error = NULL;
    g_autoptr(Config) config = NULL;
    g_autoptr(BrainCall) call = NULL;
    if (!setup_trial(s, &config, &error))
        return cli_error(EX_CONFIG, error);
    ConfBrain conf = *config_brain(config, name);
    conf.timeout_us = MIN(conf.timeout_us, TEST_US);
    conf.max_tokens = MIN(conf.max_tokens, TEST_TOKENS);
    BrainAsk ask = {.conf = &conf,
                    .home = s->cli->home->path,
                    .prompt = "This is a test of the connection. Answer with one word: ready.",
                    .cwd = s->cli->home->path};
    setup_say(s, "asking brain '%s' one short question\n", name);
    if (!brain_start(&ask, &call, &error))
        return setup_failed(s, "answer", error, NULL);
    wait_for(call);
    return judge(s, &conf, brain_answer(call));
}

/* --- the questions --- */

static int
ask_secret(Setup *s, const char *section, const char *name)
{
    GError *error = NULL;
    g_autofree char *file = setup_value(s, section, "key-file");
    g_autofree char *env = setup_value(s, section, "key-env");
    g_autofree char *question = g_strdup_printf(
        "API key; empty: %s%s",
        *file  ? "the one in "
        : *env ? "the one in $"
               : "none is needed, or it is in the environment as the provider names it",
        *file ? file : env);
    char *key = setup_ask_hidden(s, question);
    if (!key)
        return setup_no_answer();
    g_strstrip(key);
    g_autofree char *secret = g_strconcat(name, ".key", NULL);
    g_autofree char *path = g_strconcat("secrets/", secret, NULL);
    bool ok = !*key || (setup_keep_secret(s, secret, key, &error) &&
                        setup_set(s, section, "key-file", path, &error) &&
                        setup_set(s, section, "key-env", "", &error));
    explicit_bzero(key, strlen(key));
    g_free(key);
    return ok ? 0 : cli_error(0, error);
}

/* One of the two, never both: what was named last counts. */
static int
flag_secret(Setup *s, const char *section, const BrainFlags *f)
{
    GError *error = NULL;
    if (f->key_file && f->key_env)
        return cli_usage("setup", "--key-file or --key-env, not both");
    g_autofree char *path = f->key_file ? g_canonicalize_filename(f->key_file, NULL) : NULL;
    if (!setup_set(s, section, "key-file", path ? path : "", &error) ||
        !setup_set(s, section, "key-env", f->key_env ? f->key_env : "", &error))
        return cli_error(EX_USAGE, error);
    return 0;
}

static int
ask_api(Setup *s, const char *section, const BrainFlags *f, const char *name)
{
    const SetupKey keys[] = {
        {section, "model", "Model, as the provider names it", f->model, "--model", true},
        {section, "url", "URL of the API; empty: the provider's own", f->url, "--url", false},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(keys); i++) {
        int status = setup_key(s, &keys[i]);
        if (status)
            return status;
    }
    if (f->key_file || f->key_env)
        return flag_secret(s, section, f);
    return s->ask ? ask_secret(s, section, name) : 0;
}

static int
ask_kind(Setup *s, const char *section, const BrainFlags *f, const char *name)
{
    const SetupKey kind = {
        section, "kind",   "What thinks: anthropic, openai (and what speaks like it), command",
        f->kind, "--kind", true};
    const SetupKey command = {section,    "command",   "Program and its arguments",
                              f->command, "--command", true};
    const SetupKey script = {section,   "script",   "File with its answers, in the home",
                             f->script, "--script", true};
    int status = setup_key(s, &kind);
    if (status)
        return status;
    g_autofree char *is = setup_value(s, section, "kind");
    if (g_str_equal(is, "command"))
        return setup_key(s, &command);
    if (g_str_equal(is, "script"))
        return setup_key(s, &script);
    if (g_str_equal(is, "anthropic") || g_str_equal(is, "openai"))
        return ask_api(s, section, f, name);
    return 0;
}

static int
work(Setup *s, const BrainFlags *f)
{
    const char *name = f->name ? f->name : "default";
    g_autofree char *section = g_strconcat("brain ", name, NULL);
    if (!text_name_valid(name))
        return cli_usage("setup", "--name '%s': a name is a-z, 0-9, '.', '_', '-'", name);
    int status = ask_kind(s, section, f, name);
    if (status)
        return status;
    if (!s->no_test)
        status = test(s, name);
    if (status && s->ask && setup_ask_yes(s, "Go on all the same?", false))
        status = 0;
    return status ? status : setup_write(s);
}

int
setup_brain(Cli *cli, int argc, char **argv)
{
    Setup s = {0};
    BrainFlags f = {0};
    const GOptionEntry options[] = {
        {"name", 0, 0, G_OPTION_ARG_STRING, &f.name, NULL, NULL},
        {"kind", 0, 0, G_OPTION_ARG_STRING, &f.kind, NULL, NULL},
        {"model", 0, 0, G_OPTION_ARG_STRING, &f.model, NULL, NULL},
        {"url", 0, 0, G_OPTION_ARG_STRING, &f.url, NULL, NULL},
        {"key-file", 0, 0, G_OPTION_ARG_STRING, &f.key_file, NULL, NULL},
        {"key-env", 0, 0, G_OPTION_ARG_STRING, &f.key_env, NULL, NULL},
        {"command", 0, 0, G_OPTION_ARG_STRING, &f.command, NULL, NULL},
        {"script", 0, 0, G_OPTION_ARG_STRING, &f.script, NULL, NULL},
        {"yes", 'y', 0, G_OPTION_ARG_NONE, &s.yes, NULL, NULL},
        {"no-test", 0, 0, G_OPTION_ARG_NONE, &s.no_test, NULL, NULL},
        G_OPTION_ENTRY_NULL};
    int status = cli_options("setup", options, &argc, &argv);
    if (status == 0 && argc > 1)
        status = cli_usage("setup", "what is '%s'?", argv[1]);
    if (status == 0)
        status = setup_open(&s, cli);
    if (status == 0)
        status = work(&s, &f);
    if (s.changes)
        setup_close(&s);
    char *owned[] = {f.name,     f.kind,    f.model,   f.url,
                     f.key_file, f.key_env, f.command, f.script};
    for (size_t i = 0; i < G_N_ELEMENTS(owned); i++)
        g_free(owned[i]);
    return status;
}
