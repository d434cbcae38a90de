/*
 * One mail:
 *
 *   MAIL --refused--> all recipients have their result
 *    |
 *   RCPT, one by one --none taken--> RSET
 *    |
 *   DATA --refused--> RSET
 *    |
 *   all but the tail | has the server spoken up? then its word is the result
 *    |
 *   last_byte() ==== from here on: a reply, or DOUBT
 *    |
 *   the tail, "\r\n.\r\n" --> reply
 *
 * A recipient is pending until something is known about it; whatever happens, finish() gives
 * the same result to all that still are.
 */
#include "base/clock.h"
#include "wire/smtp_internal.h"
#include "wire/smtp_text.h"

/* RFC 5321 4.5.3.2, in seconds. */
#define MAIL_S 300
#define RCPT_S 300
#define DATA_S 120
#define BLOCK_S 180
#define DOT_S 600
#define EARLY_US (5 * USEC_PER_SEC) /* for the rest of a reply that has begun */
#define BLOCK_SIZE (64u << 10)
#define SLOWEST 4096u /* bytes a second that a server must take in the long run */
#define TAIL 5u       /* "\r\n.\r\n" */

typedef enum Pending { PENDING, TAKEN, SETTLED } Pending;

typedef struct Try {
    Smtp *smtp;
    const SmtpMail *mail;
    SmtpNeeds needs;
    char *from;  /* as on the wire */
    char **to;   /* the same */
    Pending *at; /* of each recipient */
    SmtpResult *results;
} Try;

static void
try_clear(Try *t)
{
    g_free(t->from);
    for (size_t i = 0; t->to && i < t->mail->n_to; i++)
        g_free(t->to[i]);
    free_all(t->to, t->at);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Try, try_clear)

void
smtp_results_clear(SmtpResult *results, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        g_clear_pointer(&results[i].status, g_free);
        g_clear_pointer(&results[i].text, g_free);
    }
}

/* --- results --- */

/*
 * By the first digit, with exceptions that a second try heals: what is said about our login
 * (RFC 4954 6) is a person's to repair, not the mail's fault; X.4.5, congestion, is temporary
 * by its definition (RFC 3463 3.5), but providers say 5.4.5 when the day's quota is used up.
 */
static SmtpEnd
end_of(const SmtpReply *reply)
{
    switch (reply->code / 100) {
    case 2:
        return SMTP_SENT;
    case 5:
        break;
    default:
        return SMTP_RETRY;
    }
    if (reply->code == 530 || reply->code == 534 || reply->code == 535 || reply->code == 538 ||
        g_strcmp0(reply->status, "5.4.5") == 0)
        return SMTP_RETRY;
    return SMTP_NEVER;
}

static void
settle(Try *t, size_t i, const SmtpResult *as)
{
    t->results[i] = (SmtpResult){.end = as->end,
                                 .code = as->code,
                                 .status = g_strdup(as->status),
                                 .text = g_strdup(as->text)};
    t->at[i] = SETTLED;
}

/* The same for everyone about whom nothing is known yet. */
static void
finish(Try *t, const SmtpResult *as)
{
    for (size_t i = 0; i < t->mail->n_to; i++) {
        if (t->at[i] != SETTLED)
            settle(t, i, as);
    }
}

static void
finish_local(Try *t, SmtpEnd end, const char *text)
{
    finish(t, &(SmtpResult){.end = end, .text = (char *)text});
}

static SmtpResult
result_of(const SmtpReply *reply, SmtpEnd end)
{
    return (SmtpResult){
        .end = end, .code = reply->code, .status = reply->status, .text = reply->text};
}

static void
finish_by_reply(Try *t, const SmtpReply *reply, SmtpEnd end)
{
    SmtpResult as = result_of(reply, end);
    finish(t, &as);
}

static void
finish_lost(Try *t, SmtpEnd end, const char *where, const GError *error)
{
    g_autofree char *text = g_strdup_printf("%s: %s", where, error->message);

    finish_local(t, end, text);
}

static size_t
count(const Try *t, Pending what)
{
    size_t n = 0;

    for (size_t i = 0; i < t->mail->n_to; i++)
        n += t->at[i] == what;
    return n;
}

/* --- before anything is said --- */

static void
refuse(Try *t, size_t i, const char *why)
{
    g_autofree char *safe = text_vis(t->mail->to[i], false);
    g_autofree char *text = g_strdup_printf("'%s' %s", safe, why);

    settle(t, i, &(SmtpResult){.end = SMTP_NEVER, .text = text});
}

static void
check_recipients(Try *t)
{
    for (size_t i = 0; i < t->mail->n_to; i++) {
        if (!smtp_address_valid(t->mail->to[i])) {
            refuse(t, i, "is no address that can be written to");
            continue;
        }
        t->to[i] = smtp_address_wire(t->mail->to[i]);
        if (!g_str_is_ascii(t->to[i]) && !t->smtp->offer.utf8)
            refuse(t, i, "needs SMTPUTF8, which the server does not offer");
    }
}

/* Why this mail can't go to this server, whoever it is for; NULL: it can. Caller frees. */
static char *
problem_of(const Try *t)
{
    const SmtpOffer *offer = &t->smtp->offer;

    if (t->mail->from[0] && !smtp_address_valid(t->mail->from)) {
        g_autofree char *safe = text_vis(t->mail->from, false);
        return g_strdup_printf("'%s' is no address that can send", safe);
    }
    if (!g_str_is_ascii(t->from) && !offer->utf8)
        return g_strdup_printf("'%s' needs SMTPUTF8, which the server does not offer", t->from);
    if (t->needs.nul)
        return g_strdup("the mail holds a NUL byte");
    if (t->needs.utf8_header && !offer->utf8)
        return g_strdup("its header is not ASCII and needs SMTPUTF8, which the server does not "
                        "offer");
    if (t->needs.eight_bit && !offer->eight_bit)
        return g_strdup("it is not ASCII and needs 8BITMIME, which the server does not offer");
    if (offer->max_size > 0 && t->needs.size > offer->max_size) {
        g_autofree char *size = text_format_size(t->needs.size);
        g_autofree char *max = text_format_size(offer->max_size);
        return g_strdup_printf("it has %s and the server takes %s", size, max);
    }
    return NULL;
}

/* --- the envelope --- */

static bool
needs_utf8(const Try *t)
{
    bool need = t->needs.utf8_header || !g_str_is_ascii(t->from);

    for (size_t i = 0; i < t->mail->n_to; i++)
        need = need || (t->at[i] == PENDING && !g_str_is_ascii(t->to[i]));
    return need;
}

static bool
say_mail(Try *t)
{
    const SmtpOffer *offer = &t->smtp->offer;
    g_autoptr(GString) with = g_string_new(NULL);
    g_autoptr(GError) error = NULL;
    g_auto(SmtpReply) reply = {0};

    if (offer->size)
        g_string_append_printf(with, " SIZE=%" G_GUINT64_FORMAT, t->needs.size);
    if (t->needs.eight_bit)
        g_string_append(with, " BODY=8BITMIME");
    if (needs_utf8(t))
        g_string_append(with, " SMTPUTF8");
    if (offer->dsn && t->mail->envid) {
        g_autofree char *envid = smtp_xtext(t->mail->envid);
        g_string_append_printf(with, " RET=HDRS ENVID=%s", envid);
    }
    if (!smtp_command(t->smtp, MAIL_S, &reply, &error, "MAIL FROM:<%s>%s", t->from,
                      with->str)) {
        finish_lost(t, SMTP_RETRY, "at MAIL", error);
        return false;
    }
    if (end_of(&reply) == SMTP_SENT)
        return true;
    finish_by_reply(t, &reply, end_of(&reply));
    return false;
}

/* False when the connection is gone: then nobody gets the mail. */
static bool
say_rcpt(Try *t, size_t i)
{
    g_autofree char *with = NULL;
    g_autoptr(GError) error = NULL;
    g_auto(SmtpReply) reply = {0};

    if (t->smtp->offer.dsn && t->mail->envid && g_str_is_ascii(t->to[i])) {
        g_autofree char *original = smtp_xtext(t->to[i]);
        with = g_strdup_printf(" NOTIFY=FAILURE ORCPT=rfc822;%s", original);
    }
    if (!smtp_command(t->smtp, RCPT_S, &reply, &error, "RCPT TO:<%s>%s", t->to[i],
                      with ? with : "")) {
        finish_lost(t, SMTP_RETRY, "at RCPT", error);
        return false;
    }
    if (reply.code == 421) {
        finish_by_reply(t, &reply, SMTP_RETRY);
        return false;
    }
    SmtpEnd end = end_of(&reply);
    if (reply.code == 552) /* too many recipients, to RFC 821; a 452 to RFC 5321 4.5.3.1.10 */
        end = SMTP_RETRY;
    SmtpResult as = result_of(&reply, end);
    if (end == SMTP_SENT)
        t->at[i] = TAKEN;
    else
        settle(t, i, &as);
    return true;
}

/* What was said about this mail counts for no other. */
static void
reset(Try *t)
{
    g_auto(SmtpReply) reply = {0};

    if (t->smtp->open &&
        (!smtp_command(t->smtp, MAIL_S, &reply, NULL, "RSET") || reply.code / 100 != 2))
        t->smtp->open = false;
}

static bool
say_data(Try *t)
{
    g_autoptr(GError) error = NULL;
    g_auto(SmtpReply) reply = {0};

    if (!smtp_command(t->smtp, DATA_S, &reply, &error, "DATA")) {
        finish_lost(t, SMTP_RETRY, "at DATA", error);
        return false;
    }
    if (reply.code / 100 == 3)
        return true;
    SmtpEnd end = end_of(&reply);
    finish_by_reply(t, &reply, end == SMTP_SENT ? SMTP_RETRY : end);
    reset(t);
    return false;
}

/* --- the body --- */

/* A server that refuses a mail halfway speaks and hangs up; what it said is the better reason
 * than the broken pipe. */
static void
finish_early(Try *t, const GError *lost)
{
    g_autoptr(GError) error = NULL;
    g_auto(SmtpReply) reply = {0};

    smtp_take_in(t->smtp);
    if (smtp_read_reply(t->smtp, EARLY_US, &reply, &error) && reply.code >= 400)
        finish_by_reply(t, &reply, end_of(&reply));
    else if (lost || error)
        finish_lost(t, SMTP_RETRY, "in the middle of the mail", lost ? lost : error);
    else
        finish_local(t, SMTP_RETRY, "the server answered before the mail had ended");
    t->smtp->open = false;
}

/* In blocks, each with its time, and all of them together with a time that grows with the mail:
 * a peer that takes a byte now and then ends too. */
static bool
write_body(Try *t, const guint8 *data, size_t len, GError **error)
{
    int64_t block_us = smtp_wait_us(t->smtp, BLOCK_S);
    int64_t end_us = clock_mono_us() + block_us + (int64_t)(len / SLOWEST) * USEC_PER_SEC;

    while (len > 0) {
        size_t n = MIN(len, BLOCK_SIZE);
        int64_t wait_us = MIN(block_us, MAX(0, end_us - clock_mono_us()));
        if (!smtp_write(t->smtp, data, n, wait_us, error))
            return false;
        data += n;
        len -= n;
    }
    return true;
}

static bool
ask_last_byte(Try *t)
{
    g_autoptr(GError) error = NULL;

    if (!t->mail->last_byte || t->mail->last_byte(t->mail->user, &error))
        return true;
    t->smtp->open = false; /* the server drops what has no end */
    finish_local(t, SMTP_RETRY, error ? error->message : "not to be sent now");
    return false;
}

static void
send_tail(Try *t, const guint8 *tail, size_t len)
{
    Smtp *smtp = t->smtp;
    int64_t last_us =
        clock_patience_us(smtp->place->last_us ? smtp->place->last_us : DOT_S * USEC_PER_SEC);
    g_autoptr(GError) error = NULL;
    g_auto(SmtpReply) reply = {0};

    smtp->last_byte_out = true;
    if (!smtp_write(smtp, tail, len, smtp_wait_us(smtp, BLOCK_S), &error) ||
        !smtp_read_reply(smtp, last_us, &reply, &error)) {
        finish_lost(t, SMTP_DOUBT, "no answer to the whole mail", error);
        smtp->open = false;
    } else if (reply.code / 100 == 3) {
        finish_by_reply(t, &reply, SMTP_DOUBT); /* it waits for more? */
        smtp->open = false;
    } else {
        finish_by_reply(t, &reply, end_of(&reply));
    }
    smtp->last_byte_out = false;
}

static void
send_body(Try *t)
{
    gsize len;
    const void *mail = g_bytes_get_data(t->mail->bytes, &len);
    g_autoptr(GByteArray) body = smtp_encode(mail, len);
    size_t tail = MIN(TAIL, body->len);
    g_autoptr(GError) error = NULL;

    if (!write_body(t, body->data, body->len - tail, &error) || smtp_has_input(t->smtp))
        finish_early(t, error);
    else if (ask_last_byte(t))
        send_tail(t, body->data + body->len - tail, tail);
}

static void
send_pending(Try *t)
{
    if (!say_mail(t)) {
        reset(t);
        return;
    }
    for (size_t i = 0; i < t->mail->n_to; i++) {
        if (t->at[i] == PENDING && !say_rcpt(t, i))
            return;
    }
    if (count(t, TAKEN) == 0)
        reset(t);
    else if (say_data(t))
        send_body(t);
}

void
smtp_send(Smtp *smtp, const SmtpMail *mail, SmtpResult *ret)
{
    gsize len;
    const void *bytes = g_bytes_get_data(mail->bytes, &len);
    g_auto(Try) t = {.smtp = smtp,
                     .mail = mail,
                     .needs = smtp_needs_of(bytes, len),
                     .to = g_new0(char *, mail->n_to),
                     .at = g_new0(Pending, mail->n_to),
                     .results = ret};

    t.from = smtp_address_valid(mail->from) ? smtp_address_wire(mail->from) : g_strdup("");
    check_recipients(&t);
    g_autofree char *problem = problem_of(&t);
    if (problem)
        finish_local(&t, SMTP_NEVER, problem);
    else if (!smtp->open)
        finish_local(&t, SMTP_RETRY, "the connection is closed");
    if (count(&t, PENDING) > 0)
        send_pending(&t);
}
