/* RFC 5256 threads: against the answers of imaptest's sets, by table, and at random. */
#include "mail/thread.h"
#include "mail/maildate.h"
#include "mail/message.h"

/* ---- As text ---- */

static bool
has_siblings(const ThreadNode *node)
{
    return node->parent && node->parent->child->next;
}

/* Closes what ends with this leaf; the next node to write, or NULL at the end of the root. */
static const ThreadNode *
next_after_leaf(GString *out, const ThreadNode *node)
{
    for (; node->parent; node = node->parent) {
        if (!has_siblings(node))
            continue;
        g_string_append_c(out, ')');
        if (node->next) {
            g_string_append_c(out, '(');
            return node->next;
        }
    }
    return NULL;
}

static void
format_root(GString *out, const ThreadNode *root)
{
    g_string_append_c(out, '(');
    for (const ThreadNode *node = root; node;) {
        if (node->mail >= 0)
            g_string_append_printf(out, "%d", node->mail + 1);
        if (!node->child) {
            node = next_after_leaf(out, node);
            continue;
        }
        if (node->mail >= 0)
            g_string_append_c(out, ' ');
        node = node->child;
        if (has_siblings(node))
            g_string_append_c(out, '(');
    }
    g_string_append_c(out, ')');
}

/* "(1 2)(3 (4)(5))" with 1-based numbers, as an IMAP server writes it; caller frees. */
static char *
format_forest(const ThreadForest *f)
{
    GString *out = g_string_new(NULL);

    for (const ThreadNode *root = thread_roots(f); root; root = root->next)
        format_root(out, root);
    return g_string_free(out, FALSE);
}

/* ---- By table ---- */

typedef struct Row {
    const char *id, *refs, *subject;
    int date;
} Row;

static const struct {
    const char *name;
    Row rows[8]; /* ends with a date of 0 */
    const char *want;
    const char *want_without_subject; /* NULL: the same */
} tables[] = {
    {"empty", {{0}}, "", NULL},
    {"one", {{"a", NULL, "x", 1}}, "(1)", NULL},
    {"chain",
     {{"a", NULL, "x", 1}, {"b", "a", "Re: x", 2}, {"c", "a b", "Re: x", 3}},
     "(1 2 3)",
     NULL},
    {"fork", {{"a", NULL, "", 1}, {"b", "a", "", 3}, {"c", "a", "", 2}}, "(1 (3)(2))", NULL},
    {"late-parent", {{"b", "a", "", 2}, {"a", NULL, "", 1}}, "(2 1)", NULL},
    {"self", {{"a", "a", "", 1}}, "(1)", NULL},
    {"pair-loop", {{"a", "b", "", 1}, {"b", "a", "", 2}}, "(2 1)", NULL},
    {"refs-loop", {{"a", "b c b", "", 1}}, "(1)", NULL},
    {"hole",
     {{"a", NULL, "", 1}, {"c", "a b", "", 2}, {"d", "a b", "", 3}},
     "(1 (2)(3))",
     NULL},
    {"holder", {{"b", "a", "", 1}, {"c", "a", "", 2}}, "((1)(2))", NULL},
    {"deep-holder",
     {{"c", "a b", "", 1}, {"d", "a b", "", 2}, {"e", "a", "", 3}},
     "((1)(2)(3))",
     NULL},
    {"no-ids", {{NULL, NULL, "", 2}, {"", NULL, "", 1}}, "(2)(1)", NULL},
    {"by-subject", {{"a", NULL, "x", 1}, {"b", NULL, "RE: X", 2}}, "(1 2)", "(1)(2)"},
    {"reply-first", {{"a", NULL, "Re: x", 1}, {"b", NULL, "x", 2}}, "(2 1)", "(1)(2)"},
    {"same-subject", {{"a", NULL, "x", 1}, {"b", NULL, "x", 2}}, "((1)(2))", "(1)(2)"},
    {"two-replies", {{"a", NULL, "Re: x", 1}, {"b", NULL, "Fwd: x", 2}}, "((1)(2))", "(1)(2)"},
    {"three-same",
     {{"a", NULL, "x", 1}, {"b", NULL, "x", 2}, {"c", NULL, "x", 3}},
     "((1)(2)(3))",
     "(1)(2)(3)"},
    {"list-tag", {{"a", NULL, "[l] x", 1}, {"b", NULL, "x", 2}}, "((1)(2))", "(1)(2)"},
    {"list-tag-reply", {{"a", NULL, "x", 1}, {"b", NULL, "[l] Re: x", 2}}, "(1 2)", "(1)(2)"},
    {"fwd-trailer", {{"a", NULL, "x", 1}, {"b", NULL, "x (fwd)", 2}}, "(1 2)", "(1)(2)"},
    {"holder-joins",
     {{"a", "z", "x", 2}, {"b", "z", "x", 3}, {"c", NULL, "x", 1}},
     "((3)(1)(2))",
     "(3)((1)(2))"},
    {"holders-join",
     {{"a", "z", "x", 1}, {"b", "z", "x", 4}, {"c", "y", "x", 2}, {"d", "y", "x", 3}},
     "((1)(3)(4)(2))",
     "((1)(2))((3)(4))"},
    {"three-holders-join",
     {{"a", "z", "x", 1},
      {"b", "z", "x", 6},
      {"c", "y", "x", 2},
      {"d", "y", "x", 5},
      {"e", "w", "x", 3},
      {"f", "w", "x", 4}},
     "((1)(3)(5)(6)(4)(2))",
     "((1)(2))((3)(4))((5)(6))"},
    {"no-subject", {{"a", NULL, "", 1}, {"b", NULL, "Re:", 2}}, "(1)(2)", NULL},
};

static void
test_tables(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(tables); i++) {
        g_autoptr(GPtrArray) keep =
            g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);
        ThreadMail mails[8] = {0};
        size_t n = 0;
        for (; n < 8 && tables[i].rows[n].date; n++) {
            const Row *row = &tables[i].rows[n];
            GPtrArray *refs = g_ptr_array_new_with_free_func(g_free);
            g_auto(GStrv) words = g_strsplit(row->refs ? row->refs : "", " ", 0);
            for (char **w = words; *w; w++)
                g_ptr_array_add(refs, g_strdup(*w));
            g_ptr_array_add(keep, refs);
            mails[n] = (ThreadMail){row->id, refs, row->subject, row->date};
        }
        g_autoptr(ThreadForest) f = thread_references(mails, n, true);
        g_autoptr(ThreadForest) bare = thread_references(mails, n, false);
        g_autofree char *text = format_forest(f), *bare_text = format_forest(bare);
        g_test_message("%s", tables[i].name);
        g_assert_cmpstr(text, ==, tables[i].want);
        g_assert_cmpstr(bare_text, ==,
                        tables[i].want_without_subject ? tables[i].want_without_subject
                                                       : tables[i].want);
    }
}

/* ---- Shape ---- */

/* Each mail stands there once, parents and children agree; returns the depth. */
static size_t
check_forest(const ThreadForest *f, size_t n)
{
    g_autofree bool *seen = g_new0(bool, n + 1);
    size_t n_seen = 0, depth = 1, deepest = 0;

    for (const ThreadNode *node = thread_roots(f); node;) {
        if (node->mail >= 0) {
            g_assert_false(seen[node->mail]);
            seen[node->mail] = true;
            n_seen++;
        } else {
            g_assert_null(node->parent);
            g_assert_nonnull(node->child);
            g_assert_nonnull(node->child->next);
        }
        deepest = MAX(deepest, depth);
        if (node->child) {
            g_assert_true(node->child->parent == node);
            node = node->child;
            depth++;
            continue;
        }
        while (node && !node->next) {
            node = node->parent;
            depth--;
        }
        if (node) {
            g_assert_true(node->next->parent == node->parent);
            node = node->next;
        }
    }
    g_assert_cmpuint(n_seen, ==, n);
    return deepest;
}

/* ---- Deep and wide ---- */

typedef enum Order { ORDER_UP, ORDER_DOWN, ORDER_MIXED } Order;

static void
test_deep(gconstpointer data)
{
    Order order = (Order)GPOINTER_TO_INT(data);
    const size_t n = 100000;
    g_autofree ThreadMail *mails = g_new0(ThreadMail, n);
    g_autoptr(GPtrArray) ids = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) keep =
        g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);
    GRand *rand = g_rand_new_with_seed(3);

    for (size_t i = 0; i < n; i++)
        g_ptr_array_add(ids, g_strdup_printf("%zu@x", i));
    for (size_t i = 0; i < n; i++) {
        GPtrArray *refs = g_ptr_array_new();
        if (i > 0)
            g_ptr_array_add(refs, ids->pdata[i - 1]);
        g_ptr_array_add(keep, refs);
        mails[order == ORDER_DOWN ? n - 1 - i : i] =
            (ThreadMail){ids->pdata[i], refs, "same", (int64_t)i};
    }
    for (size_t i = n - 1; order == ORDER_MIXED && i > 0; i--) {
        size_t k = (size_t)g_rand_int_range(rand, 0, (int)i + 1);
        ThreadMail t = mails[i];
        mails[i] = mails[k];
        mails[k] = t;
    }
    g_rand_free(rand);
    g_autoptr(ThreadForest) f = thread_references(mails, n, true);
    g_assert_cmpuint(check_forest(f, n), ==, n);
    g_autofree char *text = format_forest(f);
    g_assert_null(strchr(text + 1, '('));
}

static void
test_random(void)
{
    static const char *const ids[] = {"a", "b", "c", "d", "e", "f", "g", "h", "", NULL};
    static const char *const subjects[] = {"x", "Re: x", "y", "Fwd: y", "", NULL, "[l] x"};
    GRand *rand = g_rand_new_with_seed(11);

    for (unsigned round = 0; round < 20000; round++) {
        ThreadMail mails[12];
        g_autoptr(GPtrArray) keep =
            g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);
        size_t n = (size_t)g_rand_int_range(rand, 0, G_N_ELEMENTS(mails) + 1);
        for (size_t i = 0; i < n; i++) {
            GPtrArray *refs = g_ptr_array_new();
            for (int k = g_rand_int_range(rand, 0, 5); k > 0; k--)
                g_ptr_array_add(refs, (void *)ids[g_rand_int_range(rand, 0, 8)]);
            g_ptr_array_add(keep, refs);
            mails[i] = (ThreadMail){ids[g_rand_int_range(rand, 0, G_N_ELEMENTS(ids))], refs,
                                    subjects[g_rand_int_range(rand, 0, G_N_ELEMENTS(subjects))],
                                    g_rand_int_range(rand, 0, 4)};
        }
        for (int by_subject = 0; by_subject < 2; by_subject++) {
            g_autoptr(ThreadForest) f = thread_references(mails, n, by_subject);
            check_forest(f, n);
            g_autofree char *text = format_forest(f);
            g_assert_cmpint(n == 0, ==, text[0] == '\0');
        }
    }
    g_rand_free(rand);
}

/* A long chain, and many mails that each ask to hang another tree below its end: the search for
 * loops must not cost their product. */
static void
test_hostile(void)
{
    const size_t half = 60000, n = 2 * half;
    g_autofree ThreadMail *mails = g_new0(ThreadMail, n);
    g_autoptr(GPtrArray) ids = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) keep =
        g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);

    for (size_t i = 0; i < n; i++)
        g_ptr_array_add(ids, g_strdup_printf("%zu@x", i));
    for (size_t i = 0; i < n; i++) {
        GPtrArray *refs = g_ptr_array_new();
        if (i > 0 && i < half)
            g_ptr_array_add(refs, ids->pdata[i - 1]);
        if (i >= half) {
            g_ptr_array_add(refs, ids->pdata[half - 1]);
            g_ptr_array_add(refs, ids->pdata[n - 1 - (i - half)]);
        }
        g_ptr_array_add(keep, refs);
        mails[i] = (ThreadMail){ids->pdata[i], refs, "", (int64_t)i};
    }
    g_autoptr(ThreadForest) f = thread_references(mails, n, true);
    check_forest(f, n);
}

/* ---- imaptest's sets ---- */

typedef struct Mailbox {
    GPtrArray *source;   /* of Message, as the mbox has them */
    GPtrArray *messages; /* of Message, borrowed: those that are in the mailbox */
    unsigned next;       /* of source, for "append" */
} Mailbox;

/* "From x  Fri Feb 22 23:00:00 2008 +0200" says when the mail came. */
static int64_t
parse_from_line(const char *line)
{
    char day[4], month[4], date[11], zone[6] = "+0000";
    int mday, year;
    int64_t us = 0;

    g_assert_cmpint(
        sscanf(line, "From %*s %3s %3s %d %10s %d %5s", day, month, &mday, date, &year, zone),
        >=, 5);
    g_autofree char *text =
        g_strdup_printf("%s, %d %s %d %s %s", day, mday, month, year, date, zone);
    g_assert_true(maildate_parse(text, &us));
    return us;
}

static GPtrArray *
read_mbox(const char *path)
{
    g_autofree char *text = NULL;
    g_autoptr(GError) error = NULL;
    GPtrArray *mails = g_ptr_array_new_with_free_func((GDestroyNotify)message_free);

    g_assert_true(g_file_get_contents(path, &text, NULL, &error));
    for (const char *p = text; p && *p;) {
        const char *next = strstr(p, "\n\nFrom ");
        const char *start = strchr(p, '\n') + 1;
        size_t len = next ? (size_t)(next + 1 - start) : strlen(start);
        Message *m = message_parse(start, len, MESSAGE_HEADERS, NULL);
        if (m->date_us == 0)
            m->date_us = parse_from_line(p);
        g_ptr_array_add(mails, m);
        p = next ? next + 2 : NULL;
    }
    return mails;
}

static char *
answer(const Mailbox *box)
{
    g_autofree ThreadMail *mails = g_new0(ThreadMail, box->messages->len + 1);

    for (unsigned i = 0; i < box->messages->len; i++) {
        const Message *m = box->messages->pdata[i];
        mails[i] = (ThreadMail){m->flags & MSG_NO_ID ? NULL : m->id, m->references, m->subject,
                                m->date_us};
    }
    g_autoptr(ThreadForest) f = thread_references(mails, box->messages->len, true);
    check_forest(f, box->messages->len);
    return format_forest(f);
}

static void
delete_messages(Mailbox *box, const char *numbers)
{
    g_auto(GStrv) list = g_strsplit(numbers, ",", 0);

    for (unsigned i = g_strv_length(list); i-- > 0;)
        g_ptr_array_remove_index(box->messages, (unsigned)atoi(list[i]) - 1);
}

/* Plays one script; every answer in it must be ours. Returns how many there were. */
static unsigned
play(const char *script, Mailbox *box)
{
    g_auto(GStrv) lines = g_strsplit(script, "\n", 0);
    g_autofree char *have = NULL;
    unsigned n = 0;

    for (char **line = lines; *line; line++) {
        g_auto(GStrv) words = g_strsplit(*line, " ", 0);
        if (g_str_has_prefix(*line, "messages: all"))
            for (; box->next < box->source->len; box->next++)
                g_ptr_array_add(box->messages, box->source->pdata[box->next]);
        else if (strcmp(*line, "ok append") == 0)
            g_ptr_array_add(box->messages, box->source->pdata[box->next++]);
        else if (g_str_has_prefix(*line, "ok store "))
            delete_messages(box, words[2]);
        else if (g_str_has_prefix(*line, "ok thread ")) {
            g_free(have);
            have = answer(box);
        } else if (g_ascii_strncasecmp(*line, "* thread ", 9) == 0) {
            g_assert_cmpstr(have, ==, *line + 9);
            n++;
        }
    }
    return n;
}

static char *
find_corpora(void)
{
    const char *env = g_getenv("POSTRIDER_CORPORA");

    if (env)
        return g_build_filename(env, "threads", NULL);
    return g_test_build_filename(G_TEST_DIST, "..", "..", "..", "shared", "corpora", "threads",
                                 NULL);
}

static void
test_corpus(void)
{
    g_autofree char *path = find_corpora();
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    const char *name;
    unsigned n = 0;

    if (!dir) {
        g_test_skip("no corpora/threads: set POSTRIDER_CORPORA to their folder");
        return;
    }
    while ((name = g_dir_read_name(dir))) {
        g_autofree char *mbox_name = g_strconcat(name, ".mbox", NULL);
        g_autofree char *mbox = g_build_filename(path, mbox_name, NULL);
        g_autofree char *file = g_build_filename(path, name, NULL);
        g_autofree char *script = NULL;
        if (!g_file_test(mbox, G_FILE_TEST_EXISTS))
            continue;
        g_assert_true(g_file_get_contents(file, &script, NULL, NULL));
        if (strstr(script, "THREAD=ORDEREDSUBJECT"))
            continue; /* nobody is shown mail in that way */
        g_test_message("%s", name);
        g_autoptr(GPtrArray) source = read_mbox(mbox);
        g_autoptr(GPtrArray) messages = g_ptr_array_new();
        Mailbox box = {.source = source, .messages = messages};
        n += play(script, &box);
    }
    g_test_message("%u answers agree", n);
    g_assert_cmpuint(n, >=, 10);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/thread/tables", test_tables);
    g_test_add_func("/thread/corpus", test_corpus);
    g_test_add_func("/thread/random", test_random);
    g_test_add_func("/thread/hostile", test_hostile);
    g_test_add_data_func("/thread/deep/up", GINT_TO_POINTER(ORDER_UP), test_deep);
    g_test_add_data_func("/thread/deep/down", GINT_TO_POINTER(ORDER_DOWN), test_deep);
    g_test_add_data_func("/thread/deep/mixed", GINT_TO_POINTER(ORDER_MIXED), test_deep);
    return g_test_run();
}
