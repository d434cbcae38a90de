/* Folders: which there are, what they are called, and which one is looked at. */
#include "wire/imap_conn.h"
#include "wire/imap_name.h"
#include "wire/imap_scan.h"

#define MAX_FOLDERS 10000u
#define MAX_NAME 1000u

void
imap_folder_free(ImapFolder *folder)
{
    if (!folder)
        return;
    free_all(folder->name, folder);
}

/* --- LIST --- */

/* "(\HasNoChildren \Sent)" */
static bool
scan_attributes(ImapScan *scan, ImapFolder *folder)
{
    static const struct {
        const char *word;
        ImapFolderUse use;
    } uses[] = {{"\\Sent", IMAP_USE_SENT},       {"\\Trash", IMAP_USE_TRASH},
                {"\\Drafts", IMAP_USE_DRAFTS},   {"\\Junk", IMAP_USE_JUNK},
                {"\\Archive", IMAP_USE_ARCHIVE}, {"\\All", IMAP_USE_ALL},
                {"\\Flagged", IMAP_USE_FLAGGED}};
    ImapSlice word;

    if (!imap_scan_char(scan, '('))
        return false;
    for (imap_scan_blanks(scan); imap_scan_atom(scan, &word); imap_scan_blanks(scan)) {
        if (imap_slice_is(word, "\\Noselect") || imap_slice_is(word, "\\NonExistent"))
            folder->can_select = false;
        for (size_t i = 0; i < G_N_ELEMENTS(uses); i++)
            if (imap_slice_is(word, uses[i].word))
                folder->use = uses[i].use;
    }
    return imap_scan_char(scan, ')');
}

static bool
scan_separator(ImapScan *scan, char *ret)
{
    g_auto(ImapText) text = {0};

    imap_scan_blanks(scan);
    if (!imap_scan_text(scan, &text) || (!text.is_nil && text.size > 1))
        return false;
    char c = text.bytes ? text.bytes[0] : '\0';
    if (c && !g_ascii_isgraph(c))
        return false;
    *ret = c;
    return true;
}

ImapFolder *
imap_folder_parse(const ImapResponse *r)
{
    g_autoptr(ImapFolder) folder = g_new0(ImapFolder, 1);
    g_auto(ImapText) name = {0};
    ImapScan scan = imap_scan_rest(r);

    folder->can_select = true;
    if (!scan_attributes(&scan, folder) || !scan_separator(&scan, &folder->separator))
        return NULL;
    imap_scan_blanks(&scan);
    if (!imap_scan_text(&scan, &name) || !name.bytes || strlen(name.bytes) != name.size ||
        name.size > MAX_NAME)
        return NULL;
    folder->name = g_ascii_strcasecmp(name.bytes, "INBOX") == 0 ? g_strdup("INBOX")
                                                                : imap_name_decode(name.bytes);
    return folder->name ? g_steal_pointer(&folder) : NULL;
}

static bool
on_list(void *user, const ImapResponse *r, GError **error)
{
    GPtrArray *folders = user;

    if (!imap_slice_is(r->word, "LIST"))
        return true;
    if (folders->len >= MAX_FOLDERS)
        return err_set(error, ERR_LIMIT, "there are more than %u folders", MAX_FOLDERS);
    ImapFolder *folder = imap_folder_parse(r);
    if (folder)
        g_ptr_array_add(folders, folder);
    return true;
}

/* pattern: a name, or "*". */
static GPtrArray *
list(ImapConn *conn, const char *pattern, GError **error)
{
    g_autoptr(GPtrArray) folders =
        g_ptr_array_new_with_free_func((GDestroyNotify)imap_folder_free);
    g_autoptr(ImapCommand) command = imap_command_new("LIST \"\"");
    ImapWatch watch = {.on_data = on_list, .user = folders};

    imap_command_folder(command, pattern);
    if (imap_can(conn, "SPECIAL-USE") && imap_can(conn, "LIST-EXTENDED"))
        imap_command_words(command, "RETURN (SPECIAL-USE)");
    if (!imap_run(conn, command, &watch, error))
        return NULL;
    return g_steal_pointer(&folders);
}

bool
imap_list(ImapConn *conn, GPtrArray **ret, GError **error)
{
    GPtrArray *folders = list(conn, "*", error);

    if (!folders)
        return err_prefix(error, "listing the folders");
    *ret = folders;
    return true;
}

/* --- where our own folders go --- */

/* NAMESPACE (("INBOX." ".")) NIL NIL: the first of the personal ones. */
static bool
on_namespace(void *user, const ImapResponse *r, GError **error)
{
    ImapConn *conn = user;
    g_auto(ImapText) prefix = {0};
    ImapScan scan = imap_scan_rest(r);
    char separator;

    if (!imap_slice_is(r->word, "NAMESPACE") || !imap_scan_char(&scan, '(') ||
        !imap_scan_char(&scan, '(') || !imap_scan_text(&scan, &prefix) || !prefix.bytes ||
        !scan_separator(&scan, &separator))
        return true;
    g_free(conn->prefix);
    conn->prefix = *prefix.bytes ? imap_name_decode(prefix.bytes) : g_strdup("");
    conn->separator = separator;
    return true;
}

/* LIST "" "" tells the separator of a server without NAMESPACE. */
static bool
on_separator(void *user, const ImapResponse *r, GError **error)
{
    ImapConn *conn = user;
    ImapFolder unused = {0};
    ImapScan scan = imap_scan_rest(r);

    if (imap_slice_is(r->word, "LIST") && scan_attributes(&scan, &unused))
        (void)scan_separator(&scan, &conn->separator);
    return true;
}

static bool
learn_place(ImapConn *conn, GError **error)
{
    bool namespace = imap_can(conn, "NAMESPACE");
    g_autoptr(ImapCommand) command =
        imap_command_new(namespace ? "NAMESPACE" : "LIST \"\" \"\"");
    ImapWatch watch = {.on_data = namespace ? on_namespace : on_separator, .user = conn};

    if (conn->placed)
        return true;
    conn->separator = '/';
    if (!imap_run(conn, command, &watch, error))
        return err_prefix(error, "asking how folders are named");
    conn->placed = true;
    return true;
}

bool
imap_place(ImapConn *conn, const char *path, char **ret_name, GError **error)
{
    if (g_ascii_strcasecmp(path, "INBOX") == 0) {
        *ret_name = g_strdup("INBOX");
        return true;
    }
    if (!learn_place(conn, error))
        return false;
    char separator = conn->separator;
    if (separator != '/' && separator && strchr(path, separator))
        return err_set(error, ERR_CONFIG,
                       "folder '%s': the server separates folders by '%c', write '/'", path,
                       separator);
    if (!separator && strchr(path, '/'))
        return err_set(error, ERR_CONFIG, "folder '%s': the server has no folders in folders",
                       path);
    *ret_name = g_strconcat(conn->prefix ? conn->prefix : "", path, NULL);
    if (separator)
        g_strdelimit(*ret_name + strlen(conn->prefix ? conn->prefix : ""), "/", separator);
    return true;
}

/* --- CREATE --- */

/* Servers say in many words that a folder is there already; LIST says it in one. */
bool
imap_is_there(ImapConn *conn, const char *name)
{
    g_autoptr(GPtrArray) folders = list(conn, name, NULL);

    for (unsigned i = 0; folders && i < folders->len; i++) {
        const ImapFolder *folder = folders->pdata[i];
        if (folder->can_select && strcmp(folder->name, name) == 0)
            return true;
    }
    return false;
}

bool
imap_create(ImapConn *conn, const char *name, GError **error)
{
    g_autoptr(ImapCommand) create = imap_command_new("CREATE");
    g_autoptr(ImapCommand) subscribe = imap_command_new("SUBSCRIBE");
    g_auto(ImapReply) reply = {0}, ignored = {0};

    imap_command_folder(create, name);
    imap_command_folder(subscribe, name);
    if (!imap_exchange(conn, create, NULL, &reply, error))
        return err_prefix(error, "making folder '%s'", name);
    if (reply.status != IMAP_OK && !imap_is_there(conn, name)) {
        imap_refused(&reply, ERR_NEVER, error);
        return err_prefix(error, "making folder '%s'", name);
    }
    /* Many mail programs show only what one is subscribed to; some servers know no such thing.
     */
    return imap_exchange(conn, subscribe, NULL, &ignored, error);
}

/* --- SELECT --- */

bool
imap_select(ImapConn *conn, const char *name, bool read_only, ImapMailbox *ret, GError **error)
{
    g_autoptr(ImapCommand) command = imap_command_new(read_only ? "EXAMINE" : "SELECT");
    g_auto(ImapReply) reply = {0};

    imap_command_folder(command, name);
    if (imap_can(conn, "CONDSTORE"))
        imap_command_words(command, "(CONDSTORE)");
    conn->mailbox = (ImapMailbox){0};
    if (!imap_exchange(conn, command, NULL, &reply, error) ||
        (reply.status != IMAP_OK && !imap_refused(&reply, ERR_CONFIG, error)))
        return err_prefix(error, "opening folder '%s'", name);
    conn->mailbox.read_only |= read_only;
    conn->news = false;
    *ret = conn->mailbox;
    return true;
}

/* --- STATUS --- */

/* STATUS "Home" (MESSAGES 1 UIDNEXT 5 UIDVALIDITY 3) */
static bool
on_status(void *user, const ImapResponse *r, GError **error)
{
    ImapMailbox *box = user;
    g_auto(ImapText) name = {0};
    ImapScan scan = imap_scan_rest(r);
    ImapSlice item;
    uint64_t n;

    if (!imap_slice_is(r->word, "STATUS") || !imap_scan_text(&scan, &name))
        return true;
    imap_scan_blanks(&scan);
    if (!imap_scan_char(&scan, '('))
        return true;
    for (;; imap_scan_blanks(&scan)) {
        if (!imap_scan_atom(&scan, &item) || !imap_scan_char(&scan, ' ') ||
            !imap_scan_number(&scan, UINT32_MAX, &n))
            return true;
        if (imap_slice_is(item, "MESSAGES"))
            box->exists = (uint32_t)n;
        else if (imap_slice_is(item, "UIDNEXT"))
            box->uidnext = (uint32_t)n;
        else if (imap_slice_is(item, "UIDVALIDITY"))
            box->uidvalidity = (uint32_t)n;
    }
}

bool
imap_status(ImapConn *conn, const char *name, ImapMailbox *ret, GError **error)
{
    g_autoptr(ImapCommand) command = imap_command_new("STATUS");
    ImapMailbox box = {0};
    ImapWatch watch = {.on_data = on_status, .user = &box};

    imap_command_folder(command, name);
    imap_command_words(command, "(MESSAGES UIDNEXT UIDVALIDITY)");
    if (!imap_run(conn, command, &watch, error))
        return err_prefix(error, "looking at folder '%s'", name);
    *ret = box;
    return true;
}
