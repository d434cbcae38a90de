/*
 * The text as sections and entries, line by line. Every mistake is told with its line and,
 * where a word is nearly one of ours, with that one; the first mistake ends the reading.
 */
#include "base/config/config_internal.h"
#include "base/list.h"

static const struct {
    const char *kind;
    bool named;
} kinds[] = {
    {"postrider", false}, {"account", true}, {"smtp", false},
    {"trust", false},     {"brain", true},   {"role", true},
    {"person", true},     {"notes", false},  {"report", false},
    {"workflow", false},  {"artifact", true}, {"space", true},
    {"panel", true},
    {"keep", false},
};

/* What the reader holds while it goes through the lines. */
typedef struct Reader {
    const char *file_name;
    unsigned line;
    GStringChunk *strings;
    GPtrArray *sections;
    ConfSection *section; /* the one that lines belong to; NULL before the first */
    GPtrArray *warnings;
    bool retired; /* the lines belong to a section that nothing reads */
} Reader;

bool
conf_refuse(const char *file_name, unsigned line, GError **error, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    g_autofree char *text = g_strdup_vprintf(fmt, ap);
    va_end(ap);
    if (line == 0)
        return err_set(error, ERR_CONFIG, "%s: %s", file_name, text);
    return err_set(error, ERR_CONFIG, "%s:%u: %s", file_name, line, text);
}

static const ConfRetired *
find_retired(const char *kind, const char *key)
{
    for (const ConfRetired *r = config_retired; r->section; r++) {
        if (g_str_equal(r->section, kind) && g_strcmp0(r->name, key) == 0)
            return r;
    }
    return NULL;
}

static void
warn(const Reader *r, const char *what, const char *read_as)
{
    g_autofree char *why =
        read_as ? g_strdup_printf("it is read as '%s'", read_as) : g_strdup("nothing reads it");

    g_ptr_array_add(r->warnings, g_strdup_printf("%s:%u: %s has no effect: %s", r->file_name,
                                                 r->line, what, why));
}

/* Fit for a message: short, on one line. */
static char *
shown(const char *text)
{
    g_autofree char *vis = text_vis(text, false);

    return text_shorten(vis, 60);
}

static void
section_free(void *data)
{
    ConfSection *section = data;

    g_array_unref(section->entries);
    g_free(section);
}

ConfSection *
conf_add_section(GPtrArray *sections,
                 GStringChunk *strings,
                 const char *kind,
                 const char *name,
                 unsigned line)
{
    ConfSection *section = g_new0(ConfSection, 1);
    g_autofree char *title = g_strconcat(kind, *name ? " " : "", name, NULL);

    section->kind = g_string_chunk_insert_const(strings, kind);
    section->name = g_string_chunk_insert_const(strings, name);
    section->title = g_string_chunk_insert_const(strings, title);
    section->line = line;
    section->strings = strings;
    section->entries = g_array_new(FALSE, FALSE, sizeof(ConfEntry));
    g_ptr_array_add(sections, section);
    return section;
}

const ConfEntry *
conf_find(const ConfSection *section, const char *key)
{
    for (guint i = 0; i < section->entries->len; i++) {
        const ConfEntry *entry = &g_array_index(section->entries, ConfEntry, i);
        if (g_str_equal(entry->key->name, key))
            return entry;
    }
    return NULL;
}

const char *
conf_value_of(const ConfSection *section, const ConfKey *key)
{
    const ConfEntry *entry = conf_find(section, key->name);

    return entry ? entry->value : key->fallback;
}

const char *
conf_value(const ConfSection *section, const char *key)
{
    const ConfKey *known = conf_key(section->kind, key);

    g_assert(known);
    return conf_value_of(section, known);
}

unsigned
conf_line(const ConfSection *section, const char *key)
{
    const ConfEntry *entry = conf_find(section, key);

    return entry && entry->line ? entry->line : section->line;
}

void
conf_set_default(ConfSection *section, const char *key, const char *value)
{
    ConfEntry *entry = (ConfEntry *)conf_find(section, key);
    const char *copy = g_string_chunk_insert_const(section->strings, value);

    if (entry && !*entry->value)
        entry->value = copy;
    if (entry)
        return;

    ConfEntry added = {.key = conf_key(section->kind, key), .value = copy};
    g_assert(added.key);
    g_array_append_val(section->entries, added);
}

static int
find_kind(const char *kind)
{
    for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
        if (g_str_equal(kinds[i].kind, kind))
            return (int)i;
    }
    return -1;
}

static bool
refuse_kind(const Reader *r, const char *kind, const char *name, GError **error)
{
    const char *names[G_N_ELEMENTS(kinds) + 1] = {NULL};
    g_autofree char *vis = shown(kind);

    for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++)
        names[i] = kinds[i].kind;

    const char *nearest = text_nearest(kind, names);
    if (!nearest)
        return conf_refuse(r->file_name, r->line, error, "unknown section [%s]", vis);

    g_autofree char *named = shown(name);
    const char *space = *name ? " " : "";
    return conf_refuse(r->file_name, r->line, error,
                       "unknown section [%s%s%s]; did you mean [%s%s%s]?", vis, space, named,
                       nearest, space, named);
}

ConfSection *
conf_find_section(const GPtrArray *sections, const char *kind, const char *name)
{
    LIST_EACH(ConfSection, section, sections)
        if (g_str_equal(section->kind, kind) && g_str_equal(section->name, name))
            return section;
    return NULL;
}

bool
conf_split_title(char *line, char **ret_kind, char **ret_name)
{
    size_t len = strlen(line);

    if (len < 2 || line[0] != '[' || line[len - 1] != ']')
        return false;
    line[len - 1] = '\0';
    *ret_kind = g_strstrip(line + 1);
    *ret_name = *ret_kind + strcspn(*ret_kind, " \t");
    if (**ret_name)
        *(*ret_name)++ = '\0';
    g_strstrip(*ret_name);
    return true;
}

static bool
read_title(Reader *r, char *line, GError **error)
{
    char *kind, *name;

    if (!conf_split_title(line, &kind, &name))
        return conf_refuse(r->file_name, r->line, error,
                           "expected '[section]' alone on its line");

    int known = find_kind(kind);
    r->retired = known < 0 && !*name && find_retired(kind, NULL);
    if (r->retired) {
        g_autofree char *title = g_strdup_printf("section [%s]", kind);
        warn(r, title, NULL);
        return true;
    }
    if (known < 0)
        return refuse_kind(r, kind, name, error);
    if (!kinds[known].named && *name)
        return conf_refuse(r->file_name, r->line, error, "section [%s] takes no name", kind);
    if (kinds[known].named && !*name)
        return conf_refuse(r->file_name, r->line, error, "section [%s] needs a name: [%s NAME]",
                           kind, kind);
    if (*name && !text_name_valid(name)) {
        g_autofree char *vis = shown(name);
        return conf_refuse(r->file_name, r->line, error,
                           "'%s' is not a name: expected small letters, digits, '.', '_', '-'",
                           vis);
    }
    const ConfSection *old = conf_find_section(r->sections, kind, name);
    if (old)
        return conf_refuse(r->file_name, r->line, error, "section [%s] is in line %u already",
                           old->title, old->line);
    r->section = conf_add_section(r->sections, r->strings, kind, name, r->line);
    return true;
}

static bool
refuse_key(const Reader *r, const char *name, GError **error)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    g_autofree char *vis = shown(name);
    const char *elsewhere = NULL;

    for (const ConfKey *key = config_keys; key->section; key++) {
        if (g_str_equal(key->section, r->section->kind))
            g_ptr_array_add(names, (char *)key->name);
        else if (!elsewhere && g_str_equal(key->name, name))
            elsewhere = key->section;
    }
    g_ptr_array_add(names, NULL);

    g_autofree char *hint = text_did_you_mean(name, (const char *const *)names->pdata);
    if (!*hint && elsewhere) {
        g_free(hint);
        hint = g_strdup_printf("; it belongs in [%s]", elsewhere);
    }
    return conf_refuse(r->file_name, r->line, error, "unknown key '%s' in [%s]%s", vis,
                       r->section->title, hint);
}

static bool
skip_retired(const Reader *r, const ConfRetired *retired, const char *value, GError **error)
{
    g_autofree char *what = g_strdup_printf("'%s' in [%s]", retired->name, r->section->title);
    g_autofree char *vis = shown(value);

    if (retired->harmless && *value && !g_str_equal(value, retired->harmless))
        return conf_refuse(r->file_name, r->line, error,
                           "%s = '%s': this version has only '%s'", retired->name, vis,
                           retired->harmless);
    warn(r, what, NULL);
    return true;
}

/* What a value of an earlier version stands for now. */
static const char *
present_value(const Reader *r, const ConfKey *key, const char *value)
{
    const ConfRetired *retired = find_retired(key->section, key->name);

    if (!retired || !g_str_equal(value, retired->harmless))
        return value;
    g_autofree char *what =
        g_strdup_printf("'%s = %s' in [%s]", key->name, value, r->section->title);
    warn(r, what, retired->read_as);
    return retired->read_as;
}

static bool
read_entry(Reader *r, char *line, GError **error)
{
    char *equals = strchr(line, '=');

    if (r->retired)
        return true;

    if (!equals)
        return conf_refuse(r->file_name, r->line, error,
                           "expected 'key = value' or '[section]'");
    *equals = '\0';

    const char *name = g_strchomp(line), *value = g_strchug(equals + 1);
    if (!r->section)
        return conf_refuse(r->file_name, r->line, error,
                           "a key stands before the first section");

    const ConfKey *key = conf_key(r->section->kind, name);
    const ConfRetired *retired = key ? NULL : find_retired(r->section->kind, name);
    if (retired)
        return skip_retired(r, retired, value, error);
    if (!key)
        return refuse_key(r, name, error);

    const ConfEntry *old = conf_find(r->section, name);
    if (old)
        return conf_refuse(r->file_name, r->line, error, "key '%s' is in line %u already", name,
                           old->line);

    value = present_value(r, key, value);
    g_autofree char *why = conf_complaint(key, value);
    if (why) {
        g_autofree char *vis = shown(value);
        return conf_refuse(r->file_name, r->line, error, "%s = '%s': %s", name, vis, why);
    }
    ConfEntry entry = {key, g_string_chunk_insert_const(r->strings, value), r->line};
    g_array_append_val(r->section->entries, entry);
    return true;
}

static bool
has_control(const char *line)
{
    for (; *line; line++) {
        if (((unsigned char)*line < ' ' && *line != '\t') || *line == 0x7f)
            return true;
    }
    return false;
}

static bool
read_line(Reader *r, const char *text, size_t len, GError **error)
{
    if (!g_utf8_validate_len(text, len, NULL))
        return conf_refuse(r->file_name, r->line, error, "is not valid UTF-8");

    g_autofree char *line = g_strndup(text, len);
    g_strstrip(line);
    if (!*line || *line == '#')
        return true;
    if (has_control(line))
        return conf_refuse(r->file_name, r->line, error, "has a control character");
    return *line == '[' ? read_title(r, line, error) : read_entry(r, line, error);
}

GPtrArray *
conf_read(const char *text,
          size_t len,
          const char *file_name,
          GStringChunk *strings,
          GPtrArray *warnings,
          GError **error)
{
    g_autoptr(GPtrArray) sections = g_ptr_array_new_with_free_func(section_free);
    Reader r = {
        .file_name = file_name, .strings = strings, .sections = sections, .warnings = warnings};
    const char *end = text + len;

    if (len >= 3 && memcmp(text, "\357\273\277", 3) == 0)
        text += 3; /* the mark that some editors put first */
    while (text < end) {
        const char *eol = memchr(text, '\n', (size_t)(end - text));
        const char *stop = eol ? eol : end;

        r.line++;
        if (!read_line(&r, text, (size_t)(stop - text), error))
            return NULL;
        text = stop + 1;
    }
    for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
        if (!kinds[i].named && !conf_find_section(sections, kinds[i].kind, ""))
            conf_add_section(sections, strings, kinds[i].kind, "", 0);
    }
    return g_steal_pointer(&sections);
}
