#pragma once

/*
 * What all model APIs have in common: a key, one question as JSON, one reply, and the ways in
 * which that fails. A kind knows its JSON; api.c asks, waits, asks again and reckons.
 *
 *   start -> request -> reply -> answer
 *               ^         |----> another form of the question (a server that lacks a feature)
 *               '--wait---'----> again, by retry.h
 *
 * Settings that can't work are a broken brain, not an error of start, so that the owner hears
 * of them like of a missing program.
 */
#include "base/json.h"
#include "brain/brain.h"
#include "wire/http.h"

/* What a reply says. Zeroed before it is filled; all strings are ours. */
typedef struct ApiResult {
    BrainEnd end;     /* BRAIN_OK, FAILED, REFUSED, TRUNCATED */
    char *text;       /* what the model wrote; NULL: nothing */
    char *why;        /* one line, when not OK */
    int status;       /* FAILED: the HTTP status that means the same */
    bool garbled;     /* FAILED: it can't be understood; status does not matter */
    bool spent;       /* FAILED: a cap on money */
    bool large;       /* FAILED: the question is too long */
    int64_t reset_us; /* FAILED: wall time at which a limit ends; 0: not said */
    BrainUsage usage;
} ApiResult;
void api_result_clear(ApiResult *result);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ApiResult, api_result_clear)

typedef struct ApiKind {
    const char *url;     /* the provider's own */
    const char *path;    /* behind the url */
    const char *key_env; /* where its key is by custom; used for its own url alone */
    const char *const *headers;
    const char *key_header;        /* "x-api-key: %s" in two parts: this and the key */
    const char *request_id_header; /* in lower case */
    int64_t stall_us;              /* longest silence; 0: it may be silent while it thinks */
    /* The question as JSON, in a form that needs nothing of ask->lacks; own: it goes to the
     * provider's own url. NULL with ERR_NEVER: the schema is not one that can be asked for. */
    json_t *(*build)(const BrainAsk *ask, bool own, GError **error);
    /* After a 400 or 422 with this text: puts the question in another form, and adds to *lacks
     * what every question will have to do without. False: there is none left that could help. */
    bool (*reshape)(json_t *question, const char *complaint, unsigned *lacks);
    /* A reply of status 200. */
    void (*read)(const HttpReply *reply, ApiResult *ret);
} ApiKind;

bool api_start(const BrainOps *ops,
               const BrainAsk *ask,
               void **ret_state,
               BrainAnswer *ret_now,
               GError **error);
int64_t api_most(const BrainOps *ops, const BrainAsk *ask);
unsigned api_poll(void *state, struct pollfd fds[BRAIN_POLL_MAX], int64_t *ret_wait_us);
bool api_work(void *state);
void api_end(void *state);
void api_answer(void *state, BrainAnswer *ret);
void api_free(void *state);
/* The BrainOps of a kind. */
#define API_BRAIN_OPS(brain_kind, api_kind)                                                    \
    {                                                                                          \
        .kind = (brain_kind), .api = (api_kind), .start = api_start, .poll = api_poll,               \
        .work = api_work, .end = api_end, .answer = api_answer, .free = api_free,              \
        .most = api_most                                                                       \
    }

/* --- for kinds --- */

/* What the model did is of no use, and asking the same again would be of no use either. */
void api_result_fail(ApiResult *result, BrainEnd end, const char *fmt, ...) G_GNUC_PRINTF(3, 4);
/* What came is no reply of such an API. */
void api_result_garbled(ApiResult *result, const char *fmt, ...) G_GNUC_PRINTF(2, 3);
/* The JSON of a reply whose content type says that it is; what: "a message". NULL: garbled. */
json_t *api_read_json(const HttpReply *reply, const char *what, ApiResult *result);
/* A count of tokens in an object; 0 when it is absent or absurd. */
int64_t api_tokens(const json_t *object, const char *name);
/* True when the text has one of the NULL-terminated words, in any case. */
bool api_mentions(const char *text, const char *const *words);
/* The file as "data:TYPE;base64,…", or its base64 alone; caller frees. */
char *api_file_base64(const BrainFile *file, bool as_url);
bool api_is_pdf(const char *media_type);
/* Takes the files out of a question's content where the complaint is about one, with a word to
 * the model: one picture that a provider can't read must not end the job. */
bool api_drop_files(json_t *content, const char *complaint);

/* --- api_error.c --- */

/* What somebody else wrote, as a person may read it: without controls, short; caller frees. */
char *api_one_line(const char *text, size_t len);
/* A reply of any other status: what it says, whether it is about money, when a limit ends. */
void api_error_read(const HttpReply *reply, int64_t now_us, ApiResult *ret);
/* The same for an error object inside a reply of status 200. */
void api_error_read_json(const json_t *error, ApiResult *ret);
