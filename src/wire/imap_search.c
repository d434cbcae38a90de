/* UID SEARCH, by ESEARCH (RFC 4731) where it is offered: ranges instead of a number per mail.
 */
#include "wire/imap_conn.h"
#include "wire/imap_date.h"
#include "wire/imap_scan.h"

#define MAX_FOUND 1000000u

static bool
too_many(GError **error)
{
    return err_set(error, ERR_LIMIT, "the server finds more than %u mails", MAX_FOUND);
}

/* SEARCH 2 84 882 (MODSEQ 917162500) */
static bool
take_numbers(GArray *found, const ImapResponse *r, GError **error)
{
    ImapScan scan = imap_scan_rest(r);
    uint64_t uid;

    for (imap_scan_blanks(&scan); imap_scan_number(&scan, UINT32_MAX, &uid);
         imap_scan_blanks(&scan)) {
        if (found->len >= MAX_FOUND)
            return too_many(error);
        ImapRange range = {(uint32_t)uid, (uint32_t)uid};
        g_array_append_val(found, range);
    }
    return true;
}

/* ESEARCH (TAG "P7") UID ALL 2,10:11 */
static bool
take_ranges(GArray *found, const ImapResponse *r, GError **error)
{
    ImapScan scan = imap_scan_rest(r);
    ImapSlice word;
    g_auto(ImapSet) set = {0};

    if (imap_scan_char(&scan, '(')) {
        scan.at--;
        if (!imap_scan_skip(&scan))
            return true;
    }
    for (imap_scan_blanks(&scan); imap_scan_atom(&scan, &word); imap_scan_blanks(&scan)) {
        if (!imap_slice_is(word, "ALL"))
            continue;
        imap_scan_blanks(&scan);
        if (!imap_scan_atom(&scan, &word) || !imap_set_parse(word.s, word.len, &set))
            return err_set(error, ERR_LATER, "the server finds what are no mails");
        break;
    }
    if (!set.ranges)
        return true;
    if (imap_set_count(&set) > MAX_FOUND || found->len + set.ranges->len > MAX_FOUND)
        return too_many(error);
    g_array_append_vals(found, set.ranges->data, set.ranges->len);
    return true;
}

static bool
on_found(void *user, const ImapResponse *r, GError **error)
{
    GArray *found = user;

    if (imap_slice_is(r->word, "SEARCH"))
        return take_numbers(found, r, error);
    if (imap_slice_is(r->word, "ESEARCH"))
        return take_ranges(found, r, error);
    return true;
}

static ImapCommand *
search_command(const ImapConn *conn, const ImapQuery *query)
{
    ImapCommand *command = imap_command_new("UID SEARCH");

    if (imap_can(conn, "ESEARCH"))
        imap_command_words(command, "RETURN (ALL)");
    if (query->value && !g_str_is_ascii(query->value))
        imap_command_words(command, "CHARSET UTF-8");
    if (query->uids) {
        imap_command_words(command, "UID");
        imap_command_set(command, query->uids);
    }
    if (query->header) {
        imap_command_words(command, "HEADER");
        imap_command_string(command, query->header);
        imap_command_string(command, query->value);
    }
    if (query->since_us) {
        g_autofree char *day = imap_date_format_day(query->since_us);
        imap_command_words(command, "SINCE");
        imap_command_words(command, day);
    }
    return command;
}

bool
imap_search(ImapConn *conn, const ImapQuery *query, ImapSet *ret, GError **error)
{
    g_autoptr(GArray) found = g_array_new(false, false, sizeof(ImapRange));
    g_autoptr(ImapCommand) command = search_command(conn, query);
    ImapWatch watch = {.on_data = on_found, .user = found};

    if (!imap_run(conn, command, &watch, error))
        return err_prefix(error, "searching");
    g_auto(ImapSet) set = imap_set_take_ranges(g_steal_pointer(&found));
    if (imap_set_count(&set) > MAX_FOUND)
        return too_many(error);
    /* "7:*" finds the last mail also when its UID is lower. */
    if (query->uids)
        imap_set_keep(&set, query->uids);
    *ret = set;
    set.ranges = NULL;
    return true;
}
