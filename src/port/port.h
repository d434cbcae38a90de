#pragma once

/*
 * The agent port: one socket per program run, the only thing of ours that a program is given
 * ($POSTRIDER_PORT). Identity is the socket, never an argument; SO_PEERCRED must be our uid. A
 * request is one JSON object on one line, so is the answer: {"verb":"send",…} -> {"ok":true,…}
 * or {"ok":false,"error":"…","status":77} with an exit status of sysexits.h. Requests are
 * proposals and reads; the run checks policy and commits under its own claim, each accepted
 * proposal as a step of its own.
 *
 *   send         {to, cc, subject, body, in_reply_to, attachments} -> {message_id, state, why}
 *   reply        {body, attachments, settles: [message ids]} -> {message_id, state, why}
 *   mail.list    {limit} -> {mails: […]}, the role's own mail, newest first
 *   mail.show    {id} -> {mail: {…, text, available_attachments, …}}; by its number or Message-ID
 *   mail.thread  {} -> {mails: […]} of this job, oldest first
 *   mail.search  {query, limit} -> {mails: […]}, newest first, also those that the role wrote
 *   note.get     {key, version} -> {note: {key, version, bytes, updated, author, label, text}}
 *   note.put     {key, content, if_version} -> {version}; note.append {key, content} likewise
 *   note.list    {prefix} -> {notes: […]}; note.history {key} -> {versions: […]}
 *   note.search  {query, limit} -> {hits: [{key, version, snippet}]}
 *   note.rename  {from, to}; note.delete {key}
 *   respond, …   acts of faces (engine/act.h), each with its own members -> {message_id, state, why}
 *   changes      {keys} -> {mail, notes, versions: {key: N}}: whether there is new mail, or another note than
 *                before; shows nothing
 *   permit       {tool, input, call, session, cwd} -> {decision, reason, input}: may the client
 *                make this tool call? allow, deny, defer, or "": the client decides by itself
 *   status       {} -> {job, role, round, steps, subject, asker, answered, shown, open}
 *
 * send and reply may have `once`: repeated within a minute it is the same mail, and its first answer with
 * `repeated` is given again. attachments is [{filename, content_base64}]; to and cc are an address list as in a header, or
 * an array of addresses; no `to` means whoever asked. state is ready, or held with why. A reply
 * settles what was shown, or the mails that it names; a second one for the same mail is refused
 * with the first's id. Reads see what the role may see; mail that is held or dead is absent,
 * as is what belongs to somebody else.
 *
 * A note is written only over the version that the program has read last; a write that comes too
 * late is refused ("conflict: …", 65) and is no step.
 *
 * Several clients may talk at once; nobody who is slow, silent or talks nonsense holds up the
 * run or another client. More than PORT_POLL_MAX - 1 wait in the listen queue; when somebody
 * waits there, a client that has been silent for two seconds is sent away.
 */
#include "engine/run/commit.h"
#include <poll.h>

typedef struct Port Port;
#define PORT_POLL_MAX 8

/* The socket lies in dir (mode 0700). Borrows engine, job, claim and in until port_close().
 * A path that is too long for a socket's address is fine: port_call() knows the way. */
bool port_open(Engine *engine,
               const Job *job,
               const JobClaim *claim,
               const StepInput *in,
               const char *dir,
               Port **ret,
               GError **error);
/* Who decides about tool calls; borrowed. Without one the verb permit says nothing. */
typedef struct PermitDesk PermitDesk; /* engine/permit/permit.h */
void port_set_desk(Port *port, PermitDesk *desk);
/* From now on it serves this verb, borrowed, and no other: its program is to know, and to say, nothing by any. */
void port_serve_only(Port *port, const char *verb);
const char *port_path(const Port *port);
/* Fills entries for poll(2), and returns how many. */
unsigned port_poll(Port *port, struct pollfd fds[PORT_POLL_MAX]);
/* Works off what poll(2) said about the entries of the last port_poll(); at most one request of
 * each client. ERR_NEVER "fenced": the claim is lost, the run must end. */
bool port_work(Port *port, const struct pollfd *fds, unsigned n, GError **error);

/* The program was shown one more mail, which is part of in->shown from now on; the row is
 * borrowed. */
void port_shown(Port *port, MsgRow *row);

/* The port is open for a job that is not there yet, but for its role: begin() is called before the first request that does not
 * only look, and calls port_renew(). False: it could not, and is called again by the next one. */
void port_begin_with(Port *port, bool (*begin)(void *data, GError **error), void *data);
/* The job and what it was shown were loaded anew after a step, and are borrowed from now on in
 * place of those before. What was read through the port still lowers the floor. */
void port_renew(Port *port, const Job *job, const StepInput *in);

/* True when the program has committed at least one step through the port, and has settled every
 * mail that it was shown. */
bool port_answered(const Port *port);
/* Makes what the program read through the port count for the step that comes next: lowers
 * in->floor to it, and adds to in->manifest what was read since the last step. */
void port_account(const Port *port, StepInput *in);
/* How many steps were committed through the port. */
unsigned port_steps(const Port *port);
void port_close(Port *port);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Port, port_close)
