/*
 * Moves and flags of mail in this machine's Maildirs. A mail client may have been there first:
 *
 *   the mail lies in              move to X is       flags are
 *   X                             done               done, or not yet
 *   INBOX, Active, Done           not yet            done, or not yet
 *   another folder                a person's doing   done, or not yet
 *   no folder                     a person's doing   a person's doing
 *   no folder, but a copy does    the copy's         the copy's
 *
 * A move may bring flags, set by the very rename: it is not done before they are there. What a
 * person did stays as it is: where mail lies is theirs to say.
 */
#include "engine/run/settle.h"
#include "base/crash.h"
#include "base/log.h"
#include "engine/mail_load.h"
#include "engine/run/view_files.h"
#include "engine/tree/file_effects.h"
#include "mail/maildir.h"
#include "notes/notes.h"
#include "store/mail/copies.h"
#include "store/mail/mail_flags.h"
#include "store/out/effects.h"
#include "store/out/outbox.h"

#define COPIES_BATCH 1000u
#define FEW_COPIES 16u

/* The folders between which we move mail ourselves, "" being INBOX. */
static const char *const own_folders[] = {"", "Active", "Done", NULL};

/* "Done+RS": where to, and with which flags. */
typedef struct Goal {
    char *folder;
    const char *flags; /* borrowed from the effect; "": as they are */
} Goal;

static void
goal_clear(Goal *g)
{
    g_free(g->folder);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Goal, goal_clear)

static Goal
goal_of(const Effect *e)
{
    size_t len = strcspn(e->args, "+");

    return (Goal){g_strndup(e->args, len), e->args[len] ? e->args + len + 1 : ""};
}

static bool
has_flags(const MaildirEntry *at, const char *add, const char *remove)
{
    for (; *add; add++)
        if (!strchr(at->flags, *add))
            return false;
    return strpbrk(at->flags, remove) == NULL;
}

/* The subject of an effect, taken apart and found. */
typedef struct Subject {
    Maildir *md;
    char *mailbox;
    const char *base; /* borrowed from the effect */
    MaildirEntry *at; /* NULL: in no folder */
} Subject;

static void
subject_clear(Subject *s)
{
    maildir_entry_free(s->at);
    maildir_close(s->md);
    g_free(s->mailbox);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Subject, subject_clear)

static bool
subject_open(Db *db, const Effect *e, Subject *ret, GError **error)
{
    const char *slash = strchr(e->subject, '/');

    if (!slash)
        return err_set(error, ERR_DAMAGE, "'%s' names no mail", e->subject);
    ret->mailbox = g_strndup(e->subject, (gsize)(slash - e->subject));
    ret->base = slash + 1;
    return maildir_open(db_home(db)->mail_fd, ret->mailbox, false, &ret->md, error);
}

static bool
subject_find(Db *db, const Effect *e, Subject *ret, GError **error)
{
    return subject_open(db, e, ret, error) && maildir_find(ret->md, ret->base, &ret->at, error);
}

static bool
foreign(EffectSeen *ret_seen, char **ret_why, char *why)
{
    *ret_seen = EFFECT_FOREIGN;
    *ret_why = why;
    return true;
}

/* A copy takes the place of a file that is in no folder, if there is one. */
static bool
gone(Db *db, const Effect *e, Maildir *md, EffectSeen *ret_seen, char **ret_why, GError **error)
{
    g_autofree char *file = NULL;
    g_autoptr(GBytes) bytes = NULL;

    if (!mail_find_copy(db, md, e->message, &file, &bytes, error))
        return false;
    if (!file)
        return foreign(ret_seen, ret_why, g_strdup("a person deleted it"));
    *ret_seen = EFFECT_COPY;
    *ret_why = g_steal_pointer(&file);
    return true;
}

static bool
look_move(Db *db, const Effect *e, EffectSeen *ret_seen, char **ret_why, GError **error)
{
    g_auto(Subject) s = {0};
    g_auto(Goal) goal = goal_of(e);

    if (!subject_find(db, e, &s, error))
        return false;
    if (!s.at)
        return gone(db, e, s.md, ret_seen, ret_why, error);
    if (g_str_equal(s.at->folder, goal.folder))
        *ret_seen = has_flags(s.at, goal.flags, "") ? EFFECT_DONE : EFFECT_NOT_YET;
    else if (g_strv_contains(own_folders, s.at->folder))
        *ret_seen = EFFECT_NOT_YET;
    else
        return foreign(ret_seen, ret_why,
                       g_strdup_printf("a person moved it to '%s'", s.at->folder));
    return true;
}

static bool
act_move(Db *db, const Effect *e, GError **error)
{
    g_auto(Subject) s = {0};
    g_auto(Goal) goal = goal_of(e);

    return subject_open(db, e, &s, error) &&
           maildir_move_flagged(s.md, s.base, goal.folder, goal.flags, error);
}

/* "+S-F": letters behind a sign, until the next sign. */
static bool
parse_flags(const char *args, GString *add, GString *remove, GError **error)
{
    GString *to = NULL;

    for (const char *p = args; *p; p++) {
        if (*p == '+' || *p == '-')
            to = *p == '+' ? add : remove;
        else if (to)
            g_string_append_c(to, *p);
        else
            return err_set(error, ERR_DAMAGE, "'%s' are no changes of flags", args);
    }
    return true;
}

static bool
look_flag(Db *db, const Effect *e, EffectSeen *ret_seen, char **ret_why, GError **error)
{
    g_autoptr(GString) add = g_string_new(NULL), remove = g_string_new(NULL);
    g_auto(Subject) s = {0};

    if (!parse_flags(e->args, add, remove, error) || !subject_find(db, e, &s, error))
        return false;
    if (!s.at)
        return gone(db, e, s.md, ret_seen, ret_why, error);
    *ret_seen = has_flags(s.at, add->str, remove->str) ? EFFECT_DONE : EFFECT_NOT_YET;
    return true;
}

static bool
act_flag(Db *db, const Effect *e, GError **error)
{
    g_autoptr(GString) add = g_string_new(NULL), remove = g_string_new(NULL);
    g_auto(Subject) s = {0};

    return parse_flags(e->args, add, remove, error) && subject_open(db, e, &s, error) &&
           maildir_flag(s.md, s.base, add->str, remove->str, error);
}

static const EffectOps move_ops = {look_move, act_move};
static const EffectOps flag_ops = {look_flag, act_flag};

static const EffectOps *const ops[EFFECT_N_KINDS] = {
    [EFFECT_MAIL_MOVE] = &move_ops,
    [EFFECT_MAIL_FLAG] = &flag_ops,
};

/* --- copies --- */

/* A mailbox, and the names in it where many of them are looked for: looking for one that is not
 * there takes its time. */
typedef struct Box {
    Maildir *md;
    GHashTable *names; /* NULL: few are looked for */
} Box;

static void
box_clear(Box *b)
{
    g_clear_pointer(&b->md, maildir_close);
    g_clear_pointer(&b->names, g_hash_table_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Box, box_clear)

static bool
box_open(Db *db, Box *b, const char *role, bool many, GError **error)
{
    if (b->md && g_str_equal(maildir_mailbox(b->md), role))
        return true;
    box_clear(b);
    if (!maildir_open(db_home(db)->mail_fd, role, false, &b->md, error))
        return false;
    if (many)
        b->names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (const char *const *f = own_folders; many && *f; f++) {
        g_autoptr(GPtrArray) names = NULL;
        if (!maildir_names(b->md, *f, &names, error))
            return false;
        for (guint i = 0; i < names->len; i++)
            g_hash_table_add(b->names, g_strdup(g_ptr_array_index(names, i)));
    }
    return true;
}

/* To where its message lies. What a person filed stays; flags are for the last place. */
static bool
bring_copy(Db *db, const CopyOwed *c, Box *b, bool many, GError **error)
{
    g_autoptr(MaildirEntry) at = NULL;
    bool last = *c->folder && !g_str_equal(c->folder, "Active");

    if (!box_open(db, b, c->role, many, error))
        return false;
    if (b->names && !g_hash_table_contains(b->names, c->file))
        return true;
    if (!maildir_find(b->md, c->file, &at, error))
        return false;
    if (!at ||
        (!g_strv_contains(own_folders, at->folder) && !g_str_equal(at->folder, c->folder)))
        return true;
    return maildir_move_copy(b->md, c->file, c->folder, last ? c->marks : "", error);
}

static bool
settle_some_copies(Db *db, const GPtrArray *rows, GError **error)
{
    g_auto(Box) box = {0};
    g_auto(Txn) txn = {.db = db, .flush = TXN_LAZY};

    for (guint i = 0; i < rows->len; i++)
        if (!bring_copy(db, g_ptr_array_index(rows, i), &box, rows->len > FEW_COPIES, error))
            return err_prefix(error, "moving copies of mail");
    CRASH_POINT("copies-moved");
    while (txn_again(&txn, error)) {
        for (guint i = 0; i < rows->len; i++)
            if (!copies_paid(&txn, g_ptr_array_index(rows, i), error))
                return false;
        txn.ok = true;
    }
    return txn.done;
}

static bool
settle_copies(Db *db, GError **error)
{
    guint n;

    do {
        g_autoptr(GPtrArray) rows = NULL;
        if (!copies_owed(db, COPIES_BATCH, &rows, error))
            return false;
        n = rows->len;
        if (n > 0 && !settle_some_copies(db, rows, error))
            return false;
    } while (n == COPIES_BATCH);
    return true;
}

bool
settle_local(Engine *engine, unsigned *ret_n, GError **error)
{
    unsigned n = 0;
    bool owed;

    if (ret_n)
        *ret_n = 0;
    if (!effects_owed_here(engine->db, &owed, error))
        return false;
    if (!owed)
        return true;
    bool ok = effects_settle(engine->db, "", ops, NULL, &n, error) &&
              settle_copies(engine->db, error) && settle_views(engine, error);

    g_autoptr(GError) left = NULL;

    /* People's files have their own reasons to be in the way: what is left, doctor and the next
     * pass find. */
    if (!file_effects_settle(engine, &left))
        log_say(LOG_DEBUG, "files: %s", left->message);
    if (ok && ret_n)
        *ret_n = n;
    return ok;
}

static bool
settle_files(Engine *engine, bool all, GError **error)
{
    OutId waits;
    g_auto(Txn) txn = {.db = engine->db, .flush = TXN_DURABLE};

    if (!outbox_after_notes(engine->db, &waits, error) ||
        !(all ? notes_sync(engine->home, engine->db, NULL, error)
              : notes_sync_some(engine->home, engine->db, NULL, NULL, error)))
        return false;
    if (waits.v == 0)
        return true;
    while (txn_again(&txn, error))
        txn.ok = outbox_notes_done(&txn, waits, error);
    if (!txn.done)
        return false;
    db_hint(engine->db);
    return true;
}

bool
settle_notes(Engine *engine, GError **error)
{
    return settle_files(engine, true, error);
}

bool
settle_written_notes(Engine *engine, GError **error)
{
    return settle_files(engine, false, error);
}

bool
settle_owe_move(Txn *txn, JobId job, const MsgRow *row, const char *folder, GError **error)
{
    bool there = g_str_equal(row->folder, folder);

    /* The row may be older than an earlier step of the same run, which has moved the mail. */
    if (there || !messages_lies(txn->db, row->id, folder, &there, error) || there)
        return there;
    g_autofree char *args = mail_flags_move(txn->db, row->id, folder, error);
    return args && effect_put_move(txn, job, row->id, row->role, row->file, args, error);
}
