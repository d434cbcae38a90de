/* Addresses of ours that lead back: nobody can guess one, and each means one thing. */
#include "engine/out/outward.h"
#include "../store/testhome.h"

#define GENERATION 1794750217178u

typedef struct Case {
    const char *name;
    const char *to;    /* %s: the reply tag of job 12, %b: the bounce tag of mail 34 */
    const char *field; /* instead of To */
    int64_t want_job, want_mail;
} Case;

static const Case cases[] = {
    {"the role's own address", "envoy@example.org", "To", 0, 0},
    {"reply tag", "envoy+%s@example.org", "To", 12, 0},
    {"reply tag in Cc", "envoy+%s@example.org", "Cc", 12, 0},
    {"only the server knows", "envoy+%s@example.org", "Delivered-To", 12, 0},
    {"X-Original-To", "envoy+%s@example.org", "X-Original-To", 12, 0},
    {"under the account's address", "agent+envoy.%s@mail.example", "To", 12, 0},
    {"a second plus", "agent+envoy+%s@mail.example", "To", 12, 0},
    {"a guess", "envoy+12.aaaaaaaaaaaaaaaa@example.org", "To", 0, 0},
    {"a number alone", "envoy+12@example.org", "To", 0, 0},
    {"a display name is no address", "\"envoy+%s@example.org\" <x@y.org>", "To", 0, 0},
    {"bounce tag", "agent+%b@mail.example", "To", 0, 34},
    {"bounce tag, seen by the server", "agent+%b@mail.example", "Delivered-To", 0, 34},
    {"a guessed bounce", "agent+b.34.aaaaaaaaaaaaaaaa@mail.example", "To", 0, 0},
    {"a reply tag is no bounce", "agent+b.%s@mail.example", "To", 0, 0},
};

static char *
fill(const char *text, const char *reply, const char *bounce)
{
    g_auto(GStrv) a = g_strsplit(text, "%s", -1);
    g_autofree char *once = g_strjoinv(reply, a);
    g_auto(GStrv) b = g_strsplit(once, "%b", -1);

    return g_strjoinv(bounce, b);
}

static void
test_case(gconstpointer data)
{
    const Case *c = data;
    Home *home = test_home_new();
    const ConfRole *role = config_role(home->config, "envoy");
    g_autofree char *reply = outward_reply_tag(&home->key, role, (JobId){12});
    g_autofree char *bounce = outward_bounce_tag(&home->key, GENERATION, (OutId){34});
    g_autofree char *to = fill(c->to, reply, bounce);
    g_autofree char *raw =
        g_strdup_printf("Message-ID: <a@b>\nFrom: x@y.org\n%s: %s\n\nbody\n", c->field, to);
    g_autoptr(Message) m = message_parse(raw, strlen(raw), MESSAGE_TEXT, NULL);

    g_assert_cmpint(outward_job_of(&home->key, role, m).v, ==, c->want_job);
    g_assert_cmpint(outward_bounced_at(&home->key, GENERATION, m).v, ==, c->want_mail);
    g_assert_cmpint(outward_bounced_at(&home->key, GENERATION + 1, m).v, ==, 0);
    test_home_free(home);
}

/* A tag of one role means nothing to another, nor under another key. */
static void
test_whose(void)
{
    Home *home = test_home_new();
    const ConfRole *role = config_role(home->config, "envoy");
    ConfRole other = *role;
    Key key = home->key;
    g_autofree char *tag = outward_reply_tag(&home->key, role, (JobId){12});
    g_autofree char *raw = g_strdup_printf("From: x@y.org\nTo: envoy+%s@example.org\n\n", tag);
    g_autoptr(Message) m = message_parse(raw, strlen(raw), MESSAGE_TEXT, NULL);

    other.name = "scribe";
    key.v[0][0] ^= 1;
    g_assert_cmpint(outward_job_of(&home->key, role, m).v, ==, 12);
    g_assert_cmpint(outward_job_of(&home->key, &other, m).v, ==, 0);
    g_assert_cmpint(outward_job_of(&key, role, m).v, ==, 0);
    test_home_free(home);
}

/* Which addresses mean a role: its own, and those of an account that is its, or with its name as tag. */
static void
test_means(void)
{
    static const char text[] = "[account w]\nkind = imap\nuser = agent@mail.example\nrole = clerk\n"
                               "[brain default]\n[role envoy]\naddress = envoy@home.example\n"
                               "[role clerk]\naddress = clerk@home.example\n";
    static const struct {
        const char *address;
        bool want_envoy, want_clerk;
    } rows[] = {
        {"envoy@home.example", true, false},
        {"envoy+12.abc@home.example", true, false},
        {"agent@mail.example", false, true},
        {"agent+12.abc@mail.example", false, true},
        {"agent+envoy@mail.example", true, true},
        {"agent+Envoy.12.abc@mail.example", true, true},
        {"agent+envoys@mail.example", false, true},
        {"agent+scribe.12.abc@mail.example", false, true},
        {"other+envoy@mail.example", false, false},
        {"envoy@elsewhere.example", false, false},
    };
    g_autoptr(Config) config = NULL;
    g_autoptr(GError) error = NULL;

    config_parse(text, strlen(text), "t", &config, &error);
    g_assert_no_error(error);
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_test_message("%s", rows[i].address);
        g_assert_cmpint(outward_means(config, config_role(config, "envoy"), rows[i].address), ==,
                        rows[i].want_envoy);
        g_assert_cmpint(outward_means(config, config_role(config, "clerk"), rows[i].address), ==,
                        rows[i].want_clerk);
    }
}

/* The copy that a mail's sender gets himself: which mail, which try, and nobody can make one. */
static const struct {
    const char *name, *field, *to; /* %c: the tag of try 9 of mail 34 */
    bool want;
} copies[] = {
    {"delivered", "Delivered-To", "agent+%c@mail.example", true},
    {"by a server that folds case", "X-Original-To", "AGENT+%C@mail.example", true},
    {"an address with a plus of its own", "Delivered-To", "agent+x+%c@mail.example", true},
    {"the plain address", "Delivered-To", "agent@mail.example", false},
    {"another mail", "Delivered-To", "agent+sent-35.9.aaaaaaaaaaaaaaaa@mail.example", false},
    {"no try", "Delivered-To", "agent+sent-34.aaaaaaaaaaaaaaaa@mail.example", false},
    {"no number", "Delivered-To", "agent+sent-@mail.example", false},
    {"a number that is none", "Delivered-To", "agent+sent--1.9.a@mail.example", false},
    {"a role of that name", "Delivered-To", "agent+sent@mail.example", false},
};

static void
test_copies(void)
{
    Home *home = test_home_new();
    Key key = home->key;
    g_autofree char *made = outward_copy_address(&home->key, "a@b.example", (OutId){34}, 9);
    g_autofree char *tag = g_strndup(made + 2, strcspn(made + 2, "@"));
    g_autofree char *upper = g_ascii_strup(tag, -1);

    key.v[0][0] ^= 1;
    for (size_t i = 0; i < G_N_ELEMENTS(copies); i++) {
        g_autoptr(GString) to = g_string_new(copies[i].to);
        g_string_replace(to, "%c", tag, 0);
        g_string_replace(to, "%C", upper, 0);
        g_autofree char *raw =
            g_strdup_printf("%s: %s\nFrom: x@y.org\n\nbody\n", copies[i].field, to->str);
        g_autoptr(Message) m = message_parse(raw, strlen(raw), MESSAGE_TEXT, NULL);
        OutId mail = {0};
        int64_t try = 0;
        g_test_message("%s", copies[i].name);
        g_assert_true(outward_is_copy(&home->key, m, &mail, &try) == copies[i].want);
        g_assert_cmpint(mail.v, ==, copies[i].want ? 34 : 0);
        g_assert_cmpint(try, ==, copies[i].want ? 9 : 0);
        g_assert_false(outward_is_copy(&key, m, &mail, &try));
    }
    g_autofree char *other = outward_copy_address(&home->key, "a@b.example", (OutId){34}, 10);
    g_assert_cmpstr(other, !=, made);
    test_home_free(home);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *path = g_strdup_printf("/outward/back/%s", cases[i].name);
        g_test_add_data_func(path, &cases[i], test_case);
    }
    g_test_add_func("/outward/means", test_means);
    g_test_add_func("/outward/whose", test_whose);
    g_test_add_func("/outward/copies", test_copies);
    return g_test_run();
}
