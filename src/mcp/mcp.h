#pragma once

/*
 * `postrider mcp`: mail, notes and todos for any client of the Model Context Protocol, over stdin and stdout. It is a client
 * of the agent port of a run, which decides who it is, what it may see and what may leave; no argument of a call says so.
 * Without a port the first call about mail or notes starts a session (engine/session.h), a child that holds a port, and a job
 * from the first write on; which role it is of stands in its command line. Without that either, todos work and the rest says what to do. Todos are the plan file of the folder that it was started in
 * (plan/file/plan.h).
 *
 *   stdin --mcp_lines--> rpc --methods--> answered at once, or a McpCall that waits for the port or for a todo's check
 *
 * One process, one poll loop: it goes on reading while calls wait, so that they can be cancelled. The port is asked one
 * thing at a time, in the order of the calls. Who sends without reading is not read any more. At the end of stdin what was
 * asked is answered, and then it ends.
 */

typedef struct McpStart {
    int in, out;
    const char *port; /* path of the socket; NULL: none */
    const char *const *
        session; /* command line of the child that holds a session, where there is no port; NULL: none */
    const char *folder; /* where the search for the project begins */
} McpStart;

/* Serves until stdin ends or nobody reads stdout any more; with a session also until SIGTERM, SIGINT or SIGHUP. */
bool mcp_serve(const McpStart *start, GError **error);
