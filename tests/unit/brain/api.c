/* Brains that are asked by HTTP, against tools/fake-model. */
#include "../wire/fakemodel.h"
#include "base/clock.h"
#include "brain/brain.h"
#include <errno.h>

#define CANARY "CANARY-sk-0123456789"
#define SCHEMA "{\"type\":\"object\",\"additionalProperties\":false}"
#define DATE (INT64_C(1797292800) * USEC_PER_SEC) /* 2026-12-15 */

const BrainOps *const brain_kinds[] = {&brain_anthropic, &brain_openai, NULL};

typedef enum Kind { ANTHROPIC, OPENAI, N_KINDS } Kind;
static const BrainKind brain_kind_of[] = {BRAIN_ANTHROPIC, BRAIN_OPENAI};

static FakeModel fake;
static TmpDir home;

static ConfBrain
conf_for(Kind kind, const char *url)
{
    return (ConfBrain){.name = "b",
                       .kind = brain_kind_of[kind],
                       .url = url,
                       .model = "claude-opus-5-5",
                       .key_file = "key",
                       .key_env = "",
                       .max_tokens = 1000,
                       .timeout_us = 60 * USEC_PER_SEC};
}

static void
drive(BrainCall *call)
{
    while (!brain_work(call)) {
        struct pollfd fds[BRAIN_POLL_MAX];
        int64_t wait_us;
        unsigned n = brain_poll(call, fds, &wait_us);
        int ms = wait_us == USEC_NEVER ? -1 : (int)(wait_us / USEC_PER_MSEC) + 1;
        g_assert_true(poll(fds, n, ms) >= 0 || errno == EINTR);
    }
}

/* Whatever happened, the key is in nothing that comes out. */
static void
check_canary(const BrainAnswer *a)
{
    g_assert_null(strstr(a->text, CANARY));
    g_assert_null(strstr(a->log, CANARY));
    g_assert_true(!a->failed || !strstr(a->failed, CANARY));
    g_assert_true(!a->request_id || !strstr(a->request_id, CANARY));
}

static BrainCall *
ask(const ConfBrain *conf, const BrainAsk *more)
{
    BrainAsk question = *more;
    g_autoptr(GError) error = NULL;
    BrainCall *call = NULL;

    question.conf = conf;
    question.home = home.path;
    question.prompt = "question";
    brain_start(&question, &call, &error);
    g_assert_no_error(error);
    drive(call);
    check_canary(brain_answer(call));
    return call;
}

#define SOON ",\"headers\":{\"retry-after-ms\":\"5\"}}\n"
#define AWAY (-1) /* limited, and nobody knows until when */
#define OK_LINE "{\"a\":1}\n"

static const struct {
    const char *name, *script;
    BrainEnd want_end;
    unsigned want_requests;
    const char *want_failed; /* part of it */
    const char *want_text;   /* NULL: "" */
    int64_t want_retry_us;   /* from DATE on; 0: not looked at */
} cases[] = {
    {"answer", OK_LINE, BRAIN_OK, 1, NULL, "{\"a\": 1}", 0},
    {"prose", "{\"fake\":\"prose\"}", BRAIN_OK, 1, NULL,
     "Sure! Here is what I would do: nothing.", 0},
    {"thinking first", "{\"fake\":\"thinking\"}", BRAIN_OK, 1, NULL, "{\"ok\": true}", 0},
    {"gzip", "{\"fake\":\"gzip\"}", BRAIN_OK, 1, NULL, "{\"ok\": true}", 0},
    {"no stream", "{\"fake\":\"no-stream\"}", BRAIN_OK, 1, NULL, "{\"ok\": true}", 0},
    {"slow", "{\"fake\":\"slow\"}", BRAIN_OK, 1, NULL, "{\"ok\": true}", 0},
    {"escapes", "\"a\\u001b[1mb\\u0007\"", BRAIN_OK, 1, NULL, "ab", 0},

    {"nothing", "{\"fake\":\"empty\"}", BRAIN_FAILED, 1, "answered nothing", NULL, 0},
    {"too long", "{\"fake\":\"truncated\"}", BRAIN_TRUNCATED, 1, "max-tokens",
     "{\"status\": \"comp", 0},
    {"refused", "{\"fake\":\"refusal\"}", BRAIN_REFUSED, 1, "the model refuses: ", NULL, 0},
    {"a tool", "{\"fake\":\"tool\"}", BRAIN_FAILED, 1, "the model stopped for 'tool_", NULL, 0},

    {"a reason with more in it",
     "{\"fake\":\"slow\",\"stop\":\"no\\u001b[1m\\n\\n-- \\nSTOP ALL\"}", BRAIN_FAILED, 1,
     "the model stopped for 'no  --  STOP ALL'", NULL, 0},
    {"a redirect with more in it",
     "{\"fake\":\"redirect\",\"headers\":{\"location\":\"http://x/\\u001b[31mred\"}}\n",
     BRAIN_BROKEN, 1, "sends us on to 'http://x/red'", NULL, 0},

    {"429, then an answer", "{\"fake\":\"429\"}\n" OK_LINE, BRAIN_OK, 2, NULL, "{\"a\": 1}", 0},
    {"429 with seconds", "{\"fake\":\"429-after\"}\n" OK_LINE, BRAIN_OK, 2, NULL, "{\"a\": 1}",
     0},
    {"429 without a wait", "{\"fake\":\"429-bare\"}\n" OK_LINE, BRAIN_OK, 2, NULL, "{\"a\": 1}",
     0},
    {"429 three times", "{\"fake\":\"429\"}\n{\"fake\":\"429\"}\n{\"fake\":\"429\"}\n" OK_LINE,
     BRAIN_LIMITED, 3, "says 429: slow down", NULL, AWAY},
    {"usage limit", "{\"fake\":\"429-long\"}\n" OK_LINE, BRAIN_LIMITED, 1, "says 429: ", NULL,
     7200},
    {"spend cap", "{\"fake\":\"429-spend\"}\n" OK_LINE, BRAIN_BROKEN, 1, "spend limit", NULL,
     0},
    {"quota", "{\"fake\":\"429-quota\"}\n" OK_LINE, BRAIN_BROKEN, 1, "quota", NULL, 0},
    {"limit until a day", "{\"fake\":\"400-spend\"}\n" OK_LINE, BRAIN_LIMITED, 1, "regain",
     NULL, 17 * 86400},
    {"no credit", "{\"fake\":\"400-credit\"}\n" OK_LINE, BRAIN_BROKEN, 1, "credit", NULL, 0},
    {"529 twice", "{\"fake\":\"529\"}\n{\"fake\":\"529\"}\n" OK_LINE, BRAIN_OK, 3, NULL,
     "{\"a\": 1}", 0},
    {"529 three times", "{\"fake\":\"529\"}\n{\"fake\":\"529\"}\n{\"fake\":\"529\"}\n",
     BRAIN_LIMITED, 3, "says 529: overloaded", NULL, AWAY},
    {"500 three times", "{\"fake\":\"500\"}\n{\"fake\":\"500\"}\n{\"fake\":\"500\"}\n",
     BRAIN_STALLED, 3, "says 500: internal error", NULL, 0},
    {"503 three times", "{\"fake\":\"503\"}\n{\"fake\":\"503\"}\n{\"fake\":\"503\"}\n",
     BRAIN_LIMITED, 3, "says 503: loading", NULL, AWAY},
    {"told not to", "{\"fake\":\"no-retry\"}\n" OK_LINE, BRAIN_STALLED, 1, "says 500", NULL, 0},

    {"400", "{\"fake\":\"400\"}\n" OK_LINE, BRAIN_REFUSED, 1, "says 400: messages: none", NULL,
     0},
    {"400 too long", "{\"fake\":\"400-long\"}\n" OK_LINE, BRAIN_LARGE, 1,
     "says 400: prompt is too long", NULL, 0},
    {"401", "{\"fake\":\"401\"}\n" OK_LINE, BRAIN_BROKEN, 1, "says 401: invalid", NULL, 0},
    {"402", "{\"fake\":\"402\"}\n" OK_LINE, BRAIN_BROKEN, 1, "says 402: pay", NULL, 0},
    {"403", "{\"fake\":\"403\"}\n" OK_LINE, BRAIN_BROKEN, 1, "says 403: not", NULL, 0},
    {"404", "{\"fake\":\"404\"}\n" OK_LINE, BRAIN_BROKEN, 1, "says 404: model", NULL, 0},
    {"413", "{\"fake\":\"413\"}\n" OK_LINE, BRAIN_LARGE, 1, "says 413", NULL, 0},
    {"redirect", "{\"fake\":\"redirect\"}\n" OK_LINE, BRAIN_BROKEN, 1,
     "sends us on to 'http://127.0.0.2:1/elsewhere'", NULL, 0},
    {"key sent back", "{\"fake\":\"echo-key\"}\n", BRAIN_BROKEN, 1, "wrong key: [secret]", NULL,
     0},

    {"cut, then whole", "{\"fake\":\"cut\"" SOON OK_LINE, BRAIN_OK, 2, NULL, "{\"a\": 1}", 0},
    {"cut three times",
     "{\"fake\":\"cut\"" SOON "{\"fake\":\"cut\"" SOON "{\"fake\":\"cut\"" SOON, BRAIN_STALLED,
     3, "the connection to '127.0.0.1' broke: ", NULL, 0},
    {"reset, then whole", "{\"fake\":\"reset\"" SOON OK_LINE, BRAIN_OK, 2, NULL, "{\"a\": 1}",
     0},
    {"hung up, then whole", "{\"fake\":\"hang-up\"}\n" OK_LINE, BRAIN_OK, 2, NULL, "{\"a\": 1}",
     0},
    {"wrong length", "{\"fake\":\"length\"" SOON OK_LINE, BRAIN_OK, 2, NULL, "{\"a\": 1}", 0},
    {"garbage", "{\"fake\":\"garbage\"}\n" OK_LINE, BRAIN_OK, 2, NULL, "{\"a\": 1}", 0},
    {"HTML", "{\"fake\":\"html\"" SOON "{\"fake\":\"html\"" SOON "{\"fake\":\"html\"" SOON,
     BRAIN_STALLED, 3, "the reply is 'text/html', not a ", NULL, 0},
    {"half a JSON text", "{\"fake\":\"not-json\"" SOON OK_LINE, BRAIN_OK, 2, NULL, "{\"a\": 1}",
     0},
    {"too large", "{\"fake\":\"huge\"}\n" OK_LINE, BRAIN_REFUSED, 1, "is larger than 32 MB",
     NULL, 0},
    {"too large unpacked", "{\"fake\":\"bomb\"}\n" OK_LINE, BRAIN_REFUSED, 1,
     "is larger than 32 MB", NULL, 0},
};

static void
run_case(size_t i, Kind kind)
{
    const Clock clock = {.fixed_wall_us = DATE};
    g_autofree char *url = fake_case(&fake, cases[i].script);
    ConfBrain conf = conf_for(kind, url);
    g_autoptr(BrainCall) call = ask(&conf, &(BrainAsk){.clock = &clock});
    const BrainAnswer *a = brain_answer(call);
    g_autoptr(json_t) requests = fake_requests(&fake);
    json_t *request;
    size_t k;

    g_test_message("%s, %s: %s", brain_kind_word(brain_kind_of[kind]), cases[i].name,
                   a->failed ? a->failed : "fine");
    g_assert_cmpint(a->end, ==, cases[i].want_end);
    g_assert_cmpstr(a->text, ==, cases[i].want_text ? cases[i].want_text : "");
    g_assert_cmpint(a->failed != NULL, ==, cases[i].want_failed != NULL);
    if (a->failed)
        g_assert_nonnull(strstr(a->failed, cases[i].want_failed));
    g_assert_true(!a->failed || !strpbrk(a->failed, "\n\033"));
    g_assert_cmpint(a->retry.us != 0, ==, cases[i].want_retry_us > 0);
    if (cases[i].want_retry_us > 0)
        g_assert_cmpint(a->retry.us, ==, DATE + cases[i].want_retry_us * USEC_PER_SEC);
    g_assert_cmpuint(json_array_size(requests), ==, cases[i].want_requests);
    json_array_foreach(requests, k, request)
        g_assert_cmpstr(json_string_value(json_object_get(request, "key")), ==, CANARY);
}

static void
test_cases(gconstpointer kind)
{
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        run_case(i, GPOINTER_TO_INT(kind));
}

/* What only a stream can do. */
static void
test_streams(void)
{
    static const struct {
        const char *name, *script;
        BrainEnd want_end;
        unsigned want_requests;
        const char *want_failed;
    } streams[] = {
        {"no end", "{\"fake\":\"no-stop\"" SOON OK_LINE, BRAIN_OK, 2, NULL},
        {"never an end",
         "{\"fake\":\"no-stop\"" SOON "{\"fake\":\"no-stop\"" SOON "{\"fake\":\"no-stop\"" SOON,
         BRAIN_STALLED, 3, "the stream ended in the middle of the answer"},
        {"overloaded on the way", "{\"fake\":\"stream-error\"" SOON OK_LINE, BRAIN_OK, 2, NULL},
        {"overloaded for good",
         "{\"fake\":\"stream-error\"" SOON "{\"fake\":\"stream-error\"" SOON
         "{\"fake\":\"stream-error\"" SOON,
         BRAIN_LIMITED, 3, "too many at once"},
        {"an event that is no JSON", "{\"fake\":\"bad-event\"" SOON OK_LINE, BRAIN_OK, 2, NULL},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(streams); i++) {
        g_autofree char *url = fake_case(&fake, streams[i].script);
        ConfBrain conf = conf_for(ANTHROPIC, url);
        g_autoptr(BrainCall) call = ask(&conf, &(BrainAsk){0});
        const BrainAnswer *a = brain_answer(call);
        g_autoptr(json_t) requests = fake_requests(&fake);

        g_test_message("%s: %s", streams[i].name, a->failed);
        g_assert_cmpint(a->end, ==, streams[i].want_end);
        g_assert_cmpstr(a->failed, ==, streams[i].want_failed);
        g_assert_cmpuint(json_array_size(requests), ==, streams[i].want_requests);
    }
}

static json_t *
body_of(json_t *requests, size_t i)
{
    return json_object_get(json_array_get(requests, i), "body");
}

static void
assert_json(json_t *value, const char *want)
{
    g_autoptr(json_t) expected = NULL;

    g_assert_true(json_parse(want, strlen(want), 0, &expected, NULL));
    if (json_equal(value, expected))
        return;
    g_autofree char *got = json_format(value);
    g_assert_cmpstr(got, ==, want);
}

static void
test_questions(void)
{
    static const char *const want[] = {
        "{\"model\":\"claude-opus-5-5\",\"max_tokens\":1000,\"stream\":true,\"messages\":[{"
        "\"role\":\"user\",\"content\":[{\"type\":\"document\",\"source\":{\"type\":\"base64\","
        "\"media_type\":\"application/pdf\",\"data\":\"JVBERg==\"},\"title\":\"a.pdf\"},{"
        "\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_type\":\"image/png\","
        "\"data\":\"iVBO\"}},{\"type\":\"text\",\"text\":\"question\\nYour last answer could "
        "not "
        "be used: no JSON\\nAnswer "
        "again.\\n\"}]}],\"system\":[{\"type\":\"text\",\"text\":\"be "
        "brief\",\"cache_control\":{\"type\":\"ephemeral\"}}],\"output_config\":{\"format\":{"
        "\"type\":\"json_schema\",\"schema\":" SCHEMA "}}}",
        "{\"messages\":[{\"role\":\"system\",\"content\":\"be brief\"},{\"role\":\"user\","
        "\"content\":\"question\\nYour last answer could not be used: no JSON\\nAnswer "
        "again.\\n\"}],\"max_tokens\":1000,\"model\":\"claude-opus-5-5\",\"response_format\":{"
        "\"type\":\"json_schema\",\"json_schema\":{\"name\":\"step\",\"strict\":true,"
        "\"schema\":" SCHEMA "}}}",
    };
    g_autoptr(GBytes) pdf = g_bytes_new_static("%PDF", 4);
    g_autoptr(GBytes) png = g_bytes_new_static("\x89PN", 3);
    const BrainFile files[] = {{"application/pdf", "a.pdf", pdf}, {"image/png", "b.png", png}};

    for (Kind kind = 0; kind < N_KINDS; kind++) {
        g_autofree char *url = fake_case(&fake, OK_LINE);
        ConfBrain conf = conf_for(kind, url);
        const BrainAsk more = {.system = "be brief",
                               .schema = SCHEMA,
                               .schema_name = "step",
                               .why_again = "no JSON",
                               .files = files,
                               .n_files = kind == ANTHROPIC ? 2 : 0};
        g_autoptr(BrainCall) call = ask(&conf, &more);
        g_autoptr(json_t) requests = fake_requests(&fake);

        g_assert_cmpint(brain_answer(call)->end, ==, BRAIN_OK);
        assert_json(body_of(requests, 0), want[kind]);
    }
}

/* The next question has the form that was taken, at once. */
static void
assert_known(const ConfBrain *conf, unsigned lacks, json_t *want)
{
    g_autofree char *url = fake_case(&fake, OK_LINE);
    ConfBrain same = *conf;
    same.url = url;
    g_autoptr(BrainCall) call = ask(&same, &(BrainAsk){.schema = SCHEMA, .lacks = lacks});
    g_autoptr(json_t) requests = fake_requests(&fake);

    g_assert_cmpuint(lacks, !=, 0);
    g_assert_cmpuint(brain_answer(call)->lacks, ==, lacks);
    g_assert_cmpuint(json_array_size(requests), ==, 1);
    g_assert_true(json_equal(body_of(requests, 0), want));
}

/* Servers that know less: the next form of the question. */
static void
test_forms(void)
{
    static const struct {
        const char *name, *script;
        Kind kind;
        unsigned want_requests;
        const char *member, *want_last; /* in the last question; NULL: it is gone */
    } forms[] = {
        {"no output_config", "{\"fake\":\"no-format\"}\n" OK_LINE, ANTHROPIC, 2,
         "output_config", NULL},
        {"json_object", "{\"fake\":\"no-schema\"}\n" OK_LINE, OPENAI, 2, "response_format",
         "{\"type\":\"json_object\",\"schema\":" SCHEMA "}"},
        {"in words", "{\"fake\":\"no-schema\"}\n{\"fake\":\"no-schema\"}\n" OK_LINE, OPENAI, 3,
         "response_format", NULL},
        {"the other limit", "{\"fake\":\"no-max-tokens\"}\n" OK_LINE, OPENAI, 2,
         "max_completion_tokens", "1000"},
        {"and the first is gone", "{\"fake\":\"no-max-tokens\"}\n" OK_LINE, OPENAI, 2,
         "max_tokens", NULL},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(forms); i++) {
        g_autofree char *url = fake_case(&fake, forms[i].script);
        ConfBrain conf = conf_for(forms[i].kind, url);
        g_autoptr(BrainCall) call = ask(&conf, &(BrainAsk){.schema = SCHEMA});
        g_autoptr(json_t) requests = fake_requests(&fake);
        json_t *last = body_of(requests, json_array_size(requests) - 1);
        g_autofree char *got =
            json_dumps(json_object_get(last, forms[i].member), JSON_COMPACT | JSON_ENCODE_ANY);
        g_autofree char *whole = json_format(last);

        g_test_message("%s", forms[i].name);
        g_assert_cmpint(brain_answer(call)->end, ==, BRAIN_OK);
        g_assert_cmpuint(json_array_size(requests), ==, forms[i].want_requests);
        g_assert_cmpstr(got, ==, forms[i].want_last);
        g_assert_nonnull(strstr(whole, "additionalProperties"));
        assert_known(&conf, brain_answer(call)->lacks, last);
    }
}

/* A server that dislikes every form is not asked for ever. */
static void
test_forms_end(void)
{
    g_autoptr(GString) script = g_string_new(NULL);

    for (int i = 0; i < 20; i++)
        g_string_append(script, "{\"fake\":\"no-max-tokens\"}\n");
    g_autofree char *url = fake_case(&fake, script->str);
    ConfBrain conf = conf_for(OPENAI, url);
    g_autoptr(BrainCall) call = ask(&conf, &(BrainAsk){.schema = SCHEMA});
    g_autoptr(json_t) requests = fake_requests(&fake);

    g_assert_cmpint(brain_answer(call)->end, ==, BRAIN_REFUSED);
    g_assert_cmpuint(json_array_size(requests), ==, 5);
}

/* Retries cost, too; so does an answer that was cut. */
static void
test_costs(void)
{
    static const char usage[] = "\"usage\":{\"input_tokens\":1000,\"output_tokens\":500,"
                                "\"cache_read_input_tokens\":2000}";
    g_autofree char *script = g_strdup_printf("{\"fake\":\"no-stream\",%s}\n", usage);
    g_autofree char *cut = g_strdup_printf("{\"fake\":\"no-stop\",%s" SOON "%s", usage, script);
    const int64_t one = 1000 * 4 + 500 * 20 + 2000 * 2 / 10;

    for (Kind kind = 0; kind < N_KINDS; kind++) {
        g_autofree char *url = fake_case(&fake, script);
        ConfBrain conf = conf_for(kind, url);
        g_autoptr(BrainCall) call = ask(&conf, &(BrainAsk){0});
        const BrainAnswer *a = brain_answer(call);

        g_assert_cmpint(a->usage.input, ==, 1000);
        g_assert_cmpint(a->usage.output, ==, 500);
        g_assert_cmpint(a->usage.cache_read, ==, 2000);
        g_assert_cmpint(a->cost_micro, ==, one);
        g_assert_cmpstr(a->request_id, ==, "req_fake");
    }
    g_autofree char *url = fake_case(&fake, cut);
    ConfBrain conf = conf_for(ANTHROPIC, url);
    g_autoptr(BrainCall) call = ask(&conf, &(BrainAsk){0});
    g_assert_cmpint(brain_answer(call)->end, ==, BRAIN_OK);
    g_assert_cmpint(brain_answer(call)->cost_micro, ==, 2 * one);
}

/* Who does not say what was counted is reckoned by size. */
static void
test_costs_untold(void)
{
    static const char *const usages[] = {
        "{\"input_tokens\":0,\"output_tokens\":0}",
        "{\"input_tokens\":-5,\"output_tokens\":-70}",
        "{\"input_tokens\":1e3,\"output_tokens\":99999999999}",
    };

    for (size_t i = 0; i < G_N_ELEMENTS(usages) * N_KINDS; i++) {
        g_autofree char *script =
            g_strdup_printf("{\"fake\":\"no-stream\",\"usage\":%s}\n", usages[i / N_KINDS]);
        g_autofree char *url = fake_case(&fake, script);
        ConfBrain conf = conf_for((Kind)(i % N_KINDS), url);
        g_autoptr(BrainCall) call = ask(&conf, &(BrainAsk){0});
        const BrainAnswer *a = brain_answer(call);

        g_assert_cmpint(a->end, ==, BRAIN_OK);
        g_assert_cmpint(a->usage.input, >, 10);
        g_assert_cmpint(a->usage.output, >, 0);
        g_assert_cmpint(a->cost_micro, ==, a->usage.input * 4 + a->usage.output * 20);
    }
}

/* A reset in a header is absolute, so this one needs the real clock. */
static void
test_reset(void)
{
    for (Kind kind = 0; kind < N_KINDS; kind++) {
        g_autofree char *url = fake_case(&fake, "{\"fake\":\"429-reset\"}");
        ConfBrain conf = conf_for(kind, url);
        int64_t before = g_get_real_time();
        g_autoptr(BrainCall) call = ask(&conf, &(BrainAsk){0});
        const BrainAnswer *a = brain_answer(call);

        g_assert_cmpint(a->end, ==, BRAIN_LIMITED);
        g_assert_cmpint(a->retry.us, >=, before + 3598 * USEC_PER_SEC);
        g_assert_cmpint(a->retry.us, <=, g_get_real_time() + 3601 * USEC_PER_SEC);
    }
}

static void
test_timeout(void)
{
    for (Kind kind = 0; kind < N_KINDS; kind++) {
        g_autofree char *url = fake_case(&fake, "{\"fake\":\"stall\"}\n" OK_LINE);
        ConfBrain conf = conf_for(kind, url);
        conf.timeout_us = 300 * USEC_PER_MSEC;
        g_autoptr(BrainCall) call = ask(&conf, &(BrainAsk){0});

        g_assert_cmpint(brain_answer(call)->end, ==, BRAIN_STALLED);
        g_assert_nonnull(strstr(brain_answer(call)->failed, "gave no answer within 300 ms"));
    }
}

static void
test_stopped(void)
{
    g_autofree char *url = fake_case(&fake, "{\"fake\":\"stall\"}");
    ConfBrain conf = conf_for(ANTHROPIC, url);
    const BrainAsk question = {.conf = &conf, .home = home.path, .prompt = "question"};
    g_autoptr(BrainCall) call = NULL;

    g_assert_true(brain_start(&question, &call, NULL));
    g_assert_false(brain_work(call));
    brain_end(call);
    drive(call);
    g_assert_cmpint(brain_answer(call)->end, ==, BRAIN_FAILED);
}

/* Settings that can't work: the owner's business, not the job's. Nothing is asked. */
static void
test_broken(void)
{
    static const struct {
        const char *name, *url, *model, *key_file, *want;
    } broken[] = {
        {"no key file", "http://127.0.0.1:1", "m", "none", "the key file '"},
        {"open to others", "http://127.0.0.1:1", "m", "open", "others can read the key file '"},
        {"no key", "", "m", "", "there is no key"},
        {"no model", "", "", "key", "it has no model"},
        {"key in the clear", "http://192.0.2.1", "m", "key", "its key would go to '192.0.2.1'"},
        {"no URL", "nonsense", "m", "key", "is no URL of the form"},
        {"other protocol", "ftp://h", "m", "key", "is no URL of the form"},
    };

    tmpdir_write(&home, "open", CANARY, 0644);
    for (size_t i = 0; i < G_N_ELEMENTS(broken); i++) {
        for (Kind kind = 0; kind < N_KINDS; kind++) {
            ConfBrain conf = conf_for(kind, broken[i].url);
            conf.model = broken[i].model;
            conf.key_file = broken[i].key_file;
            g_autoptr(BrainCall) call = ask(&conf, &(BrainAsk){0});

            g_test_message("%s: %s", broken[i].name, brain_answer(call)->failed);
            g_assert_cmpint(brain_answer(call)->end, ==, BRAIN_BROKEN);
            g_assert_nonnull(strstr(brain_answer(call)->failed, broken[i].want));
        }
    }
}

/* More than any provider takes is not sent to it. */
static void
test_large_question(void)
{
    g_autofree char *large = g_strnfill(33 << 20, 'x');

    for (Kind kind = 0; kind < N_KINDS; kind++) {
        ConfBrain conf = conf_for(kind, "http://127.0.0.1:1");
        g_autoptr(BrainCall) call = ask(&conf, &(BrainAsk){.system = large});
        g_assert_cmpint(brain_answer(call)->end, ==, BRAIN_LARGE);
        g_assert_cmpstr(brain_answer(call)->failed, ==, "the question is larger than 32 MB");
    }
}

/* Chat Completions have a member for it, beside an ordinary end. */
static void
test_refusal(void)
{
    g_autofree char *url = fake_case(
        &fake, "{\"fake\":\"html\",\"type\":\"application/json\",\"raw\":\"{\\\"choices\\\":[{"
               "\\\"finish_reason\\\":\\\"stop\\\",\\\"message\\\":{\\\"refusal\\\":"
               "\\\"I will not\\\",\\\"content\\\":null}}]}\"}");
    ConfBrain conf = conf_for(OPENAI, url);
    g_autoptr(BrainCall) call = ask(&conf, &(BrainAsk){0});

    g_assert_cmpint(brain_answer(call)->end, ==, BRAIN_REFUSED);
    g_assert_cmpstr(brain_answer(call)->failed, ==, "the model refuses: I will not");
}

/* Nobody listens: an outage, so the jobs wait. A server without a key is sent none. */
static void
test_unreached(void)
{
    ConfBrain conf = conf_for(OPENAI, "http://127.0.0.1:1");
    const Clock clock = {.fixed_wall_us = DATE};
    g_autoptr(BrainCall) call = ask(&conf, &(BrainAsk){.clock = &clock});
    const BrainAnswer *a = brain_answer(call);

    g_assert_cmpint(a->end, ==, BRAIN_LIMITED);
    g_assert_cmpint(a->retry.us, ==, 0);
    g_assert_true(g_str_has_prefix(a->failed, "can't reach '127.0.0.1': "));
}

static void
test_no_key(void)
{
    g_autofree char *url = fake_case(&fake, OK_LINE);
    ConfBrain conf = conf_for(OPENAI, url);

    g_setenv("OPENAI_API_KEY", CANARY, TRUE); /* by custom, but for the provider alone */
    conf.key_file = "";
    g_autoptr(BrainCall) call = ask(&conf, &(BrainAsk){0});
    g_autoptr(json_t) requests = fake_requests(&fake);
    g_unsetenv("OPENAI_API_KEY");
    g_assert_cmpint(brain_answer(call)->end, ==, BRAIN_OK);
    g_assert_true(json_is_null(json_object_get(json_array_get(requests, 0), "key")));
}

/* Four bytes are a token, of an image 5,000; opus: $5 for a million that go into a cache, $20 for
 * what it writes. */
static void
test_most(void)
{
    static const struct {
        const char *name, *model, *image, *system;
        int64_t want;
    } most[] = {
        {"short", "claude-opus-5-5", NULL, NULL, 1000 * 20 + 3 * 5},
        {"instructions", "claude-opus-5-5", NULL, "01234567", 1000 * 20 + 5 * 5},
        {"an image", "claude-opus-5-5", "image/png", NULL, 1000 * 20 + 5003 * 5},
        {"a document", "claude-opus-5-5", "application/pdf", NULL, 1000 * 20 + 4 * 5},
        {"of one's own", "qwen", NULL, NULL, 0},
    };
    g_autoptr(GBytes) data = g_bytes_new_static("1234", 4);

    for (size_t i = 0; i < G_N_ELEMENTS(most); i++) {
        ConfBrain conf = conf_for(ANTHROPIC, "http://127.0.0.1:1");
        const BrainFile file = {most[i].image, "x", data};
        const BrainAsk question = {.conf = &conf,
                                   .home = home.path,
                                   .prompt = "question",
                                   .system = most[i].system,
                                   .files = &file,
                                   .n_files = most[i].image != NULL};
        g_test_message("%s", most[i].name);
        conf.model = most[i].model;
        g_assert_cmpint(brain_most(&question), ==, most[i].want);
    }
    ConfBrain own = conf_for(ANTHROPIC, "https://api.anthropic.com/");
    own.model = "unheard-of";
    const BrainAsk question = {.conf = &own, .home = home.path, .prompt = "question"};
    g_assert_cmpint(brain_most(&question), >, 0); /* a budget is kept rather than missed */
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    fake = fake_start(NULL);
    home = tmpdir_new();
    tmpdir_write(&home, "key", CANARY "\n", 0600);
    g_test_add_data_func("/brain/api/anthropic", GINT_TO_POINTER(ANTHROPIC), test_cases);
    g_test_add_data_func("/brain/api/openai", GINT_TO_POINTER(OPENAI), test_cases);
    g_test_add_func("/brain/api/streams", test_streams);
    g_test_add_func("/brain/api/questions", test_questions);
    g_test_add_func("/brain/api/forms", test_forms);
    g_test_add_func("/brain/api/forms-end", test_forms_end);
    g_test_add_func("/brain/api/costs", test_costs);
    g_test_add_func("/brain/api/costs-untold", test_costs_untold);
    g_test_add_func("/brain/api/most", test_most);
    g_test_add_func("/brain/api/reset", test_reset);
    g_test_add_func("/brain/api/timeout", test_timeout);
    g_test_add_func("/brain/api/stopped", test_stopped);
    g_test_add_func("/brain/api/broken", test_broken);
    g_test_add_func("/brain/api/large-question", test_large_question);
    g_test_add_func("/brain/api/refusal", test_refusal);
    g_test_add_func("/brain/api/unreached", test_unreached);
    g_test_add_func("/brain/api/no-key", test_no_key);
    int status = g_test_run();
    tmpdir_clear(&home);
    fake_clear(&fake);
    return status;
}
