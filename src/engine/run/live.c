#include "engine/run/live.h"

#define EVERY_US USEC_PER_SEC
#define GATE_WAIT_MS 1000
#define LINE_CHARS 200
#define LINE_BYTES 4096u

/* The text as one line that is safe on a terminal; caller frees. */
static char *
one_line(const char *text)
{
    g_autofree char *head = g_strndup(text, text_cut_at(text, LINE_BYTES));
    g_auto(GStrv) words = text_words(head, " \t\r\n");
    g_autofree char *joined = g_strjoinv(" ", words);
    g_autofree char *visible = text_vis(joined, false);
    return text_shorten(visible, LINE_CHARS);
}

void
live_say(Live *l, const char *what, const char *text)
{
    Doing *d = g_new0(Doing, 1);

    d->job = l->claim->job;
    d->fence = l->claim->fence;
    d->at_us = home_now(l->engine->home);
    d->what = g_strdup(what);
    d->said = one_line(text);
    d->cost_micro = l->cost_micro;
    if (!l->waiting)
        l->waiting = doings_new();
    if (l->waiting->len == DOINGS_MAX)
        g_ptr_array_remove_index(LIST_ARRAY(l->waiting), 0);
    doings_add(l->waiting, d);
}

int64_t
live_wait_us(const Live *l)
{
    if (!l->waiting || l->waiting->len == 0)
        return USEC_NEVER;
    return MAX(0, l->next_us - clock_mono_us());
}

void
live_write(Live *l, bool all)
{
    g_auto(Txn) txn = {.db = l->engine->db, .flush = TXN_LAZY, .wait_ms = GATE_WAIT_MS};
    g_autoptr(GError) left_out = NULL;

    if (!l->waiting || l->waiting->len == 0 || (!all && live_wait_us(l) > 0))
        return;
    while (txn_again(&txn, &left_out))
        txn.ok = doings_write(&txn, l->waiting, &left_out);
    *l->said |= txn.done;
    l->next_us = clock_mono_us() + EVERY_US;
    g_ptr_array_set_size(LIST_ARRAY(l->waiting), 0);
}

void
live_clear(Live *l)
{
    g_clear_pointer(&l->waiting, doings_free);
}
