/*
 * Runs a fuzz target over the files of seed folders, as TAP: every input that once mattered is
 * an ordinary test. The empty input is always the first. Each name is printed before its input
 * runs, so the last line before a crash is the culprit.
 */
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
replay(const char *name, const char *bytes, size_t len, unsigned *n)
{
    /* A copy of just this size, so that AddressSanitizer sees a read of one byte too many. */
    g_autofree uint8_t *exact = g_memdup2(bytes, len);

    printf("# %s\n", name);
    fflush(stdout);
    (void)LLVMFuzzerTestOneInput(exact, len);
    printf("ok %u - %s\n", ++*n, name);
}

static int
by_name(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool
replay_folder(const char *folder, unsigned *n, GError **error)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GDir) dir = g_dir_open(folder, 0, error);
    const char *name;

    if (!dir)
        return false;
    while ((name = g_dir_read_name(dir)))
        g_ptr_array_add(names, g_strdup(name));
    g_ptr_array_sort(names, by_name); /* the same order everywhere */
    for (unsigned i = 0; i < names->len; i++) {
        g_autofree char *path = g_build_filename(folder, names->pdata[i], NULL);
        g_autofree char *bytes = NULL;
        size_t len;

        if (g_file_test(path, G_FILE_TEST_IS_DIR))
            continue;
        if (!g_file_get_contents(path, &bytes, &len, error))
            return false;
        replay(names->pdata[i], bytes, len, n);
    }
    return true;
}

int
main(int argc, char **argv)
{
    g_autoptr(GError) error = NULL;
    unsigned n = 0;

    replay("nothing", "", 0, &n);
    for (int i = 1; i < argc; i++) {
        if (!replay_folder(argv[i], &n, &error)) {
            printf("Bail out! %s\n", error->message);
            return 1;
        }
    }
    printf("1..%u\n", n);
    return 0;
}
