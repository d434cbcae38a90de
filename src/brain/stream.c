#include "brain/stream.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/secret.h"
#include "brain/limit_words.h"

#define GIST_CHARS 160
#define WORDS_CHARS 300
#define LOG_CUT "[the rest is not kept]\n"
#define MOST_TOKENS INT64_C(1000000000000)
#define MOST_DOLLARS 1e6

const StreamParser *
stream_parser(ConfParser form)
{
    static const StreamParser *const all[] = {
        [ConfParser_UNSAID] = &stream_plain,   [CONF_PARSER_PLAIN] = &stream_plain,
        [CONF_PARSER_CLAUDE] = &stream_claude, [CONF_PARSER_CODEX] = &stream_codex,
        [CONF_PARSER_OPENCODE] = &stream_opencode};

    return all[form];
}

Stream *
stream_new(const StreamParser *parser)
{
    Stream *s = g_new0(Stream, 1);

    s->parser = parser;
    s->answer = g_string_new(NULL);
    s->reply = g_string_new(NULL);
    s->line = g_string_new(NULL);
    s->untold = g_ptr_array_new_with_free_func(g_free);
    return s;
}

void
stream_free(Stream *s)
{
    if (!s)
        return;
    g_string_free(s->answer, TRUE);
    g_string_free(s->reply, TRUE);
    g_string_free(s->line, TRUE);
    g_ptr_array_unref(s->untold);
    free_all(s->session, s->failed, s->deferred_call, s->words, s);
}

/* --- bytes to lines --- */

/* A disk that is full costs the copy, never the run. */
static void
copy_line(Stream *s, const char *line, size_t len)
{
    if (s->log_fd <= 0 || s->logged > LIMIT_STREAM_LOG)
        return;
    if (s->logged + len + 1 > LIMIT_STREAM_LOG) {
        s->logged = LIMIT_STREAM_LOG + 1u;
        (void)file_write_all(s->log_fd, LOG_CUT, strlen(LOG_CUT), NULL);
        return;
    }
    g_autofree char *shown = secret_hide(g_strndup(line, len));
    g_autofree char *whole = g_strconcat(shown, "\n", NULL);
    (void)file_write_all(s->log_fd, whole, strlen(whole), NULL);
    s->logged += len + 1;
}

/* The number of an escape \uXXXX at p; -1: p is none. */
static int
escape_at(const char *p)
{
    int value = 0;

    if (p[0] != '\\' || p[1] != 'u')
        return -1;
    for (int i = 2; i < 6; i++) {
        if (!g_ascii_isxdigit(p[i]))
            return -1;
        value = value * 16 + g_ascii_xdigit_value(p[i]);
    }
    return value;
}

/* JavaScript writes half a surrogate pair as an escape, where a text was cut within a character,
 * and NUL. Neither is text: both become U+FFFD, in place. */
static void
mend_escapes(char *line)
{
    for (char *p = line; *p;) {
        int one = escape_at(p), two = one >= 0 ? escape_at(p + 6) : -1;
        bool high = one >= 0xd800 && one < 0xdc00, low = one >= 0xdc00 && one < 0xe000;

        if (high && two >= 0xdc00 && two < 0xe000) {
            p += 12;
            continue;
        }
        if (one == 0 || high || low)
            memcpy(p + 2, "fffd", 4);
        p += one >= 0 ? 6 : *p == '\\' && p[1] ? 2 : 1;
    }
}

/* NULL: no object. */
static json_t *
parse_line(const char *line, size_t len)
{
    g_autoptr(json_t) value = NULL;

    if (len == 0)
        return NULL;
    if (!json_parse(line, len, LIMIT_STREAM_LINE, &value, NULL) && strstr(line, "\\u")) {
        g_autofree char *mended = g_strndup(line, len);
        mend_escapes(mended);
        (void)json_parse(mended, strlen(mended), LIMIT_STREAM_LINE, &value, NULL);
    }
    return json_is_object(value) ? g_steal_pointer(&value) : NULL;
}

/* The line ends with a NUL. */
static void
work_off_line(Stream *s, const char *line, size_t len)
{
    copy_line(s, line, len);
    if (s->parser->raw) {
        g_autofree char *text = brain_clean(line, len);
        stream_say(s, text);
        return;
    }
    g_autoptr(json_t) object = parse_line(line, len);
    if (object)
        s->parser->line(s, object);
}

static void
end_line(Stream *s)
{
    if (s->skipping)
        s->skipped++;
    else
        work_off_line(s, s->line->str, s->line->len);
    s->skipping = false;
    g_string_truncate(s->line, 0);
}

/* A piece of a line; what makes it too long is dropped with the rest of it. */
static void
add_piece(Stream *s, const char *piece, size_t len)
{
    if (s->skipping || s->line->len + len > LIMIT_STREAM_LINE) {
        s->skipping = true;
        g_string_truncate(s->line, 0);
        return;
    }
    g_string_append_len(s->line, piece, (gssize)len);
}

static void
keep_raw(Stream *s, const char *data, size_t len)
{
    size_t most = s->answer_max ? s->answer_max : LIMIT_PROGRAM_OUTPUT;
    size_t room = most - MIN(s->answer->len, most);

    g_string_append_len(s->answer, data, (gssize)MIN(len, room));
    s->cut |= len > room;
}

void
stream_take(Stream *s, const void *data, size_t len)
{
    const char *p = data, *end = p + len;

    s->spoke |= len > 0;
    if (s->parser->raw)
        keep_raw(s, data, len);
    while (p < end) {
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        add_piece(s, p, (size_t)((newline ? newline : end) - p));
        if (newline)
            end_line(s);
        p = newline ? newline + 1 : end;
    }
}

void
stream_end(Stream *s, const char *log)
{
    if (s->line->len > 0 || s->skipping)
        end_line(s);
    if (s->parser->end)
        s->parser->end(s, log);
}

bool
stream_is_done(const Stream *s)
{
    return s->finished && (!s->receipts || s->untold->len == 0);
}

/* --- members --- */

const char *
stream_text(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));

    return text ? text : "";
}

const json_t *
stream_object(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);

    return json_is_object(value) ? value : NULL;
}

int64_t
stream_count(const json_t *object, const char *name)
{
    int64_t n = json_integer_value(json_object_get(object, name));

    return n < 0 || n > MOST_TOKENS ? 0 : n;
}

int64_t
stream_money(const json_t *object, const char *name)
{
    double dollars = json_number_value(json_object_get(object, name));

    return dollars > 0 && dollars < MOST_DOLLARS ? (int64_t)(dollars * 1e6 + 0.5) : 0;
}

/* --- what was found --- */

static void
tell(const Stream *s, BrainEventKind kind, const char *text)
{
    if (s->said)
        s->said(s->said_data,
                &(BrainEvent){.kind = kind, .text = text, .cost_micro = s->cost_micro});
}

void
stream_set_session(Stream *s, const char *id)
{
    if (!*id || g_strcmp0(s->session, id) == 0)
        return;
    g_free(s->session);
    s->session = g_strdup(id);
    tell(s, BRAIN_SAID_SESSION, id);
}

void
stream_say(Stream *s, const char *text)
{
    if (*text)
        tell(s, BRAIN_SAID_TEXT, text);
}

/* The first line of a text, shortened; caller frees. */
static char *
one_line(const char *text, unsigned chars)
{
    g_autofree char *clean = brain_clean(text, strlen(text));

    g_strdelimit(g_strstrip(clean), "\n\t", ' ');
    return text_shorten(clean, chars);
}

static const char *
gist_of(const json_t *input)
{
    static const char *const telling[] = {"command", "cmd",   "file_path", "filePath",
                                          "path",    "url",   "pattern",   "query",
                                          "question", "description", "prompt", NULL};
    const json_t *first = json_array_get(json_object_get(input, "questions"), 0);

    for (const char *const *name = telling; *name; name++) {
        const char *text = stream_text(input, *name);
        if (*text)
            return text;
    }
    return first ? stream_text(first, "question") : "";
}

void
stream_say_tool(Stream *s, const char *name, const json_t *input)
{
    g_autofree char *who = one_line(*name ? name : "tool", GIST_CHARS);
    g_autofree char *what = one_line(gist_of(input), GIST_CHARS);
    g_autofree char *line = *what ? g_strconcat(who, ": ", what, NULL) : g_strdup(who);

    tell(s, BRAIN_SAID_TOOL, line);
}

void
stream_add_cost(Stream *s, int64_t cost_micro)
{
    s->cost_micro += cost_micro;
    tell(s, BRAIN_SAID_COST, "");
}

void
stream_answer(Stream *s, const char *text)
{
    g_string_truncate(s->answer, 0);
    s->cut = false;
    keep_raw(s, text, strlen(text));
}

void
stream_answer_more(Stream *s, const char *text)
{
    if (!*text || g_str_equal(s->answer->str, text))
        return;
    if (s->answer->len > 0)
        keep_raw(s, "\n\n", 2);
    keep_raw(s, text, strlen(text));
}

void
stream_fail(Stream *s, BrainEnd end, const char *words)
{
    g_free(s->failed);
    s->end = end;
    s->failed = one_line(*words ? words : "it failed without a word", WORDS_CHARS);
    s->retry = (Due){0};
}

void
stream_fail_none(Stream *s)
{
    g_clear_pointer(&s->failed, g_free);
    s->end = BRAIN_OK;
    s->retry = (Due){0};
}

void
stream_fail_limit(Stream *s, int64_t until_us, const char *words)
{
    static const Clock real = {0};
    int64_t now = clock_wall_us(s->clock ? s->clock : &real);

    stream_fail(s, BRAIN_LIMITED, words);
    if (until_us <= now)
        until_us = limit_words_until(words, now);
    if (until_us > now)
        s->retry = (Due){.us = until_us, .moment = true};
}

/* As brain/retry.h has it: what a person must mend, what passes for everybody, what may be the
 * trouble of this question alone. */
void
stream_fail_status(Stream *s, int64_t status, const char *words)
{
    switch (status) {
    case 401:
    case 402:
    case 403:
    case 404:
        stream_fail(s, BRAIN_BROKEN, words);
        break;
    case 413:
        stream_fail(s, BRAIN_LARGE, words);
        break;
    case 429:
    case 502:
    case 503:
    case 529:
        stream_fail_limit(s, 0, words);
        break;
    default:
        stream_fail(s, status >= 500 ? BRAIN_STALLED : BRAIN_EXITED, words);
        break;
    }
}

void
stream_defer(Stream *s, const char *id, const char *name, const json_t *input)
{
    g_autoptr(json_t) call =
        json_pack("{s:s, s:s, s:O*}", "id", id, "name", name, "input", input);

    g_free(s->deferred_call);
    s->deferred_call = call ? json_format(call) : NULL;
    s->deferred = s->deferred_call != NULL;
}
