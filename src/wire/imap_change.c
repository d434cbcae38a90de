/* What we change in a mailbox: flags, new mail, moved mail, removed mail; all by UID. */
#include "wire/imap_conn.h"
#include "wire/imap_date.h"

bool
imap_flag(ImapConn *conn,
          const ImapSet *uids,
          bool add,
          unsigned flags,
          const char *keyword,
          GError **error)
{
    g_autoptr(ImapCommand) command = imap_command_new("UID STORE");

    imap_command_set(command, uids);
    imap_command_words(command, add ? "+FLAGS.SILENT" : "-FLAGS.SILENT");
    imap_command_flags(command, flags, keyword);
    return imap_run(conn, command, NULL, error) || err_prefix(error, "setting flags");
}

/* "APPENDUID 7 12" and "COPYUID 7 3 12": the last number is where it is now. */
static ImapUid
uid_of_code(const char *code, const char *word)
{
    g_auto(GStrv) words = g_strsplit(code, " ", 5);
    unsigned n = g_strv_length(words);
    int64_t uidvalidity, uid;

    if (n < 3 || n > 4 || g_ascii_strcasecmp(words[0], word) != 0 ||
        !text_parse_int(words[1], 1, UINT32_MAX, &uidvalidity) ||
        !text_parse_int(words[n - 1], 1, UINT32_MAX, &uid))
        return (ImapUid){0};
    return (ImapUid){(uint32_t)uidvalidity, (uint32_t)uid};
}

/* Not all servers say TRYCREATE. */
static bool
is_missing(ImapConn *conn, const ImapReply *reply, const char *folder)
{
    return imap_reply_has_code(reply, "TRYCREATE") ||
           imap_reply_has_code(reply, "NONEXISTENT") ||
           (!*reply->code && !imap_is_there(conn, folder) && !conn->broken);
}

/* The error for a reply to something that needed the folder. */
static bool
no_folder(ImapConn *conn,
          const ImapReply *reply,
          const char *folder,
          bool *ret_missing,
          GError **error)
{
    bool missing = is_missing(conn, reply, folder);

    if (ret_missing)
        *ret_missing = missing;
    return imap_refused(reply, missing ? ERR_NEVER : ERR_LATER, error);
}

/* --- APPEND --- */

/* The bytes with CRLF at the end of each line; NULL: a NUL is in them. */
static GBytes *
with_crlf(GBytes *mail)
{
    size_t len, out = 0;
    const char *bytes = g_bytes_get_data(mail, &len);

    if (len == 0)
        return g_bytes_ref(mail);
    if (memchr(bytes, '\0', len))
        return NULL;
    for (size_t i = 0; i < len; i++)
        out += bytes[i] == '\n' && (i == 0 || bytes[i - 1] != '\r');
    if (out == 0)
        return g_bytes_ref(mail);
    char *copy = g_malloc(len + out);
    out = 0;
    for (size_t i = 0; i < len; i++) {
        if (bytes[i] == '\n' && (i == 0 || bytes[i - 1] != '\r'))
            copy[out++] = '\r';
        copy[out++] = bytes[i];
    }
    return g_bytes_new_take(copy, out);
}

static ImapCommand *
append_command(const ImapNew *mail, GBytes *bytes)
{
    ImapCommand *command = imap_command_new("APPEND");

    imap_command_folder(command, mail->folder);
    imap_command_flags(command, mail->flags, mail->keyword);
    if (mail->received_us) {
        g_autofree char *date = imap_date_format(mail->received_us);
        imap_command_string(command, date);
    }
    imap_command_bytes(command, bytes);
    return command;
}

bool
imap_append(
    ImapConn *conn, const ImapNew *mail, ImapUid *ret, bool *ret_missing, GError **error)
{
    g_autoptr(GBytes) bytes = with_crlf(mail->mail);
    g_auto(ImapReply) reply = {0};

    if (!bytes)
        return err_set(error, ERR_NEVER, "a mail with NUL bytes can't be filed by IMAP");
    g_autoptr(ImapCommand) command = append_command(mail, bytes);
    if (!imap_exchange(conn, command, NULL, &reply, error) ||
        (reply.status != IMAP_OK && !no_folder(conn, &reply, mail->folder, ret_missing, error)))
        return err_prefix(error, "filing mail in '%s'", mail->folder);
    *ret = uid_of_code(reply.code, "APPENDUID");
    return true;
}

/* --- MOVE and removal --- */

/* MOVE says where the mail went before it says that it is done (RFC 6851, 4.3). */
static bool
on_moved(void *user, const ImapResponse *r, GError **error)
{
    ImapUid *to = user;

    if (r->status == IMAP_OK && imap_slice_begins(r->code, "COPYUID")) {
        g_autofree char *code = g_strndup(r->code.s, r->code.len);
        *to = uid_of_code(code, "COPYUID");
    }
    return true;
}

bool
imap_move(ImapConn *conn,
          uint32_t uid,
          const char *folder,
          ImapUid *ret,
          bool *ret_missing,
          GError **error)
{
    bool can_move = imap_can(conn, "MOVE");
    g_autoptr(ImapCommand) command = imap_command_new(can_move ? "UID MOVE" : "UID COPY");
    g_auto(ImapReply) reply = {0};
    g_auto(ImapSet) one = {0};
    ImapUid to = {0};
    ImapWatch watch = {.on_data = on_moved, .user = &to};

    imap_set_add(&one, uid, uid);
    imap_command_set(command, &one);
    imap_command_folder(command, folder);
    if (!imap_exchange(conn, command, &watch, &reply, error) ||
        (reply.status != IMAP_OK && !no_folder(conn, &reply, folder, ret_missing, error)) ||
        (!can_move && !imap_remove(conn, &one, error)))
        return err_prefix(error, "moving mail to '%s'", folder);
    *ret = to.uid ? to : uid_of_code(reply.code, "COPYUID");
    return true;
}

bool
imap_remove(ImapConn *conn, const ImapSet *uids, GError **error)
{
    g_autoptr(ImapCommand) expunge = imap_command_new("UID EXPUNGE");

    if (!imap_flag(conn, uids, true, IMAP_DELETED, NULL, error))
        return false;
    if (!imap_can(conn, "UIDPLUS")) /* plain EXPUNGE would take other people's along */
        return true;
    imap_command_set(expunge, uids);
    return imap_run(conn, expunge, NULL, error) || err_prefix(error, "removing mail");
}
