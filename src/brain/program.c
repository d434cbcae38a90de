#include "brain/program.h"
#include "base/proc.h"
#include "brain/price.h"
#include <sys/wait.h>

#define REASON_CHARS 200
/* STOP ends a program within two seconds: an interrupt has one, TERM the other. */
#define STOP_US USEC_PER_SEC
/* A session in which no call waits does not say so: a bare resume of it reads stdin for ever. */
#define BARE_SILENCE_US (10 * USEC_PER_SEC)
/* A program that says of itself that it can't reach its provider, and nothing else, is ended. */
#define STUCK_US (300 * USEC_PER_SEC)
/* What a program may still do when it has answered and nothing more will come. */
#define LINGER_US (30 * USEC_PER_SEC)

typedef struct Program {
    const ProgramKind *kind;
    Proc *proc;
    Stream *stream;
    PriceTable *prices; /* NULL: its stream says what it costs */
    char *model;
    int64_t budget_micro; /* 0: the program ends by itself, or there is no limit */
    char *prompt_id;      /* of the line that is the prompt; NULL */
    int64_t silent_us;    /* when a bare resume has been silent for too long; USEC_NEVER */
    int64_t stuck_us;     /* when it has been stuck for too long; USEC_NEVER: it is not */
    void (*said)(void *data, const BrainEvent *event);
    void *said_data;
    bool ended; /* somebody asked it to end */
    bool bare;
    bool spent;
} Program;

static void
program_free(void *state)
{
    Program *p = state;

    if (!p)
        return;
    proc_free(p->proc);
    stream_free(p->stream);
    price_free(p->prices);
    free_all(p->model, p->prompt_id, p);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Program, program_free)

/* --- what it reads --- */

/* A line of a person's, as a two-way program reads it. */
static char *
user_line(const char *id, const char *text)
{
    g_autoptr(json_t) line = json_pack("{s:s, s:s, s:{s:s, s:s}}", "type", "user", "uuid", id,
                                       "message", "role", "user", "content", text);
    g_autofree char *json = line ? json_format(line) : g_strdup("");

    return g_strconcat(json, "\n", NULL);
}

/* A program has one stdin: instructions, question and form of the answer are one text. */
static char *
question_text(const BrainAsk *ask)
{
    g_autofree char *question = brain_question(ask);
    g_autofree char *rule = ask->schema ? brain_schema_rule(ask->schema) : NULL;

    return g_strconcat(ask->system ? ask->system : "", ask->system ? "\n\n" : "", question,
                       rule ? "\n" : "", rule ? rule : "", NULL);
}

static GBytes *
build_input(Program *p, const BrainAsk *ask)
{
    g_autofree char *text = question_text(ask);

    if (p->bare)
        return NULL;
    if (!p->kind->two_way)
        return g_bytes_new_take(g_strdup(text), strlen(text));
    p->prompt_id = g_uuid_string_random();
    g_ptr_array_add(p->stream->untold, g_strdup(p->prompt_id));
    char *line = user_line(p->prompt_id, text);
    return g_bytes_new_take(line, strlen(line));
}

/* --- what it says --- */

/* The prompt's own receipt is nobody's news. */
static void
pass_on(void *data, const BrainEvent *event)
{
    Program *p = data;

    if (event->kind != BRAIN_SAID_RECEIPT || g_strcmp0(event->text, p->prompt_id) != 0)
        p->said(p->said_data, event);
}

static void
watch_budget(Program *p)
{
    if (p->budget_micro == 0 || p->stream->cost_micro < p->budget_micro ||
        p->stream->finished || p->spent)
        return;
    p->spent = true;
    proc_end(p->proc);
}

/* From within proc_work(). */
static void
take_output(void *data, const void *bytes, size_t len)
{
    Program *p = data;
    Stream *s = p->stream;

    stream_take(s, bytes, len);
    p->silent_us = USEC_NEVER;
    if (!s->words)
        p->stuck_us = USEC_NEVER;
    else if (p->stuck_us == USEC_NEVER)
        p->stuck_us = clock_mono_us() + clock_patience_us(STUCK_US);
    if (s->reply->len > 0)
        (void)proc_feed(p->proc, s->reply->str, s->reply->len);
    g_string_truncate(s->reply, 0);
    if (p->kind->two_way && proc_takes_input(p->proc) &&
        (stream_is_done(s) || (p->ended && s->finished))) {
        proc_close_input(p->proc);
        proc_end_after(p->proc, LINGER_US);
    }
    watch_budget(p);
}

/* --- start --- */

static GPtrArray *
build_argv(const BrainAsk *ask, const ProgramKind *kind, const char *path)
{
    GPtrArray *argv = g_ptr_array_new_with_free_func(g_free);

    for (const char *const *word = ask->wrap; word && *word; word++)
        g_ptr_array_add(argv, g_strdup(*word));
    g_ptr_array_add(argv, g_strdup(path));
    for (const char *const *word = ask->conf->command + 1; *word; word++)
        g_ptr_array_add(argv, g_strdup(*word));
    if (kind->add_args)
        kind->add_args(ask, argv);
    g_ptr_array_add(argv, NULL);
    return argv;
}

static bool
spawn(Program *p, const BrainAsk *ask, const char *path, char **env, GError **error)
{
    g_autoptr(GPtrArray) argv = build_argv(ask, p->kind, path);
    g_autoptr(GBytes) input = build_input(p, ask);
    const ProcSpec spec = {
        .argv = (const char *const *)argv->pdata,
        .env = (const char *const *)env,
        .cwd = ask->cwd,
        .input = input,
        .keep_input = p->kind->two_way,
        .walled = ask->walled,
        .out = take_output,
        .out_data = p,
        .limits = {.time_us = ask->conf->timeout_us,
                   .grace_us = STOP_US,
                   .memory = ask->conf->memory},
    };

    if (p->bare)
        p->silent_us = clock_mono_us() + clock_patience_us(BARE_SILENCE_US);
    return proc_talk(&spec, &p->proc, error);
}

static Stream *
open_stream(Program *p, const BrainAsk *ask)
{
    ConfParser parser = p->kind->parser ? p->kind->parser : ask->conf->parser;
    Stream *s = stream_new(stream_parser(parser));

    s->answer_max = ask->conf->output;
    s->log_fd = ask->log_fd;
    s->clock = ask->clock;
    s->said = ask->said ? pass_on : NULL;
    s->said_data = p;
    s->permit = ask->permit;
    s->session_usage = ask->session_usage;
    return s;
}

static Program *
program_new(const BrainAsk *ask, const ProgramKind *kind)
{
    Program *p = g_new0(Program, 1);

    p->kind = kind;
    p->said = ask->said;
    p->said_data = ask->said_data;
    p->bare = kind->two_way && ask->bare && ask->session;
    p->silent_us = p->stuck_us = USEC_NEVER;
    p->model = g_strdup(ask->conf->model ? ask->conf->model : "");
    if (!kind->has_budget && ask->budget_micro < INT64_MAX)
        p->budget_micro = MAX(ask->budget_micro, 0);
    p->stream = open_stream(p, ask);
    return p;
}

/* What is wrong with the brain itself, in *ret_broken; caller frees. */
static bool
try_start(Program *p, const BrainAsk *ask, char **ret_broken, GError **error)
{
    g_auto(GStrv) env = NULL;
    g_autoptr(GError) failure = NULL;
    g_autofree char *path = NULL;

    bool ready = program_env(ask, p->kind, &env, &failure) &&
                 (!p->kind->priced || price_load(ask->home, &p->prices, &failure));
    if (ready)
        path = program_find(ask->conf, ask->home, env, ret_broken);
    if (path && !spawn(p, ask, path, env, &failure) && !err_is(failure, ERR_NEVER))
        return err_pass(error, g_steal_pointer(&failure));
    if (failure)
        *ret_broken = g_strdup(failure->message); /* also: no interpreter, or no folder */
    return true;
}

static bool
program_start(const BrainOps *ops,
              const BrainAsk *ask,
              void **ret_state,
              BrainAnswer *ret_now,
              GError **error)
{
    const ConfBrain *conf = ask->conf;

    if (!conf->command || !conf->command[0] || !*conf->command[0])
        return err_set(error, ERR_CONFIG, "no command is set");

    g_autoptr(Program) p = program_new(ask, program_kind(ops->kind));
    g_autofree char *broken = NULL, *refused = p->kind->refuse ? p->kind->refuse(ask) : NULL;
    if (!refused && !try_start(p, ask, &broken, error))
        return false;
    if (refused)
        *ret_now = brain_failed(BRAIN_REFUSED, refused);
    else if (broken)
        *ret_now = brain_failed(BRAIN_BROKEN, broken);
    else
        *ret_state = g_steal_pointer(&p);
    return true;
}

/* --- while it works --- */

static unsigned
program_poll(void *state, struct pollfd fds[BRAIN_POLL_MAX], int64_t *ret_wait_us)
{
    _Static_assert(BRAIN_POLL_MAX >= 4, "proc_poll() fills up to 4");
    Program *p = state;
    unsigned n = proc_poll(p->proc, fds, ret_wait_us);
    int64_t next = MIN(p->silent_us, p->stuck_us);

    if (next != USEC_NEVER)
        *ret_wait_us = MIN(*ret_wait_us, MAX(next - clock_mono_us(), 0));
    return n;
}

static bool
program_work(void *state)
{
    Program *p = state;
    int64_t now = clock_mono_us();

    if (p->silent_us <= now) {
        p->silent_us = USEC_NEVER;
        proc_close_input(p->proc);
    }
    if (p->stuck_us <= now) {
        p->stuck_us = USEC_NEVER;
        proc_end(p->proc);
    }
    return proc_work(p->proc);
}

/* Only where the program says what becomes of a line: else nobody would know whether it was
 * read. */
static bool
program_steer(void *state, const char *uuid, const char *text)
{
    Program *p = state;

    if (!p->kind->two_way || !p->stream->receipts || p->ended || stream_is_done(p->stream))
        return false;
    g_autofree char *line = user_line(uuid, text);
    if (!proc_feed(p->proc, line, strlen(line)))
        return false;
    g_ptr_array_add(p->stream->untold, g_strdup(uuid));
    return true;
}

static void
program_end(void *state)
{
    static const char interrupt[] = "{\"type\":\"control_request\",\"request_id\":\"stop\","
                                    "\"request\":{\"subtype\":\"interrupt\"}}\n";
    Program *p = state;

    if (p->ended)
        return;
    p->ended = true;
    if (p->kind->two_way && proc_feed(p->proc, interrupt, strlen(interrupt)))
        proc_end_after(p->proc, STOP_US);
    else
        proc_end(p->proc);
}

/* --- how it ended --- */

/* The last line of a cleaned text, shortened; caller frees. */
static char *
last_line(const char *text)
{
    const char *newline = strrchr(text, '\n');
    g_autofree char *line = g_strstrip(g_strdup(newline ? newline + 1 : text));
    return text_shorten(line, REASON_CHARS);
}

/* The trampoline (base/limit_main.c) could not become the program: the file went away after we
 * looked, its interpreter is missing, or a limit can't be set. */
static bool
never_began(const ProcEnd *end, const char *log)
{
    return WIFEXITED(end->status) &&
           (WEXITSTATUS(end->status) == 126 || WEXITSTATUS(end->status) == 127) &&
           g_str_has_prefix(log, "postrider-limit: ");
}

/* By sysexits(3): a wrong call, wrong data, no such file, no right, wrong settings. The rest may
 * pass. A program that ended well has said nothing. */
static BrainEnd
end_by_status(const ProcEnd *end)
{
    static const int never[] = {64, 65, 66, 77, 78};

    if (!end->why)
        return BRAIN_FAILED;
    for (size_t i = 0; i < G_N_ELEMENTS(never) && WIFEXITED(end->status); i++) {
        if (WEXITSTATUS(end->status) == never[i])
            return BRAIN_REFUSED;
    }
    return BRAIN_EXITED;
}

static void
fail(BrainAnswer *ret, BrainEnd end, const char *why, const char *said)
{
    ret->end = end;
    ret->failed =
        said && *said ? g_strdup_printf("%s: %s", why, said) : g_strdup(why);
}

/* Nothing that the program said tells how it ended: its status and stderr do. */
static void
judge_status(const Program *p, const ProcEnd *end, BrainAnswer *ret)
{
    g_autofree char *said = last_line(ret->log);
    const char *nothing = p->stream->parser->raw ? "it printed nothing"
                          : p->stream->skipped   ? "it ended without an answer that fits a line"
                          : p->stream->finished  ? "it answered nothing"
                                                 : "it ended without an answer";

    if (!end->why && *ret->text && (p->stream->parser->raw || !p->kind->two_way))
        return;
    if (!end->why && p->bare && !p->stream->finished)
        fail(ret, BRAIN_IDLE, "no call waits in this session", NULL);
    else
        fail(ret, end_by_status(end), end->why ? end->why : nothing, said);
    ret->mute = !end->why && !*ret->text && ret->end == BRAIN_FAILED &&
                (p->stream->parser->raw || p->stream->finished);
}

static void
judge(const Program *p, const ProcEnd *end, BrainAnswer *ret)
{
    const Stream *s = p->stream;

    if (never_began(end, ret->log)) {
        fail(ret, BRAIN_BROKEN, end->why, NULL);
    } else if (p->spent && !s->finished) {
        fail(ret, BRAIN_SPENT, "it has cost what it may", NULL);
    } else if (s->failed) {
        fail(ret, s->end, s->failed, NULL);
        ret->retry = s->retry;
    } else if (!s->deferred && !(s->finished && *ret->text)) {
        judge_status(p, end, ret);
    }
}

static void
program_answer(void *state, BrainAnswer *ret)
{
    Program *p = state;
    Stream *s = p->stream;
    const ProcEnd *end = proc_result(p->proc);
    gsize len;
    const void *err = g_bytes_get_data(end->err, &len);

    *ret = (BrainAnswer){.log = brain_clean(err, len)};
    stream_end(s, ret->log);
    ret->text = brain_clean(s->answer->str, s->answer->len);
    ret->cut = s->cut;
    ret->usage = s->usage;
    ret->session_usage = s->session_usage;
    ret->cost_micro =
        p->prices ? price_cost_sum(p->prices, p->model, &s->usage) : s->cost_micro;
    ret->session = g_strdup(s->session);
    judge(p, end, ret);
    if (ret->end == BRAIN_OK && s->deferred)
        ret->deferred_call = g_strdup(s->deferred_call);
}

#define PROGRAM_OPS(brain_kind)                                                                \
    {                                                                                          \
        .kind = (brain_kind), .start = program_start, .poll = program_poll,                    \
        .work = program_work,                                                                  \
        .steer = program_steer, .end = program_end, .answer = program_answer,                  \
        .free = program_free                                                                   \
    }
const BrainOps brain_command = PROGRAM_OPS(BRAIN_COMMAND), brain_claude = PROGRAM_OPS(BRAIN_CLAUDE),
               brain_codex = PROGRAM_OPS(BRAIN_CODEX), brain_opencode = PROGRAM_OPS(BRAIN_OPENCODE);
