#include "wire/imap_item.h"
#include "wire/imap_command.h"
#include "wire/imap_date.h"
#include "wire/imap_scan.h"

#define MAX_KEYWORDS 100u

void
imap_item_clear(ImapItem *item)
{
    g_clear_pointer(&item->keywords, g_ptr_array_unref);
    g_clear_pointer(&item->quoted, g_free);
}

static void
take_flag(ImapItem *item, ImapSlice word)
{
    for (unsigned i = 0; imap_flag_names[i]; i++)
        if (imap_slice_is(word, imap_flag_names[i]))
            item->mail.flags |= 1u << i;
    if (word.s[0] != '\\' && item->keywords->len < MAX_KEYWORDS)
        g_ptr_array_add(item->keywords, text_make_valid(word.s, (gssize)word.len));
}

static bool
scan_flags(ImapScan *scan, ImapItem *item)
{
    ImapSlice word;

    if (!imap_scan_char(scan, '('))
        return false;
    item->mail.has_flags = true;
    for (imap_scan_blanks(scan); imap_scan_atom(scan, &word); imap_scan_blanks(scan))
        take_flag(item, word);
    return imap_scan_char(scan, ')');
}

static bool
scan_body(ImapScan *scan, ImapItem *item)
{
    g_auto(ImapText) text = {0};

    if (!imap_scan_text(scan, &text))
        return false;
    if (item->has_body)
        return true;
    item->has_body = true;
    if (text.is_nil)
        return true;
    item->mail.body_bytes = text.size;
    item->mail.body = text.is_written ? IMAP_BODY_WRITTEN : IMAP_BODY_LARGE;
    item->quoted = g_steal_pointer(&text.bytes);
    return true;
}

static bool
scan_modseq(ImapScan *scan, ImapItem *item)
{
    return imap_scan_char(scan, '(') && imap_scan_number(scan, INT64_MAX, &item->mail.modseq) &&
           imap_scan_char(scan, ')');
}

static bool
scan_uid(ImapScan *scan, ImapItem *item)
{
    uint64_t uid;

    if (!imap_scan_number(scan, UINT32_MAX, &uid))
        return false;
    item->mail.uid = (uint32_t)uid;
    return true;
}

static bool
scan_date(ImapScan *scan, ImapItem *item)
{
    g_auto(ImapText) text = {0};

    if (!imap_scan_text(scan, &text))
        return false;
    if (text.bytes && !imap_date_parse(text.bytes, &item->mail.received_us))
        item->mail.received_us = 0;
    return true;
}

static bool
scan_value(ImapScan *scan, ImapSlice name, ImapItem *item)
{
    if (imap_slice_is(name, "UID"))
        return scan_uid(scan, item);
    if (imap_slice_is(name, "FLAGS"))
        return scan_flags(scan, item);
    if (imap_slice_is(name, "INTERNALDATE"))
        return scan_date(scan, item);
    if (imap_slice_is(name, "MODSEQ"))
        return scan_modseq(scan, item);
    if (imap_slice_is(name, "RFC822.SIZE")) {
        item->has_size = true;
        return imap_scan_number(scan, INT64_MAX, &item->mail.size);
    }
    if (name.len > 5 && g_ascii_strncasecmp(name.s, "BODY[", 5) == 0)
        return scan_body(scan, item);
    return imap_scan_skip(scan);
}

bool
imap_item_parse(const ImapResponse *response, ImapItem *item)
{
    ImapScan scan = imap_scan_rest(response);
    ImapSlice name;

    item->keywords = g_ptr_array_new_with_free_func(g_free);
    imap_scan_blanks(&scan);
    if (!imap_scan_char(&scan, '('))
        return false;
    while (imap_scan_char(&scan, '(')) /* Domino writes two */
        ;
    for (imap_scan_blanks(&scan); imap_scan_item(&scan, &name); imap_scan_blanks(&scan)) {
        imap_scan_blanks(&scan);
        if (!scan_value(&scan, name, item))
            return false;
    }
    g_ptr_array_add(item->keywords, NULL);
    item->mail.keywords = (const char *const *)item->keywords->pdata;
    return imap_scan_char(&scan, ')');
}
