#include "mail/mime/charset.h"

#include <glib.h>

#define BAD "\xEF\xBF\xBD"

/* What a label means. tests/differential reads every label of the WHATWG's table. */
static void
test_labels(void)
{
    static const struct {
        const char *labels, *bytes, *want;
    } cases[] = {
        {"utf-8 UTF8 x-utf-8 unicode-1-1-utf-8", "\xC3\xA4", "ä"},
        {"iso-8859-1 l1 iso88591 x-cp1252 ISO_8859-1:1987", "\xE4\x80", "ä€"},
        {"iso-8859-9 latin5", "\xFD\x80", "ı€"},
        {"win-1251 windows-1251 x-cp1251 cp1251 windows1251", "\xCF\xF0", "Пр"},
        {"iso-8859-8-i iso-8859-8-e logical visual", "\xF9\xEC", "של"},
        {"dos-874 tis-620", "\xA1\x85", "ก…"},
        {"x-mac-roman macintosh", "\x8A", "ä"},
        {"x-mac-cyrillic x-mac-ukrainian", "\x80\xB4", "Аі"},
        {"koi8-r koi8_r koi", "\xF0\xD2", "Пр"},
        /* Only the Windows charset of that family has these letters. */
        {"gb2312 gbk x-gbk chinese gb_2312-80", "\xD6\xD0\xE9\x46", "中镕"},
        {"big5 x-x-big5 x-big5 cn-big5", "\xA4\xA4\xF9\xD6", "中碁"},
        {"shift_jis x-sjis sjis windows-31j ms932", "\x93\xFA\x87\x40", "日①"},
        {"euc-jp x-euc-jp", "\xC6\xFC\xAD\xA1", "日①"},
        {"euc-kr ks_c_5601-1987 windows-949 korean ksc5601", "\xC7\xD1\x8C\x63", "한똠"},
        {"iso-2022-jp iso-2022-jp-ms cp50220 csiso2022jp", "a\x1b$BF|-!\x1b(Bb", "a日①b"},
        {"hz-gb-2312 hz", "a~{VP~}~~b", "a中~b"},
        {"unicode-1-1-utf-7 utf-7", "+AOQ-", "ä"},
        {"utf-16be unicodefffe", "\xD8\x3D\xDC\x0E", "🐎"},
        {"utf-16le utf-16 unicode ucs-2", "\x3D\xD8\x0E\xDC", "🐎"},
        {" us-ascii ascii unknown-8bit", "\xC3\xA4", "ä"},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(GStrv) labels = g_strsplit(cases[i].labels, " ", -1);
        for (char **label = labels; *label; label++) {
            bool bad = false;
            g_autofree char *got =
                charset_decode(*label, cases[i].bytes, strlen(cases[i].bytes), 0, &bad, NULL);
            g_test_message("'%s'", *label);
            g_assert_cmpstr(got, ==, cases[i].want);
            g_assert_false(bad);
        }
    }
}

static void
test_texts(void)
{
    static const struct {
        const char *row, *charset, *bytes, *want;
        bool want_bad;
    } cases[] = {
        {"last letter of Hebrew", "windows-1255", "\xF9\xEC\xE5\xED", "שלום", false},
        {"last letter of Vietnamese", "windows-1258", "Vi\xEA\xF2t a", "Việt a", false},
        {"held back at the very end", "windows-1258", "Vi\xEA", "Viê", false},
        {"with its accent", "windows-1258", "Vi\xEA\xF2", "Việ", false},
        {"yen and overline", "iso-2022-jp", "\x1b(J\\100~\x1b(B\\", "¥100‾\\", false},
        {"half width", "iso-2022-jp", "\x1b(I1\x1b(B", "ｱ", false},
        {"no way back", "iso-2022-jp", "\x1b$BF|\nabc", "日\nabc", false},
        {"cut", "iso-2022-jp", "\x1b$BF|F", "日" BAD, true},
        {"unknown escape", "iso-2022-jp", "a\x1b$Zb", "a\x1b$Zb", false},
        {"eight bits", "iso-2022-jp", "\xC6\xFC", "日", true},
        {"HZ over two lines", "hz-gb-2312", "~{VP~}~\n~{ND\n~{VP", "中文\n中", false},
        {"surrogate without the other", "utf-16be", "\xD8\x3D\x01\x42\x01\x42", BAD "łł", true},
        {"unknown", "x-foo", "a\xE4", "a" BAD, true},
        {"unknown, but UTF-8", "x-foo", "\xC3\xA4", "ä", true},
        {"wrong label", "utf-8",
         "a\xE4"
         "b",
         "a" BAD "b", true},
        {"truncated", "gb2312", "\xD6\xD0\xCE", "中" BAD, true},
        {"no such letter", "windows-1252",
         "a\x81"
         "b",
         "a" BAD "b", true},
        {"no label", "", "a\xE4", "aä", true},
        {"a label with orders for iconv", "utf-16//TRANSLIT", "ab", "ab", true},
        {"a label of punctuation", "--", "ab", "ab", true},
        {"a label that never ends",
         "1234567890123456789012345678901234567890123456789012345678901234567890", "ab", "ab",
         true},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        bool bad = false;
        g_autofree char *got = charset_decode(cases[i].charset, cases[i].bytes,
                                              strlen(cases[i].bytes), 0, &bad, NULL);
        g_test_message("%s", cases[i].row);
        g_assert_cmpstr(got, ==, cases[i].want);
        g_assert_cmpint(bad, ==, cases[i].want_bad);
    }
}

/* A NUL is dropped, and says nothing about the charset of the rest. */
static void
test_nuls(void)
{
    static const struct {
        const char *charset, *bytes, *want;
        bool want_bad;
    } cases[] = {
        {"", "\xC3\xA4\0b", "äb", false},
        {"utf-8", "\xC3\xA4\0b", "äb", false},
        {"utf-8", "\xE4\0bc", BAD "bc", true},
        {"x-foo", "\xC3\xA4\0b", "äb", true},
        {"utf-16be", "\0a\0b", "ab", false},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        bool bad = false;
        g_autofree char *got = charset_decode(cases[i].charset, cases[i].bytes, 4, 0, &bad, NULL);
        g_assert_cmpstr(got, ==, cases[i].want);
        g_assert_cmpint(bad, ==, cases[i].want_bad);
    }
}

/* At most so many bytes, and no half characters. */
static void
test_max(void)
{
    static const struct {
        const char *charset, *bytes;
        size_t max;
        const char *want;
        bool want_cut;
    } cases[] = {
        {"utf-8", "ää", 4, "ää", false},           {"utf-8", "ää", 3, "ä", true},
        {"latin1", "\xE4\xE4", 3, "ä", true},      {"hz", "~{VPND~}", 5, "中", true},
        {"iso-2022-jp", "\x1b(J~~", 3, "‾", true}, {"", "aäääääääääääääää", 2, "a", true},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        bool bad = false, cut = false;
        g_autofree char *got = charset_decode(cases[i].charset, cases[i].bytes,
                                              strlen(cases[i].bytes), cases[i].max, &bad, &cut);
        g_assert_cmpstr(got, ==, cases[i].want);
        g_assert_cmpint(cut, ==, cases[i].want_cut);
        g_assert_false(bad); /* whatever the limit leaves */
    }
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/charset/labels", test_labels);
    g_test_add_func("/charset/texts", test_texts);
    g_test_add_func("/charset/nuls", test_nuls);
    g_test_add_func("/charset/max", test_max);
    return g_test_run();
}
