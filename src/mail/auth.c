#include "mail/auth.h"

#include "mail/auth_results.h"
#include "mail/mime/header.h"
#include <arpa/inet.h>

#define OUTLOOK "outlook"

typedef struct Judge {
    const char *const *ids; /* NULL: any name, for pairing */
    char *top;              /* "by" of the topmost Received; NULL */
    GPtrArray *row;         /* of AuthResults: the first unbroken row of believed fields */
    bool several;           /* count all of the row, not only the first of each id */
} Judge;

static void
judge_clear(Judge *j)
{
    g_free(j->top);
    g_clear_pointer(&j->row, g_ptr_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Judge, judge_clear)

/* ---- names ---- */

/* The same domain, or below it. */
static bool
is_below(const char *name, const char *domain)
{
    size_t n = strlen(name), d = strlen(domain);

    return d > 0 && n >= d && g_ascii_strcasecmp(name + n - d, domain) == 0 &&
           (n == d || name[n - d - 1] == '.');
}

static bool
is_related(const char *a, const char *b)
{
    return is_below(a, b) || is_below(b, a);
}

static bool
has_ip(const char *text, void *ret, int family)
{
    g_autofree char *bare = g_strdup(text + (*text == '['));

    bare[strcspn(bare, "]")] = '\0';
    if (g_ascii_strncasecmp(bare, "IPv6:", 5) == 0)
        memmove(bare, bare + 5, strlen(bare + 5) + 1);
    return inet_pton(family, bare, ret) == 1;
}

/* A name that means nothing outside of one network. */
static bool
is_inner(const char *host)
{
    static const char *const ends[] = {"internal", "local", "localdomain", "localhost",
                                       "lan",      "intra", "home.arpa"};
    struct in_addr v4;
    struct in6_addr v6;

    if (!strchr(host, '.') || has_ip(host, &v4, AF_INET) || has_ip(host, &v6, AF_INET6))
        return true;
    for (size_t i = 0; i < G_N_ELEMENTS(ends); i++) {
        if (is_below(host, ends[i]))
            return true;
    }
    return false;
}

static bool
is_microsoft(const char *host)
{
    return is_below(host, "outlook.com") || is_below(host, "office365.com");
}

/* True when the host is one of the servers whose ids are believed; with above, also when a name
 * above the host is one. A client's name is never looked up so: anybody may have an address
 * that is named "org". */
static bool
is_named(const Judge *j, const char *host, bool above)
{
    for (const char *const *id = j->ids; id && *id; id++) {
        const char *domain = g_str_has_prefix(*id, "*.") ? *id + 2 : *id;
        if (g_str_equal(*id, OUTLOOK)
                ? is_microsoft(host)
                : is_below(host, domain) || (above && is_below(domain, host)))
            return true;
    }
    return false;
}

/* ---- addresses of hops ---- */

static bool
is_private_v4(uint32_t a)
{
    return a >> 24 == 10 || a >> 24 == 127 || a >> 20 == 0xac1 || a >> 16 == 0xc0a8 ||
           a >> 16 == 0xa9fe || a >> 22 == 0x191; /* 100.64/10 */
}

static bool
is_private_v6(const struct in6_addr *a, bool outlook)
{
    const uint8_t *b = a->s6_addr;

    return IN6_IS_ADDR_LOOPBACK(a) || IN6_IS_ADDR_LINKLOCAL(a) || (b[0] & 0xfe) == 0xfc ||
           (outlook && b[0] == 0x26 && b[1] == 0x03 &&
            b[2] == 0x10); /* inside Exchange Online */
}

typedef enum Ip { IP_NONE, IP_INNER, IP_OUTER } Ip;

/* The addresses in a piece of a Received field: one from outside counts for all. */
static Ip
look_for_ip(const char *text, bool outlook)
{
    g_auto(GStrv) words = g_strsplit_set(text, " \t()[]<>;,=", -1);
    Ip found = IP_NONE;

    for (char **w = words; *w; w++) {
        struct in_addr v4;
        struct in6_addr v6;
        bool inner;
        if (has_ip(*w, &v4, AF_INET))
            inner = is_private_v4(ntohl(v4.s_addr));
        else if (has_ip(*w, &v6, AF_INET6))
            inner = is_private_v6(&v6, outlook);
        else
            continue;
        if (!inner)
            return IP_OUTER;
        found = IP_INNER;
    }
    return found;
}

static bool
believes_outlook(const Judge *j)
{
    return !j->ids || g_strv_contains(j->ids, OUTLOOK);
}

/* ---- hops ---- */

static bool
is_own(const Judge *j, const AuthHop *hop)
{
    if (!hop->by || !j->ids)
        return true;
    return is_inner(hop->by) || is_named(j, hop->by, true) ||
           (j->top && is_related(hop->by, j->top));
}

/* The name that the server looked up for the client, not the one that the client gave. */
static bool
has_own_name(const Judge *j, const AuthHop *hop)
{
    g_autofree char *name = g_strndup(hop->remark, strcspn(hop->remark, " \t["));
    size_t len = strlen(name);

    if (len > 0 && name[len - 1] == '.')
        name[len - 1] = '\0';
    return *name && (is_named(j, name, false) ||
                     (j->top && strchr(j->top, '.') && is_below(name, j->top)));
}

/* Did this hop take the mail from outside? Only what proves the contrary says no. */
static bool
is_border(const Judge *j, const AuthHop *hop)
{
    bool outlook = believes_outlook(j);

    if (!hop->from)
        return false;
    switch (look_for_ip(hop->remark, outlook)) {
    case IP_INNER:
        return false;
    case IP_OUTER:
        return !has_own_name(j, hop);
    case IP_NONE:
        break;
    }
    if (look_for_ip(hop->rest, outlook) == IP_OUTER)
        return true;
    return !is_inner(hop->from) && !is_named(j, hop->from, false) &&
           !(j->top && is_below(hop->from, j->top));
}

/* ---- the row of fields that counts ---- */

/* True when the field is of the server, or of one of the servers, that this id of the settings
 * means. */
static bool
is_field_of(const Judge *j, const char *id, const AuthResults *r)
{
    if (!r->id)
        return g_str_equal(id, OUTLOOK) && j->top && is_microsoft(j->top);
    if (g_str_has_prefix(id, "*."))
        return g_str_has_suffix(r->id, id + 1) && strlen(r->id) > strlen(id + 1);
    return !g_str_equal(id, OUTLOOK) && g_str_equal(id, r->id);
}

static bool
is_believed(const Judge *j, const AuthResults *r)
{
    if (!j->ids)
        return r->id || (j->top && is_microsoft(j->top));
    for (const char *const *id = j->ids; *id; id++) {
        if (is_field_of(j, *id, r))
            return true;
    }
    return false;
}

/* True when no field above this one in the row has an id in common with it. A wildcard counts
 * as one id: a forger can choose among the names below it. */
static bool
is_first(const Judge *j, guint at)
{
    for (const char *const *id = j->ids; id && *id; id++) {
        if (!is_field_of(j, *id, j->row->pdata[at]))
            continue;
        for (guint i = 0; i < at; i++) {
            if (is_field_of(j, *id, j->row->pdata[i]))
                return false;
        }
    }
    return true;
}

static char *
top_of(const Message *m)
{
    const char *value = header_find(m->headers, "Received");
    g_autoptr(AuthHop) hop = value ? auth_hop_parse(value) : NULL;

    return hop ? g_steal_pointer(&hop->by) : NULL;
}

/* True when the block ends here. */
static bool
pass_received(const Judge *j, const char *value, bool *border)
{
    if (j->row->len > 0 || *border)
        return true;
    g_autoptr(AuthHop) hop = auth_hop_parse(value);
    *border = is_border(j, hop);
    return !is_own(j, hop);
}

static void
find_row(const Message *m, const char *const *ids, Judge *j)
{
    bool border = false;

    j->ids = ids;
    j->top = top_of(m);
    j->row = g_ptr_array_new_with_free_func((GDestroyNotify)auth_results_free);
    LIST_EACH(const MsgHeader, h, m->headers) {
        if (g_ascii_strcasecmp(h->name, "Received") == 0) {
            if (pass_received(j, h->value, &border))
                break;
        } else if (g_ascii_strcasecmp(h->name, "Authentication-Results") == 0) {
            g_autoptr(AuthResults) r = auth_results_parse(h->value);
            if (r && is_believed(j, r))
                g_ptr_array_add(j->row, g_steal_pointer(&r));
        } else if (j->row->len > 0) {
            break;
        }
    }
}

/* ---- what they say ---- */

static unsigned
count_of(const AuthResults *all, const char *method)
{
    unsigned n = 0;

    for (guint i = 0; i < all->list->len; i++)
        n += g_str_equal(((const AuthResult *)all->list->pdata[i])->method, method);
    return n;
}

/* The first field that counts and speaks of the method; NULL. What a field that can't be read
 * has named nobody knows: no later one adds to it. */
static const AuthResults *
speaks_of(const Judge *j, const char *method)
{
    for (guint i = 0; i < j->row->len; i++) {
        const AuthResults *all = j->row->pdata[i];
        if (!j->several && !is_first(j, i))
            continue;
        if (count_of(all, method) > 0)
            return all;
        if (j->several && all->bad)
            break;
    }
    return NULL;
}

/* The part behind "@", or all of it; as A-label. NULL: no domain. Caller frees. */
static char *
domain_of(const char *value)
{
    const char *at = value ? strrchr(value, '@') : NULL;
    const char *domain = at ? at + 1 : value;

    return domain && *domain ? g_hostname_to_ascii(domain) : NULL;
}

/* Equal, or one below the other, and neither is a top-level domain. */
static bool
is_aligned(const char *value, const char *from)
{
    g_autofree char *domain = domain_of(value);

    return domain && strchr(domain, '.') && strchr(from, '.') && is_related(domain, from);
}

static bool
dkim_passes(const AuthResult *r, const char *domain)
{
    return is_aligned(r->header_d ? r->header_d : r->header_i, domain);
}

static bool
spf_passes(const AuthResult *r, const char *domain)
{
    return is_aligned(r->smtp_mailfrom, domain);
}

static bool
dmarc_passes(const AuthResult *r, const char *domain)
{
    g_autofree char *said = domain_of(r->header_from);

    return said && g_ascii_strcasecmp(said, domain) == 0;
}

/* A field may hold several results of dkim, one per signature: one is enough. */
static bool
method_passes(const Judge *j,
              const char *method,
              bool (*passes)(const AuthResult *r, const char *domain),
              const char *domain,
              AuthVerdict *ret)
{
    const AuthResults *all = speaks_of(j, method);

    if (all && count_of(all, method) > 1 && !g_str_equal(method, "dkim"))
        return false;
    for (guint i = 0; all && i < all->list->len; i++) {
        const AuthResult *r = all->list->pdata[i];
        if (!g_str_equal(r->method, method) || r->repeated || !g_str_equal(r->result, "pass") ||
            !passes(r, domain))
            continue;
        ret->pass = true;
        ret->method = method;
        g_autofree char *by = text_vis(all->id ? all->id : OUTLOOK, false);
        ret->why = g_strdup_printf("%s=pass for %s by %s", method, domain, by);
        return true;
    }
    return false;
}

static bool
says_failed(const AuthResults *all)
{
    static const char *const open[] = {"none",          "pass",    "temperror", "permerror",
                                       "bestguesspass", "skipped", NULL};

    LIST_EACH(const AuthResult, r, all->list)
        if (g_str_equal(r->method, "dmarc") && !g_strv_contains(open, r->result))
            return true;
    return false;
}

/* DMARC said something that no other proof outweighs. */
static bool
dmarc_fails(const Judge *j)
{
    LIST_EACH(const AuthResults, all, j->row)
        if (says_failed(all))
            return true;
    return false;
}

/* auth=pass smtp.auth=ADDRESS: a user of the same server, who logged in to send. */
static bool
login_passes(const AuthResult *r, const char *spec)
{
    return r->smtp_auth && address_equal(r->smtp_auth, spec);
}

static void
refuse(AuthVerdict *ret, const char *why)
{
    ret->why = g_strdup(why);
}

static void
weigh(const Judge *j, const Message *m, AuthNeed need, AuthVerdict *ret)
{
    g_autofree char *domain = domain_of(m->from->spec);

    if (!domain)
        refuse(ret, "the domain of From is none");
    else if (need == AUTH_DKIM) {
        if (!method_passes(j, "dkim", dkim_passes, domain, ret))
            refuse(ret, "no signature of the domain of From");
    } else if (dmarc_fails(j))
        refuse(ret, "DMARC failed");
    else if (!method_passes(j, "dmarc", dmarc_passes, domain, ret) &&
             !method_passes(j, "dkim", dkim_passes, domain, ret) &&
             !method_passes(j, "spf", spf_passes, domain, ret) &&
             !method_passes(j, "auth", login_passes, m->from->spec, ret))
        refuse(ret, "neither DMARC nor DKIM nor SPF speaks for the domain of From");
}

/* Tries what `authserv-fields = several` would give, and names it in `why`: the reader may set
 * it, if their server needs it. */
static void
weigh_several(Judge *j, const Message *m, AuthNeed need, AuthVerdict *ret)
{
    g_auto(AuthVerdict) more = {0};

    j->several = true;
    weigh(j, m, need, &more);
    if (!more.pass)
        return;
    g_autofree char *why = g_steal_pointer(&ret->why);
    ret->several = true;
    ret->why = g_strdup_printf("%s; a later field says %s, which counts with [trust] "
                               "authserv-fields = several",
                               why, more.method);
}

void
auth_verdict_clear(AuthVerdict *verdict)
{
    g_clear_pointer(&verdict->why, g_free);
}

void
auth_judge(const Message *m, const AuthTrust *trust, AuthVerdict *ret)
{
    g_auto(Judge) j = {.several = trust->several};

    *ret = (AuthVerdict){0};
    if (!m->from || m->flags & (MSG_TWO_FROM | MSG_AMBIGUOUS)) {
        refuse(ret, m->from ? "the header is ambiguous" : "there is no sender");
        return;
    }
    if (trust->need == AUTH_NONE) {
        *ret = (AuthVerdict){.pass = true,
                             .method = "none",
                             .why = g_strdup("From is believed, as require-auth says")};
        return;
    }
    if (!trust->ids || !*trust->ids) {
        refuse(ret, "no authserv-id is configured");
        return;
    }
    find_row(m, trust->ids, &j);
    if (!header_find(m->headers, "Received"))
        refuse(ret, "no Received says how it came");
    else if (j.row->len == 0)
        refuse(ret, "no Authentication-Results of ours above the first foreign Received");
    else {
        weigh(&j, m, trust->need, ret);
        if (!ret->pass && !j.several)
            weigh_several(&j, m, trust->need, ret);
    }
}

char *
auth_find_id(const Message *m)
{
    g_auto(Judge) j = {0};

    find_row(m, NULL, &j);
    if (j.row->len == 0 || !j.top)
        return NULL;
    const AuthResults *first = j.row->pdata[0];
    return g_strdup(first->id ? first->id : OUTLOOK);
}

/* ---- trying out a server ---- */

char *
auth_forge(const char *id, const char *word)
{
    bool none = g_str_equal(id, OUTLOOK);

    return g_strdup_printf("%s%sdmarc=none header.from=%s.invalid", none ? "" : id,
                           none ? "" : "; ", word);
}

bool
auth_has_forged(const Message *m, const char *word)
{
    g_autofree char *domain = g_strconcat(word, ".invalid", NULL);

    LIST_EACH(const MsgHeader, h, m->headers)
        if (g_ascii_strcasecmp(h->name, "Authentication-Results") == 0 &&
            strstr(h->value, domain))
            return true;
    return false;
}
