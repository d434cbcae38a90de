#pragma once

/* The lines of a text, for quote.c and quoted.c. */

typedef enum QuoteWhat {
    QUOTE_OWN,    /* the sender's, signatures and "Sent from my phone" too */
    QUOTE_INTRO,  /* "On Monday Ann wrote:", "--- Forwarded message ---" */
    QUOTE_HEADER, /* From, Subject and so on, copied into the text */
    QUOTE_TEXT,   /* what was quoted */
} QuoteWhat;

typedef struct Line {
    size_t start, end; /* end is behind the newline */
    char *text;        /* trimmed */
    bool marked;       /* begins with ">" */
    bool quoted;       /* not shown as the sender's words: quoted, or a signature */
    QuoteWhat what;
} Line;

/* Elements are Line; caller frees. */
GArray *quote_lines(const char *text);
/* White space, and what mail programs leave where a person sees nothing. */
bool quote_is_space(gunichar c);
