/* Any bytes of a server: what is a reply ends where it says, not a byte sooner, and its text is
 * safe to show. */
#include "wire/smtp_reply.h"
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int
parse(const char *data, size_t len, size_t *ret_used)
{
    g_auto(SmtpReply) reply = {0};
    g_autoptr(GError) error = NULL;
    int found = smtp_reply_parse(data, len, ret_used, &reply, &error);

    g_assert_cmpint(found < 0, ==, error != NULL);
    if (found <= 0)
        return found;
    g_assert_cmpint(reply.code, >=, 200);
    g_assert_cmpint(reply.code, <=, 599);
    g_assert_true(g_utf8_validate(reply.text, -1, NULL));
    for (const char *c = reply.text; *c; c++)
        g_assert_true((unsigned char)*c >= 32 && *c != 127);
    (void)smtp_offer_of(&reply);
    return found;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *bytes = size > 0 ? (const char *)data : "";
    size_t used = 0, again = 0;

    if (parse(bytes, size, &used) <= 0)
        return 0;
    g_assert_cmpuint(used, <=, size);
    g_assert_cmpint(parse(bytes, used, &again), ==, 1);
    g_assert_cmpuint(again, ==, used);
    g_assert_cmpint(parse(bytes, used - 1, &again), ==, 0);
    return 0;
}
