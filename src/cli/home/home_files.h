#pragma once

/* The files of a new home, the same bytes everywhere; muttrc is a template of {{NAME}} parts.
 */

typedef struct HomeFile {
    const char *path;
    unsigned mode;
    const char *text;
} HomeFile;
/* In the order of writing: postrider.conf is the last, since it makes a folder a home. Ends with a NULL
 * path. */
extern const HomeFile home_files[];
/* {{RC}} {{HOME}} {{SENDMAIL}} {{OWNER}} {{DOMAIN}} {{MAILBOX}} */
extern const char *const home_muttrc;
/* `init --briefing`: what postrider.conf has behind its own text, and scripts/curator.md. */
extern const char *const home_briefing_conf, *const home_curator;
/* A muttrc whose home has moved: the same text for its new place. NULL: it names no home.
 * Caller frees. */
char *home_muttrc_moved(const char *text, const char *path);
