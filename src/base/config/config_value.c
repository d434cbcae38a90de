/*
 * What may stand behind a key: each type has its form, and what does not fit it is told what
 * was expected. How values fit each other is for config_fit.c.
 */
#include "base/config/config_internal.h"
#include "base/limits.h"

const ConfKey *
conf_key(const char *kind, const char *name)
{
    for (const ConfKey *key = config_keys; key->section; key++) {
        if (g_str_equal(key->section, kind) && g_str_equal(key->name, name))
            return key;
    }
    return NULL;
}

unsigned
conf_word(const char *words, const char *word)
{
    g_auto(GStrv) all = g_strsplit(words, "|", -1);

    for (unsigned i = 0; all[i]; i++) {
        if (g_str_equal(all[i], word))
            return i + 1;
    }
    return 0;
}

char **
conf_split(const char *value)
{
    return text_words(value, " \t,;");
}

/* Enough to catch slips; the grammar proper is mail/address.h. */
static bool
address_plausible(const char *s)
{
    const char *at = strrchr(s, '@');

    if (!at || at == s || (size_t)(at - s) > LIMIT_ADDR_LOCAL ||
        strlen(at + 1) > LIMIT_ADDR_DOMAIN)
        return false;
    for (const char *p = s; p < at; p++) {
        if ((unsigned char)*p <= ' ' || *p == 0x7f || strchr("<>()[],;:\\\"@", *p))
            return false;
    }
    return at[1] && at[1] != '.' && !strpbrk(at + 1, " \t<>()[],;:\\\"@") && !strstr(at, "..");
}

static bool
host_plausible(const char *s)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
    size_t len = strlen(s);

    return len > 0 && len < 254 && strspn(s, letters) == len && s[0] != '.' && s[0] != '-' &&
           !strstr(s, "..");
}

/* The number that a value of this type stands for: of seconds, bytes, dollars. */
static bool
parse_number(ConfType type, const char *value, int64_t *ret)
{
    uint64_t size;

    switch (type) {
    case CONF_SPAN:
        return text_parse_span(value, ret);
    case CONF_MONEY:
        return text_parse_money(value, ret);
    case CONF_SIZE:
        if (!text_parse_size(value, &size) || size > INT64_MAX)
            return false;
        *ret = (int64_t)size;
        return true;
    default:
        return text_parse_int(value, INT64_MIN, INT64_MAX, ret);
    }
}

const char *
config_range(const ConfKey *key)
{
    switch (key->type) {
    case CONF_SPAN:
        return key->values ? key->values : "0..1000d";
    case CONF_SIZE:
        return key->values ? key->values : "0..64g";
    case CONF_INT:
    case CONF_MONEY:
        return key->values ? key->values : "0..1000000";
    default:
        return NULL;
    }
}

/* form: what such a value looks like. */
static char *
check_number(const ConfKey *key, const char *value, const char *what, const char *form)
{
    const char *range = config_range(key);
    g_auto(GStrv) ends = g_strsplit(range, "..", 2);
    int64_t number, least, most;

    if (!parse_number(key->type, value, &number))
        return g_strdup_printf("expected %s%s", what, form);
    if (!parse_number(key->type, ends[0], &least) || !parse_number(key->type, ends[1], &most))
        g_assert_not_reached();
    return number >= least && number <= most
               ? NULL
               : g_strdup_printf("expected %s in %s", what, range);
}

/* NULL when every word is one of the values; else what to say. */
static char *
check_words(const ConfKey *key, const char *const *words)
{
    g_auto(GStrv) values = g_strsplit(key->values ? key->values : "", "|", -1);
    const char *const *allowed = (const char *const *)values;

    for (; key->values && *words; words++) {
        if (g_strv_contains(allowed, *words))
            continue;

        g_autofree char *hint = text_did_you_mean(*words, allowed);
        g_autofree char *list = g_strjoinv(", ", values);
        return g_strdup_printf("expected %s%s%s", values[1] ? "one of " : "", list, hint);
    }
    return NULL;
}

static char *
check_list(const ConfKey *key, const char *value)
{
    g_auto(GStrv) words = conf_split(value);

    if (key->type != CONF_ADDRESSES)
        return check_words(key, (const char *const *)words);
    for (char **word = words; *word; word++) {
        if (!address_plausible(*word))
            return g_strdup("expected addresses such as bob@example.org");
    }
    return NULL;
}

static char *
check_command(const char *value)
{
    g_auto(GStrv) argv = NULL;
    g_autoptr(GError) why = NULL;

    if (g_shell_parse_argv(value, NULL, &argv, &why))
        return NULL;
    return g_strdup_printf("expected a command: %s", why->message);
}

static char *
expected(bool good, const char *what)
{
    return good ? NULL : g_strconcat("expected ", what, NULL);
}

char *
conf_complaint(const ConfKey *key, const char *value)
{
    g_autofree char *form = NULL;

    if (!*value && !*key->fallback)
        return NULL;
    switch (key->type) {
    case CONF_STRING:
    case CONF_PHRASES:
        return NULL;
    case CONF_BOOL:
        return expected(g_str_equal(value, "yes") || g_str_equal(value, "no") ||
                            g_str_equal(value, "true") || g_str_equal(value, "false"),
                        "yes or no");
    case CONF_INT:
        form = g_strconcat(" in ", config_range(key), NULL);
        return check_number(key, value, "a number", form);
    case CONF_SPAN:
        return check_number(key, value, "a time", " such as 90s, 2m, 1h or 7d");
    case CONF_SIZE:
        return check_number(key, value, "a size", " such as 4096, 64k or 25m");
    case CONF_MONEY:
        return check_number(key, value, "an amount", " such as 2.00");
    case CONF_ENUM:
        return check_words(key, (const char *const[]){value, NULL});
    case CONF_ADDRESS:
        return expected(address_plausible(value), "an address such as bob@example.org");
    case CONF_HOST:
        return expected(host_plausible(value), "a host name such as mail.example.org");
    case CONF_LIST:
    case CONF_FLAGS:
    case CONF_ADDRESSES:
        return check_list(key, value);
    case CONF_COMMAND:
        return check_command(value);
    }
    g_assert_not_reached();
}

bool
config_check(const char *section, const char *key, const char *value, GError **error)
{
    g_autofree char *kind = g_strndup(section, strcspn(section, " "));
    const ConfKey *known = conf_key(kind, key);
    g_autofree char *why = known ? conf_complaint(known, value) : g_strdup("no such key");

    return !why || err_set(error, ERR_CONFIG, "%s '%s': %s", key, value, why);
}
