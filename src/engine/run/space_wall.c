#include "engine/run/space_wall.h"
#include "engine/context/manifest.h"
#include "engine/mail_load.h"
#include "engine/role.h"
#include "engine/run/commit_internal.h"
#include "mail/address.h"
#include "store/job/step_rows.h"
#include "store/note/note_versions.h"
#include "store/spaces.h"

#define LINE_MIN 40 /* characters */
#define MAILS_MAX 10000
#define NEWEST 500
#define LINE_SHOWN 120
#define TAG_MIN 6 /* characters of the tag of an id: 30 bits */

struct SpaceWall {
    Engine *engine;
    const Job *job;
    const StepInput *in;
    GPtrArray *spaces; /* char *: whose secrets may not pass */
    GHashTable *lines; /* line -> its space, borrowed from spaces; NULL: not gathered yet */
    GHashTable *open;  /* lines that the job was shown in no space; NULL: not gathered yet */
    GHashTable *seen;  /* ids and keys that were gathered */
};

void
space_wall_free(SpaceWall *wall)
{
    if (!wall)
        return;
    g_clear_pointer(&wall->spaces, g_ptr_array_unref);
    g_clear_pointer(&wall->lines, g_hash_table_unref);
    g_clear_pointer(&wall->open, g_hash_table_unref);
    g_clear_pointer(&wall->seen, g_hash_table_unref);
    g_free(wall);
}

/* --- who reads it --- */

/* Borrowed; NULL: none of them is called so. */
static const char *
find_name(const GPtrArray *names, const char *name)
{
    LIST_EACH(const char, one, names)
        if (g_strcmp0(one, name) == 0)
            return one;
    return NULL;
}

static void
add_name(GPtrArray *names, const char *name)
{
    if (!find_name(names, name))
        g_ptr_array_add(names, g_strdup(name));
}

/* Finds the spaces of which the role is a member, those of the job, and those of what this step
 * was shown. */
static bool
find_spaces(Engine *engine, const Job *job, const StepInput *in, GPtrArray *names, GError **error)
{
    g_autoptr(Spaces) own = NULL;
    g_autoptr(GPtrArray) of_job = NULL, of_step = NULL, of_page = NULL;

    if (!spaces_list(engine->db, job->role, &own, error) ||
        !job_spaces(engine->db, job->id, &of_job, error) ||
        !space_wall_shown(engine, in->manifest, &of_step, error) ||
        !space_wall_shown(engine, in->page, &of_page, error))
        return false;
    LIST_EACH(const Space, space, own)
        add_name(names, space->name);
    LIST_EACH(const char, name, of_job)
        add_name(names, name);
    LIST_EACH(const char, name, of_step)
        add_name(names, name);
    LIST_EACH(const char, name, of_page)
        add_name(names, name);
    return true;
}

/* To a space what is of another never goes; to others what all of them may have. */
static bool
may_read(Engine *engine, const char *space, const GPtrArray *to, bool *ret, GError **error)
{
    *ret = true;
    for (guint i = 0; i < to->len && *ret; i++) {
        g_autoptr(Space) other = NULL;
        if (!space_at(engine->db, to->pdata[i], &other, error))
            return false;
        if (other)
            *ret = g_str_equal(other->name, space);
        else if (!space_takes(engine->db, space, to->pdata[i], ret, error))
            return false;
    }
    return true;
}

/* A note of a space is read there; one in the role's own folder by the role alone; any other by
 * whoever is here. */
static bool
may_read_note(Engine *engine, const char *role, const char *space, const char *key)
{
    g_autofree char *folder = g_strconcat(NOTE_SPACES, space, NULL);

    if (note_is_beneath(key, NOTE_SPACES))
        return note_is_beneath(key, folder);
    return note_is_own(engine->db, role, key);
}

static bool
is_forbidden(Engine *engine,
             const Job *job,
             const char *space,
             const WallReaders *readers,
             bool *ret,
             GError **error)
{
    bool may = false;

    if (readers->to && !may_read(engine, space, readers->to, &may, error))
        return false;
    if (readers->note)
        may = may_read_note(engine, job->role, space, readers->note);
    *ret = !may;
    return true;
}

/* A mail to members alone, of a job of several spaces that they are all of, can stay behind one
 * wall only: so it carries nothing of any. No mail to the address of a space is such a mail,
 * since may_read() allows that space alone. */
static bool
find_double(Engine *engine,
            const WallReaders *readers,
            const GPtrArray *names,
            bool *ret,
            GError **error)
{
    unsigned n = 0;

    *ret = false;
    if (!readers->to ||
        (readers->to->len == 1 &&
         address_equal(readers->to->pdata[0], engine->home->config->owner)))
        return true;
    LIST_EACH(const char, name, names) {
        bool may;
        if (!may_read(engine, name, readers->to, &may, error))
            return false;
        n += may;
    }
    *ret = n > 1;
    return true;
}

/* A role without a brain says what a face has decided. */
static bool
thinks(Engine *engine, const Job *job)
{
    const ConfRole *role = role_find(engine, job->role);

    return !role || *role->brain || !*job->face;
}

bool
space_wall_new(Engine *engine,
               const Job *job,
               const StepInput *in,
               const WallReaders *readers,
               SpaceWall **ret,
               GError **error)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    bool any;

    *ret = NULL;
    if (!spaces_any(engine->db, &any, error))
        return false;
    if (!any || !thinks(engine, job))
        return true;
    if (!find_spaces(engine, job, in, names, error))
        return false;
    bool both;
    if (!find_double(engine, readers, names, &both, error))
        return false;
    for (guint i = names->len; i-- > 0;) {
        bool forbidden;
        if (!is_forbidden(engine, job, names->pdata[i], readers, &forbidden, error))
            return false;
        if (!forbidden && !both)
            g_ptr_array_remove_index(names, i);
    }
    if (names->len == 0)
        return true;
    SpaceWall *wall = g_new0(SpaceWall, 1);
    *wall = (SpaceWall){
        .engine = engine, .job = job, .in = in, .spaces = g_steal_pointer(&names)};
    *ret = wall;
    return true;
}

/* --- lines --- */

/* Past white space and what marks a line as quoted. */
static const char *
skip_marks(const char *line)
{
    for (;; line = g_utf8_next_char(line)) {
        if (*line != '>' && *line != '|' && !g_unichar_isspace(g_utf8_get_char(line)))
            return line;
        if (!*line)
            return line;
    }
}

/* The text with its lines joined: white space as one blank, no marks of quoting. Valid UTF-8;
 * caller frees. */
static char *
flatten(const char *text, size_t len)
{
    g_autofree char *valid = g_utf8_make_valid(text, (gssize)len);
    g_auto(GStrv) lines = g_strsplit(valid, "\n", -1);
    g_autoptr(GString) flat = g_string_sized_new(len + 1);

    for (char **line = lines; *line; line++) {
        g_auto(GStrv) words = text_words(skip_marks(*line), " \t\r\v\f");
        for (char **word = words; *word; word++)
            g_string_append_printf(flat, "%s%s", flat->len ? " " : "", *word);
    }
    return g_string_free(g_steal_pointer(&flat), FALSE);
}

/* The closing line of our own mail: format_footer() in engine/out/role_mail.c. */
static bool
is_footer(const char *line)
{
    return g_str_has_prefix(line, "job ") && strstr(line, " reply STOP, STATUS, WHY, or just write");
}

static void
add_lines(GHashTable *lines, const char *text, const char *space)
{
    g_auto(GStrv) all = g_strsplit(text, "\n", -1);

    for (char **line = all; *line; line++) {
        char *flat = flatten(*line, strlen(*line));
        if (g_utf8_strlen(flat, -1) >= LINE_MIN && !is_footer(flat))
            g_hash_table_insert(lines, flat, (char *)space);
        else
            g_free(flat);
    }
}

/* With what it has attached. */
static void
add_mail_lines(GHashTable *lines, const Message *m, const char *space)
{
    add_lines(lines, m->subject, space);
    if (m->text)
        add_lines(lines, m->text, space);
    for (guint i = 0; m->files && i < m->files->len; i++) {
        const MsgPart *part = m->files->pdata[i];
        if (part->content && part->legible) {
            g_autofree char *text = text_valid_bytes(part->content);
            add_lines(lines, text, space);
        }
    }
}

static bool
is_seen(SpaceWall *wall, const char *id)
{
    return !g_hash_table_add(wall->seen, g_strdup(id));
}

/* Lines of a mail go where its space belongs: to what is forbidden, or to what is open; others
 * to neither. */
static GHashTable *
lines_for(SpaceWall *wall, const char *space, const char **ret_name)
{
    *ret_name = space ? find_name(wall->spaces, space) : NULL;
    return !space ? wall->open : *ret_name ? wall->lines : NULL;
}

static bool
add_row(SpaceWall *wall, const MsgRow *row, GError **error)
{
    const char *name;
    GHashTable *lines = lines_for(wall, row->space, &name);
    g_autoptr(Message) m = NULL;

    if (!lines || is_seen(wall, row->msgid))
        return true;
    if (!mail_load(wall->engine, row, MESSAGE_CONTENT, &m, error))
        return false;
    if (m)
        add_mail_lines(lines, m, name);
    return true;
}

static bool
add_written(SpaceWall *wall, const OutRow *row, GError **error)
{
    const char *name;
    GHashTable *lines = lines_for(wall, row->space, &name);
    g_autoptr(GBytes) bytes = NULL;

    if (!lines || is_seen(wall, row->msgid))
        return true;
    if (!mail_bytes_out(wall->engine, row, NULL, &bytes, error))
        return false;
    g_autoptr(Message) m = bytes ? message_parse_bytes(bytes, MESSAGE_CONTENT) : NULL;
    if (m)
        add_mail_lines(lines, m, name);
    return true;
}

/* All mail of the job; and of its thread, since a job that came back has mail that no job has
 * any more. */
static bool
add_mails(SpaceWall *wall, GError **error)
{
    const MsgQuery of_job = {.job = wall->job->id, .limit = MAILS_MAX};
    const MsgQuery of_thread = {
        .role = wall->job->role, .thread = wall->job->thread, .limit = MAILS_MAX};
    const OutQuery written = {.job = wall->job->id, .all = true, .copies = true, .limit = MAILS_MAX};
    g_autoptr(MsgRows) rows = NULL, thread = NULL;
    g_autoptr(OutRows) out = NULL;
    Db *db = wall->engine->db;

    if (!messages_list(db, &VIEWER_OPERATOR, &of_job, &rows, error) ||
        !messages_list(db, &VIEWER_OPERATOR, &of_thread, &thread, error) ||
        !outbox_list(db, &VIEWER_OPERATOR, &written, &out, error))
        return false;
    LIST_EACH(const MsgRow, row, rows)
        if (!add_row(wall, row, error))
            return false;
    LIST_EACH(const MsgRow, row, thread)
        if (row->space && !add_row(wall, row, error))
            return false;
    LIST_EACH(const OutRow, row, out) {
        g_autoptr(OutRow) whole = NULL;
        if (!row->space)
            continue;
        if (!outbox_load(db, row->id, &whole, error) ||
            (whole && !add_written(wall, whole, error)))
            return false;
    }
    return true;
}

/* Adds, for each space of the job, also the newest mail that its role got: a program may have
 * read it before its run died. */
static bool
add_newest(SpaceWall *wall, GError **error)
{
    g_autoptr(GPtrArray) names = NULL;

    if (!job_spaces(wall->engine->db, wall->job->id, &names, error))
        return false;
    LIST_EACH(const char, name, names) {
        const MsgQuery q = {.role = wall->job->role, .space = name, .limit = NEWEST};
        g_autoptr(MsgRows) rows = NULL;
        if (!find_name(wall->spaces, name))
            continue;
        if (!messages_list(wall->engine->db, &VIEWER_OPERATOR, &q, &rows, error))
            return false;
        LIST_EACH(const MsgRow, row, rows)
            if (!add_row(wall, row, error))
                return false;
    }
    return true;
}

static bool
add_note(SpaceWall *wall, const char *key, int64_t version, GError **error)
{
    g_autofree char *id = g_strdup_printf("%s %" PRId64, key, version);
    g_autoptr(GPtrArray) spaces = NULL;
    g_autoptr(Note) note = NULL;

    if (is_seen(wall, id))
        return true;
    if (!note_spaces(wall->engine->db, key, &spaces, error) ||
        !note_load(wall->engine->db, &VIEWER_OPERATOR, key, version, &note, error))
        return false;
    if (!note)
        return true;
    g_autofree char *text = note_text(note);
    for (guint i = 0; i < spaces->len; i++) {
        const char *name = find_name(wall->spaces, spaces->pdata[i]);
        if (name)
            add_lines(wall->lines, text, name);
    }
    if (spaces->len == 0)
        add_lines(wall->open, text, NULL);
    return true;
}

static bool
add_mail(SpaceWall *wall, const char *id, GError **error)
{
    g_autoptr(MsgRow) row = NULL;
    g_autoptr(OutRow) out = NULL;
    Db *db = wall->engine->db;

    if (!messages_find(db, &VIEWER_OPERATOR, id, &row, error) ||
        (!row && !outbox_find(db, &VIEWER_OPERATOR, id, &out, error)))
        return false;
    return row ? add_row(wall, row, error) : !out || add_written(wall, out, error);
}

static bool
add_manifest(SpaceWall *wall, GBytes *manifest, GError **error)
{
    g_autoptr(ManifestParts) parts = NULL;

    if (!manifest_parts(manifest, &parts, error))
        return false;
    LIST_EACH(const ManifestPart, part, parts)
        if (note_key_valid(part->id) ? !add_note(wall, part->id, part->version, error)
                                     : !add_mail(wall, part->id, error))
            return false;
    return true;
}

static bool
gather(SpaceWall *wall, GError **error)
{
    g_autoptr(Steps) steps = NULL;

    if (wall->lines)
        return true;
    wall->lines = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    wall->open = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    wall->seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    if (!add_mails(wall, error) || !add_newest(wall, error) ||
        !steps_list_whole(wall->engine->db, &VIEWER_OPERATOR, wall->job->id, &steps, error))
        return false;
    LIST_EACH(const Step, step, steps)
        if (!add_manifest(wall, step->manifest, error))
            return false;
    return add_manifest(wall, wall->in->page, error) &&
           add_manifest(wall, wall->in->manifest, error);
}

/* Every LINE_MIN characters in a row, as a number that differs where they do; the next one is
 * made of the one before. */
#define ROLL UINT64_C(0x9e3779b97f4a7c15)

typedef struct Roll {
    const gunichar *text;
    glong at, len; /* at: where the row begins */
    uint64_t value, top;
} Roll;

static bool
roll_next(Roll *r)
{
    if (r->at + LINE_MIN >= r->len)
        return false;
    r->value = (r->value - r->text[r->at] * r->top) * ROLL + r->text[r->at + LINE_MIN];
    r->at++;
    return true;
}

/* False: it is too short to have one. */
static bool
roll_begin(Roll *r, const gunichar *text, glong len)
{
    *r = (Roll){.text = text, .len = len, .top = 1};
    for (glong i = 0; i < LINE_MIN && i < len; i++) {
        r->value = r->value * ROLL + text[i];
        r->top *= i ? ROLL : 1;
    }
    return len >= LINE_MIN;
}

static GHashTable *
rows_of(const char *flat)
{
    GHashTable *rows = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    glong len;
    g_autofree gunichar *text = g_utf8_to_ucs4_fast(flat, -1, &len);
    Roll r;

    for (bool more = roll_begin(&r, text, len); more; more = roll_next(&r))
        g_hash_table_add(rows, g_memdup2(&r.value, sizeof r.value));
    return rows;
}

static bool
is_open(const SpaceWall *wall, const char *row)
{
    GHashTableIter i;
    gpointer line;

    g_hash_table_iter_init(&i, wall->open);
    while (g_hash_table_iter_next(&i, &line, NULL)) {
        if (strstr(line, row))
            return true;
    }
    return false;
}

/* True when the text has so much of this line that it counts. Words that were said openly do
 * not count. */
static bool
has_of(const SpaceWall *wall, const char *flat, GHashTable *rows, const char *line)
{
    glong len;
    g_autofree gunichar *text = g_utf8_to_ucs4_fast(line, -1, &len);
    Roll r;

    for (bool more = roll_begin(&r, text, len); more; more = roll_next(&r)) {
        if (!g_hash_table_contains(rows, &r.value))
            continue;
        g_autofree char *row = g_ucs4_to_utf8(text + r.at, LINE_MIN, NULL, NULL, NULL);
        if (row && strstr(flat, row) && !is_open(wall, row))
            return true;
    }
    return false;
}

static bool
find_line(SpaceWall *wall, const char *flat, char **ret_why, GError **error)
{
    g_autoptr(GHashTable) rows = rows_of(flat);
    GHashTableIter i;
    gpointer line, space;

    if (g_hash_table_size(rows) == 0)
        return true;
    if (!gather(wall, error))
        return false;
    g_hash_table_iter_init(&i, wall->lines);
    while (!*ret_why && g_hash_table_iter_next(&i, &line, &space)) {
        if (!has_of(wall, flat, rows, line))
            continue;
        g_autofree char *shown = text_shorten(line, LINE_SHOWN);
        *ret_why = g_strdup_printf("it carries a line of the space '%s', which not all who would "
                                   "read it are of: \"%s\"",
                                   (const char *)space, shown);
    }
    return true;
}

/* --- ids and links --- */

static bool
find_link(const SpaceWall *wall, const char *flat, char **ret_why)
{
    LIST_EACH(const char, space, wall->spaces) {
        g_autofree char *folder = g_strconcat(NOTE_SPACES, space, "/", NULL);
        const char *at = strstr(flat, folder);
        if (!at)
            continue;
        g_autofree char *key = g_strndup(at, strcspn(at, " ()[]<>\"',;"));
        g_autofree char *shown = text_shorten(key, LINE_SHOWN);
        *ret_why = g_strdup_printf("it leads to '%s', a note of the space '%s', which not all who "
                                   "would read it are of",
                                   shown, space);
        return true;
    }
    return false;
}

static bool
check_id(const SpaceWall *wall, const char *id, char **ret_why, GError **error)
{
    g_autofree char *space = NULL;

    if (!mail_space(wall->engine->db, id, &space, error))
        return false;
    if (space && find_name(wall->spaces, space))
        *ret_why = g_strdup_printf("it names <%s>, a mail of the space '%s', which not all who "
                                   "would read it are of",
                                   id, space);
    return true;
}

/* Looks for the part ".NUMBER.TAG" of an id that we minted, whatever stands around it and
 * wherever the id is cut off. */
static bool
check_minted(const SpaceWall *wall, const char *dot, char **ret_why, GError **error)
{
    size_t digits = strspn(dot + 1, "0123456789"), tag = 0;
    int64_t number;

    if (digits == 0 || dot[1 + digits] != '.')
        return true;
    while (tag < TAG_MIN && g_ascii_isalnum(dot[2 + digits + tag]))
        tag++;
    g_autofree char *text = g_strndup(dot + 1, digits), *part = g_strndup(dot, 2 + digits + tag);
    g_autofree char *space = NULL;
    if (tag < TAG_MIN || !text_parse_int(text, 1, INT64_MAX, &number))
        return true;
    if (!out_space(wall->engine->db, (OutId){number}, part, &space, error))
        return false;
    if (space && find_name(wall->spaces, space))
        *ret_why = g_strdup_printf("it names mail %" PRId64 " of the space '%s' by its id, which "
                                   "not all who would read it are of",
                                   number, space);
    return true;
}

/* An id of somebody else, or one that only its mail has kept when the store was lost, stands
 * there as a whole. */
static bool
find_id(const SpaceWall *wall, const char *flat, char **ret_why, GError **error)
{
    g_auto(GStrv) words = text_words(flat, " <>()[]{}\"'`,;:|/\\=&?#%");

    for (const char *dot = strchr(flat, '.'); dot && !*ret_why; dot = strchr(dot + 1, '.'))
        if (!check_minted(wall, dot, ret_why, error))
            return false;
    for (char **word = words; *word && !*ret_why; word++)
        if ((strchr(*word, '@') || out_number(*word)) && !check_id(wall, *word, ret_why, error))
            return false;
    return true;
}

bool
space_wall_look(SpaceWall *wall, const char *text, char **ret_why, GError **error)
{
    *ret_why = NULL;
    if (!wall || !text || !*text)
        return true;
    g_autofree char *flat = flatten(text, strlen(text));
    return find_link(wall, flat, ret_why) ||
           (find_id(wall, flat, ret_why, error) &&
            (*ret_why || find_line(wall, flat, ret_why, error)));
}

/* --- a mail, a note --- */

static bool
look_at_file(SpaceWall *wall, const ProposedFile *f, char **ret_why, GError **error)
{
    g_autoptr(Note) note = NULL;

    if (f->filename && !space_wall_look(wall, f->filename, ret_why, error))
        return false;
    if (*ret_why)
        return true;
    if (f->note_key && (!space_wall_look(wall, f->note_key, ret_why, error) ||
                        !note_load(wall->engine->db, &VIEWER_OF(wall->job->role), f->note_key,
                                   0, &note, error)))
        return false;
    GBytes *content = f->note_key ? note ? note->body : NULL : f->content;
    if (*ret_why || !content)
        return true;
    g_autofree char *text = text_valid_bytes(content);
    return space_wall_look(wall, text, ret_why, error);
}

/* Looks at the mails to which the parent refers: they stand in the References of its answer. */
static bool
look_at_parent(SpaceWall *wall, const char *id, char **ret_why, GError **error)
{
    g_autoptr(MsgRow) row = NULL;
    g_autoptr(Message) m = NULL;

    if (!id || !space_wall_look(wall, id, ret_why, error))
        return !id;
    if (*ret_why ||
        !messages_find(wall->engine->db, &VIEWER_OF(wall->job->role), id, &row, error))
        return *ret_why != NULL;
    if (row && !mail_load(wall->engine, row, MESSAGE_HEADERS, &m, error))
        return false;
    for (guint i = 0; m && m->references && i < m->references->len && !*ret_why; i++)
        if (!check_id(wall, m->references->pdata[i], ret_why, error))
            return false;
    return true;
}

bool
space_wall_mail(Engine *engine,
                const Job *job,
                const StepInput *in,
                const ProposedMail *mail,
                const GPtrArray *to,
                char **ret_why,
                GError **error)
{
    const WallReaders readers = {.to = to};
    const char *parent = step_parent_id(job, in, mail);
    g_autoptr(SpaceWall) wall = NULL;

    *ret_why = NULL;
    if (!space_wall_new(engine, job, in, &readers, &wall, error))
        return false;
    if (!wall)
        return true;
    if (!look_at_parent(wall, parent, ret_why, error))
        return false;
    for (guint i = 0; i < mail->answers_too->len && !*ret_why; i++)
        if (!look_at_parent(wall, mail->answers_too->pdata[i], ret_why, error))
            return false;
    const char *const texts[] = {mail->subject, mail->body};
    for (size_t i = 0; i < G_N_ELEMENTS(texts) && !*ret_why; i++)
        if (!space_wall_look(wall, texts[i], ret_why, error))
            return false;
    for (guint i = 0; i < mail->files->len && !*ret_why; i++)
        if (!look_at_file(wall, mail->files->pdata[i], ret_why, error))
            return false;
    return true;
}

bool
space_wall_note(Engine *engine,
                const Job *job,
                const StepInput *in,
                const ProposedNote *note,
                char **ret_why,
                GError **error)
{
    const WallReaders readers = {.note = note->to ? note->to : note->key};
    g_autoptr(SpaceWall) wall = NULL;
    g_autoptr(Note) old = NULL;

    *ret_why = NULL;
    if (note->act == NOTE_DELETE || !space_wall_new(engine, job, in, &readers, &wall, error))
        return note->act == NOTE_DELETE;
    if (!wall)
        return true;
    if (note->act == NOTE_RENAME &&
        !note_load(engine->db, &VIEWER_OF(job->role), note->key, 0, &old, error))
        return false;
    GBytes *body = note->act == NOTE_RENAME ? old ? old->body : NULL : note->body;
    g_autofree char *text = body ? text_valid_bytes(body) : NULL;
    return space_wall_look(wall, note->to ? note->key : "", ret_why, error) &&
           (*ret_why || space_wall_look(wall, text, ret_why, error));
}

/* --- what a step was shown --- */

bool
space_wall_shown(Engine *engine, GBytes *manifest, GPtrArray **ret, GError **error)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(ManifestParts) parts = NULL;
    bool any;

    if (!spaces_any(engine->db, &any, error) ||
        (any && !manifest_parts(manifest, &parts, error)))
        return false;
    for (guint i = 0; parts && i < parts->len; i++) {
        const ManifestPart *part = parts->pdata[i];
        g_autoptr(GPtrArray) of_note = NULL;
        g_autofree char *of_mail = NULL;
        bool is_note = note_key_valid(part->id);
        if (is_note ? !note_spaces(engine->db, part->id, &of_note, error)
                    : !mail_space(engine->db, part->id, &of_mail, error))
            return false;
        for (guint n = 0; of_note && n < of_note->len; n++)
            add_name(names, of_note->pdata[n]);
        if (of_mail)
            add_name(names, of_mail);
    }
    *ret = g_steal_pointer(&names);
    return true;
}
