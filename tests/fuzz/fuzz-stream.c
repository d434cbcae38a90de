/* Any stream that claims to be an agent's, in two pieces: no crash, what is kept is within its caps,
 * and where it is cut does not change what is found. The build makes a target of each parser: STREAM is
 * stream_claude, stream_codex or stream_opencode. */
#include "brain/stream.h"
#include <stdint.h>

const BrainOps *const brain_kinds[] = {NULL};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static Stream *
play(const uint8_t *data, size_t size, size_t cut)
{
    static const Clock held = {.fixed_wall_us = INT64_C(1794891600000000)};
    Stream *s = stream_new(&STREAM);

    s->clock = &held;
    s->answer_max = 1000;
    stream_take(s, data, cut);
    stream_take(s, data + cut, size - cut);
    stream_end(s, "");
    return s;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autoptr(Stream) whole = play(data, size, 0), cut = play(data, size, size / 2);

    g_assert_cmpuint(whole->answer->len, <=, 1000);
    g_assert_cmpint(whole->failed == NULL, ==, whole->end == BRAIN_OK);
    g_assert_cmpint(whole->deferred, ==, whole->deferred && whole->deferred_call);
    g_assert_cmpint(whole->cost_micro, >=, 0);
    g_assert_true(!whole->failed || g_utf8_validate(whole->failed, -1, NULL));
    g_assert_cmpstr(whole->answer->str, ==, cut->answer->str);
    g_assert_cmpint(whole->end, ==, cut->end);
    g_assert_cmpint(whole->retry.us, ==, cut->retry.us);
    return 0;
}
