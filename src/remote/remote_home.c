/*
 * One mailbox, one living home (base/living.h). A home leaves a mark, a small mail in our folder
 * "Home", each time its process starts. The mark has these headers:
 *
 *   X-Postrider-Home      the instance of the home
 *   X-Postrider-Start     the start that wrote the mark, a random word
 *   X-Postrider-Replaces  the marks that were there before, by their starts
 *   X-Postrider-Place     the home's name for people
 *   X-Postrider-First     UIDVALIDITY and UIDNEXT of the watched folder at the first visit ever; each
 *                         mark takes it over from the one that it replaces. Mail above it that lies
 *                         in the folder when a store first sees it is not a person's old mail, but
 *                         may have come to an earlier store, or to another home (remote_mark.c)
 *
 * A mark holds as long as no other mark replaces it, and the one with the lowest UID of those that
 * hold says whose the mailbox is. Everybody who reads the folder comes to the same result.
 *
 * (1) A start appends its mark first, looks again, and removes what it replaced only when its own
 *     mark won. Whoever dies in between leaves marks that say the same.
 * (2) Whoever lost, against one that came at the same time or against one that took over, sees so
 *     before taking any mail in: remote_claim() comes before every pass.
 * (3) A mark of an earlier version has no start; its X-Postrider-Home is a MAC of the home's key.
 *     It counts as ours where the key is ours, and is replaced like any former life.
 */
#include "base/crash.h"
#include "base/living.h"
#include "mail/message.h"
#include "remote/remote_internal.h"
#include "store/mail/mailboxes.h"
#include "store/out/outbox_smtp.h"

#define ID_HEADER "X-Postrider-Home"
#define START_HEADER "X-Postrider-Start"
#define REPLACES_HEADER "X-Postrider-Replaces"
#define PLACE_HEADER "X-Postrider-Place"
#define FIRST_HEADER "X-Postrider-First"
#define HEADER_MAX (64u << 10)
#define OLD_USE "mailbox 1"
#define OLD_CLAIM "this mailbox is worked by this home"

/* Who says that the mailbox is theirs. */
typedef struct Claim {
    uint32_t uid;
    char *id, *place;
    char *start;     /* of an old mark: its id */
    char *first;     /* NULL: it does not say */
    char **replaces; /* starts */
    bool old;        /* written by an earlier version */
} Claim;

static void
claim_free(gpointer data)
{
    Claim *c = data;
    free_all(c->id, c->place, c->start, c->first);
    g_strfreev(c->replaces);
    g_free(c);
}

static bool
take_claim(void *user, const ImapMail *mail, GBytes *lines, const Message *m, GError **error)
{
    const char *id = message_header(m, ID_HEADER), *place = message_header(m, PLACE_HEADER);
    const char *start = message_header(m, START_HEADER);
    const char *replaces = message_header(m, REPLACES_HEADER);
    if (!id || mail->body_bytes > HEADER_MAX || (mail->flags & IMAP_DELETED))
        return true;
    Claim *c = g_new(Claim, 1);
    *c = (Claim){.uid = mail->uid,
                 .id = g_strdup(id),
                 .place = text_vis(place ? place : "?", false),
                 .start = g_strdup(start ? start : id),
                 .first = g_strdup(message_header(m, FIRST_HEADER)),
                 .replaces = g_strsplit_set(replaces ? replaces : "", " \t\r\n", -1),
                 .old = !start};
    g_ptr_array_add(user, c);
    return true;
}

static bool
read_claims(Remote *r, GPtrArray **ret, GError **error)
{
    g_autoptr(GPtrArray) claims = g_ptr_array_new_with_free_func(claim_free);
    g_clear_pointer(&r->selected, g_free); /* look afresh */
    if (!remote_select_path(r, r->home, true, error) ||
        !remote_read(r, NULL, IMAP_HEADER, take_claim, claims, error))
        return false;
    *ret = g_steal_pointer(&claims);
    return true;
}

static bool
is_replaced(const GPtrArray *claims, const Claim *c)
{
    LIST_EACH(const Claim, by, claims)
        if (by != c && g_strv_contains((const char *const *)by->replaces, c->start))
            return true;
    return false;
}

/* Whose the mailbox is; NULL: nobody's. */
static const Claim *
winner(const GPtrArray *claims)
{
    const Claim *first = NULL;
    LIST_EACH(const Claim, c, claims)
        if ((!first || c->uid < first->uid) && !is_replaced(claims, c))
            first = c;
    return first;
}

/* Is it the mark of this home, or of a former life of it? */
static bool
is_ours(const Remote *r, const Claim *c)
{
    g_autofree char *instance = living_instance(r->engine->home);
    Digest mac;
    if (!c->old)
        return g_str_equal(c->id, instance);
    return digest_parse_hex(c->id, &mac) &&
           key_verify(&r->engine->home->key, OLD_USE, OLD_CLAIM, strlen(OLD_CLAIM), &mac);
}

/* " START START"; "" where nothing is replaced. */
static char *
list_starts(const GPtrArray *claims)
{
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < claims->len; i++)
        g_string_append_printf(text, "%s%s", i ? "\n " : "",
                               ((const Claim *)g_ptr_array_index(claims, i))->start);
    return g_string_free(text, FALSE);
}

/* Our mark, instead of all those that are there. */
static bool
put_claim(Remote *r, const GPtrArray *replaced, GError **error)
{
    g_autofree char *name = NULL, *place = living_place(r->engine->home);
    g_autofree char *id = living_instance(r->engine->home), *starts = list_starts(replaced);
    g_autofree char *text = g_strdup_printf(
        "From: postrider <postrider@%s>\n"
        "Subject: This mailbox is worked by postrider\n" ID_HEADER ": %s\n" START_HEADER
        ": %s\n" REPLACES_HEADER ": %s\n" PLACE_HEADER ": %s\n" FIRST_HEADER ": %s\n"
        "\n"
        "The home %s works with the mail in this mailbox. Keep this mail: it is how another\n"
        "postrider notices. To give the mailbox to another home say there:\n"
        "  postrider serve --take-over\n",
        r->engine->home->config->domain, id, r->start, starts, place, r->first, place);
    g_autoptr(GBytes) bytes = g_bytes_new(text, strlen(text));
    if (!remote_name(r, r->home, &name, error))
        return false;
    ImapNew in = {.folder = name, .mail = bytes, .flags = IMAP_SEEN};
    ImapUid at;
    return imap_append(r->conn, &in, &at, NULL, error);
}

/* The marks of this start, or all others. */
static bool
remove_claims(Remote *r, const GPtrArray *claims, bool own, GError **error)
{
    g_auto(ImapSet) uids = {0};
    LIST_EACH(const Claim, c, claims)
        if (g_str_equal(c->start, r->start) == own)
            imap_set_add(&uids, c->uid, c->uid);
    return imap_set_is_empty(&uids) || imap_remove(r->conn, &uids, error);
}

static bool
refuse(Remote *r, const Claim *other, GError **error)
{
    g_autofree char *place = living_place(r->engine->home);
    r->refused = true;
    return err_set(
        error, ERR_CONFIG,
        "the mailbox of account '%s' is worked by another home, '%s', and this is '%s': "
        "stop that one; if it is gone for good, run: postrider account %s "
        "--take-over%s",
        r->account->name, other->place, place, r->account->name, living_hint(r->engine->home));
}

/* Another one has the mailbox. What is left of our own mark goes, if the server lets us. */
static bool
give_way(Remote *r, const GPtrArray *claims, const Claim *other, GError **error)
{
    (void)remove_claims(r, claims, true, NULL);
    return refuse(r, other, error);
}

static bool
is_known(const GPtrArray *folders, const char *name)
{
    for (guint i = 0; i < folders->len; i++) {
        if (g_str_equal(((const ImapFolder *)g_ptr_array_index(folders, i))->name, name))
            return true;
    }
    return false;
}

static bool
make_folders(Remote *r, GError **error)
{
    const char *const paths[] = {r->home, r->active, r->done};
    const GPtrArray *folders;
    bool made = false;
    if (!remote_folders(r, &folders, error))
        return false;
    for (size_t i = 0; i < G_N_ELEMENTS(paths); i++) {
        g_autofree char *name = NULL;
        if (!remote_name(r, paths[i], &name, error))
            return err_prefix(error, "folder '%s'", paths[i]);
        if (is_known(folders, name))
            continue;
        if (!imap_create(r->conn, name, error))
            return err_prefix(error, "folder '%s'", paths[i]);
        made = true;
    }
    if (made)
        g_clear_pointer(&r->known, g_ptr_array_unref);
    return true;
}

/* Puts the mark of this start in place of those in claims, and sees whether it won. */
static bool
replace(Remote *r, const GPtrArray *claims, GError **error)
{
    g_autoptr(GPtrArray) now = NULL;
    CRASH_POINT("home-before-mark");
    if (!put_claim(r, claims, error))
        return false;
    CRASH_POINT("home-marked");
    if (!read_claims(r, &now, error))
        return false;
    const Claim *first = winner(now);
    if (first && !g_str_equal(first->start, r->start))
        return give_way(r, now, first, error);
    if (!remove_claims(r, claims, false, error))
        return false;
    CRASH_POINT("home-replaced");
    return true;
}

static bool
owe_survey(Remote *r, GError **error)
{
    g_auto(Txn) txn = {.db = r->engine->db, .flush = TXN_DURABLE};
    while (txn_again(&txn, error))
        txn.ok = mailbox_set_survey(&txn, r->account->name, true, error) &&
                 outbox_doubt_all(&txn, MAILBOX_DOUBT, error);
    return txn.done;
}

/* From the mark that is there; where there is none, or an old one, this is the first visit. */
static bool
find_first(Remote *r, const Claim *before, GError **error)
{
    g_free(r->first);
    r->first = before ? g_strdup(before->first) : NULL;
    if (r->first)
        return true;
    if (!remote_select_path(r, r->account->folder, false, error))
        return false;
    r->first = g_strdup_printf("%u %u", r->box.uidvalidity, r->box.uidnext);
    return true;
}

/* The first look of this process. */
static bool
begin_claim(Remote *r, GError **error)
{
    g_autoptr(GPtrArray) claims = NULL;
    bool wish = false;
    if (!mailbox_wants_take_over(r->engine->db, r->account->name, &wish, error) ||
        !make_folders(r, error) || !read_claims(r, &claims, error))
        return false;
    const Claim *first = winner(claims);
    if (first && !is_ours(r, first) && !r->options->take_over && !wish)
        return refuse(r, first, error);
    if ((first && !is_ours(r, first) && !owe_survey(r, error)) || !find_first(r, first, error))
        return false;
    g_free(r->start);
    r->start = living_start();
    if (replace(r, claims, error))
        return true;
    if (!r->refused) /* the line broke: whether the mark is there the next look finds out */
        g_clear_pointer(&r->start, g_free);
    return false;
}

/* Has anything in the folder changed since the last look? STATUS costs one round, and leaves the watched
 * folder selected. A folder that the server can't speak of may be gone, and is made again. */
static bool
is_as_before(Remote *r, bool *ret, ImapMailbox *ret_now, GError **error)
{
    g_autofree char *name = NULL;
    ImapMailbox now = {0};
    if (!remote_name(r, r->home, &name, error))
        return false;
    if (!imap_status(r->conn, name, &now, NULL)) {
        g_clear_pointer(&r->known, g_ptr_array_unref);
        if (!make_folders(r, error))
            return false;
    }
    *ret = now.uidnext && now.uidnext == r->home_box.uidnext &&
           now.exists == r->home_box.exists && now.uidvalidity == r->home_box.uidvalidity;
    *ret_now = now;
    return true;
}

/* A later look: is our own mark still there? A mark that a person deleted is put again. */
static bool
check_claim(Remote *r, GError **error)
{
    g_autoptr(GPtrArray) claims = NULL;
    ImapMailbox now; /* as of before the marks were read */
    bool same;
    if (!is_as_before(r, &same, &now, error))
        return false;
    if (same)
        return true;
    if (!read_claims(r, &claims, error))
        return false;
    const Claim *first = winner(claims);
    if (!first)
        return replace(r, claims, error);
    if (!g_str_equal(first->start, r->start))
        return give_way(r, claims, first, error);
    r->home_box = now;
    return true;
}

bool
remote_claim(Remote *r, GError **error)
{
    return r->start ? check_claim(r, error) : begin_claim(r, error);
}
