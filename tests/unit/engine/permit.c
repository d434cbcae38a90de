/* What a program agent may do by itself: the table of tool calls. */
#include "engine/permit/permit_policy.h"
#include "engine/permit/shell_words.h"
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#define ASK BRAIN_PERMIT_ASK
#define EDIT BRAIN_PERMIT_EDIT
#define ALL BRAIN_PERMIT_ALL
#define LONG_PATH NULL /* a path of 5000 letters */

typedef enum Want { WANT_YES, WANT_ASK, WANT_EACH, WANT_NO, WANT_QUESTION } Want;

/* In input and cwd @ is the workplace, %in and %out are the folders for files. */
typedef struct Row {
    BrainPermit level;
    const char *tool, *input;
    Want want;
    const char *cwd; /* NULL: the workplace */
} Row;

static const char *const allow[] = {"make test", "git status", "npm run lint",
                                    "ls",        "git commit", NULL};

/* clang-format off */
static const Row rows[] = {
    {ASK, "Read", "{\"file_path\": \"@/src/a.c\"}", WANT_YES},
    {ASK, "Read", "{\"file_path\": \"src/a.c\"}", WANT_YES},
    {ASK, "Read", "{\"file_path\": \"/etc/passwd\"}", WANT_ASK},
    {ASK, "Read", "{\"file_path\": \"@/../other/x\"}", WANT_ASK},
    {EDIT, "Read", "{\"file_path\": \"@/src/a.c\"}", WANT_YES},
    {EDIT, "Read", "{\"file_path\": \"src/a.c\"}", WANT_YES},
    {EDIT, "Read", "{\"file_path\": \"/etc/passwd\"}", WANT_ASK},
    {EDIT, "Read", "{\"file_path\": \"@/../other/x\"}", WANT_ASK},
    {ALL, "Read", "{\"file_path\": \"@/src/a.c\"}", WANT_YES},
    {ALL, "Read", "{\"file_path\": \"src/a.c\"}", WANT_YES},
    {ALL, "Read", "{\"file_path\": \"/etc/passwd\"}", WANT_ASK},
    {ALL, "Read", "{\"file_path\": \"@/../other/x\"}", WANT_ASK},
    {ASK, "Read", "{\"file_path\": \"@\"}", WANT_YES},
    {ASK, "Read", "{\"file_path\": \"@x/secret\"}", WANT_ASK},
    {ASK, "Read", "{\"file_path\": \"@/./src/../src/a.c\"}", WANT_YES},
    {ASK, "Read", "{\"file_path\": \"~/.ssh/id\"}", WANT_ASK},
    {ASK, "Read", "{\"file_path\": \"@/out-link/x\"}", WANT_ASK},
    {ASK, "Read", "{\"file_path\": \"@/in-link/a.c\"}", WANT_YES},
    {ASK, "Read", "{\"file_path\": \"@/loop/x\"}", WANT_ASK},
    {ASK, "Read", "{\"file_path\": \"@/out-link/../a\"}", WANT_ASK},
    {ASK, "Read", "{\"file_path\": \"@/chain/x\"}", WANT_ASK},
    {ASK, "Read", "{\"file_path\": \"@/deep/../../x\"}", WANT_ASK},
    {ASK, "Read", "{\"file_path\": \"@/.git/config\"}", WANT_YES},
    {ASK, "Read", "{\"file_path\": \"%in/letter.pdf\"}", WANT_YES},
    {ASK, "Read", "{\"file_path\": \"%in/../../state/postrider.db\"}", WANT_ASK},
    {ASK, "Read", "{\"file_path\": \"%out/x\"}", WANT_YES},
    {ASK, "Read", "{\"file_path\": \"a.c\"}", WANT_YES, "@/src"},
    {ASK, "Read", "{\"file_path\": \"../../x\"}", WANT_ASK, "@/src"},
    {ASK, "Read", "{\"file_path\": \"x\"}", WANT_ASK, "/etc"},
    {ASK, "Read", "{\"file_path\": \"x\"}", WANT_YES, "not/absolute"},
    {ASK, "Read", "{}", WANT_NO},
    {ASK, "Read", "{\"file_path\": 3}", WANT_NO},
    {ASK, "Read", "{\"file_path\": \"\"}", WANT_NO},
    {ASK, "Read", "{\"file_path\": [\"a\"]}", WANT_NO},
    {ASK, "Read", LONG_PATH, WANT_ASK},
    {ASK, "NotebookRead", "{\"notebook_path\": \"@/n.ipynb\"}", WANT_YES},
    {ASK, "view_image", "{\"path\": \"@/p.png\"}", WANT_YES},
    {ASK, "view_image", "{\"path\": \"/tmp/p.png\"}", WANT_ASK},
    {ASK, "Glob", "{\"pattern\": \"**/*.c\"}", WANT_YES},
    {ASK, "Glob", "{\"pattern\": \"*.c\", \"path\": \"@/src\"}", WANT_YES},
    {ASK, "Glob", "{\"pattern\": \"*.c\", \"path\": \"/\"}", WANT_ASK},
    {ASK, "Glob", "{\"pattern\": \"/etc/*\"}", WANT_ASK},
    {ASK, "Glob", "{\"pattern\": \"../*\"}", WANT_ASK},
    {ASK, "Glob", "{\"pattern\": \"~/*\"}", WANT_ASK},
    {ASK, "Glob", "{\"pattern\": \"*\"}", WANT_ASK, "/"},
    {ASK, "Grep", "{\"pattern\": \"/etc\"}", WANT_YES},
    {ASK, "Grep", "{\"pattern\": \"a..b\"}", WANT_YES},
    {ASK, "Grep", "{\"pattern\": \"x\", \"path\": \"@/src\"}", WANT_YES},
    {ASK, "Grep", "{\"pattern\": \"x\", \"path\": \"/home\"}", WANT_ASK},
    {ASK, "Grep", "{\"pattern\": \"x\", \"path\": null}", WANT_NO},
    {ASK, "LS", "{\"path\": \"@\"}", WANT_YES},
    {ASK, "LS", "{\"path\": \"@/..\"}", WANT_ASK},
    {ASK, "Edit", "{\"file_path\": \"@/src/a.c\"}", WANT_ASK},
    {EDIT, "Edit", "{\"file_path\": \"@/src/a.c\"}", WANT_YES},
    {ALL, "Edit", "{\"file_path\": \"@/src/new.c\"}", WANT_YES},
    {ALL, "Edit", "{\"file_path\": \"/etc/cron.d/x\"}", WANT_ASK},
    {ALL, "Edit", "{\"file_path\": \"@/.git/hooks/pre-commit\"}", WANT_EACH},
    {ASK, "Write", "{\"file_path\": \"@/src/a.c\"}", WANT_ASK},
    {EDIT, "Write", "{\"file_path\": \"@/src/a.c\"}", WANT_YES},
    {ALL, "Write", "{\"file_path\": \"@/src/new.c\"}", WANT_YES},
    {ALL, "Write", "{\"file_path\": \"/etc/cron.d/x\"}", WANT_ASK},
    {ALL, "Write", "{\"file_path\": \"@/.git/hooks/pre-commit\"}", WANT_EACH},
    {ASK, "MultiEdit", "{\"file_path\": \"@/src/a.c\"}", WANT_ASK},
    {EDIT, "MultiEdit", "{\"file_path\": \"@/src/a.c\"}", WANT_YES},
    {ALL, "MultiEdit", "{\"file_path\": \"@/src/new.c\"}", WANT_YES},
    {ALL, "MultiEdit", "{\"file_path\": \"/etc/cron.d/x\"}", WANT_ASK},
    {ALL, "MultiEdit", "{\"file_path\": \"@/.git/hooks/pre-commit\"}", WANT_EACH},
    {EDIT, "NotebookEdit", "{\"notebook_path\": \"@/n.ipynb\"}", WANT_YES},
    {ASK, "NotebookEdit", "{\"notebook_path\": \"@/n.ipynb\"}", WANT_ASK},
    {EDIT, "Write", "{\"file_path\": \"@/.git\"}", WANT_EACH},
    {ALL, "Edit", "{\"file_path\": \".git\"}", WANT_EACH},
    {EDIT, "Write", "{\"file_path\": \"@/.git/config\"}", WANT_EACH},
    {ALL, "Edit", "{\"file_path\": \".git/config\"}", WANT_EACH},
    {EDIT, "Write", "{\"file_path\": \"@/.git/hooks/x\"}", WANT_EACH},
    {ALL, "Edit", "{\"file_path\": \".git/hooks/x\"}", WANT_EACH},
    {EDIT, "Write", "{\"file_path\": \"@/sub/.git\"}", WANT_EACH},
    {ALL, "Edit", "{\"file_path\": \"sub/.git\"}", WANT_EACH},
    {EDIT, "Write", "{\"file_path\": \"@/sub/.git/config\"}", WANT_EACH},
    {ALL, "Edit", "{\"file_path\": \"sub/.git/config\"}", WANT_EACH},
    {EDIT, "Write", "{\"file_path\": \"@/.claude/settings.json\"}", WANT_EACH},
    {ALL, "Edit", "{\"file_path\": \".claude/settings.json\"}", WANT_EACH},
    {EDIT, "Write", "{\"file_path\": \"@/.claude/settings.local.json\"}", WANT_EACH},
    {ALL, "Edit", "{\"file_path\": \".claude/settings.local.json\"}", WANT_EACH},
    {EDIT, "Write", "{\"file_path\": \"@/.claude/hooks/x.sh\"}", WANT_EACH},
    {ALL, "Edit", "{\"file_path\": \".claude/hooks/x.sh\"}", WANT_EACH},
    {EDIT, "Write", "{\"file_path\": \"@/.codex/config.toml\"}", WANT_EACH},
    {ALL, "Edit", "{\"file_path\": \".codex/config.toml\"}", WANT_EACH},
    {EDIT, "Write", "{\"file_path\": \"@/.mcp.json\"}", WANT_EACH},
    {ALL, "Edit", "{\"file_path\": \".mcp.json\"}", WANT_EACH},
    {EDIT, "Write", "{\"file_path\": \"@/opencode.json\"}", WANT_EACH},
    {ALL, "Edit", "{\"file_path\": \"opencode.json\"}", WANT_EACH},
    {EDIT, "Write", "{\"file_path\": \"@/opencode.jsonc\"}", WANT_EACH},
    {ALL, "Edit", "{\"file_path\": \"opencode.jsonc\"}", WANT_EACH},
    {EDIT, "Write", "{\"file_path\": \"@/.opencode/plugin/x.js\"}", WANT_EACH},
    {ALL, "Edit", "{\"file_path\": \".opencode/plugin/x.js\"}", WANT_EACH},
    {EDIT, "Write", "{\"file_path\": \"@/a/b/.mcp.json\"}", WANT_EACH},
    {ALL, "Edit", "{\"file_path\": \"a/b/.mcp.json\"}", WANT_EACH},
    {EDIT, "Write", "{\"file_path\": \"@/.GIT/config\"}", WANT_EACH},
    {ALL, "Edit", "{\"file_path\": \".GIT/config\"}", WANT_EACH},
    {EDIT, "Write", "{\"file_path\": \"@/.Claude/settings.json\"}", WANT_EACH},
    {ALL, "Edit", "{\"file_path\": \".Claude/settings.json\"}", WANT_EACH},
    {EDIT, "Write", "{\"file_path\": \"@/.gitignore\"}", WANT_YES},
    {EDIT, "Write", "{\"file_path\": \"@/.gitattributes\"}", WANT_YES},
    {EDIT, "Write", "{\"file_path\": \"@/.github/workflows/x.yml\"}", WANT_YES},
    {EDIT, "Write", "{\"file_path\": \"@/x.git\"}", WANT_YES},
    {EDIT, "Write", "{\"file_path\": \"@/git\"}", WANT_YES},
    {EDIT, "Write", "{\"file_path\": \"@/CLAUDE.md\"}", WANT_YES},
    {EDIT, "Write", "{\"file_path\": \"@/AGENTS.md\"}", WANT_YES},
    {EDIT, "Write", "{\"file_path\": \"@/my-opencode.json\"}", WANT_YES},
    {EDIT, "Write", "{\"file_path\": \"@/.mcp.json.txt\"}", WANT_YES},
    {EDIT, "Write", "{\"file_path\": \"@/.gitmodules\"}", WANT_YES},
    {EDIT, "Write", "{\"file_path\": \"@/git-link/config\"}", WANT_EACH},
    {EDIT, "Write", "{\"file_path\": \"@/src/../.git/config\"}", WANT_EACH},
    {EDIT, "Write", "{\"file_path\": \"@/.git/../src/a.c\"}", WANT_YES},
    {EDIT, "Write", "{\"file_path\": \"@/out-link/x\"}", WANT_ASK},
    {EDIT, "Write", "{\"file_path\": \"@/dangling\"}", WANT_ASK},
    {EDIT, "Write", "{\"file_path\": \"@/new/dir/file\"}", WANT_YES},
    {EDIT, "Write", "{\"file_path\": \"%in/x\"}", WANT_ASK},
    {EDIT, "Write", "{\"file_path\": \"%out/report.pdf\"}", WANT_YES},
    {ASK, "Write", "{\"file_path\": \"%out/report.pdf\"}", WANT_ASK},
    {EDIT, "Write", "{\"file_path\": \"~/.bashrc\"}", WANT_ASK},
    {EDIT, "Write", "{\"file_path\": \"~/.claude/settings.json\"}", WANT_EACH},
    {EDIT, "Write", "{\"file_path\": \"/home/x/.claude/settings.json\"}", WANT_EACH},
    {EDIT, "Edit", "{\"path\": \"@/a\"}", WANT_NO},
    {EDIT, "apply_patch", "{\"command\": \"*** Begin Patch\\n*** Update File: src/a.c\\n@@\\n-x\\n+y\\n*** End Patch\"}", WANT_YES},
    {ASK, "apply_patch", "{\"command\": \"*** Begin Patch\\n*** Update File: src/a.c\\n*** End Patch\"}", WANT_ASK},
    {EDIT, "apply_patch", "{\"command\": \"*** Begin Patch\\n*** Add File: ../x\\n*** End Patch\"}", WANT_ASK},
    {EDIT, "apply_patch", "{\"command\": \"*** Begin Patch\\n*** Add File: a\\n*** Add File: .git/hooks/x\\n*** End Patch\"}", WANT_EACH},
    {EDIT, "apply_patch", "{\"command\": \"*** Begin Patch\\n*** Add File: /etc/x\\n*** Delete File: .mcp.json\\n*** End Patch\"}", WANT_EACH},
    {EDIT, "apply_patch", "{\"command\": \"*** Begin Patch\\n*** Update File: a\\n*** Move to: .claude/settings.json\\n*** End Patch\"}", WANT_EACH},
    {EDIT, "apply_patch", "{\"command\": \"*** Begin Patch\\n  *** Add File: .git/x\\n*** End Patch\"}", WANT_EACH},
    {EDIT, "apply_patch", "{\"command\": \"*** Begin Patch\\n+*** Add File: .git/x\\n*** Add File: a\\n*** End Patch\"}", WANT_YES},
    {ALL, "apply_patch", "{\"command\": \"nothing\"}", WANT_ASK},
    {ALL, "apply_patch", "{\"command\": \"\"}", WANT_NO},
    {ASK, "Bash", "{\"command\": \"make test\"}", WANT_YES},
    {ASK, "Bash", "{\"command\": \"make test -j4\"}", WANT_YES},
    {ASK, "Bash", "{\"command\": \"  make   test  \"}", WANT_YES},
    {ASK, "Bash", "{\"command\": \"make\\ttest\"}", WANT_YES},
    {ASK, "Bash", "{\"command\": \"git status\"}", WANT_YES},
    {ASK, "Bash", "{\"command\": \"git status --short\"}", WANT_YES},
    {ASK, "Bash", "{\"command\": \"npm run lint\"}", WANT_YES},
    {ASK, "Bash", "{\"command\": \"ls\"}", WANT_YES},
    {ASK, "Bash", "{\"command\": \"ls -la src\"}", WANT_YES},
    {ASK, "Bash", "{\"command\": \"ls *.c\"}", WANT_YES},
    {ASK, "Bash", "{\"command\": \"'make' test\"}", WANT_YES},
    {ASK, "Bash", "{\"command\": \"\\\"make\\\" \\\"test\\\"\"}", WANT_YES},
    {ASK, "Bash", "{\"command\": \"make test 'a; b'\"}", WANT_YES},
    {ASK, "Bash", "{\"command\": \"make test \\\"a | b\\\"\"}", WANT_YES},
    {ASK, "Bash", "{\"command\": \"ls a=b\"}", WANT_YES},
    {ASK, "Bash", "{\"command\": \"git commit -m 'fix; it'\"}", WANT_YES},
    {ASK, "Bash", "{\"command\": \"git commit -m \\\"say > it\\\"\"}", WANT_YES},
    {ASK, "Bash", "{\"command\": \"ls ~\"}", WANT_YES},
    {ASK, "Bash", "{\"command\": \"ls --color=auto\"}", WANT_YES},
    {ASK, "Bash", "{\"command\": \"make test '$HOME'\"}", WANT_YES},
    {ASK, "Bash", "{\"command\": \"ls 'x\\\"y'\"}", WANT_YES},
    {EDIT, "Bash", "{\"command\": \"make test\", \"description\": \"d\", \"timeout\": 5}", WANT_YES},
    {EDIT, "Bash", "{\"command\": \"make test -j4\", \"description\": \"d\", \"timeout\": 5}", WANT_YES},
    {EDIT, "Bash", "{\"command\": \"  make   test  \", \"description\": \"d\", \"timeout\": 5}", WANT_YES},
    {EDIT, "Bash", "{\"command\": \"make\\ttest\", \"description\": \"d\", \"timeout\": 5}", WANT_YES},
    {EDIT, "Bash", "{\"command\": \"git status\", \"description\": \"d\", \"timeout\": 5}", WANT_YES},
    {EDIT, "Bash", "{\"command\": \"git status --short\", \"description\": \"d\", \"timeout\": 5}", WANT_YES},
    {EDIT, "Bash", "{\"command\": \"make testing\"}", WANT_ASK},
    {EDIT, "Bash", "{\"command\": \"make\"}", WANT_ASK},
    {EDIT, "Bash", "{\"command\": \"make clean\"}", WANT_ASK},
    {EDIT, "Bash", "{\"command\": \"maketest\"}", WANT_ASK},
    {EDIT, "Bash", "{\"command\": \"test make\"}", WANT_ASK},
    {EDIT, "Bash", "{\"command\": \"rm -rf /\"}", WANT_ASK},
    {EDIT, "Bash", "{\"command\": \"make test; rm x\"}", WANT_ASK},
    {EDIT, "Bash", "{\"command\": \"make test;rm x\"}", WANT_ASK},
    {EDIT, "Bash", "{\"command\": \"make test && rm x\"}", WANT_ASK},
    {EDIT, "Bash", "{\"command\": \"make test || rm x\"}", WANT_ASK},
    {EDIT, "Bash", "{\"command\": \"make test & rm x\"}", WANT_ASK},
    {EDIT, "Bash", "{\"command\": \"make test | sh\"}", WANT_ASK},
    {EDIT, "Bash", "{\"command\": \"make test |& sh\"}", WANT_ASK},
    {EDIT, "Bash", "{\"command\": \"make test > x\"}", WANT_ASK},
    {EDIT, "Bash", "{\"command\": \"make test >x\"}", WANT_ASK},
    {EDIT, "Bash", "{\"command\": \"make test >> x\"}", WANT_ASK},
    {EDIT, "Bash", "{\"command\": \"make test < x\"}", WANT_ASK},
    {EDIT, "Bash", "{\"command\": \"make test 2>&1\"}", WANT_ASK},
    {EDIT, "Bash", "{\"command\": \"make test `id`\"}", WANT_ASK},
    {EDIT, "Bash", "{\"command\": \"make test $(id)\"}", WANT_ASK},
    {EDIT, "Bash", "{\"command\": \"make test $HOME\"}", WANT_ASK},
    {EDIT, "Bash", "{\"command\": \"make test ${IFS}\"}", WANT_ASK},
    {EDIT, "Bash", "{\"command\": \"make test \\\"$(id)\\\"\"}", WANT_ASK},
    {EDIT, "Bash", "{\"command\": \"make test \\\"`id`\\\"\"}", WANT_ASK},
    {EDIT, "Bash", "{\"command\": \"make test \\\"$HOME\\\"\"}", WANT_ASK},
    {EDIT, "Bash", "{\"command\": \"make test \\\\; rm\"}", WANT_ASK},
    {EDIT, "Bash", "{\"command\": \"make test\\nrm x\"}", WANT_ASK},
    {EDIT, "Bash", "{\"command\": \"make test\\r\\nrm x\"}", WANT_ASK},
    {EDIT, "Bash", "{\"command\": \"make test #x\"}", WANT_ASK},
    {EDIT, "Bash", "{\"command\": \"make test 'open\"}", WANT_ASK},
    {EDIT, "Bash", "{\"command\": \"make test \\\"open\"}", WANT_ASK},
    {EDIT, "Bash", "{\"command\": \"X=1 make test\"}", WANT_ASK},
    {EDIT, "Bash", "{\"command\": \"PATH=. make test\"}", WANT_ASK},
    {EDIT, "Bash", "{\"command\": \"! make test\"}", WANT_ASK},
    {EDIT, "Bash", "{\"command\": \"(make test)\"}", WANT_ASK},
    {EDIT, "Bash", "{\"command\": \"{ make test; }\"}", WANT_ASK},
    {EDIT, "Bash", "{\"command\": \"make {test,clean}\"}", WANT_ASK},
    {EDIT, "Bash", "{\"command\": \"ls <(id)\"}", WANT_ASK},
    {EDIT, "Bash", "{\"command\": \"ls \\\\\\n\"}", WANT_ASK},
    {EDIT, "Bash", "{\"command\": \"git stat\\\\us\"}", WANT_ASK},
    {EDIT, "Bash", "{\"command\": \"m\\\\ake test\"}", WANT_ASK},
    {EDIT, "Bash", "{\"command\": \"make\\u00a0test\"}", WANT_ASK},
    {EDIT, "Bash", "{\"command\": \"ls\\u0007\"}", WANT_ASK},
    {EDIT, "Bash", "{\"command\": \"git  -c x=y status\"}", WANT_ASK},
    {EDIT, "Bash", "{\"command\": \"env make test\"}", WANT_ASK},
    {EDIT, "Bash", "{\"command\": \"sudo make test\"}", WANT_ASK},
    {EDIT, "Bash", "{\"command\": \"'make test'\"}", WANT_ASK},
    {EDIT, "Bash", "{\"command\": \"make 'test -j'\"}", WANT_ASK},
    {EDIT, "Bash", "{\"command\": \"eval make test\"}", WANT_ASK},
    {EDIT, "Bash", "{\"command\": \". make test\"}", WANT_ASK},
    {EDIT, "Bash", "{\"command\": \"echo hi\"}", WANT_ASK},
    {EDIT, "Bash", "{\"command\": \"git commit -m \\\"a\\nb\\\"\"}", WANT_ASK},
    {ALL, "Bash", "{\"command\": \"make testing\"}", WANT_YES},
    {ALL, "Bash", "{\"command\": \"make\"}", WANT_YES},
    {ALL, "Bash", "{\"command\": \"make clean\"}", WANT_YES},
    {ALL, "Bash", "{\"command\": \"maketest\"}", WANT_YES},
    {ALL, "Bash", "{\"command\": \"test make\"}", WANT_YES},
    {ALL, "Bash", "{\"command\": \"rm -rf /\"}", WANT_YES},
    {ALL, "Bash", "{\"command\": \"make test; rm x\"}", WANT_YES},
    {ALL, "Bash", "{\"command\": \"make test;rm x\"}", WANT_YES},
    {ALL, "Bash", "{\"command\": \"make test && rm x\"}", WANT_YES},
    {ALL, "Bash", "{\"command\": \"make test || rm x\"}", WANT_YES},
    {ALL, "Bash", "{\"command\": \"make test & rm x\"}", WANT_YES},
    {ALL, "Bash", "{\"command\": \"make test | sh\"}", WANT_YES},
    {ALL, "Bash", "{\"command\": \"make test |& sh\"}", WANT_YES},
    {ALL, "Bash", "{\"command\": \"make test > x\"}", WANT_YES},
    {ALL, "Bash", "{\"command\": \"cat .git/config\"}", WANT_EACH},
    {ALL, "Bash", "{\"command\": \"echo x > .git/hooks/pre-commit\"}", WANT_EACH},
    {ALL, "Bash", "{\"command\": \"ls .git\"}", WANT_EACH},
    {ALL, "Bash", "{\"command\": \"cp a .claude/\"}", WANT_EACH},
    {ALL, "Bash", "{\"command\": \"rm -rf .codex\"}", WANT_EACH},
    {ALL, "Bash", "{\"command\": \"vi .mcp.json\"}", WANT_EACH},
    {ALL, "Bash", "{\"command\": \"cat ./opencode.json\"}", WANT_EACH},
    {ALL, "Bash", "{\"command\": \"git config user.name x\"}", WANT_EACH},
    {ALL, "Bash", "{\"command\": \"git -C . config core.editor x\"}", WANT_EACH},
    {ALL, "Bash", "{\"command\": \"/usr/bin/git config -l\"}", WANT_EACH},
    {ALL, "Bash", "{\"command\": \"git -c core.hooksPath=/tmp/h commit\"}", WANT_EACH},
    {ALL, "Bash", "{\"command\": \"git --git-dir=x config a b\"}", WANT_EACH},
    {ALL, "Bash", "{\"command\": \"cp a '.git'/hooks/x\"}", WANT_EACH},
    {ALL, "Bash", "{\"command\": \"cp a .g\\\"\\\"it/hooks/x\"}", WANT_EACH},
    {ALL, "Bash", "{\"command\": \"cp a .gi\\\\t/x\"}", WANT_EACH},
    {ALL, "Bash", "{\"command\": \"cp a .g?t/hooks/x\"}", WANT_EACH},
    {ALL, "Bash", "{\"command\": \"cp a .[g]it/x\"}", WANT_EACH},
    {ALL, "Bash", "{\"command\": \"rm -rf .*\"}", WANT_EACH},
    {ALL, "Bash", "{\"command\": \"cp a .g{i,x}t/hooks\"}", WANT_EACH},
    {ALL, "Bash", "{\"command\": \"echo>.git/x\"}", WANT_EACH},
    {ALL, "Bash", "{\"command\": \"cd .git&&ls\"}", WANT_EACH},
    {ALL, "Bash", "{\"command\": \"ls 'a b/.git'\"}", WANT_EACH},
    {ALL, "Bash", "{\"command\": \"X=.git;ls $X\"}", WANT_EACH},
    {ALL, "Bash", "{\"command\": \"tee .GIT/config\"}", WANT_EACH},
    {ALL, "Bash", "{\"command\": \"GIT_DIR=.git ls\"}", WANT_EACH},
    {ALL, "Bash", "{\"command\": \"ls .git;\"}", WANT_EACH},
    {ALL, "Bash", "{\"command\": \"ls a:.git\"}", WANT_EACH},
    {ASK, "Bash", "{\"command\": \"ls .git\"}", WANT_EACH},
    {ASK, "Bash", "{\"command\": \"ls -a .git/hooks\"}", WANT_EACH},
    {ASK, "Bash", "{\"command\": \"make test .claude\"}", WANT_EACH},
    {ALL, "Bash", "{\"command\": \"ls .github\"}", WANT_YES},
    {ALL, "Bash", "{\"command\": \"cat .gitignore\"}", WANT_YES},
    {ALL, "Bash", "{\"command\": \"git clone https://x/y.git\"}", WANT_YES},
    {ALL, "Bash", "{\"command\": \"rm -rf *\"}", WANT_YES},
    {ALL, "Bash", "{\"command\": \"echo gitconfig\"}", WANT_YES},
    {ALL, "Bash", "{\"command\": \"git log --format=config x\"}", WANT_YES},
    {ALL, "Bash", "{\"command\": \"git commit -m config\"}", WANT_YES},
    {ALL, "Bash", "{\"command\": \"ls x.mcp.json\"}", WANT_YES},
    {ALL, "Bash", "{\"command\": \"ls .gitmodules\"}", WANT_YES},
    {ALL, "Bash", "{\"command\": \"git add .\"}", WANT_YES},
    {ALL, "Bash", "{\"command\": \"git push\"}", WANT_YES},
    {ASK, "Bash", "{\"command\": \"make test\"}", WANT_ASK, "/tmp"},
    {ASK, "Bash", "{\"command\": \"make test\"}", WANT_YES, "@/src"},
    {ASK, "Bash", "{\"command\": \"make test\"}", WANT_ASK, "@/out-link"},
    {ASK, "Bash", "{\"command\": \"make test\", \"dangerouslyDisableSandbox\": true}", WANT_ASK},
    {ALL, "Bash", "{\"command\": \"make test\", \"dangerouslyDisableSandbox\": true}", WANT_YES},
    {ASK, "Bash", "{}", WANT_NO},
    {ALL, "Bash", "{\"command\": [\"rm\"]}", WANT_NO},
    {ALL, "Bash", "{\"command\": \"\"}", WANT_NO},
    {ALL, "Bash", "[]", WANT_NO},
    {ASK, "Bash", "{\"command\": \" \"}", WANT_ASK},
    {ASK, "WebFetch", "{\"url\": \"https://x\"}", WANT_ASK},
    {EDIT, "WebSearch", "{\"query\": \"x\"}", WANT_ASK},
    {ALL, "WebFetch", "{\"url\": \"https://x\"}", WANT_YES},
    {ASK, "Agent", "{}", WANT_YES},
    {ASK, "Task", "{}", WANT_YES},
    {ASK, "TaskCreate", "{}", WANT_YES},
    {ASK, "TodoWrite", "{}", WANT_YES},
    {ASK, "BashOutput", "{}", WANT_YES},
    {ASK, "ToolSearch", "{}", WANT_YES},
    {ASK, "update_plan", "{}", WANT_YES},
    {ASK, "spawn_agent", "{}", WANT_YES},
    {ASK, "mcp__postrider__send", "{}", WANT_YES},
    {ASK, "mcp__postrider__todo_update", "{\"id\": \"a\", \"status\": \"in_progress\"}", WANT_YES},
    {EDIT, "mcp__postrider__todo_update", "{\"id\": \"a\", \"status\": \"complete\"}", WANT_NO},
    {ALL, "mcp__postrider__todo_update", "{\"id\": \"a\", \"status\": \"complete\"}", WANT_YES},
    {ASK, "Skill", "{}", WANT_ASK},
    {ASK, "SlashCommand", "{}", WANT_ASK},
    {ASK, "mcp__other__do", "{}", WANT_ASK},
    {ASK, "mcp__postriderx__send", "{}", WANT_ASK},
    {ASK, "bash", "{\"command\": \"id\"}", WANT_ASK},
    {ASK, "read", "{\"filePath\": \"a\"}", WANT_YES},
    {EDIT, "write", "{\"filePath\": \"/a\"}", WANT_ASK},
    {ASK, "PowerShell", "{}", WANT_ASK},
    {ASK, "KillEverything", "{}", WANT_ASK},
    {ASK, "REPL", "{}", WANT_ASK},
    {ALL, "mcp__other__do", "{}", WANT_ASK},
    {ASK, "AskUserQuestion", "{\"questions\": []}", WANT_QUESTION},
    {ALL, "AskUserQuestion", "{\"questions\": []}", WANT_QUESTION},
    {ASK, "", "{}", WANT_NO},
    {ALL, "Agent", "[]", WANT_NO},
};
/* clang-format on */

typedef struct Fixture {
    char *top, *root, *in, *out;
} Fixture;

static void
add_link(const Fixture *f, const char *name, const char *target)
{
    g_autofree char *path = g_build_filename(f->root, name, NULL);
    g_assert_cmpint(symlink(target, path), ==, 0);
}

static void
make_folder(const char *a, const char *b)
{
    g_autofree char *path = g_build_filename(a, b, NULL);
    g_assert_cmpint(g_mkdir_with_parents(path, 0700), ==, 0);
}

static void
set_up(Fixture *f)
{
    g_autofree char *made = g_dir_make_tmp("permit-XXXXXX", NULL);
    f->top = realpath(made, NULL);
    f->root = g_build_filename(f->top, "work", NULL);
    f->in = g_build_filename(f->top, "job", "in", NULL);
    f->out = g_build_filename(f->top, "job", "out", NULL);
    make_folder(f->root, "src");
    make_folder(f->root, ".git/hooks");
    make_folder(f->top, "other/deep");
    make_folder(f->in, "");
    make_folder(f->out, "");
    add_link(f, "out-link", "../other");
    add_link(f, "in-link", "src");
    add_link(f, "git-link", ".git");
    add_link(f, "loop", "loop");
    add_link(f, "chain", "in-link/../../other");
    add_link(f, "deep", "../other/deep");
    add_link(f, "dangling", "../not-there");
}

static void
tear_down(Fixture *f)
{
    const char *argv[] = {"rm", "-rf", f->top, NULL};
    g_spawn_sync(NULL, (char **)(void *)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL,
                 NULL, NULL);
    g_free(f->root);
    g_free(f->in);
    g_free(f->out);
    free(f->top);
}

static char *
fill_in(const Fixture *f, const char *text)
{
    g_autoptr(GString) s = g_string_new(text);
    g_string_replace(s, "@", f->root, 0);
    g_string_replace(s, "%in", f->in, 0);
    g_string_replace(s, "%out", f->out, 0);
    return g_string_free(g_steal_pointer(&s), FALSE);
}

static Want
got_of(PermitVerdict v)
{
    if (v.answer == PERMIT_NO)
        return WANT_NO;
    if (v.is_question)
        return WANT_QUESTION;
    return v.answer == PERMIT_YES ? WANT_YES : v.each_time ? WANT_EACH : WANT_ASK;
}

static char *
input_of(const Fixture *f, const Row *row)
{
    if (row->input)
        return fill_in(f, row->input);
    g_autofree char *name = g_strnfill(5000, 'a');
    return g_strdup_printf("{\"file_path\": \"%s/%s\"}", f->root, name);
}

static void
test_calls(void)
{
    Fixture f;
    set_up(&f);
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        const Row *row = &rows[i];
        g_autofree char *text = input_of(&f, row), *cwd = fill_in(&f, row->cwd ? row->cwd : "@");
        g_autoptr(json_t) input = NULL;
        g_autoptr(GError) error = NULL;
        g_assert_true(json_parse(text, strlen(text), 0, &input, &error));
        const PermitRules rules = {row->level, allow};
        const PermitPlace place = {.root = f.root, .in = f.in, .out = f.out};
        const PermitCall call = {.tool = row->tool, .input = input, .cwd = cwd};
        PermitVerdict v = permit_judge(&rules, &place, &call);
        if (got_of(v) != row->want)
            g_test_message("row %zu: %s %s", i, row->tool, text);
        g_assert_cmpint(got_of(v), ==, row->want);
        g_assert_true((v.answer == PERMIT_YES) == (v.why == NULL));
    }
    tear_down(&f);
}

/* The root is known by another name: both names lead inside. */
static void
test_root_by_link(void)
{
    Fixture f;
    set_up(&f);
    g_autofree char *name = g_build_filename(f.top, "by-link", NULL);
    g_assert_cmpint(symlink("work", name), ==, 0);
    const PermitRules rules = {EDIT, NULL};
    const PermitPlace place = {.root = name};
    const char *const files[] = {"by-link/src/a", "work/src/a", "other/a", "work/.git/a"};
    const Want want[] = {WANT_YES, WANT_YES, WANT_ASK, WANT_EACH};
    for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
        g_autofree char *path = g_build_filename(f.top, files[i], NULL);
        g_autoptr(json_t) input = json_pack("{s:s}", "file_path", path);
        const PermitCall call = {.tool = "Write", .input = input};
        g_assert_cmpint(got_of(permit_judge(&rules, &place, &call)), ==, want[i]);
    }
    tear_down(&f);
}

static const struct {
    const char *tool, *input, *cwd, *want, *want_what, *want_folder;
} covered[] = {
    {"Bash", "{\"command\": \"make x\", \"timeout\": 3}", "@", "make x", "command", "~/app"},
    {"Bash", "{\"command\": \"make x\"}", "@/src", "make x", "command", "~/app/src"},
    {"Bash", "{\"command\": \"make x\"}", "/tmp", "make x", "command", "/tmp"},
    {"Edit", "{\"file_path\": \"@/src/../a.c\", \"new_string\": \"x\"}", "@", "a.c", "file", "~/app"},
    {"Edit", "{\"file_path\": \"a.c\"}", "@/src", "src/a.c", "file", "~/app/src"},
    {"Read", "{\"file_path\": \"/etc/motd\"}", "@", "/etc/motd", "file", "~/app"},
    {"Odd", "{\"b\": 1, \"a\": [true]}", "@", "{\"a\":[true],\"b\":1}", "input", "~/app"},
};

static void
test_covers(void)
{
    Fixture f;
    set_up(&f);
    const PermitPlace place = {.root = f.root, .workdir = "~/app"};
    for (size_t i = 0; i < G_N_ELEMENTS(covered); i++) {
        g_autofree char *text = fill_in(&f, covered[i].input), *cwd = fill_in(&f, covered[i].cwd);
        g_autoptr(json_t) input = NULL;
        g_assert_true(json_parse(text, strlen(text), 0, &input, NULL));
        const PermitCall call = {.tool = covered[i].tool, .input = input, .cwd = cwd};
        g_autofree char *got = permit_covers(&place, &call), *folder = permit_folder(&place, &call);
        g_assert_cmpstr(got, ==, covered[i].want);
        g_assert_cmpstr(permit_covers_what(&call), ==, covered[i].want_what);
        g_assert_cmpstr(folder, ==, covered[i].want_folder);
    }
    tear_down(&f);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/permit/calls", test_calls);
    g_test_add_func("/permit/root-by-link", test_root_by_link);
    g_test_add_func("/permit/covers", test_covers);
    return g_test_run();
}
