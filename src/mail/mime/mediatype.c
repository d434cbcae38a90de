#include "mail/mime/mediatype.h"

/* The first extension of a type is the one that a file gets whose name we make up. The first
 * type of an extension is the one that a file gets which we send. */
static const struct {
    const char *ext, *type;
} known[] = {
    {"txt", "text/plain"},
    {"log", "text/plain"},
    {"asc", "text/plain"}, /* a key or a signed text; the signature of a mail has its type */
    {"asc", "application/pgp-signature"},
    {"eml", "text/plain"}, /* as a file, not as a message inside ours */
    {"eml", "message/rfc822"},
    {"eml", "message/global"},
    {"7z", "application/x-7z-compressed"},
    {"avif", "image/avif"},
    {"bmp", "image/bmp"},
    {"c", "text/x-c"},
    {"css", "text/css"},
    {"csv", "text/csv"},
    {"diff", "text/x-diff"},
    {"doc", "application/msword"},
    {"docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"},
    {"gif", "image/gif"},
    {"gz", "application/gzip"},
    {"h", "text/x-c"},
    {"heic", "image/heic"},
    {"html", "text/html"},
    {"ics", "text/calendar"},
    {"ics", "application/ics"},
    {"jpg", "image/jpeg"},
    {"jpg", "image/jpg"},
    {"jpeg", "image/jpeg"},
    {"js", "text/javascript"},
    {"json", "application/json"},
    {"m4a", "audio/mp4"},
    {"md", "text/markdown"},
    {"mov", "video/quicktime"},
    {"mp3", "audio/mpeg"},
    {"mp4", "video/mp4"},
    {"odp", "application/vnd.oasis.opendocument.presentation"},
    {"ods", "application/vnd.oasis.opendocument.spreadsheet"},
    {"odt", "application/vnd.oasis.opendocument.text"},
    {"ogg", "audio/ogg"},
    {"p7m", "application/pkcs7-mime"},
    {"p7m", "application/x-pkcs7-mime"},
    {"p7s", "application/pkcs7-signature"},
    {"p7s", "application/x-pkcs7-signature"},
    {"patch", "text/x-diff"},
    {"patch", "text/x-patch"},
    {"pdf", "application/pdf"},
    {"png", "image/png"},
    {"pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"},
    {"py", "text/x-python"},
    {"rtf", "application/rtf"},
    {"rtf", "text/rtf"},
    {"sh", "text/x-shellscript"},
    {"svg", "image/svg+xml"},
    {"tar", "application/x-tar"},
    {"tiff", "image/tiff"},
    {"vcf", "text/vcard"},
    {"wav", "audio/wav"},
    {"webp", "image/webp"},
    {"xls", "application/vnd.ms-excel"},
    {"xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"},
    {"xml", "application/xml"},
    {"xml", "text/xml"},
    {"yaml", "application/yaml"},
    {"yml", "application/yaml"},
    {"zip", "application/zip"},
};

const char *
mediatype_of(const char *filename)
{
    const char *dot = strrchr(filename, '.');

    for (size_t i = 0; dot && i < G_N_ELEMENTS(known); i++)
        if (g_ascii_strcasecmp(dot + 1, known[i].ext) == 0)
            return known[i].type;
    return NULL;
}

const char *
mediatype_extension(const char *type)
{
    for (size_t i = 0; i < G_N_ELEMENTS(known); i++)
        if (strcmp(type, known[i].type) == 0)
            return known[i].ext;
    return g_str_has_prefix(type, "text/") ? "txt" : "bin";
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
