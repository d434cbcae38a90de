#include "base/digest.h"

bool
digest_equal(const Digest *a, const Digest *b)
{
    volatile unsigned differs = 0; /* volatile: no early end */

    for (size_t i = 0; i < DIGEST_SIZE; i++)
        differs |= a->v[i] ^ b->v[i];
    return differs == 0;
}

void
digest_of_bytes(GBytes *bytes, Digest *ret)
{
    gsize len;
    const void *data = g_bytes_get_data(bytes, &len);

    digest_of(data ? data : "", len, ret);
}

char *
digest_hex_of(GBytes *bytes)
{
    Digest d;

    digest_of_bytes(bytes, &d);
    return digest_hex(&d);
}

char *
digest_hex(const Digest *d)
{
    static const char digits[] = "0123456789abcdef";
    char *hex = g_malloc(2 * DIGEST_SIZE + 1);

    for (size_t i = 0; i < DIGEST_SIZE; i++) {
        hex[2 * i] = digits[d->v[i] >> 4];
        hex[2 * i + 1] = digits[d->v[i] & 15];
    }
    hex[2 * DIGEST_SIZE] = '\0';
    return hex;
}

bool
digest_parse_hex(const char *hex, Digest *ret)
{
    Digest d;

    if (strlen(hex) != 2 * DIGEST_SIZE)
        return false;
    for (size_t i = 0; i < DIGEST_SIZE; i++) {
        int high = g_ascii_xdigit_value(hex[2 * i]);
        int low = g_ascii_xdigit_value(hex[2 * i + 1]);

        if (high < 0 || low < 0)
            return false;
        d.v[i] = (uint8_t)(high << 4 | low);
    }
    *ret = d;
    return true;
}

static void
mac_with(const uint8_t *key, const char *use, const void *data, size_t len, Digest *ret)
{
    Digest sub;

    digest_mac(key, KEY_SIZE, use, strlen(use), &sub);
    digest_mac(sub.v, DIGEST_SIZE, data, len, ret);
    explicit_bzero(&sub, sizeof sub);
}

void
key_mac(const Key *key, const char *use, const void *data, size_t len, Digest *ret)
{
    g_assert(key->n > 0 && key->n <= KEY_MAX);
    mac_with(key->v[0], use, data, len, ret);
}

bool
key_verify(const Key *key, const char *use, const void *data, size_t len, const Digest *mac)
{
    bool good = false;

    g_assert(key->n <= KEY_MAX);
    for (size_t i = 0; i < key->n; i++) {
        Digest want;

        mac_with(key->v[i], use, data, len, &want);
        good |= digest_equal(&want, mac);
    }
    return good;
}

char *
digest_token(const Digest *d, size_t n_chars)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz234567";

    g_assert(n_chars <= 50);
    char *token = g_malloc(n_chars + 1);

    for (size_t i = 0; i < n_chars; i++) {
        size_t bit = 5 * i, byte = bit / 8;
        unsigned pair = (unsigned)d->v[byte] << 8 | d->v[byte + 1];

        token[i] = letters[pair >> (11 - bit % 8) & 31];
    }
    token[n_chars] = '\0';
    return token;
}
