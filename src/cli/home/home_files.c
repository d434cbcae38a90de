#include "cli/home/home_files.h"

static const char conf[] =
    "# postrider.conf: every key has a default; 'postrider config show' lists them all,\n"
    "# 'man postrider.conf' explains them. Lines that begin with # are comments.\n"
    "\n"
    "[postrider]\n"
    "owner = you@postrider.local\n"
    "domain = postrider.local\n"
    "\n"
    "# Where mail comes from: the folder mail/ in this home, a Maildir for each role and local "
    "person.\n"
    "[account main]\n"
    "kind = maildir\n"
    "\n"
    "# What thinks. 'command' is any program: it reads the mail on standard input, and what it "
    "prints is\n"
    "# mailed as the answer. For a model: postrider setup brain\n"
    "[brain default]\n"
    "kind = command\n"
    "command = scripts/hello\n"
    "\n"
    "# Who has an address.\n"
    "[role envoy]\n"
    "address = envoy@postrider.local\n"
    "brain = default\n"
    "\n"
    "# [person bob]\n"
    "# address = bob@example.com\n"
    "# may = ask steer\n";

static const char hello[] =
    "#!/bin/sh\n"
    "# The brain of a new home: says what it was sent. Put a real one into [brain default] of\n"
    "# postrider.conf. A brain reads its task on standard input and prints its answer.\n"
    "sed -n '/^=== NEW MAIL /,/^=== END /p' |\n"
    "    sed -n 's/^Subject: //p' |\n"
    "    {\n"
    "        echo \"Hello, this is $POSTRIDER_ROLE, and I have your mail:\"\n"
    "        echo\n"
    "        sed 's/^/  - /'\n"
    "        echo\n"
    "        echo 'I am only the script scripts/hello. To give me a mind: postrider setup "
    "brain'\n"
    "        echo '(a model with a key, a local one, or any program that prints an answer).'\n"
    "    }\n";

const HomeFile home_files[] = {
    {"scripts/hello", 0700, hello},
    /* Last: this file is what makes a folder a home. */
    {"postrider.conf", 0600, conf},
    {0, 0, 0},
};

/* Names come quoted. The home goes into the environment, since mutt splits `sendmail` at every
 * space. With `hostname` a bare "envoy" is an address. */
const char home_muttrc[] =
    "# Reads what the agents wrote to you, and answers through postrider:\n"
    "# mutt -F {{RC}}\n"
    "setenv POSTRIDER_HOME {{HOME}}\n"
    "set sendmail = {{SENDMAIL}}\n"
    "set from = {{OWNER}}\n"
    "set hostname = {{DOMAIN}}\n"
    "set use_from = yes\n"
    "set mbox_type = Maildir\n"
    "set folder = {{MAILBOX}}\n"
    "set spoolfile = \"+\"\n"
    "set record = \"+.Sent\"\n"
    "set postponed = \"+.Drafts\"\n"
    "mailboxes \"+\" \"+.Sent\"\n"
    "set sort = threads\n"
    "set sort_aux = last-date-received\n"
    "set mark_old = no\n"
    "set confirmcreate = no\n"
    "set charset = utf-8\n"
    "set send_charset = us-ascii:utf-8\n"
    "unset write_bcc\n";

/* A quoted name without its outer quotes, so that it is found as part of a longer one. */
static char *
quoted_inside(const char *name)
{
    g_autofree char *quoted = g_shell_quote(name);
    return g_strndup(quoted + 1, strlen(quoted) - 2);
}

char *
home_muttrc_moved(const char *text, const char *path)
{
    static const char setting[] = "\nsetenv POSTRIDER_HOME ";
    const char *at = strstr(text, setting);
    if (!at)
        return NULL;
    at += strlen(setting);
    g_autofree char *quoted = g_strndup(at, strcspn(at, "\n"));
    g_autofree char *old = g_shell_unquote(quoted, NULL);
    if (!old)
        return NULL;
    g_autofree char *from = quoted_inside(old);
    g_autofree char *to = quoted_inside(path);
    g_autoptr(GString) s = g_string_new(text);
    g_string_replace(s, from, to, 0);
    return g_string_free(g_steal_pointer(&s), FALSE);
}
