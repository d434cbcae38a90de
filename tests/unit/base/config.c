#include "base/config/config.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/text.h"

static Config *
parse(const char *text)
{
    g_autoptr(GError) error = NULL;
    Config *config = NULL;

    config_parse(text, strlen(text), "postrider.conf", &config, &error);
    g_assert_no_error(error);
    return config;
}

static void
test_empty(void)
{
    g_autoptr(Config) c = parse("");

    g_assert_cmpstr(c->owner, ==, "you@postrider.local");
    g_assert_cmpstr(c->domain, ==, "postrider.local");
    g_assert_cmpint(c->workers, ==, 16);
    g_assert_cmpint(c->drain_us, ==, 60 * INT64_C(1000000));
    g_assert_cmpint(c->max_cost_per_day_micro, ==, 10000000);
    g_assert_cmpuint(c->max_message, ==, 50u << 20);
    g_assert_cmpint(c->require_auth, ==, AUTH_DMARC);
    g_assert_null(c->principals[0]);
    g_assert_cmpuint(c->n_accounts, ==, 1);
    g_assert_cmpint(c->accounts[0].kind, ==, CONF_ACCOUNT_MAILDIR);
    g_assert_cmpuint(c->n_roles, ==, 0);
    g_assert_cmpuint(c->n_persons, ==, 1);
    g_assert_cmpstr(c->persons[0].name, ==, "you");
    g_assert_cmpuint(c->persons[0].may, ==, MAY_ASK | MAY_STEER | MAY_APPROVE);
    g_assert_true(c->persons[0].local);
}

/* A word, and several words: each is a value that the compiler knows. */
static void
test_enums(void)
{
    g_autoptr(Config) c = parse("[workflow]\nindependence = strict\n[account w]\nsmtp = sendmail\n"
                                "[brain x]\ntakes = pdf images\n[brain y]\n"
                                "[person bob]\naddress = b@x.org\nmay = approve, ask\n"
                                "[person eve]\naddress = e@x.org\n");
    g_autoptr(Config) usual = parse("");

    g_assert_cmpint(c->workflow_independence, ==, CONF_INDEPENDENCE_STRICT);
    g_assert_cmpint(usual->workflow_independence, ==, CONF_INDEPENDENCE_WARN);
    g_assert_cmpint(config_account(c, "w")->submit, ==, CONF_SUBMIT_SENDMAIL);
    g_assert_cmpint(usual->accounts[0].submit, ==, ConfSubmit_UNSAID);
    g_assert_cmpint(config_brain(c, "x")->takes, ==, BRAIN_PDF | BRAIN_IMAGES);
    g_assert_cmpint(config_brain(c, "y")->takes, ==, 0);
    g_assert_cmpint(config_person_at(c, "b@x.org")->may, ==, MAY_ASK | MAY_APPROVE);
    g_assert_cmpint(config_person_at(c, "e@x.org")->may, ==, MAY_ASK | MAY_STEER);
    g_assert_cmpstr(conf_sent_copy_word(CONF_SENT_COPY_SERVER), ==, "server");
    g_assert_cmpstr(conf_sent_copy_word(ConfSentCopy_UNSAID), ==, "");
    g_assert_cmpint(conf_sent_copy_parse("append"), ==, CONF_SENT_COPY_APPEND);
    g_assert_cmpint(conf_sent_copy_parse("appended"), ==, ConfSentCopy_UNSAID);
}

static const char full[] = "# a comment\n"
                           "[postrider]\n"
                           "owner = ann@Example.org\n"
                           "domain=home.example\r\n"
                           "  workers =  4  \n"
                           "\n"
                           "[account main]\n"
                           "role = envoy\n"
                           "[trust]\n"
                           "principals = a@x.org, b@x.org;c@x.org d@x.org\n"
                           "require-auth = none\n"
                           "[brain default]\n"
                           "kind = command\n"
                           "command = scripts/echo.sh 'two words' \"\" x\\ y\n"
                           "timeout = 90s\n"
                           "memory = 1g\n"
                           "[brain api]\n"
                           "kind = anthropic\n"
                           "[brain cc]\n"
                           "kind = command\n"
                           "command = cc\n"
                           "[role envoy]\n"
                           "name = The Envoy\n"
                           "max-cost = 0.50\n"
                           "ack-after = 5m\n"
                           "[role thinker]\n"
                           "address = thinker+x@elsewhere.org\n"
                           "brain = api\n"
                           "answers-cc = yes\n"
                           "[role coder]\n"
                           "brain = cc\n"
                           "mode = program\n"
                           "[role carol]\n"
                           "person = yes\n"
                           "[person bob]\n"
                           "address = bob@example.com\n"
                           "may = ask\n"
                           "[person ann]\n"
                           "address = ann@example.org\n";

static void
test_roles(void)
{
    g_autoptr(Config) c = parse(full);
    const ConfRole *envoy = config_role(c, "envoy"), *thinker = config_role(c, "thinker");

    g_assert_cmpuint(c->n_roles, ==, 4);
    g_assert_cmpstr(envoy->display, ==, "The Envoy");
    g_assert_cmpstr(envoy->address, ==, "envoy@home.example");
    g_assert_cmpstr(envoy->brain, ==, "default");
    g_assert_cmpint(envoy->mode, ==, MODE_PROGRAM);
    g_assert_cmpint(envoy->max_cost_micro, ==, 500000);
    g_assert_cmpint(envoy->ack_after_us, ==, 300 * INT64_C(1000000));
    g_assert_cmpint(envoy->max_iterations, ==, 8);
    g_assert_cmpint(envoy->total_iterations, ==, 24);
    g_assert_cmpint(envoy->max_attempts, ==, 5);
    g_assert_cmpstr(envoy->workdir, ==, "");
    g_assert_cmpstr(thinker->display, ==, "thinker");
    g_assert_cmpint(thinker->mode, ==, MODE_STEPS);
    g_assert_cmpint(thinker->ack_after_us, ==, 120 * INT64_C(1000000));
    g_assert_true(thinker->answers_cc);
    g_assert_cmpint(config_role(c, "coder")->mode, ==, MODE_PROGRAM);
    g_assert_true(config_role(c, "carol")->person);
    g_assert_cmpstr(config_role(c, "carol")->brain, ==, "");
    g_assert_null(config_role(c, "nobody"));
}

static void
test_brains(void)
{
    g_autoptr(Config) c = parse(full);
    const ConfBrain *brain = config_brain(c, "default");

    g_assert_cmpuint(g_strv_length((char **)brain->command), ==, 4);
    g_assert_cmpstr(brain->command[1], ==, "two words");
    g_assert_cmpstr(brain->command[2], ==, "");
    g_assert_cmpstr(brain->command[3], ==, "x y");
    g_assert_cmpint(brain->timeout_us, ==, 90 * INT64_C(1000000));
    g_assert_cmpuint(brain->memory, ==, 1u << 30);
    g_assert_cmpuint(brain->output, ==, 4u << 20);
    g_assert_cmpuint(g_strv_length((char **)c->principals), ==, 4);
    g_assert_cmpstr(c->principals[2], ==, "c@x.org");
    g_assert_cmpstr(config_account(c, "main")->role, ==, "envoy");
    g_assert_null(config_account(c, "other"));
}

/* Who has a Maildir here: bob and the owner, both at our domain. */
static void
test_mailbox_or_server(void)
{
    static const struct {
        const char *domain, *more;
        bool want_here;
    } rows[] = {
        {"postrider.local", "", true},
        {"corp.com", "", true}, /* no server: where else? */
        {"corp.com", "[account w]\nsmtp-host = mx.corp.com\n", false},
        {"corp.com", "[smtp]\nhost = mx.corp.com\n[account w]\nkind = maildir\n", false},
        {"corp.com", "[account w]\nsmtp = sendmail\n", false},
        {"postrider.local", "[account w]\nsmtp-host = mx.corp.com\n", true},
        {"corp.test", "[account w]\nsmtp-host = mx\nsmtp-user = a@corp.test\n", false},
        {"corp.test", "[account w]\nsmtp-host = mx\nuser = a@other.test\n", true},
        {"corp.com", "[account w]\nkind = imap\nuser = a@corp.com\n", true}, /* no way out */
    };

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *text = g_strdup_printf(
            "[postrider]\ndomain = %s\nowner = ann@%s\n[brain default]\n[role kim]\nperson = "
            "yes\n[person bob]\naddress = bob@%s\n%s",
            rows[i].domain, rows[i].domain, rows[i].domain, rows[i].more);
        g_autofree char *bob = g_strconcat("bob@", rows[i].domain, NULL);
        g_autofree char *ann = g_strconcat("ann@", rows[i].domain, NULL);
        g_autofree char *kim = g_strconcat("kim@", rows[i].domain, NULL);
        g_autoptr(Config) c = NULL;
        g_autoptr(GError) error = NULL;

        g_assert_true(config_parse(text, strlen(text), "t", &c, &error));
        g_assert_cmpint(config_mailbox_at(c, bob) != NULL, ==, rows[i].want_here);
        g_assert_cmpint(config_mailbox_at(c, ann) != NULL, ==, rows[i].want_here);
        g_assert_cmpstr(config_mailbox_at(c, kim), ==, "kim"); /* said to be here */
    }
}

static void
test_persons(void)
{
    g_autoptr(Config) c = parse(full);

    g_assert_cmpuint(c->n_persons, ==, 3);
    g_assert_cmpstr(c->persons[0].name, ==, "ann");
    g_assert_cmpuint(c->persons[0].may, ==, MAY_ASK | MAY_STEER | MAY_APPROVE);
    g_assert_false(c->persons[0].local);
    g_assert_cmpuint(config_person_at(c, "bob@EXAMPLE.com")->may, ==, MAY_ASK);
    g_assert_true(config_person_at(c, "carol@home.example")->local);
}

static const struct {
    const char *address;
    const char *want_role, *want_person, *want_mailbox;
} lookups[] = {
    {"envoy@home.example", "envoy", NULL, "envoy"},
    {"envoy@HOME.example", "envoy", NULL, "envoy"},
    {"envoy+12.abc@home.example", "envoy", NULL, "envoy"},
    {"ENVOY@home.example", "envoy", NULL, "envoy"},
    {"Envoy+12.Abc@home.example", "envoy", NULL, "envoy"},
    {"ENVOYX@home.example", NULL, NULL, NULL},
    {"THINKER+X@elsewhere.org", "thinker", NULL, "thinker"},
    {"envoyx@home.example", NULL, NULL, NULL},
    {"envoy@home.example.evil.org", NULL, NULL, NULL},
    {"thinker+x@elsewhere.org", "thinker", NULL, "thinker"},
    {"thinker+x+tag@elsewhere.org", "thinker", NULL, "thinker"},
    {"thinker@elsewhere.org", NULL, NULL, NULL},
    {"carol@home.example", "carol", "carol", "carol"},
    {"carol+tag@home.example", "carol", "carol", "carol"},
    {"bob@example.com", NULL, "bob", NULL},
    {"bob+tag@example.com", NULL, NULL, NULL},
    {"nobody", NULL, NULL, NULL},
    {"", NULL, NULL, NULL},
};

static void
test_lookups(void)
{
    g_autoptr(Config) c = parse(full);

    for (size_t i = 0; i < G_N_ELEMENTS(lookups); i++) {
        const ConfRole *role = config_role_at(c, lookups[i].address);
        const ConfPerson *person = config_person_at(c, lookups[i].address);

        g_test_message("'%s'", lookups[i].address);
        g_assert_cmpstr(role ? role->name : NULL, ==, lookups[i].want_role);
        g_assert_cmpstr(person ? person->name : NULL, ==, lookups[i].want_person);
        g_assert_cmpstr(config_mailbox_at(c, lookups[i].address), ==, lookups[i].want_mailbox);
    }
}

static void
test_role_get(void)
{
    g_autoptr(Config) c = parse(full);
    g_autoptr(GError) near = NULL, far = NULL;

    g_assert_nonnull(config_role_get(c, "envoy", NULL));
    g_assert_null(config_role_get(c, "envoi", &near));
    g_assert_true(err_is(near, ERR_NEVER));
    g_assert_cmpstr(near->message, ==, "no role 'envoi'; did you mean 'envoy'?");
    g_assert_null(config_role_get(c, "x\033y", &far));
    g_assert_cmpstr(far->message, ==, "no role 'x\\x1by'");
}

/* Wrong settings. Each case is a whole file. */
static const struct {
    const char *text;
    const char *want;
} mistakes[] = {
    {"[role envoy]\nadress = a@b\n",
     "postrider.conf:2: unknown key 'adress' in [role envoy]; did you mean 'address'?"},
    {"[brain x]\naddress = a@b\n",
     "postrider.conf:2: unknown key 'address' in [brain x]; it belongs in [role]"},
    {"[postrider]\nzzzzzz = 1\n", "postrider.conf:2: unknown key 'zzzzzz' in [postrider]"},
    {"\n\n[rolle envoy]\n",
     "postrider.conf:3: unknown section [rolle envoy]; did you mean [role envoy]?"},
    {"[zzzzzz]\n", "postrider.conf:1: unknown section [zzzzzz]"},
    {"[]\n", "postrider.conf:1: unknown section []"},
    {"[role]\n", "postrider.conf:1: section [role] needs a name: [role NAME]"},
    {"[smtp x]\n", "postrider.conf:1: section [smtp] takes no name"},
    {"[role Envoy]\n",
     "postrider.conf:1: 'Envoy' is not a name: expected small letters, digits, '.', '_', '-'"},
    {"[role ../x]\n",
     "postrider.conf:1: '../x' is not a name: expected small letters, digits, '.', '_', '-'"},
    {"[postrider]\nworkers = 1\nworkers = 2\n",
     "postrider.conf:3: key 'workers' is in line 2 already"},
    {"[smtp]\n[trust]\n[smtp]\n", "postrider.conf:3: section [smtp] is in line 1 already"},
    {"[brain x]\nkind = cluade\n",
     "postrider.conf:2: kind = 'cluade': expected one of script, anthropic, openai, command, "
     "claude, codex, opencode; did you mean 'claude'?"},
    {"[brain x]\nparser = claude-json\n",
     "postrider.conf:2: [brain x]: 'parser' is for kind command, and this is script"},
    {"[brain x]\nkind = codex\nparser = plain\n",
     "postrider.conf:3: [brain x]: 'parser' is for kind command, and this is codex"},
    {"[brain x]\nkind = claude\npass-env = A=1\n",
     "postrider.conf:3: [brain x]: pass-env takes names of variables"},
    {"[brain x]\nkind = claude\nenv = A=1 2B=3\n",
     "postrider.conf:3: [brain x]: env takes NAME=VALUE"},
    {"[brain x]\nkind = claude\nenv = A\n",
     "postrider.conf:3: [brain x]: env takes NAME=VALUE"},
    {"workers = 1\n", "postrider.conf:1: a key stands before the first section"},
    {"[postrider]\nworkers\n", "postrider.conf:2: expected 'key = value' or '[section]'"},
    {"[postrider] x\n", "postrider.conf:1: expected '[section]' alone on its line"},
    {"[postrider]\ndrain = 5 parsecs\n",
     "postrider.conf:2: drain = '5 parsecs': expected a time such as 90s, 2m, 1h or 7d"},
    {"[postrider]\ndrain = -5s\n",
     "postrider.conf:2: drain = '-5s': expected a time such as 90s, 2m, 1h or 7d"},
    {"[postrider]\ndrain = 99999999999999d\n",
     "postrider.conf:2: drain = '99999999999999d': expected a time such as 90s, 2m, 1h or 7d"},
    {"[postrider]\nworkers = 0\n",
     "postrider.conf:2: workers = '0': expected a number in 1..4096"},
    {"[postrider]\nworkers =\n", "postrider.conf:2: workers = '': expected a number in 1..4096"},
    {"[postrider]\ndrain = 1001d\n",
     "postrider.conf:2: drain = '1001d': expected a time in 0..1000d"},
    {"[postrider]\nmax-cost-per-day = 1000000.01\n",
     "postrider.conf:2: max-cost-per-day = '1000000.01': expected an amount in 0..1000000"},
    {"[postrider]\nmax-message = 65g\n",
     "postrider.conf:2: max-message = '65g': expected a size in 0..64g"},
    {"[postrider]\ncontext-bytes = 8191\n",
     "postrider.conf:2: context-bytes = '8191': expected a size in 8k..64g"},
    {"[postrider]\nmax-message = big\n",
     "postrider.conf:2: max-message = 'big': expected a size such as 4096, 64k or 25m"},
    {"[postrider]\nmax-cost-per-day = $5\n",
     "postrider.conf:2: max-cost-per-day = '$5': expected an amount such as 2.00"},
    {"[role a]\nanswers-cc = maybe\n",
     "postrider.conf:2: answers-cc = 'maybe': expected yes or no"},
    {"[trust]\nrequire-auth = dmarcc\n",
     "postrider.conf:2: require-auth = 'dmarcc': expected one of dmarc, dkim, none; did you "
     "mean 'dmarc'?"},
    {"[postrider]\nowner = bob\n",
     "postrider.conf:2: owner = 'bob': expected an address such as bob@example.org"},
    {"[trust]\nallow = a@b, c\n",
     "postrider.conf:2: allow = 'a@b, c': expected addresses such as bob@example.org"},
    {"[account main]\nhost = imap.example.org:993\n",
     "postrider.conf:2: host = 'imap.example.org:993': expected a host name such as "
     "mail.example.org"},
    {"[account main]\nsmtp = mail.example.org\n",
     "postrider.conf:2: smtp = 'mail.example.org': expected sendmail"},
    {"[workflow]\nindependence = none\n",
     "postrider.conf:2: independence = 'none': expected one of warn, strict"},
    {"[brain x]\ntakes = images, text\n",
     "postrider.conf:2: takes = 'images, text': expected one of images, pdf, none"},
    {"[brain x]\nat-once = 4097\n",
     "postrider.conf:2: at-once = '4097': expected a number in 0..4096"},
    {"[account main]\nport = 65536\n",
     "postrider.conf:2: port = '65536': expected a number in 0..65535"},
    {"[person bob]\naddress = b@x\nmay = ask aprove\n",
     "postrider.conf:3: may = 'ask aprove': expected one of ask, steer, approve; did you mean "
     "'approve'?"},
    {"[person bob]\n", "postrider.conf:1: [person bob] needs an 'address'"},
    {"[brain default]\nkind = command\n",
     "postrider.conf:1: [brain default] needs a 'command'"},
    {"[role envoy]\n", "postrider.conf:1: [role envoy]: there is no [brain default]"},
    {"[brain small]\n[role envoy]\nbrain = smal\n",
     "postrider.conf:3: [role envoy]: there is no [brain smal]; did you mean 'small'?"},
    {"[role x]\nperson = yes\nbrain = default\n[brain default]\n",
     "postrider.conf:3: [role x] is a person and has no brain"},
    {"[account main]\nrole = envoi\n[brain default]\n[role envoy]\n",
     "postrider.conf:2: [account main]: there is no [role envoi]; did you mean 'envoy'?"},
    {"[brain default]\n[role a]\naddress = x@y\n[role b]\naddress = x@Y\n",
     "postrider.conf:5: [role b] has the address of [role a] in line 2"},
    {"[brain default]\n[role a]\naddress = x@y\n[role b]\naddress = X@Y\n",
     "postrider.conf:5: [role b] has the address of [role a] in line 2"},
    {"[person a]\naddress = Ann@y\n[person b]\naddress = ann@y\n",
     "postrider.conf:4: [person b] has the address of [person a] in line 1"},
    {"[brain default]\n[role a]\n[person a]\naddress = x@y\n",
     "postrider.conf:3: [person a] has the name of [role a] in line 2"},
    {"[postrider]\nowner = You@y\n[brain default]\n[role a]\naddress = you@y\n",
     "postrider.conf:5: [role a] has the address of the owner"},
    {"[brain default]\n[role you]\n",
     "postrider.conf:2: [role you] has the address of the owner"},
    {"[postrider]\nowner = a@b\033[31m\n", "postrider.conf:2: has a control character"},
    {"[postrider]\n\377\n", "postrider.conf:2: is not valid UTF-8"},
};

static void
test_mistakes(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(mistakes); i++) {
        g_autoptr(Config) config = NULL;
        g_autoptr(GError) error = NULL;
        const char *text = mistakes[i].text;

        g_test_message("%s", mistakes[i].want);
        g_assert_false(config_parse(text, strlen(text), "postrider.conf", &config, &error));
        g_assert_cmpstr(error->message, ==, mistakes[i].want);
        g_assert_true(err_is(error, ERR_CONFIG));
        g_assert_null(config);
    }
}

static void
test_bad_command(void)
{
    static const char text[] = "[brain default]\nkind = command\ncommand = a 'b\n";
    g_autoptr(Config) config = NULL;
    g_autoptr(GError) error = NULL;

    g_assert_false(config_parse(text, strlen(text), "c", &config, &error));
    g_assert_true(
        g_str_has_prefix(error->message, "c:3: command = 'a 'b': expected a command: "));
}

/* Also for a role that stands before its brain; what is said counts. */
static void
test_kind_follows_command(void)
{
    g_autoptr(Config) c = parse("[role a]\nbrain = x\n[brain x]\ncommand = scripts/x\n"
                                "[brain y]\nkind = script\ncommand = scripts/x\n[brain z]\n");

    g_assert_cmpint(config_brain(c, "x")->kind, ==, BRAIN_COMMAND);
    g_assert_cmpint(config_role(c, "a")->mode, ==, MODE_PROGRAM);
    g_assert_cmpint(config_brain(c, "y")->kind, ==, BRAIN_SCRIPT);
    g_assert_cmpint(config_brain(c, "z")->kind, ==, BRAIN_SCRIPT);
    g_assert_true(config_is_program(config_brain(c, "x")));
    g_assert_false(config_is_program(config_brain(c, "y")));
}

/* Kinds that are programs have a command without being told, and more time than a model. */
static void
test_programs(void)
{
    g_autoptr(Config) c =
        parse("[role a]\nbrain = x\n[brain x]\nkind = claude\npass-env = A B\n"
              "env = 'C=one two' D=\n[brain y]\nkind = codex\ncommand = bin/codex --x\n"
              "timeout = 5m\n[brain z]\ncommand = cat\nparser = codex-jsonl\n[brain m]\n");
    const ConfBrain *x = config_brain(c, "x"), *y = config_brain(c, "y");

    g_assert_cmpint(config_role(c, "a")->mode, ==, MODE_PROGRAM);
    g_assert_cmpstr(x->command[0], ==, "claude");
    g_assert_null(x->command[1]);
    g_assert_cmpstr(x->pass_env[1], ==, "B");
    g_assert_cmpstr(x->env[0], ==, "C=one two");
    g_assert_cmpstr(x->env[1], ==, "D=");
    g_assert_cmpint(x->timeout_us, ==, 4 * 3600 * USEC_PER_SEC);
    g_assert_cmpint(x->at_once, ==, 2);
    g_assert_cmpint(y->kind, ==, BRAIN_CODEX);
    g_assert_cmpstr(y->command[0], ==, "bin/codex");
    g_assert_cmpint(y->timeout_us, ==, 300 * USEC_PER_SEC);
    g_assert_cmpint(config_brain(c, "z")->parser, ==, CONF_PARSER_CODEX);
    g_assert_cmpint(config_brain(c, "m")->timeout_us, ==, 1800 * USEC_PER_SEC);
    g_assert_true(config_is_program(x) && config_is_program(y));
}

/* A text that we accept means the same to anybody's GKeyFile. */
static void
compare_with_keyfile(
    const char *section, const ConfKey *key, const char *value, bool from_file, void *data)
{
    GKeyFile *keyfile = data;
    g_autofree char *theirs = g_key_file_get_value(keyfile, section, key->name, NULL);

    g_assert_true(from_file == (theirs != NULL));
    if (theirs)
        g_assert_cmpstr(g_strchomp(theirs), ==, value);
}

static void
test_keyfile(void)
{
    g_autoptr(GKeyFile) keyfile = g_key_file_new();
    g_autoptr(Config) c = parse(full);

    g_assert_true(g_key_file_load_from_data(keyfile, full, strlen(full), 0, NULL));
    config_visit(c, compare_with_keyfile, keyfile);
}

static void
collect(const char *section, const ConfKey *key, const char *value, bool from_file, void *data)
{
    if (g_str_equal(key->name, "address") || g_str_equal(key->name, "workers"))
        g_string_append_printf(data, "%s.%s=%s%s\n", section, key->name, value,
                               from_file ? "!" : "");
}

static void
test_visit(void)
{
    g_autoptr(Config) c = parse("[brain default]\n[role b]\naddress = x@y\n[role a]\n");
    g_autoptr(GString) seen = g_string_new(NULL);

    config_visit(c, collect, seen);
    g_assert_cmpstr(
        seen->str, ==,
        "postrider.workers=16\nrole b.address=x@y!\nrole a.address=a@postrider.local\n");
}

/* Every default is a value that the reader would take, and has a line of help. */
static void
test_keys(void)
{
    static const char *const named_kinds[] = {"account",  "brain", "role",  "person",
                                              "artifact", "space", "panel", NULL};
    static const char *const needing[] = {"person", "artifact", "panel", NULL}; /* more than one key */
    for (const ConfKey *key = config_keys; key->section; key++) {
        bool named = g_strv_contains(named_kinds, key->section);
        g_autofree char *text =
            g_strdup_printf("[%s%s]\n%s = %s\n%s", key->section, named ? " x" : "", key->name,
                            key->fallback, named ? "[brain default]\n" : "");
        g_autoptr(Config) config = NULL;
        g_autoptr(GError) error = NULL;

        g_assert_true(*key->help);
        if (!g_strv_contains(needing, key->section)) {
            config_parse(text, strlen(text), "default", &config, &error);
            g_assert_no_error(error);
        }
        g_assert_true(key->type != CONF_ENUM || key->values);
    }
}

static const struct {
    const char *text, *section, *key, *value, *want;
} withs[] = {
    {"", "postrider", "workers", "4", "[postrider]\nworkers = 4\n"},
    {"[postrider]\nworkers = 2\n", "postrider", "workers", "4", "[postrider]\nworkers = 4\n"},
    {"# top\n[postrider]\n# why\nworkers=2\n\n[role a]\n", "postrider", "workers", "4",
     "# top\n[postrider]\n# why\nworkers = 4\n\n[role a]\n"},
    {"[postrider]\ndrain = 1s\n\n# about a\n[role a]\n", "postrider", "workers", "4",
     "[postrider]\ndrain = 1s\nworkers = 4\n\n# about a\n[role a]\n"},
    {"[role a]\nbrain = x\n[role b]\nbrain = y", "role b", "brain", "z",
     "[role a]\nbrain = x\n[role b]\nbrain = z\n"},
    {"[role a]\n", "role b", "brain", "z", "[role a]\n\n[role b]\nbrain = z\n"},
    {"[ role  a ]\n", "role a", "brain", "z", "[ role  a ]\nbrain = z\n"},
    {"[postrider]\n#workers = 1\nworkersx = 3\n", "postrider", "workers", "4",
     "[postrider]\n#workers = 1\nworkersx = 3\nworkers = 4\n"},
};

static void
test_with(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(withs); i++) {
        g_autofree char *text =
            config_with(withs[i].text, withs[i].section, withs[i].key, withs[i].value);
        g_assert_cmpstr(text, ==, withs[i].want);
    }
}

static const struct {
    const char *text, *want; /* of [role a]; NULL: it is not there */
    const char *want_with, *want_without;
} section_rows[] = {
    {"[role a]\nbrain = x\n", "[role a]\nbrain = x\n", "[role a]\nbrain = y\n", ""},
    {"# top\n[role b]\n\n# about a\n[ role  a ]\n# in it\nbrain = x\n\n# about c\n[role c]\n",
     "[ role  a ]\n# in it\nbrain = x\n",
     "# top\n[role b]\n\n# about a\n[role a]\nbrain = y\n\n# about c\n[role c]\n",
     "# top\n[role b]\n\n# about a\n\n# about c\n[role c]\n"},
    {"[role a]\nbrain = x", "[role a]\nbrain = x", "[role a]\nbrain = y\n", ""},
    {"[role ab]\n", NULL, "[role ab]\n[role a]\nbrain = y\n", "[role ab]\n"},
    {"", NULL, "[role a]\nbrain = y\n", ""},
};

static void
test_section(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(section_rows); i++) {
        const char *text = section_rows[i].text;
        g_autofree char *section = config_section(text, "role a");
        g_autofree char *with = config_with_section(text, "role a", "[role a]\nbrain = y");
        g_autofree char *without = config_with_section(text, "role a", "");
        g_assert_cmpstr(section, ==, section_rows[i].want);
        g_assert_cmpstr(with, ==, section_rows[i].want_with);
        g_assert_cmpstr(without, ==, section_rows[i].want_without);
    }
}

/* Each word of a setting is the symbol of its name, whatever its place in the list. */
static void
test_words(void)
{
    static const struct {
        const char *kind;
        BrainKind want;
    } kinds[] = {{"script", BRAIN_SCRIPT},   {"anthropic", BRAIN_ANTHROPIC},
                 {"openai", BRAIN_OPENAI},   {"command", BRAIN_COMMAND},
                 {"claude", BRAIN_CLAUDE},   {"codex", BRAIN_CODEX},
                 {"opencode", BRAIN_OPENCODE}, {"", BrainKind_UNSAID},
                 {"Claude", BrainKind_UNSAID}, {"claude|codex", BrainKind_UNSAID}};
    static const struct {
        const char *tls;
        ConfTls want;
    } tls[] = {{"implicit", CONF_TLS_IMPLICIT}, {"starttls", CONF_TLS_STARTTLS}, {"none", CONF_TLS_NONE}};

    for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
        g_assert_cmpint(brain_kind_parse(kinds[i].kind), ==, kinds[i].want);
        if (kinds[i].want)
            g_assert_cmpstr(brain_kind_word(kinds[i].want), ==, kinds[i].kind);
    }
    g_assert_cmpstr(role_mode_word(MODE_PROGRAM), ==, "program");
    for (size_t i = 0; i < G_N_ELEMENTS(tls); i++) {
        g_autofree char *text =
            g_strdup_printf("[account m]\nkind = imap\nhost = h\ntls = %s\n", tls[i].tls);
        g_autoptr(Config) c = NULL;
        g_assert_true(config_parse(text, strlen(text), "x", &c, NULL));
        g_assert_cmpint(config_account(c, "m")->server.tls, ==, tls[i].want);
        g_assert_cmpint(config_account(c, "m")->kind, ==, CONF_ACCOUNT_IMAP);
    }
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/config/empty", test_empty);
    g_test_add_func("/config/roles", test_roles);
    g_test_add_func("/config/brains", test_brains);
    g_test_add_func("/config/persons", test_persons);
    g_test_add_func("/config/mailbox-or-server", test_mailbox_or_server);
    g_test_add_func("/config/lookups", test_lookups);
    g_test_add_func("/config/role-get", test_role_get);
    g_test_add_func("/config/enums", test_enums);
    g_test_add_func("/config/mistakes", test_mistakes);
    g_test_add_func("/config/bad-command", test_bad_command);
    g_test_add_func("/config/programs", test_programs);
    g_test_add_func("/config/kind-follows-command", test_kind_follows_command);
    g_test_add_func("/config/keyfile", test_keyfile);
    g_test_add_func("/config/visit", test_visit);
    g_test_add_func("/config/keys", test_keys);
    g_test_add_func("/config/with", test_with);
    g_test_add_func("/config/section", test_section);
    g_test_add_func("/config/words", test_words);
    return g_test_run();
}
