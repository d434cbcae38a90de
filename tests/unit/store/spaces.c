/* Spaces: who is in, who may write, what follows when somebody leaves, and what is refused. */
#include "store/spaces.h"
#include "store/mail/messages.h"
#include "store/note/note_versions.h"
#include "store/sql.h"
#include "temp_store.h"
#include "testmail.h"

static const char settings[] =
    "[postrider]\ndomain = x\nowner = you@x\n[brain default]\nkind = script\n"
    "[role alpha]\n[role beta]\n[role gamma]\n[role pat]\nperson = yes\n";

typedef const char *const *Names;
#define NAMES(...) ((const char *const[]){__VA_ARGS__, NULL})
#define NOBODY ((const char *const[]){NULL})

static void
set_config(TempStore *s, const char *more)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *text = g_strconcat(settings, more, NULL);

    config_free(s->home->config);
    s->home->config = NULL;
    config_parse(text, strlen(text), "t", &s->home->config, &error);
    g_assert_no_error(error);
}

static void
put(TempStore *s, const char *name, const char *face, Names members, const char *refused)
{
    g_autoptr(GError) error = NULL;
    Txn txn = test_begin(s->db);
    bool ok = space_put(&txn, name, face, 0, members, &error);

    g_assert_cmpstr(ok ? NULL : error->message, ==, refused);
    if (ok)
        test_commit(&txn);
    else
        txn_clear(&txn);
}

static char *
members_of(TempStore *s, const char *name)
{
    g_autoptr(GPtrArray) members = NULL;

    g_assert_true(space_members(s->db, name, &members, NULL));
    g_ptr_array_add(members, NULL);
    return g_strjoinv(" ", (char **)members->pdata);
}

#define ASSERT_MEMBERS(s, name, want)                                                          \
    do {                                                                                       \
        g_autofree char *now = members_of(s, name);                                            \
        g_assert_cmpstr(now, ==, want);                                                        \
    } while (0)

static void
test_put(TempStore *s, gconstpointer data)
{
    g_autoptr(Space) space = NULL, none = NULL;
    g_autoptr(Spaces) of_beta = NULL;

    set_config(s, "");
    put(s, "team", "test", NAMES("beta", "alpha", "pat", "beta"), NULL);
    ASSERT_MEMBERS(s, "team", "alpha beta pat");
    put(s, "other", "test", NAMES("gamma"), NULL);
    g_assert_true(space_at(s->db, "team@X", &space, NULL));
    g_assert_cmpstr(space->name, ==, "team");
    g_assert_cmpstr(space->address, ==, "team@x");
    g_assert_true(space_at(s->db, "nobody@x", &none, NULL));
    g_assert_null(none);
    g_assert_true(spaces_list(s->db, "beta", &of_beta, NULL));
    g_assert_cmpuint(of_beta->len, ==, 1);
    put(s, "team", "test", NAMES("gamma", "alpha"), NULL);
    ASSERT_MEMBERS(s, "team", "alpha gamma");
    put(s, "team", "test", NOBODY, NULL);
    ASSERT_MEMBERS(s, "team", "");
}

static void
test_refused(TempStore *s, gconstpointer data)
{
    static const struct {
        const char *name, *face, *member, *why;
    } cases[] = {
        {"team", "test", "nobody", "space 'team': nobody here is called 'nobody'"},
        {"team", "test", "al\npha", "space 'team': nobody here is called 'al\\x0apha'"},
        {"alpha", "test", "beta", "'alpha' has the address of the space 'alpha'"},
        {"taken", "test", "beta", "there is a space 'taken' already"},
    };

    set_config(s, "");
    put(s, "taken", "others", NAMES("alpha"), NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        put(s, cases[i].name, cases[i].face, NAMES("alpha", cases[i].member), cases[i].why);
    for (size_t i = 0; i < 5; i++) {
        const char *names[] = {"", ".team", "te/am", "te am", "te..am/../x"};
        g_autoptr(GError) error = NULL;
        Txn txn = test_begin(s->db);
        g_assert_false(space_put(&txn, names[i], "test", 0, NAMES("alpha"), &error));
        g_assert_true(g_str_has_prefix(strchr(error->message + 1, '\''), "' is no name for a space"));
        txn_clear(&txn);
    }
    ASSERT_MEMBERS(s, "team", "");
    ASSERT_MEMBERS(s, "taken", "alpha");
}

/* The transaction may be run twice. */
static void
test_twice(TempStore *s, gconstpointer data)
{
    Txn txn;

    set_config(s, "");
    txn = test_begin(s->db);
    for (int i = 0; i < 2; i++) {
        g_assert_true(space_put(&txn, "team", "test", 3, NAMES("alpha", "beta"), NULL));
        g_assert_true(space_join(&txn, "team", "gamma", NULL));
        g_assert_true(space_leave(&txn, "team", "beta", NULL));
        g_assert_true(space_leave(&txn, "team", "pat", NULL));
        g_assert_true(job_space_add(&txn, (JobId){7}, "team", NULL));
    }
    test_commit(&txn);
    ASSERT_MEMBERS(s, "team", "alpha gamma");
    txn = test_begin(s->db);
    g_assert_false(space_join(&txn, "none", "gamma", NULL));
    g_assert_false(space_join(&txn, "team", "none", NULL));
    g_assert_true(space_drop(&txn, "team", NULL));
    g_assert_true(space_drop(&txn, "team", NULL));
    test_commit(&txn);
    ASSERT_MEMBERS(s, "team", "");
}

static void
test_writes(TempStore *s, gconstpointer data)
{
    static const struct {
        const char *from;
        bool may;
    } cases[] = {{"alpha@x", true},  {"ALPHA@x", true}, {"alpha+tag@x", true}, {"pat@x", true},
                 {"you@x", true},    {"beta@x", false}, {"team@x", false},     {"alpha@y", false},
                 {"nobody@x", false}, {"", false}};

    set_config(s, "");
    put(s, "team", "test", NAMES("alpha", "pat"), NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(Space) space = NULL;
        bool may = !cases[i].may;
        g_test_message("%s", cases[i].from);
        g_assert_true(space_takes(s->db, "team", cases[i].from, &may, NULL));
        g_assert_cmpint(may, ==, cases[i].may);
        g_assert_true(space_for(s->db, "team@x", cases[i].from, &space, NULL));
        g_assert_cmpint(space != NULL, ==, cases[i].may);
    }
}

/* A mail of the space that a role got. */
static MsgId
mail(TempStore *s, const char *role, const char *space, JobId job)
{
    g_autoptr(Message) m = test_mail("1@x", "alpha@x", "team@x", NULL, "hello");
    MsgNew in = test_msg_new(role, "1", m);
    MsgId id = {0};
    bool is_new;
    Txn txn = test_begin(s->db);

    in.space = space;
    g_assert_true(messages_thread(&txn, m, &in.thread, NULL));
    g_assert_true(messages_store(&txn, &in, &id, &is_new, NULL));
    g_assert_true(messages_set_job(&txn, id, job, 1, NULL));
    test_commit(&txn);
    return id;
}

static bool
sees(TempStore *s, const char *role, MsgId id)
{
    g_autoptr(MsgRow) one = NULL, found = NULL;
    g_autoptr(MsgRows) all = NULL;
    const MsgQuery q = {0};
    bool came, in = false;

    g_assert_true(messages_load(s->db, &VIEWER_OF(role), id, &one, NULL));
    g_assert_true(messages_find(s->db, &VIEWER_OF(role), "1@x", &found, NULL));
    g_assert_true(messages_came(s->db, &VIEWER_OF(role), "1@x", &came, NULL));
    g_assert_true(messages_list(s->db, &VIEWER_OF(role), &q, &all, NULL));
    LIST_EACH(const MsgRow, row, all)
        in |= row->id.v == id.v;
    g_assert_true(!one == !found && !one == !came && !one == !in);
    return one != NULL;
}

static void
test_leave(TempStore *s, gconstpointer data)
{
    g_autoptr(GPtrArray) spaces = NULL;
    g_autoptr(MsgRow) row = NULL;
    bool fits;

    set_config(s, "");
    put(s, "team", "test", NAMES("alpha", "beta"), NULL);
    put(s, "other", "test", NAMES("beta"), NULL);
    JobId job = temp_job(s, "beta"), fresh = temp_job(s, "beta");
    MsgId id = mail(s, "beta", "team", job);
    g_assert_true(messages_load(s->db, &VIEWER_OPERATOR, id, &row, NULL));
    g_assert_cmpstr(row->space, ==, "team");
    g_autofree char *of = NULL, *of_nothing = NULL;
    g_assert_true(mail_space(s->db, row->msgid, &of, NULL));
    g_assert_cmpstr(of, ==, "team");
    g_assert_true(mail_space(s->db, "", &of_nothing, NULL));
    g_assert_null(of_nothing);
    g_assert_cmpstr(row->answer_to, ==, "team@x");
    g_assert_true(job_spaces(s->db, job, &spaces, NULL));
    g_assert_cmpuint(spaces->len, ==, 1);
    g_assert_true(job_space_fits(s->db, job, "team", &fits, NULL) && fits);
    g_assert_true(job_space_fits(s->db, job, "other", &fits, NULL) && !fits);
    g_assert_true(job_space_fits(s->db, fresh, "other", &fits, NULL) && fits);
    g_assert_true(sees(s, "beta", id));
    g_assert_false(sees(s, "gamma", id));
    g_assert_true(viewer_sees_note(s->db, &VIEWER_OF("beta"), "spaces/team/a"));
    g_assert_false(viewer_sees_note(s->db, &VIEWER_OF("gamma"), "spaces/team/a"));
    g_assert_false(viewer_sees_note(s->db, &VIEWER_OF("beta"), "spaces/team"));
    g_assert_false(viewer_sees_note(s->db, &VIEWER_OF("beta"), "spaces/none/a"));
    g_assert_true(viewer_sees_note(s->db, &VIEWER_OPERATOR, "spaces/none/a"));
    put(s, "team", "test", NAMES("alpha"), NULL);
    g_assert_false(sees(s, "beta", id));
    g_assert_false(viewer_sees_note(s->db, &VIEWER_OF("beta"), "spaces/team/a"));
    g_clear_pointer(&row, msg_row_free);
    g_assert_true(messages_load(s->db, &VIEWER_OPERATOR, id, &row, NULL));
    g_assert_cmpint(row->state, ==, MSG_IGNORED);
}

static void
test_settings(TempStore *s, gconstpointer data)
{
    put(s, "by-face", "test", NOBODY, NULL);
    set_config(s, "[space team]\nmembers = alpha pat\n[space two]\nmembers = beta\n");
    g_assert_true(spaces_keep(s->db, NULL));
    ASSERT_MEMBERS(s, "team", "alpha pat");
    ASSERT_MEMBERS(s, "two", "beta");
    set_config(s, "[space team]\nmembers = beta\n");
    g_assert_true(spaces_keep(s->db, NULL));
    g_assert_true(spaces_keep(s->db, NULL));
    ASSERT_MEMBERS(s, "team", "beta");
    ASSERT_MEMBERS(s, "two", "");
    put(s, "team", "test", NAMES("gamma"), "there is a space 'team' already");
    set_config(s, "");
    g_assert_true(spaces_keep(s->db, NULL));
    ASSERT_MEMBERS(s, "team", "");
    put(s, "by-face", "test", NAMES("gamma"), NULL);
    ASSERT_MEMBERS(s, "by-face", "gamma");
}

#define TEST(name, f)                                                                          \
    g_test_add("/spaces/" name, TempStore, NULL, temp_store_open, f, temp_store_close)

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    TEST("put", test_put);
    TEST("refused", test_refused);
    TEST("twice", test_twice);
    TEST("writes", test_writes);
    TEST("leave", test_leave);
    TEST("settings", test_settings);
    return g_test_run();
}
