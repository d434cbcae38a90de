#include "base/config_read.h"
#include "base/banned.h"
#include "base/err.h"
#include "base/limits.h"
#include "base/text.h"

static const struct {
    const char *kind;
    bool named;
} kinds[] = {
    {"postrider", false}, {"account", true}, {"smtp", false},  {"trust", false},
    {"brain", true},      {"role", true},    {"person", true}, {"keep", false},
    {"workflow", false},  {"report", false}, {"plan", false},
};

/* What the reader holds while it goes through the lines. */
typedef struct Reader {
    const char *file_name;
    unsigned line;
    GStringChunk *strings;
    GPtrArray *sections;
    ConfSection *section; /* the one that lines belong to; NULL before the first */
} Reader;

static bool refuse(const Reader *r, GError **error, const char *fmt, ...) G_GNUC_PRINTF(3, 4);

static bool
refuse(const Reader *r, GError **error, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    g_autofree char *text = g_strdup_vprintf(fmt, ap);
    va_end(ap);
    return err_set(error, ERR_CONFIG, "%s:%u: %s", r->file_name, r->line, text);
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

static const ConfKey *
find_key(const char *kind, const char *name)
{
    for (const ConfKey *key = config_keys; key->section; key++) {
        if (g_str_equal(key->section, kind) && g_str_equal(key->name, name))
            return key;
    }
    return NULL;
}

const char *
conf_value(const ConfSection *section, const char *key)
{
    const ConfEntry *entry = conf_find(section, key);

    if (entry)
        return entry->value;

    const ConfKey *known = find_key(section->kind, key);
    g_assert(known);
    return known->fallback;
}

unsigned
conf_line(const ConfSection *section, const char *key)
{
    const ConfEntry *entry = conf_find(section, key);

    return entry && entry->line ? entry->line : section->line;
}

void
conf_set_default(ConfSection *section,
                 GStringChunk *strings,
                 const char *key,
                 const char *value)
{
    ConfEntry *entry = (ConfEntry *)conf_find(section, key);
    const char *copy = g_string_chunk_insert_const(strings, value);

    if (entry && !*entry->value)
        entry->value = copy;
    if (entry)
        return;

    ConfEntry added = {.key = find_key(section->kind, key), .value = copy};
    g_assert(added.key);
    g_array_append_val(section->entries, added);
}

char **
conf_split(const char *value)
{
    g_auto(GStrv) parts = g_strsplit_set(value, " \t,;", -1);
    g_autoptr(GPtrArray) words = g_ptr_array_new();

    for (char **part = parts; *part; part++) {
        if (**part)
            g_ptr_array_add(words, g_strdup(*part));
    }
    g_ptr_array_add(words, NULL);
    return (char **)g_ptr_array_free(g_steal_pointer(&words), FALSE);
}

/* Enough to catch slips; the grammar proper is mail/address.h. */
static bool
address_plausible(const char *s)
{
    const char *at = strrchr(s, '@');

    if (!at || at == s || (size_t)(at - s) > LIMIT_ADDR_LOCAL ||
        strlen(at + 1) > LIMIT_ADDR_DOMAIN)
        return false;
    for (const char *p = s; p < at; p++) {
        if ((unsigned char)*p <= ' ' || *p == 0x7f || strchr("<>()[],;:\\\"@", *p))
            return false;
    }
    return at[1] && at[1] != '.' && !strpbrk(at + 1, " \t<>()[],;:\\\"@") && !strstr(at, "..");
}

static bool
host_plausible(const char *s)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
    size_t len = strlen(s);

    return len > 0 && len < 254 && strspn(s, letters) == len && s[0] != '.' && s[0] != '-' &&
           !strstr(s, "..");
}

static bool
int_in_range(const ConfKey *key, const char *value)
{
    g_auto(GStrv) ends = g_strsplit(key->values ? key->values : "0..1000000000", "..", 2);
    int64_t number;

    return text_parse_int(value, g_ascii_strtoll(ends[0], NULL, 10),
                          g_ascii_strtoll(ends[1], NULL, 10), &number);
}

/* NULL when every word is one of the values; else what to say. */
static char *
check_words(const ConfKey *key, const char *const *words)
{
    g_auto(GStrv) values = g_strsplit(key->values ? key->values : "", "|", -1);
    const char *const *allowed = (const char *const *)values;

    for (; key->values && *words; words++) {
        if (g_strv_contains(allowed, *words))
            continue;

        const char *nearest = text_nearest(*words, allowed);
        g_autofree char *hint =
            nearest ? g_strdup_printf("; did you mean '%s'?", nearest) : NULL;
        g_autofree char *list = g_strjoinv(", ", values);
        return g_strdup_printf("expected %s%s%s", values[1] ? "one of " : "", list,
                               hint ? hint : "");
    }
    return NULL;
}

static char *
check_list(const ConfKey *key, const char *value)
{
    g_auto(GStrv) words = conf_split(value);

    if (key->type != CONF_ADDRESSES)
        return check_words(key, (const char *const *)words);
    for (char **word = words; *word; word++) {
        if (!address_plausible(*word))
            return g_strdup("expected addresses such as bob@example.org");
    }
    return NULL;
}

static char *
check_command(const char *value)
{
    g_auto(GStrv) argv = NULL;
    g_autoptr(GError) why = NULL;

    if (g_shell_parse_argv(value, NULL, &argv, &why))
        return NULL;
    return g_strdup_printf("expected a command: %s", why->message);
}

static char *
expected(bool good, const char *what)
{
    return good ? NULL : g_strconcat("expected ", what, NULL);
}

/* NULL when the value fits its key; else what is expected. */
static char *
check_value(const ConfKey *key, const char *value)
{
    int64_t number;
    uint64_t size;

    if (!*value && !*key->fallback)
        return NULL;
    switch (key->type) {
    case CONF_STRING:
        return NULL;
    case CONF_BOOL:
        return expected(g_str_equal(value, "yes") || g_str_equal(value, "no") ||
                            g_str_equal(value, "true") || g_str_equal(value, "false"),
                        "yes or no");
    case CONF_INT:
        if (int_in_range(key, value))
            return NULL;
        return g_strdup_printf("expected a number%s%s", key->values ? " in " : "",
                               key->values ? key->values : "");
    case CONF_SPAN:
        return expected(text_parse_span(value, &number), "a time such as 90s, 2m, 1h or 7d");
    case CONF_SIZE:
        return expected(text_parse_size(value, &size), "a size such as 4096, 64k or 25m");
    case CONF_MONEY:
        return expected(text_parse_money(value, &number), "an amount such as 2.00");
    case CONF_ENUM:
        return check_words(key, (const char *const[]){value, NULL});
    case CONF_ADDRESS:
        return expected(address_plausible(value), "an address such as bob@example.org");
    case CONF_HOST:
        return expected(host_plausible(value), "a host name such as mail.example.org");
    case CONF_LIST:
    case CONF_ADDRESSES:
        return check_list(key, value);
    case CONF_COMMAND:
        return check_command(value);
    }
    g_assert_not_reached();
}

bool
config_check(const char *section, const char *key, const char *value, GError **error)
{
    g_autofree char *kind = g_strndup(section, strcspn(section, " "));
    const ConfKey *known = find_key(kind, key);
    g_autofree char *why = known ? check_value(known, value) : g_strdup("no such key");

    return !why || err_set(error, ERR_CONFIG, "%s '%s': %s", key, value, why);
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
        return refuse(r, error, "unknown section [%s]", vis);

    g_autofree char *named = shown(name);
    const char *space = *name ? " " : "";
    return refuse(r, error, "unknown section [%s%s%s]; did you mean [%s%s%s]?", vis, space,
                  named, nearest, space, named);
}

static const ConfSection *
find_section(const GPtrArray *sections, const char *kind, const char *name)
{
    for (guint i = 0; i < sections->len; i++) {
        const ConfSection *section = g_ptr_array_index(sections, i);
        if (g_str_equal(section->kind, kind) && g_str_equal(section->name, name))
            return section;
    }
    return NULL;
}

/* "[role  envoy]" to "role" and "envoy", in place; false when the brackets are not right. */
static bool
split_title(char *line, char **ret_kind, char **ret_name)
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

    if (!split_title(line, &kind, &name))
        return refuse(r, error, "expected '[section]' alone on its line");

    int known = find_kind(kind);
    if (known < 0)
        return refuse_kind(r, kind, name, error);
    if (!kinds[known].named && *name)
        return refuse(r, error, "section [%s] takes no name", kind);
    if (kinds[known].named && !*name)
        return refuse(r, error, "section [%s] needs a name: [%s NAME]", kind, kind);
    if (*name && !text_name_valid(name)) {
        g_autofree char *vis = shown(name);
        return refuse(r, error,
                      "'%s' is not a name: expected small letters, digits, '.', '_', '-'", vis);
    }
    const ConfSection *old = find_section(r->sections, kind, name);
    if (old)
        return refuse(r, error, "section [%s] is in line %u already", old->title, old->line);
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

    const char *nearest = text_nearest(name, (const char *const *)names->pdata);
    g_autofree char *hint = nearest     ? g_strdup_printf("; did you mean '%s'?", nearest)
                            : elsewhere ? g_strdup_printf("; it belongs in [%s]", elsewhere)
                                        : g_strdup("");
    return refuse(r, error, "unknown key '%s' in [%s]%s", vis, r->section->title, hint);
}

static bool
read_entry(Reader *r, char *line, GError **error)
{
    char *equals = strchr(line, '=');

    if (!equals)
        return refuse(r, error, "expected 'key = value' or '[section]'");
    *equals = '\0';

    const char *name = g_strchomp(line), *value = g_strchug(equals + 1);
    if (!r->section)
        return refuse(r, error, "a key stands before the first section");

    const ConfKey *key = find_key(r->section->kind, name);
    if (!key)
        return refuse_key(r, name, error);

    const ConfEntry *old = conf_find(r->section, name);
    if (old)
        return refuse(r, error, "key '%s' is in line %u already", name, old->line);

    g_autofree char *why = check_value(key, value);
    if (why) {
        g_autofree char *vis = shown(value);
        return refuse(r, error, "%s = '%s': %s", name, vis, why);
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
        return refuse(r, error, "is not valid UTF-8");

    g_autofree char *line = g_strndup(text, len);
    g_strstrip(line);
    if (!*line || *line == '#')
        return true;
    if (has_control(line))
        return refuse(r, error, "has a control character");
    return *line == '[' ? read_title(r, line, error) : read_entry(r, line, error);
}

GPtrArray *
conf_read(
    const char *text, size_t len, const char *file_name, GStringChunk *strings, GError **error)
{
    g_autoptr(GPtrArray) sections = g_ptr_array_new_with_free_func(section_free);
    Reader r = {.file_name = file_name, .strings = strings, .sections = sections};
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
        if (!kinds[i].named && !find_section(sections, kinds[i].kind, ""))
            conf_add_section(sections, strings, kinds[i].kind, "", 0);
    }
    return g_steal_pointer(&sections);
}

/* True when this line opens the section with that title. */
static bool
opens(const char *line, const char *title)
{
    g_autofree char *copy = g_strdup(line);
    char *kind, *name;

    g_strstrip(copy);
    if (!split_title(copy, &kind, &name))
        return false;

    g_autofree char *found = g_strconcat(kind, *name ? " " : "", name, NULL);
    return g_str_equal(found, title);
}

static bool
sets(const char *line, const char *key)
{
    line += strspn(line, " \t");
    size_t len = strlen(key);

    return strncmp(line, key, len) == 0 && line[len + strspn(line + len, " \t")] == '=';
}

static bool
is_blank(const char *line)
{
    return line[strspn(line, " \t\r")] == '\0';
}

/* Where the value goes: the line that holds it (*ret_there) or the one to put it before; -1
 * when the section is not there. */
static int
find_spot(GPtrArray *lines, const char *section, const char *key, bool *ret_there)
{
    int spot = -1;

    *ret_there = false;
    for (guint i = 0; i < lines->len; i++) {
        const char *line = g_ptr_array_index(lines, i);
        bool title = line[strspn(line, " \t")] == '[';

        if (spot < 0) {
            if (title && opens(line, section))
                spot = (int)i + 1;
            continue;
        }
        if (title)
            break;
        if (sets(line, key)) {
            *ret_there = true;
            return (int)i;
        }
        /* Blank lines and comments behind the last entry belong to what follows them. */
        if (!is_blank(line) && line[strspn(line, " \t")] != '#')
            spot = (int)i + 1;
    }
    return spot;
}

char *
config_with(const char *text, const char *section, const char *key, const char *value)
{
    g_auto(GStrv) split = g_strsplit(text ? text : "", "\n", -1);
    g_autoptr(GPtrArray) lines = g_ptr_array_new_with_free_func(g_free);
    bool there;

    for (char **line = split; *line; line++)
        g_ptr_array_add(lines, g_strdup(*line));
    /* The text ends with a newline, so the last piece is not a line. */
    if (lines->len && is_blank(g_ptr_array_index(lines, lines->len - 1)))
        g_ptr_array_set_size(lines, (int)lines->len - 1);

    g_autofree char *entry = g_strdup_printf("%s = %s", key, value);
    int spot = find_spot(lines, section, key, &there);

    if (spot < 0) {
        if (lines->len)
            g_ptr_array_add(lines, g_strdup(""));
        g_ptr_array_add(lines, g_strdup_printf("[%s]", section));
        g_ptr_array_add(lines, g_steal_pointer(&entry));
    } else {
        if (there)
            g_ptr_array_remove_index(lines, (guint)spot);
        g_ptr_array_insert(lines, spot, g_steal_pointer(&entry));
    }
    g_ptr_array_add(lines, g_strdup(""));
    g_ptr_array_add(lines, NULL);
    return g_strjoinv("\n", (char **)lines->pdata);
}
