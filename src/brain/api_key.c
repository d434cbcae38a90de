#include "brain/api_key.h"
#include "base/secret.h"
#include "base/secretfile.h"

#define KEY_BYTES_MAX 4096u

/* A header line is what it goes into: printable ASCII without blanks. */
static bool
take_key(const char *text, size_t len, char **ret)
{
    while (len > 0 && g_ascii_isspace(text[len - 1]))
        len--;
    for (size_t i = 0; i < len; i++) {
        if (!g_ascii_isgraph(text[i]))
            return false;
    }
    if (len == 0)
        return false;
    *ret = g_strndup(text, len);
    if (len >= SECRET_KEY_MIN)
        secret_learn(*ret);
    return true;
}

static bool
load_file(const char *setting, const char *home, char **ret, GError **error)
{
    g_autoptr(GBytes) bytes = NULL;

    if (!secretfile_read("key file", setting, home, KEY_BYTES_MAX, &bytes, error))
        return false;
    size_t len;
    const char *text = g_bytes_get_data(bytes, &len);
    bool ok = take_key(text, len, ret);
    explicit_bzero((void *)text, len);
    return ok || err_set(error, ERR_CONFIG, "the key file '%s' holds no key", setting);
}

static bool
load_env(const char *name, char **ret, GError **error)
{
    const char *value = g_getenv(name);

    if (!value)
        return err_set(error, ERR_CONFIG, "no key: the environment has no '%s'", name);
    if (!take_key(value, strlen(value), ret))
        return err_set(error, ERR_CONFIG, "the environment's '%s' holds no key", name);
    return true;
}

bool
api_key_load(const ConfBrain *conf,
             const char *home,
             const char *fallback_env,
             char **ret,
             GError **error)
{
    *ret = NULL;
    if (*conf->key_file)
        return load_file(conf->key_file, home, ret, error);
    if (*conf->key_env)
        return load_env(conf->key_env, ret, error);
    return !fallback_env || !g_getenv(fallback_env) || load_env(fallback_env, ret, error);
}
