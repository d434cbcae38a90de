/*
 * SHA-256 and HMAC by GLib, in place of sha256.c: for the front, which hashes little and starts
 * often. GLib takes five times as long for a byte, libcrypto 0.7 ms to be loaded.
 */
#include "base/digest.h"

static void
take(GChecksum *sum, Digest *ret)
{
    gsize len = DIGEST_SIZE;

    g_checksum_get_digest(sum, ret->v, &len);
    g_checksum_free(sum);
}

void
digest_of(const void *data, size_t len, Digest *ret)
{
    GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA256);

    g_checksum_update(sum, data, (gssize)len);
    take(sum, ret);
}

struct DigestCtx {
    GChecksum *sum;
};

DigestCtx *
digest_new(void)
{
    DigestCtx *ctx = g_new(DigestCtx, 1);

    ctx->sum = g_checksum_new(G_CHECKSUM_SHA256);
    return ctx;
}

void
digest_update(DigestCtx *ctx, const void *data, size_t len)
{
    g_checksum_update(ctx->sum, data, (gssize)len);
}

DigestCtx *
digest_copy(const DigestCtx *ctx)
{
    DigestCtx *copy = g_new(DigestCtx, 1);

    copy->sum = g_checksum_copy(ctx->sum);
    return copy;
}

void
digest_free(DigestCtx *ctx)
{
    if (!ctx)
        return;
    g_checksum_free(ctx->sum);
    g_free(ctx);
}

void
digest_final(DigestCtx *ctx, Digest *ret)
{
    take(ctx->sum, ret);
    g_free(ctx);
}

void
digest_mac(const void *key, size_t key_len, const void *data, size_t len, Digest *ret)
{
    GHmac *mac = g_hmac_new(G_CHECKSUM_SHA256, key, key_len);
    gsize size = DIGEST_SIZE;

    g_hmac_update(mac, data, (gssize)len);
    g_hmac_get_digest(mac, ret->v, &size);
    g_hmac_unref(mac);
}
