#pragma once

/*
 * Lists whose element type the compiler knows. A bare GPtrArray takes and gives any pointer, so
 * a list of strings may be read as a list of structs and nobody notices until it crashes. After
 *
 *     LIST_OF(Addresses, addresses, Address, address_free)
 *
 * there is a type Addresses that holds Address and nothing else, with g_autoptr:
 *
 *     addresses_new()            owns its elements and frees them
 *     addresses_new_view()       borrows them
 *     addresses_add(list, one)
 *     addresses_free(list)       NULL is fine
 *
 *     LIST_EACH(const Address, a, list)
 *         print(a->spec);
 *
 * goes through it, and through any GPtrArray. `list->len` and `list->pdata[i]` read it. It is a
 * GPtrArray inside: LIST_ARRAY(list) is for the calls of GLib that do not care what the
 * elements are (sort, remove_index, set_size).
 */

#define LIST_ARRAY(list) ((GPtrArray *)(list))

/* Names of types can't stand in parentheses. NOLINTBEGIN(bugprone-macro-parentheses) */

/* Each element in turn; Type may be const. The inner loop runs once: it is what declares the
 * element, and `go` is how the outer one hears of a `break`. */
#define LIST_EACH(Type, one, list)                                                             \
    for (guint one##_i = 0, one##_go = 1; one##_go && one##_i < (list)->len; one##_i++)        \
        for (Type *one = (one##_go = 0, (list)->pdata[one##_i]); !one##_go; one##_go = 1)

/* The memory is GLib's own struct, seen with the true type of its pointers. */
#define LIST_OF(List, prefix, Element, free_element)                                           \
    typedef struct List {                                                                      \
        Element **pdata;                                                                       \
        guint len;                                                                             \
    } List;                                                                                    \
                                                                                               \
    G_GNUC_UNUSED static inline void prefix##_free_element(void *one)                          \
    {                                                                                          \
        free_element(one);                                                                     \
    }                                                                                          \
    G_GNUC_UNUSED static inline List *prefix##_new(void)                                       \
    {                                                                                          \
        return (List *)g_ptr_array_new_with_free_func(prefix##_free_element);                  \
    }                                                                                          \
    G_GNUC_UNUSED static inline List *prefix##_new_view(void)                                  \
    {                                                                                          \
        return (List *)g_ptr_array_new();                                                      \
    }                                                                                          \
    G_GNUC_UNUSED static inline void prefix##_add(List *list, Element *one)                    \
    {                                                                                          \
        g_ptr_array_add(LIST_ARRAY(list), one);                                                \
    }                                                                                          \
    static inline void prefix##_free(List *list)                                               \
    {                                                                                          \
        if (list)                                                                              \
            g_ptr_array_unref(LIST_ARRAY(list));                                               \
    }                                                                                          \
    G_DEFINE_AUTOPTR_CLEANUP_FUNC(List, prefix##_free)

/* NOLINTEND(bugprone-macro-parentheses) */
