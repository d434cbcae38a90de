#include "base/late.h"
#include <dlfcn.h>
#include <glib.h>

void *
late_find(const char *library, const char *function)
{
    void *handle = dlopen(library, RTLD_LAZY); /* from the second time on this only finds it */
    void *address = handle ? dlsym(handle, function) : NULL;

    if (!address)
        g_error("%s", dlerror());
    return address;
}
