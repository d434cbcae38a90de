#pragma once

/* A job for people or as JSON: the sentence, the steps, its mail in and out. text is "12" or
 * "12@3". */
typedef struct Cli Cli;
int show_job(Cli *cli, const char *text);
