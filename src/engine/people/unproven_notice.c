#include "engine/people/unproven_notice.h"
#include "base/text.h"
#include "engine/people/notice.h"
#include "store/told.h"
#include <inttypes.h>

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
    g_autofree char *text =
        g_strdup_printf("A mail to %s says that it is from %s, and nothing proves it (%s). It "
                        "is held, and nothing "
                        "was done with it.\n\n  Subject: %s\n  Message-ID: <%s>\n\nIf you know "
                        "that it is real: "
                        "postrider doctor --release '%s'. To see why: postrider mail trace "
                        "'%s'. More of them "
                        "from this sender are held without a word until tomorrow.",
                        role->name, m->from->spec, j->proof, subject, m->id, name, name);
    const Notice notice = {.kind = MAIL_NOTICE,
                           .role = role,
                           .subject = "a mail that can't prove its sender",
                           .text = text};
    return notice_post(engine, txn, &notice, NULL, error);
}
