/*
 * clock_brain FIFO
 *
 * The brain of the arrival bench: its first act is to look at the clock, its second to tell the
 * bench, its answer is one word. Links nothing but libc, so that its own start costs little.
 */
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

int
main(int argc, char **argv)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    int fd = argc == 2 ? open(argv[1], O_WRONLY | O_CLOEXEC) : -1;
    if (fd < 0 || write(fd, &now, sizeof now) != sizeof now)
        return 1;
    puts("Done.");
    return 0;
}
