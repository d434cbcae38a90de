#pragma once

/*
 * What a model sends as the content of a note is sometimes wrapped once too often: a JSON
 * string in a code fence, a JSON string in the JSON string, a whole note in a fence or in
 * {"content": …}, line breaks as backslash and n. The wrapping is taken off where it is beyond
 * doubt that it is one, and what was done is named, for the log. Ordinary Markdown, with code
 * in it, comes back as it is; a note that is one fence and nothing else is the file in the
 * fence.
 */

/* The note that was meant; caller frees. *ret_what says what was mended (NULL: nothing); caller
 * frees. The result is NULL where nobody can tell what was meant (half a JSON string, bytes
 * that are no text): then the write has failed, and *ret_what says why. Repairing a second time
 * changes nothing more. */
char *note_repair(const char *raw, char **ret_what);
