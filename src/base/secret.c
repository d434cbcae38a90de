#include "base/secret.h"

#define CUT_MIN 6    /* less of a secret is none: "sk-" and the like */
#define BASE64_MIN 8 /* characters */

/* What belongs to the process and not to a Home: all forms of all secrets. NULL: none is known. */
static GPtrArray *forms; /* char * */

static void
add(char *take_form, size_t least)
{
    if (strlen(take_form) >= least &&
        !g_ptr_array_find_with_equal_func(forms, take_form, g_str_equal, NULL))
        g_ptr_array_add(forms, take_form);
    else
        g_free(take_form);
}

/* The characters that the secret alone decides where before bytes stand in front of it. */
static char *
inside_base64(const char *secret, size_t before)
{
    static const size_t mixed[] = {0, 2, 3};
    g_autofree char *padded = g_strdup_printf("%.*s%s", (int)before, "\1\1", secret);
    g_autofree char *encoded = g_base64_encode((const guchar *)padded, strlen(padded));
    size_t whole = strlen(padded) * 8 / 6;

    return g_strndup(encoded + mixed[before], whole - mixed[before]);
}

void
secret_learn(const char *secret)
{
    if (!secret || strlen(secret) < SECRET_MIN)
        return;
    if (!forms)
        forms = g_ptr_array_new();
    add(text_escape(secret), SECRET_MIN); /* first: the bare one may stand in it */
    add(g_strdup(secret), SECRET_MIN);
    for (size_t before = 0; before < 3; before++)
        add(inside_base64(secret, before), BASE64_MIN);
}

/* A text that was shortened may end within a secret. Takes it. */
static char *
hide_cut(const char *secret, char *take_text)
{
    static const char cut[] = "…";
    g_autofree char *text = take_text;

    if (!g_str_has_suffix(text, cut))
        return g_steal_pointer(&text);
    size_t end = strlen(text) - strlen(cut);
    for (size_t n = MIN(strlen(secret), end); n >= CUT_MIN; n--)
        if (memcmp(text + end - n, secret, n) == 0)
            return g_strdup_printf("%.*s[secret]%s", (int)(end - n), text, cut);
    return g_steal_pointer(&text);
}

static char *
hide_one(const char *secret, char *take_text)
{
    g_autofree char *text = take_text;

    if (!strstr(text, secret))
        return hide_cut(secret, g_steal_pointer(&text));
    g_auto(GStrv) parts = g_strsplit(text, secret, -1);
    return hide_cut(secret, g_strjoinv("[secret]", parts));
}

char *
secret_hide(char *take_text)
{
    for (guint i = 0; take_text && forms && i < forms->len; i++)
        take_text = hide_one(g_ptr_array_index(forms, i), take_text);
    return take_text;
}

/* A shorter key is a word that a server of one's own wants to see, and no secret. */
static void
learn_variable(const char *name)
{
    const char *value = *name ? g_getenv(name) : NULL;

    if (value && strlen(value) >= SECRET_KEY_MIN)
        secret_learn(value);
}

void
secret_learn_keys(const Config *config)
{
    learn_variable("ANTHROPIC_API_KEY");
    learn_variable("OPENAI_API_KEY");
    for (unsigned i = 0; i < config->n_brains; i++)
        learn_variable(config->brains[i].key_env);
}

char **
secret_environ(void)
{
    char **env = g_get_environ();
    unsigned n = 0, all = 0;

    for (char **p = env; *p; p++, all++) {
        g_autofree char *hidden = secret_hide(g_strdup(*p));
        if (g_str_equal(hidden, *p))
            env[n++] = *p;
        else
            g_free(*p);
    }
    env[n] = NULL;
    if (n == all)
        g_clear_pointer(&env, g_strfreev);
    return env;
}

void
secret_free(char *secret)
{
    if (secret)
        explicit_bzero(secret, strlen(secret));
    g_free(secret);
}
