#include "store/age.h"
#include "mail/maildir.h"
#include "mail/msgid.h"
#include "store/mail/mailboxes.h"

/* The newest number that was given out, and a newer one where a name shows it. */
typedef struct Age {
    const Home *home;
    uint64_t generation;
    int64_t last;
    bool proved;
    uint64_t newer_generation;
    int64_t newer;
} Age;

/* The id in "SECONDS.ID.DELIVERY", its tag unchecked; caller frees. NULL: no name of that form.
 * An id is GENERATION.NUMBER.TAG, and that of an event TIME.GENERATION.NUMBER.TAG.ROLE
 * (mail/msgid.h). */
static char *
id_in_name(const char *name, const char *domain, uint64_t *ret_generation, int64_t *ret_number)
{
    g_auto(GStrv) parts = g_strsplit(name, ".", 0);
    guint n = g_strv_length(parts), at = n == 5 ? 1 : 2;
    int64_t generation;

    if (n < 5 || n == 6 || !text_parse_int(parts[at], 1, INT64_MAX, &generation) ||
        !text_parse_int(parts[at + 1], 1, INT64_MAX, ret_number))
        return NULL;
    *ret_generation = (uint64_t)generation;
    g_clear_pointer(&parts[n - 1], g_free);
    g_autofree char *id = g_strjoinv(".", parts + 1);
    return g_strdup_printf("%s@%s", id, domain);
}

static void
look_at_name(Age *age, const char *name)
{
    const char *domain = age->home->config->domain;
    uint64_t generation = 0;
    int64_t number = 0;
    Minted minted;
    g_autofree char *id = id_in_name(name, domain, &generation, &number);

    if (!id || generation < age->generation ||
        (generation == age->generation && number <= age->last))
        return;
    if (msgid_read(&age->home->key, id, domain, &minted)) {
        age->proved = true;
        age->newer_generation = minted.generation;
        age->newer = minted.number;
    }
}

static void
look_in(Age *age, const char *mailbox, const char *folder)
{
    g_autoptr(Maildir) md = NULL;
    g_autoptr(GPtrArray) names = NULL;

    if (!maildir_open(age->home->mail_fd, mailbox, false, &md, NULL) ||
        !maildir_names(md, folder, &names, NULL))
        return;
    for (guint i = 0; i < names->len && !age->proved; i++)
        look_at_name(age, g_ptr_array_index(names, i));
}

static void
look_everywhere(Age *age)
{
    const Config *config = age->home->config;

    for (unsigned i = 0; i < config->n_roles; i++)
        look_in(age, config->roles[i].name, "Sent");
    for (unsigned i = 0; i < config->n_persons; i++) {
        if (!config->persons[i].local)
            continue;
        look_in(age, config->persons[i].name, "");
        look_in(age, config->persons[i].name, "Sent");
    }
}

/* Others may give out numbers while we look, so a proof is weighed again under the gate. */
bool
age_check(Db *db, GError **error)
{
    Age age = {.home = db_home(db), .generation = db_generation(db)};
    g_auto(Txn) txn = {.db = db, .flush = TXN_DURABLE};
    bool went_back;

    if (!mailbox_upto(db, &age.last, error))
        return false;
    look_everywhere(&age);
    if (!age.proved)
        return true;
    while (txn_again(&txn, error))
        txn.ok = db_note_minted(&txn, age.newer_generation, age.newer, &went_back, error);
    return txn.done;
}
