#include "report/report_prompt.h"
#include "base/file.h"
#include "base/template.h"
#include "engine/role.h"
#include "report/report_files.h"
#include "report/report_memory.h"
#include "report/report_research.h"
#include "report/report_thread.h"
#include "store/note/note_versions.h"
#include <fcntl.h>
#include <sys/stat.h>

#define RESEARCH_FILES_MAX 200
#define HEADING_BYTES                                                                          \
    (8u << 10) /* of a research file, in which its first heading is looked for */
#define HEADING_CHARS 100
#define TEMPLATE_MAX (64u << 10)
#define WORDS_LED                                                                              \
    "You read these files as notes, by add_notes: of research by the key in the list, and "    \
    "memory.txt as " REPORT_MEMORY ", which you may also write."
#define AFTER_THREAD (4u << 10) /* bytes kept for what stands behind the thread */

/* "carlton/reply"; caller frees. */
static char *
report_prompt_key(const char *role)
{
    return g_strdup_printf("%s/reply", role);
}

bool
report_thread_there(const Engine *engine, const Report *r, GError **error)
{
    g_autofree char *path = report_file(engine->home->config, r, REPORT_THREAD);
    struct stat st;
    bool there = fstatat(engine->home->fd, path, &st, AT_SYMLINK_NOFOLLOW) == 0;
    if (there && S_ISREG(st.st_mode))
        return true;
    return err_set(error, ERR_CONFIG,
                   "'%s' is %s: 'postrider briefing rebuild %s' makes it again", path,
                   there ? "no file" : "not there", r->date);
}

/* --- research --- */

static char *
find_heading(int dir_fd, const char *name)
{
    char head[HEADING_BYTES + 1];
    auto_fd fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    ssize_t n = fd < 0 ? -1 : read(fd, head, HEADING_BYTES);
    g_autofree char *text = text_make_valid(head, MAX(n, 0));
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line; line++) {
        size_t marks = strspn(*line, "#");
        if (marks > 0 && marks <= 6 && (*line)[marks] == ' ') {
            g_autofree char *safe = text_vis(g_strstrip(*line + marks), false);
            return text_shorten(safe, HEADING_CHARS);
        }
    }
    return g_strdup("");
}

static GPtrArray *
list_names(int dir_fd)
{
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    DIR *dir = dir_list(dir_fd, ".");
    const struct dirent *entry;
    while (dir && (entry = dir_next(dir))) {
        if (*entry->d_name != '.')
            g_ptr_array_add(names, g_strdup(entry->d_name));
    }
    if (dir)
        (void)closedir(dir);
    g_ptr_array_sort(names, text_compare);
    return names;
}

/* How it is asked for: by its name, of a model by the key of its note. Caller frees. */
static char *
format_name(const char *folder, const char *name, bool led)
{
    g_autofree char *safe = text_vis(name, false);
    size_t len = strlen(safe);
    if (!led || !g_str_has_suffix(safe, ".md"))
        return g_steal_pointer(&safe);
    return g_strdup_printf("%s/" REPORT_RESEARCH "/%.*s", folder, (int)len - 3, safe);
}

/* One line per file: its name, its first heading, its size. Caller frees. */
static char *
format_research(const Engine *engine, const Report *r, bool led)
{
    g_autofree char *folder = report_folder(engine->home->config, r->role, r->date),
                    *path = report_research_folder(folder);
    auto_fd dir = dir_open_beneath(engine->home->fd, path, NULL);
    GString *out = g_string_new(NULL);
    if (dir < 0)
        return g_string_free(out, FALSE);
    g_autoptr(GPtrArray) names = list_names(dir);
    for (guint i = 0; i < MIN(names->len, RESEARCH_FILES_MAX); i++) {
        const char *name = g_ptr_array_index(names, i);
        struct stat st;
        if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(st.st_mode))
            continue;
        g_autofree char *safe = format_name(folder, name, led),
                        *heading = find_heading(dir, name),
                        *size = text_format_size((uint64_t)st.st_size);
        g_string_append_printf(out, "%s%s%s (%s)\n", safe, *heading ? " — " : "", heading,
                               size);
    }
    if (names->len > RESEARCH_FILES_MAX)
        g_string_append_printf(out, "and %u more\n", names->len - RESEARCH_FILES_MAX);
    return g_string_free(out, FALSE);
}

/* --- the page --- */

static bool
load_template(Engine *engine, const char *role, char **ret, GError **error)
{
    g_autofree char *key = report_prompt_key(role);
    g_autoptr(Note) note = NULL;
    if (!note_load(engine->db, &VIEWER_OF(role), key, 0, &note, error))
        return false;
    *ret = note ? text_valid_bytes(note->body) : g_strdup(report_prompt_default);
    if (strlen(*ret) > TEMPLATE_MAX)
        (*ret)[text_cut_at(*ret, TEMPLATE_MAX)] = '\0';
    return true;
}

static bool
show_thread(Engine *engine, const Report *r, const Replies *replies, Context *c, GError **error)
{
    g_autoptr(Responses) responses = NULL;
    g_autofree char *least = NULL;
    if (!report_responses(engine->db, r->id, &responses, error) ||
        !report_least_trusted(engine->db, r->id, &least, error))
        return false;
    size_t room = context_room(c), keep = CONTEXT_FRAME + AFTER_THREAD;
    g_autofree char *whole = thread_format(r, replies, responses, SIZE_MAX);
    g_autofree char *less =
        strlen(whole) + keep > room
            ? thread_format(r, replies, responses, room > keep ? (room - keep) / 2 : 0)
            : NULL;
    context_show_cut(c, "THREAD", least ? least : ":thread", less ? less : whole);
    return true;
}

/* What a template has before and behind its blocks, said as one text. */
static void
flush(GString *text, Context *c)
{
    if (text->len > 0)
        context_say(c, text->str);
    g_string_truncate(text, 0);
}

bool
report_prompt_show(Engine *engine, const Report *r, bool led, Context *c, GError **error)
{
    g_autofree char *template = NULL, *research = format_research(engine, r, led);
    g_autoptr(Replies) replies = NULL;
    const ConfRole *role = role_get(engine, r->role, error);
    if (!role || !report_thread_there(engine, r, error) ||
        !load_template(engine, r->role, &template, error) ||
        !report_replies(engine->db, r->id, &replies, error))
        return false;
    g_autofree char *number = g_strdup_printf("%02d", thread_highest_reply(replies));
    g_autofree char *subject = text_vis(r->subject, false);
    g_autofree char *tools =
        *role->tools_hint ? g_strdup_printf("- %s", role->tools_hint) : g_strdup("");
    const TemplateValue values[] = {{"date", r->date}, {"name", r->name}, {"subject", subject},
                                    {"tools", tools},  {"NN", number},    {NULL, NULL}};
    g_autoptr(GString) text = g_string_new(NULL);
    const char *at = template;
    bool threaded = false;
    TemplatePiece piece;
    while (template_next(&at, &piece)) {
        if (template_is(&piece, "thread") && !threaded) {
            flush(text, c);
            threaded = true;
            if (!show_thread(engine, r, replies, c, error))
                return false;
        } else if (template_is(&piece, "research")) {
            flush(text, c);
            context_show_cut(c, "RESEARCH", ":research",
                             *research ? research : "(there are no files)");
        } else {
            template_put(text, &piece, values);
        }
    }
    flush(text, c);
    if (!threaded && !show_thread(engine, r, replies, c, error))
        return false;
    if (led)
        context_say(c, WORDS_LED);
    context_set_told(c);
    return true;
}
