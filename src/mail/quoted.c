#include "mail/quoted.h"
#include "mail/quote_internal.h"

#define SHORTEST_KNOWN 20    /* bytes of a line that may stand anywhere in a text */
#define KNOWN_MAX (1u << 20) /* bytes of all texts together */
#define PIECES_MAX 5000      /* more lines are not looked for */
#define NAME_MIN 3
#define PREFIX_MAX 4 /* letters of "AW:", "Antw:" in front of a subject */
#define WORDS_MAX 60 /* letters of an introduction beside names: its date and its verb */

/* A mail that is known, without what does not count. */
typedef struct Known {
    GString *text;
    GHashTable *lines; /* whole lines of it */
    Trust floor;
} Known;

struct Quoted {
    GPtrArray *pieces; /* of char *: quoted lines, squeezed */
    GPtrArray *intros; /* of char *: what stands in front of them, likewise; "!" for a header */
    GPtrArray *names;  /* of char *: likewise */
    GPtrArray *known;  /* of Known */
    size_t known_len;
    bool foreign; /* something in it can't be known */
};

static void
known_free(gpointer p)
{
    Known *k = p;
    g_string_free(k->text, TRUE);
    g_hash_table_unref(k->lines);
    g_free(k);
}

void
quoted_free(Quoted *q)
{
    if (!q)
        return;
    g_ptr_array_unref(q->pieces);
    g_ptr_array_unref(q->intros);
    g_ptr_array_unref(q->names);
    g_ptr_array_unref(q->known);
    g_free(q);
}

/* --- what counts of a text --- */

static bool
counts(gunichar c)
{
    return g_unichar_isalnum(c) || (c < 0x80 && strchr("@./:%=?&", (int)c)) ||
           (c >= 0x80 && !quote_is_space(c) && !g_unichar_ispunct(c) && !g_unichar_iscntrl(c));
}

static char *
squeeze(const char *text, size_t len)
{
    GString *s = g_string_sized_new(len);

    for (const char *p = text; p < text + len && *p; p = g_utf8_next_char(p)) {
        gunichar c = g_utf8_get_char(p);
        if (counts(c))
            g_string_append_unichar(s, c);
    }
    return g_string_free(s, FALSE);
}

/* The text inside "<https://x.org/>" or "<mailto:a@x>", which a mail program writes behind a
 * link or an address; NULL: no such text begins here. */
static char *
echo_at(const char *p, const char **ret_end)
{
    static const char *const schemes[] = {"<https://", "<http://", "<mailto:"};
    const char *end = strchr(p, '>');

    for (size_t i = 0; end && i < G_N_ELEMENTS(schemes); i++) {
        size_t len = strlen(schemes[i]);
        if (g_ascii_strncasecmp(p, schemes[i], len) != 0)
            continue;
        const char *stop = end > p + len && end[-1] == '/' ? end - 1 : end;
        *ret_end = end + 1;
        return squeeze(p + len, (size_t)(stop - p) - len);
    }
    return NULL;
}

static void
add(GPtrArray *list, char *take_text)
{
    if (*take_text)
        g_ptr_array_add(list, take_text);
    else
        g_free(take_text);
}

/* A quoted line. An echo behind a link that the line has already says nothing new. */
static void
add_piece(Quoted *q, const char *line)
{
    g_autoptr(GString) rest = g_string_new(NULL);

    for (const char *p = line; *p;) {
        const char *end;
        g_autofree char *echo = *p == '<' ? echo_at(p, &end) : NULL;
        if (!echo) {
            g_string_append_c(rest, *p++);
            continue;
        }
        g_autofree char *before = squeeze(rest->str, rest->len);
        if (!strstr(before, echo))
            g_string_append(rest, echo);
        p = end;
    }
    add(q->pieces, squeeze(rest->str, rest->len));
}

/* --- the mail that repeats --- */

static bool
holds_mail(const Message *m)
{
    LIST_EACH(const MsgPart, part, m->files) {
        g_autofree char *name = g_ascii_strdown(part->filename, -1);
        if (g_str_has_prefix(part->content_type, "message/") || g_str_has_suffix(name, ".eml"))
            return true;
    }
    return false;
}

/* A copied header counts by what stands behind its name, but for a date. */
static char *
header_value(const char *line)
{
    const char *colon = strchr(line, ':');
    return g_strconcat("!", colon ? colon + 1 : line, NULL);
}

static void
add_line(Quoted *q, const Line *line)
{
    if (line->what == QUOTE_TEXT) {
        add_piece(q, line->text);
    } else if (line->what == QUOTE_INTRO || line->what == QUOTE_HEADER) {
        char *text =
            line->what == QUOTE_HEADER ? header_value(line->text) : g_strdup(line->text);
        add(q->intros, text);
    }
}

Quoted *
quoted_new(const Message *m)
{
    g_autoptr(GArray) lines = quote_lines(m->text ? m->text : "");
    g_autoptr(Quoted) q = g_new0(Quoted, 1);

    q->pieces = g_ptr_array_new_with_free_func(g_free);
    q->intros = g_ptr_array_new_with_free_func(g_free);
    q->names = g_ptr_array_new_with_free_func(g_free);
    q->known = g_ptr_array_new_with_free_func(known_free);
    q->foreign = holds_mail(m);
    for (guint i = 0; i < lines->len && !q->foreign; i++) {
        add_line(q, &g_array_index(lines, Line, i));
        q->foreign = q->pieces->len > PIECES_MAX;
    }
    return q->foreign || q->pieces->len || q->intros->len ? g_steal_pointer(&q) : NULL;
}

/* --- what stands in front of a quotation --- */

void
quoted_name(Quoted *q, const char *known)
{
    g_autofree char *base = known ? message_base_subject(known, NULL) : NULL;
    if (base)
        add(q->names, g_utf8_casefold(base, -1));
}

/* Longer ones first: a name may be part of an address. */
static int
by_length(gconstpointer a, gconstpointer b)
{
    size_t x = strlen(*(char *const *)a), y = strlen(*(char *const *)b);
    return (x < y) - (x > y);
}

/* Takes the names out; *ret_address: there was an address among them. */
static char *
without_names(const Quoted *q, const char *text, bool *ret_address)
{
    g_autoptr(GString) rest = g_string_new(text);

    *ret_address = false;
    LIST_EACH(const char, name, q->names) {
        bool whole = g_str_equal(rest->str, name);
        if ((whole || strlen(name) >= NAME_MIN) && g_string_replace(rest, name, " ", 0) > 0)
            *ret_address |= strchr(name, '@') != NULL;
    }
    return g_string_free(g_steal_pointer(&rest), FALSE);
}

static size_t
count_letters(const char *text)
{
    size_t n = 0;
    for (const char *p = text; *p; p = g_utf8_next_char(p))
        n += g_unichar_isalpha(g_utf8_get_char(p)) ? 1 : 0;
    return n;
}

static bool
has_time(const char *text)
{
    for (const char *p = text; *p; p++)
        if (p > text && *p == ':' && g_ascii_isdigit(p[-1]) && g_ascii_isdigit(p[1]))
            return true;
    return false;
}

/* A date, names, and for an introduction its verb; nothing else. A person may have a name of
 * their own for an address that is known. */
static bool
intro_known(const Quoted *q, const char *intro)
{
    bool header = *intro == '!', address;
    g_autofree char *base = message_base_subject(intro + header, NULL);
    g_autofree char *folded = g_utf8_casefold(header ? base : intro, -1);
    g_autofree char *rest = without_names(q, folded, &address);
    size_t letters = count_letters(rest);

    if (letters > WORDS_MAX || strchr(rest, '@'))
        return false;
    return !header || address || letters <= PREFIX_MAX || has_time(rest);
}

static bool
intros_known(Quoted *q)
{
    g_ptr_array_sort(q->names, by_length);
    for (guint i = 0; i < q->intros->len; i++)
        if (!intro_known(q, g_ptr_array_index(q->intros, i)))
            return false;
    return true;
}

/* --- where the lines stand --- */

static Known *
known_new(const char *text, Trust floor)
{
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    Known *k = g_new0(Known, 1);

    k->text = g_string_new(NULL);
    k->lines = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    k->floor = floor;
    for (char **line = lines; *line; line++) {
        char *squeezed = squeeze(*line, strlen(*line));
        g_string_append(k->text, squeezed);
        g_hash_table_add(k->lines, squeezed);
    }
    return k;
}

/* Behind the line in a known text; NULL: it is not there. */
static const char *
find_in(const Known *k, const char *piece)
{
    bool whole = g_hash_table_contains(k->lines, piece);
    const char *at =
        whole || strlen(piece) >= SHORTEST_KNOWN ? strstr(k->text->str, piece) : NULL;
    return at ? at + strlen(piece) : NULL;
}

/* Loads one more known text; *ret is NULL when there are no more. */
static bool
load(Quoted *q, QuotedNext *next, void *data, Known **ret, GError **error)
{
    g_autofree char *text = NULL;
    Trust floor;

    *ret = NULL;
    if (q->known_len >= KNOWN_MAX)
        return true;
    if (!next(data, &text, &floor, error))
        return false;
    if (!text)
        return true;
    *ret = known_new(text, floor);
    q->known_len += (*ret)->text->len;
    g_ptr_array_add(q->known, *ret);
    return true;
}

/* Where reading goes on, and in a text of which floor. */
typedef struct Place {
    const char *at; /* NULL: nowhere */
    Trust floor;
} Place;

static bool
find(Quoted *q, const char *piece, QuotedNext *next, void *data, Place *place, GError **error)
{
    Known *k = NULL;

    if (place->at && g_str_has_prefix(place->at, piece)) {
        place->at += strlen(piece);
        return true;
    }
    place->at = NULL;
    for (guint i = 0; !place->at; i++) {
        k = i < q->known->len ? g_ptr_array_index(q->known, i) : NULL;
        if (!k && !load(q, next, data, &k, error))
            return false;
        if (!k)
            return true;
        place->at = find_in(k, piece);
        place->floor = k->floor;
    }
    return true;
}

bool
quoted_floor(Quoted *q, QuotedNext *next, void *data, Trust *ret, GError **error)
{
    Trust floor = q->foreign || !intros_known(q) ? TRUST_ANYONE : TRUST_OPERATOR;
    Place place = {.at = NULL};

    for (guint i = 0; i < q->pieces->len && floor > TRUST_ANYONE; i++) {
        const char *piece = g_ptr_array_index(q->pieces, i);
        if (!find(q, piece, next, data, &place, error))
            return false;
        floor = place.at ? MIN(floor, place.floor) : TRUST_ANYONE;
    }
    *ret = floor;
    return true;
}
