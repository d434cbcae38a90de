#include "base/file.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "cli/home/config_missing.h"
#include "cli/home/reload.h"

typedef struct Show {
    Cli *cli;
    json_t *json;
    char *section;
} Show;

static void
show_key(const char *section, const ConfKey *key, const char *value, bool from_file, void *data)
{
    Show *s = data;
    if (s->json) {
        json_array_append_new(s->json,
                              json_pack("{s:s, s:s, s:s, s:b}", "section", section, "key",
                                        key->name, "value", value, "from_file", from_file));
        return;
    }
    if (g_strcmp0(s->section, section) != 0) {
        cli_print(s->cli, "%s[%s]\n", s->section ? "\n" : "", section);
        g_free(s->section);
        s->section = g_strdup(section);
    }
    g_autofree char *safe = text_vis(value, false);
    cli_print(s->cli, "%s%-22s = %-30s # %s%s\n", from_file ? "" : "#", key->name, safe,
              from_file ? "" : "default: ", key->help);
}

int
cmd_config_show(Cli *cli, int argc, char **argv)
{
    int status = cli_home(cli);
    if (status)
        return status;
    Show s = {.cli = cli, .json = cli->json ? json_array() : NULL};
    config_visit(cli->home->config, show_key, &s);
    if (s.json)
        cli_print_json(cli, s.json);
    g_free(s.section);
    return 0;
}

/* Every complaint in a line of its own; warnings alone leave the file fine. */
int
cmd_config_check(Cli *cli, int argc, char **argv)
{
    int status = cli_home(cli);
    if (status)
        return status;
    for (const char *const *line = cli->home->config->warnings; *line; line++)
        (void)cli_fail(0, "%s", *line);
    g_autoptr(GPtrArray) missing = config_missing(cli->home);
    LIST_EACH(const char, what, missing)
        (void)cli_fail(0, HOME_CONFIG ": %s", what);
    if (missing->len > 0)
        return EX_CONFIG;
    cli_print(cli, "%s/postrider.conf is fine\n", cli->home->path);
    return 0;
}

int
cmd_config_set(Cli *cli, int argc, char **argv)
{
    if (cli_in_agent())
        return cli_fail(EX_NOPERM, "config set: the owner's, so an agent may not");
    const char *section = argv[1], *key = argv[2], *value = argv[3];
    g_autofree char *path = home_find(cli->home_option, &cli->error);
    if (!path || !home_open_bare(path, &cli->home, &cli->error))
        return cli_failed(cli, 0);
    g_autofree char *text = NULL;
    if (!home_read_config(cli->home, &text, &cli->error))
        return cli_failed(cli, EX_CONFIG);
    g_autofree char *changed = config_with(text, section, key, value);
    g_autoptr(Config) config = NULL;
    if (!config_parse(changed, strlen(changed), HOME_CONFIG_NEW, &config, &cli->error) ||
        !config_check(section, key, value, &cli->error)) /* a key that nothing reads any more */
        return cli_failed(cli, 0);
    if (!file_replace(cli->home->fd, HOME_CONFIG, changed, strlen(changed), 0600, &cli->error))
        return cli_failed(cli, err_is(cli->error, ERR_NEVER) ? EX_CANTCREAT : 0);
    reload_tell(cli);
    return 0;
}
