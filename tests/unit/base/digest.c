#include "base/digest.h"

static const struct {
    const char *data, *want_hex;
} sums[] = {
    {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
    {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
     "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
};

static void
test_sums(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(sums); i++) {
        size_t len = strlen(sums[i].data);
        Digest whole, pieces;

        digest_of(sums[i].data, len, &whole);
        DigestCtx *ctx = digest_new();
        for (size_t j = 0; j < len; j++)
            digest_update(ctx, sums[i].data + j, 1);
        digest_final(ctx, &pieces);

        g_autofree char *hex = digest_hex(&whole);
        g_assert_cmpstr(hex, ==, sums[i].want_hex);
        g_assert_true(digest_equal(&whole, &pieces));
    }
}

/* What two texts begin with is taken in once; neither the original nor a copy hears of the other. */
static void
test_copy(void)
{
    static const char *const ends[] = {"", "bc", "bcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"};
    DigestCtx *begun = digest_new();

    digest_update(begun, "a", 1);
    for (size_t i = 0; i < G_N_ELEMENTS(ends); i++) {
        g_autofree char *all = g_strconcat("a", ends[i], NULL);
        DigestCtx *copy = digest_copy(begun);
        Digest got, want;

        digest_update(copy, ends[i], strlen(ends[i]));
        digest_final(copy, &got);
        digest_of(all, strlen(all), &want);
        g_assert_true(digest_equal(&got, &want));
    }
    digest_free(begun);
    digest_free(NULL);
}

/* RFC 4231, cases 2 and 6, and nothing at all. */
static void
test_mac(void)
{
    uint8_t long_key[131];
    Digest mac, want;
    const char *data = "Test Using Larger Than Block-Size Key - Hash Key First";

    digest_mac("Jefe", 4, "what do ya want for nothing?", 28, &mac);
    g_assert_true(digest_parse_hex(
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843", &want));
    g_assert_true(digest_equal(&mac, &want));

    memset(long_key, 0xaa, sizeof long_key);
    digest_mac(long_key, sizeof long_key, data, strlen(data), &mac);
    g_assert_true(digest_parse_hex(
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54", &want));
    g_assert_true(digest_equal(&mac, &want));

    digest_mac(NULL, 0, NULL, 0, &mac);
    g_assert_true(digest_parse_hex(
        "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad", &want));
    g_assert_true(digest_equal(&mac, &want));
}

static void
test_hex(void)
{
    static const char *const bad[] = {
        "",
        "00",
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b85",
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b85g",
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b85500",
    };
    Digest d = {{7}};

    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++)
        g_assert_false(digest_parse_hex(bad[i], &d));
    g_assert_cmpint(d.v[0], ==, 7);
}

static void
test_token(void)
{
    Digest d;

    digest_of("abc", 3, &d);
    g_autofree char *whole = digest_token(&d, 50);
    g_autofree char *head = digest_token(&d, 16);

    g_assert_cmpstr(whole, ==, "xj4bnp4pahh6uqkbidpf3lrceoyagyndsylxvhfucd7wd4qacw");
    g_assert_cmpstr(head, ==, "xj4bnp4pahh6uqkb");
}

static void
test_key(void)
{
    Key old = {.n = 1, .v = {{1}}}, both = {.n = 2, .v = {{2}, {1}}}, none = {0};
    Digest mac;

    key_mac(&old, "origin 1", "x", 1, &mac);
    g_assert_true(key_verify(&old, "origin 1", "x", 1, &mac));
    g_assert_true(key_verify(&both, "origin 1", "x", 1, &mac));
    g_assert_false(key_verify(&old, "reply 1", "x", 1, &mac));
    g_assert_false(key_verify(&old, "origin 1", "y", 1, &mac));
    g_assert_false(key_verify(&none, "origin 1", "x", 1, &mac));

    key_mac(&both, "origin 1", "x", 1, &mac);
    g_assert_false(key_verify(&old, "origin 1", "x", 1, &mac));
    mac.v[31] ^= 1;
    g_assert_false(key_verify(&both, "origin 1", "x", 1, &mac));
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/digest/sums", test_sums);
    g_test_add_func("/digest/copy", test_copy);
    g_test_add_func("/digest/mac", test_mac);
    g_test_add_func("/digest/hex", test_hex);
    g_test_add_func("/digest/token", test_token);
    g_test_add_func("/digest/key", test_key);
    return g_test_run();
}
