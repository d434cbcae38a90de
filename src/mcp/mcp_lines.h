#pragma once

/*
 * Bytes of a peer, who may send anything, as lines. What is kept of a line is at most max bytes: a longer one is skipped to
 * its end, told once, and costs no memory. Bytes behind the last newline are no line: whoever goes away in the middle of
 * one has said nothing.
 */

typedef struct McpLines {
    GString *bytes;
    size_t from, looked; /* where the next line begins, and up to where there is no newline */
    size_t max;
    bool skipping;
} McpLines;

void mcp_lines_init(McpLines *lines, size_t max);
void mcp_lines_clear(McpLines *lines);
void mcp_lines_take(McpLines *lines, const void *data, size_t len);
/* 1: *ret is a line without the LF or CRLF at its end, with a NUL behind it, borrowed until the next call. 0: no line is whole.
 * -1: a line was longer than max, and is skipped. */
int mcp_lines_next(McpLines *lines, const char **ret, size_t *ret_len);
