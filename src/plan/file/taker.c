#include "plan/file/taker.h"
#include <sys/stat.h>

/* Ancestors that are looked at; a shell in a shell in an agent is a handful. */
#define ANCESTORS 64

static int64_t
pid_space(void)
{
    struct stat st;

    return stat("/proc/self/ns/pid", &st) == 0 ? (int64_t)st.st_ino : 0;
}

/* The parent of a process; 0: not known. */
static pid_t
process_parent(pid_t pid)
{
    g_autofree char *path = g_strdup_printf("/proc/%d/stat", (int)pid);
    g_autofree char *stat = NULL;
    int64_t parent;

    if (!g_file_get_contents(path, &stat, NULL, NULL))
        return 0;
    const char *p = strrchr(stat, ')'); /* the name may hold anything: ") S 12 …" */
    g_auto(GStrv) fields = g_strsplit(p ? p : "", " ", 4);
    return g_strv_length(fields) > 2 && text_parse_int(fields[2], 0, INT32_MAX, &parent)
               ? (pid_t)parent
               : 0;
}

/* The nearest ancestor with a program of this name; 0: there is none. */
static pid_t
ancestor_named(const char *name)
{
    pid_t pid = getppid();

    for (int i = 0; i < ANCESTORS && pid > 1; i++, pid = process_parent(pid)) {
        g_autofree char *path = g_strdup_printf("/proc/%d/comm", (int)pid);
        g_autofree char *comm = NULL;

        if (g_file_get_contents(path, &comm, NULL, NULL) && g_str_has_prefix(comm, name))
            return pid;
    }
    return 0;
}

/* The process of the client whose session the environment names. */
static pid_t
client_pid(bool claude)
{
    int64_t pid;

    if (!claude)
        return ancestor_named("codex");
    if (text_parse_int(g_getenv("CLAUDE_PID") ? g_getenv("CLAUDE_PID") : "", 2, INT32_MAX,
                       &pid))
        return (pid_t)pid;
    return ancestor_named("claude");
}

static const char *
env_text(const char *name)
{
    const char *value = g_getenv(name);

    return value && *value && g_utf8_validate(value, -1, NULL) ? value : NULL;
}

/* One that is not there has ended, or is in another space of processes: whoever looks at the claim can tell
 * (claim_is_alive()). */
static ProcIdent
ident_of(pid_t pid)
{
    ProcIdent process = {.pid = pid};

    (void)proc_ident_of(pid, &process);
    return process;
}

Taker
taker_of_caller(const char *session)
{
    const char *claude = env_text("CLAUDE_CODE_SESSION_ID");
    const char *codex = env_text("CODEX_SESSION_ID");
    const char *told = claude ? claude : codex;
    Taker taker = {.boot = proc_boot_id(), .space = pid_space()};
    pid_t pid = getppid();

    if (session && !*session)
        session = NULL;
    if (!session && env_text(TAKER_SESSION_ENV)) {
        int64_t run;
        taker.session = g_strdup(env_text(TAKER_SESSION_ENV));
        if (text_parse_int(env_text(TAKER_PID_ENV) ? env_text(TAKER_PID_ENV) : "", 2, INT32_MAX,
                           &run))
            taker.process = ident_of((pid_t)run);
        return taker;
    }
    if (session || told) {
        taker.session = g_strdup(session ? session : told);
        pid = told && g_str_equal(taker.session, told) ? client_pid(claude != NULL) : 0;
    }
    if (pid > 1)
        taker.process = ident_of(pid);
    return taker;
}

void
taker_clear(Taker *taker)
{
    g_clear_pointer(&taker->session, g_free);
}

json_t *
taker_claim(const Taker *taker, const char *now)
{
    json_t *claim = json_pack("{s:s}", "since", now);

    if (taker->session)
        json_object_set_new(claim, "session", json_string(taker->session));
    if (taker->process.pid > 0) {
        json_object_set_new(claim, "pid", json_integer(taker->process.pid));
        json_object_set_new(claim, "start", json_integer(taker->process.start_time));
        json_object_set_new(claim, "boot", json_string(taker->boot));
        json_object_set_new(claim, "space", json_integer(taker->space));
    }
    return claim;
}

static const char *
claim_text(const json_t *claim, const char *name)
{
    return json_string_value(json_object_get(claim, name));
}

static ProcIdent
claim_process(const json_t *claim)
{
    return (ProcIdent){.pid = (pid_t)json_integer_value(json_object_get(claim, "pid")),
                       .start_time = json_integer_value(json_object_get(claim, "start"))};
}

static bool
is_of_here(const json_t *claim)
{
    return g_strcmp0(claim_text(claim, "boot"), proc_boot_id()) == 0 &&
           json_integer_value(json_object_get(claim, "space")) == pid_space();
}

bool
taker_has(const Taker *taker, const json_t *claim)
{
    const char *session = claim_text(claim, "session");
    ProcIdent process = claim_process(claim);

    if (!json_is_object(claim))
        return false;
    if (session || taker->session)
        return g_strcmp0(session, taker->session) == 0;
    return process.pid > 0 && process.pid == taker->process.pid &&
           process.start_time == taker->process.start_time &&
           g_strcmp0(claim_text(claim, "boot"), taker->boot) == 0;
}

bool
claim_is_alive(const json_t *claim)
{
    ProcIdent process = claim_process(claim);
    const char *boot = claim_text(claim, "boot");

    if (!json_is_object(claim))
        return false;
    if (process.pid <= 0)
        return claim_text(claim, "session") !=
               NULL; /* ends with its session: hook session-end */
    if (!is_of_here(claim))
        return g_strcmp0(boot, proc_boot_id()) == 0;
    return proc_alive(&process);
}

char *
claim_words(const json_t *claim)
{
    const char *session = claim_text(claim, "session");

    if (session && g_str_has_prefix(session, TAKER_RUN))
        return g_strdup("plan run");
    if (session)
        return g_strdup_printf("session %s", session);
    return g_strdup_printf("process %d", (int)claim_process(claim).pid);
}

/* A shell that a client starts for a hook has the hook's command for its text, and feeds it nothing. */
static bool
runs_hook_alone(pid_t pid)
{
    g_autofree char *path = g_strdup_printf("/proc/%d/cmdline", (int)pid);
    g_autofree char *text = NULL;
    gsize len;

    if (!g_file_get_contents(path, &text, &len, NULL))
        return false;
    for (gsize i = 0; i < len; i++)
        text[i] = text[i] ? text[i] : ' ';
    return strstr(text, TAKER_HOOK) && !strpbrk(text, "|<\n") && !strstr(text, "eval ");
}

/* Is the claim's process above us, with nothing but such processes in between? NULL: any. */
static bool
climbs_to(const json_t *claim, bool (*may_pass)(pid_t))
{
    ProcIdent process = claim_process(claim), now;
    pid_t pid = getppid();

    if (process.pid <= 0 || !is_of_here(claim))
        return false;
    for (int i = 0; i < ANCESTORS && pid > 1; i++, pid = process_parent(pid)) {
        if (pid == process.pid)
            return proc_ident_of(pid, &now) && now.start_time == process.start_time;
        if (may_pass && !may_pass(pid))
            return false;
    }
    return false;
}

bool
taker_is_below(const json_t *claim)
{
    return climbs_to(claim, NULL);
}

bool
taker_is_hook_of(const json_t *claim)
{
    return climbs_to(claim, runs_hook_alone);
}
