#include "cli/home/conf_write.h"
#include "base/file.h"

bool
conf_is_sound(const char *text, GError **error)
{
    g_autoptr(Config) config = NULL;

    return config_parse(text, strlen(text), HOME_CONFIG_NEW, &config, error);
}

int
conf_write(Cli *cli, const char *old, const char *text)
{
    g_autofree char *now = NULL;

    if (!home_read_config(cli->home, &now, &cli->error) || !conf_is_sound(text, &cli->error))
        return cli_failed(cli, EX_CONFIG);
    if (!g_str_equal(now, old))
        return cli_fail(EX_TEMPFAIL, HOME_CONFIG " was changed meanwhile; nothing was written");
    if (!file_replace(cli->home->fd, HOME_CONFIG, text, strlen(text), 0600, &cli->error))
        return cli_failed(cli, EX_CANTCREAT);
    return 0;
}
