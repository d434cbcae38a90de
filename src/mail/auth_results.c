#include "mail/auth_results.h"

#define RESULTS_MAX 100u

/* ---- words and comments ---- */

typedef struct Lex {
    const char *p;
    bool bad; /* a comment or a quoted string without an end */
} Lex;

/* Steps over one comment; depth is a number, not recursion. */
static void
skip_comment(Lex *l)
{
    unsigned depth = 0;

    for (; *l->p; l->p++) {
        if (*l->p == '\\' && l->p[1])
            l->p++;
        else if (*l->p == '(')
            depth++;
        else if (*l->p == ')' && --depth == 0) {
            l->p++;
            return;
        }
    }
    l->bad = true;
}

static void
skip_space(Lex *l)
{
    while (*l->p == ' ' || *l->p == '\t')
        l->p++;
}

static void
skip_cfws(Lex *l)
{
    for (skip_space(l); *l->p == '(' && !l->bad; skip_space(l))
        skip_comment(l);
}

static void
read_quoted(Lex *l, GString *out)
{
    for (l->p++; *l->p && *l->p != '"'; l->p++) {
        if (*l->p == '\\' && l->p[1])
            l->p++;
        g_string_append_c(out, *l->p);
    }
    l->bad = l->bad || *l->p == '\0';
    l->p += *l->p == '"';
}

/* Up to white space, a comment or one of the stops; "" when nothing stands there. Caller frees.
 */
static char *
read_word(Lex *l, const char *stops)
{
    GString *word = g_string_new(NULL);

    while (*l->p && !strchr(" \t(", *l->p) && !strchr(stops, *l->p)) {
        if (*l->p == '"')
            read_quoted(l, word);
        else
            g_string_append_c(word, *l->p++);
    }
    return g_string_free(word, FALSE);
}

static bool
take(Lex *l, char c)
{
    skip_cfws(l);
    if (*l->p != c)
        return false;
    l->p++;
    skip_cfws(l);
    return true;
}

/* ---- Authentication-Results ---- */

static void
result_free(AuthResult *r)
{
    free_all(r->method, r->result, r->header_from, r->header_d, r->header_i, r->smtp_mailfrom,
             r->smtp_auth, r);
}

void
auth_results_free(AuthResults *r)
{
    if (!r)
        return;
    g_free(r->id);
    g_ptr_array_unref(r->list);
    g_free(r);
}

static char **
property_of(AuthResult *r, const char *name)
{
    const struct {
        const char *name;
        char **value;
    } known[] = {{"header.from", &r->header_from},
                 {"header.d", &r->header_d},
                 {"header.i", &r->header_i},
                 {"smtp.mailfrom", &r->smtp_mailfrom},
                 {"smtp.auth", &r->smtp_auth}};

    for (size_t i = 0; i < G_N_ELEMENTS(known); i++) {
        if (g_ascii_strcasecmp(name, known[i].name) == 0)
            return known[i].value;
    }
    return NULL;
}

/* " name=value"… up to the next semicolon. Names without a dot ("reason", Microsoft's "action")
 * are read and forgotten. */
static bool
read_properties(Lex *l, AuthResult *r)
{
    for (skip_cfws(l); *l->p && *l->p != ';'; skip_cfws(l)) {
        g_autofree char *name = read_word(l, ";=");
        if (!*name || !take(l, '='))
            return false;
        g_autofree char *value = read_word(l, ";");
        char **kept = property_of(r, name);
        if (kept && *kept)
            r->repeated = true;
        else if (kept)
            *kept = g_steal_pointer(&value);
    }
    return true;
}

/* "dkim" of "dkim" and "dkim/1"; NULL for another version. Caller frees. */
static char *
method_of(const char *word)
{
    const char *slash = strchr(word, '/');

    if (slash && strcmp(slash, "/1") != 0)
        return NULL;
    return g_ascii_strdown(word, slash ? slash - word : -1);
}

/* Reads one "method=result properties", or "none". */
static bool
read_result(Lex *l, AuthResults *all)
{
    g_autofree char *word = read_word(l, ";=");

    if (!take(l, '='))
        return *word == '\0' || g_ascii_strcasecmp(word, "none") == 0;
    AuthResult *r = g_new0(AuthResult, 1);
    g_autofree char *result = read_word(l, ";");
    char *method = method_of(word);

    r->method = method ? method : g_strdup("");
    r->result = g_ascii_strdown(result, -1);
    g_ptr_array_add(all->list, r);
    return *word && *result && read_properties(l, r);
}

/* The id and its version, up to the first semicolon. */
static bool
read_id(Lex *l, AuthResults *all)
{
    const char *start = l->p;
    g_autofree char *id = read_word(l, ";=");

    skip_cfws(l);
    if (*l->p == '=') { /* that was a method already */
        l->p = start;
        return true;
    }
    g_autofree char *version = read_word(l, ";=");
    skip_cfws(l);
    all->id = g_steal_pointer(&id);
    if (*l->p)
        l->p++;
    return *all->id && (!*version || strcmp(version, "1") == 0) &&
           (l->p[-1] == ';' || *l->p == '\0');
}

static bool
read_list(Lex *l, AuthResults *all)
{
    for (skip_cfws(l); *l->p && !l->bad; skip_cfws(l)) {
        if (all->list->len >= RESULTS_MAX || !read_result(l, all))
            return false;
        skip_cfws(l);
        if (*l->p && *l->p++ != ';')
            return false;
    }
    return !l->bad;
}

AuthResults *
auth_results_parse(const char *value)
{
    g_autoptr(AuthResults) all = g_new0(AuthResults, 1);
    Lex l = {.p = value};

    all->list = g_ptr_array_new_with_free_func((GDestroyNotify)result_free);
    skip_cfws(&l);
    if (!*l.p)
        return NULL;
    all->bad = !read_id(&l, all) || !read_list(&l, all);
    if (all->bad)
        g_ptr_array_set_size(all->list, 0);
    return all->id && !*all->id ? NULL : g_steal_pointer(&all);
}

/* ---- Received ---- */

void
auth_hop_free(AuthHop *hop)
{
    if (!hop)
        return;
    free_all(hop->from, hop->remark, hop->by, hop->rest, hop);
}

/* The comment that stands here, without its brackets; "" for none. Caller frees. */
static char *
read_comment(Lex *l)
{
    skip_space(l);
    const char *start = l->p;

    if (*start != '(')
        return g_strdup("");
    skip_comment(l);
    return l->bad ? g_strdup(start + 1) : g_strndup(start + 1, (size_t)(l->p - start - 2));
}

static char *
host_of(char *take_word)
{
    g_autofree char *word = take_word;
    size_t len = strlen(word);

    if (len > 0 && (word[len - 1] == '.' || word[len - 1] == ';'))
        len--;
    return g_ascii_strdown(word, (gssize)len);
}

AuthHop *
auth_hop_parse(const char *value)
{
    AuthHop *hop = g_new0(AuthHop, 1);
    Lex l = {.p = value};

    hop->rest = g_strdup(value);
    for (skip_cfws(&l); *l.p && *l.p != ';' && !hop->by && !l.bad; skip_cfws(&l)) {
        g_autofree char *word = read_word(&l, ";");
        if (g_ascii_strcasecmp(word, "from") == 0 && !hop->from) {
            skip_cfws(&l);
            hop->from = host_of(read_word(&l, ";"));
            hop->remark = read_comment(&l);
        } else if (g_ascii_strcasecmp(word, "by") == 0) {
            skip_cfws(&l);
            hop->by = host_of(read_word(&l, ";"));
        }
    }
    if (!hop->remark)
        hop->remark = g_strdup("");
    return hop;
}
