/*
 * One mailbox, one home. A home leaves a small mail with its id in our folder "Home"; who finds
 * another's there goes away. Two that come at the same time both leave one, look again, and the
 * one with the lower UID stays.
 */
#include "base/banned.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/file.h"
#include "base/log.h"
#include "base/proc.h"
#include "base/text.h"
#include "engine/remote_internal.h"
#include "mail/message.h"
#include <errno.h>
#include <sys/mman.h>

#define ID_HEADER "X-Postrider-Home"
#define PLACE_HEADER "X-Postrider-Place"
#define HEADER_MAX (64u << 10)
#define CLAIM_USE "mailbox 1"
#define CLAIM "this mailbox is worked by this home"

/* Who says that the mailbox is theirs. */
typedef struct Claim {
    uint32_t uid;
    char *id, *place;
} Claim;

static void
claim_free(gpointer data)
{
    Claim *c = data;
    g_free(c->id);
    g_free(c->place);
    g_free(c);
}

typedef struct Reading {
    int fd;
    GPtrArray *claims; /* of Claim */
} Reading;

static int
begin(void *user, uint64_t size, GError **error)
{
    Reading *in = user;
    if (ftruncate(in->fd, 0) != 0 || lseek(in->fd, 0, SEEK_SET) != 0) {
        err_set_errno(error, errno, "making room");
        return -1;
    }
    return in->fd;
}

static bool
done(void *user, const ImapMail *mail, GError **error)
{
    Reading *in = user;
    g_autoptr(GBytes) bytes = NULL;
    if (!mail || mail->body != IMAP_BODY_WRITTEN || mail->body_bytes > HEADER_MAX ||
        (mail->flags & IMAP_DELETED))
        return true;
    if (lseek(in->fd, 0, SEEK_SET) != 0 || !file_read_fd(in->fd, HEADER_MAX, &bytes, error))
        return false;
    gsize len;
    const char *data = g_bytes_get_data(bytes, &len);
    g_autoptr(Message) m = message_parse(data, len, MESSAGE_HEADERS, NULL);
    const char *id = message_header(m, ID_HEADER), *place = message_header(m, PLACE_HEADER);
    if (!id)
        return true;
    Claim *c = g_new0(Claim, 1);
    *c = (Claim){
        .uid = mail->uid, .id = g_strdup(id), .place = text_vis(place ? place : "?", false)};
    g_ptr_array_add(in->claims, c);
    return true;
}

static bool
read_claims(Remote *r, GPtrArray **ret, GError **error)
{
    g_autoptr(GPtrArray) claims = g_ptr_array_new_with_free_func(claim_free);
    auto_fd fd = memfd_create("postrider", MFD_CLOEXEC);
    Reading in = {.fd = fd, .claims = claims};
    const ImapTaker taker = {.begin = begin, .done = done, .user = &in};
    g_auto(ImapSet) all = {0};
    ImapFetch fetch = {.uids = &all, .part = IMAP_HEADER};
    if (fd < 0)
        return err_set_errno(error, errno, "making room");
    imap_set_add(&all, 1, UINT32_MAX);
    g_clear_pointer(&r->selected, g_free); /* look afresh */
    if (!remote_select_path(r, r->home, true, error))
        return false;
    if (r->box.exists && !imap_fetch(r->conn, &fetch, &taker, error))
        return false;
    *ret = g_steal_pointer(&claims);
    return true;
}

/* The lowest UID; NULL: nobody says so. */
static const Claim *
oldest(const GPtrArray *claims)
{
    const Claim *first = NULL;
    for (guint i = 0; i < claims->len; i++) {
        const Claim *c = g_ptr_array_index(claims, i);
        if (!first || c->uid < first->uid)
            first = c;
    }
    return first;
}

static char *
our_place(const Remote *r)
{
    return g_strdup_printf("%s:%s", proc_host(), r->engine->home->path);
}

/* By the home's key, which outlives a lost store; an older one counts, too. */
static bool
is_ours(const Remote *r, const Claim *c)
{
    Digest mac;
    return digest_parse_hex(c->id, &mac) &&
           key_verify(&r->engine->home->key, CLAIM_USE, CLAIM, strlen(CLAIM), &mac);
}

static bool
put_claim(Remote *r, GError **error)
{
    Digest mac;
    key_mac(&r->engine->home->key, CLAIM_USE, CLAIM, strlen(CLAIM), &mac);
    g_autofree char *name = NULL, *place = our_place(r), *id = digest_hex(&mac);
    g_autofree char *text = g_strdup_printf(
        "From: postrider <postrider@%s>\n"
        "Subject: This mailbox is worked by postrider\n" ID_HEADER ": %s\n" PLACE_HEADER
        ": %s\n"
        "\n"
        "The home %s works with the mail in this mailbox. Keep this mail: it is how another\n"
        "postrider notices. To give the mailbox to another home say there:\n"
        "  postrider account NAME --take-over\n",
        r->engine->home->config->domain, id, place, place);
    g_autoptr(GBytes) bytes = g_bytes_new(text, strlen(text));
    if (!remote_name(r, r->home, &name, error))
        return false;
    ImapNew in = {.folder = name, .mail = bytes, .flags = IMAP_SEEN};
    ImapUid at;
    return imap_append(r->conn, &in, &at, NULL, error);
}

/* Our own claims, or those of all others. */
static bool
remove_claims(Remote *r, const GPtrArray *claims, bool own, GError **error)
{
    g_auto(ImapSet) uids = {0};
    for (guint i = 0; i < claims->len; i++) {
        const Claim *c = g_ptr_array_index(claims, i);
        if (is_ours(r, c) == own)
            imap_set_add(&uids, c->uid, c->uid);
    }
    return imap_set_is_empty(&uids) || imap_remove(r->conn, &uids, error);
}

static bool
refuse(Remote *r, const Claim *other, GError **error)
{
    r->refused = true;
    return err_set(error, ERR_CONFIG,
                   "the mailbox of account '%s' is worked by another home, '%s'; to take it "
                   "over: postrider account %s --take-over",
                   r->account->name, other->place, r->account->name);
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

bool
remote_claim(Remote *r, GError **error)
{
    g_autoptr(GPtrArray) claims = NULL;
    if (!make_folders(r, error) || !read_claims(r, &claims, error))
        return false;
    const Claim *first = oldest(claims);
    if (first && is_ours(r, first))
        return true;
    if (first && !r->options->take_over)
        return refuse(r, first, error);
    if (first && !remove_claims(r, claims, false, error))
        return false;
    g_clear_pointer(&claims, g_ptr_array_unref);
    if (!put_claim(r, error) || !read_claims(r, &claims, error))
        return false;
    first = oldest(claims);
    if (!first || is_ours(r, first))
        return true;
    return remove_claims(r, claims, true, error) && refuse(r, first, error);
}
