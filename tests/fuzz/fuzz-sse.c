/* Any stream: the pieces are never more than the whole, and parsing it in a copy cut at the end
 * of an event finds the same events before the cut. */
#include "wire/sse.h"
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *bytes = (const char *)data;
    g_auto(Sse) sse = {0}, again = {0};
    size_t found = 0, n = 0;

    sse_init(&sse, bytes, size);
    while (sse_next(&sse)) {
        found += sse.event->len + sse.data->len;
        n++;
    }
    g_assert_cmpuint(found, <=, size);

    sse_init(&again, bytes, (size_t)(sse.next - bytes));
    while (sse_next(&again))
        n--;
    g_assert_cmpuint(n, ==, 0);
    return 0;
}
