#include "mail/parents.h"
#include "base/limits.h"
#include "mail/msgid.h"

GPtrArray *
parents_of(const Message *m)
{
    const char *header = message_header(m, "In-Reply-To");

    return msgid_parse_list(header ? header : "", PARENTS_MAX);
}

static void
put_in_front(GPtrArray *ids, const char *id)
{
    if (!g_ptr_array_find_with_equal_func(ids, id, g_str_equal, NULL))
        g_ptr_array_insert(ids, 0, g_strdup(id));
}

/* chains: as in parents_thread(), without those whose parent is left out. */
static GPtrArray *
join_references(const GPtrArray *chains)
{
    GPtrArray *all = g_ptr_array_new_with_free_func(g_free);

    for (guint i = chains->len; i-- > 1;) {
        const GPtrArray *chain = g_ptr_array_index(chains, i);
        put_in_front(all, chain->pdata[chain->len - 1]);
    }
    const GPtrArray *first = g_ptr_array_index(chains, 0);
    for (guint n = 0; n < first->len; n++) {
        guint at;
        if (g_ptr_array_find_with_equal_func(all, first->pdata[n], g_str_equal, &at))
            g_ptr_array_remove_index(all, at);
        g_ptr_array_add(all, g_strdup(first->pdata[n]));
    }
    for (guint i = 1; i < chains->len; i++) {
        const GPtrArray *chain = g_ptr_array_index(chains, i);
        for (guint n = chain->len - 1; n-- > 0 && all->len < LIMIT_REFERENCES;)
            put_in_front(all, chain->pdata[n]);
    }
    return all;
}

bool
parents_thread(Compose *c, const GPtrArray *ids, const GPtrArray *chains, GError **error)
{
    g_autoptr(GPtrArray) parents = g_ptr_array_new(), theirs = g_ptr_array_new();

    for (guint i = 0; i < ids->len; i++) {
        if (!msgid_is_writable(ids->pdata[i]))
            continue;
        g_ptr_array_add(parents, ids->pdata[i]);
        g_ptr_array_add(theirs, chains->pdata[i]);
    }
    if (parents->len == 0) /* ancestors alone still say to which thread it belongs */
        return compose_thread(c, NULL, chains->len ? chains->pdata[0] : NULL, error);
    g_autoptr(GPtrArray) references = join_references(theirs);
    if (!compose_thread(c, parents->pdata[0], references, error))
        return false;
    for (guint i = 1; i < parents->len; i++)
        if (!compose_answer_too(c, parents->pdata[i], error))
            return false;
    return true;
}
