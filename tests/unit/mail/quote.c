/* Bodies as mail programs write them, and what the person wrote in them. */
#include "mail/quote.h"

#define ORIGINAL_MARKED "> The build is red.\n> Shall I go on?\n>\n> -- \n> envoy\n"
#define ORIGINAL "The build is red.\nShall I go on?\n"

static const struct {
    const char *name, *text;
    const char *want_first; /* NULL: nothing of their own */
    const char *want_rest;
} rows[] = {
    {"bare", "Stop.", "Stop.", ""},
    {"bare-lines", "\n\n  Stop.  \n\nThanks\n", "Stop.", "Thanks"},
    {"empty", "", NULL, ""},
    {"blank", " \n\t\n\xc2\xa0\n", NULL, ""},
    {"nbsp", "\xc2\xa0Stop.\xc2\xa0\n\xef\xbb\xbf\n", "Stop.", ""},
    {"crlf", "Stop.\r\n\r\n> a\r\n", "Stop.", ""},

    /* mutt */
    {"mutt-bottom",
     "On Sun, Nov 15, 2026 at 09:30:00AM +0000, Envoy wrote:\n" ORIGINAL_MARKED "\nStop.\n\n"
     "-- \nAnna\n",
     "Stop.", ""},
    {"mutt-top",
     "Stop.\n\nOn Sun, Nov 15, 2026 at 09:30:00AM +0000, Envoy wrote:\n" ORIGINAL_MARKED,
     "Stop.", ""},
    {"mutt-star", "* Envoy <envoy@example.org> [2026-11-15 09:30]:\n> a\n\nStop.\n", "Stop.",
     ""},
    {"mutt-inline",
     "On Sun, Nov 15, 2026 at 09:30:00AM +0000, Envoy wrote:\n> The build is red.\n\nI "
     "know.\n\n"
     "> Shall I go on?\n\nYes, please.\n",
     "I know.", "Yes, please."},
    {"mutt-deep", "Go on.\n\nOn Mon, Anna wrote:\n> On Sun, Envoy wrote:\n>> a\n> b\n",
     "Go on.", ""},

    /* Gmail */
    {"gmail-web",
     "Stop.\n\nOn Sun, Nov 15, 2026 at 9:30 AM Envoy <envoy@example.org> wrote:\n\n"
     "> The build is red.\n> Shall I go on?\n>\n",
     "Stop.", ""},
    {"gmail-web-wrapped",
     "Stop.\n\nOn Sun, Nov 15, 2026 at 9:30 AM The Envoy of Example <\n"
     "envoy+a.very.long.address@example.org> wrote:\n\n> The build is red.\n",
     "Stop.", ""},
    {"gmail-web-signature",
     "Stop.\n\n-- \nAnna Muster\nExample Ltd.\n\nOn Sun, Nov 15, 2026 at 9:30 AM Envoy\n"
     "<envoy@example.org> wrote:\n\n> The build is red.\n",
     "Stop.", ""},
    {"gmail-app",
     "Stop.\n\nOn Sun, 15 Nov 2026, 09:30 Envoy, <envoy@example.org> wrote:\n\n"
     "> The build is red.\n>\n",
     "Stop.", ""},
    {"gmail-german",
     "Stop.\n\nAm So., 15. Nov. 2026 um 09:30 Uhr schrieb Envoy <\nenvoy@example.org>:\n\n"
     "> The build is red.\n",
     "Stop.", ""},
    {"gmail-french",
     "Stop.\n\nLe dim. 15 nov. 2026 à 09:30, Envoy <envoy@example.org> a écrit :\n\n> a\n",
     "Stop.", ""},
    {"gmail-spanish",
     "Stop.\n\nEl dom, 15 nov 2026 a las 9:30, Envoy (<envoy@example.org>) escribió:\n\n> a\n",
     "Stop.", ""},
    {"gmail-chinese",
     "Stop.\n\nEnvoy <envoy@example.org> 于2026年11月15日周日 09:30写道：\n\n> a\n", "Stop.",
     ""},
    {"gmail-forward",
     "See below.\n\n---------- Forwarded message ---------\nFrom: B <b@example.org>\n"
     "Date: Sun, Nov 15, 2026\nSubject: x\nTo: <a@example.org>\n\nStop.\n",
     "See below.", ""},

    /* iOS Mail */
    {"ios",
     "Stop.\n\nSent from my iPhone\n\n> On 15 Nov 2026, at 09:30, Envoy <envoy@example.org> "
     "wrote:\n> \n> \xef\xbb\xbfThe build is red.\n",
     "Stop.", ""},
    {"ios-plain-intro",
     "Stop.\n\nOn Nov 15, 2026, at 9:30 AM, Envoy <envoy@example.org> wrote:\n\n"
     "\xef\xbb\xbf> The build is red.\n",
     "Stop.", ""},
    {"ios-german",
     "Stop.\n\nVon meinem iPhone gesendet\n\n> Am 15.11.2026 um 09:30 schrieb Envoy "
     "<envoy@example.org>:\n> \n> a\n",
     "Stop.", ""},
    {"ios-alone", "Stop.\n\nSent from my iPad\n", "Stop.", ""},
    {"sent-from-sentence", "Sent from my build host, the mail has no date.\nPlease fix.\n",
     "Sent from my build host, the mail has no date.", "Please fix."},

    /* Outlook */
    {"outlook-desktop",
     "Stop.\n\nFrom: Envoy <envoy@example.org> \nSent: Sunday, November 15, 2026 9:30 AM\n"
     "To: Anna <anna@example.org>\nSubject: Re: build\n\n" ORIGINAL,
     "Stop.", ""},
    {"outlook-original",
     "Stop.\n\n-----Original Message-----\nFrom: Envoy <envoy@example.org> \nSent: Sunday\n"
     "To: Anna\nSubject: Re: build\n\n" ORIGINAL,
     "Stop.", ""},
    {"outlook-mobile",
     "Stop.\n\nGet Outlook for iOS<https://aka.ms/o0ukef>\n________________________________\n"
     "From: Envoy <envoy@example.org>\nSent: Sunday, November 15, 2026 9:30:00 AM\n"
     "To: Anna <anna@example.org>\nSubject: Re: build\n\n" ORIGINAL,
     "Stop.", ""},
    {"outlook-bold",
     "Stop.\n\n*From:* Envoy <envoy@example.org>\n*Sent:* Sunday\n*To:* Anna\n*Subject:* "
     "x\n\n" ORIGINAL,
     "Stop.", ""},
    {"outlook-german",
     "Stop.\n\nVon: Envoy <envoy@example.org>\nGesendet: Sonntag, 15. November 2026 09:30\n"
     "An: Anna\nBetreff: AW: build\n\n" ORIGINAL,
     "Stop.", ""},
    {"outlook-french",
     "Stop.\n\nDe : Envoy <envoy@example.org>\nEnvoyé : dimanche 15 novembre 2026\nÀ : Anna\n"
     "Objet : build\n\n" ORIGINAL,
     "Stop.", ""},
    {"yahoo-unmarked",
     "Stop.\n\n  On Sunday, November 15, 2026 at 09:30:00 AM GMT, Envoy <envoy@example.org> "
     "wrote:  \n \n " ORIGINAL,
     "Stop.", ""},

    {"outlook-rule-only",
     "Stop.\n\n________________________________\n\nFrom: Envoy\nSent: Sunday\n"
     "To: Anna\nSubject: x\n\n" ORIGINAL,
     "Stop.", ""},

    /* Hotmail */
    {"hotmail-block",
     "Stop.\n\nDate: Sun, 15 Nov 2026 09:30:00 +0000\nFrom: envoy@example.org\n"
     "To: anna@example.org\nSubject: Re: build\n\n" ORIGINAL,
     "Stop.", ""},
    {"hotmail-subject-first",
     "Stop.\n\nSubject: Re: build\nFrom: envoy@example.org\nTo: anna@example.org\n"
     "Date: Sun, 15 Nov 2026 09:30:00 +0000\n\n" ORIGINAL,
     "Stop.", ""},
    {"hotmail-rule-marked",
     "Stop.\n\n----------------------------------------\n> Date: Sun, 15 Nov 2026\n"
     "> From: envoy@example.org\n> Subject: build\n>\n" ORIGINAL_MARKED,
     "Stop.", ""},

    /* Android */
    {"android-wrote", "Stop.\n\n---- Envoy wrote ----\n\n" ORIGINAL, "Stop.", ""},
    {"android-original",
     "Stop.\n\n-------- Original message --------\nFrom: Envoy\nDate: 15/11/2026\n\n" ORIGINAL,
     "Stop.", ""},
    {"android-russian",
     "Stop.\n\nвс, 15 нояб. 2026 г., 9:30 Envoy <envoy@example.org>:\n\n> a\n", "Stop.", ""},
    {"android-russian-wrapped",
     "Stop.\n\nвс, 15 нояб. 2026 г. в 09:30, Envoy <\nenvoy@example.org>:\n\n" ORIGINAL,
     "Stop.", ""},
    {"android-russian-original",
     "Stop.\n\n-------- Исходное сообщение --------\nОт: Envoy <envoy@example.org>\n"
     "Дата: 15.11.2026 9:30\nКому: Анна\nТема: build\n\n" ORIGINAL,
     "Stop.", ""},
    {"android-russian-verb",
     "Stop.\n\n15 ноября 2026 г., 9:30 пользователь Envoy написал:\n\n> a\n", "Stop.", ""},

    /* Windows Mail */
    {"windows-russian",
     "Stop.\n\nОтправлено из Почты для Windows\n\nОт: Envoy\n"
     "Отправлено: 15 ноября 2026 г. в 9:30\nКому: Анна\nТема: build\n\n" ORIGINAL,
     "Stop.", ""},
    {"windows-russian-signature", "Stop.\n\nОтправлено из Почты для Windows\n", "Stop.", ""},

    /* Thunderbird */
    {"thunderbird-bottom", "On 11/15/26 09:30, Envoy wrote:\n" ORIGINAL_MARKED "\nStop.\n",
     "Stop.", ""},
    {"thunderbird-top", "Stop.\n\nOn 11/15/26 09:30, Envoy wrote:\n" ORIGINAL_MARKED, "Stop.",
     ""},
    {"thunderbird-german",
     "Am 15.11.26 um 09:30 schrieb Envoy:\n" ORIGINAL_MARKED "\nStop.\n\nGruß\n", "Stop.",
     "Gruß"},
    {"thunderbird-french", "Le 15/11/2026 à 09:30, Envoy a écrit :\n> a\n\nStop.\n", "Stop.",
     ""},
    {"thunderbird-spanish", "El 15/11/26 a las 9:30, Envoy escribió:\n> a\nStop.\n", "Stop.",
     ""},

    /* What is not a quotation. */
    {"own-colon", "Do these:\n- a\n- b\n", "Do these:", "- a\n- b"},
    {"own-from", "From: the desk of Anna\nStop.\n", "From: the desk of Anna", "Stop."},
    {"own-on", "On Monday Bob wrote:\nall is well\n", "On Monday Bob wrote:", "all is well"},
    {"own-colon-quote", "About this:\n> a\nyes\n", "About this:", "yes"},
    {"own-dashes", "Two parts\n--\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n", "Two parts",
     "--\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11"},
    {"own-underscores", "Name: ____________\n____________\nStop.\n", "Name: ____________",
     "____________\nStop."},
    {"own-times", "Please book it.\nDate: Monday\nFrom: 9:00\nTo: 10:00\n", "Please book it.",
     "Date: Monday\nFrom: 9:00\nTo: 10:00"},
    {"own-rule", "One\n----------\nTwo\n", "One", "----------\nTwo"},
    {"own-russian-year", "Отчёт за 2026 г., вот план:\n- a\n",
     "Отчёт за 2026 г., вот план:", "- a"},
    {"only-quote", "> a\n> b\n", NULL, ""},
    {"only-signature", "-- \nAnna\n", NULL, ""},
};

static void
test_row(gconstpointer data)
{
    size_t i = GPOINTER_TO_SIZE(data);
    g_autofree char *first = quote_first_line(rows[i].text);
    g_autofree char *rest = quote_after_first_line(rows[i].text);

    g_assert_cmpstr(first, ==, rows[i].want_first);
    g_assert_cmpstr(rest, ==, rows[i].want_rest);
}

/* Whatever the text is, what is taken for a person's own words is text and is not quoted. */
static void
check_own(const char *text)
{
    g_autofree char *first = quote_first_line(text), *rest = quote_after_first_line(text);

    g_assert_true(!first || (*first && *first != '>' && g_utf8_validate(first, -1, NULL)));
    g_assert_true(g_utf8_validate(rest, -1, NULL));
    g_assert_true(first || !*rest);
}

/* Lines put together at random, and a very long text, take no long time and do no harm. */
static void
test_random(void)
{
    static const char *const pieces[] = {"On Monday, X <a@b> wrote:",
                                         "> a",
                                         "",
                                         "text",
                                         "-- ",
                                         "From: a",
                                         "Sent: b",
                                         "To: c",
                                         "____________",
                                         "--",
                                         "Sent from my x",
                                         "wrote:",
                                         "\xc2\xa0",
                                         "On a"};
    GRand *rand = g_rand_new_with_seed(7);

    for (unsigned round = 0; round < 3000; round++) {
        g_autoptr(GString) text = g_string_new(NULL);
        int n = round == 0 ? 200000 : g_rand_int_range(rand, 0, 20);
        for (int i = 0; i < n; i++)
            g_string_append_printf(text, "%s\n",
                                   pieces[g_rand_int_range(rand, 0, G_N_ELEMENTS(pieces))]);
        check_own(text->str);
    }
    g_rand_free(rand);
}

/* The same words around other quotations are the same. */
static const struct {
    const char *text, *other;
    bool want_known, want_same;
} own_words[] = {
    {"I am away until Monday.\n\nOn Sunday you wrote:\n> one\n",
     "I am away until\nMonday.\n\nOn Sunday you wrote:\n> two\n> more\n", true, true},
    {"I am away  until \t Monday.\n", "I am away until Monday.\n", true, true},
    {"I am away until Monday.\n", "I am away until Tuesday.\n", true, false},
    {"> I am away until Monday.\nso what about it, then?\n",
     "> other\nso what about it, then?\n", true, true},
    {"Yes, please.\n\nOn Sunday you wrote:\n> a long question that was asked before\n",
     "Yes, please.\n", false, true},
    {"> nothing of its own, however long it is\n", "", false, true},
};

static void
test_own_words(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(own_words); i++) {
        Digest a, b;

        g_test_message("row %zu", i);
        g_assert_cmpint(quote_own_words(own_words[i].text, &a), ==, own_words[i].want_known);
        (void)quote_own_words(own_words[i].other, &b);
        g_assert_cmpint(digest_equal(&a, &b), ==, own_words[i].want_same);
    }
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *path = g_strconcat("/quote/body/", rows[i].name, NULL);
        g_test_add_data_func(path, GSIZE_TO_POINTER(i), test_row);
    }
    g_test_add_func("/quote/random", test_random);
    g_test_add_func("/quote/own-words", test_own_words);
    return g_test_run();
}
