#include "mail/mediatype.h"
#include "base/banned.h"

const char *
mediatype_of(const char *filename)
{
    static const struct {
        const char *ext, *type;
    } known[] = {
        {"c", "text/x-c"},
        {"css", "text/css"},
        {"csv", "text/csv"},
        {"diff", "text/x-diff"},
        {"doc", "application/msword"},
        {"docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"},
        {"gif", "image/gif"},
        {"gz", "application/gzip"},
        {"h", "text/x-c"},
        {"html", "text/html"},
        {"ics", "text/calendar"},
        {"jpeg", "image/jpeg"},
        {"jpg", "image/jpeg"},
        {"js", "text/javascript"},
        {"json", "application/json"},
        {"log", "text/plain"},
        {"md", "text/markdown"},
        {"mp3", "audio/mpeg"},
        {"mp4", "video/mp4"},
        {"odt", "application/vnd.oasis.opendocument.text"},
        {"patch", "text/x-diff"},
        {"pdf", "application/pdf"},
        {"png", "image/png"},
        {"py", "text/x-python"},
        {"sh", "text/x-shellscript"},
        {"svg", "image/svg+xml"},
        {"tar", "application/x-tar"},
        {"txt", "text/plain"},
        {"webp", "image/webp"},
        {"xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"},
        {"xml", "application/xml"},
        {"yaml", "application/yaml"},
        {"yml", "application/yaml"},
        {"zip", "application/zip"},
    };
    const char *dot = strrchr(filename, '.');

    for (size_t i = 0; dot && i < G_N_ELEMENTS(known); i++)
        if (g_ascii_strcasecmp(dot + 1, known[i].ext) == 0)
            return known[i].type;
    return NULL;
}

char *
mediatype_parse(const char *text)
{
    g_autofree char *type = g_ascii_strdown(text, (gssize)strcspn(text, ";"));
    g_strchomp(type);
    const char *slash = strchr(type, '/');

    if (!slash || slash == type || !slash[1] || strlen(type) > 127)
        return NULL;
    for (const char *p = type; *p; p++)
        if (!g_ascii_isalnum(*p) && !strchr(".+-_", *p) && p != slash)
            return NULL;
    return g_steal_pointer(&type);
}
