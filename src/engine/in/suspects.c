#include "engine/in/suspects.h"
#include "base/banned.h"
#include "base/clock.h"
#include "base/proc.h"
#include "base/secret.h"
#include "base/text.h"
#include <limits.h>
#include <sys/wait.h>

#define TRIALS 3
#define TRIAL_US                                                                               \
    (30 * USEC_PER_SEC) /* for a parser that does not end; 25 MB take less than 1 s */

/* The mark is a small value of the store: the number of crashes, then a name on each line. */

static char *
meta_name(const char *mailbox)
{
    return g_strdup_printf("intake:%s", mailbox);
}

void
suspects_clear(Suspects *s)
{
    g_clear_pointer(&s->files, g_hash_table_unref);
}

bool
suspects_load(Engine *engine, const char *mailbox, Suspects *ret, GError **error)
{
    g_autofree char *name = meta_name(mailbox);
    g_autofree char *value = NULL;
    if (!meta_get(engine->db, name, &value, error))
        return false;
    *ret = (Suspects){.files = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL)};
    if (!value)
        return true;
    g_auto(GStrv) lines = g_strsplit(value, "\n", -1);
    int64_t crashes;
    if (lines[0] && text_parse_int(lines[0], 0, INT_MAX - 1, &crashes))
        ret->crashes = (int)crashes;
    for (char **l = lines[0] ? lines + 1 : lines; *l; l++)
        g_hash_table_add(ret->files, g_strdup(*l));
    return true;
}

bool
suspects_mark(
    Engine *engine, const char *mailbox, const GPtrArray *files, int crashes, GError **error)
{
    g_autofree char *name = meta_name(mailbox);
    g_autoptr(GString) value = g_string_new(NULL);
    g_string_append_printf(value, "%d", crashes);
    for (guint i = 0; i < files->len; i++)
        g_string_append_printf(value, "\n%s", (const char *)g_ptr_array_index(files, i));
    g_auto(Txn) txn = {0};
    return txn_begin(engine->db, TXN_LAZY, DB_WAIT_MS, &txn, error) &&
           meta_set(&txn, name, value->str, error) && txn_commit(&txn, error);
}

bool
suspects_wipe(Txn *txn, const char *mailbox, GError **error)
{
    g_autofree char *name = meta_name(mailbox);
    return meta_set(txn, name, NULL, error);
}

/* Where no child can be made there is no proof. */
static bool
ends_a_child(const Home *home, const char *program, GBytes *raw)
{
    const char *const argv[] = {program, home->path, NULL};
    g_auto(GStrv) env = secret_environ();
    const ProcSpec spec = {.argv = argv,
                           .env = (const char *const *)env,
                           .input = raw,
                           .limits = {.time_us = TRIAL_US}};
    g_autoptr(Proc) child = NULL;
    if (!proc_run(&spec, &child, NULL))
        return false;
    const ProcEnd *end = proc_result(child);
    return end->timed_out || WIFSIGNALED(end->status);
}

bool
suspects_convict(const Home *home, GBytes *raw)
{
    g_autofree char *program = proc_helper_path("postrider-parse", NULL);
    for (int i = 0; i < TRIALS; i++)
        if (!program || !ends_a_child(home, program, raw))
            return false;
    return true;
}
