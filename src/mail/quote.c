/*
 * Works by lines, in passes that each look for one habit of mail programs: ">" in front, the
 * line that introduces it, Outlook's copy of the headers with everything below, signatures.
 * Every pass looks a fixed number of lines around, so all of it is linear.
 */
#include "mail/quote.h"
#include "mail/quote_internal.h"

#define INTRO_LINES 4  /* an introduction is wrapped over at most so many */
#define HEADER_LINES 8 /* Outlook's copy of the headers */
#define BLANK_LINES 2  /* between an introduction and what it introduces */
#define SHORT_SIGNATURE 10
#define LONGEST_APP_LINE 120
#define SHORTEST_KNOWN 20 /* bytes */

static void
line_clear(Line *line)
{
    g_free(line->text);
}

/* ---- Lines ---- */

bool
quote_is_space(gunichar c)
{
    return g_unichar_isspace(c) || c == 0xA0 || c == 0x200B || c == 0xFEFF || c == 0x200E;
}

static char *
trimmed(const char *s, size_t len)
{
    const char *end = s + len;

    while (s < end && quote_is_space(g_utf8_get_char(s)))
        s = g_utf8_next_char(s);
    while (end > s) {
        const char *last = g_utf8_find_prev_char(s, end);
        if (!last || !quote_is_space(g_utf8_get_char(last)))
            break;
        end = last;
    }
    return g_strndup(s, (size_t)(end - s));
}

static Line *
line_at(const GArray *lines, size_t i)
{
    return &g_array_index(lines, Line, i);
}

static GArray *
split_lines(const char *text)
{
    GArray *lines = g_array_new(FALSE, TRUE, sizeof(Line));

    g_array_set_clear_func(lines, (GDestroyNotify)line_clear);
    for (size_t at = 0; text[at];) {
        size_t len = strcspn(text + at, "\n");

        g_array_set_size(lines, lines->len + 1);
        Line *line = line_at(lines, lines->len - 1);
        line->start = at;
        line->end = at + len + (text[at + len] == '\n');
        line->text = trimmed(text + at, len);
        line->marked = line->quoted = line->text[0] == '>';
        line->what = line->marked ? QUOTE_TEXT : QUOTE_OWN;
        at = line->end;
    }
    return lines;
}

static bool
is_blank(const GArray *lines, size_t i)
{
    return line_at(lines, i)->text[0] == '\0';
}

/* The first line from i on that is not blank; lines->len when there is none. */
static size_t
skip_blank(const GArray *lines, size_t i)
{
    while (i < lines->len && is_blank(lines, i))
        i++;
    return i;
}

static void
mark(GArray *lines, size_t from, size_t to, QuoteWhat what)
{
    for (size_t i = from; i < to && i < lines->len; i++) {
        Line *line = line_at(lines, i);
        line->what = line->quoted ? line->what : what;
        line->quoted = true;
    }
}

static bool
begins_with_any(const char *text, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (g_ascii_strncasecmp(text, words[i], strlen(words[i])) == 0)
            return true;
    return false;
}

/* ---- "On … wrote:" ---- */

static const char *const intro_starts[] = {
    "On ", "Am ",  "Le ",  "El ",  "Il ",  "Op ",  "Em ",  "Den ", "Dne ", "W dniu ",
    "在 ", "пн, ", "вт, ", "ср, ", "чт, ", "пт, ", "сб, ", "вс, ", "В "};
static const char *const intro_verbs[] = {
    " wrote",     "wrote:",  " schrieb", "a écrit", "écrit :", "escribió",
    "ha scritto", "schreef", "escreveu", "skrev",   "napisał", "napsal",
    "写道",       "寫道",    " написал", " пишет",  "писал:"};

static bool
has_verb(const char *text)
{
    for (size_t i = 0; i < G_N_ELEMENTS(intro_verbs); i++)
        if (strstr(text, intro_verbs[i]))
            return true;
    return false;
}

static bool
ends_with_colon(const char *text)
{
    return g_str_has_suffix(text, ":") || g_str_has_suffix(text, "：");
}

static bool
has_address(const char *text)
{
    const char *angle = strchr(text, '<');

    return angle && strchr(angle, '@');
}

/* Lines first..last as one, single spaces between. */
static char *
join_lines(const GArray *lines, size_t first, size_t last)
{
    GString *s = g_string_new(line_at(lines, first)->text);

    for (size_t i = first + 1; i <= last; i++)
        g_string_append_printf(s, " %s", line_at(lines, i)->text);
    return g_string_free(s, FALSE);
}

/* The first line of the introduction that ends with line last, one ending in a colon;
 * last + 1 when it is none. */
static size_t
intro_start(const GArray *lines, size_t last)
{
    for (size_t n = 0; n < INTRO_LINES && n <= last; n++) {
        const Line *line = line_at(lines, last - n);
        if (line->quoted || line->text[0] == '\0')
            break;
        if (begins_with_any(line->text, intro_starts, G_N_ELEMENTS(intro_starts))) {
            g_autofree char *whole = join_lines(lines, last - n, last);
            if (has_verb(whole) || has_address(whole))
                return last - n;
        }
    }
    const char *text = line_at(lines, last)->text;
    bool alone = has_verb(text) || has_address(text);
    return alone ? last : last + 1;
}

/* The line that Outlook draws by underscores, Hotmail by dashes. */
static bool
is_rule(const char *text)
{
    size_t len = strspn(text, *text == '_' ? "_" : "-");

    return len >= 10 && text[len] == '\0';
}

/* In front of each block of ">" lines. */
static void
mark_intros(GArray *lines)
{
    for (size_t i = 1; i < lines->len; i++) {
        if (!line_at(lines, i)->marked || line_at(lines, i - 1)->marked)
            continue;
        size_t last = i - 1;
        for (unsigned n = 0; n < BLANK_LINES && last > 0 && is_blank(lines, last); n++)
            last--;
        if (line_at(lines, last)->quoted)
            continue;
        if (ends_with_colon(line_at(lines, last)->text))
            mark(lines, intro_start(lines, last), i, QUOTE_INTRO);
        else if (is_rule(line_at(lines, last)->text))
            mark(lines, last, i, QUOTE_INTRO);
    }
}

/* An introduction with an address and a verb, after which nothing is marked: all below is the
 * old mail. The line behind it when one begins at i, else i. */
static size_t
unmarked_intro_end(const GArray *lines, size_t i)
{
    if (!begins_with_any(line_at(lines, i)->text, intro_starts, G_N_ELEMENTS(intro_starts)))
        return i;
    for (size_t last = i; last < lines->len && last < i + INTRO_LINES; last++) {
        const Line *line = line_at(lines, last);
        if (line->quoted || line->text[0] == '\0')
            break;
        if (!ends_with_colon(line->text))
            continue;
        g_autofree char *whole = join_lines(lines, i, last);
        /* Android's Gmail in Russian has no verb: "вс, 15 нояб. 2026 г., 9:30 Envoy <…>:". */
        if (has_address(whole) && (has_verb(whole) || strstr(whole, " г.")))
            return last + 1;
    }
    return i;
}

/* ---- Outlook, and what is forwarded ---- */

/* "-----Original Message-----", Android's "---- Envoy wrote ----", "Begin forwarded
 * message:" */
static bool
is_original_line(const char *text)
{
    static const char *const words[] = {
        "original message",     "ursprüngliche Nachricht",   "original-Nachricht",
        "message d'origine",    "message original",          "mensaje original",
        "messaggio originale",  "forwarded message",         "weitergeleitete Nachricht",
        "message transféré",    "mensaje reenviado",         "messaggio inoltrato",
        "doorgestuurd bericht", "mensagem encaminhada",      "przekazana wiadomość",
        "forwarded by",         "перенаправленное сообщени", "пересылаемое сообщени",
        "исходное сообщение",   "пересланное сообщение"};
    static const char *const starts[] = {
        "Begin forwarded message",      "Anfang der weitergeleiteten",
        "Début du message transféré",   "Inizio messaggio inoltr",
        "Inicio del mensaje reenviado", "Begin doorgestuurd bericht",
        "Início da mensagem",           "Начало переадресованного сообщ",
        "Начало пересылаемого сообщ"};
    bool dashed = g_str_has_prefix(text, "--") && g_str_has_suffix(text, "--");

    if (ends_with_colon(text) && begins_with_any(text, starts, G_N_ELEMENTS(starts)))
        return true;
    g_autofree char *lower = dashed ? g_utf8_strdown(text, -1) : NULL;
    for (size_t i = 0; lower && i < G_N_ELEMENTS(words); i++) {
        g_autofree char *word = g_utf8_strdown(words[i], -1);
        if (strstr(lower, word))
            return true;
    }
    return dashed && has_verb(text);
}

/*
 * From, sent, to, subject as Outlook writes them into the text, bold or not. From stands first,
 * or, as Hotmail writes them, anywhere among them with an address.
 */
static bool
is_header_copy(const GArray *lines, size_t i)
{
    static const char *const from[] = {"From:", "Von:", "De:", "De :", "Da:", "Van:", "От:"};
    static const char *const others[] = {
        "Sent:",  "Date:",    "To:",     "Cc:",      "Subject:", "Gesendet:", "Datum:",
        "An:",    "Betreff:", "Envoyé",  "Date :",   "À :",      "Objet",     "Enviado",
        "Fecha:", "Para:",    "Asunto:", "Inviato:", "A:",       "Oggetto:",  "Отправлено:",
        "Дата:",  "Кому:",    "Копия:",  "Тема:"};
    unsigned seen = 0;
    bool has_from = false;

    for (size_t k = i; k < lines->len && k < i + HEADER_LINES; k++) {
        const char *text = line_at(lines, k)->text + strspn(line_at(lines, k)->text, "*");
        if (begins_with_any(text, from, G_N_ELEMENTS(from)))
            has_from = has_from || k == i || strchr(text, '@');
        else if (begins_with_any(text, others, G_N_ELEMENTS(others)))
            seen++;
        else if (k == i)
            return false;
    }
    return has_from && seen >= 2;
}

/* The end of the copied headers that begin at i: a blank line, or too many. */
static size_t
headers_end(const GArray *lines, size_t i)
{
    size_t end = i;

    while (end < lines->len && end < i + HEADER_LINES && !is_blank(lines, end))
        end++;
    return end;
}

/* From the first line that says that an old mail follows, everything is quoted. */
static void
mark_copies(GArray *lines)
{
    for (size_t i = 0; i < lines->len; i++) {
        const Line *line = line_at(lines, i);
        if (line->quoted || line->text[0] == '\0')
            continue;
        size_t behind = unmarked_intro_end(lines, i);
        bool original = is_original_line(line->text);
        bool above = original || is_rule(line->text);
        size_t copy = above ? skip_blank(lines, i + 1) : i;
        bool copied = is_header_copy(lines, copy);
        if (original || copied || behind > i) {
            mark(lines, i, copied ? copy : MAX(behind, i + 1), QUOTE_INTRO);
            mark(lines, i, copied ? headers_end(lines, copy) : i, QUOTE_HEADER);
            mark(lines, i, lines->len, QUOTE_TEXT);
            return;
        }
    }
}

/* ---- Signatures ---- */

/* The first line from i on that is quoted; lines->len when there is none. Looks at no more than
 * max lines. */
static size_t
next_quoted(const GArray *lines, size_t i, size_t max)
{
    while (max-- > 0 && i < lines->len && !line_at(lines, i)->quoted)
        i++;
    return i;
}

/* "-- " and below, up to the next quotation. Where white space was lost on the way, "--" counts
 * before a few lines. */
static void
mark_signatures(GArray *lines, const char *text)
{
    for (size_t i = 0; i < lines->len; i++) {
        const Line *line = line_at(lines, i);
        if (line->quoted || strcmp(line->text, "--") != 0)
            continue;
        bool exact = g_str_has_prefix(text + line->start, "-- ");
        size_t end = next_quoted(lines, i, exact ? SIZE_MAX : SHORT_SIGNATURE + 1);
        if (exact || end - i <= SHORT_SIGNATURE)
            mark(lines, i, end, QUOTE_OWN);
    }
}

static bool
is_app_line(const char *text)
{
    static const char *const starts[] = {
        "Sent from my ",  "Sent from Mail ",   "Sent from Outlook", "Sent from Yahoo",
        "Sent via ",      "Sent with ",        "Get Outlook for ",  "Get [Outlook for ",
        "Gesendet von ",  "Von meinem ",       "Gesendet mit ",     "Envoyé de mon ",
        "Envoyé depuis ", "Enviado desde mi ", "Enviado do meu ",   "Inviato da ",
        "Outlook für ",   "Obtenir Outlook ",  "Отправлено из ",    "Отправлено с "};

    return strlen(text) <= LONGEST_APP_LINE &&
           begins_with_any(text, starts, G_N_ELEMENTS(starts));
}

/* "Sent from my iPhone": only where nothing but quotation or the end follows, since people may
 * begin a sentence like that. */
static void
mark_app_lines(GArray *lines)
{
    bool closes = true;

    for (size_t i = lines->len; i-- > 0;) {
        Line *line = line_at(lines, i);
        if (line->text[0] == '\0')
            continue;
        if (closes && !line->quoted && is_app_line(line->text))
            mark(lines, i, i + 1, QUOTE_OWN);
        closes = line->quoted;
    }
}

/* Blank lines belong to the quotation that they stand in. */
static void
mark_blanks(GArray *lines)
{
    for (size_t i = 1; i < lines->len; i++) {
        size_t next = skip_blank(lines, i);
        bool inside = line_at(lines, i - 1)->quoted &&
                      (next == lines->len || line_at(lines, next)->quoted);
        for (; i < next; i++)
            line_at(lines, i)->quoted = inside;
    }
}

GArray *
quote_lines(const char *text)
{
    GArray *lines = split_lines(text);

    mark_intros(lines);
    mark_copies(lines);
    mark_signatures(lines, text);
    mark_app_lines(lines);
    mark_blanks(lines);
    return lines;
}

/* ---- Answers ---- */

/* The unquoted lines from the first one on, trimmed. */
static char *
unquoted_from(const char *text, const GArray *lines, size_t first)
{
    g_autoptr(GString) out = g_string_new(NULL);

    for (size_t i = first; i < lines->len; i++) {
        const Line *line = line_at(lines, i);
        if (!line->quoted)
            g_string_append_len(out, text + line->start, (gssize)(line->end - line->start));
    }
    return trimmed(out->str, out->len);
}

/* lines->len when there is none. */
static size_t
first_own_line(const GArray *lines)
{
    size_t i = 0;

    while (i < lines->len && (line_at(lines, i)->quoted || is_blank(lines, i)))
        i++;
    return i;
}

char *
quote_first_line(const char *text)
{
    g_autoptr(GArray) lines = quote_lines(text);
    size_t first = first_own_line(lines);

    return first < lines->len ? g_strdup(line_at(lines, first)->text) : NULL;
}

char *
quote_own_text(const char *text)
{
    g_autoptr(GArray) lines = quote_lines(text);

    return unquoted_from(text, lines, 0);
}

char *
quote_after_first_line(const char *text)
{
    g_autoptr(GArray) lines = quote_lines(text);

    return unquoted_from(text, lines, first_own_line(lines) + 1);
}

bool
quote_own_words(const char *text, Digest *ret)
{
    g_autoptr(GArray) lines = quote_lines(text);
    g_autofree char *own = unquoted_from(text, lines, first_own_line(lines));
    size_t len = 0;

    for (const char *c = own; *c; c++)
        if (!g_ascii_isspace(*c))
            own[len++] = *c;
        else if (len > 0 && own[len - 1] != ' ')
            own[len++] = ' ';
    digest_of(own, len, ret);
    return len >= SHORTEST_KNOWN;
}
