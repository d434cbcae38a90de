#pragma once

/*
 * Mail that may crash the parser. The names of a batch are written down (not flushed: it is for
 * a crash of this process) before they are parsed, and wiped by the batch's own transaction. A
 * start that finds names takes them one by one; a single name that is found three times is
 * under suspicion. That is no proof: somebody may have killed us each time. So it is parsed in
 * a child (postrider-parse) first, and only a mail that ends the child too, each time, is the
 * culprit.
 */
#include "base/home.h"
#include "store/mail/suspect_files.h"

#define SUSPECT_CRASHES 3

/* True when parsing this mail ends a process each time. Parses it in up to three children, one
 * after the other, and waits for each of them, for at most 30 s; false also where no child can
 * be made. */
bool suspects_convict(const Home *home, GBytes *raw);
