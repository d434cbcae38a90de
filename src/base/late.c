#include "base/late.h"
#include <dlfcn.h>
#include <sysexits.h>
#include <unistd.h>

void *
late_find(const char *library, const char *function)
{
    void *handle = dlopen(library, RTLD_LAZY); /* from the second time on this only finds it */
    void *address = handle ? dlsym(handle, function) : NULL;

    if (!address) {
        g_printerr("postrider: %s\n", dlerror());
        _exit(EX_TEMPFAIL); /* as if it had been killed here: nothing is cleaned up halfway */
    }
    return address;
}
