/* Any mail, and any delivery-status in a good report: what is read of it can be shown and
 * compared. */
#include "base/limits.h"
#include "mail/dsn.h"
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REPORT                                                                                 \
    "Return-Path: <>\nContent-Type: multipart/report; report-type=delivery-status; "           \
    "boundary=b\n\n--b\nContent-Type: message/delivery-status\n\n"

static void
check_text(const char *text)
{
    if (!text)
        return;
    g_assert_true(g_utf8_validate(text, -1, NULL));
    g_assert_null(strpbrk(text, "\r\n\033"));
}

static void
check(const char *raw, size_t len)
{
    g_autoptr(Message) m = message_parse(raw, len, MESSAGE_CONTENT, NULL);
    g_autoptr(Dsn) dsn = dsn_read(m);

    if (!dsn)
        return;
    g_assert_cmpuint(dsn->recipients->len, >, 0);
    g_assert_cmpuint(dsn->recipients->len, <=, LIMIT_RECIPIENTS);
    for (guint i = 0; i < dsn->recipients->len; i++) {
        const DsnRcpt *r = dsn->recipients->pdata[i];
        g_assert_true(address_spec_valid(r->address));
        g_assert_true(!r->final || address_spec_valid(r->final));
        check_text(r->status);
        check_text(r->diagnostic);
    }
    check_text(dsn->envid);
    check_text(dsn->reporter);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *bytes = size > 0 ? (const char *)data : "";
    g_autoptr(GString) report = g_string_new(REPORT);

    check(bytes, size);
    g_string_append_len(report, bytes, (gssize)size);
    check(report->str, report->len);
    return 0;
}
