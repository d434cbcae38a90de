#pragma once

/*
 * postrider.conf: GKeyFile syntax ([section], key = value, # comment lines), read by our own
 * reader, since GKeyFile knows no line numbers and merges duplicates in silence. Values are
 * taken as written, without escapes; lists are separated by spaces, commas or semicolons.
 * Every key has a default; one table (config_keys) knows all of them and feeds reading, `config
 * show`, the manual page and completion.
 *
 * A Config is plain data and does not change after config_parse(). All strings are borrowed
 * from it. Every key in the table has a reader. Keys and values that earlier versions knew and
 * nothing reads (config_retired) are a warning, never an error.
 */
#include "base/config/config_words.h"

typedef enum ConfType {
    CONF_STRING,
    CONF_LIST,
    CONF_FLAGS, /* words of which each is a flag */
    CONF_BOOL,
    CONF_INT,
    CONF_SPAN,
    CONF_SIZE,
    CONF_MONEY,
    CONF_ENUM,
    CONF_ADDRESS,
    CONF_ADDRESSES,
    CONF_HOST,    /* a host or domain name */
    CONF_COMMAND, /* argv in shell quoting; no shell is run */
    CONF_PHRASES, /* words with commas between the phrases: make test, git status */
} ConfType;

typedef struct ConfKey {
    const char *section; /* "postrider", "account", "smtp", "trust", "brain", "role", "person",
                            "notes", "report", "workflow", "artifact", "space", "panel", "keep" */
    const char *name;
    ConfType type;
    const char *fallback; /* as it would be written */
    const char *values;   /* CONF_ENUM, CONF_FLAGS: "a|b|c"; of a number the least and the most, "1..64",
                             where config_range() is not the usual one; NULL elsewhere */
    const char *help;     /* one line */
    size_t at; /* where its value is in the Config, or in the record of its section (ConfRole, …);
                  [smtp]: in each ConfAccount; 0: nowhere */
    const char *reader; /* the file below src that acts on the value (tools/check-settings) */
} ConfKey;
extern const ConfKey config_keys[]; /* ends with a NULL section */

/* The least and the most that the key's value may be, as they would be written: "0..1000d" for
 * a time that says no other. NULL: its value is no number, time, size or amount. Static. */
const char *config_range(const ConfKey *key);

typedef struct ConfRetired {
    const char *section;
    const char *name; /* NULL: every key of the section */
    const char *harmless; /* this value is only warned about; any other value is an error, since it would
                             change what happens. NULL: every value is only warned about */
    const char *read_as;  /* the key itself is still read, and its old value `harmless` is read as this
                             value; NULL: nothing reads the key any more */
} ConfRetired;
extern const ConfRetired config_retired[]; /* ends with a NULL section */

/* Where a server is and how we log in there. It holds no secret, only the way to the secret. */
typedef struct ConfServer {
    const char *host;
    int64_t port;    /* 0: the usual one */
    ConfTls tls;
    const char *ca_file, *user, *password_file;
    const char *const *password_command, *const *token_command; /* argv; empty: none */
} ConfServer;

typedef struct ConfAccount {
    const char *name;
    ConfAccountKind kind;
    const char *role; /* who gets mail that names nobody; "" for none */
    /* imap; "" where nothing is said */
    ConfServer server;
    const char *folder, *folder_prefix;
    ConfDoubt in_doubt; /* unsaid: as hold */
    ConfSentCopy sent_copy;
    ConfEnvelope envelope;
    ConfMessageId message_id;
    ConfServer smtp;  /* of its own, else [smtp]; host "": no way out */
    ConfSubmit submit; /* sendmail: the local program takes our mail */
} ConfAccount;

typedef struct ConfBrain {
    const char *name;
    BrainKind kind;
    const char *const *command; /* argv; a relative argv[0] with a slash is beneath the home */
    ConfParser parser; /* what a program prints; unsaid: its kind knows */
    const char *const *pass_env; /* variables of ours that a program gets */
    const char *const *env;      /* "NAME=VALUE": what it gets beside them */
    const char *script;         /* relative to the home */
    const char *model, *url;    /* "": the provider's own */
    const char *key_file,
        *key_env; /* where the API key is, never the key itself; "": neither */
    int64_t max_tokens;
    int64_t timeout_us;
    uint64_t memory, output;
    uint64_t context_bytes;   /* most that it is shown; 0: as the home */
    int64_t at_once;          /* jobs at a time; 0: no limit but `workers` */
    const char *fallback;     /* asked in its place while it can't be; "": nobody */
    BrainTakes takes;         /* 0: by the model's name */
} ConfBrain;

typedef struct ConfRole {
    const char *name;
    const char *display; /* key `name`: what stands in From; default the role's name */
    const char *address;
    const char *brain; /* "": none */
    RoleMode mode; /* follows the brain where not set; unsaid: there is no brain */
    const char *workdir;
    const char *base; /* of its branches in a git repository; "": what is checked out */
    const char *instructions; /* file, relative to the home; "" for none */
    bool person;              /* `person = yes`: a person with a local Maildir, no brain */
    bool mail;                /* no: one of Config.helpers */
    bool answers_cc;
    bool commit;      /* what a program leaves uncommitted is committed */
    bool retry;       /* a program that failed is run again */
    bool tmux;        /* a window shows what it does */
    ConfReplyCc reply_cc; /* named: who is named beside it stays in Cc of its answer */
    ConfHold hold;        /* all: a person is asked about all that it writes to people */
    bool html;        /* its mail to people has an HTML part beside the text */
    ConfSandbox sandbox;  /* off: its programs see all that we see; never CONF_SANDBOX_ON */
    ConfNet net;          /* none: without a sandbox no program starts (sandbox is required) */
    int64_t max_iterations, total_iterations, max_cost_micro, max_attempts;
    int64_t max_cost_per_day_micro; /* 0: no limit of its own */
    int64_t ack_after_us;
    const char *tools_hint; /* "": none */
    /* What a program may do by itself (engine/permit/permit_policy.h). */
    ConfPermissions permissions;
    const char *const *allow; /* prefixes of shell commands */
    int64_t permit_within_us; /* the owner is reminded of an open question then; 0: never */
} ConfRole;

typedef struct ConfPerson {
    const char *name;
    const char *address;
    ConfRights may;
    bool
        local; /* has a Maildir here: the address is in our domain, and no server that we hand mail
                   to keeps that domain's mail; or `person = yes` of a role */
} ConfPerson;

/* A kind of artifact of the workflow. */
typedef struct ConfArtifact {
    const char *name;
    const char *path;         /* "specs/{state}/{name}.md", beneath the root */
    ConfStates states;        /* record: the path has no state */
    const char *const *moves; /* "FROM TO WHO...", one each; the kind's own, or those of any kind */
    int64_t max_cost_micro;   /* of all work on one; 0: no limit */
} ConfArtifact;

/* An address that means several mailboxes (store/spaces.h). */
#define CONF_SPACE_NAME_MAX 64
typedef struct ConfSpace {
    const char *name;
    const char *const *members; /* roles and persons by name */
    int64_t talk;               /* mails of roles in one job of it without a word of a person */
} ConfSpace;

/* A panel of the workflow (workflow/panel.h). Its members have no say elsewhere. */
typedef struct ConfPanel {
    const char *name;
    const char *const *members; /* roles or brains; a usual panel that names none has CONFIG_USUAL_MEMBERS */
    const char *primary;        /* "": the first */
    PanelRule rule;
    int64_t quorum; /* 0: more than half */
    int64_t discuss, deadline_us;
    ConfWalls walls;
    const char *instructions;
} ConfPanel;

typedef struct Config Config;
struct Config {
    const char *const *warnings; /* one line each, about what the file has and nothing reads */
    const char *owner, *domain;
    const char *instance; /* "": the machine and the path tell one home from another */
    int64_t workers, drain_us, retry_first_us, retry_max_us, give_up_us;
    int64_t max_cost_per_day_micro;
    uint64_t max_message;
    uint64_t context_bytes;    /* most that a brain is shown in one step */
    int64_t continue_after_us; /* pause of a job that came to its step limit */
    int64_t progress_every_us; /* a word about long work; 0: none */
    int64_t body_warn_chars;   /* longer bodies are noticed before they are sent */
    ConfLog log_level;
    const char *log_file;
    int64_t keep_logs; /* old log files */
    /* How long after the end of a job; 0: for ever (engine/keep.h). */
    int64_t keep_contexts_us, keep_done_us, keep_work_us;
    /* Mails that leave before a person is asked; 0: no limit. */
    int64_t max_mails_per_round, max_mails_per_hour, max_mails_per_day, max_mails_all;
    int64_t plan_max_iterations;
    int64_t max_questions;           /* that one job may have open; 0: no limit */
    AuthNeed require_auth;
    const char *const *authserv_ids; /* whose Authentication-Results are believed */
    ConfAuthserv authserv_fields;    /* unsaid: one */
    const char *const *principals, *const *allow; /* addr-specs beside the owner and persons */
    /* Notes that instruct: keys, and folders with '/' behind (notes/instruct.h). */
    const char *const *instruct;
    const char *const *link_hosts; /* whose links agents may make up (engine/run/links.h) */
    const char *const
        *notes_shared;      /* folders of roles that other roles may see: "ROLE/FOLDER" */
    bool notes_shared_said; /* the file has that key, with a value or without */
    const char *report_role; /* whose briefings lie in reports/DATE; there need not be one */
    const char *report_by;   /* when one is to have been sent; "": at no time */
    const char *report_curator; /* the role that writes them */
    const char *workflow_root;        /* the checkout with the artifacts; "": none */
    const char *workflow_coordinator; /* a role or person by name; "": the owner */
    const char *const *workflow_escalate; /* names */
    int64_t workflow_answer_us;           /* 0: never */
    int64_t workflow_errors;              /* 0: no limit */
    bool workflow_commit;
    ConfIndependence workflow_independence;
    const char *workflow_templates;   /* folder beneath the root */
    const ConfArtifact *artifacts;
    unsigned n_artifacts;
    const ConfSpace *spaces;
    unsigned n_spaces;
    const ConfPanel *panels;
    unsigned n_panels;
    const ConfAccount *accounts;
    unsigned n_accounts;
    const ConfBrain *brains;
    unsigned n_brains;
    const ConfRole *roles;
    unsigned n_roles;
    const ConfRole *helpers; /* roles that take no mail (`mail = no`), and are nobody's but a person's at a terminal */
    unsigned n_helpers;
    const ConfPerson
        *persons; /* the owner is persons[0], also when the file does not name them */
    unsigned n_persons;
    bool domain_served; /* a server that we hand mail to keeps the mail of our domain */
};

/* file_name is for messages ("postrider.conf:12: unknown key 'adress' in [role envoy]; did you
 * mean 'address'?"). ERR_CONFIG on the first mistake. */
bool
config_parse(const char *text, size_t len, const char *file_name, Config **ret, GError **error);
void config_free(Config *config);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Config, config_free)

/* The members of a usual panel whose section names none. */
#define CONFIG_USUAL_MEMBERS "claude gpt-5 gemini"
/* True for the name of a usual panel: vision-, scope-, roadmap-, spec-, skeleton-, test- and
 * implementation-reviewer-panel, and vision-, scope-, roadmap- and spec-writer-panel. */
bool config_panel_is_usual(const char *name);
/* Why these members, with this primary ("": the first) and this quorum, can't be a panel, as a
 * clause; NULL: they can. Caller frees. */
char *
config_panel_refuses(const char *const *members, const char *primary, int64_t quorum);
/* The panel of this name; NULL: the settings have no such panel. */
const ConfPanel *config_panel(const Config *config, const char *name);
/* NULL: there is no such kind. */
const ConfArtifact *config_artifact(const Config *config, const char *kind);

/* What is looked for by its name is NULL when the settings have no such name. What is looked
 * for by an address is found whatever the case of the domain is, and with a plus tag behind an
 * address of our own; the local part of a role counts in any case too. All results are
 * borrowed. */
const ConfRole *config_role(const Config *config, const char *name);
/* The role of this name among those that take no mail (`mail = no`). */
const ConfRole *config_helper(const Config *config, const char *name);
const ConfRole *config_role_at(const Config *config, const char *address);
/* True when a role has this address, and that role is not a person. */
bool config_is_agent(const Config *config, const char *address);
const ConfPerson *config_person_at(const Config *config, const char *address);
/* True for the address of somebody we work for: the owner, a person, or a principal. */
bool config_is_person(const Config *config, const char *address);
const ConfBrain *config_brain(const Config *config, const char *name);
/* The brain itself, or the one that is asked in its place because its key-env is not in the
 * environment: the first of its fallbacks that lacks no key. The brain itself where every
 * fallback lacks its key too. */
const ConfBrain *config_stand_in(const Config *config, const ConfBrain *brain);
const ConfAccount *config_account(const Config *config, const char *name);
/* The account by which mail of this role leaves to people outside (role NULL: mail of no role):
 * the role's own account, else the first account with a submission server or `smtp = sendmail`.
 * NULL: mail can't leave to people outside. */
const ConfAccount *config_way_out(const Config *config, const char *role);
/* The imap account whose server keeps a role's mail: the account that names the role, else an
 * account whose login is an address of the role's domain. NULL: the role's mail lies on no
 * server. */
const ConfAccount *config_account_of(const Config *config, const ConfRole *role);
bool config_is_imap(const ConfAccount *account);
/* True when the brain is a program, which has a loop of its own, and not a model or a
 * script. */
bool config_is_program(const ConfBrain *brain);
/* True when a brain is asked by HTTP: runs then need the program that links libcurl. */
bool config_asks_by_net(const Config *config);
/* The folder below mail/ that local mail to this address goes to, a role's or a local person's;
 * NULL: not local. */
const char *config_mailbox_at(const Config *config, const char *address);
/* "nobody here is 'envoi@home'; did you mean 'envoy@home'?" where the address is one of our
 * domain that neither we nor a server knows; NULL: it is fine. Caller frees. */
char *config_unknown_here(const Config *config, const char *address);
/* The role of this name. NULL with ERR_NEVER: "no role 'envoi'; did you mean 'envoy'?" */
const ConfRole *config_role_get(const Config *config, const char *name, GError **error);
/* As config_role_get(). With name NULL: the first role that is not a person, or NULL with
 * ERR_CONFIG when the settings have no such role. */
const ConfRole *config_role_pick(const Config *config, const char *name, GError **error);

/* Calls visit() for every key of every section as it is in force: with the section ("role
 * envoy"), the key, its value as written or its default, and whether the value came from the
 * file. */
typedef void (*ConfVisit)(
    const char *section, const ConfKey *key, const char *value, bool from_file, void *data);
void config_visit(const Config *config, ConfVisit visit, void *data);
/* True when this value is possible for a key of the section ("role envoy"); else ERR_CONFIG
 * says what is expected. Whether the value fits the other settings is for config_parse() to
 * say. */
bool config_check(const char *section, const char *key, const char *value, GError **error);
/* A section of the text, from its title to its last entry; NULL: there is no such section.
 * Comments and blank lines behind the last entry belong to what follows. Caller frees. */
char *config_section(const char *text, const char *section);
/* The text with these lines in the place of the section, or at its end where there is no such
 * section. Lines "": the text without the section. Caller frees. */
char *config_with_section(const char *text, const char *section, const char *lines);
/* The text with one value set; comments and order are kept. A section ("role envoy") that is
 * not there is added at the end. text may be NULL. Caller frees. */
char *config_with(const char *text, const char *section, const char *key, const char *value);
