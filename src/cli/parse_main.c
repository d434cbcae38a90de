/*
 * libexec `postrider-parse HOME`: parses the mail on standard input as a mail that comes in, and
 * says nothing. Whether that ends the process is what engine/in/suspects.h wants to know.
 */
#include "base/file.h"
#include "base/home.h"
#include "engine/in/mail_in.h"

int
main(int argc, char **argv)
{
    g_autoptr(Home) home = NULL;
    g_autoptr(GBytes) raw = NULL;
    g_autoptr(GError) error = NULL;
    g_auto(MailIn) in = {0};
    if (argc != 2 || !home_open(argv[1], &home, &error) ||
        !file_read_fd(STDIN_FILENO, home->config->max_message, &raw, &error)) {
        g_printerr("postrider-parse: %s\n", error ? error->message : "HOME <mail");
        return 1;
    }
    mail_in_parse(&home->key, raw, &in);
    return 0;
}
