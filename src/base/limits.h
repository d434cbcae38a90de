#pragma once

/* Upper limits. What comes from outside (mail, answers of brains, what programs print, files of
 * people) is held against one of these before memory or time is spent on it. */
#define LIMIT_MESSAGE_BYTES (50u << 20)  /* larger mail is held, not parsed */
#define LIMIT_HEADER_BLOCK (256u << 10)  /* all header lines of one message */
#define LIMIT_HEADER_LINE (64u << 10)    /* one header, unfolded */
#define LIMIT_HEADER_WRITTEN (48u << 10) /* one that we write, before it is folded */
#define LIMIT_HEADERS 2000u              /* header lines in one block */
#define LIMIT_ADDRESSES 10000u           /* in one message */
#define LIMIT_PARAMS 100u                /* of one Content-Type or -Disposition */
#define LIMIT_MIME_DEPTH 50u
#define LIMIT_MIME_PARTS 1000u
#define LIMIT_BOUNDARY 2048u
#define LIMIT_TEXT_BYTES (256u << 10)      /* decoded text that a reader gets */
#define LIMIT_MARKDOWN_BYTES (64u << 10)   /* longer text has no HTML part */
#define LIMIT_ATTACHMENT_BYTES (25u << 20) /* one attachment that we send */
#define LIMIT_REFERENCES 1000u             /* ids that are read, and written in mail that stays here */
#define LIMIT_REFERENCES_OUTSIDE 30u       /* ids that are written to anybody outside */
#define LIMIT_MSGID 996u
#define LIMIT_MSGID_WRITTEN 980u /* fits on one line behind any field name of ours */
#define LIMIT_RECEIVED 50u       /* hops */
#define LIMIT_NULS 16u           /* NUL bytes that are dropped before mail is held */
#define LIMIT_ADDR_LOCAL 64u
#define LIMIT_ADDR_DOMAIN 255u
#define LIMIT_JSON_BYTES (8u << 20)
#define LIMIT_CONFIG_BYTES (1u << 20)
#define LIMIT_HOME_PATH 400u            /* SQLite takes paths of 512 bytes */
#define LIMIT_PROGRAM_OUTPUT (4u << 20) /* what we keep of a program's stdout */
#define LIMIT_PROGRAM_LOG (256u << 10)  /* of its stderr */
#define LIMIT_PROGRAM_INPUT (32u << 20) /* that waits for a program to read it */
#define LIMIT_STREAM_LINE (2u << 20)    /* one line of a program's stream; longer is skipped */
#define LIMIT_STREAM_LOG (16u << 20)    /* the copy of it in work/ROLE/JOB/log */
#define LIMIT_PORT_REQUEST (32u << 20)
#define LIMIT_HTTP_REPLY (32u << 20) /* a stream of events is ten times its text */
#define LIMIT_RECIPIENTS 100u
#define LIMIT_NOTE_BYTES (4u << 20)
#define LIMIT_PLAN_BYTES (8u << 20)  /* a plan's state, a PLAN.md, the input of a hook */
#define LIMIT_TODOS 10000u           /* of one plan */
#define LIMIT_TODO_ID 64u            /* bytes */
#define LIMIT_CHECK_COMMAND 4000u    /* bytes of a check in a mail */
#define LIMIT_CHECK_OUTPUT (4u << 10) /* what the log keeps of a check's output: the end */
#define LIMIT_PLAN_ITERATIONS 10000  /* MAX_ITERATIONS at most */
