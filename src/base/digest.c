#include "base/digest.h"
#include "base/banned.h"
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

/* Looked up once: the search through the providers costs more than a short mail's digest. */
static const EVP_MD *
sha256(void)
{
    static EVP_MD *md;

    if (!md && !(md = EVP_MD_fetch(NULL, "SHA256", NULL)))
        g_error("libcrypto has no SHA-256");
    return md;
}

static void
must(int ok)
{
    if (ok != 1)
        g_error("libcrypto failed at SHA-256");
}

void
digest_of(const void *data, size_t len, Digest *ret)
{
    must(EVP_Digest(data, len, ret->v, NULL, sha256(), NULL));
}

struct DigestCtx {
    EVP_MD_CTX *md;
};

DigestCtx *
digest_new(void)
{
    DigestCtx *ctx = g_new(DigestCtx, 1);

    ctx->md = EVP_MD_CTX_new();
    must(ctx->md && EVP_DigestInit_ex(ctx->md, sha256(), NULL));
    return ctx;
}

void
digest_update(DigestCtx *ctx, const void *data, size_t len)
{
    must(EVP_DigestUpdate(ctx->md, data, len));
}

void
digest_final(DigestCtx *ctx, Digest *ret)
{
    must(EVP_DigestFinal_ex(ctx->md, ret->v, NULL));
    EVP_MD_CTX_free(ctx->md);
    g_free(ctx);
}

void
digest_mac(const void *key, size_t key_len, const void *data, size_t len, Digest *ret)
{
    g_assert(key_len <= INT_MAX);
    /* A NULL key or NULL data means something else to HMAC() than no bytes. */
    if (!HMAC(sha256(), key_len ? key : "", (int)key_len, len ? data : (const void *)"", len,
              ret->v, NULL))
        g_error("libcrypto failed at HMAC");
}

bool
digest_equal(const Digest *a, const Digest *b)
{
    return CRYPTO_memcmp(a->v, b->v, DIGEST_SIZE) == 0;
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
    OPENSSL_cleanse(&sub, sizeof sub);
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
