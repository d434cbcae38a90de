/* Whatever a model says: no crash, an error that can be shown, and of what is accepted a state
 * that comes back as it was. */
#include "steps/answer.h"
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static StepState *
carry(const Answer *a)
{
    StepState *s = state_new();

    s->phase = a->current_phase;
    state_set_working_note(s, a->working_note);
    state_set_bundle_key(s, a->bundle_key);
    for (guint i = 0; i < a->add_notes->len; i++)
        state_add_note(s, g_ptr_array_index(a->add_notes, i));
    for (guint i = 0; i < a->add_emails->len; i++) {
        const MailRef *ref = g_ptr_array_index(a->add_emails, i);
        if (!state_add_mail(s, ref->message_id, ref->folder))
            state_fail(s, ref->message_id);
    }
    for (guint i = 0; i < a->read_attachments->len; i++) {
        const FileRef *ref = g_ptr_array_index(a->read_attachments, i);
        state_add_attachment(s, ref->message_id, ref->filename, ref->offset);
    }
    for (guint i = 0; i < a->search_notes->len; i++) {
        state_search_tried(s, g_ptr_array_index(a->search_notes, i));
        state_search_failed(s, g_ptr_array_index(a->search_notes, i));
    }
    for (guint i = 0; i < a->drop->len; i++)
        state_drop(s, g_ptr_array_index(a->drop, i));
    for (guint i = 0; i < a->flags->len; i++)
        state_add_result(s, "%s", (const char *)g_ptr_array_index(a->flags, i));
    return s;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autoptr(Answer) answer = NULL;
    g_autoptr(GError) error = NULL;

    if (!answer_parse((const char *)data, size, NULL, &answer, &error)) {
        g_assert_true(g_utf8_validate(error->message, -1, NULL));
        return 0;
    }
    g_autoptr(StepState) state = carry(answer), back = NULL;
    g_autoptr(json_t) object = state_to_json(state);

    g_assert_true(state_from_json(object, &back, NULL));
    g_autoptr(json_t) again = state_to_json(back);
    g_assert_true(json_equal(object, again));
    return 0;
}
