#pragma once

/*
 * One mailbox, one living home. A home that works with mail leaves a mark beside the mail: a
 * small mail in the folder "Home" of an IMAP mailbox (remote/remote_home.c), and for the
 * Maildirs the file mail/.postrider-home (here). A mark names the instance of its home and the
 * start that wrote it.
 *
 * The instance is the machine (machine-id) and the path of the home, or `[postrider] instance`
 * where that is set. So a copied home is another instance than its original: it finds a mark
 * that is not its own, and is refused. A home that starts again finds the mark of its former
 * life.
 *
 * The calls below read and write the file in the mail folder. They fail with ERR_CONFIG, naming
 * both homes and what to type, when the mail folder is another home's.
 */
#include "base/home.h"

#define LIVING_MARK ".postrider-home" /* in mail/ */

/* The instance of this home as hex digits; caller frees. */
char *living_instance(const Home *home);
/* The name of this home for people: "host:/path"; caller frees. */
char *living_place(const Home *home);
/* What a refusal adds on a machine that can't be told from others; "": nothing. */
const char *living_hint(const Home *home);
/* A word that no other start has; caller frees. */
char *living_start(void);

/* *ret: the mail folder bears the mark of another home. Writes nothing. */
bool living_is_foreign(const Home *home, bool *ret, GError **error);
/* To be called by every process that takes mail in, works or delivers. Writes the mark where
 * there is none. take_over: the mark of another home is replaced instead of refused. */
bool living_check(const Home *home, bool take_over, GError **error);
/* To be called by the master: as living_check(), and the mark names this start from now on. */
bool living_begin(const Home *home, const char *start, bool take_over, GError **error);
/* True as long as the mark is that of this start; a mark that was deleted is written again.
 * False with ERR_CONFIG: another home, or a later start of this home, has put its own mark
 * there. */
bool living_holds(const Home *home, const char *start, GError **error);
