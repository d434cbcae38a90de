/*
 * Waiting for news. IDLE is no command like the others: its reply comes when we say DONE, and
 * what wakes us may be three descriptors. The timer counts through suspend, so a laptop that
 * wakes up after an hour renews its IDLE at once and finds out that the connection is dead.
 *
 *    say IDLE --"+"--> sleeping --news, wake_fd, timer--> say DONE --tagged--> out, or again
 */
#include "base/clock.h"
#include "wire/imap_conn.h"
#include <poll.h>
#include <sys/timerfd.h>

#define ASK_US (60 * USEC_PER_SEC) /* where there is no IDLE */

typedef struct Sleep {
    int wake_fd, timer_fd;
    int64_t end_us; /* of all of it, on the monotonic clock */
} Sleep;

/* What ended a sleep: these, or the server said something (0). */
enum { HEARD = 0, WOKEN = 1, RANG = 2 };

static bool
set_timer(const Sleep *sleep, int64_t span_us, GError **error)
{
    int64_t us = MAX(1, MIN(span_us, sleep->end_us - clock_mono_us()));
    struct itimerspec when = {
        .it_value = {.tv_sec = us / USEC_PER_SEC, .tv_nsec = us % USEC_PER_SEC * 1000}};

    return timerfd_settime(sleep->timer_fd, 0, &when, NULL) == 0 ||
           err_set_errno(error, errno, "setting a timer");
}

/* One of HEARD, WOKEN, RANG; -1 with error. */
static int
sleep_once(ImapConn *conn, const Sleep *sleep, GError **error)
{
    struct pollfd fds[] = {{.fd = conn->fd, .events = POLLIN},
                           {.fd = sleep->wake_fd, .events = POLLIN},
                           {.fd = sleep->timer_fd, .events = POLLIN},
                           {.fd = conn->stop_fd, .events = POLLIN}};

    while (poll(fds, G_N_ELEMENTS(fds), -1) < 0)
        if (errno != EINTR)
            return err_set_errno(error, errno, "waiting for the server") - 1;
    if (fds[3].revents)
        return err_set(error, ERR_CANCELLED, "we were asked to stop") - 1;
    if (fds[0].revents)
        return HEARD;
    return fds[1].revents ? WOKEN : RANG;
}

/* --- by IDLE --- */

static bool
say_idle(ImapConn *conn, GError **error)
{
    g_autofree char *line = g_strdup_printf("P%u IDLE\r\n", ++conn->tag);

    imap_begin(conn);
    if (!imap_say(conn, line, strlen(line), error))
        return false;
    for (;;) {
        const ImapResponse *r = imap_hear(conn, error);
        if (!r)
            return false;
        if (r->kind == IMAP_CONTINUE)
            return true;
        if (r->kind == IMAP_TAGGED) {
            g_autofree char *text = imap_slice_vis(r->text);
            return err_set(error, ERR_LATER, "the server won't idle: %s", text);
        }
    }
}

static bool
say_done(ImapConn *conn, GError **error)
{
    g_autofree char *tag = g_strdup_printf("P%u", conn->tag);
    const ImapResponse *r;

    imap_begin(conn);
    if (!imap_say(conn, "DONE\r\n", 6, error))
        return false;
    do {
        r = imap_hear(conn, error);
        if (!r)
            return false;
    } while (r->kind != IMAP_TAGGED);
    return (imap_slice_is(r->tag, tag) && r->status == IMAP_OK) ||
           err_set(error, ERR_LATER, "the server ends IDLE in an odd way");
}

/* As sleep_once(); HEARD: there are news. All that is there is read before sleeping, since TLS
 * may hold bytes that poll(2) does not see, and poll(2) may see bytes that are TLS's own. What
 * is no news ("still here") does not end it. */
static int
hear_or_sleep(ImapConn *conn, const Sleep *sleep, GError **error)
{
    while (!conn->news) {
        int there = imap_try_read(conn, error);
        if (there < 0)
            return -1;
        if (there == 0) {
            int why = sleep_once(conn, sleep, error);
            if (why != HEARD)
                return why;
            continue;
        }
        unsigned heard = conn->n_responses;
        imap_begin(conn); /* a response that has begun must also end */
        conn->n_responses = heard;
        const ImapResponse *r = imap_hear(conn, error);
        if (!r)
            return -1;
        if (r->kind != IMAP_UNTAGGED)
            return err_set(error, ERR_LATER, "the server ends IDLE by itself") - 1;
    }
    return HEARD;
}

static int
by_idle(ImapConn *conn, const Sleep *sleep, GError **error)
{
    int why;

    do {
        if (!set_timer(sleep, conn->idle_us, error) || !say_idle(conn, error))
            return -1;
        why = hear_or_sleep(conn, sleep, error);
        if (why < 0 || !say_done(conn, error))
            return -1;
    } while (why == RANG && !conn->news && clock_mono_us() < sleep->end_us);
    return why;
}

/* --- by asking --- */

static int
by_asking(ImapConn *conn, const Sleep *sleep, GError **error)
{
    int why;

    do {
        if (!imap_noop(conn, error))
            return -1;
        if (conn->news)
            return HEARD;
        if (!set_timer(sleep, MIN(conn->idle_us, ASK_US), error))
            return -1;
        why = sleep_once(conn, sleep, error);
    } while (why == HEARD || (why == RANG && clock_mono_us() < sleep->end_us));
    return why;
}

static bool
wait_for_news(ImapConn *conn, const Sleep *sleep, ImapNews *ret, GError **error)
{
    GError *why = NULL;

    conn->idling = true;
    int ended =
        imap_can(conn, "IDLE") ? by_idle(conn, sleep, &why) : by_asking(conn, sleep, &why);
    conn->idling = false;
    if (ended < 0)
        return imap_break(conn, why, error);
    *ret = ended == WOKEN ? IMAP_WOKEN : conn->news ? IMAP_NEWS : IMAP_QUIET;
    return true;
}

bool
imap_idle(ImapConn *conn, int64_t timeout_us, int wake_fd, ImapNews *ret, GError **error)
{
    int64_t now = clock_mono_us();
    auto_fd timer = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
    Sleep sleep = {.wake_fd = wake_fd, .timer_fd = timer};

    sleep.end_us = timeout_us < USEC_NEVER - now ? now + timeout_us : USEC_NEVER;
    if (!imap_check(conn, error))
        return false;
    if (timer < 0)
        return err_set_errno(error, errno, "making a timer");
    if (conn->news)
        *ret = IMAP_NEWS;
    else if (!wait_for_news(conn, &sleep, ret, error))
        return err_prefix(error, "waiting for mail");
    if (*ret == IMAP_NEWS)
        conn->news = false;
    return true;
}
