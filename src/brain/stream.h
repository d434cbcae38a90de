#pragma once

/*
 * What a program prints, read as it comes:
 *
 *   bytes --stream_take()--> lines --parser--> events for the listener, and what is found
 *
 * A program that has a session prints one JSON object per line, and its answer last. So the whole
 * stream is never kept: a line longer than LIMIT_STREAM_LINE is skipped, the answer is cut at
 * answer_max, and lines that the parser does not know mean nothing. A copy of the stream goes to
 * log_fd, up to LIMIT_STREAM_LOG.
 *
 * The words of a model are never taken for words of the program: whether a stream ended at a
 * limit, without a login or without its session is read from the lines that say so, and from
 * stderr where the program never began to think. What a program of parser `plain` prints is text
 * and nothing else.
 */
#include "base/json.h"
#include "brain/brain.h"

typedef struct Stream Stream;

/* One form of output. */
typedef struct StreamParser {
    bool raw;         /* every byte is the answer */
    void (*line)(Stream *s, const json_t *line); /* NULL: the form is raw */
    /* After the last line; NULL: nothing to do. log is what stderr held, cleaned; it may name
     * what stdout does not. */
    void (*end)(Stream *s, const char *log);
} StreamParser;
extern const StreamParser stream_plain, stream_claude, stream_codex, stream_opencode;
/* The parser of this form; the plain parser where the form is unsaid. */
const StreamParser *stream_parser(ConfParser form);

struct Stream {
    /* --- set by stream_new()'s caller --- */
    const StreamParser *parser;
    size_t answer_max; /* 0: LIMIT_PROGRAM_OUTPUT */
    int log_fd;        /* 0 or less: nowhere */
    const Clock *clock; /* NULL: the real one */
    void (*said)(void *data, const BrainEvent *event);
    void *said_data;
    BrainPermit permit;       /* how questions on the pipe are answered */
    BrainUsage session_usage; /* before; once the stream says so, after */
    bool resumed;

    /* --- what was found --- */
    GString *answer;
    bool cut;
    char *session;      /* NULL: not said */
    BrainEnd end;       /* BRAIN_OK: nothing has failed */
    char *failed;       /* why, where something has */
    Due retry;          /* BRAIN_LIMITED */
    bool finished;      /* the program has said that its turn is over, and how */
    bool deferred;      /* a tool call waits for a person */
    char *deferred_call; /* JSON; NULL */
    BrainUsage usage;   /* of this process */
    int64_t cost_micro; /* likewise, where the program says it */
    bool counts_tokens; /* it says tokens alone: what they cost is for the price table */
    unsigned skipped;   /* lines that were too long */
    bool spoke;         /* anything was printed */

    /* --- for a program that reads lines on its stdin --- */
    GString *reply;    /* lines that it is owed; the owner of the stream takes them out */
    GPtrArray *untold; /* char *: ids of lines that it has not finished with */
    bool receipts;     /* it says what becomes of them */

    /* --- inside --- */
    GString *line;
    bool skipping;
    size_t logged;
    char *words; /* the complaint of the last line, which may pass; NULL: it was none */
    int64_t reset_us;
};

Stream *stream_new(const StreamParser *parser);
void stream_free(Stream *s);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Stream, stream_free)

/* Takes what the program printed: any bytes, in pieces of any size. */
void stream_take(Stream *s, const void *data, size_t len);
/* Nothing more comes. A last line without its newline counts if it is whole. log: what stderr
 * held. */
void stream_end(Stream *s, const char *log);
/* True once the program has answered and every line that it was told is done with. */
bool stream_is_done(const Stream *s);

/* --- for parsers --- */

/* A member of a line, "" or NULL where it is not there or of another type. Borrowed. */
const char *stream_text(const json_t *object, const char *name);
const json_t *stream_object(const json_t *object, const char *name);
int64_t stream_count(const json_t *object, const char *name); /* tokens; 0 where absurd */
int64_t stream_money(const json_t *object, const char *name); /* dollars as millionths */

/* The session's id, told to the listener where it is new. */
void stream_set_session(Stream *s, const char *id);
/* What the program says, for whoever watches. */
void stream_say(Stream *s, const char *text);
/* What it does: the name of a tool, and of its input what tells most. */
void stream_say_tool(Stream *s, const char *name, const json_t *input);
void stream_add_cost(Stream *s, int64_t cost_micro);
/* The answer so far is this text, cut where it is too long. */
void stream_answer(Stream *s, const char *text);
/* Adds this text to the answer, behind a blank line where there is some of it already. */
void stream_answer_more(Stream *s, const char *text);
/* The program has failed, in these words (shortened, on one line). The last failure counts. */
void stream_fail(Stream *s, BrainEnd end, const char *words);
/* What had failed has passed: the stream has no failure any more. */
void stream_fail_none(Stream *s);
/* A usage limit that ends at wall time until_us; 0: as its words say, else nobody knows. */
void stream_fail_limit(Stream *s, int64_t until_us, const char *words);
/* The program has failed as this HTTP status of its provider's API says. */
void stream_fail_status(Stream *s, int64_t status, const char *words);
/* The program has ended because this tool call waits for a person. */
void stream_defer(Stream *s, const char *id, const char *name, const json_t *input);
