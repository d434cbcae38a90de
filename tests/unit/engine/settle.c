#include "engine/run/settle.h"
#include "../store/testhome.h"
#include "base/err.h"
#include "engine/checkpoint/recover.h"
#include "mail/maildir.h"
#include "store/mail/messages.h"
#include "store/out/effects.h"
#include "store/out/outbox.h"
#include <utime.h>

static const char raw[] = "Subject: hello\n\nbody\n";

/* A mail somewhere in envoy's mailbox. folder NULL: nowhere; flags NULL: in new. */
static void
place(Home *home, const char *folder, const char *flags)
{
    g_autoptr(Maildir) md = NULL;

    g_assert_true(maildir_open(home->mail_fd, "envoy", true, &md, NULL));
    if (folder)
        g_assert_true(
            maildir_deliver(md, folder, "1.mail", flags, "", raw, strlen(raw), NULL, NULL));
}

static EffectId
owe(Db *db, EffectKind kind, const char *args)
{
    const Effect e = {.kind = kind, .account = "", .subject = "envoy/1.mail", .args = args};
    g_autoptr(GError) error = NULL;
    Txn txn = test_begin(db);
    EffectId id = {0};

    effect_put(&txn, &e, &id, &error);
    g_assert_no_error(error);
    test_commit(&txn);
    return id;
}

static unsigned
count_effects(Db *db, bool failed)
{
    unsigned n = 0;

    g_assert_true(effects_count(db, failed, &n, NULL));
    return n;
}

static void
test_table(void)
{
    static const struct {
        const char *name;
        EffectKind kind;
        const char *args;
        const char *folder, *flags; /* where it lies */
        const char *want_folder, *want_flags, *want_why;
    } cases[] = {
        {"from INBOX", EFFECT_MAIL_MOVE, "Done", "", NULL, "Done", "", NULL},
        {"seen, from INBOX", EFFECT_MAIL_MOVE, "Active", "", "S", "Active", "S", NULL},
        {"from Active", EFFECT_MAIL_MOVE, "Done", "Active", "RS", "Done", "RS", NULL},
        {"there already", EFFECT_MAIL_MOVE, "Done", "Done", "S", "Done", "S", NULL},
        {"to INBOX", EFFECT_MAIL_MOVE, "", "Active", "S", "", "S", NULL},
        {"to a folder of its own", EFFECT_MAIL_MOVE, "Bills", "", NULL, "Bills", "", NULL},
        {"with flags", EFFECT_MAIL_MOVE, "Done+RS", "", NULL, "Done", "RS", NULL},
        {"with flags beside others", EFFECT_MAIL_MOVE, "Done+RS", "Active", "F", "Done", "FRS",
         NULL},
        {"there already, without its flags", EFFECT_MAIL_MOVE, "Done+RS", "Done", NULL, "Done",
         "RS", NULL},
        {"there already, with them", EFFECT_MAIL_MOVE, "Done+S", "Done", "RS", "Done", "RS",
         NULL},
        {"to INBOX with flags", EFFECT_MAIL_MOVE, "+S", "Active", NULL, "", "S", NULL},
        {"flags for what a person filed", EFFECT_MAIL_MOVE, "Done+RS", "Archive", NULL,
         "Archive", "", "a person moved it to 'Archive'"},
        {"a person filed it", EFFECT_MAIL_MOVE, "Done", "Archive", "S", "Archive", "S",
         "a person moved it to 'Archive'"},
        {"a person deleted it", EFFECT_MAIL_MOVE, "Done", NULL, NULL, NULL, NULL,
         "a person deleted it"},
        {"flag", EFFECT_MAIL_FLAG, "+S", "", NULL, "", "S", NULL},
        {"flag and unflag", EFFECT_MAIL_FLAG, "+S-F", "Done", "F", "Done", "S", NULL},
        {"has the flags", EFFECT_MAIL_FLAG, "+RS-F", "Archive", "RS", "Archive", "RS", NULL},
        {"only unflag", EFFECT_MAIL_FLAG, "-F", "", "FS", "", "S", NULL},
        {"flag what is gone", EFFECT_MAIL_FLAG, "+S", NULL, NULL, NULL, NULL,
         "a person deleted it"},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        Home *home = test_home_new();
        Engine engine = {.home = home, .db = test_db_open(home, DB_WRITE)};
        g_autoptr(GError) error = NULL;
        g_autoptr(Maildir) md = NULL;
        g_autoptr(MaildirEntry) e = NULL;
        g_autoptr(GPtrArray) findings = NULL;
        unsigned n = 0;

        g_test_message("%s", cases[i].name);
        place(home, cases[i].folder, cases[i].flags);
        (void)owe(engine.db, cases[i].kind, cases[i].args);
        settle_local(&engine, &n, &error);
        g_assert_no_error(error);
        g_assert_cmpuint(n, ==, 1);
        g_assert_cmpuint(count_effects(engine.db, false), ==, 0);
        g_assert_true(effects_findings(engine.db, &findings, NULL));
        g_assert_cmpuint(findings->len, ==, cases[i].want_why ? 1 : 0);
        if (cases[i].want_why)
            g_assert_nonnull(strstr(findings->pdata[0], cases[i].want_why));
        g_assert_true(maildir_open(home->mail_fd, "envoy", false, &md, NULL));
        g_assert_true(maildir_find(md, "1.mail", &e, NULL));
        g_assert_cmpstr(e ? e->folder : NULL, ==, cases[i].want_folder);
        g_assert_cmpstr(e ? e->flags : NULL, ==, cases[i].want_flags);
        db_close(engine.db);
        test_home_free(home);
    }
}

/* Two moves of one mail keep their order; doing it all again changes nothing. */
static void
test_order(void)
{
    Home *home = test_home_new();
    Engine engine = {.home = home, .db = test_db_open(home, DB_WRITE)};
    g_autoptr(Maildir) md = NULL;
    g_autoptr(MaildirEntry) e = NULL;
    unsigned n = 9;

    place(home, "", NULL);
    (void)owe(engine.db, EFFECT_MAIL_MOVE, "Active");
    (void)owe(engine.db, EFFECT_MAIL_FLAG, "+S");
    (void)owe(engine.db, EFFECT_MAIL_MOVE, "Done");
    g_assert_true(settle_local(&engine, &n, NULL));
    g_assert_cmpuint(n, ==, 3);
    g_assert_true(settle_local(&engine, &n, NULL));
    g_assert_cmpuint(n, ==, 0);
    g_assert_true(maildir_open(home->mail_fd, "envoy", false, &md, NULL));
    g_assert_true(maildir_find(md, "1.mail", &e, NULL));
    g_assert_cmpstr(e->folder, ==, "Done");
    g_assert_cmpstr(e->flags, ==, "S");
    db_close(engine.db);
    test_home_free(home);
}

/* A mailbox that is not there may be a disk that is not mounted: it stays owed. */
static void
test_no_mailbox(void)
{
    Home *home = test_home_new();
    Engine engine = {.home = home, .db = test_db_open(home, DB_WRITE)};
    g_autoptr(GError) error = NULL;
    RecoverStats stats;

    (void)owe(engine.db, EFFECT_MAIL_MOVE, "Done");
    g_assert_false(settle_local(&engine, NULL, &error));
    g_assert_true(err_is(error, ERR_LATER));
    g_assert_cmpuint(count_effects(engine.db, false), ==, 1);
    g_assert_true(recover_sweep(&engine, &stats, NULL));
    g_assert_cmpuint(stats.effects, ==, 0);

    place(home, "", NULL);
    g_assert_true(recover_sweep(&engine, &stats, NULL));
    g_assert_cmpuint(stats.effects, ==, 1);
    db_close(engine.db);
    test_home_free(home);
}

static void
make_old_file(const char *dir, const char *name)
{
    const struct utimbuf old = {1000, 1000};
    g_autofree char *path = g_build_filename(dir, name, NULL);

    test_write(dir, name, "x");
    g_assert_cmpint(utime(path, &old), ==, 0);
}

/* What dead processes left is removed, once an hour; what is fresh stays. */
static void
test_sweep(void)
{
    Home *home = test_home_new();
    Engine engine = {.home = home, .db = test_db_open(home, DB_WRITE)};
    g_autofree char *state = g_build_filename(home->path, "state", NULL);
    g_autofree char *tmp = g_build_filename(home->path, "mail", "envoy", "tmp", NULL);
    RecoverStats stats;

    place(home, "", NULL);
    make_old_file(state, ".postrider-tmp-0123456789abcdef");
    make_old_file(tmp, "P1Q1.postrider");
    test_write(state, ".postrider-tmp-fedcba9876543210", "x");
    g_assert_true(recover_sweep(&engine, &stats, NULL));
    g_assert_cmpuint(stats.tmp, ==, 2);
    g_assert_cmpuint(stats.jobs, ==, 0);

    make_old_file(tmp, "P1Q2.postrider");
    g_assert_true(recover_sweep(&engine, &stats, NULL));
    g_assert_cmpuint(stats.tmp, ==, 0);
    home->clock.fixed_wall_us += 3600 * USEC_PER_SEC;
    g_assert_true(recover_sweep(&engine, &stats, NULL));
    g_assert_cmpuint(stats.tmp, ==, 1);
    db_close(engine.db);
    test_home_free(home);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/settle/table", test_table);
    g_test_add_func("/settle/order", test_order);
    g_test_add_func("/settle/no-mailbox", test_no_mailbox);
    g_test_add_func("/settle/sweep", test_sweep);
    return g_test_run();
}
