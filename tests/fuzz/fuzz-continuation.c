/* continuation.json: as a stranger sends it, as the operator brings it in, and with a MAC that
 * holds, which is how one of an older or a younger program looks. */
#include "engine/checkpoint/continuation.h"
#include <string.h>

static GString *
sign(const Key *key, const uint8_t *data, size_t size)
{
    GString *doc = g_string_new_len((const char *)data, (gssize)size);
    Digest mac;

    key_mac(key, "continuation 1", data, size, &mac);
    g_autofree char *hex = digest_hex(&mac);
    g_string_append_printf(doc, ",\"mac\":\"%s\"}", hex);
    return doc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const Key key = {.n = 1};
    g_autoptr(Continuation) theirs = NULL;
    g_autoptr(Continuation) ours = NULL;
    g_autoptr(Continuation) seed = NULL;
    GString *doc = sign(&key, data, size);

    (void)continuation_parse(&key, (const char *)data, size, &theirs);
    (void)continuation_parse(&key, doc->str, doc->len, &ours);
    (void)continuation_parse_seed((const char *)data, size, &seed, NULL);
    g_string_free(doc, TRUE);
    return 0;
}
