#pragma once

/* What has happened since somebody looked last; `watch` prints it. */
#include "show/events.h"
#include "store/job/jobs.h"

typedef struct News News;
/* News of one job, beginning with the steps that it has taken; only {0}: news of everything,
 * from now on. */
bool news_open(Db *db, JobId only, News **ret, GError **error);
void news_free(News *n);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(News, news_free)

/* What happened since the last call. *ret_state is how the one job is then; JOB_N_STATES: it is
 * gone, or everything is asked for. */
bool news_read(News *n, Events **ret, JobState *ret_state, GError **error);
