#pragma once

/*
 * SHA-256 and HMAC, and the ways we write bytes as text. The calls down to digest_mac() are
 * libnettle's (sha256.c).
 */
#include "base/ids.h"

void digest_of(const void *data, size_t len, Digest *ret);

/* For data that comes in pieces. One at a time: update any number of times, then final. */
typedef struct DigestCtx DigestCtx;
DigestCtx *digest_new(void);
void digest_update(DigestCtx *ctx, const void *data, size_t len);
void digest_final(DigestCtx *ctx, Digest *ret); /* frees ctx */
/* One more that has taken in the same bytes so far. */
DigestCtx *digest_copy(const DigestCtx *ctx);
void digest_free(DigestCtx *ctx); /* without asking for the digest; NULL: nothing to free */

/* HMAC-SHA256. */
void digest_mac(const void *key, size_t key_len, const void *data, size_t len, Digest *ret);
void digest_of_bytes(GBytes *bytes, Digest *ret);
bool digest_equal(const Digest *a, const Digest *b); /* constant time */
/* 64 lower-case hex digits; caller frees. */
char *digest_hex(const Digest *d);
char *digest_hex_of(GBytes *bytes);
bool digest_parse_hex(const char *hex, Digest *ret);

/*
 * The home's secret. One sub-key per use, so that a MAC made for one purpose proves nothing for
 * another: HMAC(key, use). Uses: "message-id 1", "origin 1", "continuation 1", "reply 1",
 * "fence 1", "mailbox 1". The file may hold older keys behind the newest; verifying tries all
 * of them, signing uses the first.
 */
#define KEY_SIZE 32
#define KEY_MAX 8
typedef struct Key {
    size_t n;
    uint8_t v[KEY_MAX][KEY_SIZE];
} Key;
void key_mac(const Key *key, const char *use, const void *data, size_t len, Digest *ret);
bool
key_verify(const Key *key, const char *use, const void *data, size_t len, const Digest *mac);

/* The first n_chars (at most 50) of the digest in lower-case base32 (a-z2-7); caller frees. */
char *digest_token(const Digest *d, size_t n_chars);
