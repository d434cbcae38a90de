/* One HTTP request against tools/fake-model: every way in which it can end. */
#include "wire/http.h"
#include "base/clock.h"
#include "base/err.h"
#include "fakemodel.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>

static FakeModel fake;

static HttpCall *
ask(const HttpRequest *request)
{
    g_autoptr(GError) error = NULL;
    HttpCall *call = NULL;

    http_start(request, &call, &error);
    g_assert_no_error(error);
    while (!http_work(call)) {
        struct pollfd fds[HTTP_POLL_MAX];
        int64_t wait_us;
        unsigned n = http_poll(call, fds, &wait_us);
        int ms = wait_us == USEC_NEVER ? -1 : (int)(wait_us / USEC_PER_MSEC) + 1;
        g_assert_true(poll(fds, n, ms) >= 0 || errno == EINTR);
    }
    return call;
}

static const struct {
    const char *name, *script;
    int64_t time_us, stall_us;
    size_t max_bytes;
    HttpEnd want_end;
    int want_status;                  /* -1: not looked at */
    const char *want_why, *want_body; /* beginnings; NULL: not looked at */
} cases[] = {
    {"JSON", "{\"fake\":\"no-stream\"}", 0, 0, 0, HTTP_DONE, 200, NULL, "{\"id\": "},
    {"stream", "{}", 0, 0, 0, HTTP_DONE, 200, NULL, "event: message_start\n"},
    {"unpacked", "{\"fake\":\"gzip\"}", 0, 0, 0, HTTP_DONE, 200, NULL,
     "event: message_start\n"},
    {"an error is a reply", "{\"fake\":\"529\"}", 0, 0, 0, HTTP_DONE, 529, NULL, "{"},
    {"a redirect too", "{\"fake\":\"redirect\"}", 0, 0, 0, HTTP_DONE, 307, NULL, NULL},
    {"HTML", "{\"fake\":\"html\"}", 0, 0, 0, HTTP_DONE, 200, NULL, "<html>"},
    {"slow", "{\"fake\":\"slow\"}", 0, 5 * USEC_PER_SEC, 0, HTTP_DONE, 200, NULL, "event:"},
    {"cut", "{\"fake\":\"cut\"}", 0, 0, 0, HTTP_CUT, 200, NULL, "event: message_start\n"},
    {"reset", "{\"fake\":\"reset\"}", 0, 0, 0, HTTP_CUT, 200, NULL, NULL},
    {"hung up", "{\"fake\":\"hang-up\"}", 0, 0, 0, HTTP_CUT, 0, NULL, ""},
    {"wrong length", "{\"fake\":\"length\"}", 0, 0, 0, HTTP_CUT, 200, NULL, NULL},
    {"no HTTP", "{\"fake\":\"garbage\"}", 0, 0, 0, HTTP_CUT, 0, NULL, NULL},
    {"stalled", "{\"fake\":\"stall\"}", 0, USEC_PER_SEC, 0, HTTP_SLOW, -1,
     "nothing was heard for 1", NULL},
    {"too late", "{\"fake\":\"stall\"}", USEC_PER_SEC, 0, 0, HTTP_SLOW, -1,
     "no answer within 1", NULL},
    {"too large", "{\"fake\":\"huge\"}", 0, 0, 100000, HTTP_LARGE, 200,
     "the reply is larger than ", NULL},
    {"too large unpacked", "{\"fake\":\"bomb\"}", 0, 0, 0, HTTP_LARGE, 200,
     "the reply is larger than 32 MB", NULL},
};

static void
test_ends(void)
{
    static const char *const headers[] = {"content-type: application/json", "x-api-key: k",
                                          NULL};
    g_autoptr(GBytes) body = g_bytes_new_static("{\"stream\":true}", 15);

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *base = fake_case(&fake, cases[i].script);
        g_autofree char *url = g_strconcat(base, "/v1/messages", NULL);
        HttpRequest request = {.url = url,
                               .headers = headers,
                               .body = body,
                               .time_us = cases[i].time_us,
                               .stall_us = cases[i].stall_us,
                               .max_bytes = cases[i].max_bytes};
        g_autoptr(HttpCall) call = ask(&request);
        const HttpReply *reply = http_reply(call);
        size_t len;
        const char *got = g_bytes_get_data(reply->body, &len);

        g_test_message("%s: %d %d %s", cases[i].name, reply->end, reply->status, reply->why);
        g_assert_cmpint(reply->end, ==, cases[i].want_end);
        if (cases[i].want_status >= 0)
            g_assert_cmpint(reply->status, ==, cases[i].want_status);
        g_assert_cmpint(reply->end == HTTP_DONE, ==, reply->why == NULL);
        if (cases[i].want_why)
            g_assert_true(g_str_has_prefix(reply->why, cases[i].want_why));
        if (cases[i].want_body)
            g_assert_cmpmem(got, MIN(len, strlen(cases[i].want_body)), cases[i].want_body,
                            strlen(cases[i].want_body));
    }
}

/* The log of the server is the proof that one request was all. */
static void
test_redirect(void)
{
    g_autofree char *base = fake_case(&fake, "{\"fake\":\"redirect\"}\n{}\n");
    g_autofree char *back = g_strdup_printf("{\"fake\":\"redirect\",\"headers\":{\"location\":"
                                            "\"%s/v1/messages\"}}\n{}\n",
                                            base);
    g_autofree char *again = fake_case(&fake, back);
    g_autofree char *url = g_strconcat(again, "/v1/messages", NULL);
    g_autoptr(GBytes) body = g_bytes_new_static("{}", 2);
    static const char *const headers[] = {"x-api-key: k", NULL};
    g_autoptr(HttpCall) call =
        ask(&(HttpRequest){.url = url, .headers = headers, .body = body});
    g_autoptr(json_t) requests = fake_requests(&fake);

    g_assert_cmpint(http_reply(call)->status, ==, 307);
    g_assert_nonnull(http_header(http_reply(call), "location"));
    g_assert_cmpuint(json_array_size(requests), ==, 1);
}

static void
test_headers(void)
{
    g_autofree char *base = fake_case(&fake, "{\"fake\":\"429-after\"}");
    g_autofree char *url = g_strconcat(base, "/chat/completions", NULL);
    g_autoptr(GBytes) body = g_bytes_new_static("{}", 2);
    static const char *const sent[] = {"x-one: 1", NULL};
    g_autoptr(HttpCall) call = ask(&(HttpRequest){.url = url, .headers = sent, .body = body});
    const HttpReply *reply = http_reply(call);
    g_autoptr(json_t) requests = fake_requests(&fake);
    json_t *seen = json_object_get(json_array_get(requests, 0), "headers");

    g_assert_cmpstr(http_header(reply, "request-id"), ==, "req_fake");
    g_assert_null(http_header(reply, "x-absent"));
    g_assert_true(http_is_type(reply, "application/json"));
    g_assert_false(http_is_type(reply, "application/js"));
    g_assert_cmpint(reply->retry_after_us, ==, USEC_PER_SEC);
    g_assert_cmpstr(json_string_value(json_object_get(seen, "x-one")), ==, "1");
    g_assert_null(json_object_get(seen, "expect"));
    g_assert_true(
        g_str_has_prefix(json_string_value(json_object_get(seen, "user-agent")), "postrider/"));
}

/* A port that is taken and where nobody listens. */
static void
test_unreached(void)
{
    auto_fd fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof at;

    g_assert_cmpint(bind(fd, (struct sockaddr *)&at, len), ==, 0);
    g_assert_cmpint(getsockname(fd, (struct sockaddr *)&at, &len), ==, 0);
    g_autofree char *url = g_strdup_printf("http://127.0.0.1:%d/", ntohs(at.sin_port));
    g_autoptr(HttpCall) call = ask(&(HttpRequest){.url = url});

    g_assert_cmpint(http_reply(call)->end, ==, HTTP_UNREACHED);
    g_assert_nonnull(http_reply(call)->why);
}

/* The fake knows no CONNECT: a proxy that refuses us. The question never left. */
static void
test_proxy_refuses(void)
{
    g_autofree char *proxy = fake_case(&fake, "{\"a\": 1}\n");

    *strchr(proxy + strlen("http://"), '/') = '\0';
    g_setenv("https_proxy", proxy, TRUE);
    g_autoptr(HttpCall) call = ask(&(HttpRequest){.url = "https://model.example/"});
    g_unsetenv("https_proxy");

    g_test_message("%s", http_reply(call)->why);
    g_assert_cmpint(http_reply(call)->end, ==, HTTP_UNREACHED);
    g_assert_nonnull(strstr(http_reply(call)->why, "501"));
}

static void
test_untrusted(void)
{
    g_auto(TmpDir) dir = tmpdir_new();
    g_autofree char *pem = tmpdir_path(&dir, "pem");
    const char *argv[] = {"openssl",
                          "req",
                          "-x509",
                          "-newkey",
                          "ec",
                          "-pkeyopt",
                          "ec_paramgen_curve:P-256",
                          "-nodes",
                          "-days",
                          "2",
                          "-subj",
                          "/CN=127.0.0.1",
                          "-keyout",
                          pem,
                          "-out",
                          pem,
                          NULL};
    int status;

    if (!g_spawn_sync(NULL, (char **)argv, NULL,
                      G_SPAWN_SEARCH_PATH | G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, NULL, NULL,
                      &status, NULL)) {
        g_test_skip("there is no program 'openssl'");
        return;
    }
    g_assert_cmpint(status, ==, 0);
    g_auto(FakeModel) secure = fake_start(pem);
    g_autofree char *url = fake_case(&secure, "{}");
    g_autoptr(GBytes) body = g_bytes_new_static("{}", 2);
    g_autoptr(HttpCall) call = ask(&(HttpRequest){.url = url, .body = body});

    g_assert_cmpint(http_reply(call)->end, ==, HTTP_UNTRUSTED);
    g_autofree char *log = tmpdir_read(&secure.dir, "log");
    g_assert_cmpstr(log, ==, "");
}

/* Freed in the middle: nothing is left behind. */
static void
test_broken_off(void)
{
    g_autofree char *base = fake_case(&fake, "{\"fake\":\"stall\"}");
    g_autofree char *url = g_strconcat(base, "/v1/messages", NULL);
    g_autoptr(GBytes) body = g_bytes_new_static("{\"stream\":true}", 15);
    g_autoptr(HttpCall) call = NULL;

    g_assert_true(http_start(&(HttpRequest){.url = url, .body = body}, &call, NULL));
    for (int i = 0; i < 3; i++) {
        struct pollfd fds[HTTP_POLL_MAX];
        int64_t wait_us;
        unsigned n = http_poll(call, fds, &wait_us);
        (void)poll(fds, n, 50);
        g_assert_false(http_work(call));
    }
}

static void
test_places(void)
{
    static const struct {
        const char *url;
        bool want, want_tls, want_loopback;
        const char *want_host;
    } places[] = {
        {"https://api.example.com/v1", true, true, false, "api.example.com"},
        {"http://127.0.0.1:8080", true, false, true, "127.0.0.1"},
        {"http://127.9.9.9/", true, false, true, "127.9.9.9"},
        {"http://[::1]:80/x", true, false, true, "[::1]"},
        {"http://LOCALHOST/", true, false, true, "LOCALHOST"},
        {"http://localhost.example.com/", true, false, false, "localhost.example.com"},
        {"http://127.0.0.1.example.com/", true, false, false, "127.0.0.1.example.com"},
        {"http://10.0.0.1/", true, false, false, "10.0.0.1"},
        {"http://user@127.0.0.1/", false, false, false, NULL},
        {"http://127.0.0.1:1@evil.example/", false, false, false, NULL},
        {"https://h/?q=1", false, false, false, NULL},
        {"https://h/#f", false, false, false, NULL},
        {"file:///etc/passwd", false, false, false, NULL},
        {"ftp://h/", false, false, false, NULL},
        {"h", false, false, false, NULL},
        {"", false, false, false, NULL},
        {"https://a b/", false, false, false, NULL},
        {"https://h/\r\nx: y", false, false, false, NULL},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(places); i++) {
        g_auto(HttpPlace) place = {0};
        g_autoptr(GError) error = NULL;

        g_test_message("%s", places[i].url);
        g_assert_cmpint(http_place_parse(places[i].url, &place, &error), ==, places[i].want);
        g_assert_cmpint(err_is(error, ERR_CONFIG), ==, !places[i].want);
        g_assert_cmpint(place.tls, ==, places[i].want_tls);
        g_assert_cmpint(place.loopback, ==, places[i].want_loopback);
        g_assert_cmpstr(place.host, ==, places[i].want_host);
    }
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    fake = fake_start(NULL);
    g_test_add_func("/wire/http/places", test_places);
    g_test_add_func("/wire/http/ends", test_ends);
    g_test_add_func("/wire/http/redirect", test_redirect);
    g_test_add_func("/wire/http/headers", test_headers);
    g_test_add_func("/wire/http/unreached", test_unreached);
    g_test_add_func("/wire/http/proxy-refuses", test_proxy_refuses);
    g_test_add_func("/wire/http/untrusted", test_untrusted);
    g_test_add_func("/wire/http/broken-off", test_broken_off);
    int status = g_test_run();
    fake_clear(&fake);
    return status;
}
