/*
 * clock_brain FIFO [OPTIONS OF CLAUDE CODE]
 *
 * The brain of the arrival bench: its first act is to look at the clock, its second to tell the
 * bench, its answer is one word. With options it is an agent with a session: it looks at the clock
 * when the first byte of its prompt is there. Links nothing but libc, so that its own start costs
 * little.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *
session_of(char **argv)
{
    for (char **a = argv; *a; a++) {
        if (strcmp(*a, "--session-id") == 0 || strcmp(*a, "--resume") == 0)
            return a[1] ? a[1] : "";
    }
    return "";
}

static void
answer(const char *session)
{
    printf("{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"%s\"}\n", session);
    printf("{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,"
           "\"result\":\"Done.\",\"session_id\":\"%s\",\"total_cost_usd\":0}\n",
           session);
}

int
main(int argc, char **argv)
{
    struct timespec now;
    char first;

    if (argc > 2 && read(STDIN_FILENO, &first, 1) != 1)
        return 1;
    clock_gettime(CLOCK_REALTIME, &now);
    int fd = argc >= 2 ? open(argv[1], O_WRONLY | O_CLOEXEC) : -1;
    if (fd < 0 || write(fd, &now, sizeof now) != sizeof now)
        return 1;
    if (argc > 2)
        answer(session_of(argv));
    else
        puts("Done.");
    return 0;
}
