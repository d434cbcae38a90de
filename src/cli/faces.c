#include "cli/faces.h"
#include "base/banned.h"
#include "cli/cli.h"
#include "steps/steps.h"

const FaceOps *const cli_faces[] = {&face_steps, NULL};

int
cli_engine(Cli *cli, Engine **ret)
{
    GError *error = NULL;
    int status = cli_home(cli);
    if (status)
        return status;
    if (!engine_open(cli->home, cli_faces, ret, &error))
        return cli_error(0, error);
    return 0;
}
