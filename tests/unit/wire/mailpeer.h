#pragma once

/* tests/peers/mailpeer and tests/lib/mailserver for one test program. */
#include "../base/tmpdir.h"
#include "base/json.h"
#include <glib.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>

/* --- the server that misbehaves --- */

typedef struct MailPeer {
    TmpDir dir;
    GPid pid;
    int stdin_fd;
    FILE *says;
    int imap_port, smtp_port;
} MailPeer;

static inline MailPeer
mailpeer_start(void)
{
    MailPeer p = {.dir = tmpdir_new()};
    g_autoptr(GPtrArray) argv = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GError) error = NULL;
    int out;

    g_ptr_array_add(argv, g_test_build_filename(G_TEST_DIST, "..", "peers", "mailpeer", NULL));
    g_ptr_array_add(argv, g_strdup("--with-stdin"));
    g_ptr_array_add(argv, g_strdup("--log"));
    g_ptr_array_add(argv, tmpdir_path(&p.dir, "log"));
    g_ptr_array_add(argv, NULL);
    g_spawn_async_with_pipes(NULL, (char **)argv->pdata, NULL, G_SPAWN_DO_NOT_REAP_CHILD, NULL,
                             NULL, &p.pid, &p.stdin_fd, &out, NULL, &error);
    g_assert_no_error(error);
    p.says = fdopen(out, "r");
    g_assert_cmpint(fscanf(p.says, "%d %d", &p.imap_port, &p.smtp_port), ==, 2);
    return p;
}

/* Its options; NULL: not given. */
typedef struct PeerCase {
    const char *rule, *mails, *capability, *password, *token, *tls;
    bool implicit;
} PeerCase;

/* Begins anew with these. */
static inline void
mailpeer_begin(MailPeer *p, const PeerCase *c)
{
    const char *options[][2] = {
        {"--rule", c->rule},         {"--mails", c->mails}, {"--capability", c->capability},
        {"--password", c->password}, {"--token", c->token}, {"--tls", c->tls}};
    g_autoptr(json_t) list = json_array();
    char word[16];

    for (size_t i = 0; i < G_N_ELEMENTS(options); i++) {
        if (!options[i][1])
            continue;
        for (size_t k = 0; k < 2; k++)
            g_assert_cmpint(json_array_append_new(list, json_string(options[i][k])), ==, 0);
    }
    if (c->implicit)
        g_assert_cmpint(json_array_append_new(list, json_string("--implicit")), ==, 0);
    char *line = json_dumps(list, JSON_COMPACT);
    g_assert_cmpint(dprintf(p->stdin_fd, "%s\n", line), ==, (int)strlen(line) + 1);
    free(line);
    g_assert_cmpint(fscanf(p->says, "%15s", word), ==, 1);
    g_assert_cmpstr(word, ==, "ready");
}

static inline void
mailpeer_clear(MailPeer *p)
{
    cleanup_fd(&p->stdin_fd);
    g_assert_cmpint(fclose(p->says), ==, 0);
    (void)kill(p->pid, SIGKILL);
    g_assert_cmpint(waitpid(p->pid, NULL, 0), ==, p->pid);
    tmpdir_clear(&p->dir);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(MailPeer, mailpeer_clear)

/* The witness: how many lines of its log hold both; part2 may be NULL. */
static inline unsigned
mailpeer_count(const MailPeer *p, const char *part1, const char *part2)
{
    g_autofree char *log = tmpdir_read(&p->dir, "log");
    g_auto(GStrv) lines = g_strsplit(log ? log : "", "\n", -1);
    unsigned n = 0;

    for (char **line = lines; *line; line++)
        n += strstr(*line, part1) && (!part2 || strstr(*line, part2));
    return n;
}

static inline bool
mailpeer_saw(const MailPeer *p, const char *part1, const char *part2)
{
    return mailpeer_count(p, part1, part2) > 0;
}

/* --- real servers --- */

typedef struct MailServer {
    TmpDir dir;
    char *place;     /* NULL: not installed */
    GHashTable *env; /* what it printed */
} MailServer;

static inline int
mailserver_run(const char *verb, const char *place)
{
    g_autofree char *program =
        g_test_build_filename(G_TEST_DIST, "..", "lib", "mailserver", NULL);
    char *argv[] = {program, (char *)verb, (char *)place, NULL};
    g_autoptr(GError) error = NULL;
    int status;

    g_spawn_sync(NULL, argv, NULL, G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL, NULL, NULL, &status,
                 &error);
    g_assert_no_error(error);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static inline MailServer
mailserver_start(void)
{
    MailServer s = {.dir = tmpdir_new()};
    g_autofree char *place = tmpdir_path(&s.dir, "servers");
    int status = mailserver_run("start", place);

    s.env = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    if (status == 77)
        return s;
    g_assert_cmpint(status, ==, 0);
    s.place = g_steal_pointer(&place);
    g_autofree char *text = tmpdir_read(&s.dir, "servers/env");
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line && **line; line++) {
        char *value = strchr(*line, '=');
        g_hash_table_insert(s.env, g_strndup(*line, (size_t)(value - *line)),
                            g_strdup(value + 1));
    }
    return s;
}

static inline const char *
mailserver_get(const MailServer *s, const char *name)
{
    const char *value = g_hash_table_lookup(s->env, name);

    g_assert_nonnull(value);
    return value;
}

static inline void
mailserver_clear(MailServer *s)
{
    if (s->place)
        g_assert_cmpint(mailserver_run("stop", s->place), ==, 0);
    g_clear_pointer(&s->env, g_hash_table_unref);
    g_free(s->place);
    tmpdir_clear(&s->dir);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(MailServer, mailserver_clear)
