#include "workflow/event_sight.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/file.h"
#include "base/text.h"
#include "workflow/review_file.h"

#define FORM_MAX 65536u /* bytes */

/* The form that people have put into the folder of templates, else our own. */
static bool
read_form(const Engine *engine, EventType type, char **ret, GError **error)
{
    const char *folder = engine->home->config->workflow_templates;
    g_autofree char *name = g_strdup_printf("%s/%s.txt", folder, event_kinds[type].name);
    g_autofree char *root =
        *engine->home->config->workflow_root ? workflow_root(engine, error) : NULL;
    g_autoptr(GBytes) bytes = NULL;

    if (*engine->home->config->workflow_root && !root)
        return false;
    auto_fd dir = root ? dir_open(root, error) : -1;
    if (root && (dir < 0 || !file_read(dir, name, FORM_MAX, &bytes, error)))
        return err_prefix(error, "'%s'", name);
    *ret = bytes ? text_valid_bytes(bytes) : event_form(type);
    return true;
}

EventSight *
event_sight_new(const Engine *engine, EventType type, const char *path)
{
    EventSight *s = g_new0(EventSight, 1);

    if (path)
        (void)artifact_place_find(engine, path, &s->place, &s->no_place);
    if (s->place.title && (type == EVENT_APPROVAL || type == EVENT_REJECTION))
        s->reviews = review_files(engine, s->place.title);
    (void)read_form(engine, type, &s->form, &s->no_form);
    return s;
}

void
event_sight_free(EventSight *s)
{
    if (!s)
        return;
    artifact_place_clear(&s->place);
    g_clear_pointer(&s->reviews, g_hash_table_unref);
    g_free(s->form);
    g_clear_error(&s->no_place);
    g_clear_error(&s->no_form);
    g_free(s);
}
