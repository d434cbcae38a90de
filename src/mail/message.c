#include "mail/message.h"

#include "mail/mime/header.h"

Message *
message_ref(Message *m)
{
    m->shared++;
    return m;
}

void
message_free(Message *m)
{
    if (!m)
        return;
    if (m->shared > 0) {
        m->shared--;
        return;
    }
    address_free(m->from);
    g_clear_pointer(&m->references, g_ptr_array_unref);
    g_clear_pointer(&m->to, addresses_free);
    g_clear_pointer(&m->cc, addresses_free);
    g_clear_pointer(&m->reply_to, addresses_free);
    g_clear_pointer(&m->headers, g_ptr_array_unref);
    g_clear_pointer(&m->files, msg_parts_free);
    g_clear_pointer(&m->parts, msg_parts_free);
    free_all(m->id, m->in_reply_to, m->subject, m->return_path, m->text, m);
}

const char *
message_header(const Message *m, const char *name)
{
    return header_find(m->headers, name);
}

static const MsgPart *
find_part(const MsgParts *list, const char *filename)
{
    LIST_EACH(const MsgPart, part, list)
        if (g_str_equal(part->filename, filename))
            return part;
    return NULL;
}

const MsgPart *
message_file(const Message *m, const char *filename)
{
    const MsgPart *listed = find_part(m->files, filename);

    return listed ? listed : find_part(m->parts, filename);
}

char **
message_flag_names(unsigned flags)
{
    static const char *const names[] = {
        "ambiguous", "two-from",      "no-from",      "no-id",    "no-date",
        "damaged",   "charset",       "nuls",         "text-cut", "html-only",
        "invisible", "name-conflict", "alt-mismatch",
    };
    GPtrArray *out = g_ptr_array_new();

    for (unsigned i = 0; i < G_N_ELEMENTS(names); i++)
        if (flags & 1u << i)
            g_ptr_array_add(out, g_strdup(names[i]));
    g_ptr_array_add(out, NULL);
    return (char **)g_ptr_array_free(out, FALSE);
}

/* ---- base subject (RFC 5256 2.1), on a piece of the text that only shrinks ---- */

typedef struct Piece {
    const char *p, *end;
    bool reply; /* what went said "Re:" or "Fwd:" */
} Piece;

static bool
starts(Piece s, const char *lower)
{
    size_t len = strlen(lower);

    return (size_t)(s.end - s.p) >= len && g_ascii_strncasecmp(s.p, lower, len) == 0;
}

static const char *
skip_blanks(const char *p, const char *end)
{
    while (p < end && *p == ' ')
        p++;
    return p;
}

/* Behind "[list] " at p; p itself when there is none. */
static const char *
skip_blob(const char *p, const char *end)
{
    if (p == end || *p != '[')
        return p;
    const char *q = p + 1;
    while (q < end && *q != '[' && *q != ']')
        q++;
    return q < end && *q == ']' ? skip_blanks(q + 1, end) : p;
}

/* subj-refwd: "re", "fw" or "fwd", a blob perhaps, and a colon. p when there is none. */
static const char *
skip_refwd(const char *p, const char *end)
{
    Piece s = {.p = p, .end = end};
    size_t len = starts(s, "fwd") ? 3 : starts(s, "re") || starts(s, "fw") ? 2 : 0;

    if (len == 0)
        return p;
    const char *q = skip_blob(skip_blanks(p + len, end), end);
    return q < end && *q == ':' ? skip_blanks(q + 1, end) : p;
}

/* Steps 3 to 5: leaders and blobs, as long as something is left. */
static bool
strip_front(Piece *s)
{
    const char *p = skip_blanks(s->p, s->end), *q = p, *blob;

    while ((blob = skip_blob(q, s->end)) != q)
        q = blob;
    const char *behind = skip_refwd(q, s->end);
    s->reply |= behind != q;
    if (behind ==
        q) { /* blobs count before a leader; alone, one goes if text stays behind it */
        behind = skip_blob(p, s->end);
        if (behind == s->end)
            behind = p;
    }
    bool changed = behind != s->p;
    s->p = behind;
    return changed;
}

/* Step 2: "(fwd)" and blanks behind. */
static void
strip_back(Piece *s)
{
    for (;;) {
        while (s->end > s->p && s->end[-1] == ' ')
            s->end--;
        if (s->end - s->p < 5 || g_ascii_strncasecmp(s->end - 5, "(fwd)", 5) != 0)
            return;
        s->end -= 5;
        s->reply = true;
    }
}

char *
message_base_subject(const char *subject, bool *ret_reply)
{
    g_autoptr(GString) flat = g_string_sized_new(strlen(subject));

    for (const char *c = subject; *c; c++) {
        char one = g_ascii_isspace(*c) ? ' ' : *c;
        if (one != ' ' || (flat->len > 0 && flat->str[flat->len - 1] != ' '))
            g_string_append_c(flat, one);
    }
    Piece s = {.p = flat->str, .end = flat->str + flat->len};
    for (;;) {
        strip_back(&s);
        while (strip_front(&s))
            ;
        if (!starts(s, "[fwd:") || s.end[-1] != ']')
            break;
        s.p += 5;
        s.end--;
        s.reply = true;
    }
    if (ret_reply)
        *ret_reply = s.reply;
    return g_strndup(s.p, (size_t)(s.end - s.p));
}
