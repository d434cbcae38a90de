#include "mail/mime/filename.h"

#include "mail/mime/bodytext.h"
#include "mail/mime/mediatype.h"

#define NAME_MAX_BYTES 200u
#define EXTENSION_MAX 16u

/* The extension with its dot; the end of the name when it has none. */
static const char *
extension(const char *name)
{
    const char *dot = strrchr(name, '.');

    return dot && dot != name && strlen(dot) <= EXTENSION_MAX ? dot : name + strlen(name);
}

/* Names that are devices on some systems, with or without extension. */
static bool
is_reserved(const char *name)
{
    static const char *const names[] = {"con", "prn", "aux", "nul"};
    size_t len = strcspn(name, ".");

    for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
        if (len == 3 && g_ascii_strncasecmp(name, names[i], 3) == 0)
            return true;
    return len == 4 && g_ascii_isdigit(name[3]) &&
           (g_ascii_strncasecmp(name, "com", 3) == 0 ||
            g_ascii_strncasecmp(name, "lpt", 3) == 0);
}

/* Cuts the stem, between characters, so that all fits. */
static char *
shorten(const char *name)
{
    const char *ext = extension(name);
    size_t room = NAME_MAX_BYTES - strlen(ext);

    if (strlen(name) <= NAME_MAX_BYTES)
        return g_strdup(name);
    return g_strdup_printf("%.*s%s", (int)text_cut_at(name, room), name, ext);
}

char *
filename_clean(const char *name)
{
    g_autofree char *copy = g_strdup(name);
    char *out = copy;

    (void)bodytext_strip_invisible(copy);
    for (const char *c = copy; *c; c++) {
        if (*c == '/' || *c == '\\')
            out = copy; /* a folder */
        else if ((unsigned char)*c >= 32 && *c != 127)
            *out++ = *c;
    }
    while (out > copy && (out[-1] == ' ' || out[-1] == '.'))
        out--;
    *out = '\0';
    const char *start = copy + strspn(copy, " ");
    if (*start == '\0')
        return NULL;
    g_autofree char *marked = g_strconcat(is_reserved(start) ? "_" : "", start, NULL);
    return shorten(marked);
}

char *
filename_make_up(unsigned number, const char *content_type)
{
    return g_strdup_printf(FILENAME_MADE "%u.%s", number, mediatype_extension(content_type));
}

char *
filename_numbered(const char *name, unsigned number)
{
    const char *ext = extension(name);

    return g_strdup_printf("%.*s (%u)%s", (int)(ext - name), name, number, ext);
}
