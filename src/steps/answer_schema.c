/*
 * The schema stands here as text, in the order in which the fields are to be written; the
 * parser is in answer.c, and a test holds the two together.
 */
#include "steps/answer.h"

#include "base/banned.h"

/* clang-format off */
#define TEXT(about)    "{\"type\":\"string\",\"description\":\"" about "\"}"
#define NUMBER(about)  "{\"type\":\"integer\",\"description\":\"" about "\"}"
#define ENUM(values)   "{\"type\":\"string\",\"enum\":[" values "]}"
#define LIST(about)    "{\"type\":\"array\",\"description\":\"" about "\",\"items\":" /* item, */
#define END_LIST       "}"
#define OBJECT(names)  "{\"type\":\"object\",\"additionalProperties\":false," \
                       "\"required\":[" names "],\"properties\":{" /* members, */
#define END_OBJECT     "}}"
#define KEY            TEXT("key of a note")
#define MESSAGE_ID     TEXT("Message-ID of a mail")
#define FOLDER         TEXT("mail folder; as a hint it may be empty")

const char answer_schema[] =
    OBJECT("\"reasoning\",\"status\",\"current_phase\",\"working_note\",\"bundle_key\","
           "\"add_notes\",\"add_emails\",\"search_emails\",\"search_notes\","
           "\"read_attachments\",\"drop\",\"write_notes\",\"rename_notes\",\"delete_notes\","
           "\"send_emails\",\"move_emails\",\"wait\"")
    "\"reasoning\":" TEXT("one or two sentences: why this step")
    ",\"status\":" ENUM("\"continue\",\"waiting\",\"complete\",\"escalate\"")
    ",\"current_phase\":" ENUM("\"triage\",\"gathering\",\"summarising\",\"working\",\"coding\","
                               "\"composing\",\"waiting\",\"complete\",\"escalate\"")
    ",\"working_note\":" TEXT("what to remember; shown again, word for word, in every step; "
                              "empty: unchanged, - : cleared")
    ",\"bundle_key\":" TEXT("note whose listed keys are shown in every step, with itself; "
                            "empty: unchanged, - : none")
    ",\"add_notes\":" LIST("load these notes")
        TEXT("key of a note; KEY@BYTES for a note from that byte on") END_LIST
    ",\"add_emails\":" LIST("load these mails")
        OBJECT("\"message_id\",\"folder\"")
            "\"message_id\":" MESSAGE_ID
            ",\"folder\":" FOLDER
        END_OBJECT END_LIST
    ",\"search_emails\":" LIST("search mail; empty fields match anything")
        OBJECT("\"folder\",\"from\",\"to\",\"subject\",\"text\",\"since\",\"before\"")
            "\"folder\":" FOLDER
            ",\"from\":" TEXT("part of the sender")
            ",\"to\":" TEXT("part of a recipient")
            ",\"subject\":" TEXT("words of the subject")
            ",\"text\":" TEXT("words of the text")
            ",\"since\":" TEXT("date such as 2026-11-15, or empty")
            ",\"before\":" TEXT("date such as 2026-11-15, or empty")
        END_OBJECT END_LIST
    ",\"search_notes\":" LIST("search the text of all notes") TEXT("words") END_LIST
    ",\"read_attachments\":" LIST("load these attachments")
        OBJECT("\"message_id\",\"filename\",\"offset\"")
            "\"message_id\":" MESSAGE_ID
            ",\"filename\":" TEXT("name as listed")
            ",\"offset\":" NUMBER("byte of its text to begin with; 0 for the beginning")
        END_OBJECT END_LIST
    ",\"drop\":" LIST("forget these from the context")
        TEXT("key of a note or Message-ID of a mail") END_LIST
    ",\"write_notes\":" LIST("write these notes in this step")
        OBJECT("\"key\",\"content\",\"mode\",\"if_version\"")
            "\"key\":" KEY
            ",\"content\":" TEXT("the text itself, neither fenced nor encoded")
            ",\"mode\":" ENUM("\"replace\",\"append\"")
            ",\"if_version\":" NUMBER("version to be replaced; 0 for the one last shown")
        END_OBJECT END_LIST
    ",\"rename_notes\":" LIST("rename these notes")
        OBJECT("\"from\",\"to\"")
            "\"from\":" KEY
            ",\"to\":" KEY
        END_OBJECT END_LIST
    ",\"delete_notes\":" LIST("delete these notes") KEY END_LIST
    ",\"send_emails\":" LIST("send these mails in this step")
        OBJECT("\"to\",\"cc\",\"subject\",\"body\",\"in_reply_to\",\"attachments\"")
            "\"to\":" LIST("recipients; empty for whoever asked") TEXT("one address") END_LIST
            ",\"cc\":" LIST("copies") TEXT("one address") END_LIST
            ",\"subject\":" TEXT("empty for Re: and the subject of what it answers")
            ",\"body\":" TEXT("plain text; long or code: put it into a note and attach it")
            ",\"in_reply_to\":" TEXT("Message-ID of the mail that it answers; "
                                     "empty for the newest")
            ",\"attachments\":" LIST("files, made from notes")
                OBJECT("\"note_key\",\"filename\"")
                    "\"note_key\":" KEY
                    ",\"filename\":" TEXT("name of the file in the mail")
                END_OBJECT END_LIST
        END_OBJECT END_LIST
    ",\"move_emails\":" LIST("move these mails when the job ends")
        OBJECT("\"message_id\",\"folder\"")
            "\"message_id\":" MESSAGE_ID
            ",\"folder\":" TEXT("mail folder")
        END_OBJECT END_LIST
    ",\"wait\":" OBJECT("\"for\",\"until\",\"then\"")
            "\"for\":" ENUM("\"reply\",\"time\"")
            ",\"until\":" TEXT("time such as 2026-11-15T10:00:00Z; empty for no end")
            ",\"then\":" ENUM("\"remind\",\"escalate\",\"continue\"")
        END_OBJECT
    END_OBJECT;
/* clang-format on */
