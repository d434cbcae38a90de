#include "workflow/event_mark.h"

static const char *const deeds[DEED_N] = {"tells", "opens", "renews", "approves", "rejects"};

void
event_mark_clear(EventMark *m)
{
    free_all(m->from, m->to, m->digest, m->question, m->deputy);
    *m = (EventMark){0};
}

static void
add(GString *value, const char *name, const char *text)
{
    if (text && *text)
        g_string_append_printf(value, " %s=%s", name, text);
}

char *
event_mark_format(const EventMark *m)
{
    GString *value = g_string_new(deeds[m->deed]);

    if (m->cycle)
        g_string_append_printf(value, " cycle=%d", m->cycle);
    add(value, "from", m->from);
    add(value, "to", m->to);
    add(value, "digest", m->digest);
    add(value, "question", m->question);
    add(value, "deputy", m->deputy);
    if (m->spent_micro)
        g_string_append_printf(value, " spent=%" G_GINT64_FORMAT, m->spent_micro);
    return g_string_free(value, FALSE);
}

/* What stands behind "name="; "": it is not there. Caller frees. */
static char *
part_of(char *const *words, const char *name)
{
    size_t len = strlen(name);

    for (; *words; words++)
        if (strncmp(*words, name, len) == 0 && (*words)[len] == '=')
            return g_strdup(*words + len + 1);
    return g_strdup("");
}

bool
event_mark_parse(const char *value, EventMark *ret)
{
    g_auto(GStrv) words = g_strsplit(value, " ", -1);
    g_autofree char *number = part_of(words, "cycle");
    g_auto(EventMark) m = {.from = part_of(words, "from"),
                           .to = part_of(words, "to"),
                           .digest = part_of(words, "digest"),
                           .question = part_of(words, "question"),
                           .deputy = part_of(words, "deputy")};
    g_autofree char *spent = part_of(words, "spent");
    int64_t n = 0;

    while (m.deed < DEED_N && g_strcmp0(words[0], deeds[m.deed]) != 0)
        m.deed++;
    if (m.deed == DEED_N || (*number && !text_parse_int(number, 0, INT_MAX, &n)) || !*m.from ||
        !*m.to || (*spent && !text_parse_int(spent, 0, INT64_MAX, &m.spent_micro)))
        return false;
    m.cycle = (int)n;
    *ret = m;
    m = (EventMark){0};
    return true;
}

char *
event_by(const char *from, const char *deputy)
{
    return *deputy ? g_strdup_printf("%s (by %s)", from, deputy) : g_strdup(from);
}

EventDeed
event_deed_of(EventType type)
{
    return type == EVENT_REVIEW_REQUEST ? DEED_OPENS
           : type == EVENT_APPROVAL     ? DEED_APPROVES
           : type == EVENT_REJECTION    ? DEED_REJECTS
                                        : DEED_TELLS;
}
