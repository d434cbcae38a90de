#pragma once

/*
 * Names of files whose mail was fetched from a server: "SECONDS.VuidvalidityUuid.ACCOUNT". The
 * name is made from what the server calls the mail, so fetching it again changes nothing; and
 * it says where the mail came from as soon as it lies there, which is before its row does.
 */
#include "base/config/config.h"

/* The name of the file for a mail in this folder of the server; caller frees. A server may
 * number two folders alike, so the name of a mail in "Active" or "Sent" has the folder's first
 * letter behind the UID. folder "": the watched folder, which adds no letter. */
char *fetch_name(const char *folder,
                 const ConfAccount *account,
                 uint32_t uidvalidity,
                 uint32_t uid,
                 int64_t received_us);
/* The account that a file of this base name was fetched from; NULL: it was born here. */
const ConfAccount *fetch_name_account(const Config *config, const char *base);
/* By what numbers the server knows the mail. Only for a name that fetch_name_account()
 * knows. */
void fetch_name_uid(const char *base, uint32_t *ret_uidvalidity, uint32_t *ret_uid);
