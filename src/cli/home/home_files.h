#pragma once

/* The files of a new home, the same bytes everywhere; muttrc is a template of {{NAME}} parts.
 */
#include <glib.h>

typedef struct HomeFile {
    const char *path;
    unsigned mode;
    const char *text;
} HomeFile;
extern const HomeFile home_files[]; /* ends with a NULL path */
/* {{RC}} {{HOME}} {{SENDMAIL}} {{OWNER}} {{DOMAIN}} {{MAILBOX}} */
extern const char *const home_muttrc;
/* `init --briefing`: what postrider.conf has behind its own text, and scripts/curator.md. */
extern const char *const home_briefing_conf, *const home_curator;
/* A muttrc whose home has moved: the same text for its new place. NULL: it names no home.
 * Caller frees. */
char *home_muttrc_moved(const char *text, const char *path);
