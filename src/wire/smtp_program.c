#include "base/clock.h"
#include "base/proc.h"
#include "base/secret.h"
#include "wire/smtp.h"
#include "wire/smtp_text.h"
#include <sys/wait.h>
#include <sysexits.h>

#define WAIT_US (300 * USEC_PER_SEC)
#define GRACE_US (2 * USEC_PER_SEC)
#define SAID_CHARS 300u

/* One run of the program. */
typedef struct Call {
    const SmtpMail *mail;
    SmtpResult *results;
    GPtrArray *argv; /* borrowed strings, NULL-terminated once it runs */
    GArray *to;      /* size_t: the recipients that it is run for */
} Call;

static void
give(Call *c, size_t i, SmtpEnd end, const char *text)
{
    c->results[i] = (SmtpResult){.end = end, .text = g_strdup(text)};
}

static void
give_all(Call *c, SmtpEnd end, const char *text)
{
    for (guint k = 0; k < c->to->len; k++)
        give(c, g_array_index(c->to, size_t, k), end, text);
}

/* Programs of this kind read lines as the system has them. */
static GBytes *
with_lf(GBytes *mail)
{
    gsize len, n = 0;
    const char *p = g_bytes_get_data(mail, &len);

    if (len == 0 || !memchr(p, '\r', len))
        return g_bytes_ref(mail);
    char *out = g_malloc(len);
    for (gsize i = 0; i < len; i++) {
        if (p[i] == '\r' && i + 1 < len && p[i + 1] == '\n')
            continue;
        out[n++] = p[i] == '\r' ? '\n' : p[i];
    }
    return g_bytes_new_take(out, n);
}

static void
pick_recipients(Call *c)
{
    for (size_t i = 0; i < c->mail->n_to; i++) {
        if (smtp_address_valid(c->mail->to[i])) {
            g_array_append_val(c->to, i);
            continue;
        }
        g_autofree char *safe = text_vis(c->mail->to[i], false);
        g_autofree char *text =
            g_strdup_printf("'%s' is no address that can be written to", safe);
        give(c, i, SMTP_NEVER, text);
    }
}

/* False when it can't be run for this mail; then all have their results. */
static bool
check(Call *c, const char *const *argv)
{
    for (const char *const *arg = argv; *arg; arg++) {
        if (!g_str_equal(*arg, "-t"))
            continue;
        g_autofree char *text =
            g_strdup_printf("'%s' must not be told -t: it is given the recipients", argv[0]);
        give_all(c, SMTP_RETRY, text);
        return false;
    }
    if (c->mail->from[0] && !smtp_address_valid(c->mail->from)) {
        g_autofree char *safe = text_vis(c->mail->from, false);
        g_autofree char *text = g_strdup_printf("'%s' is no address that can send", safe);
        give_all(c, SMTP_NEVER, text);
        return false;
    }
    return c->to->len > 0;
}

static void
make_argv(Call *c, const char *const *argv)
{
    for (const char *const *arg = argv; *arg; arg++)
        g_ptr_array_add(c->argv, (char *)*arg);
    g_ptr_array_add(c->argv, (char *)"-f");
    g_ptr_array_add(c->argv, (char *)c->mail->from);
    g_ptr_array_add(c->argv, (char *)"--");
    for (guint k = 0; k < c->to->len; k++)
        g_ptr_array_add(c->argv, (char *)c->mail->to[g_array_index(c->to, size_t, k)]);
    g_ptr_array_add(c->argv, NULL);
}

/* Those that speak of the mail; all others speak of the program, its server or its settings. */
static SmtpEnd
end_of(const ProcEnd *end)
{
    if (end->timed_out || !WIFEXITED(end->status))
        return SMTP_DOUBT;
    switch (WEXITSTATUS(end->status)) {
    case EX_OK:
        return SMTP_SENT;
    case EX_DATAERR:
    case EX_NOUSER:
    case EX_NOHOST:
        return SMTP_NEVER;
    default:
        return SMTP_RETRY;
    }
}

/* "msmtp: exit 67: msmtp: recipient address x not accepted". Caller frees. */
static char *
words_of(const char *program, const ProcEnd *end)
{
    g_autofree char *valid = secret_hide(text_valid_bytes(end->err));
    g_autofree char *safe = text_vis(g_strstrip(valid), false);
    g_autofree char *said = text_shorten(safe, SAID_CHARS);

    if (!end->why)
        return g_strdup_printf("'%s' took it", program);
    return g_strdup_printf("'%s': %s%s%s", program, end->why, *said ? ": " : "", said);
}

/* False: it was ended, since we were asked to stop and it had its time. */
static bool
wait_for(Proc *proc, const SmtpPlace *place)
{
    struct pollfd fds[4];
    int64_t wait_us, stop_us = USEC_NEVER;
    bool waits = place->stop && place->stop_us > 0, ended = false;

    while (!proc_work(proc)) {
        if (waits && stop_us == USEC_NEVER && place->stop())
            stop_us = clock_mono_us() + place->stop_us;
        if (!ended && clock_mono_us() >= stop_us) {
            proc_end(proc);
            ended = true;
        }
        unsigned n = proc_poll(proc, fds, &wait_us);
        (void)poll(fds, n, (int)(MIN(wait_us, USEC_PER_SEC) / USEC_PER_MSEC) + 1);
    }
    return !ended;
}

static void
run(Call *c, const SmtpPlace *place)
{
    g_autoptr(GBytes) input = with_lf(c->mail->bytes);
    g_autoptr(GError) error = NULL;
    g_autoptr(Proc) proc = NULL;
    g_auto(GStrv) env = secret_environ();
    ProcSpec spec = {.argv = (const char *const *)c->argv->pdata,
                     .env = (const char *const *)env,
                     .input = input,
                     .limits.grace_us = GRACE_US,
                     .limits.time_us = place->wait_us > 0 ? place->wait_us : WAIT_US};

    if (!proc_talk(&spec, &proc, &error)) {
        give_all(c, SMTP_RETRY, error->message); /* it has not begun */
        return;
    }
    bool by_itself = wait_for(proc, place);
    const ProcEnd *end = proc_result(proc);
    g_autofree char *words =
        by_itself ? words_of(spec.argv[0], end)
                  : g_strdup_printf("'%s': asked to stop before it had ended", spec.argv[0]);
    give_all(c, by_itself ? end_of(end) : SMTP_DOUBT, words);
}

void
smtp_program_send(const char *const *argv,
                  const SmtpPlace *place,
                  const SmtpMail *mail,
                  SmtpResult *ret)
{
    g_autoptr(GPtrArray) all = g_ptr_array_new();
    g_autoptr(GArray) to = g_array_new(FALSE, FALSE, sizeof(size_t));
    g_autoptr(GError) error = NULL;
    Call c = {.mail = mail, .results = ret, .argv = all, .to = to};

    pick_recipients(&c);
    if (!check(&c, argv))
        return;
    make_argv(&c, argv);
    if (mail->last_byte && !mail->last_byte(mail->user, &error))
        give_all(&c, SMTP_RETRY, error ? error->message : "not to be sent now");
    else
        run(&c, place);
}
