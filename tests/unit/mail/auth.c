/*
 * Who is believed. Each row is a mail's header as a provider writes it, or as
 * somebody would write it who wants to be believed.
 */
#include "mail/auth.h"
#include "mail/auth_results.h"

#define HEAD_FROM(from) "From: Ann <" from ">\nTo: envoy@me.example\nSubject: x\n\nx\n"
#define ANN HEAD_FROM("ann@example.org")

/* --- as they write it --- */

#define GMAIL_TOP                                                                              \
    "Delivered-To: envoy@gmail.com\n"                                                          \
    "Received: by 2002:a05:6402:35c8:b0:5c9:1e2:7d3f with SMTP id z8csp1;\n"                   \
    "        Sun, 15 Nov 2026 01:30:00 -0800 (PST)\n"                                          \
    "X-Google-Smtp-Source: AGHT+IE\n"                                                          \
    "X-Received: by 2002:a17:907:1c1b with SMTP id nc27mr1;\n"                                 \
    "ARC-Seal: i=1; a=rsa-sha256; d=google.com; b=x\n"                                         \
    "ARC-Authentication-Results: i=1; mx.google.com; dmarc=pass header.from=evil.example\n"    \
    "Return-Path: <ann@example.org>\n"                                                         \
    "Received: from mail.example.org (mail.example.org. [203.0.113.5])\n"                      \
    "        by mx.google.com with ESMTPS id a640c2\n"                                         \
    "        for <envoy@gmail.com>\n        (version=TLS1_3 cipher=x bits=256/256);\n"         \
    "        Sun, 15 Nov 2026 01:30:00 -0800 (PST)\n"                                          \
    "Received-SPF: pass (google.com: domain of ann@example.org designates 203.0.113.5 as\n"    \
    " permitted sender) client-ip=203.0.113.5;\n"
#define GMAIL_PASS                                                                             \
    "Authentication-Results: mx.google.com;\n"                                                 \
    "       dkim=pass header.i=@example.org header.s=s1 header.b=aB3;\n"                       \
    "       spf=pass (google.com: domain of ann@example.org designates 203.0.113.5 as\n"       \
    " permitted sender) smtp.mailfrom=ann@example.org;\n"                                      \
    "       dmarc=pass (p=QUARANTINE sp=QUARANTINE dis=NONE) header.from=example.org\n"
#define GMAIL_FAIL                                                                             \
    "Authentication-Results: mx.google.com;\n"                                                 \
    "       spf=fail (google.com: domain of x@evil.example) smtp.mailfrom=x@evil.example;\n"   \
    "       dmarc=fail (p=NONE sp=NONE dis=NONE) header.from=example.org\n"
#define SENDERS_OWN                                                                            \
    "DKIM-Signature: v=1; d=example.org; b=x\n"                                                \
    "Received: from laptop (dsl [198.51.100.7]) by mail.example.org (Postfix) with ESMTPSA "   \
    "id 1;\n"

#define FASTMAIL_TOP                                                                           \
    "Return-Path: <ann@example.org>\n"                                                         \
    "Received: from phl-compute-02.internal (phl-compute-02.phl.internal [10.202.2.42])\n"     \
    "\tby sloti22d1t06 (Cyrus 3.11.0) with LMTPA;\n"                                           \
    "X-Sieve: CMU Sieve 3.0\n"                                                                 \
    "Received: from mx2 ([10.202.2.201]) by phl-compute-02.internal (LMTPProxy);\n"            \
    "Received: from mx2.messagingengine.com (localhost [127.0.0.1])\n"                         \
    "\tby mailmx.phl.internal (Postfix) with ESMTP id 1 for <envoy@fastmail.com>;\n"           \
    "Received: from mx2.messagingengine.com (localhost [127.0.0.1])\n"                         \
    "    by mx2.messagingengine.com (Authentication Milter) with ESMTP id 2;\n"                \
    "ARC-Authentication-Results: i=1; mx2.messagingengine.com; arc=none\n"
#define FASTMAIL_FOUR                                                                          \
    "Authentication-Results: mx2.messagingengine.com;\n    x-csa=none;\n    "                  \
    "x-me-sender=none;\n"                                                                      \
    "    x-ptr=pass smtp.helo=mail.example.org policy.ptr=mail.example.org\n"                  \
    "Authentication-Results: mx2.messagingengine.com;\n    bimi=skipped (DMARC Policy is "     \
    "none)\n"                                                                                  \
    "Authentication-Results: mx2.messagingengine.com;\n    arc=none (no signatures found)\n"   \
    "Authentication-Results: mx2.messagingengine.com;\n"                                       \
    "    dkim=pass (2048-bit rsa key sha256) header.d=example.org header.i=@example.org\n"     \
    "      header.b=aB3/x= header.a=rsa-sha256 header.s=s1 x-bits=2048;\n"                     \
    "    dmarc=pass policy.published-domain-policy=none policy.applied-disposition=none\n"     \
    "      policy.evaluated-disposition=none (p=none,d=none,d.eval=none)\n"                    \
    "      policy.policy-from=p header.from=example.org;\n"                                    \
    "    iprev=pass smtp.remote-ip=203.0.113.5 (mail.example.org);\n"                          \
    "    spf=pass smtp.mailfrom=ann@example.org smtp.helo=mail.example.org\n"
#define FASTMAIL_BORDER                                                                        \
    "X-ME-VSScore: 0\nReceived-SPF: pass\n"                                                    \
    "Received: from mail.example.org (mail.example.org [203.0.113.5])\n"                       \
    "    (using TLSv1.3 with cipher x (256/256 bits))\n"                                       \
    "    by mx2.messagingengine.com (Postfix) with ESMTPS for <envoy@fastmail.com>;\n"

#define OUTLOOK_TOP                                                                            \
    "Received: from AM0PR08MB3299.eurprd08.prod.outlook.com (2603:10a6:208:5d::15) by\n"       \
    " DB9PR08MB6123.eurprd08.prod.outlook.com with HTTPS; Sun, 15 Nov 2026 09:30:00 +0000\n"   \
    "Received: from DB8PR04CA0012.eurprd04.prod.outlook.com (2603:10a6:10:110::22) by\n"       \
    " AM0PR08MB3299.eurprd08.prod.outlook.com (2603:10a6:208:5d::15) with Microsoft SMTP\n"    \
    " Server (version=TLS1_2, cipher=x) id 15.20; Sun, 15 Nov 2026 09:29:58 +0000\n"           \
    "Received: from DB5EUR03FT015.eop-EUR03.prod.protection.outlook.com\n"                     \
    " (2603:10a6:10:110:cafe::c1) by DB8PR04CA0012.outlook.office365.com\n"                    \
    " (2603:10a6:10:110::22) with Microsoft SMTP Server id 15.20 via Frontend Transport;\n"
#define OUTLOOK_RESULT                                                                         \
    "Authentication-Results: spf=pass (sender IP is 203.0.113.5)\n"                            \
    " smtp.mailfrom=example.org; dkim=pass (signature was verified)\n"                         \
    " header.d=example.org;dmarc=pass action=none\n"                                           \
    " header.from=example.org;compauth=pass reason=100\n"
#define OUTLOOK_BORDER                                                                         \
    "Received-SPF: Pass (protection.outlook.com: domain of example.org designates\n"           \
    " 203.0.113.5 as permitted sender) receiver=protection.outlook.com;\n"                     \
    "Received: from mail.example.org (203.0.113.5) by\n"                                       \
    " DB5EUR03FT015.mail.protection.outlook.com (10.152.20.93) with Microsoft SMTP Server id " \
    "1;\n"

#define POSTFIX_LMTP                                                                           \
    "Return-Path: <ann@example.org>\nDelivered-To: envoy@me.example\n"                         \
    "Received: from mail.me.example\n\tby mail.me.example with LMTP\n\tid aB3\n"               \
    "\t(envelope-from <ann@example.org>)\n\tfor <envoy@me.example>; Sun, 15 Nov 2026 "         \
    "09:30:00 +0000\n"
#define POSTFIX_BORDER                                                                         \
    "Received: from mail.example.org (mail.example.org [203.0.113.5])\n"                       \
    "\t(using TLSv1.3 with cipher x)\n\tby mail.me.example (Postfix) with ESMTPS id 4F2\n"     \
    "\tfor <envoy@me.example>; Sun, 15 Nov 2026 09:30:00 +0000 (UTC)\n"
#define RSPAMD                                                                                 \
    "Authentication-Results: mail.me.example;\n"                                               \
    "\tdkim=pass header.d=example.org header.s=s1 header.b=aB3+x/=;\n"                         \
    "\tdmarc=pass (policy=none) header.from=example.org;\n"                                    \
    "\tspf=pass (mail.me.example: domain of ann@example.org designates 203.0.113.5 as\n"       \
    " permitted sender) smtp.mailfrom=ann@example.org\n"
#define RESULT(rest) "Authentication-Results: mail.me.example; " rest "\n"
#define EVIL_BORDER                                                                            \
    "Received: from mail.example.org (unknown [192.0.2.66]) by mail.me.example (Postfix) "     \
    "with\n"                                                                                   \
    " ESMTP id 1; Sun, 15 Nov 2026 09:30:00 +0000\n"
#define FORGED RESULT("dmarc=pass header.from=example.org; dkim=pass header.d=example.org")

#define ME "mail.me.example"
#define GOOGLE "mx.google.com"
#define FASTMAIL "*.messagingengine.com"

static const struct {
    const char *name, *ids, *raw;
    AuthNeed need;
    const char *want; /* method; NULL: not proved */
} cases[] = {
    /* providers */
    {"Gmail", GOOGLE, GMAIL_TOP GMAIL_PASS SENDERS_OWN ANN, AUTH_DMARC, "dmarc"},
    {"Gmail, dkim", GOOGLE, GMAIL_TOP GMAIL_PASS SENDERS_OWN ANN, AUTH_DKIM, "dkim"},
    {"Gmail says no", GOOGLE, GMAIL_TOP GMAIL_FAIL SENDERS_OWN ANN, AUTH_DMARC, NULL},
    {"Gmail, another From", GOOGLE,
     GMAIL_TOP GMAIL_PASS SENDERS_OWN HEAD_FROM("ann@other.example"), AUTH_DMARC, NULL},
    {"Fastmail", FASTMAIL, FASTMAIL_TOP FASTMAIL_FOUR FASTMAIL_BORDER SENDERS_OWN ANN,
     AUTH_DMARC, "dmarc"},
    {"Fastmail, dkim", FASTMAIL, FASTMAIL_TOP FASTMAIL_FOUR FASTMAIL_BORDER SENDERS_OWN ANN,
     AUTH_DKIM, "dkim"},
    {"Fastmail by its whole name", "mx2.messagingengine.com",
     FASTMAIL_TOP FASTMAIL_FOUR FASTMAIL_BORDER SENDERS_OWN ANN, AUTH_DMARC, "dmarc"},
    {"Outlook", "outlook", OUTLOOK_TOP OUTLOOK_RESULT OUTLOOK_BORDER SENDERS_OWN ANN,
     AUTH_DMARC, "dmarc"},
    {"Outlook, dkim", "outlook", OUTLOOK_TOP OUTLOOK_RESULT OUTLOOK_BORDER SENDERS_OWN ANN,
     AUTH_DKIM, "dkim"},
    {"Postfix and rspamd", ME, POSTFIX_LMTP RSPAMD POSTFIX_BORDER SENDERS_OWN ANN, AUTH_DMARC,
     "dmarc"},
    {"Postfix, a milter that writes below", ME,
     POSTFIX_LMTP POSTFIX_BORDER RSPAMD SENDERS_OWN ANN, AUTH_DMARC, "dmarc"},
    {"Postfix without LMTP", ME, RSPAMD POSTFIX_BORDER SENDERS_OWN ANN, AUTH_DMARC, "dmarc"},
    {"Postfix behind amavis", ME,
     "Received: from localhost (localhost [127.0.0.1])\n\tby mail.me.example (Postfix) "
     "with ESMTP\n" POSTFIX_BORDER RSPAMD SENDERS_OWN ANN,
     AUTH_DMARC, "dmarc"},
    {"OpenDMARC and OpenDKIM, two ids", "OpenDMARC mail.me.example",
     POSTFIX_LMTP POSTFIX_BORDER "Authentication-Results: OpenDMARC; dmarc=pass (p=none "
                                 "dis=none) header.from=example.org\n"
                                 "Authentication-Results: mail.me.example; spf=pass "
                                 "smtp.mailfrom=ann@example.org\n" SENDERS_OWN ANN,
     AUTH_DMARC, "dmarc"},
    {"a user of the same server", ME,
     POSTFIX_LMTP RESULT("auth=pass smtp.auth=ann@example.org "
                         "smtp.mailfrom=ann@example.org") "Received: from laptop (dsl "
                                                          "[198.51.100.7]) by "
                                                          "mail.me.example (Postfix) with "
                                                          "ESMTPSA;\n" ANN,
     AUTH_DMARC, "auth"},
    {"a user of the same server under another name", ME,
     POSTFIX_LMTP RESULT("auth=pass smtp.auth=eve@example.org "
                         "smtp.mailfrom=ann@example.org") "Received: from laptop (dsl "
                                                          "[198.51.100.7]) by "
                                                          "mail.me.example (Postfix) with "
                                                          "ESMTPSA;\n" ANN,
     AUTH_DMARC, NULL},

    /* methods */
    {"dkim alone", ME, RESULT("dkim=pass header.d=example.org") POSTFIX_BORDER ANN, AUTH_DMARC,
     "dkim"},
    {"dkim by header.i", ME, RESULT("dkim=pass header.i=@example.org") POSTFIX_BORDER ANN,
     AUTH_DMARC, "dkim"},
    {"spf alone", ME, RESULT("spf=pass smtp.mailfrom=ann@example.org") POSTFIX_BORDER ANN,
     AUTH_DMARC, "spf"},
    {"spf is no dkim", ME, RESULT("spf=pass smtp.mailfrom=ann@example.org") POSTFIX_BORDER ANN,
     AUTH_DKIM, NULL},
    {"dmarc is no dkim", ME, RESULT("dmarc=pass header.from=example.org") POSTFIX_BORDER ANN,
     AUTH_DKIM, NULL},
    {"spf of somebody else", ME,
     RESULT("spf=pass smtp.mailfrom=x@evil.example") POSTFIX_BORDER ANN, AUTH_DMARC, NULL},
    {"spf of the name it said", ME, RESULT("spf=pass smtp.helo=example.org") POSTFIX_BORDER ANN,
     AUTH_DMARC, NULL},
    {"dkim of somebody else", ME, RESULT("dkim=pass header.d=evil.example") POSTFIX_BORDER ANN,
     AUTH_DMARC, NULL},
    {"second signature", ME,
     RESULT("dkim=pass header.d=list.example; dkim=pass header.d=example.org")
         POSTFIX_BORDER ANN,
     AUTH_DKIM, "dkim"},
    {"a signature of a subdomain", ME,
     RESULT("dkim=pass header.d=mail.example.org") POSTFIX_BORDER ANN, AUTH_DKIM, "dkim"},
    {"a signature of the parent", ME,
     RESULT("dkim=pass header.d=example.org") POSTFIX_BORDER HEAD_FROM("ann@mail.example.org"),
     AUTH_DKIM, "dkim"},
    {"a sibling is not known", ME,
     RESULT("dkim=pass header.d=a.example.org") POSTFIX_BORDER HEAD_FROM("ann@b.example.org"),
     AUTH_DKIM, NULL},
    {"a top-level domain signs for nobody", ME,
     RESULT("dkim=pass header.d=org") POSTFIX_BORDER ANN, AUTH_DKIM, NULL},
    {"the end of a name is not its parent", ME,
     RESULT("dkim=pass header.d=evilexample.org") POSTFIX_BORDER ANN, AUTH_DKIM, NULL},
    {"dmarc failed, whatever else passed", ME,
     RESULT("dmarc=fail header.from=example.org; dkim=pass header.d=example.org")
         POSTFIX_BORDER ANN,
     AUTH_DMARC, NULL},
    {"no policy, so the signature counts", ME,
     RESULT("dmarc=none header.from=example.org; dkim=pass header.d=example.org")
         POSTFIX_BORDER ANN,
     AUTH_DMARC, "dkim"},
    {"Microsoft's guess is no pass", ME,
     RESULT("dmarc=bestguesspass header.from=example.org") POSTFIX_BORDER ANN, AUTH_DMARC,
     NULL},
    {"dmarc for another domain", ME,
     RESULT("dmarc=pass header.from=evil.example") POSTFIX_BORDER ANN, AUTH_DMARC, NULL},
    {"dmarc for nobody", ME, RESULT("dmarc=pass") POSTFIX_BORDER ANN, AUTH_DMARC, NULL},
    {"A-label and U-label", ME,
     RESULT("dmarc=pass header.from=xn--e1afmkfd.xn--p1ai")
         POSTFIX_BORDER HEAD_FROM("ann@пример.рф"),
     AUTH_DMARC, "dmarc"},
    {"Cyrillic a", ME,
     RESULT("dmarc=pass header.from=example.org") POSTFIX_BORDER HEAD_FROM("ann@exаmple.org"),
     AUTH_DMARC, NULL},
    {"none believes From", "", ANN, AUTH_NONE, "none"},

    /* the field's grammar */
    {"version 1", ME,
     "Authentication-Results: mail.me.example 1; dmarc/1=pass "
     "header.from=example.org\n" POSTFIX_BORDER ANN,
     AUTH_DMARC, "dmarc"},
    {"version 2", ME,
     "Authentication-Results: mail.me.example 2; dmarc=pass "
     "header.from=example.org\n" POSTFIX_BORDER ANN,
     AUTH_DMARC, NULL},
    {"another version of the method", ME,
     RESULT("dmarc/2=pass header.from=example.org") POSTFIX_BORDER ANN, AUTH_DMARC, NULL},
    {"comments everywhere", ME,
     "Authentication-Results: (a (b) \\) ;) mail.me.example (c) 1 (d) ; (e) dmarc (f) = "
     "(g) pass\n"
     " (h=\"x) header.from (i) = (j) example.org (k)\n" POSTFIX_BORDER ANN,
     AUTH_DMARC, "dmarc"},
    {"a result in a comment", ME,
     RESULT("spf=none (x; dmarc=pass header.from=example.org)") POSTFIX_BORDER ANN, AUTH_DMARC,
     NULL},
    {"a comment without end", ME,
     RESULT("dmarc=pass header.from=example.org (open") POSTFIX_BORDER ANN, AUTH_DMARC, NULL},
    {"quoted strings", ME,
     "Authentication-Results: \"mail.me.example\"; dmarc=\"pass\" reason=\"a; b=c\"\n"
     " header.from=\"example.org\"\n" POSTFIX_BORDER ANN,
     AUTH_DMARC, "dmarc"},
    {"a result in a quoted string", ME,
     RESULT("spf=none reason=\"x; dmarc=pass header.from=example.org\"") POSTFIX_BORDER ANN,
     AUTH_DMARC, NULL},
    {"a quoted string without end", ME,
     RESULT("dmarc=pass header.from=\"example.org") POSTFIX_BORDER ANN, AUTH_DMARC, NULL},
    {"header.from twice", ME,
     RESULT("dmarc=pass header.from=example.org header.from=evil.example") POSTFIX_BORDER ANN,
     AUTH_DMARC, NULL},
    {"8 bit", ME,
     RESULT("x-\xc3\xa9=\xc3\xa9 (\xff\xfe); dmarc=pass header.from=example.org")
         POSTFIX_BORDER ANN,
     AUTH_DMARC, "dmarc"},
    {"capitals", ME,
     "AUTHENTICATION-RESULTS: mail.me.example; DMARC=Pass "
     "Header.From=Example.ORG\n" POSTFIX_BORDER ANN,
     AUTH_DMARC, "dmarc"},
    {"no result", ME, RESULT("none") POSTFIX_BORDER ANN, AUTH_DMARC, NULL},
    {"junk", ME, RESULT("dmarc=pass junk header.from=example.org") POSTFIX_BORDER ANN,
     AUTH_DMARC, NULL},

    /* forged */
    {"nobody is believed by default", "", RSPAMD POSTFIX_BORDER ANN, AUTH_DMARC, NULL},
    {"below the first foreign Received", ME,
     RESULT("dmarc=fail header.from=example.org") EVIL_BORDER
     "Received: from x (x [192.0.2.67]) by evil.example; x\n" FORGED ANN,
     AUTH_DMARC, NULL},
    {"right below the border, though our server spoke above it", ME,
     RESULT("dmarc=fail header.from=example.org") EVIL_BORDER FORGED ANN, AUTH_DMARC, NULL},
    {"our server was silent: below a foreign Received", ME,
     EVIL_BORDER "Received: from x by evil.example; x\n" FORGED ANN, AUTH_DMARC, NULL},
    {"below a Received that pretends to be ours", ME,
     EVIL_BORDER
     "Received: from localhost (localhost [127.0.0.1]) by mail.me.example; x\n" FORGED ANN,
     AUTH_DMARC, NULL},
    {"below a Received without by", ME, EVIL_BORDER "Received: x\n" FORGED ANN, AUTH_DMARC,
     NULL},
    {"the client called itself one of ours", ME,
     POSTFIX_LMTP
     "Received: from mail.me.example (unknown [192.0.2.66]) by mail.me.example; x\n"
     "Received: from localhost (localhost [127.0.0.1]) by mail.me.example; x\n" FORGED ANN,
     AUTH_DMARC, NULL},
    {"the client's name holds a by", ME,
     POSTFIX_LMTP
     "Received: from a by mail.me.example (unknown [192.0.2.66]) by mail.me.example; x\n"
     "Received: from localhost (localhost [127.0.0.1]) by mail.me.example; x\n" FORGED ANN,
     AUTH_DMARC, NULL},
    {"the client's address is named like our parent", ME,
     POSTFIX_LMTP
     "Received: from x (example [192.0.2.66]) by mail.me.example; x\n"
     "Received: from localhost (localhost [127.0.0.1]) by mail.me.example; x\n" FORGED ANN,
     AUTH_DMARC, NULL},
    {"a second opinion beside ours", GOOGLE,
     GMAIL_TOP GMAIL_FAIL
     "Authentication-Results: mx.google.com; dmarc=pass header.from=example.org\n" ANN,
     AUTH_DMARC, NULL},
    {"a second opinion further down", ME,
     RESULT("spf=none") "X: y\n" FORGED POSTFIX_BORDER ANN, AUTH_DMARC, NULL},
    {"our id in capitals", ME,
     "Authentication-Results: MAIL.me.example; dmarc=pass "
     "header.from=example.org\n" POSTFIX_BORDER ANN,
     AUTH_DMARC, NULL},
    {"an id that ends like ours", ME,
     "Authentication-Results: evil-mail.me.example; dmarc=pass "
     "header.from=example.org\n" POSTFIX_BORDER ANN,
     AUTH_DMARC, NULL},
    {"an id that ends like a wildcard", FASTMAIL,
     "Authentication-Results: xmessagingengine.com; dmarc=pass "
     "header.from=example.org\n" POSTFIX_BORDER ANN,
     AUTH_DMARC, NULL},
    {"the wildcard itself", FASTMAIL,
     "Authentication-Results: .messagingengine.com.evil; dmarc=pass "
     "header.from=example.org\n" POSTFIX_BORDER ANN,
     AUTH_DMARC, NULL},
    {"the word outlook as id", "outlook",
     OUTLOOK_TOP
     "Authentication-Results: outlook; dmarc=pass header.from=example.org\n" OUTLOOK_BORDER ANN,
     AUTH_DMARC, NULL},
    {"no id, and not Microsoft", "outlook mail.me.example",
     "Authentication-Results: dmarc=pass header.from=example.org\n" POSTFIX_BORDER ANN,
     AUTH_DMARC, NULL},
    {"no id, not Microsoft, and nobody said whom to believe", "",
     "Authentication-Results: dmarc=pass header.from=example.org\n" POSTFIX_BORDER ANN,
     AUTH_DMARC, NULL},
    {"no id, and Microsoft is not believed", ME,
     OUTLOOK_TOP OUTLOOK_RESULT OUTLOOK_BORDER ANN, AUTH_DMARC, NULL},
    {"Microsoft was silent", "outlook",
     OUTLOOK_TOP OUTLOOK_BORDER "Received: from a.prod.outlook.com (2603:10a6::1) by "
                                "b.prod.outlook.com; x\n" OUTLOOK_RESULT ANN,
     AUTH_DMARC, NULL},
    {"another tenant calls itself inner", "outlook",
     OUTLOOK_TOP
     "Received: from x.prod.outlook.com (192.0.2.66) by y.mail.protection.outlook.com; x\n"
     "Received: from a.prod.outlook.com (2603:10a6::1) by b.prod.outlook.com; "
     "x\n" OUTLOOK_RESULT ANN,
     AUTH_DMARC, NULL},
    {"in the body", ME, POSTFIX_BORDER "From: ann@example.org\nTo: e@me.example\n\n" FORGED,
     AUTH_DMARC, NULL},
    {"without any Received", ME, FORGED ANN, AUTH_DMARC, NULL},
    {"ARC is not it", ME,
     "ARC-Authentication-Results: i=1; mail.me.example; dmarc=pass "
     "header.from=example.org\n" POSTFIX_BORDER ANN,
     AUTH_DMARC, NULL},
    {"two From", ME, RSPAMD POSTFIX_BORDER "From: eve@evil.example\n" ANN, AUTH_DMARC, NULL},
    {"two From, none needed", "", "From: eve@evil.example\n" ANN, AUTH_NONE, NULL},
    {"two addresses in From", ME,
     RSPAMD POSTFIX_BORDER "From: ann@example.org, eve@evil.example\nTo: e@me.example\n\nx\n",
     AUTH_DMARC, NULL},
    {"the address in the name", ME,
     RSPAMD POSTFIX_BORDER
     "From: \"ann@example.org\" <eve@evil.example>\nTo: e@me.example\n\nx\n",
     AUTH_DMARC, NULL},
    {"no From", ME, RSPAMD POSTFIX_BORDER "To: e@me.example\n\nx\n", AUTH_NONE, NULL},
};

static void
test_verdicts(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(GStrv) ids = g_strsplit(cases[i].ids, " ", -1);
        g_autoptr(Message) m =
            message_parse(cases[i].raw, strlen(cases[i].raw), MESSAGE_HEADERS, NULL);
        g_auto(AuthVerdict) verdict = {0};

        const AuthTrust trust = {(const char *const *)(*cases[i].ids ? ids : NULL),
                                 cases[i].need, strstr(cases[i].name, "Fastmail") != NULL};
        auth_judge(m, &trust, &verdict);
        g_test_message("%s: %s", cases[i].name, verdict.why);
        g_assert_cmpint(verdict.pass, ==, cases[i].want != NULL);
        g_assert_cmpstr(verdict.method, ==, cases[i].want);
        g_assert_nonnull(verdict.why);
    }
}

/* A filter of ours stands at an address that the world can't have. */
static void
test_inner(void)
{
    static const struct {
        const char *ip;
        bool want;
    } ips[] = {
        {"10.1.2.3", true},     {"11.1.2.3", false},    {"127.0.0.2", true},    {"128.0.0.2", false},
        {"172.16.0.9", true},   {"172.31.9.9", true},   {"172.32.0.9", false},  {"192.168.7.7", true},
        {"192.169.7.7", false}, {"192.167.7.7", false}, {"169.254.1.1", true},  {"169.253.1.1", false},
        {"100.64.0.1", true},   {"100.127.0.1", true},  {"100.128.0.1", false}, {"100.63.0.1", false},
        {"203.0.113.9", false},
    };
    const char *const ids[] = {"mail.me.example", NULL};
    const AuthTrust trust = {ids, AUTH_DMARC, false};

    for (size_t i = 0; i < G_N_ELEMENTS(ips); i++) {
        g_autofree char *raw = g_strdup_printf("Received: from filter (filter [%s])\n\tby mail.me.example (Postfix) "
                                               "with ESMTP\n" POSTFIX_BORDER RSPAMD SENDERS_OWN ANN,
                                               ips[i].ip);
        g_autoptr(Message) m = message_parse(raw, strlen(raw), MESSAGE_HEADERS, NULL);
        g_auto(AuthVerdict) verdict = {0};

        auth_judge(m, &trust, &verdict);
        g_test_message("%s: %s", ips[i].ip, verdict.why);
        g_assert_cmpint(verdict.pass, ==, ips[i].want);
    }
}

/* Pairing: the same servers, before any id is known. */
static void
test_find_id(void)
{
    static const struct {
        const char *raw, *want;
    } mails[] = {
        {GMAIL_TOP GMAIL_PASS SENDERS_OWN ANN, "mx.google.com"},
        {FASTMAIL_TOP FASTMAIL_FOUR FASTMAIL_BORDER SENDERS_OWN ANN, "mx2.messagingengine.com"},
        {OUTLOOK_TOP OUTLOOK_RESULT OUTLOOK_BORDER SENDERS_OWN ANN, "outlook"},
        {POSTFIX_LMTP RSPAMD POSTFIX_BORDER SENDERS_OWN ANN, "mail.me.example"},
        {POSTFIX_LMTP POSTFIX_BORDER SENDERS_OWN RSPAMD ANN, NULL},
        {"Authentication-Results: dmarc=pass header.from=example.org\n" POSTFIX_BORDER ANN, NULL},
        {RSPAMD ANN, NULL},
        {ANN, NULL},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(mails); i++) {
        g_autoptr(Message) m =
            message_parse(mails[i].raw, strlen(mails[i].raw), MESSAGE_HEADERS, NULL);
        g_autofree char *got = auth_find_id(m);
        g_assert_cmpstr(got, ==, mails[i].want);
    }
}

static void
test_hops(void)
{
    static const struct {
        const char *value, *want_from, *want_remark, *want_by;
    } hops[] = {
        {"from a.example (b.example [192.0.2.1]) by C.Example. (Postfix) with ESMTP; date",
         "a.example", "b.example [192.0.2.1]", "c.example"},
        {"by 2002:a05:6402 with SMTP id x; date", NULL, "", "2002:a05:6402"},
        {"from a by b; date", "a", "", "b"},
        {"(qmail 12 invoked by uid 1); date", NULL, "", NULL},
        {"from (x) a (y (z) \\)) (w) by (v) b", "a", "y (z) \\)", "b"},
        {"from a (open by b", "a", "open by b", NULL},
        {"by", NULL, "", ""},
        {"", NULL, "", NULL},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(hops); i++) {
        g_autoptr(AuthHop) hop = auth_hop_parse(hops[i].value);
        g_test_message("%s", hops[i].value);
        g_assert_cmpstr(hop->from, ==, hops[i].want_from);
        g_assert_cmpstr(hop->remark, ==, hops[i].want_remark);
        g_assert_cmpstr(hop->by, ==, hops[i].want_by);
    }
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/mail/auth/verdicts", test_verdicts);
    g_test_add_func("/mail/auth/inner", test_inner);
    g_test_add_func("/mail/auth/find-id", test_find_id);
    g_test_add_func("/mail/auth/hops", test_hops);
    return g_test_run();
}
