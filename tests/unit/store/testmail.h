#pragma once

/* Mail as a parser would give it, without a parser. */
#include "mail/message.h"
#include "store/mail/messages.h"
#include "testhome.h"

static inline void
test_header_free(gpointer p)
{
    MsgHeader *h = p;

    g_free(h->name);
    g_free(h->value);
    g_free(h);
}

/* NULL: none. */
static inline void
test_header(Message *m, const char *name, const char *value)
{
    MsgHeader *h = g_new(MsgHeader, 1);

    if (!m->headers)
        m->headers = g_ptr_array_new_with_free_func(test_header_free);
    *h = (MsgHeader){g_strdup(name), g_strdup(value ? value : "")};
    g_ptr_array_add(m->headers, h);
}

/* refs: blank-separated ids, oldest first; NULL: none. */
static inline Message *
test_mail(const char *id, const char *from, const char *to, const char *refs, const char *text)
{
    Message *m = g_new0(Message, 1);

    m->id = g_strdup(id);
    m->subject = g_strdup_printf("About %s", id);
    m->from = from ? address_new("Sender", from) : NULL;
    m->to = addresses_new();
    if (to)
        addresses_add(m->to, address_new("", to));
    m->cc = addresses_new();
    m->references = g_ptr_array_new_with_free_func(g_free);
    g_auto(GStrv) ids = g_strsplit(refs ? refs : "", " ", -1);
    for (char **r = ids; *r && **r; r++)
        g_ptr_array_add(m->references, g_strdup(*r));
    m->date_us = TEST_NOW - 60 * USEC_PER_SEC;
    m->text = g_strdup(text ? text : "");
    test_header(m, "Message-ID", id);
    test_header(m, "From", from);
    test_header(m, "To", to);
    test_header(m, "Subject", m->subject);
    m->size = strlen(m->text);
    digest_of(m->text, m->size, &m->body);
    return m;
}

static inline MsgNew
test_msg_new(const char *role, const char *file, const Message *m)
{
    return (MsgNew){
        .role = role,
        .account = "main",
        .folder = "",
        .file = file,
        .mail = m,
        .trust = TRUST_PRINCIPAL,
        .floor = TRUST_PRINCIPAL,
        .class = MSG_TASK,
        .state = MSG_STORED,
    };
}

/* Threads it and stores it in one transaction of its own. */
static inline MsgId
test_store(Db *db, const MsgNew *in)
{
    g_autoptr(GError) error = NULL;
    MsgNew copy = *in;
    Txn txn = test_begin(db);
    MsgId id = {0};
    bool is_new;

    messages_thread(&txn, in->mail, &copy.thread, &error);
    g_assert_no_error(error);
    messages_store(&txn, &copy, &id, &is_new, &error);
    g_assert_no_error(error);
    test_commit(&txn);
    return id;
}
