/* Where a URL leads, by libcurl's own parser: the one that will follow it. */
#include "wire/http.h"
#include <arpa/inet.h>
#include <curl/curl.h>

static bool
is_loopback(const char *host)
{
    struct in_addr v4;
    struct in6_addr v6;

    if (g_ascii_strcasecmp(host, "localhost") == 0)
        return true;
    if (inet_pton(AF_INET, host, &v4) == 1)
        return ntohl(v4.s_addr) >> 24 == 127;
    g_autofree char *bare = g_strdup(*host == '[' ? host + 1 : host);
    bare[strcspn(bare, "]")] = '\0';
    return inet_pton(AF_INET6, bare, &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

void
http_place_clear(HttpPlace *place)
{
    g_clear_pointer(&place->host, g_free);
}

/* One part of a URL as a copy of ours; NULL: it has none. */
static char *
url_part(CURLU *url, CURLUPart part)
{
    char *text = NULL, *copy;

    if (curl_url_get(url, part, &text, 0) != CURLUE_OK)
        return NULL;
    copy = g_strdup(text);
    curl_free(text);
    return copy;
}

static bool
place_of(CURLU *url, HttpPlace *ret)
{
    static const CURLUPart unwanted[] = {CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_QUERY,
                                         CURLUPART_FRAGMENT};
    g_autofree char *scheme = url_part(url, CURLUPART_SCHEME);

    for (size_t i = 0; i < G_N_ELEMENTS(unwanted); i++) {
        g_autofree char *part = url_part(url, unwanted[i]);
        if (part)
            return false;
    }
    bool tls = g_strcmp0(scheme, "https") == 0;
    if (!tls && g_strcmp0(scheme, "http") != 0)
        return false;
    char *host = url_part(url, CURLUPART_HOST);
    *ret = (HttpPlace){.tls = tls, .host = host, .loopback = is_loopback(host)};
    return true;
}

bool
http_place_parse(const char *text, HttpPlace *ret, GError **error)
{
    CURLU *url = curl_url();
    bool ok = curl_url_set(url, CURLUPART_URL, text, CURLU_NON_SUPPORT_SCHEME) == CURLUE_OK &&
              place_of(url, ret);

    curl_url_cleanup(url);
    return ok ||
           err_set(error, ERR_CONFIG, "'%s' is no URL of the form https://HOST/PATH", text);
}
