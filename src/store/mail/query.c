#include "store/mail/query.h"

typedef enum Op { OP_NONE, OP_COLUMN, OP_SINCE, OP_BEFORE, OP_ROLE, OP_FOLDER, OP_STATE } Op;

static const struct {
    const char *prefix;
    Op op;
    const char *column; /* of the full text table */
} operators[] = {
    {"from:", OP_COLUMN, "sender"},     {"to:", OP_COLUMN, "recipients"},
    {"subject:", OP_COLUMN, "subject"}, {"since:", OP_SINCE, NULL},
    {"before:", OP_BEFORE, NULL},       {"role:", OP_ROLE, NULL},
    {"folder:", OP_FOLDER, NULL},       {"state:", OP_STATE, NULL},
};

/* Up to the next blank outside quotes; the quotes are taken off. NULL at the end. What begins
 * with a quote is no operator. */
static char *
next_token(const char **text, bool *ret_phrase)
{
    const char *p = *text;
    GString *token = g_string_new(NULL);
    bool quoted = false;

    while (g_ascii_isspace(*p))
        p++;
    *text = p;
    if (!*p) {
        g_string_free(token, TRUE);
        return NULL;
    }
    for (; *p && (quoted || !g_ascii_isspace(*p)); p++) {
        if (*p == '"')
            quoted = !quoted;
        else
            g_string_append_c(token, *p);
    }
    *ret_phrase = **text == '"';
    *text = p;
    return g_string_free(token, FALSE);
}

/* The columns in which words are looked for. The column of the role, whose mail it is, is not
 * one of them. */
#define MAIL_COLUMNS "{sender recipients subject body}"
#define NOTE_COLUMNS "{key body}"

/* Words next to each other are ANDed; FTS5 drops those that have no letters at all only in this
 * form, with an explicit AND they would match nothing. */
static void
add_word(GString *words, const char *column, const char *word)
{
    if (words->len > 0)
        g_string_append_c(words, ' ');
    g_string_append_printf(words, "%s : ", column);
    g_string_append_c(words, '"');
    for (const char *p = word; *p; p++) {
        if (*p == '"')
            g_string_append_c(words, '"');
        g_string_append_c(words, *p);
    }
    g_string_append_c(words, '"');
}

static const char *
keep(Query *q, const char *text)
{
    char *copy = g_strdup(text);

    g_ptr_array_add(q->kept, copy);
    return copy;
}

/* False: the value makes no sense for the operator, so it was just a word with a colon. */
static bool
apply(Query *q, Op op, const char *value)
{
    MsgState state;
    OutState written;

    switch (op) {
    case OP_SINCE:
        return clock_parse_iso(value, &q->filter.since_us);
    case OP_BEFORE:
        return clock_parse_iso(value, &q->filter.before_us);
    case OP_ROLE:
        q->filter.role = keep(q, value);
        return true;
    case OP_FOLDER:
        q->filter.folder = g_ascii_strcasecmp(value, "inbox") == 0 ? "" : keep(q, value);
        return true;
    case OP_STATE:
        if (!msg_state_parse(value, &state) && !out_state_parse(value, &written)) {
            q->no_state = keep(q, value);
            return false;
        }
        q->filter.state = keep(q, value);
        return true;
    case OP_NONE:
    case OP_COLUMN:
        break;
    }
    return false;
}

static void
take_token(Query *q, GString *words, const char *token)
{
    for (size_t i = 0; i < G_N_ELEMENTS(operators); i++) {
        size_t len = strlen(operators[i].prefix);

        if (strncmp(token, operators[i].prefix, len) != 0 || !token[len])
            continue;
        if (operators[i].op == OP_COLUMN) {
            add_word(words, operators[i].column, token + len);
            return;
        }
        if (apply(q, operators[i].op, token + len))
            return;
    }
    add_word(words, MAIL_COLUMNS, token);
}

/* q NULL: nothing is an operator. NULL: no words are left; caller frees. */
static char *
read_words(const char *text, Query *q)
{
    g_autofree char *valid = text_make_valid(text, -1);
    g_autoptr(GString) words = g_string_new(NULL);
    const char *rest = valid;

    for (unsigned i = 0; i < QUERY_WORDS_MAX; i++) {
        bool phrase;
        g_autofree char *token = next_token(&rest, &phrase);

        if (!token)
            break;
        if (phrase || !q)
            add_word(words, q ? MAIL_COLUMNS : NOTE_COLUMNS, token);
        else
            take_token(q, words, token);
    }
    return words->len > 0 ? g_strdup(words->str) : NULL;
}

void
query_parse(const char *text, Query *ret)
{
    *ret = (Query){.kept = g_ptr_array_new_with_free_func(g_free)};
    ret->words = read_words(text, ret);
}

char *
query_words(const char *text)
{
    return read_words(text, NULL);
}

void
query_clear(Query *q)
{
    g_free(q->words);
    if (q->kept)
        g_ptr_array_unref(q->kept);
    *q = (Query){0};
}

static bool
same(const char *want, const char *have)
{
    return !want || g_strcmp0(want, have) == 0;
}

static bool
is_within(const MsgQuery *f, int64_t date_us)
{
    return (f->since_us == 0 || date_us >= f->since_us) &&
           (f->before_us == 0 || date_us < f->before_us);
}

bool
query_takes(const Query *q, const MsgRow *row)
{
    const MsgQuery *f = &q->filter;

    return same(f->role, row->role) && same(f->folder, row->folder) &&
           same(f->state, msg_state_name(row->state)) &&
           is_within(f, row->date_us ? row->date_us : row->received_us);
}

bool
query_takes_out(const Query *q, const OutRow *row)
{
    const MsgQuery *f = &q->filter;

    return same(f->role, row->role) && same(f->folder, "Sent") &&
           same(f->state, out_state_name(row->state)) &&
           (f->job.v == 0 || f->job.v == row->job.v) && is_within(f, row->created_us);
}
