#pragma once

/*
 * Which notes a text names. Two forms count: a Markdown link, `[title](key)` or `[[key]]`,
 * anywhere outside code; and a list line that begins with a key, `- key` or "- `key`: words".
 * A target may carry ".md", a leading "/" or "./" and an anchor; web and mail addresses are no
 * keys.
 */

typedef enum NoteLinkKind {
    NOTE_LINK_TARGET, /* [title](key) */
    NOTE_LINK_WIKI,   /* [[key]] */
    NOTE_LINK_ITEM,   /* a list line's first word */
} NoteLinkKind;

typedef struct NoteLink {
    NoteLinkKind kind;
    char *key;         /* without decoration; "scratch/" names a folder */
    size_t start, end; /* the key's bytes in the text */
    size_t from, to;   /* the whole of it: "[title](key)", "[[key]]", "`key`" */
    size_t title_end;  /* NOTE_LINK_TARGET: of the title, which begins behind from */
    unsigned line;     /* from 1 */
    bool in_item;      /* stands on a list line */
    bool apart;        /* NOTE_LINK_ITEM: nothing, a colon or a dash follows */
    bool marked;       /* NOTE_LINK_ITEM: in backticks, or with a slash in it */
} NoteLink;

/* All links of a text, in order; elements are NoteLink. Caller unrefs. */
GPtrArray *note_links_find(const char *text);
/* The keys alone, each once, in order, NULL-terminated: what a bundle note loads. The first
 * word of any list line is among them, so a key that names no note is to be passed over. Caller
 * frees with g_strfreev(). */
GStrv note_links_keys(const char *text);

/* A copy in which every link to `from` names `to`; NULL: the text has no such link. Caller
 * frees. */
char *note_links_rename(const char *text, const char *from, const char *to);
/* A copy without links to key: list lines that are about this key alone go, elsewhere a link
 * becomes its title. NULL: the text has no such link. Caller frees. */
char *note_links_remove(const char *text, const char *key);
