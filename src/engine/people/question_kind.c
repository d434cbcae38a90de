#include "engine/people/question_kind.h"

static const QuestionKind *const kinds[] = {&question_held_mail, &question_mail_in_doubt,
                                            &question_note,      &question_permit,
                                            &question_agent};

const QuestionKind *
question_kind(const char *name)
{
    for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
        if (g_str_equal(kinds[i]->name, name))
            return kinds[i];
    }
    return NULL;
}

void
question_add_text(GString *s, const char *text)
{
    g_autofree char *seen = text_vis(text, true);
    g_auto(GStrv) lines = g_strsplit(g_strchomp(seen), "\n", -1);
    for (char **line = lines; *line; line++)
        g_string_append_printf(s, QUESTION_MARGIN "%s\n", *line);
}
