#include "wire/imap_command.h"
#include "wire/imap_name.h"

#define MAX_QUOTED 1000u
#define MAX_KEYWORD 100u
#define SECRET_BYTES (16u << 10)

/* In the order of IMAP_SEEN and what follows it. */
const char *const imap_flag_names[] = {"\\Seen",    "\\Answered", "\\Flagged",
                                       "\\Deleted", "\\Draft",    NULL};

typedef struct Piece {
    GString *text;
    GBytes *literal;
} Piece;

struct ImapCommand {
    GArray *pieces; /* the last has no literal */
    GError *error;  /* the first value that could not be written */
    bool secret;
};

static void
piece_clear(Piece *piece)
{
    g_string_free(piece->text, true);
    g_clear_pointer(&piece->literal, g_bytes_unref);
}

static Piece *
last(const ImapCommand *command)
{
    return &g_array_index(command->pieces, Piece, command->pieces->len - 1);
}

static void
add_piece(ImapCommand *command)
{
    Piece piece = {.text = g_string_new(NULL)};
    g_array_append_val(command->pieces, piece);
}

ImapCommand *
imap_command_new(const char *words)
{
    ImapCommand *command = g_new0(ImapCommand, 1);

    command->pieces = g_array_new(false, false, sizeof(Piece));
    g_array_set_clear_func(command->pieces, (GDestroyNotify)piece_clear);
    add_piece(command);
    g_string_append(last(command)->text, words);
    return command;
}

/* Literals are the caller's bytes; the texts are our copies. */
static void
wipe(ImapCommand *command)
{
    for (unsigned i = 0; i < command->pieces->len; i++) {
        GString *text = g_array_index(command->pieces, Piece, i).text;
        explicit_bzero(text->str, text->allocated_len);
    }
}

void
imap_command_free(ImapCommand *command)
{
    if (!command)
        return;
    if (command->secret)
        wipe(command);
    g_array_unref(command->pieces);
    g_clear_error(&command->error);
    g_free(command);
}

void
imap_command_secret(ImapCommand *command)
{
    GString *text = last(command)->text;
    size_t len = text->len;

    command->secret = true;
    g_string_set_size(text, SECRET_BYTES); /* so that it moves no more and leaves no copy */
    g_string_truncate(text, len);
}

void
imap_command_words(ImapCommand *command, const char *words)
{
    g_string_append_c(last(command)->text, ' ');
    g_string_append(last(command)->text, words);
}

static bool
can_quote(const char *value)
{
    size_t len = 0;

    for (const char *p = value; *p; p++, len++)
        if (*p < 0x20 || *p > 0x7e)
            return false;
    return len <= MAX_QUOTED;
}

void
imap_command_string(ImapCommand *command, const char *value)
{
    GString *text = last(command)->text;

    if (!can_quote(value)) {
        g_autoptr(GBytes) bytes = g_bytes_new(value, strlen(value));
        imap_command_bytes(command, bytes);
        return;
    }
    g_string_append(text, " \"");
    for (const char *p = value; *p; p++) {
        if (*p == '"' || *p == '\\')
            g_string_append_c(text, '\\');
        g_string_append_c(text, *p);
    }
    g_string_append_c(text, '"');
}

void
imap_command_folder(ImapCommand *command, const char *utf8)
{
    g_autofree char *wire = imap_name_encode(utf8, command->error ? NULL : &command->error);

    imap_command_string(command, wire ? wire : "");
}

void
imap_command_set(ImapCommand *command, const ImapSet *set)
{
    g_autofree char *text = imap_set_format(set);

    if (!*text && !command->error)
        err_set(&command->error, ERR_NEVER, "no mails are named");
    imap_command_words(command, text);
}

void
imap_command_bytes(ImapCommand *command, GBytes *literal)
{
    g_string_append_c(last(command)->text, ' ');
    last(command)->literal = g_bytes_ref(literal);
    add_piece(command);
}

/* RFC 3501's atom: no blank, control, parenthesis, brace, wildcard, quote, backslash, "]". */
static bool
is_atom(const char *word)
{
    for (const char *p = word; *p; p++)
        if (*p <= 0x20 || *p > 0x7e || strchr("(){%*\"\\]", *p))
            return false;
    return *word && strlen(word) <= MAX_KEYWORD;
}

void
imap_command_flags(ImapCommand *command, unsigned flags, const char *keyword)
{
    g_autoptr(GString) list = g_string_new("(");

    if (keyword && !is_atom(keyword)) {
        if (!command->error)
            err_set(&command->error, ERR_NEVER, "no keyword for a mail");
        keyword = NULL;
    }
    for (unsigned i = 0; imap_flag_names[i]; i++)
        if (flags & 1u << i)
            g_string_append_printf(list, "%s%s", list->len > 1 ? " " : "", imap_flag_names[i]);
    if (keyword)
        g_string_append_printf(list, "%s%s", list->len > 1 ? " " : "", keyword);
    g_string_append_c(list, ')');
    imap_command_words(command, list->str);
}

bool
imap_command_check(const ImapCommand *command, GError **error)
{
    if (!command->error)
        return true;
    return err_pass(error, g_error_copy(command->error));
}

unsigned
imap_command_n_pieces(const ImapCommand *command)
{
    return command->pieces->len;
}

const char *
imap_command_text(const ImapCommand *command, unsigned i)
{
    return g_array_index(command->pieces, Piece, i).text->str;
}

GBytes *
imap_command_literal(const ImapCommand *command, unsigned i)
{
    return g_array_index(command->pieces, Piece, i).literal;
}
