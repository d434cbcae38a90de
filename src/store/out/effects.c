#include "store/out/effects.h"
#include "base/crash.h"
#include "store/mail/copies.h"
#include "store/out/outbox.h"
#include "store/rows.h"

static const char *const kind_names[] = {"mail-move", "mail-flag", "file-move", "file-new",
                                         "file-write", "git-index", "git-commit"};
_Static_assert(G_N_ELEMENTS(kind_names) == EFFECT_N_KINDS, "name every EffectKind");

bool
effect_put(Txn *txn, const Effect *e, EffectId *ret_id, GError **error)
{
    return sql_insert(txn,
                      "INSERT INTO effect (kind, job, message, account, subject, args) "
                      "VALUES (?, ?, ?, ?, ?, ?)",
                      &ret_id->v, error, "siisss", kind_names[e->kind], e->job.v, e->message.v,
                      e->account, e->subject, e->args);
}

bool
effect_put_move(Txn *txn,
                JobId job,
                MsgId message,
                const char *role,
                const char *file,
                const char *where,
                GError **error)
{
    g_autofree char *subject = g_strdup_printf("%s/%s", role, file);
    const Effect e = {.kind = EFFECT_MAIL_MOVE,
                      .job = job,
                      .message = message,
                      .account = "",
                      .subject = subject,
                      .args = where};
    EffectId id;

    return effect_put(txn, &e, &id, error);
}

bool
effect_last(Db *db, const char *account, const char *subject, EffectId *ret, GError **error)
{
    return sql_int(db,
                   "SELECT max(id) FROM effect WHERE failed IS NULL AND account = ? AND subject = ?",
                   &ret->v, error, "ss", account, subject);
}

/* An effect while it is being settled. */
typedef struct Debt {
    Effect effect;
    EffectSeen seen; /* what the last look said; NOT_YET: it stays owed */
    char *why;       /* foreign: who was there; NOT_YET: what went wrong */
} Debt;

static const Words kinds = {kind_names, EFFECT_N_KINDS,
                            EFFECT_N_KINDS}; /* unknown: nobody's ops */
static const Field debt_fields[] = {
    {NULL, "id", FIELD_INT, offsetof(Debt, effect.id)},
    {NULL, "kind", FIELD_WORD, offsetof(Debt, effect.kind), &kinds},
    {NULL, "job", FIELD_INT, offsetof(Debt, effect.job)},
    {NULL, "message", FIELD_INT, offsetof(Debt, effect.message)},
    {NULL, "account", FIELD_TEXT, offsetof(Debt, effect.account)},
    {NULL, "subject", FIELD_TEXT, offsetof(Debt, effect.subject)},
    {NULL, "args", FIELD_TEXT, offsetof(Debt, effect.args)},
    {NULL, NULL, FIELD_TEXT_NULL, offsetof(Debt, why)},
};
SHAPE_HERE(debt_shape, "effect", Debt, debt_fields)

/* Look; act when it is not done yet; look again, since only what is seen counts. */
static bool
look_and_act(Db *db, const EffectOps *ops, Debt *d, GError **error)
{
    if (!ops->look(db, &d->effect, &d->seen, &d->why, error))
        return false;
    if (d->seen != EFFECT_NOT_YET)
        return true;
    g_clear_pointer(&d->why, g_free);
    if (!ops->act(db, &d->effect, error))
        return false;
    CRASH_POINT("effect-acted");
    return ops->look(db, &d->effect, &d->seen, &d->why, error);
}

static void
settle(Db *db, const EffectOps *ops, Debt *d)
{
    g_autoptr(GError) error = NULL;

    if (!ops) {
        d->why = g_strdup("nobody here can do it");
    } else if (!look_and_act(db, ops, d, &error)) {
        d->seen = EFFECT_NOT_YET;
        g_free(d->why);
        d->why = g_strdup(error->message);
    } else if (d->seen != EFFECT_DONE && !d->why) {
        d->why = g_strdup(d->seen == EFFECT_FOREIGN ? "somebody else was here"
                                                    : "done, but it can't be seen");
    }
}

/* Settles what can be; keeps the order per subject. No transaction is open here. */
static void
settle_all(Db *db, const EffectOps *const ops[EFFECT_N_KINDS], const GPtrArray *debts)
{
    g_autoptr(GHashTable) blocked = g_hash_table_new(g_str_hash, g_str_equal);

    LIST_EACH(Debt, d, debts) {
        const EffectKind k = d->effect.kind;
        if (g_hash_table_contains(blocked, d->effect.subject))
            continue;
        settle(db, k < EFFECT_N_KINDS ? ops[k] : NULL, d);
        if (d->seen == EFFECT_NOT_YET)
            g_hash_table_add(blocked, (gpointer)d->effect.subject);
    }
}

/*
 * Two processes may settle the same effect; the second finds the row gone, or finds its number
 * given out again. So the row must still say the same before it is marked.
 */
static bool
still_owed(Db *db, const Effect *e, bool *ret, GError **error)
{
    return sql_bool(db,
                    "SELECT 1 FROM effect WHERE id = ? AND failed IS NULL AND kind = ? "
                    "AND job = ? AND message = ? AND account = ? AND subject = ? AND args = ?",
                    ret, error, "isiisss", e->id.v, kind_names[e->kind], e->job.v, e->message.v,
                    e->account, e->subject, e->args);
}

/* Flags that came, of "+RS-F": what goes is nobody's business elsewhere. */
static bool
note_flags(Txn *txn, const Effect *e, GError **error)
{
    const char *plus = strchr(e->args, '+');
    g_autofree char *came = plus ? g_strndup(plus + 1, strcspn(plus + 1, "+-")) : NULL;

    return !came || messages_mark(txn, e->message, came, error);
}

static bool
mark_done(Txn *txn, const Effect *e, GError **error)
{
    if (!sql_run(txn, "DELETE FROM effect WHERE id = ?", error, "i", e->id.v))
        return false;
    if (e->kind == EFFECT_MAIL_FLAG && e->message.v != 0 && !note_flags(txn, e, error))
        return false;
    if (e->kind == EFFECT_MAIL_MOVE && e->message.v != 0) {
        g_autofree char *folder = g_strndup(e->args, strcspn(e->args, "+"));
        if (!messages_set_place(txn, e->message, folder, error))
            return false;
    }
    return outbox_effect_done(txn, e->id, true, NULL, error);
}

/* The same is owed to the file that takes the place. */
static bool
mark_copy(Txn *txn, const Effect *e, const char *file, GError **error)
{
    g_autofree char *subject =
        g_strdup_printf("%.*s/%s", (int)strcspn(e->subject, "/"), e->subject, file);

    return copies_promote(txn, e->message, file, error) &&
           sql_run(txn, "UPDATE effect SET subject = ? WHERE subject = ? AND message = ?",
                   error, "ssi", subject, e->subject, e->message.v);
}

static bool
tell(Txn *txn, const EffectTold *told, const Debt *d, const char *why, GError **error)
{
    return !told || told->settled(told->data, txn, &d->effect, why, error);
}

static bool
mark(Txn *txn, const EffectTold *told, const Debt *d, GError **error)
{
    bool owed = false;

    if (d->seen == EFFECT_NOT_YET)
        return true;
    if (!still_owed(txn->db, &d->effect, &owed, error))
        return false;
    if (!owed)
        return true;
    if (d->seen == EFFECT_COPY)
        return mark_copy(txn, &d->effect, d->why, error);
    if (d->seen == EFFECT_DONE)
        return mark_done(txn, &d->effect, error) && tell(txn, told, d, NULL, error);
    return sql_run(txn, "UPDATE effect SET failed = ? WHERE id = ?", error, "si", d->why,
                   d->effect.id.v) &&
           outbox_effect_done(txn, d->effect.id, false, d->why, error) &&
           tell(txn, told, d, d->why, error);
}

/* All marks in one transaction. It is not flushed: a redo looks, and finds the same. */
static bool
mark_all(Db *db, const EffectTold *told, const GPtrArray *debts, GError **error)
{
    g_auto(Txn) txn = {.db = db, .flush = TXN_LAZY};

    while (txn_again(&txn, error)) {
        for (guint i = 0; i < debts->len; i++) {
            if (!mark(&txn, told, debts->pdata[i], error))
                return false;
        }
        CRASH_POINT("effects-marked");
        txn.ok = true;
    }
    return txn.done;
}

typedef struct Settled {
    unsigned n;       /* settled, failed ones included */
    unsigned copies;  /* a copy took the place of their file: to be settled again */
    const Debt *left; /* the first that is not; NULL: none */
} Settled;

static Settled
count_settled(const GPtrArray *debts)
{
    Settled s = {0};

    LIST_EACH(const Debt, d, debts) {
        s.n += d->seen == EFFECT_DONE || d->seen == EFFECT_FOREIGN;
        s.copies += d->seen == EFFECT_COPY;
        if (d->seen == EFFECT_NOT_YET && !s.left)
            s.left = d;
    }
    return s;
}

bool
effects_settle(Db *db,
               const char *account,
               const EffectOps *const ops[EFFECT_N_KINDS],
               const EffectTold *told,
               unsigned *ret_n,
               GError **error)
{
    Settled s = {0};
    unsigned n = 0;

    do {
        g_autoptr(GPtrArray) debts = NULL;
        if (!rows_list(db, &debt_shape,
                       "FROM effect WHERE account = ? AND failed IS NULL ORDER BY id", &debts,
                       error, "s", account))
            return false;
        settle_all(db, ops, debts);
        s = count_settled(debts);
        if (s.n + s.copies > 0 && !mark_all(db, told, debts, error))
            return err_prefix(error, "marking %u effects", s.n);
        *ret_n = n += s.n;
        if (s.left && !s.copies)
            return err_set(error, ERR_LATER, "%u effects are left; '%s': %s", debts->len - s.n,
                           s.left->effect.subject, s.left->why);
    } while (s.copies > 0); /* each time there are fewer copies */
    return true;
}

bool
effect_is_owed(Db *db, EffectKind kind, const char *subject, bool *ret, GError **error)
{
    return sql_bool(db, "SELECT 1 FROM effect WHERE kind = ? AND subject = ? AND failed IS NULL",
                    ret, error, "ss", kind_names[kind], subject);
}

bool
effects_count(Db *db, bool failed, unsigned *ret_n, GError **error)
{
    return sql_count(db, "SELECT count(*) FROM effect WHERE (failed IS NOT NULL) = ?", ret_n,
                     error, "n", failed);
}

bool
effects_findings(Db *db, GPtrArray **ret_lines, GError **error)
{
    return sql_strings(
        db,
        "SELECT kind || ' ''' || subject || ''' to ''' || replace(args, '\n', ' ') || ''': ' || failed "
        "FROM effect WHERE failed IS NOT NULL ORDER BY id",
        ret_lines, error, "");
}

bool
effects_forget_failed(Txn *txn, GError **error)
{
    return sql_run(txn, "DELETE FROM effect WHERE failed IS NOT NULL", error, "");
}

bool
effects_owed_here(Db *db, bool *ret, GError **error)
{
    return sql_bool(db,
                    "SELECT EXISTS (SELECT 1 FROM effect WHERE failed IS NULL AND "
                    "account IN ('', '" EFFECT_FILES "')) OR "
                    "EXISTS (SELECT 1 FROM copy WHERE owed <> 0) OR "
                    "EXISTS (SELECT 1 FROM view WHERE changed <> rendered)",
                    ret, error, "");
}
