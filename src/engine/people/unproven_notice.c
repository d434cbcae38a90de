#include "engine/people/unproven_notice.h"
#include "engine/people/notice.h"
#include "engine/people/words.h"
#include "store/told.h"

#define DAY_US (24 * 3600 * USEC_PER_SEC)

bool
unproven_notice(Engine *engine,
                Txn *txn,
                const ConfRole *role,
                const Message *m,
                MsgId number,
                const Judgement *j,
                GError **error)
{
    const Home *home = engine->home;
    int64_t now = home_now(home);
    bool first;

    if ((j->several && !meta_set(txn, UNPROVEN_SEVERAL, m->id, error)) ||
        !told_first(txn, "unproven", "", m->from->spec, now - now % DAY_US, &first, error))
        return false;
    if (!first)
        return true;
    g_autofree char *subject = text_vis(m->subject, false);
    g_autofree char *name =
        number.v ? g_strdup_printf("#%" PRId64, number.v) : g_strdup_printf("<%s>", m->id);
    const Notice notice = {.role = role, .subject = WORDS_UNPROVEN_SUBJECT};
    return notice_say(engine, txn, &notice, error, WORDS_UNPROVEN_TEXT, role->name,
                      m->from->spec, j->proof, subject, m->id, name, name);
}
