#include "engine/links.h"
#include "base/banned.h"
#include <string.h>

#define HOST_MAX 64
#define LABEL_MAX 32
#define PATH_LONG 120
#define SEGMENT_MAX 64
#define FRAGMENT_MAX 32

static bool
is_word(char ch)
{
    return g_ascii_isalnum(ch) || ch == '_' || (ch & 0x80);
}

static bool
is_host_char(char ch)
{
    return is_word(ch) || ch == '-' || ch == '.';
}

/* A bracket ends a link unless more of it follows at once: "(https://x/a)," but "a(1)b". */
static bool
ends_link(const char *p)
{
    if (*p == '\0' || g_ascii_isspace(*p) || g_ascii_iscntrl(*p) || strchr("<>\"`{}|\\^", *p))
        return true;
    return strchr(")]", *p) && (p[1] == '\0' || strchr(" \t\r\n[()],.;:!?'\"<>*_", p[1]));
}

/* The link that begins here, its host behind `skip` bytes. */
static void
measure(const char *at, size_t skip, Link *ret)
{
    const char *end = at + skip;
    while (!ends_link(end))
        end++;
    while (end > at + skip && strchr(".,;:!?'*_)]", end[-1]))
        end--;
    const char *host = at + skip;
    const char *stop = host + strcspn(host, "/?#");
    stop = MIN(stop, end);
    const char *user = memrchr(host, '@', (size_t)(stop - host));
    host = user ? user + 1 : host;
    *ret = (Link){.at = at,
                  .len = (size_t)(end - at),
                  .host = (size_t)(host - at),
                  .host_len = (size_t)(stop - host)};
}

/* "://" behind a letter or digit; mail programs make links of nothing else with a colon. */
static bool
find_scheme(const char *text, const char *p, Link *ret)
{
    const char *at = p;
    if (strncmp(p, "://", 3) != 0)
        return false;
    while (at > text && (g_ascii_isalnum(at[-1]) || (at < p && strchr("+.-", at[-1]))))
        at--;
    if (at == p)
        return false;
    measure(at, (size_t)(p + 3 - at), ret);
    return ret->at + ret->len > p + 3;
}

static bool
find_mailto(const char *text, const char *p, Link *ret)
{
    if ((p > text && is_word(p[-1])) || g_ascii_strncasecmp(p, "mailto:", 7) != 0)
        return false;
    measure(p, 7, ret);
    ret->mail = true;
    return memchr(p, '?', ret->len) != NULL;
}

/* "www." whatever follows; another host only with a known shape, and something behind it. */
static bool
find_bare(const char *text, const char *p, Link *ret)
{
    const char *end = p, *dot = NULL;
    if (!g_ascii_isalnum(*p) || (p > text && (is_word(p[-1]) || strchr("@/.-\\:=", p[-1]))))
        return false;
    if (g_ascii_strncasecmp(p, "www.", 4) == 0) {
        measure(p, 0, ret);
        return ret->len > 3;
    }
    for (; is_host_char(*end); end++)
        dot = *end == '.' ? end : dot;
    bool more = (*end == '/' || *end == '?') && !ends_link(end + 1);
    if (!dot || !more || end - dot < 3)
        return false;
    for (const char *q = dot + 1; q < end; q++) {
        if (!g_ascii_isalpha(*q))
            return false;
    }
    measure(p, 0, ret);
    return true;
}

bool
link_find(const char *text, const char *from, Link *ret)
{
    for (const char *p = from; *p; p++) {
        if (find_bare(text, p, ret) || find_mailto(text, p, ret))
            return true;
        /* The scheme was passed already when its "://" comes. */
        if (find_scheme(from, p, ret))
            return true;
    }
    return false;
}

static bool
has_long(const char *text, size_t len, const char *between, size_t max)
{
    size_t run = 0;
    for (size_t i = 0; i < len; i++) {
        run = strchr(between, text[i]) ? 0 : run + 1;
        if (run > max)
            return true;
    }
    return false;
}

bool
link_has_data(const Link *link)
{
    const char *host = link->at + link->host;
    const char *path = host + link->host_len, *end = link->at + link->len;
    if (link->mail || (link->host > 0 && host[-1] == '@'))
        return true;
    const char *query = memchr(path, '?', (size_t)(end - path));
    const char *mark = memchr(path, '#', (size_t)(end - path));
    const char *stop = mark ? mark : end;
    size_t len = (size_t)(stop - path);
    if (query && query < stop && query + 1 < stop)
        return true;
    return link->host_len > HOST_MAX || has_long(host, link->host_len, ".", LABEL_MAX) ||
           len > PATH_LONG || has_long(path, len, "/", SEGMENT_MAX) || memchr(path, '=', len) ||
           (mark && end - mark > FRAGMENT_MAX + 1);
}

GHashTable *
links_new(void)
{
    return g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
}

void
links_add(GHashTable *links, const char *text)
{
    Link link;
    for (const char *p = text; link_find(text, p, &link); p = link.at + link.len)
        g_hash_table_add(links, g_strndup(link.at, link.len));
}

bool
links_have(GHashTable *links, const Link *link)
{
    g_autofree char *name = g_strndup(link->at, link->len);
    return g_hash_table_contains(links, name);
}

bool
links_find_new(GHashTable *links, const char *text, Link *ret)
{
    for (const char *p = text; link_find(text, p, ret); p = ret->at + ret->len) {
        if (link_has_data(ret) && !links_have(links, ret))
            return true;
    }
    return false;
}
