#pragma once

/* Who was told what, and when, so that nobody hears the same thing again and again. `what` is a
 * word of the caller's own, subject what it is about ("": nothing in particular). */
#include "store/db.h"

/* *ret_first: this person is to be told, since nobody has told them since that moment. From now
 * on they count as told. */
bool told_first(Txn *txn,
                const char *what,
                const char *subject,
                const char *whom,
                int64_t since_us,
                bool *ret_first,
                GError **error);
/* This person does not count as told any more. *ret_was: they did. */
bool told_take_back(Txn *txn,
                    const char *what,
                    const char *subject,
                    const char *whom,
                    bool *ret_was,
                    GError **error);
/* Nobody counts as told about the subject any more. *ret_any: somebody did. */
bool
told_forget(Txn *txn, const char *what, const char *subject, bool *ret_any, GError **error);
