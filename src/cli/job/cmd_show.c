#include "cli/cli.h"
#include "cli/cmds.h"
#include "cli/job/show_job.h"
#include "cli/note/note_cmd.h"

/* A mail's id has an '@', a note's key has none; the short form of an id has none either, and a note
 * with such a key comes first. */
static int
is_note(Cli *cli, const char *id, bool *ret)
{
    g_autoptr(Note) note = NULL;
    *ret = false;
    if (!note_key_valid(id))
        return 0;
    int status = cli_db(cli, DB_READ);
    if (status == 0 && !note_look(cli->db, &VIEWER_OPERATOR, id, 0, &note, &cli->error))
        return cli_failed(cli, 0);
    *ret = note != NULL;
    g_clear_pointer(&cli->db, db_close); /* note_get() opens it for writing */
    return status;
}

static int
nothing(Cli *cli, const char *id)
{
    g_autofree char *nearest = NULL;
    int status = cli_db(cli, DB_READ);
    if (status)
        return status;
    if (note_key_valid(id) &&
        !notes_nearest(cli->db, &VIEWER_OPERATOR, id, &nearest, &cli->error))
        return cli_failed(cli, 0);
    return cli_fail(EX_NOINPUT, "there is no job, mail or note '%s'%s%s%s", id,
                    nearest ? "; did you mean '" : "", nearest ? nearest : "",
                    nearest ? "'?" : "");
}

int
cmd_show(Cli *cli, int argc, char **argv)
{
    bool note = false;
    if (cli_flag(cli, "context"))
        return -1; /* mail is parsed: the other program */
    size_t digits = strspn(argv[1], "0123456789");
    if (digits && (argv[1][digits] == '\0' || argv[1][digits] == '@'))
        return show_job(cli, argv[1]);
    int status = cli_in_agent() ? 0 : is_note(cli, argv[1], &note);
    if (status)
        return status;
    if (note)
        return cmd_note_get(cli, argc, argv);
    if (!cli_in_agent() && !strchr(argv[1], '@')) {
        g_autofree char *mail = NULL; /* whose id is written in its short form */
        if ((status = cli_db(cli, DB_READ)) || (status = cli_msgid(cli->db, argv[1], &mail)))
            return status;
        if (!mail)
            return nothing(cli, argv[1]);
    }
    return -1; /* a mail is parsed: the other program */
}
