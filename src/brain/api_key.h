#pragma once

/*
 * The key of a model API. It is read by the process that asks, from a file that nobody else
 * can read (base/secretfile.h) or from the environment, and lives in two places: here and in a
 * request's header. Errors name the file or the variable, never what is in it.
 */
#include "base/config/config.h"

/* *ret is NULL, with true, when the settings name no key and fallback_env (NULL: none) is not
 * set. Caller frees with secret_free(). ERR_CONFIG: named but missing, readable by others, not ours, or no key. */
bool api_key_load(const ConfBrain *conf,
                  const char *home,
                  const char *fallback_env,
                  char **ret,
                  GError **error);
