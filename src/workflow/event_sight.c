#include "workflow/event_sight.h"
#include "base/file.h"
#include "engine/face.h"
#include "engine/out/post.h"
#include "workflow/face_workflow.h"
#include "workflow/review_file.h"

#define FORM_MAX 65536u /* bytes */
#define NOTHING "-"     /* what answers no mail */

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
event_sight_new(Engine *engine, EventType type, const char *path, const char *parent)
{
    EventSight *s = g_new0(EventSight, 1);

    if (path)
        (void)artifact_place_find(engine, path, &s->place, &s->no_place);
    if (!s->no_place && s->place.kind && (type == EVENT_APPROVAL || type == EVENT_REJECTION)) {
        s->reviews = review_files(engine, s->place.title);
        (void)review_has_place(&s->place, &s->no_review);
    }
    (void)read_form(engine, type, &s->form, &s->no_form);
    if (parent && post_parent(engine, parent, &s->parent, NULL))
        s->parent_id = g_strdup(parent);
    return s;
}

/* Subjects: "TYPE PARENT NAME", where neither type nor id has a blank. */
const EventSight *
event_sight_get(
    Engine *engine, EventType type, const char *name, const char *parent, GError **error)
{
    g_autofree char *subject =
        g_strdup_printf("%s %s %s", event_kinds[type].name, parent ? parent : NOTHING, name);

    return faces_sight(engine, &face_workflow, subject, error);
}

void *
event_sight_see(Engine *engine, const char *subject)
{
    g_auto(GStrv) parts = g_strsplit(subject, " ", 3);
    EventType type = EVENT_APPROVAL;

    (void)event_type_parse(parts[0], &type, NULL);
    return event_sight_new(engine, type, parts[2],
                           g_str_equal(parts[1], NOTHING) ? NULL : parts[1]);
}

void
event_sight_free(void *sight)
{
    EventSight *s = sight;
    if (!s)
        return;
    artifact_place_clear(&s->place);
    g_clear_pointer(&s->reviews, g_hash_table_unref);
    free_all(s->form, s->parent_id);
    message_free(s->parent);
    g_clear_error(&s->no_review);
    g_clear_error(&s->no_place);
    g_clear_error(&s->no_form);
    g_free(s);
}
