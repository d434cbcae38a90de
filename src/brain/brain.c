#include "brain/brain.h"
#include "base/secret.h"

struct BrainCall {
    const BrainOps *ops;
    void *state;
    bool finished;
    BrainAnswer answer;
};

void
brain_answer_clear(BrainAnswer *answer)
{
    free_all(answer->text, answer->log, answer->failed, answer->request_id, answer->session,
             answer->deferred_call);
    *answer = (BrainAnswer){0};
}

BrainAnswer
brain_failed(BrainEnd end, const char *why)
{
    return (BrainAnswer){.end = end,
                         .text = g_strdup(""),
                         .log = g_strdup(""),
                         .failed = secret_hide(g_strdup(why))};
}

static const BrainOps *
find_kind(BrainKind kind)
{
    for (const BrainOps *const *ops = brain_kinds; *ops; ops++) {
        if ((*ops)->kind == kind)
            return *ops;
    }
    return NULL;
}

bool
brain_start(const BrainAsk *ask, BrainCall **ret, GError **error)
{
    const BrainOps *ops = find_kind(ask->conf->kind);
    void *state = NULL;
    BrainAnswer now = {0};

    if (!ops)
        return err_set(error, ERR_CONFIG, "brain '%s': this program has no kind '%s'",
                       ask->conf->name, brain_kind_word(ask->conf->kind));
    if (!ops->start(ops, ask, &state, &now, error))
        return err_prefix(error, "brain '%s'", ask->conf->name);
    *ret = g_new(BrainCall, 1);
    **ret = (BrainCall){.ops = ops, .state = state, .finished = !state, .answer = now};
    return true;
}

int64_t
brain_most(const BrainAsk *ask)
{
    const BrainOps *ops = find_kind(ask->conf->kind);

    return ops && ops->most ? ops->most(ops, ask) : 0;
}

unsigned
brain_poll(BrainCall *call, struct pollfd fds[BRAIN_POLL_MAX], int64_t *ret_wait_us)
{
    *ret_wait_us = 0;
    return call->finished ? 0 : call->ops->poll(call->state, fds, ret_wait_us);
}

bool
brain_work(BrainCall *call)
{
    if (!call->finished && call->ops->work(call->state)) {
        call->ops->answer(call->state, &call->answer);
        g_assert((call->answer.end == BRAIN_OK) == (call->answer.failed == NULL));
        call->finished = true;
    }
    return call->finished;
}

bool
brain_steer(BrainCall *call, const char *uuid, const char *text)
{
    return !call->finished && call->ops->steer && call->ops->steer(call->state, uuid, text);
}

void
brain_end(BrainCall *call)
{
    if (!call->finished)
        call->ops->end(call->state);
}

const BrainAnswer *
brain_answer(BrainCall *call)
{
    g_assert(call->finished);
    return &call->answer;
}

void
brain_free(BrainCall *call)
{
    if (!call)
        return;
    if (call->state)
        call->ops->free(call->state);
    brain_answer_clear(&call->answer);
    g_free(call);
}

char *
brain_question(const BrainAsk *ask)
{
    if (!ask->why_again)
        return g_strdup(ask->prompt);
    return g_strdup_printf("%s\n%sYour last answer could not be used: %s\nAnswer again.\n",
                           ask->prompt, ask->last_answer ? ask->last_answer : "",
                           ask->why_again);
}

char *
brain_schema_rule(const char *schema)
{
    return g_strdup_printf("Answer with one JSON object and nothing else. It must be valid by "
                           "this JSON schema:\n%s\n",
                           schema);
}

/* The three forms of ECMA-48, each also with its introducer as one C1 character:
 *   ESC [ parameters final         colours, cursor
 *   ESC ] text BEL                 titles, links; and ESC P, X, ^, _ text ESC \
 *   ESC intermediates final        character sets, resets
 * A string that does not end on its own line was none: only the introducer goes. */

static const char *
skip_csi(const char *p)
{
    while (*p >= 0x20 && *p <= 0x3f)
        p++;
    return *p >= 0x40 && *p <= 0x7e ? p + 1 : p;
}

/* Looks no further than the next introducer, so the whole stays linear. */
static const char *
skip_string(const char *p)
{
    for (const char *q = p; *q && *q != '\n'; q++) {
        bool c1 = (uint8_t)q[0] == 0xc2 && (uint8_t)q[1] >= 0x80 && (uint8_t)q[1] <= 0x9f;

        if (*q == '\a')
            return q + 1;
        if (q[0] == '\033')
            return q[1] == '\\' ? q + 2 : p;
        if (c1)
            return (uint8_t)q[1] == 0x9c ? q + 2 : p;
    }
    return p;
}

static const char *
skip_escape(const char *p)
{
    if (*p == '[')
        return skip_csi(p + 1);
    if (*p && strchr("]PX^_", *p))
        return skip_string(p + 1);
    while (*p >= 0x20 && *p <= 0x2f)
        p++;
    return *p >= 0x30 && *p <= 0x7e ? p + 1 : p;
}

/* A C1 character, p behind it. */
static const char *
skip_c1(gunichar c, const char *p)
{
    switch (c) {
    case 0x9b:
        return skip_csi(p);
    case 0x90:
    case 0x98:
    case 0x9d:
    case 0x9e:
    case 0x9f:
        return skip_string(p);
    default:
        return p;
    }
}

static void
trim_end(GString *s)
{
    while (s->len > 0 && g_ascii_isspace(s->str[s->len - 1]))
        g_string_truncate(s, s->len - 1);
}

char *
brain_clean(const void *data, size_t len)
{
    g_autofree char *valid = text_make_valid(data, (gssize)len);
    GString *out = g_string_sized_new(len);

    for (const char *p = valid;;) {
        size_t plain = text_plain_run(p);
        g_string_append_len(out, p, (gssize)plain);
        p += plain;
        if (!*p)
            break;
        gunichar c = g_utf8_get_char(p);
        const char *next = g_utf8_next_char(p);

        if (c == 0x1b)
            next = skip_escape(next);
        else if (c >= 0x80 && c <= 0x9f)
            next = skip_c1(c, next);
        else if (c == '\r' && *next != '\n')
            g_string_append_c(out, '\n');
        else if ((c >= 0x20 && c != 0x7f) || c == '\n' || c == '\t')
            g_string_append_len(out, p, next - p);
        p = next;
    }
    trim_end(out);
    return secret_hide(g_string_free(out, FALSE));
}
