/* Whatever stands below the line where our server took a mail in, after our server has said no
 * or a stranger's Received has come, or right below our server's own field: nobody is believed. */
#include "mail/auth.h"
#include "mail/auth_results.h"
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define BORDER "Received: from x (unknown [192.0.2.66]) by mail.me.example; x\n"
#define FROM "From: ann@example.org\n"

static const char *const one[] = {"mail.me.example", NULL};
static const char *const many[] = {"mail.me.example", "*.example.net", "outlook", NULL};

static void
expect_no(const char *const *ids,
          bool several,
          const char *above,
          const uint8_t *data,
          size_t size,
          const char *below)
{
    g_autoptr(GString) raw = g_string_new(above);

    g_string_append_len(raw, size > 0 ? (const char *)data : "", (gssize)size);
    g_string_append(raw, below);
    g_autoptr(Message) m = message_parse(raw->str, raw->len, MESSAGE_HEADERS, NULL);
    g_auto(AuthVerdict) dmarc = {0}, dkim = {0};
    auth_judge(m, &(AuthTrust){ids, AUTH_DMARC, several}, &dmarc);
    auth_judge(m, &(AuthTrust){ids, AUTH_DKIM, several}, &dkim);
    g_assert_false(dmarc.pass || dkim.pass);
    g_assert_true(g_utf8_validate(dmarc.why, -1, NULL));
    g_autofree char *id = auth_find_id(m);
    g_assert_true(!id || g_utf8_validate(id, -1, NULL));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autofree char *text = g_strndup(size > 0 ? (const char *)data : "", size);
    g_autoptr(AuthResults) results = auth_results_parse(text);
    g_autoptr(AuthHop) hop = auth_hop_parse(text);

    g_assert_true(!results || results->list->len <= 100);
    g_assert_cmpuint(strlen(hop->remark), <=, size);
    expect_no(many, size % 2,
              "Authentication-Results: mail.me.example; spf=fail; dkim=fail; dmarc=fail\n"
              "Subject: x\n" BORDER FROM,
              data, size, "\n");
    expect_no(many, size % 2, BORDER "Received: from y by stranger.example; x\n" FROM, data,
              size, "\n");
    expect_no(many, size % 2, FROM "Subject: x\n\n", data, size, "");
    expect_no(one, false,
              "Authentication-Results: mail.me.example; spf=fail\n"
              "Authentication-Results: mail.me.example; ",
              data, size, "\n" BORDER FROM "\n");
    return 0;
}
