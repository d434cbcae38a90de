#pragma once

/*
 * GMime, loaded by the first mail that needs it: a multipart, or a date in an old form. It brings twelve
 * more libraries, which takes 2 ms.
 */
#include "base/late.h"
#include <gmime/gmime.h>

#define LATE_GMIME(function) LATE("libgmime-3.0.so.0", function)

/* clang-format off */
#define g_mime_content_type_is_type LATE_GMIME(g_mime_content_type_is_type)
#define g_mime_data_wrapper_get_stream LATE_GMIME(g_mime_data_wrapper_get_stream)
#define g_mime_header_get_name LATE_GMIME(g_mime_header_get_name)
#define g_mime_header_get_raw_value LATE_GMIME(g_mime_header_get_raw_value)
#define g_mime_header_list_get_count LATE_GMIME(g_mime_header_list_get_count)
#define g_mime_header_list_get_header_at LATE_GMIME(g_mime_header_list_get_header_at)
#define g_mime_init LATE_GMIME(g_mime_init)
#define g_mime_multipart_get_count LATE_GMIME(g_mime_multipart_get_count)
#define g_mime_multipart_get_part LATE_GMIME(g_mime_multipart_get_part)
#define g_mime_multipart_get_prologue LATE_GMIME(g_mime_multipart_get_prologue)
#define g_mime_multipart_get_type LATE_GMIME(g_mime_multipart_get_type)
#define g_mime_object_get_content_type LATE_GMIME(g_mime_object_get_content_type)
#define g_mime_object_get_header_list LATE_GMIME(g_mime_object_get_header_list)
#define g_mime_object_get_type LATE_GMIME(g_mime_object_get_type)
#define g_mime_parser_construct_part LATE_GMIME(g_mime_parser_construct_part)
#define g_mime_parser_new_with_stream LATE_GMIME(g_mime_parser_new_with_stream)
#define g_mime_part_get_content LATE_GMIME(g_mime_part_get_content)
#define g_mime_part_get_type LATE_GMIME(g_mime_part_get_type)
#define g_mime_stream_mem_get_type LATE_GMIME(g_mime_stream_mem_get_type)
#define g_mime_stream_mem_new_with_byte_array LATE_GMIME(g_mime_stream_mem_new_with_byte_array)
#define g_mime_stream_mem_set_owner LATE_GMIME(g_mime_stream_mem_set_owner)
#define g_mime_utils_header_decode_date LATE_GMIME(g_mime_utils_header_decode_date)
#define g_object_unref LATE_GMIME(g_object_unref)
#define g_type_check_instance_cast LATE_GMIME(g_type_check_instance_cast)
#define g_type_check_instance_is_a LATE_GMIME(g_type_check_instance_is_a)
/* clang-format on */
