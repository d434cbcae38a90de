/* Any words of a program's: when its limit ends is not known, or within 1000 days. */
#include "base/clock.h"
#include "brain/brain.h"
#include "brain/limit_words.h"
#include <stdint.h>

#define NOW INT64_C(1794891600000000)

const BrainOps *const brain_kinds[] = {NULL};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autofree char *words = g_strndup(size > 0 ? (const char *)data : "", size);
    int64_t until = limit_words_until(words, NOW);

    g_assert_true(until == 0 || (until > NOW && until <= NOW + 1000 * 86400 * USEC_PER_SEC));
    return 0;
}
