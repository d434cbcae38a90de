#include "engine/out/outward.h"
#include "mail/address.h"

#define REPLY_USE "reply 1"
#define BOUNCE_USE "bounce 1"
#define TOKEN_CHARS 16
#define COPY_USE "sent 1"
#define BOUNCE_PREFIX "b."
#define COPY_PREFIX "sent-"

const char *
outward_address(const ConfAccount *account)
{
    if (address_spec_valid(account->server.user))
        return account->server.user;
    return address_spec_valid(account->smtp.user) ? account->smtp.user : NULL;
}

static char *
token_of(const Key *key, const char *use, const char *text)
{
    Digest mac;

    key_mac(key, use, text, strlen(text), &mac);
    return digest_token(&mac, TOKEN_CHARS);
}

char *
outward_reply_tag(const Key *key, const ConfRole *role, JobId job)
{
    g_autofree char *text = g_strdup_printf("%" PRId64 " %s", job.v, role->name);
    g_autofree char *token = token_of(key, REPLY_USE, text);

    return g_strdup_printf("%" PRId64 ".%s", job.v, token);
}

char *
outward_bounce_tag(const Key *key, uint64_t generation, OutId mail)
{
    g_autofree char *text = g_strdup_printf("%" PRIu64 " %" PRId64, generation, mail.v);
    g_autofree char *token = token_of(key, BOUNCE_USE, text);

    return g_strdup_printf(BOUNCE_PREFIX "%" PRId64 ".%s", mail.v, token);
}

/* "agent@x" and "12.abc": "agent+12.abc@x". NULL when that would be no address. */
static char *
with_tag(const char *address, const char *tag)
{
    const char *at = strrchr(address, '@');
    g_autofree char *made = g_strdup_printf("%.*s+%s%s", (int)(at - address), address, tag, at);

    return address_spec_valid(made) ? g_steal_pointer(&made) : NULL;
}

static char *
copy_tag(const Key *key, OutId mail, int64_t try)
{
    g_autofree char *text = g_strdup_printf("%" PRId64 " %" PRId64, mail.v, try);
    g_autofree char *token = token_of(key, COPY_USE, text);

    return g_strdup_printf(COPY_PREFIX "%" PRId64 ".%" PRId64 ".%s", mail.v, try, token);
}

char *
outward_copy_address(const Key *key, const char *own, OutId mail, int64_t try)
{
    g_autofree char *tag = copy_tag(key, mail, try);

    return with_tag(own, tag);
}

char *
outward_envelope(const Home *home,
                 const ConfAccount *account,
                 uint64_t generation,
                 OutId mail,
                 const char *from)
{
    const char *own = outward_address(account);
    g_autofree char *tag = outward_bounce_tag(&home->key, generation, mail);
    char *made = NULL;

    if (!own)
        own = from;
    if (account->envelope == CONF_ENVELOPE_VERP)
        made = with_tag(own, tag);
    return made ? made : g_strdup(own);
}

static bool
same_domain(const char *a, const char *b)
{
    return g_ascii_strcasecmp(strrchr(a, '@'), strrchr(b, '@')) == 0;
}

/* Where an answer finds the role: its own address where the account's server takes mail for it.
 */
static char *
reply_address(const Key *key, const char *own, const ConfRole *role, JobId job)
{
    g_autofree char *tag = job.v ? outward_reply_tag(key, role, job) : NULL;

    if (!own || same_domain(own, role->address))
        return tag ? with_tag(role->address, tag) : g_strdup(role->address);
    g_autofree char *both =
        tag ? g_strdup_printf("%s.%s", role->name, tag) : g_strdup(role->name);
    return with_tag(own, both);
}

bool
outward_dress(const Home *home, const ConfRole *role, JobId job, Compose *mail, GError **error)
{
    const ConfAccount *account = config_way_out(home->config, role->name);
    const char *own = outward_address(account);
    const char *from = own ? own : role->address;
    g_autofree char *reply = reply_address(&home->key, own, role, job);

    if (!compose_from(mail, role->display, from, error))
        return false;
    if (account->message_id == CONF_MESSAGE_ID_SERVER)
        compose_refer_to_self(mail);
    if (!reply || address_equal(reply, from))
        return true;
    g_autofree char *value = address_format(role->display, reply);
    return compose_header(mail, "Reply-To", value, error);
}

/* --- the way back --- */

/* A tag that is looked for: the key and the role or generation to which it belongs, and what it
 * says. */
typedef struct Tagged {
    const Key *key;
    const ConfRole *role; /* of a reply tag */
    uint64_t generation;  /* of a bounce tag */
    JobId job;
    OutId mail;
    int64_t try;
} Tagged;
typedef bool (*TagTest)(const char *tag, Tagged *t);

/* The tag behind every plus of an address: ours may have a plus of its own. */
static bool
test_address(const char *spec, TagTest test, Tagged *t)
{
    const char *at = strrchr(spec, '@');
    g_autofree char *local = g_strndup(spec, at ? (size_t)(at - spec) : 0);
    for (const char *plus = strchr(local, '+'); plus; plus = strchr(plus + 1, '+')) {
        if (test(plus + 1, t))
            return true;
    }
    return false;
}

static bool
test_list(const Addresses *list, TagTest test, Tagged *t)
{
    LIST_EACH(const Address, a, list)
        if (test_address(a->spec, test, t))
            return true;
    return false;
}

/* Every address that this mail was sent to, as far as it says so. */
static bool
test_recipients(const Message *m, TagTest test, Tagged *t)
{
    static const char *const fields[] = {"Delivered-To", "X-Original-To", "Envelope-To"};
    if (test_list(m->to, test, t) || test_list(m->cc, test, t))
        return true;
    for (size_t i = 0; i < G_N_ELEMENTS(fields); i++) {
        const char *value = message_header(m, fields[i]);
        g_autoptr(Addresses) list = value ? address_parse_list(value) : NULL;
        if (list && test_list(list, test, t))
            return true;
    }
    return false;
}

/* Past this word in any case; NULL: it begins otherwise. */
static const char *
skip_word(const char *text, const char *word)
{
    size_t len = strlen(word);
    return g_ascii_strncasecmp(text, word, len) == 0 ? text + len : NULL;
}

/* Past a number and the dot behind it; NULL: there is none, or nothing before it either. */
static const char *
skip_number(const char *text, int64_t *ret)
{
    size_t digits = text ? strspn(text, "0123456789") : 0;
    g_autofree char *number = g_strndup(text, digits);
    return digits && text[digits] == '.' && text_parse_int(number, 1, INT64_MAX, ret)
               ? text + digits + 1
               : NULL;
}

/* True when the tag is the one that we would make. Letters count in any case, since some
 * servers fold the case of local parts. */
static bool
is_made(const char *tag, char *take_want)
{
    g_autofree char *want = take_want;
    return g_ascii_strcasecmp(tag, want) == 0;
}

static bool
is_reply_tag(const char *tag, Tagged *t)
{
    const char *rest = skip_word(tag, t->role->name);
    if (rest && *rest == '.')
        tag = rest + 1; /* account+ROLE.12.abc@ */
    JobId job;
    if (!skip_number(tag, &job.v) || !is_made(tag, outward_reply_tag(t->key, t->role, job)))
        return false;
    t->job = job;
    return true;
}

JobId
outward_job_of(const Key *key, const ConfRole *role, const Message *m)
{
    Tagged t = {.key = key, .role = role};
    (void)test_recipients(m, is_reply_tag, &t);
    return t.job;
}

static bool
is_bounce_tag(const char *tag, Tagged *t)
{
    OutId mail;
    if (!skip_number(skip_word(tag, BOUNCE_PREFIX), &mail.v) ||
        !is_made(tag, outward_bounce_tag(t->key, t->generation, mail)))
        return false;
    t->mail = mail;
    return true;
}

OutId
outward_bounced(const Key *key, uint64_t generation, const char *tag)
{
    Tagged t = {.key = key, .generation = generation};
    (void)is_bounce_tag(tag, &t);
    return t.mail;
}

OutId
outward_bounced_at(const Key *key, uint64_t generation, const Message *m)
{
    Tagged t = {.key = key, .generation = generation};
    (void)test_recipients(m, is_bounce_tag, &t);
    return t.mail;
}

static bool
is_copy_tag(const char *tag, Tagged *t)
{
    OutId mail;
    int64_t try;
    if (!skip_number(skip_number(skip_word(tag, COPY_PREFIX), &mail.v), &try) ||
        !is_made(tag, copy_tag(t->key, mail, try)))
        return false;
    t->mail = mail;
    t->try = try;
    return true;
}

bool
outward_is_copy(const Key *key, const Message *m, OutId *ret_mail, int64_t *ret_try)
{
    Tagged t = {.key = key};
    if (!test_recipients(m, is_copy_tag, &t))
        return false;
    *ret_mail = t.mail;
    *ret_try = t.try;
    return true;
}

bool
outward_names(const Config *config, const ConfRole *role, const Addresses *list)
{
    LIST_EACH(const Address, a, list)
        if (outward_means(config, role, a->spec))
            return true;
    return false;
}

bool
outward_means(const Config *config, const ConfRole *role, const char *spec)
{
    g_autofree char *base = NULL, *tag = NULL;

    address_split_tag(spec, &base, &tag);
    if (address_is_ours(spec, role->address) || address_is_ours(base, role->address))
        return true;
    for (unsigned i = 0; i < config->n_accounts; i++) {
        const ConfAccount *account = &config->accounts[i];
        const char *own = outward_address(account);
        size_t len = strlen(role->name);

        if (!own || !address_is_ours(base, own))
            continue;
        if (g_str_equal(account->role, role->name))
            return true;
        if (tag && g_ascii_strncasecmp(tag, role->name, len) == 0 &&
            (tag[len] == '\0' || tag[len] == '.'))
            return true;
    }
    return false;
}
