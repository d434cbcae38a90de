/*
 * `doctor --accept-backup`: the store is older than its mail, and a person says that this is
 * so. What the mail proves to have happened since is taken over (engine/catch_up.h).
 */
#include "base/banned.h"
#include "cli/doctor.h"
#include "engine/catch_up.h"
#include <inttypes.h>

static const char *
plural(unsigned n)
{
    return n == 1 ? "" : "s";
}

int
doctor_accept(Doctor *d)
{
    GError *error = NULL;
    CatchUp n = {0};
    if (!catch_up(d->engine, &n, &error))
        return cli_error(0, error);
    db_hint(d->engine->db);
    uint64_t generation = db_generation(d->engine->db);
    if (d->cli->json) {
        cli_print_json(d->cli,
                       json_pack("{s:b, s:i, s:i, s:i, s:i, s:i, s:I}", "ok", 1, "delivered",
                                 (int)n.delivered, "answered", (int)n.answered, "ended",
                                 (int)n.ended, "parked", (int)n.parked, "stopped",
                                 (int)n.stopped, "generation", (json_int_t)generation));
        return 0;
    }
    cli_print(d->cli,
              "the store goes on as generation %" PRIu64 ": %u deliveries and %u answers "
              "that the mail proves were taken over\n",
              generation, n.delivered, n.answered);
    if (n.ended || n.parked)
        cli_print(d->cli, "%u job%s had ended since, %u wait%s where they had come to\n",
                  n.ended, plural(n.ended), n.parked, n.parked == 1 ? "s" : "");
    if (n.stopped)
        cli_print(d->cli, "%u job%s stopped; see: postrider job list\n", n.stopped,
                  n.stopped == 1 ? " is" : "s are");
    return 0;
}
