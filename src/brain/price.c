#include "brain/price.h"
#include "base/file.h"
#include "base/limits.h"

#define FILE_NAME "prices.conf"
#define MILLION INT64_C(1000000)
#define MOST_TOKENS INT64_C(1000000000)
#define MOST_RATE (10000 * MILLION) /* ten thousand dollars: a slip of the pen */

enum { RATE_INPUT, RATE_OUTPUT, RATE_CACHE_WRITE, RATE_CACHE_READ, N_RATES };

typedef struct Row {
    char *prefix;
    int64_t up_to;          /* prompt tokens */
    int64_t rates[N_RATES]; /* millionths of a dollar per million tokens */
} Row;

struct PriceTable {
    GArray *rows;
    PriceTable *behind; /* asked when this one knows nothing; NULL */
};

static void
row_clear(void *row)
{
    g_free(((Row *)row)->prefix);
}

void
price_free(PriceTable *table)
{
    if (!table)
        return;
    price_free(table->behind);
    g_array_unref(table->rows);
    g_free(table);
}

/* --- reading --- */

/* "100k", "272000", "-": here a k is a thousand. */
static bool
parse_tokens(const char *word, int64_t *ret)
{
    g_autofree char *number = g_strdup(word);
    size_t len = strlen(number);
    int64_t unit = 1;

    if (g_str_equal(word, "-")) {
        *ret = INT64_MAX;
        return true;
    }
    if (len > 0 && number[len - 1] == 'k') {
        number[len - 1] = '\0';
        unit = 1000;
    }
    if (!text_parse_int(number, 1, MOST_TOKENS, ret))
        return false;
    *ret *= unit;
    return true;
}

static bool
parse_row(char **words, Row *ret)
{
    Row row = {.prefix = words[0]};

    if (g_strv_length(words) != 2 + N_RATES || !parse_tokens(words[1], &row.up_to))
        return false;
    for (int i = 0; i < N_RATES; i++) {
        if (!text_parse_money(words[2 + i], &row.rates[i]) || row.rates[i] > MOST_RATE)
            return false;
    }
    row.prefix = g_strdup(words[0]);
    *ret = row;
    return true;
}

bool
price_parse(
    const char *text, size_t len, const char *file_name, PriceTable **ret, GError **error)
{
    g_autofree char *valid = text_make_valid(text, (gssize)len);
    g_auto(GStrv) lines = g_strsplit(valid, "\n", -1);
    g_autoptr(PriceTable) table = g_new0(PriceTable, 1);

    table->rows = g_array_new(FALSE, FALSE, sizeof(Row));
    g_array_set_clear_func(table->rows, row_clear);
    for (unsigned i = 0; lines[i]; i++) {
        lines[i][strcspn(lines[i], "#")] = '\0'; /* a comment */
        g_auto(GStrv) words = text_words(lines[i], " \t\r");
        Row row;

        if (!words[0])
            continue;
        if (!parse_row(words, &row))
            return err_set(error, ERR_CONFIG,
                           "%s:%u: a line is: model, limit or -, and the prices of input, "
                           "output, cache-write, cache-read",
                           file_name, i + 1);
        g_array_append_val(table->rows, row);
    }
    *ret = g_steal_pointer(&table);
    return true;
}

/* *ret is NULL, with true, when there is no such file. */
static bool
load_file(const char *folder, const char *name, PriceTable **ret, GError **error)
{
    g_autofree char *path = g_build_filename(folder, name, NULL);
    g_autoptr(GBytes) bytes = NULL;
    auto_fd fd = dir_open(folder, NULL);

    *ret = NULL;
    if (fd < 0)
        return true;
    if (!file_read(fd, name, LIMIT_CONFIG_BYTES, &bytes, error))
        return false;
    return !bytes || price_parse(g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes), path,
                                 ret, error);
}

/* A program in the build tree finds the table in a share/ above itself, others where it was
 * installed. */
static bool
load_installed(PriceTable **ret, GError **error)
{
    g_autofree char *dir = g_file_read_link("/proc/self/exe", NULL);

    *ret = NULL;
    for (int level = 0; dir && level < 4 && !*ret; level++) {
        char *up = g_path_get_dirname(dir);
        g_free(dir);
        dir = up;
        g_autofree char *share = g_build_filename(dir, "share", NULL);
        if (!load_file(share, FILE_NAME, ret, error))
            return false;
    }
    if (!*ret && !load_file(POSTRIDER_DATADIR, FILE_NAME, ret, error))
        return false;
    return *ret || err_set(error, ERR_CONFIG, "there is no price table at '%s/%s'",
                           POSTRIDER_DATADIR, FILE_NAME);
}

bool
price_load(const char *home, PriceTable **ret, GError **error)
{
    g_autoptr(PriceTable) own = NULL, installed = NULL;

    if (!load_file(home, "prices", &own, error) || !load_installed(&installed, error))
        return false;
    if (own)
        own->behind = g_steal_pointer(&installed);
    *ret = own ? g_steal_pointer(&own) : g_steal_pointer(&installed);
    return true;
}

/* --- asking --- */

static const Row *
find_row(const PriceTable *table, const char *model, int64_t prompt_tokens)
{
    const Row *best = NULL;

    for (guint i = 0; i < table->rows->len; i++) {
        const Row *row = &g_array_index(table->rows, Row, i);

        if (prompt_tokens <= row->up_to && g_str_has_prefix(model, row->prefix) &&
            (!best || strlen(row->prefix) > strlen(best->prefix)))
            best = row;
    }
    return best || !table->behind ? best : find_row(table->behind, model, prompt_tokens);
}

static int64_t
cost_at(const Row *row, const BrainUsage *usage)
{
    const int64_t tokens[N_RATES] = {
        [RATE_INPUT] = usage->input,
        [RATE_OUTPUT] = usage->output,
        [RATE_CACHE_WRITE] = usage->cache_write,
        [RATE_CACHE_READ] = usage->cache_read,
    };
    int64_t whole = 0, rest = 0;

    for (int i = 0; i < N_RATES; i++) {
        int64_t price = CLAMP(tokens[i], 0, MOST_TOKENS) * row->rates[i];
        whole += price / MILLION;
        rest += price % MILLION;
    }
    return whole + (rest + MILLION - 1) / MILLION;
}

int64_t
price_cost(const PriceTable *table, const char *model, bool reckon, const BrainUsage *usage)
{
    int64_t prompt = usage->input + usage->cache_write + usage->cache_read;
    const Row *row = find_row(table, model, prompt);

    if (!row && reckon)
        row = find_row(table, "*", prompt);
    return row ? cost_at(row, usage) : 0;
}

int64_t
price_cost_sum(const PriceTable *table, const char *model, const BrainUsage *usage)
{
    const Row *row = find_row(table, model, 0);

    if (!row)
        row = find_row(table, "*", 0);
    return row ? cost_at(row, usage) : 0;
}
