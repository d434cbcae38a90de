/* What of a space may not pass, to whom, and what passes all the same. */
#include "engine/run/space_wall.h"
#include "store/note/note_versions.h"
#include "store/out/outbox.h"
#include "store/spaces.h"
#include "testwork.h"

#define RED "The red team sells the house by the lake before spring."
#define WROTE "We told the red team that nobody has paid for the roof."
#define BLUE "The blue team will buy a house by a lake at any price."
#define SAID "Everybody knows that the town builds a road to the lake."
#define MINTED "g1.1.abcdefghij@example.org"

static const char settings[] = "[postrider]\nowner = ann@example.org\ndomain = example.org\n"
                               "[brain b]\nkind = script\n"
                               "[role envoy]\naddress = envoy@example.org\nbrain = b\n"
                               "[role scribe]\naddress = scribe@example.org\nbrain = b\n"
                               "[role clerk]\naddress = clerk@example.org\nbrain = b\n";

/* A mail of the job that came from the space; NULL: from none. */
static void
take_in(TestWork *w, const char *space, const char *id, const char *head, const char *text)
{
    g_autofree char *raw =
        g_strdup_printf("From: ann@example.org\nTo: envoy@example.org\nSubject: s\n"
                        "Message-ID: <%s>\n%s\n%s\n",
                        id, head, text);
    g_autofree char *file = work_file(w, "envoy", raw);
    g_autoptr(Message) m = message_parse(raw, strlen(raw), MESSAGE_TEXT, NULL);
    g_autoptr(GError) error = NULL;
    MsgNew in = {.role = "envoy",
                 .account = "main",
                 .folder = "",
                 .file = file,
                 .mail = m,
                 .trust = TRUST_PRINCIPAL,
                 .floor = TRUST_PRINCIPAL,
                 .class = MSG_TASK,
                 .state = MSG_STORED,
                 .round = 1,
                 .space = space};
    Txn txn = test_begin(w->engine.db);
    MsgId row;
    bool fresh;

    g_assert_true(messages_thread(&txn, m, &in.thread, &error));
    g_assert_true(messages_store(&txn, &in, &row, &fresh, &error));
    g_assert_true(messages_set_job(&txn, row, w->id, 1, &error));
    g_assert_no_error(error);
    test_commit(&txn);
}

/* A mail that the job wrote to the space red. */
static void
write_to_red(TestWork *w)
{
    static const char raw[] = "From: envoy@example.org\nTo: red@example.org\nSubject: s\n"
                              "Message-ID: <" MINTED ">\n\n" WROTE "\n";
    const OutTo to = {.address = "scribe@example.org", .mailbox = "scribe", .folder = ""};
    g_autoptr(GBytes) bytes = g_bytes_new_static(raw, sizeof raw - 1);
    const OutMail mail = {.msgid = MINTED,
                          .from = "envoy@example.org",
                          .subject = "s",
                          .bytes = bytes,
                          .level = TRUST_PRINCIPAL,
                          .job = w->id,
                          .round = 1,
                          .space = "red",
                          .to = &to,
                          .n_to = 1};
    g_autoptr(GError) error = NULL;
    Txn txn = test_begin(w->engine.db);
    OutId id;

    g_assert_true(outbox_next(&txn, &id, &error) && outbox_put(&txn, id, &mail, &error));
    g_assert_cmpint(id.v, ==, 1);
    test_commit(&txn);
}

/* The job has mail of two spaces, of which it and the scribe are members, and of none. */
static void
world_open(TestWork *w, gconstpointer data)
{
    static const char task[] =
        "From: ann@example.org\nTo: envoy@example.org\nSubject: s\nMessage-ID: <a@x>\n\nGo.\n";
    const char *const members[] = {"envoy", "scribe", NULL};
    g_autoptr(GError) error = NULL;

    work_open(w, data);
    config_free(w->home->config);
    g_assert_true(config_parse(settings, strlen(settings), "t", &w->home->config, &error));
    Txn txn = test_begin(w->engine.db);
    g_assert_true(space_put(&txn, "red", "t", 0, members, &error));
    g_assert_true(space_put(&txn, "blue", "t", 0, members, &error));
    test_commit(&txn);
    work_take_in(w, "envoy", task, TRUST_PRINCIPAL, MSG_STORED);
    take_in(w, "red", "red@x", "", RED);
    take_in(w, "blue", "blue@x", "", BLUE);
    take_in(w, NULL, "said@x", "References: <red@x>\n", SAID "\n" RED " Not so.");
    write_to_red(w);
    work_claim(w);
}

static GPtrArray *
addresses(const char *list)
{
    GPtrArray *to = g_ptr_array_new_with_free_func(g_free);
    g_auto(GStrv) names = g_strsplit(list, " ", -1);

    for (char **name = names; *name; name++)
        g_ptr_array_add(to, g_strconcat(*name, "@example.org", NULL));
    return to;
}

#define LINE_OF(space) "it carries a line of the space '" space "'"

static void
test_text(TestWork *w, gconstpointer data)
{
    static const struct {
        const char *name, *to, *text, *want; /* NULL: it may pass */
    } cases[] = {
        {"a line", "clerk", "So: " BLUE, LINE_OF("blue")},
        {"quoted, and broken elsewhere", "clerk",
         "> The blue team will buy a house\n> by  a lake\n> at any price.", LINE_OF("blue")},
        {"with other words around", "clerk",
         "that team will buy a house by a lake at any price!", LINE_OF("blue")},
        {"40 characters of it", "clerk", "ue team will buy a house by a lake at an",
         LINE_OF("blue")},
        {"39 characters of it", "clerk", "ue team will buy a house by a lake at a", NULL},
        {"what was said in no space", "clerk", SAID, NULL},
        {"what was said in no space too", "clerk", RED, NULL},
        {"what the job wrote there itself", "clerk", WROTE, LINE_OF("red")},
        {"other words", "clerk", "Nobody knows what the teams are going to do.", NULL},
        {"nothing", "clerk", "", NULL},
        {"a member of both", "scribe", BLUE, LINE_OF("blue")},
        {"the space itself", "blue", BLUE, NULL},
        {"the space, and a member of it", "blue scribe", BLUE, NULL},
        {"another space", "red", BLUE, LINE_OF("blue")},
        {"the owner", "ann", BLUE, NULL},
        {"the owner and somebody", "ann clerk", BLUE, LINE_OF("blue")},
        {"an id", "clerk", "see <red@x>", "it names <red@x>, a mail of the space 'red'"},
        {"an id of no space", "clerk", "see <said@x>", NULL},
        {"an id of ours", "clerk", "see " MINTED, "it names mail 1 of the space 'red'"},
        {"the middle of it", "clerk", "see x.1.abcdef", "it names mail 1 of the space 'red'"},
        {"less of it", "clerk", "see x.1.abcde", NULL},
        {"with another tag", "clerk", "see x.1.fedcba", NULL},
        {"with another number", "clerk", "see x.2.abcdef and 3.14", NULL},
        {"with number 0", "clerk", "see x.0.abcdef", NULL},
        {"a link", "clerk", "see spaces/red/plan.", "it leads to 'spaces/red/plan.', a note"},
        {"a link to no space of the job", "clerk", "see spaces/green/plan", NULL},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GPtrArray) to = addresses(cases[i].to);
        const WallReaders readers = {.to = to};
        g_autoptr(SpaceWall) wall = NULL;
        g_autoptr(GError) error = NULL;
        g_autofree char *why = NULL;

        g_test_message("%s", cases[i].name);
        space_wall_new(&w->engine, w->job, &w->in, &readers, &wall, &error);
        g_assert_no_error(error);
        space_wall_look(wall, cases[i].text, &why, &error);
        g_assert_no_error(error);
        if (cases[i].want)
            g_assert_nonnull(why);
        else
            g_assert_cmpstr(why, ==, NULL);
        g_assert_true(!why || g_str_has_prefix(why, cases[i].want));
    }
}

/* An answer names its parent, and those to which the parent refers. */
static void
test_parent(TestWork *w, gconstpointer data)
{
    static const struct {
        const char *name, *parent, *too, *want;
    } cases[] = {
        {"of no space", "a@x", NULL, NULL},
        {"nobody has it", "gone@x", NULL, NULL},
        {"of the space", "red@x", NULL, "it names <red@x>"},
        {"it refers to the space", "said@x", NULL, "it names <red@x>"},
        {"another parent refers to it", "a@x", "said@x", "it names <red@x>"},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GPtrArray) to = addresses("clerk");
        g_autoptr(Proposal) p = proposal_new(PROPOSE_COMPLETE);
        ProposedMail *mail = proposal_add_mail(p);
        g_autoptr(GError) error = NULL;
        g_autofree char *why = NULL;

        g_test_message("%s", cases[i].name);
        mail->in_reply_to = g_strdup(cases[i].parent);
        mail->body = g_strdup("Thanks.");
        if (cases[i].too)
            g_ptr_array_add(mail->answers_too, g_strdup(cases[i].too));
        space_wall_mail(&w->engine, w->job, &w->in, mail, to, &why, &error);
        g_assert_no_error(error);
        g_assert_cmpint(why != NULL, ==, cases[i].want != NULL);
        g_assert_true(!why || g_str_has_prefix(why, cases[i].want));
    }
}

/* What a step was shown of a space makes its job one of that space. */
static void
test_entered(TestWork *w, gconstpointer data)
{
    static const char shown[] =
        "{\"parts\":[{\"id\":\"spaces/green/plan\",\"version\":1,\"shown\":5,\"bytes\":5}]}";
    const char *const members[] = {"envoy", "scribe", NULL};
    const NoteBy by = {.author = "ann", .label = TRUST_PRINCIPAL};
    g_autoptr(GBytes) body = g_bytes_new_static("text\n", 5);
    g_autoptr(Proposal) p = proposal_new(PROPOSE_CONTINUE);
    g_autoptr(GArray) verdicts = NULL;
    g_autoptr(GPtrArray) before = NULL, after = NULL;
    g_auto(StepResult) result = {0};
    g_autoptr(GError) error = NULL;
    Txn txn = test_begin(w->engine.db);

    g_assert_true(space_put(&txn, "green", "t", 0, members, &error));
    g_assert_true(note_put(&txn, "spaces/green/plan", body, NOTE_ANY, &by, NULL, &error));
    test_commit(&txn);
    g_assert_true(job_spaces(w->engine.db, w->id, &before, &error));
    g_assert_cmpuint(before->len, ==, 2);
    w->in.manifest = g_bytes_new_static(shown, sizeof shown - 1);
    g_assert_true(policy_check(&w->engine, w->job, &w->in, p, &verdicts, &error));
    bool ok = step_commit(&w->engine, &w->claim, &w->in, p, verdicts, &result, &error);
    g_assert_no_error(error);
    g_assert_true(ok);
    g_assert_true(job_spaces(w->engine.db, w->id, &after, &error));
    g_assert_cmpuint(after->len, ==, 3);
    g_clear_pointer(&w->in.manifest, g_bytes_unref);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add("/space_wall/text", TestWork, NULL, world_open, test_text, work_close);
    g_test_add("/space_wall/parent", TestWork, NULL, world_open, test_parent, work_close);
    g_test_add("/space_wall/entered", TestWork, NULL, world_open, test_entered, work_close);
    return g_test_run();
}
