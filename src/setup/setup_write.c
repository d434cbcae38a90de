/* From what is to change to the new postrider.conf. */
#include "base/file.h"
#include "base/preset.h"
#include "setup/setup.h"
#include <sys/mman.h>
#include <sys/stat.h>

#define SECRET_BYTES 8192u
#define CONF_OLD HOME_CONFIG ".bak"

typedef struct Change {
    char *section, *key, *value;
} Change;

static void
change_free(void *data)
{
    Change *c = data;
    free_all(c->section, c->key, c->value, c);
}

void
setup_begin(Setup *s)
{
    s->changes = g_ptr_array_new_with_free_func(change_free);
}

static void
drop_secret(Setup *s)
{
    if (s->trial_secret)
        (void)close(s->secret_fd);
    g_clear_pointer(&s->secret, g_free);
    g_clear_pointer(&s->trial_secret, g_free);
}

SetupMark
setup_mark(const Setup *s)
{
    return (SetupMark){s->changes->len, s->secret != NULL};
}

void
setup_forget(Setup *s, SetupMark since)
{
    g_ptr_array_set_size(s->changes, (int)since.n_changes);
    if (!since.secret)
        drop_secret(s);
}

void
setup_end(Setup *s)
{
    drop_secret(s);
    g_clear_pointer(&s->changes, g_ptr_array_unref);
}

/* --- values --- */

static Change *
find_change(const Setup *s, const char *section, const char *key)
{
    LIST_EACH(Change, c, s->changes)
        if (g_str_equal(c->section, section) && (!key || g_str_equal(c->key, key)))
            return c;
    return NULL;
}

typedef struct Look {
    const char *section, *key;
    char *value;
    bool section_there, from_file;
} Look;

static void
look_at(const char *section, const ConfKey *key, const char *value, bool from_file, void *data)
{
    Look *look = data;
    if (!g_str_equal(section, look->section))
        return;
    look->section_there = true;
    if (!look->key || !g_str_equal(key->name, look->key) || look->value)
        return;
    look->value = g_strdup(value);
    look->from_file = from_file;
}

bool
setup_has_section(const Setup *s, const char *section)
{
    Look look = {.section = section};
    config_visit(s->cli->home->config, look_at, &look);
    return look.section_there || find_change(s, section, NULL);
}

static const char *
fallback_of(const char *section, const char *key)
{
    size_t len = strcspn(section, " ");
    for (const ConfKey *k = config_keys; k->section; k++) {
        if (strlen(k->section) == len && strncmp(k->section, section, len) == 0 &&
            g_str_equal(k->name, key))
            return k->fallback;
    }
    return "";
}

/* A preset that is about to be set counts where the file says nothing; what the one before it
 * said does not any more. */
static char *
by_new_preset(const Change *preset, const char *section, const char *key, Look *look)
{
    const char *value = preset_value(preset_find(preset->value), key);
    if (look->from_file)
        return look->value;
    g_free(look->value);
    return g_strdup(value ? value : fallback_of(section, key));
}

char *
setup_value(const Setup *s, const char *section, const char *key)
{
    const Change *change = find_change(s, section, key);
    const Change *preset = find_change(s, section, "preset");
    Look look = {.section = section, .key = key};
    if (change)
        return g_strdup(change->value);
    config_visit(s->cli->home->config, look_at, &look);
    if (preset)
        return by_new_preset(preset, section, key, &look);
    return look.value ? look.value : g_strdup(fallback_of(section, key));
}

bool
setup_set(Setup *s, const char *section, const char *key, const char *value, GError **error)
{
    g_autofree char *now = setup_value(s, section, key);
    if (!config_check(section, key, value, error))
        return false;
    if (strpbrk(value, "\n\r"))
        return err_set(error, ERR_CONFIG, "%s: one line is needed", key);
    if (g_str_equal(now, value) && setup_has_section(s, section))
        return true;
    Change *c = find_change(s, section, key);
    if (!c) {
        c = g_new0(Change, 1);
        c->section = g_strdup(section);
        c->key = g_strdup(key);
        g_ptr_array_add(s->changes, c);
    }
    g_free(c->value);
    c->value = g_strdup(value);
    return true;
}

/* In memory until it is written: who breaks off while it is tried leaves nothing behind. */
bool
setup_keep_secret(Setup *s, const char *name, const char *secret, GError **error)
{
    if (!*secret || strpbrk(secret, "\r\n"))
        return err_set(error, ERR_CONFIG, "a password or key is one line");
    auto_fd fd = memfd_create("secret", MFD_CLOEXEC);
    if (fd < 0 || fchmod(fd, 0600) < 0)
        return err_set_errno(error, errno, "making room");
    if (!file_write_all(fd, secret, strlen(secret), error) ||
        !file_write_all(fd, "\n", 1, error))
        return false;
    drop_secret(s);
    s->secret_fd = g_steal_fd(&fd);
    s->secret = g_strconcat("secrets/", name, NULL);
    s->trial_secret = g_strdup_printf("/proc/self/fd/%d", s->secret_fd);
    return true;
}

/* --- the file --- */

static char *
apply(const Setup *s, const char *text)
{
    char *changed = g_strdup(text);
    LIST_EACH(const Change, c, s->changes) {
        char *next = config_with(changed, c->section, c->key, c->value);
        g_free(changed);
        changed = next;
    }
    return changed;
}

/* Every key that names the secret's file names where it is now. */
typedef struct Swap {
    const Setup *s;
    char *text;
} Swap;

static void
swap_secret(
    const char *section, const ConfKey *key, const char *value, bool from_file, void *data)
{
    Swap *swap = data;
    if (!g_str_equal(value, swap->s->secret))
        return;
    char *next = config_with(swap->text, section, key->name, swap->s->trial_secret);
    g_free(swap->text);
    swap->text = next;
}

bool
setup_preview(Setup *s, Config **ret, GError **error)
{
    g_autofree char *old = NULL;
    g_autoptr(Config) config = NULL;
    if (!home_read_config(s->cli->home, &old, error))
        return false;
    Swap swap = {.s = s, .text = apply(s, old)};
    bool ok = config_parse(swap.text, strlen(swap.text), HOME_CONFIG_NEW, &config, error);
    if (ok && s->trial_secret) {
        config_visit(config, swap_secret, &swap);
        g_clear_pointer(&config, config_free);
        ok = config_parse(swap.text, strlen(swap.text), HOME_CONFIG_NEW, &config, error);
    }
    g_free(swap.text);
    if (ok)
        *ret = g_steal_pointer(&config);
    return ok;
}

/* --- writing --- */

static bool
write_secret(Setup *s, GError **error)
{
    int fd = s->cli->home->fd;
    g_autoptr(GBytes) bytes = NULL;
    gsize len;
    if (!s->trial_secret)
        return true;
    if (lseek(s->secret_fd, 0, SEEK_SET) != 0 ||
        !file_read_fd(s->secret_fd, SECRET_BYTES, &bytes, error))
        return false;
    const char *data = g_bytes_get_data(bytes, &len);
    bool ok = dir_make(fd, "secrets", 0700, error) &&
              file_replace(fd, s->secret, data, len, 0600, error);
    explicit_bzero((void *)data, len);
    return ok;
}

static int
agreed(Setup *s)
{
    if (cli_flag(s->cli, "yes"))
        return 0;
    if (!s->ask)
        return cli_fail(EX_USAGE, "nothing was written; say --yes to write it");
    return setup_ask_yes(s, "Write it?", true) ? 0 : setup_no_answer(s);
}

static void
say_written(Setup *s, bool changed)
{
    const Home *home = s->cli->home;
    s->written = true;
    if (s->secret)
        setup_say(s, "kept: %s/%s (0600)\n", home->path, s->secret);
    if (changed)
        setup_say(s, "written: %s/" HOME_CONFIG "; what it was: " CONF_OLD "\n", home->path);
}

/* Somebody may have saved the file while we asked. */
static int
put(Setup *s, const char *old, const char *text)
{
    int fd = s->cli->home->fd;
    bool changed = !g_str_equal(text, old);
    g_autofree char *again = NULL;
    if (!home_read_config(s->cli->home, &again, &s->cli->error))
        return cli_failed(s->cli, EX_CONFIG);
    if (!g_str_equal(again, old))
        return cli_fail(EX_TEMPFAIL, HOME_CONFIG " was changed meanwhile; nothing was written");
    if (!write_secret(s, &s->cli->error) ||
        (changed && (!file_replace(fd, CONF_OLD, old, strlen(old), 0600, &s->cli->error) ||
                     !file_replace(fd, HOME_CONFIG, text, strlen(text), 0600, &s->cli->error))))
        return cli_failed(s->cli, EX_CANTCREAT);
    say_written(s, changed);
    return 0;
}

int
setup_write(Setup *s)
{
    g_autofree char *old = NULL;
    g_autoptr(Config) config = NULL;
    if (!home_read_config(s->cli->home, &old, &s->cli->error))
        return cli_failed(s->cli, EX_CONFIG);
    g_autofree char *text = apply(s, old);
    bool changed = !g_str_equal(text, old);
    if (!config_parse(text, strlen(text), HOME_CONFIG_NEW, &config, &s->cli->error))
        return cli_failed(s->cli, EX_CONFIG);
    if (!changed && !s->trial_secret) {
        setup_say(s, "nothing is to change\n");
        return 0;
    }
    g_autofree char *diff = setup_diff(old, text);
    setup_say(s, "%s%s", changed ? "\n" : "", diff);
    int status = agreed(s);
    return status ? status : put(s, old, text);
}
