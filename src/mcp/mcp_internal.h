#pragma once

/* The inside of `postrider mcp` (mcp/mcp.h), shared by the files of this room; nobody else
 * includes it. */
#include "base/json.h"
#include "base/list.h"
#include "mcp/mcp.h"
#include "mcp/mcp_lines.h"
#include "mcp/rpc.h"
#include "plan/file/plan_mark.h"
#include "port/port_client.h"

typedef struct McpServer McpServer;
typedef struct McpCall McpCall;

/* What is done with the port's answer; answer NULL: it refused, with this error and exit status. */
typedef void McpAnswered(McpCall *call, const json_t *answer, int status, const GError *error);

/* A request at work. It is freed when it was answered, or cancelled. */
struct McpCall {
    McpServer *server;
    Rpc *rpc;
    json_t *request; /* for the port; NULL: nothing is asked of it, or it was */
    PortAsk *ask;    /* while the port is asked */
    McpAnswered *answered;
    struct McpMark *mark; /* a todo that is marked, while its check runs */
    size_t offset;        /* of a text that is read on */
    bool done;
};

void mcp_call_free(McpCall *call);
LIST_OF(McpCalls, mcp_calls, McpCall, mcp_call_free)

/* Who is told about which resource. */
typedef struct McpListener {
    json_t *id;   /* of subscriptions/listen; NULL: a legacy client */
    json_t *uris; /* array */
    bool lists;   /* the list of resources, too */
} McpListener;
void mcp_listener_free(McpListener *listener);
LIST_OF(McpListeners, mcp_listeners, McpListener, mcp_listener_free)

struct McpServer {
    const McpStart *start;
    char *port;    /* path of the socket; NULL: none, or not yet */
    Proc *session; /* NULL: not started, or over */
    GString *session_said;
    char *session_over; /* why there is none any more, nor will be; NULL: there may be one */
    int signal_fd;      /* -1: signals end us as they do any program */
    McpLines lines;
    bool eof;
    GString *out;
    size_t written;
    McpCalls *calls;
    McpListeners *listeners;
    McpListener *legacy; /* one of them; NULL: none yet */
    bool legacy_client;  /* initialize was called */
    /* What resources were like when they were last looked at. */
    char *todo_mark;
    json_t *port_mark;
    PortAsk *look;
    int64_t look_us, port_us; /* when they are looked at next */
};

/* --- answers: each ends the call --- */
void mcp_result(McpCall *call, json_t *take_result);
void mcp_fail(McpCall *call, RpcCode code, const char *text, json_t *take_data);
/* The result of a tool, the same as text and as structure. Takes it. */
void mcp_tool_result(McpCall *call, json_t *take_value);
/* A tool that could not do it: what is wrong, and what to do next (NULL: nothing). */
void mcp_tool_error(McpCall *call, const char *what, const char *next);
/* A message that answers nothing. Takes it. */
void mcp_notify(McpServer *server, const char *method, json_t *take_params);

/* --- waiting --- */
/* Asks the port, when it is this call's turn. Takes the request. */
void mcp_ask_port(McpCall *call, json_t *take_request, McpAnswered *answered);

/* --- mail and notes without a run --- */
/* True when mail and notes can be had: by a port, or by a session that can be started. */
bool mcp_has_mail(const McpServer *server);
/* Starts the session, or answers all calls that wait for it: it can't be started. Calling it twice has no effect. */
void mcp_session_start(McpServer *server);
void mcp_session_work(McpServer *server);
void mcp_session_end(McpServer *server);

/* --- methods --- */
typedef void McpMethod(McpCall *call);
McpMethod mcp_tools_list, mcp_tools_call;
McpMethod mcp_resources_list, mcp_resource_templates, mcp_resource_read, mcp_subscribe,
    mcp_unsubscribe, mcp_listen;
McpMethod mcp_prompts_list, mcp_prompt_get;

/* --- todos --- */
typedef struct McpPlan {
    Project *project;
    PlanFile *file;
    PlanSite site;
} McpPlan;
/* Where the client runs, else where it was told that its project is; file NULL: no plan is there. For no taker. */
bool mcp_plan_find(const McpServer *server, McpPlan *ret, GError **error);
/* The plan of the project, for whoever made this call. ERR_NEVER: there is none, and how to begin one. */
bool mcp_plan_open(const McpCall *call, McpPlan *ret, GError **error);
void mcp_plan_clear(McpPlan *plan);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(McpPlan, mcp_plan_clear)
/* The session of the coding agent that made this call; NULL: not known. Borrowed. */
const char *mcp_session(const McpCall *call);
/* Todos as an object; all: complete ones, too. NULL with an error. */
json_t *mcp_todos(const McpCall *call, bool all, GError **error);
void mcp_todo_update(McpCall *call, const json_t *arguments);
void mcp_mark_free(struct McpMark *mark);
Proc *mcp_mark_check(const struct McpMark *mark);
/* The check has ended: answers the call. */
void mcp_mark_end(McpCall *call);

/* --- resources that change --- */
/* How long until they are looked at; USEC_NEVER: nobody listens. */
int64_t mcp_watch_wait(const McpServer *server);
void mcp_watch_work(McpServer *server);
/* Ends the listener of this request. False: there is none. */
bool mcp_unlisten(McpServer *server, const json_t *id);
void mcp_listeners_end(McpServer *server);
