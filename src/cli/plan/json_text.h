#pragma once

/*
 * Changes one member of a settings file that belongs to somebody else, and leaves every other byte as it is. The text must
 * have been read by json_parse(), which is strict. A member is named by the top-level object that it is in ("mcp") and its own
 * key. Results are the caller's to free; NULL: the text has something else than an object there.
 */
char *json_text_put(const char *text, const char *in, const char *key, const char *value);
/* A copy of the text where the member is not there. The object around it stays. */
char *json_text_drop(const char *text, const char *in, const char *key);
