/* continuation.json: as a stranger sends it, and as the operator brings it in. */
#include "base/banned.h"
#include "engine/continuation.h"
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const Key key = {.n = 1};
    g_autoptr(Continuation) ours = NULL;
    g_autoptr(Continuation) seed = NULL;

    (void)continuation_parse(&key, (const char *)data, size, &ours);
    (void)continuation_parse_seed((const char *)data, size, &seed, NULL);
    return 0;
}
