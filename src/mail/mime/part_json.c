#include "mail/mime/part_json.h"

json_t *
part_format_json(const MsgPart *part, bool readable)
{
    return json_pack("{s:s, s:s, s:I, s:b, s:s*}", "filename", part->filename, "content_type",
                     part->content_type, "size_bytes", (json_int_t)part->size, "readable",
                     (int)readable, "within", part->within ? part->within->filename : NULL);
}
