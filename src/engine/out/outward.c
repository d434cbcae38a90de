#include "engine/out/outward.h"
#include "base/text.h"
#include "mail/address.h"
#include <inttypes.h>

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
    if (g_str_equal(account->envelope, "verp"))
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
outward_dress(const Home *home,
              const ConfAccount *account,
              const ConfRole *role,
              JobId job,
              Compose *mail,
              GError **error)
{
    const char *own = outward_address(account);
    const char *from = own ? own : role->address;
    g_autofree char *reply = reply_address(&home->key, own, role, job);

    if (!compose_from(mail, role->display, from, error))
        return false;
    if (g_str_equal(account->message_id, "server"))
        compose_refer_to_self(mail);
    if (!reply || address_equal(reply, from))
        return true;
    g_autofree char *value = address_format(role->display, reply);
    return compose_header(mail, "Reply-To", value, error);
}

/* --- the way back --- */

typedef bool (*TagTest)(const char *tag, void *data);

/* The tag behind every plus of an address: ours may have a plus of its own. */
static bool
test_address(const char *spec, TagTest test, void *data)
{
    const char *at = strrchr(spec, '@');
    g_autofree char *local = g_strndup(spec, at ? (size_t)(at - spec) : 0);

    for (const char *plus = strchr(local, '+'); plus; plus = strchr(plus + 1, '+')) {
        if (test(plus + 1, data))
            return true;
    }
    return false;
}

static bool
test_list(const Addresses *list, TagTest test, void *data)
{
    for (guint i = 0; i < list->len; i++) {
        if (test_address(((const Address *)g_ptr_array_index(list, i))->spec, test, data))
            return true;
    }
    return false;
}

/* Every address that this mail was sent to, as far as it says so. */
static bool
test_recipients(const Message *m, TagTest test, void *data)
{
    static const char *const fields[] = {"Delivered-To", "X-Original-To", "Envelope-To"};

    if (test_list(m->to, test, data) || test_list(m->cc, test, data))
        return true;
    for (size_t i = 0; i < G_N_ELEMENTS(fields); i++) {
        const char *value = message_header(m, fields[i]);
        g_autoptr(Addresses) list = value ? address_parse_list(value) : NULL;
        if (list && test_list(list, test, data))
            return true;
    }
    return false;
}

typedef struct ReplyTest {
    const Key *key;
    const ConfRole *role;
    JobId job;
} ReplyTest;

static bool
is_reply_tag(const char *tag, void *data)
{
    ReplyTest *t = data;
    size_t name = strlen(t->role->name);

    if (g_ascii_strncasecmp(tag, t->role->name, name) == 0 && tag[name] == '.')
        tag += name + 1; /* account+ROLE.12.abc@ */

    size_t digits = strspn(tag, "0123456789");
    g_autofree char *number = g_strndup(tag, digits);
    int64_t job = 0;

    if (tag[digits] != '.' || !text_parse_int(number, 1, INT64_MAX, &job))
        return false;
    g_autofree char *want = outward_reply_tag(t->key, t->role, (JobId){job});
    if (g_ascii_strcasecmp(tag, want) != 0) /* some servers fold the case of local parts */
        return false;
    t->job.v = job;
    return true;
}

JobId
outward_job_of(const Key *key, const ConfRole *role, const Message *m)
{
    ReplyTest t = {.key = key, .role = role};

    (void)test_recipients(m, is_reply_tag, &t);
    return t.job;
}

typedef struct BounceTest {
    const Key *key;
    uint64_t generation;
    OutId mail;
} BounceTest;

static bool
is_bounce_tag(const char *tag, void *data)
{
    BounceTest *t = data;

    return outward_bounced(t->key, t->generation, tag, &t->mail);
}

bool
outward_bounced(const Key *key, uint64_t generation, const char *tag, OutId *ret)
{
    int64_t number = 0;

    if (g_ascii_strncasecmp(tag, BOUNCE_PREFIX, strlen(BOUNCE_PREFIX)) != 0)
        return false;
    const char *rest = tag + strlen(BOUNCE_PREFIX);
    g_autofree char *digits = g_strndup(rest, strspn(rest, "0123456789"));
    if (!text_parse_int(digits, 1, INT64_MAX, &number))
        return false;
    g_autofree char *want = outward_bounce_tag(key, generation, (OutId){number});
    if (g_ascii_strcasecmp(tag, want) != 0)
        return false;
    ret->v = number;
    return true;
}

bool
outward_bounced_at(const Key *key, uint64_t generation, const Message *m, OutId *ret)
{
    BounceTest t = {.key = key, .generation = generation};
    bool found = test_recipients(m, is_bounce_tag, &t);

    *ret = t.mail;
    return found;
}

typedef struct CopyTest {
    const Key *key;
    OutId mail;
    int64_t try;
} CopyTest;

/* A number and the dot behind it; NULL: there is none. */
static const char *
read_number(const char *text, int64_t *ret)
{
    size_t digits = strspn(text, "0123456789");
    g_autofree char *number = g_strndup(text, digits);

    return text[digits] == '.' && text_parse_int(number, 1, INT64_MAX, ret) ? text + digits + 1
                                                                            : NULL;
}

static bool
is_copy_tag(const char *tag, void *data)
{
    CopyTest *t = data;
    OutId mail;
    int64_t try;

    if (g_ascii_strncasecmp(tag, COPY_PREFIX, strlen(COPY_PREFIX)) != 0)
        return false;
    const char *rest = read_number(tag + strlen(COPY_PREFIX), &mail.v);
    if (!rest || !read_number(rest, &try))
        return false;
    g_autofree char *want = copy_tag(t->key, mail, try);
    if (g_ascii_strcasecmp(tag, want) != 0)
        return false;
    t->mail = mail;
    t->try = try;
    return true;
}

bool
outward_is_copy(const Key *key, const Message *m, OutId *ret_mail, int64_t *ret_try)
{
    CopyTest t = {.key = key};

    if (!test_recipients(m, is_copy_tag, &t))
        return false;
    *ret_mail = t.mail;
    *ret_try = t.try;
    return true;
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
