#include "plan/file/hook_command.h"
#include "plan/file/simple_commands.h"
#include "plan/file/taker.h"
#include <fnmatch.h>

/* A shell in a shell in a shell. */
#define SHELLS_MAX 8

/* Which of its words a program writes, moves away or deletes. */
typedef enum Writes {
    WRITES_ANY = 1,    /* each */
    WRITES_LAST = 2,   /* the last, or what is put below it by the names of the others */
    WRITES_OF = 4,     /* that of of= */
    WRITES_WITH_I = 8, /* each, where it has the option -i */
    WRITES_FOUND = 16, /* as find does */
    WRITES_GIT = 32,   /* as git does */
    RUNS_SHELL = 64,   /* none; -c and what it is fed are commands of a shell */
    RUNS_WORDS = 128,  /* none; its words are a command of a shell */
    RUNS_CODE = 256,   /* none; words that are code, and what it is fed, may */
    READS_PATCH = 512, /* files that are named at the head of patches that it is fed */
} Writes;

static const struct {
    const char *name;
    unsigned writes;
} programs[] = {
    {"rm", WRITES_ANY},          {"mv", WRITES_ANY | WRITES_LAST},
    {"tee", WRITES_ANY},         {"unlink", WRITES_ANY},
    {"shred", WRITES_ANY},       {"truncate", WRITES_ANY},
    {"ed", WRITES_ANY},          {"ex", WRITES_ANY},
    {"patch", WRITES_ANY | READS_PATCH},
    {"cp", WRITES_LAST},         {"install", WRITES_LAST},
    {"ln", WRITES_LAST},         {"rsync", WRITES_LAST},
    {"dd", WRITES_OF},           {"sed", WRITES_WITH_I},
    {"perl", WRITES_WITH_I | RUNS_CODE},
    {"ruby", WRITES_WITH_I | RUNS_CODE},
    {"node", RUNS_CODE},         {"awk", RUNS_CODE},
    {"gawk", RUNS_CODE},         {"find", WRITES_FOUND},
    {"git", WRITES_GIT},         {"sh", RUNS_SHELL},
    {"bash", RUNS_SHELL},        {"dash", RUNS_SHELL},
    {"zsh", RUNS_SHELL},         {"ksh", RUNS_SHELL},
    {"eval", RUNS_WORDS},
};

/* The command that is looked at. */
typedef struct Look {
    HookFiles files; /* its cwd follows cd */
    unsigned shells;
} Look;

/* --- paths --- */

static char *
whole_path(const HookFiles *files, const char *path)
{
    if (g_str_has_prefix(path, "$PWD/") || g_str_has_prefix(path, "${PWD}/"))
        path = strchr(path, '/') + 1;
    return g_canonicalize_filename(path, files->cwd);
}

/* By its name, or by a pattern of the shell. */
static bool
is_path(const char *path, const char *wanted)
{
    return g_str_equal(path, wanted) || fnmatch(path, wanted, FNM_PATHNAME | FNM_PERIOD) == 0;
}

bool
hook_means_plan(const HookFiles *files, const char *path)
{
    g_autofree char *whole = whole_path(files, path);

    return *path && is_path(whole, files->plan);
}

bool
hook_means_state(const HookFiles *files, const char *path)
{
    g_autofree char *whole = whole_path(files, path);
    size_t len = strlen(files->state);

    return *path && (is_path(whole, files->folder) || is_path(whole, files->state) ||
                     (strncmp(whole, files->state, len) == 0 && whole[len] == '/'));
}

static char *
refuse_path(const Look *look, const char *path)
{
    if (hook_means_state(&look->files, path))
        return g_strdup(HOOK_BY_COMMAND);
    if (!hook_means_plan(&look->files, path))
        return NULL;
    g_autofree char *name = g_path_get_basename(look->files.plan);
    return g_strdup_printf("change %s by a tool that edits files: what a command writes can't "
                           "be looked at before, and checks are fixed",
                           name);
}

/* --- words --- */

/* The words without options that say what is left alone. Borrows the words; caller frees. */
static GPtrArray *
words_that_count(char **words)
{
    static const char *const options[] = {"--exclude", "--extend-exclude", "--ignore", "--skip"};
    GPtrArray *all = g_ptr_array_new();

    for (char **word = words; *word; word++) {
        bool excludes = false;

        for (size_t i = 0; i < G_N_ELEMENTS(options); i++)
            excludes |= g_str_has_prefix(*word, options[i]);
        if (!excludes)
            g_ptr_array_add(all, *word);
        else if (!strchr(*word, '=') && word[1])
            word++;
    }
    g_ptr_array_add(all, NULL);
    return all;
}

static bool
is_assignment(const char *word)
{
    size_t len = strspn(word, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "_");

    return len > 0 && word[len] == '=';
}

/* The words from the program on: behind VAR=x, and behind words and programs that run what stands behind them. */
static char **
program_words(char **words)
{
    static const char *const runners[] = {
        "sudo", "env",  "command", "exec", "nohup", "nice",  "time", "timeout", "xargs",
        "if",   "then", "elif",    "else", "while", "until", "do",   "!",       "{",
        NULL};
    bool behind = false;

    for (; *words; words++) {
        bool runs = g_strv_contains(runners, *words);

        if (!runs && !is_assignment(*words) &&
            !(behind && (**words == '-' || g_ascii_isdigit(**words))))
            break;
        behind |= runs;
    }
    return words;
}

static unsigned
writes_of(const char *program)
{
    g_autofree char *name = g_path_get_basename(program);

    for (size_t i = 0; i < G_N_ELEMENTS(programs); i++) {
        if (g_str_equal(programs[i].name, name))
            return programs[i].writes;
    }
    return g_str_has_prefix(name, "python") ? RUNS_CODE : 0;
}

static char *
refuse_each(const Look *look, char **words)
{
    char *why = NULL;

    for (; *words && !why; words++)
        why = refuse_path(look, *words);
    return why;
}

/* The last word is the target: a file, or the folder into which the others are put. */
static char *
refuse_last(const Look *look, char **words)
{
    guint n = g_strv_length(words);
    const char *last = n > 1 ? words[n - 1] : "";
    char *why = refuse_path(look, last);

    for (guint i = 0; i + 1 < n && !why; i++) {
        g_autofree char *name = g_path_get_basename(words[i]);
        g_autofree char *path = g_build_filename(last, name, NULL);
        why = *last ? refuse_path(look, path) : NULL;
    }
    return why;
}

static char *
refuse_of(const Look *look, char **words)
{
    char *why = NULL;

    for (; *words && !why; words++)
        why = g_str_has_prefix(*words, "of=") ? refuse_path(look, *words + 3) : NULL;
    return why;
}

/* -i, alone or behind other options of one letter: -Ei, -pi.bak. */
static bool
has_i(char **words)
{
    for (; *words; words++) {
        const char *letters = *words + 1;

        if (g_str_has_prefix(*words, "--in-place"))
            return true;
        if (**words == '-' && letters[strspn(letters, "nErsuzplaw" G_CSET_DIGITS)] == 'i')
            return true;
    }
    return false;
}

/* What find is told to leave alone can't be told from what it deletes, so only where it starts counts then. */
static char *
refuse_found(const Look *look, char **words)
{
    const char *const *all = (const char *const *)words;
    bool deletes = g_strv_contains(all, "-delete"), leaves = false;
    char *why = NULL;

    for (char **word = words; *word; word++) {
        if (g_str_has_prefix(*word, "-exec") && word[1])
            deletes |= (writes_of(word[1]) & (WRITES_ANY | WRITES_WITH_I)) != 0;
        leaves |= g_str_equal(*word, "-prune") || g_str_equal(*word, "-not") ||
                  g_str_equal(*word, "!");
    }
    for (char **word = words; deletes && *word && !why && !(leaves && **word == '-'); word++)
        why = refuse_path(look, *word);
    return why;
}

/* The heads of a patch name its files, below a/ and b/ or without. */
static char *
refuse_patch(const Look *look, const char *patch)
{
    g_auto(GStrv) lines = g_strsplit(patch, "\n", -1);
    char *why = NULL;

    for (char **line = lines; *line && !why; line++) {
        if (!g_str_has_prefix(*line, "--- ") && !g_str_has_prefix(*line, "+++ "))
            continue;
        char *name = *line + 4;
        name[strcspn(name, "\t\r")] = '\0';
        why = refuse_path(look, name);
        if (!why && (g_str_has_prefix(name, "a/") || g_str_has_prefix(name, "b/")))
            why = refuse_path(look, name + 2);
    }
    return why;
}

static char *
refuse_git(const Look *look, char **words, const char *fed)
{
    static const char *const changing[] = {"checkout", "restore", "apply", "rm", "mv", NULL};
    const char *const *all = (const char *const *)words;

    while (*words && **words == '-')
        words += (g_str_equal(*words, "-C") || g_str_equal(*words, "-c")) && words[1] ? 2 : 1;
    if (!*words || !g_strv_contains(changing, *words) || g_strv_contains(all, "--cached") ||
        g_strv_contains(all, "--staged"))
        return NULL;
    char *why = refuse_each(look, words + 1);
    return why || !fed ? why : refuse_patch(look, fed);
}

/* --- code --- */

/* Code that names a file and a way to write. */
static char *
refuse_code(const Look *look, const char *code)
{
    static const char ways[] =
        "write|unlink|remove|rename|rmtree|rmdir|delete|shutil|truncate|system|subprocess|popen"
        "|\\brm|os\\.replace|(,|mode\\s*=)\\s*[\"'][rb]*[wax+]|[\"']\\s*\\+?>|>\\s*[\"']";
    g_auto(GStrv) names = g_strsplit_set(code, " \t\n\"'`()<>{};&|,=", -1);

    if (strstr(code, TAKER_HOOK))
        return g_strdup("a prompt is for a person to type");
    return g_regex_match_simple(ways, code, 0, 0) ? refuse_each(look, names) : NULL;
}

/* A word that is no mere path or option. */
static char *
refuse_codes(const Look *look, char **words, const char *fed)
{
    char *why = fed ? refuse_code(look, fed) : NULL;

    for (; *words && !why; words++)
        why = strpbrk(*words, "\"'();<> \n") ? refuse_code(look, *words) : NULL;
    return why;
}

static char *refuse_text(Look *look, const char *text);

static char *
refuse_shell(Look *look, char **words, const char *fed)
{
    char *why = fed ? refuse_text(look, fed) : NULL;

    for (; *words && !why; words++) {
        if (**words == '-' && (*words)[1] != '-' && strchr(*words, 'c') && words[1])
            return refuse_text(look, words[1]);
    }
    return why;
}

/* --- commands --- */

static char *
refuse_words(Look *look, unsigned writes, char **words, const char *fed)
{
    char *why = NULL;

    if (writes & WRITES_ANY || (writes & WRITES_WITH_I && has_i(words)))
        why = refuse_each(look, words);
    if (!why && writes & WRITES_LAST)
        why = refuse_last(look, words);
    if (writes & WRITES_OF)
        why = refuse_of(look, words);
    if (writes & WRITES_FOUND)
        why = refuse_found(look, words);
    if (writes & WRITES_GIT)
        why = refuse_git(look, words, fed);
    if (!why && writes & RUNS_CODE)
        why = refuse_codes(look, words, fed);
    if (writes & RUNS_SHELL)
        why = refuse_shell(look, words, fed);
    if (!why && fed && writes & READS_PATCH)
        why = refuse_patch(look, fed);
    if (writes & RUNS_WORDS) {
        g_autofree char *text = g_strjoinv(" ", words);
        why = refuse_text(look, text);
    }
    return why;
}

static char *
refuse_one(Look *look, const ShellCommand *command)
{
    g_autoptr(GPtrArray) counted = words_that_count(command->words);
    char **words = program_words((char **)counted->pdata);
    char *why = refuse_each(look, command->written);

    if (why || !*words)
        return why;
    for (char **word = words; word[0] && word[1]; word++) {
        if (g_str_equal(word[0], "hook") && g_str_equal(word[1], "user-prompt"))
            return g_strdup("a prompt is for a person to type");
    }
    return refuse_words(look, writes_of(*words), words + 1, command->fed);
}

static char *
refuse_text(Look *look, const char *text)
{
    g_autoptr(ShellCommands) commands = shell_commands_parse(text);
    g_autofree char *cwd = g_strdup(look->files.cwd);
    const char *before = look->files.cwd;
    char *why = NULL;

    if (look->shells == SHELLS_MAX)
        return NULL;
    look->shells++;
    look->files.cwd = cwd;
    for (guint i = 0; i < commands->len && !why; i++) {
        char **words = program_words(commands->pdata[i]->words);

        why = refuse_one(look, commands->pdata[i]);
        if (*words && g_str_equal(*words, "cd") && words[1]) {
            char *next = whole_path(&look->files, words[1]);
            g_free(cwd);
            look->files.cwd = cwd = next;
        }
    }
    look->files.cwd = before;
    look->shells--;
    return why;
}

char *
hook_command_refusal(const HookFiles *files, const char *text)
{
    Look look = {.files = *files};

    return refuse_text(&look, text);
}
