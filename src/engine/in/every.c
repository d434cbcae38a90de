#include "engine/in/every.h"
#include "base/crash.h"
#include "base/log.h"
#include "engine/in/recurrence.h"
#include "engine/out/post.h"

bool
every_mail(Engine *engine, Txn *txn, const Schedule *s, char **ret_msgid, GError **error)
{
    const Config *config = engine->home->config;
    const ConfRole *role = config_role_get(config, s->role, error);
    g_autoptr(Compose) c = compose_new();
    Post post = {.level = post_level_of(engine, config->owner),
                 .mailbox = config_mailbox_at(config, config->owner)};
    compose_date(c, home_now(engine->home));
    if (!role || !compose_from(c, NULL, config->owner, error) ||
        !compose_to(c, NULL, role->address, error) || !compose_subject(c, s->subject, error))
        return err_prefix(error, "schedule %" PRId64, s->id);
    compose_text(c, s->body);
    return post_compose(engine, txn, MAIL_LETTER, c, &post, NULL, ret_msgid, error);
}

/* Mails the latest occurrence that has come and moves on; *ret_mailed: it did. */
static bool
fire_in(Engine *engine, Txn *txn, const Schedule *s, bool *ret_mailed, GError **error)
{
    int64_t now = home_now(engine->home);
    bool known = config_role(engine->home->config, s->role) != NULL, moved;
    Recurrence when;
    *ret_mailed = false;
    if (!recurrence_parse(s->spec, &when, NULL, error))
        return err_prefix(error, "schedule %" PRId64, s->id);
    int64_t last = recurrence_last(&when, s->created_us, now);
    int64_t next = recurrence_next(&when, s->created_us, now);
    if (s->next_us > now) /* the clock was put back */
        return schedule_replan(txn, s, next, error);
    if (!schedule_move(txn, s, known ? last : USEC_NEVER, next, &moved, error))
        return false;
    if (!moved) /* somebody else was faster */
        return true;
    if (!known) {
        log_event(LOG_WARN, "a schedule mails a role that is not there; nothing was mailed",
                  "role", s->role, "subject", s->subject, NULL);
        return true;
    }
    *ret_mailed = true;
    return every_mail(engine, txn, s, NULL, error);
}

static bool
fire_one(Engine *engine, const Schedule *s, unsigned *n, GError **error)
{
    g_auto(Txn) txn = {.db = engine->db, .flush = TXN_DURABLE};
    bool mailed = false;
    while (txn_again(&txn, error)) {
        txn.ok = fire_in(engine, &txn, s, &mailed, error);
        CRASH_POINT("every-before-commit");
    }
    if (!txn.done)
        return false;
    CRASH_POINT("every-committed");
    *n += mailed;
    return true;
}

bool
every_fire(Engine *engine, unsigned *ret_n, GError **error)
{
    g_autofree char *hold = db_hold_all(engine->db);
    g_autoptr(Schedules) due = NULL;
    unsigned n = 0;
    *ret_n = 0;
    if (hold)
        return true;
    if (!schedules_list(engine->db, home_now(engine->home), &due, error))
        return false;
    bool ok = true;
    for (guint i = 0; i < due->len; i++) /* one that can't be mailed keeps no other back */
        ok = fire_one(engine, g_ptr_array_index(due, i), &n, ok ? error : NULL) && ok;
    if (n > 0)
        db_hint(engine->db);
    *ret_n = n;
    return ok;
}
