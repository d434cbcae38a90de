#include "engine/run/links.h"

#define SCHEME_MAX 24
#define LABEL_MAX 32
#define HOST_MARK " " /* no link begins with it */

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

/* "://" behind a letter or digit. */
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
    ret->scheme = (size_t)(p + 1 - at);
    return ret->at + ret->len > p + 3;
}

static bool
is_one_of(const char *word, size_t len, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (strlen(list[i]) == len && g_ascii_strncasecmp(word, list[i], len) == 0)
            return true;
    }
    return false;
}

/* True when Markdown makes a link of the text at p, whatever its scheme is. */
static bool
is_marked(const char *text, const char *p)
{
    size_t before = (size_t)(p - text);
    return before > 0 && (p[-1] == '<' || (before > 1 && strncmp(p - 2, "](", 2) == 0) ||
                          (before > 2 && strncmp(p - 3, "]: ", 3) == 0));
}

/* "mailto:", "tel:", "data:": a scheme without a host. */
static bool
find_opaque(const char *text, const char *p, Link *ret)
{
    static const char *const schemes[] = {
        "mailto", "tel",  "sms",  "smsto", "mms",    "callto",  "skype",      "facetime",
        "sip",    "sips", "xmpp", "data",  "magnet", "bitcoin", "javascript", "vbscript"};
    size_t len = 0;
    if (!g_ascii_isalpha(*p) || (p > text && is_word(p[-1])))
        return false;
    while (len < SCHEME_MAX && (g_ascii_isalnum(p[len]) || (p[len] && strchr("+.-", p[len]))))
        len++;
    if (len < 2 || p[len] != ':' || ends_link(p + len + 1) || strncmp(p + len, "://", 3) == 0 ||
        (!is_one_of(p, len, schemes, G_N_ELEMENTS(schemes)) && !is_marked(text, p)))
        return false;
    measure(p, len + 1, ret);
    ret->opaque = true;
    ret->scheme = len + 1;
    return ret->len > len + 1 &&
           (g_ascii_strncasecmp(p, "data:", 5) != 0 || memchr(p, ',', ret->len));
}

/* Would a mail program take it for a name in the net? Some countries have the names of words
 * that stand behind a dot in programs ("user.id"); these need a path. */
static bool
is_top_level(const char *name, size_t len)
{
    static const char *const known[] = {
        "com",   "net",     "org",  "info",  "biz",  "edu",  "gov",     "mil",
        "int",   "dev",     "app",  "xyz",   "top",  "site", "online",  "cloud",
        "club",  "shop",    "link", "click", "live", "page", "store",   "tech",
        "space", "website", "name", "pro",   "work", "icu",  "network", "email"};
    static const char *const words[] = {"id", "is", "in", "to", "do", "as", "no", "py",
                                        "md", "sh", "rs", "pl", "js", "ts", "so", "cc",
                                        "gz", "xz", "rb", "hs", "go", "db", "kt", "cs"};
    return len == 2 ? !is_one_of(name, len, words, G_N_ELEMENTS(words))
                    : is_one_of(name, len, known, G_N_ELEMENTS(known));
}

/* Labels of a host name, without "www." in front. */
static size_t
count_labels(const char *host, size_t len)
{
    size_t n = 1;
    if (len > 4 && g_ascii_strncasecmp(host, "www.", 4) == 0) {
        host += 4;
        len -= 4;
    }
    for (size_t i = 0; i < len; i++)
        n += host[i] == '.';
    return n;
}

/* "www." whatever follows; another host with something behind it; alone only where its first
 * label says something. */
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
    while (is_host_char(*end))
        end++;
    bool more = (*end == '/' || *end == '?') && !ends_link(end + 1);
    while (!more && end > p && end[-1] == '.')
        end--;
    dot = memrchr(p, '.', (size_t)(end - p));
    if (!dot || end - dot < 3 || *end == '@')
        return false;
    for (const char *q = dot + 1; q < end; q++) {
        if (!g_ascii_isalpha(*q))
            return false;
    }
    if (!more && (count_labels(p, (size_t)(end - p)) < 3 || memchr(p, '_', (size_t)(end - p)) ||
                  !is_top_level(dot + 1, (size_t)(end - dot - 1))))
        return false;
    measure(p, 0, ret);
    return true;
}

bool
link_find(const char *text, const char *from, Link *ret)
{
    for (const char *p = from; *p; p++) {
        if (find_opaque(text, p, ret) || find_bare(text, p, ret))
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

/* Labels that whoever owns the domain may make up: "x" in x.example.org, x.example.co.uk. */
static bool
has_own_labels(const char *host, size_t len)
{
    static const char *const second[] = {"co", "com", "org", "net", "ac",
                                         "or", "ne",  "gov", "edu", "go"};
    const char *end = host + len;
    const char *last = memrchr(host, '.', len);
    const char *before = last ? memrchr(host, '.', (size_t)(last - host)) : NULL;
    const char *name = before ? before + 1 : host;
    bool country = last && end - last == 3 &&
                   is_one_of(name, (size_t)(last - name), second, G_N_ELEMENTS(second));
    return count_labels(host, len) > (country ? 3 : 2);
}

/* "mailto:x", "myapp://x": what stands behind it need not be the name of a site. */
static bool
is_custom(const Link *link)
{
    static const char *const web[] = {"http", "https", "ftp"};
    return link->scheme > 0 && !is_one_of(link->at, link->scheme - 1, web, G_N_ELEMENTS(web));
}

bool
link_has_data(const Link *link)
{
    const char *host = link->at + link->host;
    const char *path = host + link->host_len, *end = link->at + link->len;
    if (is_custom(link) || (link->host > 0 && host[-1] == '@') ||
        memchr(host, ':', link->host_len))
        return true;
    return end - path > 1 || has_own_labels(host, link->host_len) ||
           has_long(host, link->host_len, ".", LABEL_MAX);
}

/* True when the link leads to this host, or to a host below it. */
static bool
link_leads_to(const Link *link, const char *host)
{
    size_t len = strlen(host);
    const char *at = link->at + link->host;
    if (link->opaque || link->host_len < len || (link->host > 0 && at[-1] == '@'))
        return false;
    at += link->host_len - len;
    return g_ascii_strncasecmp(at, host, len) == 0 && (link->host_len == len || at[-1] == '.');
}

/* Its very bytes, but for a slash at the end. Caller frees. */
static char *
link_name(const Link *link)
{
    return g_strndup(link->at, link->len - (link->at[link->len - 1] == '/'));
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
        g_hash_table_add(links, link_name(&link));
}

void
links_add_host(GHashTable *links, const char *host)
{
    g_hash_table_add(links, g_strconcat(HOST_MARK, host, NULL));
}

bool
links_have(GHashTable *links, const Link *link)
{
    g_autofree char *name = link_name(link);
    GHashTableIter iter;
    gpointer known;
    if (g_hash_table_contains(links, name))
        return true;
    g_hash_table_iter_init(&iter, links);
    while (g_hash_table_iter_next(&iter, &known, NULL)) {
        if (g_str_has_prefix(known, HOST_MARK) &&
            link_leads_to(link, (const char *)known + strlen(HOST_MARK)))
            return true;
    }
    return false;
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
