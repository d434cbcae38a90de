/* The terminal's side of `setup`. */
#include "setup/setup.h"
#include <termios.h>

#define LINE_MAX_BYTES 4096u
#define CTRL_C 3
#define CTRL_D 4

static void say(Setup *s, const char *fmt, va_list args) G_GNUC_PRINTF(2, 0);
static void
say(Setup *s, const char *fmt, va_list args)
{
    g_autofree char *text = g_strdup_vprintf(fmt, args);
    cli_print_vis(s->cli, text, true);
    (void)cli_flush(s->cli);
}

void
setup_say(Setup *s, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    say(s, fmt, args);
    va_end(args);
}

void
setup_ok(Setup *s, const char *step, const char *fmt, ...)
{
    va_list args;
    cli_print(s->cli, "%s: ok, ", step);
    va_start(args, fmt);
    say(s, fmt, args);
    va_end(args);
    setup_say(s, "\n");
}

int
setup_failed(Setup *s, const char *step, GError *why, const char *remedy)
{
    int status = err_exit_status(why);
    if (g_str_has_suffix(why->message, ".")) /* servers end their sentences, ours goes on */
        why->message[strlen(why->message) - 1] = '\0';
    setup_say(s, "%s: failed: %s%s%s\n", step, why->message, remedy ? "; do: " : "",
              remedy ? remedy : "");
    g_error_free(why);
    return status;
}

/* Byte by byte: what follows the line belongs to the next question, or to nobody. raw: the
 * terminal neither edits nor sends signals, so we do. */
static char *
read_line(bool raw)
{
    g_autoptr(GString) line = g_string_new(NULL);
    for (;;) {
        char c;
        ssize_t n = read(STDIN_FILENO, &c, 1);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0 || line->len >= LINE_MAX_BYTES || (raw && (c == CTRL_C || c == CTRL_D))) {
            explicit_bzero(line->str, line->len);
            return NULL;
        }
        if (c == '\n' || (raw && c == '\r'))
            return g_string_free(g_steal_pointer(&line), FALSE);
        if (raw && (c == 0x7f || c == '\b'))
            g_string_truncate(line, line->len ? line->len - 1 : 0);
        else
            g_string_append_c(line, c);
    }
}

char *
setup_ask(Setup *s, const char *question, const char *fallback)
{
    bool has = fallback && *fallback;
    setup_say(s, "%s%s%s%s: ", question, has ? " [" : "", has ? fallback : "", has ? "]" : "");
    char *line = read_line(false);
    s->back = line && g_str_equal(g_strstrip(line), SETUP_BACK_WORD);
    if (!line) {
        setup_say(s, "\n");
        return NULL;
    }
    if (*line || !fallback)
        return line;
    g_free(line);
    return g_strdup(fallback);
}

/* The terminal is quiet before the question stands there: who types fast is not heard twice,
 * nor thrown away. */
char *
setup_ask_hidden(Setup *s, const char *question)
{
    struct termios old, quiet;
    bool tty = tcgetattr(STDIN_FILENO, &old) == 0;
    if (tty) {
        quiet = old;
        quiet.c_lflag &= ~(tcflag_t)(ECHO | ECHONL | ICANON | ISIG);
        quiet.c_cc[VMIN] = 1;
        quiet.c_cc[VTIME] = 0;
        (void)tcsetattr(STDIN_FILENO, TCSADRAIN, &quiet);
    }
    setup_say(s, "%s (not shown): ", question);
    char *line = read_line(tty);
    if (tty)
        (void)tcsetattr(STDIN_FILENO, TCSADRAIN, &old);
    setup_say(s, "\n");
    s->back = line && g_str_equal(line, SETUP_BACK_WORD);
    return line;
}

bool
setup_ask_yes(Setup *s, const char *question, bool fallback)
{
    g_autofree char *line = setup_ask(s, question, fallback ? "Y/n" : "y/N");
    if (!line)
        return false;
    if (g_str_equal(line, "Y/n") || g_str_equal(line, "y/N"))
        return fallback;
    return *line == 'y' || *line == 'Y';
}

int
setup_go_on(Setup *s, int status)
{
    if (status == 0 || !s->ask)
        return status;
    if (setup_ask_yes(s, "Go on all the same?", false))
        return 0;
    return s->back ? SETUP_BACK : status;
}

int
setup_no_answer(const Setup *s)
{
    if (s->back)
        return SETUP_BACK;
    return cli_fail(EX_TEMPFAIL, "no answer; nothing was changed");
}

/* --- there and back --- */

/* From *i on to the next, or to the one before. */
static int
move_on(const Setup *s, int status, size_t *i)
{
    if (status && status != SETUP_BACK)
        return status;
    if (status == 0 && !s->back) {
        (*i)++;
        return 0;
    }
    if (*i == 0)
        return SETUP_BACK;
    (*i)--;
    return 0;
}

int
setup_talk(Setup *s, const SetupStep *steps, size_t n, void *data)
{
    g_autofree SetupMark *marks = g_new0(SetupMark, n + 1);
    int status = 0;
    for (size_t i = 0; i <= n && status == 0;) {
        size_t now = i;
        if (!s->back)
            marks[now] = setup_mark(s);
        status = move_on(s, now < n ? steps[now](data) : setup_write(s), &i);
        if (s->back)
            setup_forget(s, marks[now]);
    }
    return status;
}

/* --- keys --- */

static const char *
flag_name(const SetupKey *key)
{
    return key->flag ? key->flag : key->key;
}

static int
take_flag(Setup *s, const SetupKey *key, const char *value)
{
    g_autoptr(GError) why = NULL;
    if (key->needed && !*value)
        return cli_usage(s->cli, "needs --%s", flag_name(key));
    if (setup_set(s, key->section, key->key, value, &why))
        return 0;
    return key->flag ? cli_usage(s->cli, "--%s: %s", key->flag, why->message)
                     : cli_usage(s->cli, "--%s", why->message); /* it begins with the key */
}

static int
ask_key(Setup *s, const SetupKey *key, const char *now)
{
    for (;;) {
        g_autoptr(GError) why = NULL;
        g_autofree char *value = setup_ask(s, key->question, now);
        if (!value || s->back)
            return setup_no_answer(s);
        if (key->needed && !*value) {
            setup_say(s, "  an answer is needed here\n");
            continue;
        }
        if (setup_set(s, key->section, key->key, value, &why))
            return 0;
        setup_say(s, "  %s\n", why->message);
    }
}

/* What a flag says is not asked. */
static bool
is_asked(const Setup *s, const SetupKey *key)
{
    return s->ask && key->question && !cli_text(s->cli, flag_name(key));
}

static int
try_key(Setup *s, const SetupKey *key)
{
    g_autofree char *now = setup_value(s, key->section, key->key);
    g_autofree char *path = key->path ? setup_flag_path(s, flag_name(key)) : NULL;
    const char *said = path ? path : cli_text(s->cli, flag_name(key));
    return is_asked(s, key) ? ask_key(s, key, now) : take_flag(s, key, said ? said : now);
}

int
setup_keys(Setup *s, const SetupKey *keys, size_t n)
{
    int status = 0;
    for (size_t i = s->back ? n - 1 : 0; i < n && status == 0;)
        status = move_on(s, try_key(s, &keys[i]), &i);
    return status;
}
