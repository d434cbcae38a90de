#include "base/home.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/secret.h"
#include <fcntl.h>
#include <sys/stat.h>

#define KEY_NAME "key"
#define KEY_FILE_MAX 4096
/* An editor that writes in place, or renames the old file away first, needs less than this. */
#define SETTLE_US 50000
#define SETTLE_STEP_US 10000
#define SETTLE_STEPS 50

/* Any longer and the store could not be opened: better said before anything is made. */
static char *
whole_path(const char *path, GError **error)
{
    g_autofree char *whole = g_canonicalize_filename(path, NULL);

    if (strlen(whole) <= LIMIT_HOME_PATH)
        return g_steal_pointer(&whole);
    err_set(error, ERR_CONFIG, "the path of a home has at most %u bytes: '%.60s…'",
            LIMIT_HOME_PATH, whole);
    return NULL;
}

char *
home_find(const char *option, GError **error)
{
    const char *env = g_getenv("POSTRIDER_HOME");
    const char *user = g_getenv("HOME");

    if (option && *option)
        return whole_path(option, error);
    if (env && *env)
        return whole_path(env, error);
    if (user && *user) {
        g_autofree char *path = g_build_filename(user, ".postrider", NULL);
        return whole_path(path, error);
    }
    err_set(error, ERR_CONFIG, "no home: set POSTRIDER_HOME, or say --home DIR");
    return NULL;
}

/* Everything in here is trusted, so nobody else may be able to change it. */
static bool
check_owner(const char *path, int fd, GError **error)
{
    struct stat st;

    if (fstat(fd, &st) < 0)
        return err_set_errno(error, errno, "'%s'", path);
    if (st.st_uid != geteuid())
        return err_set(error, ERR_CONFIG, "'%s' belongs to another user", path);
    if (st.st_mode & (S_IWGRP | S_IWOTH))
        return err_set(error, ERR_CONFIG, "'%s' can be changed by others; run: chmod 700 '%s'",
                       path, path);
    return true;
}

static bool
check_key_mode(const Home *home, int fd, GError **error)
{
    struct stat st;

    if (fstat(fd, &st) < 0)
        return err_set_errno(error, errno, "'%s/" KEY_NAME "'", home->path);
    if (st.st_mode & 077)
        return err_set(error, ERR_CONFIG,
                       "'%s/" KEY_NAME "' can be read by others; run: chmod 600 '%s/" KEY_NAME
                       "'",
                       home->path, home->path);
    return true;
}

/* One key a line, 64 hex digits, the newest first. */
static bool
parse_key(const char *text, Key *ret)
{
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    Key key = {0};
    Digest d;

    for (char **line = lines; *line; line++) {
        g_strstrip(*line);
        if (!**line)
            continue;
        if (key.n == KEY_MAX || !digest_parse_hex(*line, &d))
            return false;
        memcpy(key.v[key.n++], d.v, KEY_SIZE);
    }
    if (key.n == 0)
        return false;
    *ret = key;
    return true;
}

static bool
read_key(Home *home, GError **error)
{
    g_autoptr(GBytes) bytes = NULL;
    auto_fd fd = file_open_beneath(home->fd, KEY_NAME, O_RDONLY, 0, error);

    if (fd < 0 || !check_key_mode(home, fd, error) ||
        !file_read_fd(fd, KEY_FILE_MAX, &bytes, error))
        return false;

    g_autofree char *text = text_from_bytes(bytes);
    if (!parse_key(text, &home->key))
        return err_set(error, ERR_CONFIG,
                       "'%s/" KEY_NAME "' is damaged: want lines of 64 hex digits; put your "
                       "backup of it back",
                       home->path);
    return true;
}

uint64_t
home_mark_settings(const Home *home)
{
    struct stat st;
    uint64_t mark = 0;

    if (fstatat(home->fd, HOME_CONFIG, &st, 0) < 0)
        return 0;
    const uint64_t parts[] = {st.st_dev, st.st_ino, (uint64_t)st.st_size,
                              (uint64_t)st.st_mtim.tv_sec, (uint64_t)st.st_mtim.tv_nsec};
    for (size_t i = 0; i < G_N_ELEMENTS(parts); i++)
        mark = (mark ^ parts[i]) * UINT64_C(0x100000001b3) + 1;
    return mark ? mark : 1;
}

/* Where there is no file, its folder tells whether one was there a moment ago. */
static bool
is_being_written(const Home *home)
{
    struct stat st;

    if (fstatat(home->fd, HOME_CONFIG, &st, 0) < 0 &&
        (errno != ENOENT || fstat(home->fd, &st) < 0))
        return false;
    int64_t age =
        g_get_real_time() - (st.st_mtim.tv_sec * USEC_PER_SEC + st.st_mtim.tv_nsec / 1000);
    return age >= 0 && age < SETTLE_US;
}

bool
home_read_config(const Home *home, char **ret, GError **error)
{
    g_autoptr(GBytes) bytes = NULL;

    if (!file_read(home->fd, HOME_CONFIG, LIMIT_CONFIG_BYTES, &bytes, error))
        return false;
    *ret = text_from_bytes(bytes);
    return true;
}

/* Half a file may be a valid one, so a file that was written just now is left alone for a moment.
 * After that moment a later edit has another time, too, whatever the clock of the disk. */
static bool
read_config(Home *home, Config **ret, GError **error)
{
    g_autoptr(GBytes) bytes = NULL;

    for (int i = 0; i < SETTLE_STEPS && is_being_written(home); i++)
        g_usleep(SETTLE_STEP_US);
    home->settings_mark = home_mark_settings(home); /* before: what comes later is a change */
    if (!file_read(home->fd, HOME_CONFIG, LIMIT_CONFIG_BYTES, &bytes, error))
        return false;
    if (!bytes)
        return err_set(error, ERR_CONFIG,
                       "'%s' is not a home: it has no " HOME_CONFIG "; run: postrider init",
                       home->path);

    gsize len;
    const char *data = g_bytes_get_data(bytes, &len);
    if (!config_parse(data ? data : "", len, HOME_CONFIG, ret, error))
        return false;
    secret_learn_keys(*ret);
    return true;
}

/* What goes wrong in here is for a person to mend, whatever the kernel called it; only a disk
 * that fails keeps its code. */
static bool
as_config_error(const Home *home, GError **error)
{
    if (!error || !*error)
        return false;
    if (err_is(*error, ERR_NEVER) || err_is(*error, ERR_LIMIT)) {
        err_prefix(error, "home '%s'", home->path);
        (*error)->code = ERR_CONFIG;
    }
    return false;
}

/* A deleted state/ is legal, so is a home whose mail lies elsewhere: both are made when they
 * are missing. */
static int
open_folder(int fd, const char *name, GError **error)
{
    return dir_make(fd, name, 0700, error) ? dir_open_beneath(fd, name, error) : -1;
}

static bool
open_folders(Home *home, GError **error)
{
    home->mail_fd = open_folder(home->fd, "mail", error);
    if (home->mail_fd < 0)
        return false;
    home->state_fd = open_folder(home->fd, "state", error);
    if (home->state_fd < 0)
        return false;
    g_autofree char *path = g_build_filename(home->path, "state", NULL);
    return check_owner(path, home->state_fd, error);
}

/* What to type is said only where it would help, and for this folder. */
static bool
no_home(const Home *home, const GError *why, GError **error)
{
    g_autofree char *usual = home_find(NULL, NULL);
    g_autofree char *found = usual ? g_canonicalize_filename(usual, NULL) : NULL;
    g_autofree char *quoted = g_shell_quote(home->path);

    if (access(home->path, F_OK) == 0 || errno != ENOENT)
        return err_set(error, ERR_CONFIG, "%s", why->message);
    if (g_strcmp0(found, home->path) == 0)
        return err_set(error, ERR_CONFIG, "there is no home '%s' yet; run: postrider init",
                       home->path);
    return err_set(error, ERR_CONFIG, "there is no home '%s'; run: postrider init %s",
                   home->path, quoted);
}

static bool
open_home(const char *path, bool with_config, Home **ret, GError **error)
{
    g_autoptr(Home) home = g_new0(Home, 1);
    g_autoptr(GError) why = NULL;
    struct stat st;

    home->path = g_canonicalize_filename(path, NULL);
    home->mail_fd = home->state_fd = -1;
    home->clock = clock_from_env();
    home->fd = dir_open(home->path, &why);
    if (home->fd < 0)
        return no_home(home, why, error);
    if (!check_owner(home->path, home->fd, error))
        return false;
    if (fstatat(home->fd, KEY_NAME, &st, AT_SYMLINK_NOFOLLOW) < 0 && errno == ENOENT)
        return err_set(error, ERR_CONFIG,
                       "'%s' is not a home: it has no key; run: postrider init", home->path);
    if (with_config && faccessat(home->fd, HOME_UNFINISHED, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
        return err_set(error, ERR_CONFIG,
                       "'%s' is not a home yet: making it was broken off; run: postrider init",
                       home->path);
    if (!read_key(home, error) || (with_config && !read_config(home, &home->config, error)) ||
        !open_folders(home, error))
        return as_config_error(home, error);
    *ret = g_steal_pointer(&home);
    return true;
}

bool
home_open(const char *path, Home **ret, GError **error)
{
    return open_home(path, true, ret, error);
}

bool
home_open_bare(const char *path, Home **ret, GError **error)
{
    return open_home(path, false, ret, error);
}

bool
home_reload(Home *home, GError **error)
{
    Config *config;

    if (!read_config(home, &config, error))
        return as_config_error(home, error);
    config_free(home->config);
    home->config = config;
    return true;
}

bool
home_outdated(Home *home)
{
    g_autoptr(Config) config = NULL;
    uint64_t mark = home_mark_settings(home);

    return mark && mark != home->settings_mark && read_config(home, &config, NULL);
}

void
home_close(Home *home)
{
    if (!home)
        return;
    config_free(home->config);
    cleanup_fd(&home->state_fd);
    cleanup_fd(&home->mail_fd);
    cleanup_fd(&home->fd);
    explicit_bzero(&home->key, sizeof home->key);
    free_all(home->path, home);
}

pid_t
home_master(const Home *home)
{
    return lock_is_held(home->state_fd, "master.lock")
               ? lock_holder(home->state_fd, "master.lock")
               : 0;
}

int64_t
home_now(const Home *home)
{
    return clock_wall_us(&home->clock);
}

char *
home_log_file(const Home *home)
{
    const char *file = home->config->log_file;

    return *file ? g_canonicalize_filename(file, home->path) : NULL;
}

bool
home_log(const Home *home, const char *prog, bool quiet)
{
    const char *asked = g_getenv("POSTRIDER_LOG");
    static const LogLevel levels[] = {[ConfLog_UNSAID] = LOG_INFO,  [CONF_LOG_DEBUG] = LOG_DEBUG,
                                      [CONF_LOG_INFO] = LOG_INFO,   [CONF_LOG_WARN] = LOG_WARN,
                                      [CONF_LOG_ERROR] = LOG_ERROR};
    LogLevel least = log_level_parse(asked, levels[home->config->log_level]);
    g_autofree char *file = home_log_file(home);

    return log_init(prog, quiet && !asked ? LOG_NONE : least, file, least,
                    home->config->keep_logs);
}
