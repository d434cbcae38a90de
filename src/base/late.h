#pragma once

/*
 * Functions of a library that most starts of the program don't call. The library is loaded when the
 * first of them is called, instead of at every start, and stays loaded. Behind the library's own
 * header, which keeps the types checked:
 *
 *     #define g_mime_init LATE("libgmime-3.0.so.0", g_mime_init)
 *
 * Some program must still be linked with the library in the usual way, so that a package that is made
 * of the programs depends on it. A library that can't be loaded all the same ends the
 * program at once, with a line on stderr and EX_TEMPFAIL.
 */
#define LATE(library, function) \
    (*({ \
        static __typeof__(&(function)) late_call; \
        if (__builtin_expect(!late_call, 0)) \
            *(void **)&late_call = late_find(library, #function); \
        late_call; \
    }))

void *late_find(const char *library, const char *function);
