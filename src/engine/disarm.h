#pragma once

/*
 * A link that words of a stranger made an agent write may carry what the agent knows to whoever
 * waits at its other end, once a reader opens it or a mail client does so by itself. What is
 * written after such words were read has no working links: "https://x" becomes "https[:]//x",
 * "www.x" becomes "www[.]x", for pictures, references and plain text alike. A person can still
 * read where it would have led.
 */

/* Caller frees; NULL when the text has no link. Only ASCII is looked at; nothing fails. */
char *disarm_links(const char *text);
