#pragma once

/*
 * Settings whose value is one word out of a few. For each such setting one list makes both the
 * enum and the words that postrider.conf may have ("implicit|starttls|none"), in the same
 * order, so that the two can't differ. A setting that the file leaves out or empty is
 * NAME_UNSAID, which is 0 in every enum.
 */

#define CONF_SYMBOL(symbol, word) symbol,
#define CONF_BAR_WORD(symbol, word) "|" word
/* typedef of the enum; its first symbol is 1. */
#define CONF_ENUM_OF(Name, LIST)                                                               \
    typedef enum Name {                                                                        \
        Name##_UNSAID,                                                                         \
        LIST(CONF_SYMBOL)                                                                      \
    } Name;
/* "implicit|starttls|none" */
#define CONF_WORDS(LIST) (("" LIST(CONF_BAR_WORD)) + 1)

#define CONF_TLS_LIST(X) X(CONF_TLS_IMPLICIT, "implicit") X(CONF_TLS_STARTTLS, "starttls") X(CONF_TLS_NONE, "none")
CONF_ENUM_OF(ConfTls, CONF_TLS_LIST)

#define CONF_LOG_LIST(X)                                                                       \
    X(CONF_LOG_DEBUG, "debug")                                                                 \
    X(CONF_LOG_INFO, "info")                                                                   \
    X(CONF_LOG_WARN, "warn")                                                                   \
    X(CONF_LOG_ERROR, "error")
CONF_ENUM_OF(ConfLog, CONF_LOG_LIST)

#define CONF_ACCOUNT_LIST(X) X(CONF_ACCOUNT_MAILDIR, "maildir") X(CONF_ACCOUNT_IMAP, "imap")
CONF_ENUM_OF(ConfAccountKind, CONF_ACCOUNT_LIST)

/* What becomes of mail that a server may or may not have taken. */
#define CONF_DOUBT_LIST(X) X(CONF_DOUBT_PROBE, "probe") X(CONF_DOUBT_HOLD, "hold") X(CONF_DOUBT_RESEND, "resend")
CONF_ENUM_OF(ConfDoubt, CONF_DOUBT_LIST)

/* Who files what we have sent in Sent. */
#define CONF_SENT_COPY_LIST(X) X(CONF_SENT_COPY_SERVER, "server") X(CONF_SENT_COPY_APPEND, "append")
CONF_ENUM_OF(ConfSentCopy, CONF_SENT_COPY_LIST)

/* The envelope sender: an address of each mail's own, so that bounces find it, or the account's. */
#define CONF_ENVELOPE_LIST(X) X(CONF_ENVELOPE_VERP, "verp") X(CONF_ENVELOPE_ACCOUNT, "account")
CONF_ENUM_OF(ConfEnvelope, CONF_ENVELOPE_LIST)

/* Whose Message-ID our mail bears once a server has taken it. */
#define CONF_MESSAGE_ID_LIST(X) X(CONF_MESSAGE_ID_OURS, "ours") X(CONF_MESSAGE_ID_SERVER, "server")
CONF_ENUM_OF(ConfMessageId, CONF_MESSAGE_ID_LIST)

/* What a mail from outside must pass so that its sender is believed (mail/auth.h). */
#define CONF_AUTH_LIST(X) X(AUTH_DMARC, "dmarc") X(AUTH_DKIM, "dkim") X(AUTH_NONE, "none")
CONF_ENUM_OF(AuthNeed, CONF_AUTH_LIST)

#define CONF_AUTHSERV_LIST(X) X(CONF_AUTHSERV_ONE, "one") X(CONF_AUTHSERV_SEVERAL, "several")
CONF_ENUM_OF(ConfAuthserv, CONF_AUTHSERV_LIST)

/* The kinds of brains: a script, models that are asked by HTTP, and programs. */
#define CONF_BRAIN_KIND_LIST(X)                                                                     \
    X(BRAIN_SCRIPT, "script")                                                                  \
    X(BRAIN_ANTHROPIC, "anthropic")                                                            \
    X(BRAIN_OPENAI, "openai")                                                                  \
    X(BRAIN_COMMAND, "command")                                                                \
    X(BRAIN_CLAUDE, "claude")                                                                  \
    X(BRAIN_CODEX, "codex")                                                                    \
    X(BRAIN_OPENCODE, "opencode")
CONF_ENUM_OF(BrainKind, CONF_BRAIN_KIND_LIST)

/* The format of what a program prints. */
#define CONF_PARSER_LIST(X)                                                                         \
    X(CONF_PARSER_PLAIN, "plain")                                                                   \
    X(CONF_PARSER_CLAUDE, "claude-json")                                                            \
    X(CONF_PARSER_CODEX, "codex-jsonl")                                                             \
    X(CONF_PARSER_OPENCODE, "opencode-ndjson")
CONF_ENUM_OF(ConfParser, CONF_PARSER_LIST)

/* How a role's brain is asked. */
#define CONF_ROLE_MODE_LIST(X) X(MODE_STEPS, "steps") X(MODE_PROGRAM, "program")
CONF_ENUM_OF(RoleMode, CONF_ROLE_MODE_LIST)

#define CONF_REPLY_CC_LIST(X) X(CONF_REPLY_CC_NAMED, "named") X(CONF_REPLY_CC_ASKER, "asker")
CONF_ENUM_OF(ConfReplyCc, CONF_REPLY_CC_LIST)

#define CONF_HOLD_LIST(X) X(CONF_HOLD_STRANGERS, "strangers") X(CONF_HOLD_ALL, "all")
CONF_ENUM_OF(ConfHold, CONF_HOLD_LIST)

/* What a program does without asking. */
#define CONF_PERMISSIONS_LIST(X) X(CONF_PERMIT_ASK, "ask") X(CONF_PERMIT_EDIT, "edit") X(CONF_PERMIT_ALL, "all")
CONF_ENUM_OF(ConfPermissions, CONF_PERMISSIONS_LIST)

#define CONF_SANDBOX_LIST(X)                                                                        \
    X(CONF_SANDBOX_AUTO, "auto")                                                                    \
    X(CONF_SANDBOX_REQUIRED, "required")                                                            \
    X(CONF_SANDBOX_ON, "on")                                                                        \
    X(CONF_SANDBOX_OFF, "off")
CONF_ENUM_OF(ConfSandbox, CONF_SANDBOX_LIST)

#define CONF_NET_LIST(X) X(CONF_NET_ANY, "any") X(CONF_NET_NONE, "none")
CONF_ENUM_OF(ConfNet, CONF_NET_LIST)

/* Where the state of an artifact stands. */
#define CONF_STATES_LIST(X) X(CONF_STATES_FOLDER, "folder") X(CONF_STATES_RECORD, "record")
CONF_ENUM_OF(ConfStates, CONF_STATES_LIST)

/* How the ballots of a panel become a decision. */
#define CONF_PANEL_RULE_LIST(X)                                                                \
    X(PANEL_CONSENSUS, "consensus")                                                            \
    X(PANEL_MAJORITY, "majority")                                                              \
    X(PANEL_PRIMARY, "primary")                                                                \
    X(PANEL_ANY_BLOCKER, "any-blocker")
CONF_ENUM_OF(PanelRule, CONF_PANEL_RULE_LIST)

/* Whether a member of a panel that is a program may work without a sandbox. */
#define CONF_WALLS_LIST(X) X(CONF_WALLS_REQUIRED, "required") X(CONF_WALLS_ADVICE, "advice")
CONF_ENUM_OF(ConfWalls, CONF_WALLS_LIST)
