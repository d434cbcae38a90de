/* What would change in a file, as a person reads it: the lines that go and those that come. */
#include "setup/setup.h"

/* The longest common lines of what is left between equal beginnings and ends. */
static guint16 *
common_table(char **a, guint n_a, char **b, guint n_b)
{
    guint16 *table = g_new0(guint16, (gsize)(n_a + 1) * (n_b + 1));
    for (guint i = n_a; i-- > 0;) {
        for (guint k = n_b; k-- > 0;) {
            guint16 *cell = &table[(gsize)i * (n_b + 1) + k];
            const guint16 *below = cell + n_b + 1;
            if (g_str_equal(a[i], b[k]))
                *cell = (guint16)(below[1] + 1);
            else
                *cell = MAX(below[0], cell[1]);
        }
    }
    return table;
}

static void
note_line(GString *out, const char *section, const char **shown, char sign, const char *line)
{
    bool title = *line == '[';
    if (!*line)
        return;
    if (!title && section && section != *shown)
        g_string_append_printf(out, "  %s\n", section);
    *shown = title ? line : section;
    g_string_append_printf(out, "%c %s\n", sign, line);
}

char *
setup_diff(const char *old, const char *new_text)
{
    g_auto(GStrv) a = g_strsplit(old, "\n", -1);
    g_auto(GStrv) b = g_strsplit(new_text, "\n", -1);
    guint n_a = g_strv_length(a), n_b = g_strv_length(b), i = 0, k = 0;
    const char *section = NULL, *shown = NULL;
    GString *out = g_string_new(NULL);
    if (n_a > 4000 || n_b > 4000) /* no settings are that long; the table would be */
        return g_string_free(out, FALSE);
    g_autofree guint16 *table = common_table(a, n_a, b, n_b);
    while (i < n_a || k < n_b) {
        gsize here = (gsize)i * (n_b + 1) + k;
        if (i < n_a && k < n_b && g_str_equal(a[i], b[k])) {
            if (a[i][0] == '[')
                section = a[i];
            i++, k++;
        } else if (k >= n_b || (i < n_a && table[here + n_b + 1] >= table[here + 1])) {
            note_line(out, section, &shown, '-', a[i++]);
        } else {
            if (b[k][0] == '[')
                section = b[k];
            note_line(out, section, &shown, '+', b[k++]);
        }
    }
    return g_string_free(out, FALSE);
}
