#include "corpus.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/file.h"
#include <errno.h>
#include <fcntl.h>
#include <math.h>

#define VOCABULARY 30000u
#define LINE_WIDTH 72u
#define ENCODED_WIDTH 76u
#define BOUNDARY "=_bench_boundary"
#define INNER "=_bench_inner"

/* A stream of numbers that depends on nothing but where it starts. */
typedef struct Stream {
    uint64_t state;
} Stream;

static uint64_t
next(Stream *s)
{
    uint64_t z = (s->state += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static unsigned
below(Stream *s, unsigned n)
{
    return (unsigned)(next(s) % n);
}

/* Word number n of the vocabulary: frequent ones are short. */
static void
add_word(GString *out, unsigned n, bool accents)
{
    static const char *const starts[] = {"b",  "c",  "d",  "f",  "g", "h",  "l",  "m",
                                         "n",  "p",  "r",  "s",  "t", "v",  "st", "tr",
                                         "ch", "pr", "gr", "sh", "w", "pl", "k",  "br"};
    static const char *const ends[] = {"a",  "e",  "i",  "o",  "u",  "er", "an",
                                       "on", "is", "or", "en", "al", "it", "ar"};
    Stream s = {n};
    unsigned syllables = 1 + (n > 40) + (n > 1500) + (n > 12000);

    for (unsigned i = 0; i < syllables; i++) {
        g_string_append(out, starts[below(&s, G_N_ELEMENTS(starts))]);
        g_string_append(out, ends[below(&s, G_N_ELEMENTS(ends))]);
    }
    if (accents && n % 16 == 0)
        g_string_append(out, "\303\251");
}

/* The n-th most frequent word comes about 1/n as often as the first. */
static unsigned
draw_word(Stream *s)
{
    double u = (double)(next(s) >> 11) / (double)(UINT64_C(1) << 53);

    return (unsigned)(exp(u * log(VOCABULARY)) - 1);
}

static void
add_text(GString *out, Stream *s, size_t size, bool accents)
{
    size_t end = out->len + size, line = out->len;

    while (out->len < end) {
        add_word(out, draw_word(s), accents);
        bool full = out->len - line > LINE_WIDTH;
        g_string_append(out, full ? "\n" : below(s, 9) ? " " : ". ");
        if (full)
            line = out->len;
        if (full && below(s, 6) == 0)
            g_string_append_c(out, '\n');
    }
    g_string_append(out, "\n");
}

static void
add_quoted_printable(GString *out, const GString *text)
{
    size_t line = out->len;

    for (size_t i = 0; i < text->len; i++) {
        unsigned char c = (unsigned char)text->str[i];
        if (c == '\n') {
            g_string_append_c(out, '\n');
            line = out->len;
            continue;
        }
        if (out->len - line > ENCODED_WIDTH - 4) {
            g_string_append(out, "=\n");
            line = out->len;
        }
        if (c > 126 || c == '=' || (c == ' ' && text->str[i + 1] == '\n'))
            g_string_append_printf(out, "=%02X", c);
        else
            g_string_append_c(out, (char)c);
    }
}

static void
add_base64(GString *out, const void *data, size_t len)
{
    g_autofree char *encoded = g_base64_encode(data, len);
    size_t n = strlen(encoded);

    for (size_t i = 0; i < n; i += ENCODED_WIDTH) {
        g_string_append_len(out, encoded + i, (gssize)MIN(ENCODED_WIDTH, n - i));
        g_string_append_c(out, '\n');
    }
}

static void
begin_part(GString *out, const char *boundary, const char *head)
{
    g_string_append_printf(out, "--%s\n%s\n", boundary, head);
}

static void
end_parts(GString *out, const char *boundary)
{
    g_string_append_printf(out, "--%s--\n", boundary);
}

static void
add_html(GString *out, Stream *s, size_t size)
{
    size_t end = out->len + size;

    g_string_append(out, "<html><body>\n");
    while (out->len < end) {
        g_string_append(out, "<p style=\"margin:0\">");
        add_text(out, s, 300, false);
        g_string_append(out, "</p>\n");
    }
    g_string_append(out, "</body></html>\n");
}

static void
put_plain(GString *out, Stream *s, size_t size)
{
    g_string_append(out, "Content-Type: text/plain; charset=utf-8\n"
                         "Content-Transfer-Encoding: 8bit\n\n");
    add_text(out, s, size, false);
}

static void
put_quoted_printable(GString *out, Stream *s, size_t size)
{
    g_autoptr(GString) text = g_string_new(NULL);

    g_string_append(out, "Content-Type: text/plain; charset=utf-8\n"
                         "Content-Transfer-Encoding: quoted-printable\n\n");
    add_text(text, s, size, true);
    add_quoted_printable(out, text);
}

static void
put_alternative(GString *out, Stream *s, size_t size)
{
    g_string_append(out, "Content-Type: multipart/alternative; boundary=\"" BOUNDARY "\"\n\n");
    begin_part(out, BOUNDARY, "Content-Type: text/plain; charset=utf-8\n");
    add_text(out, s, size / 3, false);
    begin_part(out, BOUNDARY, "Content-Type: text/html; charset=utf-8\n");
    add_html(out, s, size * 2 / 3);
    end_parts(out, BOUNDARY);
}

static void
put_json(GString *out, Stream *s, size_t size)
{
    g_autoptr(GString) json = g_string_new("[");

    while (json->len < size * 2 / 3) {
        g_string_append(json, "{\"name\": \"");
        add_word(json, draw_word(s), false);
        g_string_append_printf(json, "\", \"count\": %u, \"on\": true},\n", below(s, 10000));
    }
    g_string_append(json, "{}]");
    g_string_append(out, "Content-Type: multipart/mixed; boundary=\"" BOUNDARY "\"\n\n");
    begin_part(out, BOUNDARY, "Content-Type: text/plain; charset=utf-8\n");
    add_text(out, s, 600, false);
    begin_part(out, BOUNDARY,
               "Content-Type: application/json; name=\"data.json\"\n"
               "Content-Disposition: attachment; filename=\"data.json\"\n"
               "Content-Transfer-Encoding: base64\n");
    add_base64(out, json->str, json->len);
    end_parts(out, BOUNDARY);
}

static void
add_binary(GString *out, Stream *s, size_t size)
{
    g_autoptr(GArray) bytes = g_array_new(FALSE, FALSE, sizeof(uint64_t));

    while (bytes->len * sizeof(uint64_t) < size) {
        uint64_t x = next(s);
        g_array_append_val(bytes, x);
    }
    add_base64(out, bytes->data, bytes->len * sizeof(uint64_t));
}

static void
put_binary(GString *out, Stream *s, size_t size)
{
    g_string_append(out, "Content-Type: multipart/mixed; boundary=\"" BOUNDARY "\"\n\n");
    begin_part(out, BOUNDARY, "Content-Type: text/plain; charset=utf-8\n");
    add_text(out, s, 600, false);
    begin_part(out, BOUNDARY,
               "Content-Type: application/pdf\n"
               "Content-Disposition: attachment; filename*=utf-8''r%C3%A9sum%C3%A9.pdf\n"
               "Content-Transfer-Encoding: base64\n");
    add_binary(out, s, size * 2 / 3);
    end_parts(out, BOUNDARY);
}

static void
put_forwarded(GString *out, Stream *s, size_t size)
{
    g_string_append(out, "Content-Type: multipart/mixed; boundary=\"" BOUNDARY "\"\n\n");
    begin_part(out, BOUNDARY, "Content-Type: text/plain; charset=utf-8\n");
    add_text(out, s, 400, false);
    begin_part(out, BOUNDARY, "Content-Type: message/rfc822\n");
    g_string_append(out, "From: first@example.net\nTo: second@example.net\n"
                         "Subject: what it was about\nMessage-ID: <inner@example.net>\n");
    put_plain(out, s, size - 400);
    end_parts(out, BOUNDARY);
}

static void
put_pictures(GString *out, Stream *s, size_t size)
{
    g_string_append(out, "Content-Type: multipart/related; boundary=\"" BOUNDARY "\"\n\n");
    begin_part(out, BOUNDARY, "Content-Type: multipart/alternative; boundary=\"" INNER "\"\n");
    begin_part(out, INNER, "Content-Type: text/plain; charset=utf-8\n");
    add_text(out, s, size / 6, false);
    begin_part(out, INNER, "Content-Type: text/html; charset=utf-8\n");
    add_html(out, s, size / 3);
    end_parts(out, INNER);
    begin_part(out, BOUNDARY,
               "Content-Type: image/png\nContent-ID: <picture@example.com>\n"
               "Content-Disposition: inline; filename=picture.png\n"
               "Content-Transfer-Encoding: base64\n");
    add_binary(out, s, size / 3);
    end_parts(out, BOUNDARY);
}

typedef void (*PutBody)(GString *out, Stream *s, size_t size);
static const struct {
    unsigned percent;
    PutBody put;
} mix[] = {
    {30, put_plain},  {15, put_quoted_printable}, {15, put_alternative}, {20, put_json},
    {10, put_binary}, {5, put_forwarded},         {5, put_pictures},
};

static PutBody
draw_body(Stream *s)
{
    unsigned draw = below(s, 100);
    size_t i = 0;

    for (; draw >= mix[i].percent; i++)
        draw -= mix[i].percent;
    return mix[i].put;
}

static void
add_id(GString *out, unsigned n)
{
    g_string_append_printf(out, "<%u.%08x@mail%u.example.com>", n, n * 2654435761u, n % 7);
}

/* Conversations of three: mail 3k, an answer, and an answer to that. */
static void
add_ancestors(GString *out, unsigned n)
{
    if (n % 3 == 0)
        return;
    g_string_append(out, "In-Reply-To: ");
    add_id(out, n - 1);
    g_string_append(out, "\nReferences:");
    for (unsigned i = n - n % 3; i < n; i++) {
        g_string_append(out, "\n ");
        add_id(out, i);
    }
    g_string_append_c(out, '\n');
}

static void
add_head(GString *out, Stream *s, unsigned n)
{
    unsigned who = below(s, 500), minute = n % 60, second = below(s, 60);

    g_string_append_printf(
        out,
        "Return-Path: <person%u@example.com>\n"
        "Received: from relay.example.com (relay.example.com [192.0.2.%u])\n"
        "\tby mx.example.org (Postfix) with ESMTPS id 4F%08X\n"
        "\tfor <r0@postrider.local>; Sun, 15 Nov 2026 09:%02u:%02u +0000 (UTC)\n"
        "Date: Sun, 15 Nov 2026 09:%02u:%02u +0000\n"
        "From: \"Person %u\" <person%u@example.com>\n"
        "To: Envoy <r0@postrider.local>, someone%u@example.net\n"
        "Message-ID: ",
        who, who % 250, n, minute, second, minute, second, who, who, n % 90);
    add_id(out, n);
    g_string_append(out, n % 5 ? "\nSubject: " : "\nSubject: =?utf-8?Q?R=C3=A9ponse_:?= ");
    for (unsigned i = 0; i < 5; i++) {
        add_word(out, draw_word(s), false);
        g_string_append(out, i < 4 ? " " : "\n");
    }
    add_ancestors(out, n);
    g_string_append(out, "MIME-Version: 1.0\nUser-Agent: Mutt/2.2.9 (2022-11-12)\n");
}

GString *
corpus_mail(CorpusKind kind, unsigned n)
{
    Stream s = {UINT64_C(0x706f737472696465) + n};
    GString *out = g_string_sized_new(24 << 10);

    add_head(out, &s, n);
    if (kind == CORPUS_SMALL)
        put_plain(out, &s, 300);
    else
        draw_body (&s)(out, &s, 2000 + below(&s, 16000));
    return out;
}

char *
corpus_name(unsigned n)
{
    return g_strdup_printf("1794736800.M%uP1.bench", n);
}

static bool
write_file(const char *path, const GString *text, GError **error)
{
    auto_fd fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    return fd < 0 ? err_set_errno(error, errno, "'%s'", path)
                  : file_write_all(fd, text->str, text->len, error);
}

bool
corpus_write(CorpusKind kind,
             const char *dir,
             unsigned from,
             unsigned to,
             int64_t *bytes,
             GError **error)
{
    for (unsigned n = from; n < to; n++) {
        g_autoptr(GString) mail = corpus_mail(kind, n);
        g_autofree char *name = corpus_name(n);
        g_autofree char *path = g_build_filename(dir, name, NULL);
        if (!write_file(path, mail, error))
            return false;
        if (bytes)
            *bytes += (int64_t)mail->len;
    }
    return true;
}
