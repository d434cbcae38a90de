/* SHA-256 and HMAC by libcrypto: for programs that read mail. */
#include "base/digest.h"
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>

/* Looked up once: the search through the providers costs more than a short mail's digest. The
 * machine's openssl.cnf has nothing to say here, and reading it takes a third of a millisecond
 * of every program that makes a digest. */
static const EVP_MD *
sha256(void)
{
    static EVP_MD *md;

    if (!md)
        (void)OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL);
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

DigestCtx *
digest_copy(const DigestCtx *ctx)
{
    DigestCtx *copy = g_new(DigestCtx, 1);

    copy->md = EVP_MD_CTX_new();
    must(copy->md && EVP_MD_CTX_copy_ex(copy->md, ctx->md));
    return copy;
}

void
digest_free(DigestCtx *ctx)
{
    if (!ctx)
        return;
    EVP_MD_CTX_free(ctx->md);
    g_free(ctx);
}

void
digest_final(DigestCtx *ctx, Digest *ret)
{
    must(EVP_DigestFinal_ex(ctx->md, ret->v, NULL));
    digest_free(ctx);
}

/* Kept for the same reason; init gives it another key. */
static EVP_MAC_CTX *
hmac(void)
{
    static EVP_MAC_CTX *ctx;

    if (ctx)
        return ctx;
    OSSL_PARAM params[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)"SHA256", 0),
        OSSL_PARAM_construct_end(),
    };
    (void)sha256();
    EVP_MAC *mac = EVP_MAC_fetch(NULL, OSSL_MAC_NAME_HMAC, NULL);
    if (!mac || !(ctx = EVP_MAC_CTX_new(mac)) || !EVP_MAC_CTX_set_params(ctx, params))
        g_error("libcrypto has no HMAC");
    EVP_MAC_free(mac); /* the context holds it */
    return ctx;
}

void
digest_mac(const void *key, size_t key_len, const void *data, size_t len, Digest *ret)
{
    EVP_MAC_CTX *ctx = hmac();
    const void *some_key = key_len ? key : ""; /* NULL would mean the key of the last call */

    if (!EVP_MAC_init(ctx, some_key, key_len, NULL) || !EVP_MAC_update(ctx, data, len) ||
        !EVP_MAC_final(ctx, ret->v, NULL, sizeof ret->v))
        g_error("libcrypto failed at HMAC");
}
