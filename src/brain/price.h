#pragma once

/*
 * What tokens cost, from a table of one line per model:
 *
 *   # model       up to   input   output  cache-write  cache-read
 *   some-model-5   100k    0.10     0.50        0.125        0.01
 *   some-model-5      -    0.50     2.50        0.625        0.05
 *
 * in dollars per million tokens. The first word is the beginning of the model's name. Of the
 * lines whose limit the prompt keeps, that with the longest such beginning counts, and of
 * several the first. The line `*` is the price of every model without a line, so that a budget
 * holds also where nobody told us the price.
 *
 * Lines of a file `prices` in the home count before those of the table that is installed.
 */
#include "brain/brain.h"

typedef struct PriceTable PriceTable;

/* ERR_CONFIG names file and line of the first mistake, or says that no table is installed. */
bool price_load(const char *home, PriceTable **ret, GError **error);
/* One table alone; file_name is for messages. */
bool price_parse(
    const char *text, size_t len, const char *file_name, PriceTable **ret, GError **error);
void price_free(PriceTable *table);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PriceTable, price_free)

/* What one request cost, in millionths of a dollar, rounded up. A model without a line costs
 * what `*` says if reckon is set; else it costs nothing, as on a server of one's own. */
int64_t
price_cost(const PriceTable *table, const char *model, bool reckon, const BrainUsage *usage);
/* What many requests cost of which only the sum of tokens is known: each counts as one with a short
 * prompt. A model without a line costs what `*` says. */
int64_t price_cost_sum(const PriceTable *table, const char *model, const BrainUsage *usage);
