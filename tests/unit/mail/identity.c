/* When two files are the same mail, and when two texts say the same. */
#include "mail/identity.h"
#include "mail/message.h"
#include "mail/mime/header.h"

#define HEAD "From: a@x\nTo: b@x\nSubject: one  two\nMessage-ID: <1@x>\n"
#define TYPED(type) HEAD "MIME-Version: 1.0\nContent-Type: " type "\n\nhi\n"

static const struct {
    const char *name, *a, *b;
    bool want;
} mails[] = {
    {"itself", HEAD "\nhi\n", HEAD "\nhi\n", true},
    {"CRLF", HEAD "\nhi\n",
     "From: a@x\r\nTo: b@x\r\nSubject: one  two\r\nMessage-ID: <1@x>\r\n\r\nhi\r\n", true},
    {"what servers add", "Received: by y\nX-A: 1\n" HEAD "Authentication-Results: z\n\nhi\n",
     "Return-Path: <q@x>\n" HEAD "List-Id: <l>\nAuto-Submitted: no\n\nhi\n", true},
    {"folding", HEAD "\nhi\n",
     "From: a@x\nTo: b@x\nSubject: one\n \t two\nMessage-ID: <1@x>\n\nhi\n", true},
    {"case of names", HEAD "\nhi\n",
     "from: a@x\nTO: b@x\nsubject: one two\nMESSAGE-ID: <1@x>\n\nhi\n", true},
    {"order of names", HEAD "\nhi\n",
     "Message-ID: <1@x>\nSubject: one two\nFrom: a@x\nTo: b@x\n\nhi\n", true},
    {"case of values", HEAD "\nhi\n",
     "From: A@x\nTo: b@x\nSubject: one two\nMessage-ID: <1@x>\n\nhi\n", false},
    {"another body", HEAD "\nhi\n", HEAD "\nho\n", false},
    {"a blank in the body", HEAD "\nhi\n", HEAD "\nhi \n", false},
    {"another Date", HEAD "Date: 1\n\nhi\n", HEAD "Date: 2\n\nhi\n", false},
    {"a Sender", HEAD "\nhi\n", HEAD "Sender: c@x\n\nhi\n", false},
    {"a Reply-To", HEAD "\nhi\n", HEAD "Reply-To: c@x\n\nhi\n", false},
    {"a Cc", HEAD "\nhi\n", HEAD "Cc: c@x\n\nhi\n", false},
    {"an empty Cc", HEAD "\nhi\n", HEAD "Cc:\n\nhi\n", false},
    {"In-Reply-To", HEAD "\nhi\n", HEAD "In-Reply-To: <0@x>\n\nhi\n", false},
    {"References", HEAD "References: <0@x>\n\nhi\n", HEAD "References: <00@x>\n\nhi\n", false},
    {"a second From", HEAD "\nhi\n", HEAD "From: c@x\n\nhi\n", false},
    {"the order of two From", "From: c@x\n" HEAD "\nhi\n", HEAD "From: c@x\n\nhi\n", false},
    {"a field in another's value", HEAD "Cc: to:b@x\n\nhi\n", HEAD "To: b@x\nCc:\n\nhi\n",
     false},
    {"another boundary", TYPED("multipart/mixed; boundary=a"),
     TYPED("multipart/mixed; boundary=b"), false},
    {"a blank in a boundary", TYPED("multipart/mixed; boundary=\"a b\""),
     TYPED("multipart/mixed; boundary=\"a  b\""), false},
    {"behind a comment", TYPED("multipart/mixed (\"); boundary=\"a b\""),
     TYPED("multipart/mixed (\"); boundary=\"a  b\""), false},
    {"another encoding", TYPED("text/plain"),
     TYPED("text/plain\nContent-Transfer-Encoding: base64"), false},
    {"any Content- field", TYPED("text/plain"), TYPED("text/plain\nContent-Language: en"),
     false},
    {"case of a Content- field", TYPED("text/plain"),
     HEAD "mime-version: 1.0\ncontent-TYPE: text/plain\n\nhi\n", true},
    {"headers or body", HEAD "\nCc: c@x\n\nhi\n", HEAD "Cc: c@x\n\nhi\n", false},
    {"nothing", "", "", true},
};

static void
test_mails(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(mails); i++) {
        Digest a, b, parsed;
        g_autoptr(Message) m =
            message_parse(mails[i].a, strlen(mails[i].a), MESSAGE_TEXT, NULL);

        g_test_message("%s", mails[i].name);
        identity_of_bytes(mails[i].a, strlen(mails[i].a), &a);
        identity_of_bytes(mails[i].b, strlen(mails[i].b), &b);
        g_assert_cmpint(digest_equal(&a, &b), ==, mails[i].want);
        identity_of(m->headers, &m->body, &parsed);
        g_assert_true(digest_equal(&a, &parsed));
    }
}

static const struct {
    const char *name, *a, *b;
    bool want;
} texts[] = {
    {"the same", "one\ntwo\n", "one\ntwo", true},
    {"blanks", "one  two\n\n\nthree\n", "one\ttwo \nthree", true},
    {"one goes on", "one\ntwo\n", "one\ntwo\n____\na list\n", true},
    {"within a line", "one\ntwo\n", "one\ntwo three\n", false},
    {"within a word", "one", "ones", false},
    {"before it", "one\n", "a list\none\n", false},
    {"other quoted text", "one\n> two\n", "one\n> three\n", true},
    {"a signature", "one\n-- \nAnn\n", "one\n", true},
    {"nothing", "", "\n> x\n", true},
    {"nothing and something", "", "one", false},
};

static void
test_words(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_test_message("%s", texts[i].name);
        g_assert_cmpint(identity_same_words(texts[i].a, texts[i].b), ==, texts[i].want);
        g_assert_cmpint(identity_same_words(texts[i].b, texts[i].a), ==, texts[i].want);
    }
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/identity/mails", test_mails);
    g_test_add_func("/identity/words", test_words);
    return g_test_run();
}
