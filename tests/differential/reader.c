#include "reader.h"

#include <stdio.h>

json_t *
reader_part(const char *type, const char *name, GBytes *content, const char *text)
{
    g_autofree char *digest =
        text ? NULL : g_compute_checksum_for_bytes(G_CHECKSUM_SHA1, content);

    return json_pack("[s s? s? s?]", type, name, digest, text);
}

/* Prints what the message at *at holds and moves behind it. */
static void
read_next(const char **at)
{
    g_auto(GStrv) words = NULL;
    const char *end = strchr(*at, '\n');
    g_autofree char *line = g_strndup(*at, (size_t)(end - *at));

    words = g_strsplit(line, " ", 2);
    size_t len = (size_t)g_ascii_strtoull(words[1], NULL, 10);
    json_t *message = read_message(end + 1, len);
    json_object_set_new(message, "name", json_string(words[0]));
    json_dumpf(message, stdout, JSON_COMPACT);
    putchar('\n');
    json_decref(message);
    *at = end + 1 + len;
}

int
reader_main(int argc, char **argv)
{
    g_autofree char *all = NULL;
    gsize len;

    if (argc != 2 || !g_file_get_contents(argv[1], &all, &len, NULL))
        return 2;
    for (const char *at = all; at < all + len;)
        read_next(&at);
    return 0;
}
