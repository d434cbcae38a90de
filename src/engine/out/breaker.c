#include "engine/out/breaker.h"
#include "store/mail/messages.h"
#include "store/out/outbox_smtp.h"
#include "store/spaces.h"

#define HOUR_US (3600 * USEC_PER_SEC)
#define DAY_US (24 * HOUR_US)
#define LOOK_BACK 20
/* No person reads and answers a mail in this time, and says the same as before. */
#define AT_ONCE_US (15 * USEC_PER_SEC)

static bool
above(Engine *engine,
      const char *address,
      int64_t span_us,
      int64_t limit,
      const char *words,
      char **ret_why,
      GError **error)
{
    unsigned n;

    if (limit == 0 || *ret_why)
        return true;
    if (!outbox_count_to(engine->db, address, home_now(engine->home) - span_us, &n, error))
        return false;
    if (n >= limit)
        *ret_why = g_strdup_printf("limit: %u mails %s%s%s", n, words, address ? " to " : "",
                                   address ? address : "");
    return true;
}

bool
breaker_out(Engine *engine,
            const Job *job,
            const GPtrArray *to,
            unsigned n_before,
            char **ret_why,
            GError **error)
{
    const Config *config = engine->home->config;
    unsigned most = config->max_mails_per_round, n = 0;

    *ret_why = NULL;
    if (most > 0 &&
        !outbox_count_round(engine->db, job, most > n_before ? most - n_before : 0, &n, error))
        return false;
    if (most > 0 && n + n_before >= most)
        *ret_why = g_strdup_printf("limit: %u mails in this round", n + n_before);
    LIST_EACH(const char, address, to) {
        bool here;
        if (!address_is_here(engine->db, address, &here, error))
            return false;
        if (here)
            continue;
        if (!above(engine, address, HOUR_US, config->max_mails_per_hour, "in an hour", ret_why,
                   error) ||
            !above(engine, address, DAY_US, config->max_mails_per_day, "in a day", ret_why,
                   error) ||
            !above(engine, NULL, DAY_US, config->max_mails_all, "in a day", ret_why, error))
            return false;
    }
    return true;
}

/* True for the subjects that mail programs write when their user is away. */
static bool
is_responders_subject(const char *subject)
{
    static const char *const words[] = {
        "automatic reply",      "autoreply",   "auto reply",
        "auto-reply",           "auto:",       "out of office",
        "automatische antwort", "abwesenheit", "réponse automatique",
    };
    g_autofree char *base = message_base_subject(subject, NULL);
    g_autofree char *folded = g_utf8_strdown(base, -1);

    for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
        if (g_str_has_prefix(folded, words[i]))
            return true;
    }
    return false;
}

/* When the same text of the same sender came last, or the same words of its own: a responder
 * may quote what it answers. 0: never. */
static int64_t
came_before(const MsgRows *rows, const Message *m, const Digest *own)
{
    LIST_EACH(const MsgRow, row, rows) {
        bool same = digest_equal(&row->body, &m->body) ||
                    (own && row->words_known && digest_equal(&row->own_words, own));
        if (same && address_equal(row->from, m->from->spec))
            return row->received_us;
    }
    return 0;
}

bool
breaker_in(
    Db *db, JobId job, const Message *m, const Digest *own, bool *ret_same, GError **error)
{
    const MsgQuery q = {.job = job, .limit = LOOK_BACK};
    g_autoptr(MsgRows) rows = NULL;
    int64_t answered_us = 0;

    *ret_same = false;
    if (!messages_list(db, &VIEWER_OPERATOR, &q, &rows, error))
        return false;
    int64_t before_us = came_before(rows, m, own);
    if (before_us == 0)
        return true;
    if (!outbox_last_to(db, job, m->from->spec, &answered_us, error))
        return false;
    *ret_same = answered_us >= before_us && (is_responders_subject(m->subject) ||
                                             home_now(db_home(db)) - answered_us < AT_ONCE_US);
    return true;
}
