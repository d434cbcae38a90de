#include "notes/first_notes.h"
#include "notes/contents.h"

/* {{ROLE}} stands for the role's name, in keys and texts. */
typedef struct FirstNote {
    const char *key;
    const char *about; /* its line in CONTENTS */
    const char *text;
} FirstNote;

#include "notes/first_notes_data.h" /* made of share/notes */

static char *
expand(const char *template, const char *role)
{
    g_autoptr(GString) s = g_string_new(template);

    g_string_replace(s, "{{ROLE}}", role, 0);
    return g_strdup(s->str);
}

static char *
contents_line(const FirstNote *first, const char *role)
{
    g_autofree char *key = expand(first->key, role);
    g_autofree char *about = expand(first->about, role);

    return g_strdup_printf("- [%s](%s) - %s", key, key, about);
}

/* --- writing --- */

/* *ret_ever: there was such a note once, and who deleted it meant it. */
static bool
exists(Txn *txn, const char *key, bool *ret_ever, bool *ret_now, GError **error)
{
    g_autoptr(Note) note = NULL;

    if (!note_look(txn->db, &VIEWER_OPERATOR, key, 0, &note, error))
        return false;
    *ret_ever = note != NULL;
    *ret_now = note && !note->deleted;
    return true;
}

static bool
put(Txn *txn, const char *key, const char *text, bool append, GError **error)
{
    const NoteBy by = {.author = "operator", .label = TRUST_OPERATOR};
    g_autoptr(GBytes) body = g_bytes_new(text, strlen(text));

    return append ? note_append(txn, key, body, &by, NULL, error)
                  : note_put(txn, key, body, NOTE_ABSENT, &by, NULL, error);
}

/* Adds the line for CONTENTS where the note was written. */
static bool
write_note(Txn *txn, const FirstNote *first, const char *role, GString *lines, GError **error)
{
    g_autofree char *key = expand(first->key, role);
    g_autofree char *line = contents_line(first, role);
    g_autofree char *text = expand(first->text, role);
    bool ever, now;

    if (!exists(txn, key, &ever, &now, error))
        return false;
    if (ever)
        return true;
    g_string_append_printf(lines, "%s\n", line);
    return put(txn, key, text, false, error);
}

bool
notes_write_first(Txn *txn, const char *role, GError **error)
{
    g_autoptr(GString) lines = g_string_new(NULL);
    bool ever, now;

    for (size_t i = 0; i < G_N_ELEMENTS(first_notes); i++)
        if (!write_note(txn, &first_notes[i], role, lines, error))
            return false;
    if (lines->len == 0)
        return true;
    if (!exists(txn, CONTENTS_KEY, &ever, &now, error))
        return false;
    if (!now)
        g_string_prepend(lines, contents_head);
    return put(txn, CONTENTS_KEY, lines->str, now, error);
}

/* --- recognising --- */

static bool
is_this(const FirstNote *first, const char *role, const char *key, GBytes *body)
{
    g_autofree char *own_key = expand(first->key, role);
    g_autofree char *text = expand(first->text, role);

    return g_str_equal(own_key, key) && g_bytes_get_size(body) == strlen(text) &&
           memcmp(g_bytes_get_data(body, NULL), text, strlen(text)) == 0;
}

static bool
is_line_of(const char *role, const char *line)
{
    for (size_t i = 0; i < G_N_ELEMENTS(first_notes); i++) {
        g_autofree char *own = contents_line(&first_notes[i], role);
        if (g_str_equal(own, line))
            return true;
    }
    return false;
}

static bool
is_first_line(const char *line)
{
    static const char lead[] = "- [";

    if (!g_str_has_prefix(line, lead))
        return false;
    line += strlen(lead);
    g_autofree char *role = g_strndup(line, strcspn(line, "/]"));
    line -= strlen(lead);
    return note_key_valid(role) && is_line_of(role, line);
}

/* Its head, then lines of notes of any role. */
static bool
is_first_contents(GBytes *body)
{
    g_autofree char *text = g_strndup(g_bytes_get_data(body, NULL), g_bytes_get_size(body));

    if (strlen(text) != g_bytes_get_size(body) || !g_str_has_prefix(text, contents_head))
        return false;
    g_auto(GStrv) lines = g_strsplit(text + strlen(contents_head), "\n", -1);
    for (char **l = lines; *l; l++)
        if ((**l || l[1]) && !is_first_line(*l))
            return false;
    return true;
}

bool
note_is_first(const char *key, GBytes *body)
{
    g_autofree char *role = g_strndup(key, strcspn(key, "/"));

    if (g_str_equal(key, CONTENTS_KEY))
        return is_first_contents(body);
    for (size_t i = 0; i < G_N_ELEMENTS(first_notes); i++)
        if (is_this(&first_notes[i], role, key, body))
            return true;
    return false;
}
