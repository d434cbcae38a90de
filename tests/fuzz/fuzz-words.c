/* Any bytes are the value of a header: encoded words, parameters and dates in it come out as one
 * line of valid UTF-8, and what was decoded is read again from what we write. */
#include "mail/mime/encode.h"
#include "mail/mime/encword.h"
#include "mail/mime/header.h"
#include "mail/maildate.h"
#include "mail/mime/param.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    g_autofree char *value = header_unfold(len > 0 ? (const char *)data : "", len);
    bool bad = false;
    int64_t date_us = 1;

    g_assert_true(g_utf8_validate(value, -1, NULL));
    g_autofree char *text = encword_decode(value, &bad);
    g_assert_true(encode_is_clean(text));
    g_autofree char *coded = encode_phrase(text);
    g_autofree char *back = encword_decode(coded, NULL);
    g_assert_cmpstr(back, ==, text);
    g_autoptr(Params) params = params_parse(value);
    for (unsigned i = 0; i < params->values->len; i++)
        g_assert_true(g_utf8_validate(params->values->pdata[i], -1, NULL));
    if (maildate_parse(value, &date_us))
        g_assert_cmpint(date_us, >, 0);
    else
        g_assert_cmpint(date_us, ==, 1);
    return 0;
}
