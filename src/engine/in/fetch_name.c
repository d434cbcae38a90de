#include "engine/in/fetch_name.h"
#include "base/clock.h"

char *
fetch_name(const char *folder,
           const ConfAccount *account,
           uint32_t uidvalidity,
           uint32_t uid,
           int64_t received_us)
{
    return g_strdup_printf("%" PRId64 ".V%uU%u%.1s.%s", received_us / USEC_PER_SEC, uidvalidity,
                           uid, folder, account->name);
}

/* Past letter and digits, at least one; NULL: they are not there. */
static const char *
skip_number(const char *p, char letter)
{
    if (letter && *p++ != letter)
        return NULL;
    size_t digits = strspn(p, "0123456789");
    return digits ? p + digits : NULL;
}

const ConfAccount *
fetch_name_account(const Config *config, const char *base)
{
    const char *p = skip_number(base, '\0');

    p = p && *p == '.' ? skip_number(p + 1, 'V') : NULL;
    p = p ? skip_number(p, 'U') : NULL;
    p = p && g_ascii_isupper(*p) ? p + 1 : p;
    if (!p || *p != '.')
        return NULL;
    const ConfAccount *account = config_account(config, p + 1);
    return account && config_is_imap(account) ? account : NULL;
}

void
fetch_name_uid(const char *base, uint32_t *ret_uidvalidity, uint32_t *ret_uid)
{
    const char *validity = strchr(base, 'V'), *uid = strchr(base, 'U');

    *ret_uidvalidity = (uint32_t)g_ascii_strtoull(validity + 1, NULL, 10);
    *ret_uid = (uint32_t)g_ascii_strtoull(uid + 1, NULL, 10);
}
