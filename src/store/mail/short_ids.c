#include "store/mail/short_ids.h"
#include "base/list.h"
#include "store/sql.h"

#define TYPED_MIN 4

struct ShortIds {
    GPtrArray *handles; /* of char *, sorted, each once */
};

/* "tag@domain" of <generation.number.tag@domain>, else the id itself. */
static const char *
handle_of(const char *id)
{
    static const char digits[] = "0123456789";
    size_t a = strspn(id, digits);
    size_t b = id[a] == '.' ? strspn(id + a + 1, digits) : 0;
    const char *tag = a && b ? id + a + 1 + b : "";

    return *tag == '.' ? tag + 1 : id;
}

static int
compare(gconstpointer a, gconstpointer b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

bool
short_ids_load(Db *db, ShortIds **ret, GError **error)
{
    g_autoptr(GPtrArray) ids = NULL;

    if (!sql_strings(db, "SELECT msgid FROM message UNION SELECT msgid FROM outbox", &ids,
                     error, ""))
        return false;
    LIST_EACH(char, id, ids) {
        const char *handle = handle_of(id);
        memmove(id, handle, strlen(handle) + 1);
    }
    g_ptr_array_sort(ids, compare);
    *ret = g_new0(ShortIds, 1);
    (*ret)->handles = g_steal_pointer(&ids);
    return true;
}

void
short_ids_free(ShortIds *s)
{
    if (s)
        g_ptr_array_unref(s->handles);
    g_free(s);
}

static size_t
in_common(const char *a, const char *b)
{
    size_t n = 0;

    while (a[n] && a[n] == b[n])
        n++;
    return n;
}

/* The first that is not before it. */
static guint
place_of(const ShortIds *s, const char *handle)
{
    guint low = 0, high = s->handles->len;

    while (low < high) {
        guint middle = low + (high - low) / 2;
        if (strcmp(g_ptr_array_index(s->handles, middle), handle) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

char *
short_id(const ShortIds *s, const char *msgid)
{
    const char *handle = handle_of(msgid);
    size_t n = SHORT_ID_MIN, len = strlen(handle);
    guint at = place_of(s, handle), next = at;

    while (next < s->handles->len && g_str_equal(g_ptr_array_index(s->handles, next), handle))
        next++;
    if (at > 0)
        n = MAX(n, in_common(handle, g_ptr_array_index(s->handles, at - 1)) + 1);
    if (next < s->handles->len)
        n = MAX(n, in_common(handle, g_ptr_array_index(s->handles, next)) + 1);
    n = MAX(n, strspn(handle, "0123456789") + 1);
    while (n < len && ((unsigned char)handle[n] & 0xC0) == 0x80)
        n++; /* not in the middle of a character */
    return g_strndup(handle, n);
}

/* The id begins with the text that was typed, or one of its parts does. */
#define MAY_BE "(substr(msgid, 1, length(?1)) = ?1 OR " SQL_CONTAINS("msgid", "'.' || ?1") ") "

bool
short_id_find(Db *db, const char *text, unsigned max, GPtrArray **ret, GError **error)
{
    const char *typed = *text == '<' ? text + 1 : text;

    return sql_strings(db,
                       "SELECT msgid FROM message WHERE " MAY_BE
                       "UNION SELECT msgid FROM outbox WHERE " MAY_BE "LIMIT ?2",
                       ret, error, "si", typed,
                       strlen(typed) >= TYPED_MIN ? (int64_t)max + 1 : (int64_t)0);
}
