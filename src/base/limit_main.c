/*
 * postrider-limit: stands between posix_spawn(3), which can't set resource limits, and the
 * program that gets them. It links nothing but libc and ends in exec, so it costs a fraction of
 * a millisecond.
 *
 *     postrider-limit as=BYTES fsize=BYTES nproc=N nofile=N core=0 parent=PID -- PROGRAM ARG...
 *
 * parent: the program dies with that process, by SIGKILL, however that one ends.
 * keyring=new: it has a session keyring of its own (keyrings(7)) and not that of whoever started it.
 *
 * 127 with one line on stderr when the program can't be run, 126 when a limit can't be set, 64
 * for a wrong call.
 */
#include <linux/keyctl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

static const struct {
    const char *name;
    int resource;
} limits[] = {
    {"as", RLIMIT_AS},         {"core", RLIMIT_CORE},   {"fsize", RLIMIT_FSIZE},
    {"nofile", RLIMIT_NOFILE}, {"nproc", RLIMIT_NPROC},
};

/* The hard limit too: what may be raised again is no limit. One below ours stays. */
static int
set_limit(int resource, const char *text)
{
    struct rlimit old;
    char *end;

    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (errno || end == text || *end) {
        errno = EINVAL;
        return -1;
    }
    if (getrlimit(resource, &old) < 0)
        return -1;
    if (old.rlim_max != RLIM_INFINITY && value > old.rlim_max)
        value = old.rlim_max;
    return setrlimit(resource, &(struct rlimit){.rlim_cur = value, .rlim_max = value});
}

/* The parent may have died before we asked; then it is another one already. */
static int
die_with(const char *text)
{
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
        return -1;
    if (getppid() != strtol(text, NULL, 10))
        (void)raise(SIGKILL);
    return 0;
}

/* A kernel without keyrings has none to be read. */
static int
leave_keyring(void)
{
    return syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) < 0 && errno != ENOSYS ? -1
                                                                                         : 0;
}

static int
set_by_name(const char *word)
{
    if (strcmp(word, "keyring=new") == 0)
        return leave_keyring();
    if (strncmp(word, "parent=", strlen("parent=")) == 0)
        return die_with(word + strlen("parent="));
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        size_t len = strlen(limits[i].name);

        if (strncmp(word, limits[i].name, len) == 0 && word[len] == '=')
            return set_limit(limits[i].resource, word + len + 1);
    }
    errno = EINVAL;
    return -1;
}

int
main(int argc, char **argv)
{
    int i = 1;

    for (; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (set_by_name(argv[i]) < 0) {
            fprintf(stderr, "postrider-limit: '%s': %s\n", argv[i], strerror(errno));
            return 126;
        }
    }
    if (i + 1 >= argc) {
        fprintf(stderr, "usage: postrider-limit NAME=N... -- PROGRAM ARG...\n");
        return 64;
    }
    (void)close_range(3, ~0u, 0);
    (void)execvpe(argv[i + 1], argv + i + 1, environ);
    fprintf(stderr, "postrider-limit: can't run '%s': %s\n", argv[i + 1], strerror(errno));
    return 127;
}
