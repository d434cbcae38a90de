/* Mail that inotify names: taken in once, whatever happened to it since. */
#include "../store/testhome.h"
#include "cli/faces.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/in/intake.h"
#include "mail/maildir.h"
#include "store/mail/mailbox_visit.h"

typedef struct Rig {
    Home *home;
    Engine *engine;
    Intake *intake;
    const ConfRole *role;
} Rig;

static void
rig_open(Rig *r, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(Maildir) md = NULL;

    r->home = test_home_new();
    g_assert_true(engine_open(r->home, &cli_parts, &r->engine, &error));
    r->role = config_role(r->home->config, "envoy");
    g_assert_true(maildir_open(r->home->mail_fd, "envoy", true, &md, &error));
    Txn txn = test_begin(r->engine->db);
    g_assert_true(mailbox_set_visited(&txn, "envoy", &error));
    test_commit(&txn);
    intake_open(r->engine, &r->home->config->accounts[0], 0, &r->intake, &error);
    g_assert_no_error(error);
}

static void
rig_close(Rig *r, gconstpointer data)
{
    intake_close(r->intake);
    engine_close(r->engine);
    test_home_free(r->home);
}

static void
put(Rig *r, const char *file)
{
    g_autofree char *dir = g_build_filename(r->home->path, "mail", "envoy", NULL);
    g_autofree char *text =
        g_strdup_printf("From: x@y.org\nMessage-ID: <%s@y.org>\n\nhi\n", strchr(file, '/') + 1);

    test_write(dir, file, text);
}

static IntakeStats
take(Rig *r, const char *const *names)
{
    g_autoptr(GPtrArray) files = g_ptr_array_new();
    g_autoptr(GError) error = NULL;
    IntakeStats stats = {0};

    for (; *names; names++)
        g_ptr_array_add(files, (gpointer)*names);
    intake_files(r->intake, r->role, files, &stats, &error);
    g_assert_no_error(error);
    return stats;
}

static char *
count_forged(Rig *r)
{
    char *n = NULL;

    g_assert_true(meta_get(r->engine->db, CHECKPOINT_FORGED, &n, NULL));
    return n;
}

/* A continuation that we did not sign is counted, and other mail is not. */
static void
test_forged(Rig *r, gconstpointer data)
{
    static const char forged[] =
        "From: x@y.org\nMessage-ID: <f@y.org>\nMIME-Version: 1.0\n"
        "Content-Type: multipart/mixed; boundary=B\n\n--B\n\nhello\n"
        "--B\nContent-Type: application/json\n"
        "Content-Disposition: attachment; filename=continuation.json\n\n"
        "{\"type\": \"continuation\", \"total_iterations\": 0}\n--B--\n";
    g_autofree char *dir = g_build_filename(r->home->path, "mail", "envoy", NULL);

    put(r, "new/1");
    g_assert_cmpuint(take(r, (const char *const[]){"new/1", NULL}).taken, ==, 1);
    g_autofree char *before = count_forged(r);
    g_assert_cmpstr(before, ==, NULL);
    test_write(dir, "new/2", forged);
    g_assert_cmpuint(take(r, (const char *const[]){"new/2", NULL}).taken, ==, 1);
    g_autofree char *after = count_forged(r);
    g_assert_cmpstr(after, ==, "1");
}

static void
test_named(Rig *r, gconstpointer data)
{
    static const char *const first[] = {"new/1", "new/1", "new/gone", "cur/2:2,S", NULL};
    static const char *const again[] = {"cur/1:2,S", "new/3", NULL};
    IntakeStats all = {0};
    g_autoptr(GError) error = NULL;
    g_autofree char *mail = g_build_filename(r->home->path, "mail", "envoy", NULL);
    g_autofree char *from = g_build_filename(mail, "new", "1", NULL);
    g_autofree char *to = g_build_filename(mail, "cur", "1:2,S", NULL);

    put(r, "new/1");
    put(r, "cur/2:2,S");
    put(r, "new/3");
    g_assert_cmpuint(take(r, first).taken, ==, 2);

    /* A client has read it: another name, the same mail. */
    g_assert_cmpint(g_rename(from, to), ==, 0);
    g_assert_cmpuint(take(r, again).taken, ==, 1);

    /* The look at everything finds nothing that was missed. */
    intake_mailbox(r->intake, r->role, &all, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(all.seen, ==, 3);
    g_assert_cmpuint(all.taken, ==, 0);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add("/arrivals/forged", Rig, NULL, rig_open, test_forged, rig_close);
    g_test_add("/arrivals/named", Rig, NULL, rig_open, test_named, rig_close);
    return g_test_run();
}
