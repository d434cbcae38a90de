#include "engine/mode.h"

void
mode_mail_free(ModeMail *m)
{
    free_all(m->msgid, m->folder, m);
}

void
mode_summary_clear(ModeSummary *s)
{
    g_clear_pointer(&s->phase, g_free);
    g_clear_pointer(&s->note, g_free);
    g_clear_pointer(&s->bundle, g_free);
    g_clear_pointer(&s->note_keys, g_ptr_array_unref);
    g_clear_pointer(&s->mails, mode_mails_free);
}

void
mode_summary(const ModeOps *mode, GBytes *state, ModeSummary *ret)
{
    *ret = (ModeSummary){.note_keys = g_ptr_array_new_with_free_func(g_free),
                         .mails = mode_mails_new()};
    if (mode && mode->summary && state)
        mode->summary(state, ret);
    char **texts[] = {&ret->phase, &ret->note, &ret->bundle};
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        if (!*texts[i])
            *texts[i] = g_strdup("");
    }
}
