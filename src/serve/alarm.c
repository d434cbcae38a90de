#include "serve/alarm.h"
#include "base/clock.h"
#include <sys/timerfd.h>

/* A year: what is later is looked at again then. */
#define WALL_MAX_US (366 * 24 * 3600 * USEC_PER_SEC)

bool
alarm_open(Alarm *ret, GError **error)
{
    int flags = TFD_CLOEXEC | TFD_NONBLOCK;

    ret->mono_fd = timerfd_create(CLOCK_BOOTTIME, flags);
    ret->wall_fd = timerfd_create(CLOCK_REALTIME, flags);
    if (ret->mono_fd < 0 || ret->wall_fd < 0)
        return err_set_errno(error, errno, "making a timer");
    return true;
}

void
alarm_close(Alarm *alarm)
{
    cleanup_fd(&alarm->mono_fd);
    cleanup_fd(&alarm->wall_fd);
}

/* 0 would disarm it. */
static void
set(int fd, int flags, int64_t at_us)
{
    int64_t at = MAX(at_us, 1);
    struct itimerspec when = {
        .it_value = {.tv_sec = at / USEC_PER_SEC, .tv_nsec = at % USEC_PER_SEC * 1000}};

    (void)timerfd_settime(fd, TFD_TIMER_ABSTIME | flags, &when, NULL);
}

void
alarm_set_mono(const Alarm *alarm, int64_t at_us)
{
    set(alarm->mono_fd, 0, at_us);
}

void
alarm_set_wall(const Alarm *alarm, int64_t in_us)
{
    const Clock real = {0}; /* the kernel's, whatever a test holds still */

    set(alarm->wall_fd, TFD_TIMER_CANCEL_ON_SET,
        clock_wall_us(&real) + CLAMP(in_us, 0, WALL_MAX_US));
}

void
alarm_drain(int fd)
{
    uint64_t n;

    while (read(fd, &n, sizeof n) < 0 && errno == EINTR)
        ;
}
