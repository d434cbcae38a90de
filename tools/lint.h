/*
 * Read by clang-tidy in front of each file: the analyzer sees one file at a time, so it has to be told
 * that these always return false, or it thinks that a failing function may have succeeded.
 */
#include "base/err.h"
#define err_set(...) ((void)err_set(__VA_ARGS__), false)
#define err_set_errno(...) ((void)err_set_errno(__VA_ARGS__), false)
#define err_prefix(...) ((void)err_prefix(__VA_ARGS__), false)
