#pragma once

/*
 * Settings whose value is one word out of a few, or several of them. For each such setting one
 * list makes both the enum and the words that postrider.conf may have
 * ("implicit|starttls|none"), in the same order, so that the two can't differ. A setting that
 * the file leaves out or empty is NAME_UNSAID, which is 0 in every enum, or has no flag set.
 */

/* The place of a word among "a|b|c", from 1 on; 0: the word is none of them. */
unsigned conf_word(const char *words, const char *word);

#define CONF_SYMBOL(symbol, word) symbol,
#define CONF_NAMED(symbol, word) [symbol] = word,
#define CONF_BAR_WORD(symbol, word) "|" word
/* The typedef of an enum whose first symbol is 1, and its two calls. NOUN_word() gives the word
 * that the file has for a value, "" for NAME_UNSAID; the result is static. NOUN_parse() gives
 * the value of a word, NAME_UNSAID where no value is called so. */
#define CONF_ENUM_OF(Name, noun, LIST)                                                         \
    typedef enum Name {                                                                        \
        Name##_UNSAID,                                                                         \
        LIST(CONF_SYMBOL)                                                                      \
    } Name;                                                                                    \
    static inline const char *noun##_word(Name value)                                          \
    {                                                                                          \
        static const char *const words[] = {[Name##_UNSAID] = "", LIST(CONF_NAMED)};           \
        return words[value];                                                                   \
    }                                                                                          \
    static inline Name noun##_parse(const char *word)                                          \
    {                                                                                          \
        return (Name)conf_word(CONF_WORDS(LIST), word);                                        \
    }
/* "implicit|starttls|none" */
#define CONF_WORDS(LIST) (("" LIST(CONF_BAR_WORD)) + 1)

#define CONF_PLACE(symbol, word) symbol##_PLACE,
#define CONF_FLAG(symbol, word) symbol = 1 << symbol##_PLACE,
/* The typedef of an enum of flags: the first symbol is 1, the second 2, the third 4. */
#define CONF_FLAGS_OF(Name, LIST)                                                              \
    enum { LIST(CONF_PLACE) };                                                                 \
    typedef enum Name { LIST(CONF_FLAG) } Name;

#define CONF_TLS_LIST(X) X(CONF_TLS_IMPLICIT, "implicit") X(CONF_TLS_STARTTLS, "starttls") X(CONF_TLS_NONE, "none")
CONF_ENUM_OF(ConfTls, conf_tls, CONF_TLS_LIST)

#define CONF_LOG_LIST(X)                                                                       \
    X(CONF_LOG_DEBUG, "debug")                                                                 \
    X(CONF_LOG_INFO, "info")                                                                   \
    X(CONF_LOG_WARN, "warn")                                                                   \
    X(CONF_LOG_ERROR, "error")
CONF_ENUM_OF(ConfLog, conf_log, CONF_LOG_LIST)

#define CONF_ACCOUNT_LIST(X) X(CONF_ACCOUNT_MAILDIR, "maildir") X(CONF_ACCOUNT_IMAP, "imap")
CONF_ENUM_OF(ConfAccountKind, conf_account_kind, CONF_ACCOUNT_LIST)

/* What becomes of mail that a server may or may not have taken. */
#define CONF_DOUBT_LIST(X) X(CONF_DOUBT_PROBE, "probe") X(CONF_DOUBT_HOLD, "hold") X(CONF_DOUBT_RESEND, "resend")
CONF_ENUM_OF(ConfDoubt, conf_doubt, CONF_DOUBT_LIST)

/* Who files what we have sent in Sent. */
#define CONF_SENT_COPY_LIST(X) X(CONF_SENT_COPY_SERVER, "server") X(CONF_SENT_COPY_APPEND, "append")
CONF_ENUM_OF(ConfSentCopy, conf_sent_copy, CONF_SENT_COPY_LIST)

/* Mail of an account leaves by the local program of this name; unsaid: by a submission
 * server. */
#define CONF_SUBMIT_LIST(X) X(CONF_SUBMIT_SENDMAIL, "sendmail")
CONF_ENUM_OF(ConfSubmit, conf_submit, CONF_SUBMIT_LIST)

/* The envelope sender: an address of each mail's own, so that bounces find it, or the
 * account's. */
#define CONF_ENVELOPE_LIST(X) X(CONF_ENVELOPE_VERP, "verp") X(CONF_ENVELOPE_ACCOUNT, "account")
CONF_ENUM_OF(ConfEnvelope, conf_envelope, CONF_ENVELOPE_LIST)

/* Whose Message-ID our mail bears once a server has taken it. */
#define CONF_MESSAGE_ID_LIST(X) X(CONF_MESSAGE_ID_OURS, "ours") X(CONF_MESSAGE_ID_SERVER, "server")
CONF_ENUM_OF(ConfMessageId, conf_message_id, CONF_MESSAGE_ID_LIST)

/* What a mail from outside must pass so that its sender is believed (mail/auth.h). */
#define CONF_AUTH_LIST(X) X(AUTH_DMARC, "dmarc") X(AUTH_DKIM, "dkim") X(AUTH_NONE, "none")
CONF_ENUM_OF(AuthNeed, auth_need, CONF_AUTH_LIST)

#define CONF_AUTHSERV_LIST(X) X(CONF_AUTHSERV_ONE, "one") X(CONF_AUTHSERV_SEVERAL, "several")
CONF_ENUM_OF(ConfAuthserv, conf_authserv, CONF_AUTHSERV_LIST)

/* The kinds of brains: a script, models that are asked by HTTP, and programs. */
#define CONF_BRAIN_KIND_LIST(X)                                                                     \
    X(BRAIN_SCRIPT, "script")                                                                  \
    X(BRAIN_ANTHROPIC, "anthropic")                                                            \
    X(BRAIN_OPENAI, "openai")                                                                  \
    X(BRAIN_COMMAND, "command")                                                                \
    X(BRAIN_CLAUDE, "claude")                                                                  \
    X(BRAIN_CODEX, "codex")                                                                    \
    X(BRAIN_OPENCODE, "opencode")
CONF_ENUM_OF(BrainKind, brain_kind, CONF_BRAIN_KIND_LIST)

/* The format of what a program prints. */
#define CONF_PARSER_LIST(X)                                                                         \
    X(CONF_PARSER_PLAIN, "plain")                                                                   \
    X(CONF_PARSER_CLAUDE, "claude-json")                                                            \
    X(CONF_PARSER_CODEX, "codex-jsonl")                                                             \
    X(CONF_PARSER_OPENCODE, "opencode-ndjson")
CONF_ENUM_OF(ConfParser, conf_parser, CONF_PARSER_LIST)

/* What a model can be shown beside text: pictures (jpeg, png, gif, webp), PDF files, or no
 * file. */
#define CONF_TAKES_LIST(X) X(BRAIN_IMAGES, "images") X(BRAIN_PDF, "pdf") X(BRAIN_NO_FILE, "none")
CONF_FLAGS_OF(BrainTakes, CONF_TAKES_LIST)

/* How a role's brain is asked. */
#define CONF_ROLE_MODE_LIST(X) X(MODE_STEPS, "steps") X(MODE_PROGRAM, "program")
CONF_ENUM_OF(RoleMode, role_mode, CONF_ROLE_MODE_LIST)

#define CONF_REPLY_CC_LIST(X) X(CONF_REPLY_CC_NAMED, "named") X(CONF_REPLY_CC_ASKER, "asker")
CONF_ENUM_OF(ConfReplyCc, conf_reply_cc, CONF_REPLY_CC_LIST)

#define CONF_HOLD_LIST(X) X(CONF_HOLD_STRANGERS, "strangers") X(CONF_HOLD_ALL, "all")
CONF_ENUM_OF(ConfHold, conf_hold, CONF_HOLD_LIST)

/* What a program does without asking. */
#define CONF_PERMISSIONS_LIST(X) X(CONF_PERMIT_ASK, "ask") X(CONF_PERMIT_EDIT, "edit") X(CONF_PERMIT_ALL, "all")
CONF_ENUM_OF(ConfPermissions, conf_permissions, CONF_PERMISSIONS_LIST)

#define CONF_SANDBOX_LIST(X)                                                                        \
    X(CONF_SANDBOX_AUTO, "auto")                                                                    \
    X(CONF_SANDBOX_REQUIRED, "required")                                                            \
    X(CONF_SANDBOX_ON, "on")                                                                        \
    X(CONF_SANDBOX_OFF, "off")
CONF_ENUM_OF(ConfSandbox, conf_sandbox, CONF_SANDBOX_LIST)

#define CONF_NET_LIST(X) X(CONF_NET_ANY, "any") X(CONF_NET_NONE, "none")
CONF_ENUM_OF(ConfNet, conf_net, CONF_NET_LIST)

/* Where the state of an artifact stands. */
#define CONF_STATES_LIST(X) X(CONF_STATES_FOLDER, "folder") X(CONF_STATES_RECORD, "record")
CONF_ENUM_OF(ConfStates, conf_states, CONF_STATES_LIST)

/* How the ballots of a panel become a decision. */
#define CONF_PANEL_RULE_LIST(X)                                                                \
    X(PANEL_CONSENSUS, "consensus")                                                            \
    X(PANEL_MAJORITY, "majority")                                                              \
    X(PANEL_PRIMARY, "primary")                                                                \
    X(PANEL_ANY_BLOCKER, "any-blocker")
CONF_ENUM_OF(PanelRule, conf_panel_rule, CONF_PANEL_RULE_LIST)

/* Whether a member of a panel that is a program may work without a sandbox. */
#define CONF_WALLS_LIST(X) X(CONF_WALLS_REQUIRED, "required") X(CONF_WALLS_ADVICE, "advice")
CONF_ENUM_OF(ConfWalls, conf_walls, CONF_WALLS_LIST)

/* What becomes of a writer and a reviewer that have the same model: a warning, or an error. */
#define CONF_INDEPENDENCE_LIST(X) X(CONF_INDEPENDENCE_WARN, "warn") X(CONF_INDEPENDENCE_STRICT, "strict")
CONF_ENUM_OF(ConfIndependence, conf_independence, CONF_INDEPENDENCE_LIST)

/* What a person may do: give work, give orders, say yes to held mail. The numbers are in the
 * database (Job.may). */
#define CONF_MAY_LIST(X) X(MAY_ASK, "ask") X(MAY_STEER, "steer") X(MAY_APPROVE, "approve")
CONF_FLAGS_OF(ConfRights, CONF_MAY_LIST)
_Static_assert(MAY_ASK == 1 && MAY_STEER == 2 && MAY_APPROVE == 4, "rows of the database have these");
