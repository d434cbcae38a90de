#pragma once

/* Calls that only `postrider-net` has, since they talk to mail servers. In `postrider-mail`
 * they are NULL. */
#include "remote/remote.h"
#include "remote/submit.h"

typedef int (*NetAccount)(Engine *engine,
                          const ConfAccount *account,
                          const RemoteOptions *options);
extern const NetAccount net_account;

typedef struct NetSubmit {
    int (*main)(Engine *engine);
    bool (*pass)(Engine *engine, int wait_ms, SubmitStats *ret, GError **error);
} NetSubmit;
extern const NetSubmit net_submit;
