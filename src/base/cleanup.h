#pragma once

/* Scope-bound file descriptors and streams (memory has g_autoptr and g_autofree), and g_free()
 * of several members at once. */
#include <dirent.h>
#include <glib.h>
#include <stdio.h>
#include <unistd.h>

static inline void
cleanup_fd(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
}

/* auto_fd fd = open(…); closed at the end of its scope; g_steal_fd(&fd) keeps it. */
#define auto_fd __attribute__((cleanup(cleanup_fd))) int

G_DEFINE_AUTOPTR_CLEANUP_FUNC(DIR, closedir)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FILE, fclose)

static inline void
free_pointers(void *const *pointers, size_t n)
{
    for (size_t i = 0; i < n; i++)
        g_free(pointers[i]);
}

/* free_all(mark->name, mark->place, mark) frees each of them; NULL is fine. */
#define free_all(...)                                                                          \
    free_pointers((void *const[]){__VA_ARGS__},                                                \
                  sizeof((void *[]){__VA_ARGS__}) / sizeof(void *))
