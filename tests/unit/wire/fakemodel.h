#pragma once

/* tools/fake-model for one test program: one server, a script of its own for each case. */
#include "../base/tmpdir.h"
#include "base/json.h"
#include <glib.h>
#include <signal.h>
#include <stdint.h>
#include <sys/wait.h>

typedef struct FakeModel {
    TmpDir dir;
    GPid pid;
    int stdin_fd;
    int port;
    unsigned cases;
    bool tls;
} FakeModel;

/* pem: answer by TLS with this certificate; NULL: plain. */
static inline FakeModel
fake_start(const char *pem)
{
    FakeModel f = {.dir = tmpdir_new(), .tls = pem != NULL};
    g_autofree char *program =
        g_test_build_filename(G_TEST_DIST, "..", "..", "tools", "fake-model", NULL);
    g_autofree char *log = tmpdir_path(&f.dir, "log");
    char *argv[] = {
        program,    (char *)"--with-stdin",       (char *)"--log", log, (char *)"--scripts",
        f.dir.path, pem ? (char *)"--tls" : NULL, (char *)pem,     NULL};
    g_autoptr(GError) error = NULL;
    int out;

    g_spawn_async_with_pipes(NULL, argv, NULL, G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL, &f.pid,
                             &f.stdin_fd, &out, NULL, &error);
    g_assert_no_error(error);
    g_autoptr(FILE) says = fdopen(out, "r");
    g_assert_cmpint(fscanf(says, "%d", &f.port), ==, 1);
    return f;
}

static inline void
fake_clear(FakeModel *f)
{
    cleanup_fd(&f->stdin_fd);
    (void)kill(f->pid, SIGTERM);
    g_assert_cmpint(waitpid(f->pid, NULL, 0), ==, f->pid);
    tmpdir_clear(&f->dir);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(FakeModel, fake_clear)

/* The URL of a new script; caller frees. */
static inline char *
fake_case(FakeModel *f, const char *script)
{
    g_autofree char *name = g_strdup_printf("case%u.jsonl", ++f->cases);

    tmpdir_write(&f->dir, name, script, 0600);
    return g_strdup_printf("%s://127.0.0.1:%d/case%u", f->tls ? "https" : "http", f->port,
                           f->cases);
}

/* The requests of the newest case, as the server saw them. */
static inline json_t *
fake_requests(FakeModel *f)
{
    g_autofree char *log = tmpdir_read(&f->dir, "log");
    g_auto(GStrv) lines = g_strsplit(log, "\n", -1);
    g_autofree char *path = g_strdup_printf("/case%u/", f->cases);
    json_t *all = json_array();

    for (char **line = lines; *line && **line; line++) {
        g_autoptr(json_t) request = NULL;
        g_assert_true(json_parse(*line, strlen(*line), SIZE_MAX, &request, NULL));
        if (g_str_has_prefix(json_string_value(json_object_get(request, "path")), path))
            json_array_append(all, request);
    }
    return all;
}
