#include "wire/imap_set.h"

void
imap_set_clear(ImapSet *set)
{
    g_clear_pointer(&set->ranges, g_array_unref);
}

static unsigned
n_ranges(const ImapSet *set)
{
    return set->ranges ? set->ranges->len : 0;
}

static ImapRange *
range_at(const ImapSet *set, unsigned i)
{
    return &g_array_index(set->ranges, ImapRange, i);
}

/* The first range that ends at uid or behind it. */
static unsigned
find(const ImapSet *set, uint32_t uid)
{
    unsigned low = 0, high = n_ranges(set);

    while (low < high) {
        unsigned mid = low + (high - low) / 2;
        if (range_at(set, mid)->last < uid)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

void
imap_set_add(ImapSet *set, uint32_t first, uint32_t last)
{
    if (first > last) { /* "7:3" is the same as "3:7" */
        uint32_t low = last;
        last = first;
        first = low;
    }
    first = MAX(first, 1);
    if (last == 0)
        return;
    if (!set->ranges)
        set->ranges = g_array_new(false, false, sizeof(ImapRange));
    /* All ranges that touch the new one become part of it. */
    ImapRange range = {first, last};
    unsigned from = find(set, first - 1), to = from;
    while (to < set->ranges->len &&
           (last == UINT32_MAX || range_at(set, to)->first <= last + 1)) {
        range.first = MIN(range.first, range_at(set, to)->first);
        range.last = MAX(range.last, range_at(set, to)->last);
        to++;
    }
    if (to == from) {
        g_array_insert_val(set->ranges, from, range);
        return;
    }
    *range_at(set, from) = range;
    if (to - from > 1)
        g_array_remove_range(set->ranges, from + 1, to - from - 1);
}

void
imap_set_remove(ImapSet *set, uint32_t uid)
{
    if (!imap_set_has(set, uid))
        return;
    unsigned i = find(set, uid);
    ImapRange *range = range_at(set, i);
    ImapRange upper = {uid + 1, range->last};
    bool keep_lower = range->first < uid, keep_upper = uid < range->last;

    range->last = uid - 1;
    if (keep_upper)
        g_array_insert_val(set->ranges, i + 1, upper);
    if (!keep_lower)
        g_array_remove_index(set->ranges, i);
}

void
imap_set_keep(ImapSet *set, const ImapSet *other)
{
    ImapSet both = {0};

    for (unsigned i = 0, j = 0; i < n_ranges(set) && j < n_ranges(other);) {
        const ImapRange *a = range_at(set, i), *b = range_at(other, j);
        uint32_t first = MAX(a->first, b->first), last = MIN(a->last, b->last);
        if (first <= last)
            imap_set_add(&both, first, last);
        if (a->last < b->last)
            i++;
        else
            j++;
    }
    imap_set_clear(set);
    *set = both;
}

bool
imap_set_has(const ImapSet *set, uint32_t uid)
{
    unsigned i = find(set, uid);

    return uid > 0 && i < n_ranges(set) && range_at(set, i)->first <= uid;
}

bool
imap_set_is_empty(const ImapSet *set)
{
    return n_ranges(set) == 0;
}

uint64_t
imap_set_count(const ImapSet *set)
{
    uint64_t count = 0;

    for (unsigned i = 0; i < n_ranges(set); i++)
        count += (uint64_t)range_at(set, i)->last - range_at(set, i)->first + 1;
    return count;
}

uint32_t
imap_set_first(const ImapSet *set)
{
    return imap_set_is_empty(set) ? 0 : range_at(set, 0)->first;
}

uint32_t
imap_set_last(const ImapSet *set)
{
    const GArray *ranges = set->ranges;

    return ranges && ranges->len ? g_array_index(ranges, ImapRange, ranges->len - 1).last : 0;
}

ImapSet
imap_set_take(ImapSet *set, uint32_t max, unsigned max_ranges)
{
    ImapSet taken = {0};
    unsigned gone = 0;

    for (; gone < n_ranges(set) && gone < max_ranges && max > 0; gone++) {
        ImapRange *range = range_at(set, gone);
        uint32_t last = range->last;
        if (last != UINT32_MAX && last - range->first >= max)
            last = range->first + max - 1;
        imap_set_add(&taken, range->first, last);
        if (last < range->last) {
            range->first = last + 1;
            break;
        }
        max -= last == UINT32_MAX ? max : last - range->first + 1;
    }
    if (gone > 0)
        g_array_remove_range(set->ranges, 0, gone);
    return taken;
}

static void
append_uid(GString *out, uint32_t uid)
{
    if (uid == UINT32_MAX)
        g_string_append_c(out, '*');
    else
        g_string_append_printf(out, "%u", uid);
}

char *
imap_set_format(const ImapSet *set)
{
    GString *out = g_string_new(NULL);

    for (unsigned i = 0; i < n_ranges(set); i++) {
        const ImapRange *range = range_at(set, i);
        if (i > 0)
            g_string_append_c(out, ',');
        append_uid(out, range->first);
        if (range->last > range->first) {
            g_string_append_c(out, ':');
            append_uid(out, range->last);
        }
    }
    return g_string_free(out, false);
}

static bool
parse_uid(const char **p, const char *end, uint32_t *ret)
{
    uint64_t n = 0;
    const char *from = *p;

    if (*p < end && **p == '*') {
        (*p)++;
        *ret = UINT32_MAX;
        return true;
    }
    for (; *p < end && g_ascii_isdigit(**p) && n <= UINT32_MAX; (*p)++)
        n = n * 10 + (uint64_t)(**p - '0');
    *ret = (uint32_t)n;
    return *p > from && n > 0 && n <= UINT32_MAX;
}

static int
by_first(gconstpointer a, gconstpointer b)
{
    uint32_t x = ((const ImapRange *)a)->first, y = ((const ImapRange *)b)->first;
    return x < y ? -1 : x > y;
}

ImapSet
imap_set_take_ranges(GArray *ranges)
{
    ImapSet set = {0};

    for (unsigned i = 0; i < ranges->len; i++) {
        ImapRange *range = &g_array_index(ranges, ImapRange, i);
        *range = (ImapRange){MIN(range->first, range->last), MAX(range->first, range->last)};
    }
    g_array_sort(ranges, by_first);
    for (unsigned i = 0; i < ranges->len; i++) {
        const ImapRange *range = &g_array_index(ranges, ImapRange, i);
        imap_set_add(&set, range->first, range->last);
    }
    g_array_unref(ranges);
    return set;
}

static bool
parse_range(const char **p, const char *end, ImapRange *ret)
{
    if (!parse_uid(p, end, &ret->first))
        return false;
    ret->last = ret->first;
    if (*p == end || **p != ':')
        return true;
    (*p)++;
    return parse_uid(p, end, &ret->last);
}

bool
imap_set_parse(const char *text, size_t len, ImapSet *ret)
{
    g_autoptr(GArray) ranges = g_array_new(false, false, sizeof(ImapRange));
    const char *p = text, *end = text + len;
    ImapRange range;

    do {
        if (!parse_range(&p, end, &range))
            return false;
        g_array_append_val(ranges, range);
    } while (p < end && *p++ == ',');
    if (p < end || text[len - 1] == ',')
        return false;
    *ret = imap_set_take_ranges(g_steal_pointer(&ranges));
    return true;
}
