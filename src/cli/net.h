#pragma once

/* What only `postrider-net` can do: NULL in `postrider-mail`. */
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
