/* What comes out is text, nothing is left to repair in it, and what was not touched is the
 * same. The links of any text can be found, renamed and removed. */
#include "notes/note_links.h"
#include "notes/repair.h"
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void
check_links(const char *text)
{
    g_autoptr(GPtrArray) links = note_links_find(text);

    for (guint i = 0; i < links->len; i++) {
        const NoteLink *link = g_ptr_array_index(links, i);
        g_autofree char *renamed = note_links_rename(text, link->key, "new/key");
        g_autofree char *removed = note_links_remove(text, link->key);

        g_assert_nonnull(renamed);
        g_assert_nonnull(removed);
        g_assert_true(link->from <= link->start && link->start < link->end &&
                      link->end <= link->to && link->to <= strlen(text));
        if (i == 8)
            break; /* each costs a copy of the text */
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    g_autofree char *raw = g_strndup(len > 0 ? (const char *)data : "", len);
    g_autofree char *what = NULL, *again_what = NULL;
    g_autofree char *text = note_repair(raw, &what);

    if (!text) {
        g_assert_nonnull(what);
        return 0;
    }
    g_assert_true(g_utf8_validate(text, -1, NULL));
    if (!what)
        g_assert_cmpstr(text, ==, raw);
    g_autofree char *again = note_repair(text, &again_what);
    g_assert_cmpstr(again, ==, text);
    g_assert_null(again_what);
    check_links(text);
    return 0;
}
