/*
 * Errors of model APIs. All providers send JSON with an object `error`, and none the same one;
 * local servers also send strings, FastAPI's `detail`, or HTML of a proxy. What matters: one
 * line for a person, whether it is about money, and when a limit ends.
 */
#include "base/clock.h"
#include "brain/api.h"

#define COMPLAINT_CHARS 300
#define COMPLAINT_BYTES 65536u

/* By type, for errors that come inside a stream, where there is no status any more. */
static const struct {
    const char *type;
    int status;
} types[] = {
    {"invalid_request_error", 400}, {"authentication_error", 401},
    {"billing_error", 402},         {"permission_error", 403},
    {"not_found_error", 404},       {"request_too_large", 413},
    {"rate_limit_error", 429},      {"api_error", 500},
    {"timeout_error", 504},         {"overloaded_error", 529},
};

static const char *const money_codes[] = {"enforced_spend_limit_reached", "insufficient_quota",
                                          "billing_hard_limit_reached", "billing_error", NULL};
static const char *const money_words[] = {"credit balance", "api usage limits", "spend limit",
                                          NULL};

/* A question that is longer than the model's window, in the words of the providers and of the
 * servers that people run themselves. */
static const char *const large_codes[] = {"context_length_exceeded",
                                          "exceed_context_size_error", "request_too_large",
                                          "string_above_max_length", NULL};
static const char *const large_words[] = {"too long",
                                          "context length",
                                          "context size",
                                          "context window",
                                          "context limit",
                                          "input token count",
                                          "input tokens exceed",
                                          "request too large",
                                          "too large for model",
                                          "maximum prompt length",
                                          "maximum model length",
                                          NULL};

static int
status_of(const char *type)
{
    for (size_t i = 0; type && i < G_N_ELEMENTS(types); i++) {
        if (g_str_equal(types[i].type, type))
            return types[i].status;
    }
    return 500;
}

char *
api_one_line(const char *text, size_t len)
{
    g_autofree char *clean = brain_clean(text, MIN(len, COMPLAINT_BYTES));
    g_autofree char *line =
        text_shorten(g_strstrip(g_strdelimit(clean, "\n\t", ' ')), COMPLAINT_CHARS);
    return g_steal_pointer(&line);
}

static const char *
member(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

/* "You will regain access on 2026-12-01 at 00:00 UTC."; 0: no such date. */
static int64_t
date_in(const char *message)
{
    static const char lead[] = "regain access on ", at[] = " at ";
    const char *found = strstr(message, lead);
    int64_t us;

    if (!found)
        return 0;
    g_autofree char *day = g_strndup(found + strlen(lead), strlen("2026-12-01"));
    const char *rest = found + strlen(lead) + strlen(day);
    g_autofree char *hour = g_str_has_prefix(rest, at) ? g_strndup(rest + strlen(at), 5) : NULL;
    g_autofree char *iso = g_strdup_printf("%sT%s:00Z", day, hour ? hour : "00:00");
    return clock_parse_iso(iso, &us) ? us : 0;
}

/* By what the error is called, or by its words. */
static bool
is_about(const json_t *error,
         const char *message,
         const char *const *names,
         const char *const *words)
{
    const char *const codes[] = {member(error, "code"), member(error, "type"),
                                 member(json_object_get(error, "details"), "error_code")};

    for (size_t i = 0; i < G_N_ELEMENTS(codes); i++) {
        if (codes[i] && g_strv_contains(names, codes[i]))
            return true;
    }
    return api_mentions(message, words);
}

void
api_error_read_json(const json_t *error, ApiResult *ret)
{
    const char *type = member(error, "type"), *message = member(error, "message");

    if (!message)
        message = type ? type : "an error without a text";
    g_free(ret->why);
    ret->end = BRAIN_FAILED;
    ret->why = api_one_line(message, strlen(message));
    ret->status = status_of(type);
    ret->spent = is_about(error, message, money_codes, money_words);
    ret->large = is_about(error, message, large_codes, large_words);
    ret->reset_us = ret->spent ? date_in(message) : 0;
}

/* --- limits in headers --- */

/* "6m0s", "1h2m3.5s", "20ms"; 0 for anything else. */
static int64_t
parse_span(const char *text)
{
    static const struct {
        const char *unit;
        double us;
    } units[] = {{"ms", 1e3}, {"us", 1}, {"h", 3600e6}, {"m", 60e6}, {"s", 1e6}};
    double total = 0;

    while (*text) {
        char *rest;
        double number = g_ascii_strtod(text, &rest);
        size_t i = 0;

        if (rest == text || !(number >= 0 && number < 1e9))
            return 0;
        while (i < G_N_ELEMENTS(units) && !g_str_has_prefix(rest, units[i].unit))
            i++;
        if (i == G_N_ELEMENTS(units))
            return 0;
        total += number * units[i].us;
        text = rest + strlen(units[i].unit);
    }
    return total < 1e15 ? (int64_t)total : 0;
}

/* When the limits end that nothing is left of, the last of them; 0: not said. Both families
 * name their headers alike but for the order of the words. */
static int64_t
limits_end(const HttpReply *reply, int64_t now_us)
{
    static const struct {
        const char *remaining, *reset;
    } limits[] = {
        {"anthropic-ratelimit-requests-remaining", "anthropic-ratelimit-requests-reset"},
        {"anthropic-ratelimit-tokens-remaining", "anthropic-ratelimit-tokens-reset"},
        {"anthropic-ratelimit-input-tokens-remaining",
         "anthropic-ratelimit-input-tokens-reset"},
        {"anthropic-ratelimit-output-tokens-remaining",
         "anthropic-ratelimit-output-tokens-reset"},
        {"x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"},
        {"x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"},
    };
    int64_t last = 0, end;

    for (size_t i = 0; i < G_N_ELEMENTS(limits); i++) {
        const char *remaining = http_header(reply, limits[i].remaining);
        const char *reset = http_header(reply, limits[i].reset);

        if (!remaining || !reset || !g_str_equal(remaining, "0"))
            continue;
        if (!clock_parse_iso(reset, &end))
            end = now_us + parse_span(reset);
        last = MAX(last, end);
    }
    return last;
}

/* --- whole replies --- */

/* The object that tells about the error; a string instead of one becomes its message. */
static json_t *
find_error(const HttpReply *reply)
{
    g_autoptr(json_t) body = NULL;

    if (!json_parse_bytes(reply->body, 0, &body, NULL) || !json_is_object(body))
        return json_object();
    json_t *error = json_object_get(body, "error");
    if (!error)
        error = json_object_get(body, "detail");
    if (json_is_object(error))
        return json_incref(error);
    if (json_is_string(error))
        return json_pack("{s:O}", "message", error);
    if (!error)
        return json_incref(body); /* {"message": …} */
    g_autofree char *written = json_format(error);
    return json_pack("{s:s}", "message", written);
}

void
api_error_read(const HttpReply *reply, int64_t now_us, ApiResult *ret)
{
    g_autoptr(json_t) error = find_error(reply);
    size_t len;
    const char *raw = g_bytes_get_data(reply->body, &len);

    api_error_read_json(error, ret);
    if (!member(error, "message")) { /* not JSON: what it begins with */
        g_free(ret->why);
        ret->why = api_one_line(raw ? raw : "", len);
    }
    ret->status = reply->status;
    ret->large &= ret->status != 404; /* "no model of that context length" */
    if (ret->status == 429 && ret->reset_us == 0)
        ret->reset_us = limits_end(reply, now_us);
}
