/*
 * Answers from a file, for tests, demonstrations and rehearsals: JSON Lines, of which line k
 * answers the job's k-th question. k is the job's own count of steps, so a job that is
 * restored from its checkpoint goes on where it was.
 */
#include "base/file.h"
#include "base/json.h"
#include "base/limits.h"
#include "brain/brain.h"

/* Line n, counted from 1; false: there are fewer. */
static bool
find_line(const char *bytes, size_t len, int64_t n, const char **ret_line, size_t *ret_len)
{
    const char *line = bytes, *end = bytes + len;

    while (line < end) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        const char *stop = newline ? newline : end;

        if (--n == 0) {
            *ret_line = line;
            *ret_len = (size_t)(stop - line);
            return true;
        }
        line = newline ? newline + 1 : end;
    }
    return false;
}

/* An answer is an object as the model would write it, or a string with any text at all. */
static bool
read_line(const char *line, size_t len, char **ret, GError **error)
{
    g_autoptr(json_t) value = NULL;

    if (!json_parse(line, len, 0, &value, error))
        return false;
    if (json_is_string(value))
        *ret = brain_clean(json_string_value(value), json_string_length(value));
    else
        *ret = brain_clean(line, len);
    return true;
}

static bool
load_script(const BrainAsk *ask, GBytes **ret, GError **error)
{
    auto_fd home = dir_open(ask->home, error);
    g_autoptr(GBytes) bytes = NULL;

    if (home < 0 || !file_read(home, ask->conf->script, LIMIT_JSON_BYTES, &bytes, error))
        return false;
    if (!bytes)
        return err_set(error, ERR_CONFIG, "there is no script '%s'", ask->conf->script);
    *ret = g_steal_pointer(&bytes);
    return true;
}

static bool
find_answer(const BrainAsk *ask, GBytes *script, char **ret, GError **error)
{
    int64_t n = ask->total_iterations + 1;
    size_t all, len;
    const char *bytes = g_bytes_get_data(script, &all), *line;

    if (!find_line(bytes, all, n, &line, &len))
        return err_set(error, ERR_NEVER, "the script has no line %" G_GINT64_FORMAT, n);
    if (!read_line(line, len, ret, error))
        return err_prefix(error, "line %" G_GINT64_FORMAT " of '%s'", n, ask->conf->script);
    return true;
}

/* A wrong line is the script's answer to this question; no script at all is a broken brain, as
 * a missing program is. */
static bool
script_start(const BrainOps *ops,
             const BrainAsk *ask,
             void **ret_state,
             BrainAnswer *ret_now,
             GError **error)
{
    g_autoptr(GError) failure = NULL;
    g_autoptr(GBytes) script = NULL;
    char *text = NULL;

    if (!load_script(ask, &script, &failure))
        *ret_now = brain_failed(BRAIN_BROKEN, failure->message);
    else if (!find_answer(ask, script, &text, &failure))
        *ret_now = brain_failed(BRAIN_FAILED, failure->message);
    else
        *ret_now = (BrainAnswer){.text = text, .log = g_strdup("")};
    return true;
}

const BrainOps brain_script = {.kind = BRAIN_SCRIPT, .start = script_start};
