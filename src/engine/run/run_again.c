/* What is done when a question gave no answer: a program that failed gets the same question
 * later; a model that was shown too much gets a smaller question. */
#include "base/log.h"
#include "engine/run/run_internal.h"

#define TAIL_LINES 20
#define TAIL_BYTES 4000u

/* --- programs --- */

/* The last lines of a text, of all lines together so much that a mail stays one. */
static const char *
tail(const char *text)
{
    const char *end = text + strlen(text), *from = end;

    for (int lines = 0; from > text && (size_t)(end - from) < TAIL_BYTES; from--) {
        if (from[-1] == '\n' && ++lines == TAIL_LINES)
            break;
    }
    while (((unsigned char)*from & 0xc0) == 0x80) /* not within a character */
        from++;
    return from;
}

char *
run_last_words(const BrainAnswer *answer)
{
    bool out = *answer->text, err = *answer->log;

    if (!out || !err)
        return g_strdup(tail(out ? answer->text : answer->log));
    return g_strdup_printf("%s\n\nand as errors:\n%s", tail(answer->text), tail(answer->log));
}

bool
run_exited(Task *t, const char *why, char **ret_give_up, GError **error)
{
    static const int64_t waits_s[] = {30, 300, 1800};
    int tries = t->job->failures + 1; /* of the program: what killed runs lost is none of its own */
    int64_t most = MIN((int64_t)G_N_ELEMENTS(waits_s) + 1, t->role->max_attempts);

    *ret_give_up = NULL;
    if (!t->role->retry) {
        *ret_give_up = g_strdup_printf("%s (it was run once: retry = no)", why);
        return true;
    }
    if (tries >= most) {
        *ret_give_up =
            tries > 1 ? g_strdup_printf("%s (it failed %d times)", why, tries) : g_strdup(why);
        return true;
    }
    g_autofree char *wait = clock_format_span(waits_s[tries - 1] * USEC_PER_SEC);
    log_event(LOG_WARN, "the program failed, it is run again", "brain", t->brain->name, "in",
              wait, "why", why, NULL);
    return run_release(
        t, (Due){.us = home_now(t->run->engine->home) + waits_s[tries - 1] * USEC_PER_SEC},
        TRY_FAILED, why, error);
}

/* --- models --- */

size_t
run_budget(const Task *t)
{
    if (t->shrunk && t->shrunk == t->brain)
        return t->context_bytes;
    return context_budget(t->run->engine->home->config, t->brain);
}

bool
run_shrink(Task *t)
{
    const char *system = context_system(t->context);
    size_t shown = strlen(context_text(t->context)) + (system ? strlen(system) : 0);

    shown = MIN(shown, run_budget(t));
    if (shown <= CONTEXT_BYTES_MIN)
        return false;
    t->shrunk = t->brain;
    t->context_bytes = MAX(shown / 2, CONTEXT_BYTES_MIN);
    g_autofree char *size = text_format_size(t->context_bytes);
    log_event(LOG_WARN, "the question is too long, it is asked again with less", "brain",
              t->brain->name, "bytes", size, NULL);
    return true;
}

char *
run_too_large(const Task *t, const char *why)
{
    g_autofree char *size = text_format_size(run_budget(t));

    return g_strdup_printf(
        "%s; also with %s of text, the least that I show. How much a brain is "
        "shown is set by context-bytes, here in [brain %s]",
        why, size, t->brain->name);
}
