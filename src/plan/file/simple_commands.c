#include "plan/file/simple_commands.h"

/* Commands in commands that are looked at; nobody writes that many. */
#define DEPTH_MAX 100

typedef enum WordPlace {
    AS_WORD,
    AS_WRITTEN, /* behind > */
    AS_READ,    /* behind < */
} WordPlace;

typedef struct Reader {
    const char *at;
    GPtrArray *documents;
    ShellCommands *commands;
    unsigned depth;
} Reader;

/* A simple command while it is read. */
typedef struct Piece {
    GPtrArray *words, *written;
    GString *word; /* NULL: between words */
    WordPlace place;
    const char *fed; /* borrowed */
} Piece;

void
shell_command_free(ShellCommand *command)
{
    if (!command)
        return;
    g_strfreev(command->words);
    g_strfreev(command->written);
    free_all(command->fed, command);
}

/* --- documents --- */

/* How many of the lines are the document up to this mark; 0: no line ends it. With the line that ends it. */
static guint
document_length(char **lines, const char *mark)
{
    for (guint n = 0; lines[n]; n++) {
        g_autofree char *line = g_strstrip(g_strdup(lines[n]));
        if (g_str_equal(line, mark))
            return n + 1;
    }
    return 0;
}

/* The text without the documents that stand in it: each << has the number of its own behind it. Caller frees. */
static char *
take_documents(const char *text, GPtrArray *documents)
{
    g_autoptr(GRegex) mark = g_regex_new("(?<!<)<<-?[ \t]*[\"'\\\\]?(\\w+)[\"']?", 0, 0, NULL);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    GString *rest = g_string_new(NULL);

    for (char **line = lines; *line;) {
        g_autoptr(GMatchInfo) match = NULL;
        char **next = line + 1;
        int from = 0, start, end;

        for (g_regex_match(mark, *line, 0, &match); g_match_info_matches(match);
             g_match_info_next(match, NULL)) {
            g_autofree char *name = g_match_info_fetch(match, 1);
            guint n = document_length(next, name);

            if (n == 0)
                continue;
            g_match_info_fetch_pos(match, 0, &start, &end);
            g_string_append_len(rest, *line + from, start - from);
            g_string_append_printf(rest, "<<%u ", documents->len);
            from = end;
            g_autofree char *last = g_steal_pointer(&next[n - 1]);
            g_ptr_array_add(documents, g_strjoinv("\n", next));
            next[n - 1] = g_steal_pointer(&last);
            next += n;
        }
        g_string_append_printf(rest, "%s\n", *line + from);
        line = next;
    }
    return g_string_free(rest, FALSE);
}

/* --- words --- */

static void
end_word(Piece *piece)
{
    if (!piece->word)
        return;
    char *word = g_string_free(g_steal_pointer(&piece->word), FALSE);
    if (piece->place == AS_READ)
        g_free(word);
    else
        g_ptr_array_add(piece->place == AS_WORD ? piece->words : piece->written, word);
    piece->place = AS_WORD;
}

static char **
take_strings(GPtrArray **strings)
{
    GPtrArray *all = *strings;

    *strings = g_ptr_array_new();
    g_ptr_array_add(all, NULL);
    return (char **)g_ptr_array_free(all, FALSE);
}

static void
end_command(Reader *r, Piece *piece)
{
    end_word(piece);
    piece->place = AS_WORD;
    if (piece->words->len + piece->written->len == 0)
        return;
    ShellCommand *command = g_new0(ShellCommand, 1);
    command->words = take_strings(&piece->words);
    command->written = take_strings(&piece->written);
    command->fed = g_strdup(piece->fed);
    piece->fed = NULL;
    shell_commands_add(r->commands, command);
}

static void read_commands(Reader *r, char end);

/* Behind $( or `: the commands, which stay in the word as they stand there. */
static void
read_inner(Reader *r, Piece *piece, char end)
{
    const char *start = r->at;

    read_commands(r, end);
    g_string_append_len(piece->word, start, r->at - start);
}

/* $( and ` are commands, within double quotes too. False: there are none here. */
static bool
read_substitution(Reader *r, Piece *piece)
{
    bool bracket = r->at[0] == '$' && r->at[1] == '(';

    if (!bracket && *r->at != '`')
        return false;
    r->at += bracket ? 2 : 1;
    read_inner(r, piece, bracket ? ')' : '`');
    return true;
}

static void
read_quoted(Reader *r, Piece *piece)
{
    for (r->at++; *r->at && *r->at != '"';) {
        if (read_substitution(r, piece))
            continue;
        if (*r->at == '\\' && r->at[1])
            r->at++;
        g_string_append_c(piece->word, *r->at++);
    }
    r->at += *r->at != '\0';
}

static void
read_word_part(Reader *r, Piece *piece)
{
    if (!piece->word)
        piece->word = g_string_new(NULL);
    if (*r->at == '\'') {
        size_t len = strcspn(r->at + 1, "'");
        g_string_append_len(piece->word, r->at + 1, (gssize)len);
        r->at += 1 + len;
        r->at += *r->at != '\0';
    } else if (*r->at == '"') {
        read_quoted(r, piece);
    } else if (!read_substitution(r, piece)) {
        if (*r->at == '\\' && r->at[1])
            r->at++;
        g_string_append_c(piece->word, *r->at++);
    }
}

/* At < or >. A number in front of it belongs to it. */
static void
read_redirection(Reader *r, Piece *piece)
{
    size_t len = strspn(r->at, "<>"), number;

    if (piece->word && strspn(piece->word->str, "0123456789") == piece->word->len)
        g_string_free(g_steal_pointer(&piece->word), TRUE);
    end_word(piece);
    piece->place = *r->at == '>' || strncmp(r->at, "<>", 2) == 0 ? AS_WRITTEN : AS_READ;
    if (len == 2 && strncmp(r->at, "<<", 2) == 0 && g_ascii_isdigit(r->at[2])) {
        char *end;
        number = strtoul(r->at + 2, &end, 10);
        piece->fed = number < r->documents->len ? r->documents->pdata[number] : NULL;
        piece->place = AS_WORD;
        r->at = end;
        return;
    }
    r->at += len;
    if (*r->at == '(') {
        r->at++;
        piece->place = AS_WORD;
        read_commands(r, ')');
    } else if (*r->at == '|' || *r->at == '&') {
        r->at++;
    }
}

/* Up to this character, and past it; '\0': all that there is. */
static void
read_commands(Reader *r, char end)
{
    Piece piece = {.words = g_ptr_array_new(), .written = g_ptr_array_new()};

    if (++r->depth > DEPTH_MAX)
        r->at += strlen(r->at);
    while (*r->at && *r->at != end) {
        if (strchr(" \t", *r->at)) {
            end_word(&piece);
            r->at++;
        } else if (r->at[0] == '\\' && r->at[1] == '\n') {
            r->at += 2;
        } else if (*r->at == '#' && !piece.word) {
            r->at += strcspn(r->at, "\n");
        } else if (r->at[0] == '&' && r->at[1] == '>') {
            end_word(&piece);
            r->at++;
        } else if (strchr(";|&\n)", *r->at)) {
            end_command(r, &piece);
            r->at++;
        } else if (*r->at == '(') {
            end_command(r, &piece);
            r->at++;
            read_commands(r, ')');
        } else if (strchr("<>", *r->at)) {
            read_redirection(r, &piece);
        } else {
            read_word_part(r, &piece);
        }
    }
    end_command(r, &piece);
    r->at += *r->at != '\0';
    r->depth--;
    g_ptr_array_unref(piece.words);
    g_ptr_array_unref(piece.written);
}

ShellCommands *
shell_commands_parse(const char *text)
{
    g_autoptr(GPtrArray) documents = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *rest = take_documents(text, documents);
    Reader r = {.at = rest, .documents = documents, .commands = shell_commands_new()};

    read_commands(&r, '\0');
    return r.commands;
}
