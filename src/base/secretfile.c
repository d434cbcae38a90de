#include "base/secretfile.h"
#include "base/file.h"
#include <fcntl.h>
#include <sys/stat.h>

#define CREDENTIAL "credential:"

const char *
secretfile_credential(const char *setting)
{
    return g_str_has_prefix(setting, CREDENTIAL) ? setting + strlen(CREDENTIAL) : NULL;
}

bool
secretfile_within_reach(const char *setting)
{
    return !secretfile_credential(setting) || g_getenv("CREDENTIALS_DIRECTORY");
}

static bool
find_credential(const char *name, char **ret, GError **error)
{
    const char *dir = g_getenv("CREDENTIALS_DIRECTORY");

    if (!text_name_valid(name))
        return err_set(error, ERR_CONFIG,
                       "the credential '%s': a name is a-z, 0-9, '.', '_', '-'", name);
    if (!dir || !g_path_is_absolute(dir))
        return err_set(error, ERR_CONFIG,
                       "the credential '%s' is there in the service alone: systemd hands it "
                       "over, and nobody has set $CREDENTIALS_DIRECTORY here",
                       name);
    *ret = g_build_filename(dir, name, NULL);
    return true;
}

/* systemd leaves its file to root and lets us read it by an ACL, whose mask is shown as the
 * group's rights; or it gives us the file where there are no ACLs. */
static bool
check(int fd, const char *what, const char *path, bool credential, GError **error)
{
    struct stat st;

    if (fstat(fd, &st) != 0)
        return err_set_errno(error, errno, "the %s '%s'", what, path);
    if (!S_ISREG(st.st_mode))
        return err_set(error, ERR_CONFIG, "the %s '%s' is no regular file", what, path);
    if (st.st_uid != geteuid() && !(credential && st.st_uid == 0))
        return err_set(error, ERR_CONFIG, "the %s '%s' belongs to somebody else", what, path);
    if (st.st_mode & (credential ? 037 : 077))
        return err_set(error, ERR_CONFIG, "others can read the %s '%s'; run: chmod 600 '%s'",
                       what, path, path);
    return true;
}

bool
secretfile_read(const char *what,
                const char *setting,
                const char *home,
                size_t max,
                GBytes **ret,
                GError **error)
{
    const char *credential = secretfile_credential(setting);
    g_autofree char *path = NULL;

    if (!credential)
        path = g_canonicalize_filename(setting, home);
    else if (!find_credential(credential, &path, error))
        return false;
    auto_fd fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return err_set(error, ERR_CONFIG, "the %s '%s': %s", what, path, g_strerror(errno));
    if (!check(fd, what, path, credential, error))
        return false;
    return file_read_fd(fd, max, ret, error) || err_prefix(error, "the %s '%s'", what, path);
}
