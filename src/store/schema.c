#include "store/schema.h"

/*
 * Shaped by what was measured: tables grow at their end (no AUTOINCREMENT, no unique index on
 * what derives from the row id), indexes are few and partial where only live rows are asked
 * for, and states are words, so that a person with a read-only sqlite3 shell can follow.
 *
 * affinity: the host or account that must do the work; empty on one machine.
 */
const char *const schema_sql[] = {
    /* 0 -> 1 */
    "CREATE TABLE meta ("
    "  key TEXT PRIMARY KEY,"
    "  value TEXT"
    ") WITHOUT ROWID;"

    /* Threads: into_thread is the one that this was joined to (threads.c). */
    "CREATE TABLE thread ("
    "  id INTEGER PRIMARY KEY,"
    "  into_thread INTEGER"
    ");"
    "CREATE INDEX thread_joined ON thread (into_thread) WHERE into_thread IS NOT NULL;"
    "CREATE TABLE msgid ("
    "  id TEXT PRIMARY KEY,"
    "  thread INTEGER NOT NULL"
    ") WITHOUT ROWID;"

    "CREATE TABLE message ("
    "  id INTEGER PRIMARY KEY,"
    "  role TEXT NOT NULL,"
    "  account TEXT NOT NULL,"
    "  folder TEXT NOT NULL,"
    "  file TEXT NOT NULL,"
    "  msgid TEXT NOT NULL,"
    "  in_reply_to TEXT,"
    "  from_name TEXT,"
    "  from_spec TEXT NOT NULL," /* '' when there is none */
    "  to_specs TEXT NOT NULL,"  /* blank-separated, To and Cc */
    "  subject TEXT NOT NULL,"
    "  date_us INTEGER NOT NULL,"
    "  received_us INTEGER NOT NULL,"
    "  size INTEGER NOT NULL,"
    "  flags INTEGER NOT NULL,"
    "  body BLOB NOT NULL,"
    "  thread INTEGER NOT NULL,"
    "  job INTEGER NOT NULL DEFAULT 0,"
    "  round INTEGER NOT NULL DEFAULT 0,"
    "  step INTEGER NOT NULL DEFAULT 0,"
    "  class TEXT NOT NULL,"
    "  trust TEXT NOT NULL,"
    "  state TEXT NOT NULL,"
    "  why TEXT"
    ");"
    "CREATE INDEX message_msgid ON message (msgid, role);"
    "CREATE INDEX message_file ON message (file, role);"
    "CREATE INDEX message_inbox ON message (role, folder);"
    "CREATE INDEX message_thread ON message (thread);"
    "CREATE INDEX message_aside ON message (state, why)"
    "  WHERE state NOT IN ('stored', 'shown', 'handled');"
    "CREATE INDEX message_job ON message (job, state) WHERE job <> 0;"
    "CREATE TABLE trace ("
    "  id INTEGER PRIMARY KEY,"
    "  message INTEGER NOT NULL,"
    "  at_us INTEGER NOT NULL,"
    "  what TEXT NOT NULL,"
    "  why TEXT"
    ");"
    "CREATE INDEX trace_message ON trace (message);"

    "CREATE TABLE job ("
    "  id INTEGER PRIMARY KEY,"
    "  role TEXT NOT NULL,"
    "  face TEXT NOT NULL,"
    "  thread INTEGER NOT NULL,"
    "  state TEXT NOT NULL,"
    "  phase TEXT NOT NULL DEFAULT '',"
    "  why TEXT,"
    "  waiting_for TEXT,"
    "  instruction TEXT,"
    "  subject TEXT NOT NULL,"
    "  asker TEXT NOT NULL,"
    "  original INTEGER NOT NULL,"
    "  original_msgid TEXT NOT NULL,"
    "  round INTEGER NOT NULL DEFAULT 1,"
    "  epoch INTEGER NOT NULL DEFAULT 1,"
    "  fence INTEGER NOT NULL DEFAULT 0,"
    "  seq INTEGER NOT NULL DEFAULT 0,"
    "  attempts INTEGER NOT NULL DEFAULT 0,"
    "  iteration INTEGER NOT NULL DEFAULT 0,"
    "  total_iterations INTEGER NOT NULL DEFAULT 0,"
    "  steps INTEGER NOT NULL DEFAULT 0,"
    "  step_limit INTEGER NOT NULL DEFAULT 0,"
    "  cost_micro INTEGER NOT NULL DEFAULT 0,"
    "  round_cost_micro INTEGER NOT NULL DEFAULT 0,"
    "  ready_us INTEGER NOT NULL,"
    "  wakes_us INTEGER," /* parked: NULL is never by time */
    "  created_us INTEGER NOT NULL,"
    "  updated_us INTEGER NOT NULL,"
    "  owner_host TEXT, owner_boot TEXT, owner_pid INTEGER, owner_start INTEGER,"
    "  deadline_us INTEGER,"
    "  affinity TEXT NOT NULL DEFAULT ''"
    ");"
    "CREATE INDEX job_queued ON job (ready_us) WHERE state = 'queued';"
    "CREATE INDEX job_running ON job (id) WHERE state = 'running';"
    "CREATE INDEX job_parked ON job (wakes_us) WHERE state = 'parked' AND wakes_us IS NOT NULL;"

    "CREATE TABLE step ("
    "  id INTEGER PRIMARY KEY,"
    "  job INTEGER NOT NULL,"
    "  n INTEGER NOT NULL,"
    "  round INTEGER NOT NULL,"
    "  at_us INTEGER NOT NULL,"
    "  took_us INTEGER NOT NULL,"
    "  cost_micro INTEGER NOT NULL,"
    "  phase TEXT NOT NULL,"
    "  did TEXT NOT NULL,"
    "  because TEXT,"
    "  answer BLOB, manifest BLOB, context BLOB"
    ");"
    "CREATE INDEX step_job ON step (job, n);"

    "CREATE TABLE outbox ("
    "  id INTEGER PRIMARY KEY,"
    "  msgid TEXT NOT NULL,"
    "  from_spec TEXT NOT NULL,"
    "  subject TEXT NOT NULL,"
    "  level TEXT NOT NULL,"
    "  job INTEGER NOT NULL,"
    "  round INTEGER NOT NULL,"
    "  step INTEGER NOT NULL,"
    "  created_us INTEGER NOT NULL,"
    "  bytes BLOB"
    ");"
    "CREATE INDEX outbox_job ON outbox (job) WHERE job <> 0;"
    "CREATE TABLE delivery ("
    "  id INTEGER PRIMARY KEY,"
    "  outbox INTEGER NOT NULL,"
    "  address TEXT NOT NULL,"
    "  mailbox TEXT," /* NULL: by SMTP */
    "  folder TEXT NOT NULL,"
    "  flags TEXT,"
    "  state TEXT NOT NULL,"
    "  attempts INTEGER NOT NULL DEFAULT 0,"
    "  next_us INTEGER NOT NULL,"
    "  after_effect INTEGER,"
    "  why TEXT,"
    "  affinity TEXT NOT NULL DEFAULT ''"
    ");"
    "CREATE INDEX delivery_outbox ON delivery (outbox);"
    "CREATE INDEX delivery_due ON delivery (next_us) WHERE state IN ('ready', 'retry');"
    "CREATE INDEX delivery_after ON delivery (after_effect) WHERE state = 'waiting';"

    "CREATE TABLE effect ("
    "  id INTEGER PRIMARY KEY,"
    "  kind TEXT NOT NULL,"
    "  job INTEGER NOT NULL,"
    "  message INTEGER NOT NULL,"
    "  account TEXT NOT NULL,"
    "  subject TEXT NOT NULL,"
    "  args TEXT NOT NULL,"
    "  failed TEXT" /* NULL: owed; else why it can't be done */
    ");"

    "CREATE TABLE timer ("
    "  id INTEGER PRIMARY KEY,"
    "  due_us INTEGER NOT NULL,"
    "  job INTEGER NOT NULL,"
    "  purpose TEXT NOT NULL"
    ");"
    "CREATE INDEX timer_due ON timer (due_us);"
    "CREATE UNIQUE INDEX timer_job ON timer (job, purpose);",

    /* 1 -> 2: notes. version above mirrored is what the file is owed; digest is what it holds
     * as far as we know (NULL: there is none), and the three marks say so without reading. */
    "CREATE TABLE note ("
    "  key TEXT PRIMARY KEY,"
    "  version INTEGER NOT NULL,"
    "  deleted INTEGER NOT NULL,"
    "  updated_us INTEGER NOT NULL,"
    "  mirrored INTEGER NOT NULL DEFAULT 0,"
    "  digest BLOB,"
    "  mtime_ns INTEGER NOT NULL DEFAULT 0,"
    "  size INTEGER NOT NULL DEFAULT 0,"
    "  ino INTEGER NOT NULL DEFAULT 0"
    ") WITHOUT ROWID;"
    "CREATE TABLE note_version ("
    "  id INTEGER PRIMARY KEY,"
    "  key TEXT NOT NULL,"
    "  version INTEGER NOT NULL,"
    "  body BLOB," /* NULL: deleted */
    "  author TEXT NOT NULL,"
    "  label TEXT NOT NULL,"
    "  job INTEGER NOT NULL,"
    "  step INTEGER NOT NULL,"
    "  whole INTEGER NOT NULL," /* its writer knew every word of it */
    "  at_us INTEGER NOT NULL"
    ");"
    "CREATE INDEX note_version_key ON note_version (key, version);"
    "CREATE TABLE note_shown ("
    "  job INTEGER NOT NULL,"
    "  key TEXT NOT NULL,"
    "  version INTEGER NOT NULL,"
    "  PRIMARY KEY (job, key)"
    ") WITHOUT ROWID;",

    /* 2 -> 3: what a step leaves for the next one, and how a parked job goes on. */
    "ALTER TABLE step ADD COLUMN state BLOB;"       /* JSON of the face */
    "ALTER TABLE step ADD COLUMN results TEXT;"     /* JSON list of lines */
    "ALTER TABLE job ADD COLUMN resume_us INTEGER;" /* parked: NULL is never by time */
    "ALTER TABLE job ADD COLUMN parked_step INTEGER NOT NULL DEFAULT 0;" /* row of step */
    "ALTER TABLE job ADD COLUMN cost_limit_micro INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE job ADD COLUMN floor TEXT NOT NULL DEFAULT 'operator';"
    "CREATE INDEX step_at ON step (at_us) WHERE cost_micro > 0;",

    /* 3 -> 4: questions that a person answers with yes or no, timers that mail a role, waits
     * that end otherwise than by going on, and jobs that began as a copy of another. */
    "CREATE TABLE question ("
    "  id INTEGER PRIMARY KEY,"
    "  msgid TEXT NOT NULL," /* of the mail that asks */
    "  job INTEGER NOT NULL,"
    "  round INTEGER NOT NULL,"
    "  digest BLOB NOT NULL," /* of exactly what was shown */
    "  asked_us INTEGER NOT NULL,"
    "  state TEXT NOT NULL," /* open, approved, rejected, void */
    "  who TEXT,"
    "  why TEXT,"
    "  decided_us INTEGER,"
    "  told INTEGER NOT NULL DEFAULT 0" /* the job knows what became of it */
    ");"
    "CREATE INDEX question_msgid ON question (msgid);"
    "CREATE INDEX question_job ON question (job);"
    "ALTER TABLE outbox ADD COLUMN question INTEGER;" /* that it is held for */
    "CREATE INDEX outbox_question ON outbox (question) WHERE question IS NOT NULL;"
    "CREATE TABLE schedule ("
    "  id INTEGER PRIMARY KEY,"
    "  spec TEXT NOT NULL," /* as it was typed, in one form */
    "  role TEXT NOT NULL,"
    "  subject TEXT NOT NULL,"
    "  body TEXT NOT NULL,"
    "  created_us INTEGER NOT NULL,"
    "  last_us INTEGER," /* the occurrence that was mailed last */
    "  next_us INTEGER NOT NULL"
    ");"
    "CREATE INDEX schedule_next ON schedule (next_us);"
    "ALTER TABLE job ADD COLUMN wait_then TEXT;" /* parked: remind, escalate; NULL: go on */
    "ALTER TABLE job ADD COLUMN forked_job INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE job ADD COLUMN forked_step INTEGER NOT NULL DEFAULT 0;",

    /* 4 -> 5: mail that also lies on a server (store/mail/server_mail.h). */
    "CREATE TABLE remote_folder ("
    "  account TEXT NOT NULL,"
    "  folder TEXT NOT NULL,"
    "  uidvalidity INTEGER NOT NULL,"
    "  next_uid INTEGER NOT NULL," /* mail below it is not looked at */
    "  PRIMARY KEY (account, folder)"
    ") WITHOUT ROWID;"
    "CREATE TABLE remote ("
    "  id INTEGER PRIMARY KEY,"
    "  account TEXT NOT NULL,"
    "  folder TEXT NOT NULL,"
    "  uidvalidity INTEGER NOT NULL,"
    "  uid INTEGER NOT NULL,"
    "  role TEXT NOT NULL,"
    "  file TEXT NOT NULL,"
    "  msgid TEXT NOT NULL,"
    "  wants TEXT" /* where it lies here, and not yet there; NULL: nothing is owed */
    ");"
    "CREATE UNIQUE INDEX remote_uid ON remote (account, folder, uidvalidity, uid);"
    "CREATE INDEX remote_file ON remote (file, role);"
    "CREATE INDEX remote_owed ON remote (account) WHERE wants IS NOT NULL;"
    /* And mail that goes by SMTP: what its job has not heard, what was handed over
     * unanswered. */
    "ALTER TABLE delivery ADD COLUMN news INTEGER NOT NULL DEFAULT 0;" /* 1: failed, and untold */
    "CREATE INDEX delivery_news ON delivery (outbox) WHERE news <> 0;"
    "CREATE INDEX delivery_doubt ON delivery (id) WHERE state IN ('sending', 'in_doubt');",

    /* 5 -> 6: what the writer of a mail had read; NULL: its level, its trust. */
    "ALTER TABLE outbox ADD COLUMN floor TEXT;"
    "ALTER TABLE message ADD COLUMN floor TEXT;"
    "ALTER TABLE outbox ADD COLUMN answers INTEGER;" /* message, of its job; NULL: none */
    /* Ids that servers put on our mail in place of its own; questions about mail in doubt. */
    "CREATE TABLE renamed ("
    "  id TEXT PRIMARY KEY,"
    "  outbox INTEGER NOT NULL"
    ") WITHOUT ROWID;"
    "CREATE INDEX renamed_outbox ON renamed (outbox);"
    "ALTER TABLE question ADD COLUMN about INTEGER;" /* outbox, in doubt; NULL: held mail */
    "CREATE INDEX question_about ON question (about) WHERE about IS NOT NULL;"
    "ALTER TABLE delivery ADD COLUMN ask_us INTEGER;" /* in doubt: when a person is asked */
    "CREATE INDEX delivery_ask ON delivery (ask_us) WHERE ask_us IS NOT NULL;"
    "ALTER TABLE delivery ADD COLUMN probe INTEGER;" /* of its last try's own copy; NULL: none */
    "ALTER TABLE outbox ADD COLUMN probes INTEGER NOT NULL DEFAULT 0;" /* such tries */
    /* And mail on a server: since when a folder is looked at and from where on it was numbered
     * anew; flags that mail got here, and is owed there; mail that somebody here asks for. */
    "ALTER TABLE remote_folder ADD COLUMN first_us INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE remote_folder ADD COLUMN anew_uid INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE message ADD COLUMN marks TEXT NOT NULL DEFAULT '';" /* letters of Maildir */
    "ALTER TABLE remote ADD COLUMN marks TEXT;"                      /* NULL: nothing is owed */
    "CREATE INDEX remote_marks ON remote (account) WHERE marks IS NOT NULL;"
    "CREATE TABLE demand ("
    "  account TEXT NOT NULL,"
    "  role TEXT NOT NULL,"
    "  msgid TEXT NOT NULL,"
    "  folder TEXT NOT NULL," /* where to look first; '' anywhere */
    "  asked_us INTEGER NOT NULL,"
    "  answer TEXT," /* NULL: nobody has looked yet */
    "  PRIMARY KEY (account, role, msgid)"
    ") WITHOUT ROWID;"
    "CREATE INDEX demand_open ON demand (account) WHERE answer IS NULL;"
    "ALTER TABLE note_version ADD COLUMN from_key TEXT;" /* it was renamed; NULL: written */
    "ALTER TABLE message ADD COLUMN own_words BLOB;" /* mail/quote.h; NULL: too few, or old */
    /* Who asks for much lets others pass. */
    "ALTER TABLE job ADD COLUMN turn_us INTEGER NOT NULL DEFAULT 0;"
    "CREATE INDEX job_turn ON job (turn_us) WHERE state = 'queued';"
    "CREATE INDEX job_asker ON job (asker) WHERE state = 'queued';",

    /* 6 -> 7: what all who asked in a job's round may have done: MAY_…. */
    "ALTER TABLE job ADD COLUMN may INTEGER NOT NULL DEFAULT 0;"
    /* And whose the mailboxes of imap accounts are (store/mail/mailboxes.h). */
    "CREATE TABLE mailbox ("
    "  account TEXT NOT NULL,"
    "  role TEXT NOT NULL," /* '': the account itself */
    "  state TEXT NOT NULL,"
    "  upto INTEGER NOT NULL," /* outbox */
    "  PRIMARY KEY (account, role)"
    ") WITHOUT ROWID;"
    /* More than one file of one mail (store/mail/copies.h). */
    "ALTER TABLE message ADD COLUMN identity BLOB;" /* mail/identity.h; NULL: of an older store */
    "DROP INDEX message_msgid;"
    "CREATE INDEX message_msgid ON message (msgid, role, identity);"
    "CREATE TABLE copy ("
    "  id INTEGER PRIMARY KEY,"
    "  message INTEGER NOT NULL,"
    "  role TEXT NOT NULL,"
    "  file TEXT NOT NULL,"
    "  at_us INTEGER NOT NULL,"
    "  owed INTEGER NOT NULL" /* 1: it does not lie where its message does, or lacks its flags */
    ");"
    "CREATE INDEX copy_file ON copy (file, role);"
    "CREATE INDEX copy_message ON copy (message);"
    "CREATE INDEX copy_owed ON copy (id) WHERE owed <> 0;"
    /* Mail below it lay in the watched folder when this store first saw it, and came while an
     * earlier store or another home had the mailbox. */
    "ALTER TABLE remote_folder ADD COLUMN past_uid INTEGER NOT NULL DEFAULT 0;",

    /* 7 -> 8: since when a job's question finds no answer, NULL: it found one; 1: whoever asked
     * knows of it. */
    "ALTER TABLE job ADD COLUMN stalled_us INTEGER;"
    "ALTER TABLE job ADD COLUMN stall_told INTEGER NOT NULL DEFAULT 0;"
    /* Which brain was asked; NULL: none, or a step of before. */
    "ALTER TABLE step ADD COLUMN brain TEXT;"
    /* And which versions of notes were written in a round below steer
     * (store/note/note_versions.h), as far as that is known of older ones, and what all who
     * asked in the round of a mail that we wrote may have done (MAY_…; NULL: nobody asked, or
     * nobody knows). */
    "ALTER TABLE note_version ADD COLUMN below INTEGER NOT NULL DEFAULT 0;"
    "UPDATE note_version SET below = 1 WHERE job <> 0 AND (label IN ('anyone', 'known') OR "
    "job IN (SELECT id FROM job WHERE may <> 0 AND may & 2 = 0));"
    "ALTER TABLE outbox ADD COLUMN may INTEGER;"
    "UPDATE outbox SET may = (SELECT j.may FROM job j WHERE j.id = outbox.job AND "
    "j.round = outbox.round) WHERE job <> 0;"
    /* The places at brains (store/job/seats.h), and the first job of each role. */
    "CREATE TABLE seat ("
    "  id INTEGER PRIMARY KEY,"
    "  role TEXT NOT NULL UNIQUE,"
    "  brain TEXT NOT NULL,"
    "  at_once INTEGER NOT NULL"
    ");"
    "DROP INDEX job_turn;"
    "CREATE INDEX job_turn ON job (role, turn_us) WHERE state = 'queued';"
    /* And waits are spans on the home's own clock, which begins as the wall clock, or
     * moments (store/due.h). Of what waited before, people were told the moment. */
    "UPDATE job SET resume_us = resume_us + 4000000000000000000,"
    "  wakes_us = wakes_us + 4000000000000000000 WHERE state = 'parked';"
    "UPDATE timer SET due_us = due_us + 4000000000000000000 WHERE purpose = 'wait';"
    "ALTER TABLE outbox ADD COLUMN since_us INTEGER NOT NULL DEFAULT 0;" /* by that clock too */
    "UPDATE outbox SET since_us = created_us;",

    /* 8 -> 9: a plain conversation is led by no face; before it said how its brain was
     * asked. */
    "UPDATE job SET face = '' WHERE face = 'steps';"
    /* 1: parked, and no step was taken since. */
    "ALTER TABLE job ADD COLUMN parked INTEGER NOT NULL DEFAULT 0;"
    "UPDATE job SET parked = 1 WHERE state = 'parked';"
    /* Whom a timer is for, and what it is about beside a job. */
    "ALTER TABLE timer ADD COLUMN whose TEXT NOT NULL DEFAULT 'any';" /* own: the running job's */
    "UPDATE timer SET whose = 'own' WHERE purpose = 'ack';"
    "ALTER TABLE timer ADD COLUMN subject TEXT NOT NULL DEFAULT '';"
    "DROP INDEX timer_job;"
    "CREATE UNIQUE INDEX timer_of ON timer (job, purpose, subject);"
    /* The versions of the tables that faces keep beside ours (store/tables.h). */
    "CREATE TABLE part ("
    "  face TEXT PRIMARY KEY,"
    "  version INTEGER NOT NULL"
    ") WITHOUT ROWID;"
    "CREATE TABLE view ("         /* store/job/views.h */
    "  subject TEXT PRIMARY KEY," /* path beneath the home */
    "  face TEXT NOT NULL,"
    "  job INTEGER NOT NULL,"
    "  changed INTEGER NOT NULL,"  /* how often it was raised, */
    "  rendered INTEGER NOT NULL," /* and when it was written last */
    "  digest TEXT NOT NULL"
    ") WITHOUT ROWID;"
    "CREATE INDEX view_job ON view (job) WHERE job <> 0;"
    "CREATE INDEX view_owed ON view (subject) WHERE changed <> rendered;"
    "CREATE TABLE role (" /* that no settings name (engine/role.h) */
    "  name TEXT PRIMARY KEY,"
    "  face TEXT NOT NULL,"
    "  display TEXT NOT NULL,"
    "  address TEXT NOT NULL"
    ") WITHOUT ROWID;"
    "CREATE TABLE watch ("
    "  face TEXT NOT NULL,"
    "  path TEXT NOT NULL," /* of a folder beneath the home */
    "  PRIMARY KEY (face, path)"
    ") WITHOUT ROWID;"
    /* And what was one encoded text of meta each, as tables. The day's money is one row: what
     * all jobs have cost in it (days of UTC since 1970), what the calls under way may cost, and
     * what a person raised its limit to (NULL: the settings' counts). */
    "CREATE TABLE money ("
    "  day INTEGER PRIMARY KEY,"
    "  spent_micro INTEGER NOT NULL,"
    "  aside_micro INTEGER NOT NULL,"
    "  limit_micro INTEGER"
    ");"
    "CREATE TABLE unbooked (" /* paid, and in no step's row yet; job 0: nobody's in particular */
    "  job INTEGER PRIMARY KEY,"
    "  micro INTEGER NOT NULL,"
    "  at_us INTEGER NOT NULL"
    ");"
    "CREATE TABLE asking (" /* a call that is under way, and what it may cost */
    "  job INTEGER PRIMARY KEY,"
    "  fence INTEGER NOT NULL,"
    "  micro INTEGER NOT NULL"
    ");"
    "CREATE TABLE dearest (" /* the dearest step of a role in the last day that had one */
    "  role TEXT PRIMARY KEY,"
    "  day INTEGER NOT NULL,"
    "  micro INTEGER NOT NULL"
    ");"
    "INSERT INTO unbooked SELECT substr(key, 10), CAST(value AS INTEGER),"
    "  substr(value, instr(value, '@') + 1) FROM meta WHERE key GLOB 'unbooked:*';"
    "INSERT INTO asking SELECT substr(key, 8), substr(value, instr(value, '@') + 1),"
    "  CAST(value AS INTEGER) FROM meta WHERE key GLOB 'asking:*';"
    "INSERT INTO money SELECT at_us / 86400000000, sum(cost), 0, NULL FROM"
    "  (SELECT at_us, cost_micro AS cost FROM step WHERE cost_micro > 0"
    "   UNION ALL SELECT at_us, micro FROM unbooked) GROUP BY 1;"
    "INSERT INTO money SELECT substr(key, 12), 0, 0, value FROM meta WHERE key GLOB "
    "'day-budget:*'"
    "  ON CONFLICT (day) DO UPDATE SET limit_micro = excluded.limit_micro;"
    "UPDATE money SET aside_micro = (SELECT coalesce(sum(micro), 0) FROM asking)"
    "  WHERE day = (SELECT max(day) FROM money);"
    "INSERT INTO dearest SELECT j.role, s.at_us / 86400000000, max(s.cost_micro)"
    "  FROM step s JOIN job j ON j.id = s.job WHERE s.cost_micro > 0 AND s.at_us >="
    "  (SELECT max(day) FROM money) * 86400000000 GROUP BY j.role;"
    "DROP INDEX step_at;"
    "CREATE TABLE command_order (" /* store/job/command_orders.h */
    "  id INTEGER PRIMARY KEY,"
    "  job INTEGER NOT NULL,"
    "  at_us INTEGER NOT NULL,"
    "  words TEXT NOT NULL"
    ");"
    "CREATE INDEX command_order_job ON command_order (job);"
    "INSERT INTO command_order (job, at_us, words) SELECT CAST(substr(key, 7) AS INTEGER),"
    "  CAST(value AS INTEGER), substr(value, instr(value, ' ') + 1) FROM meta"
    "  WHERE key GLOB 'order:*' ORDER BY key;"
    /* What is known of a brain (store/job/pauses.h). A mark names the settings under which that
     * was learnt; broken_mark NULL: the brain is to be tried. */
    "CREATE TABLE brain ("
    "  name TEXT PRIMARY KEY,"
    "  broken_why TEXT, broken_mark TEXT, broken_until_us INTEGER,"
    "  limited_why TEXT, limited_mark TEXT, limited_until_us INTEGER, limited_since_us INTEGER,"
    "  away INTEGER NOT NULL DEFAULT 0,"
    "  lacks INTEGER NOT NULL DEFAULT 0, lacks_mark TEXT"
    ");"
    "CREATE TABLE account (" /* store/account_rows.h */
    "  name TEXT PRIMARY KEY,"
    "  since_us INTEGER NOT NULL DEFAULT 0,"
    "  trouble TEXT,"
    "  take_over INTEGER NOT NULL DEFAULT 0,"
    "  survey INTEGER NOT NULL DEFAULT 0,"
    "  backup INTEGER NOT NULL DEFAULT 0,"
    "  smtp_why TEXT, smtp_until_us INTEGER," /* paused */
    "  forged TEXT"
    ");"
    "CREATE TABLE told (" /* store/told.h */
    "  what TEXT NOT NULL,"
    "  subject TEXT NOT NULL,"
    "  whom TEXT NOT NULL,"
    "  at_us INTEGER NOT NULL,"
    "  PRIMARY KEY (what, subject, whom)"
    ") WITHOUT ROWID;"
    "CREATE TABLE visited (mailbox TEXT PRIMARY KEY) WITHOUT ROWID;"
    "CREATE TABLE suspect (" /* store/mail/suspect_files.h */
    "  mailbox TEXT NOT NULL,"
    "  file TEXT NOT NULL,"
    "  crashes INTEGER NOT NULL,"
    "  PRIMARY KEY (mailbox, file)"
    ") WITHOUT ROWID;"
    "CREATE TABLE missed (" /* store/job/missed.h */
    "  job INTEGER PRIMARY KEY,"
    "  at_us INTEGER NOT NULL,"
    "  missed_by TEXT NOT NULL"
    ");"
    "CREATE TABLE clock (" /* store/due.h; one row */
    "  id INTEGER PRIMARY KEY,"
    "  boot TEXT NOT NULL,"
    "  boot_us INTEGER NOT NULL,"
    "  wall_us INTEGER NOT NULL,"
    "  ahead_us INTEGER NOT NULL"
    ");"
    "ALTER TABLE job ADD COLUMN stop_told INTEGER NOT NULL DEFAULT 0;" /* epoch */
    /* A text of meta as columns: what stands before the first ':' of its key and behind it,
     * what before the first blank of its value and behind it. */
    "CREATE VIEW old AS SELECT substr(key, 1, instr(key, ':') - 1) AS what,"
    "  substr(key, instr(key, ':') + 1) AS name, value, CAST(value AS INTEGER) AS number,"
    "  substr(value, instr(value, ' ') + 1) AS rest FROM meta WHERE instr(key, ':') > 0;"
    "INSERT INTO brain (name) SELECT DISTINCT name FROM old WHERE what IN"
    "  ('broken', 'broken-until', 'limited', 'lacks');"
    "UPDATE brain SET"
    "  broken_why = (SELECT value FROM old o WHERE o.name = brain.name AND what = 'broken'),"
    "  (broken_until_us, broken_mark) = (SELECT number, rest FROM old o"
    "    WHERE o.name = brain.name AND what = 'broken-until'),"
    "  (limited_until_us, limited_why) = (SELECT number, rest FROM old o"
    "    WHERE o.name = brain.name AND what = 'limited'),"
    "  limited_mark = (SELECT rest FROM old o WHERE o.name = brain.name AND"
    "    what = 'limited-under'),"
    "  (limited_since_us, away) = (SELECT coalesce(max(number), 0),"
    "    coalesce(max(rest) = 'away', 0) FROM old o"
    "    WHERE o.name = brain.name AND what = 'limited-since'),"
    "  (lacks, lacks_mark) = (SELECT coalesce(max(number), 0), max(rest) FROM old o"
    "    WHERE o.name = brain.name AND what = 'lacks');"
    "INSERT INTO account (name) SELECT DISTINCT name FROM old WHERE what IN ('account-since',"
    "  'account-trouble', 'take-over', 'survey', 'backup', 'smtp-paused', 'forged-fields');"
    "UPDATE account SET"
    "  since_us = coalesce((SELECT number FROM old o WHERE o.name = account.name AND"
    "    what = 'account-since'), 0),"
    "  trouble = (SELECT value FROM old o WHERE o.name = account.name AND"
    "    what = 'account-trouble'),"
    "  take_over = (account.name IN (SELECT o.name FROM old o WHERE what = 'take-over')),"
    "  survey = (account.name IN (SELECT o.name FROM old o WHERE what = 'survey')),"
    "  backup = (account.name IN (SELECT o.name FROM old o WHERE what = 'backup')),"
    "  (smtp_until_us, smtp_why) = (SELECT number, rest FROM old o"
    "    WHERE o.name = account.name AND what = 'smtp-paused'),"
    "  forged = (SELECT value FROM old o WHERE o.name = account.name AND"
    "    what = 'forged-fields');"
    /* Lists in one text: the next word, and what is left. */
    "INSERT INTO told WITH RECURSIVE w (name, at_us, word, more) AS ("
    "  SELECT name, number, '', rest || ' ' FROM old WHERE what = 'limited-told' UNION ALL"
    "  SELECT name, at_us, substr(more, 1, instr(more, ' ') - 1),"
    "    substr(more, instr(more, ' ') + 1) FROM w WHERE more <> '')"
    "  SELECT 'limited', name, word, at_us FROM w WHERE word <> '';"
    "INSERT INTO told SELECT 'limited-far', name, '', number FROM old"
    "  WHERE what = 'limited-asked';"
    "INSERT INTO told SELECT 'unproven', '', name, number * 86400000000 FROM old"
    "  WHERE what = 'unproven-said';"
    "INSERT INTO suspect WITH RECURSIVE w (name, crashes, word, more) AS ("
    "  SELECT name, number, '', substr(value, instr(value, char(10)) + 1) || char(10)"
    "    FROM old WHERE what = 'intake' AND instr(value, char(10)) > 0 UNION ALL"
    "  SELECT name, crashes, substr(more, 1, instr(more, char(10)) - 1),"
    "    substr(more, instr(more, char(10)) + 1) FROM w WHERE more <> '')"
    "  SELECT name, word, crashes FROM w WHERE word <> '';"
    "INSERT INTO visited SELECT name FROM old WHERE what = 'known';"
    "INSERT INTO missed SELECT name, number, rest FROM old WHERE what = 'checkpoint-gone';"
    "UPDATE job SET stop_told = (SELECT number FROM old WHERE what = 'stopped-said' AND"
    "  name = CAST(job.id AS TEXT)) WHERE id IN (SELECT CAST(name AS INTEGER) FROM old"
    "  WHERE what = 'stopped-said');"
    "INSERT INTO clock SELECT 1, substr(value, 1, instr(value, ' ') - 1), b,"
    "  CAST(substr(r, instr(r, ' ') + 1) AS INTEGER),"
    "  CAST(substr(r, instr(r, ' ') + 1 + instr(substr(r, instr(r, ' ') + 1), ' ')) AS INTEGER)"
    "  FROM (SELECT value, CAST(r AS INTEGER) AS b, r FROM"
    "    (SELECT value, substr(value, instr(value, ' ') + 1) AS r FROM meta WHERE key = "
    "'clock'));"
    /* Questions of any kind (store/job/questions.h). */
    "ALTER TABLE question ADD COLUMN kind TEXT NOT NULL DEFAULT 'held-mail';"
    "ALTER TABLE question ADD COLUMN asks TEXT NOT NULL DEFAULT 'may held mail leave?';"
    "ALTER TABLE question ADD COLUMN payload TEXT;"
    "ALTER TABLE question ADD COLUMN may INTEGER NOT NULL DEFAULT 4;" /* MAY_APPROVE */
    "ALTER TABLE question ADD COLUMN until_us INTEGER;"               /* NULL: for ever */
    "ALTER TABLE question ADD COLUMN used_us INTEGER;" /* a yes was acted on; NULL: not yet */
    "UPDATE question SET kind = 'mail-in-doubt', asks = 'has this mail arrived?'"
    "  WHERE about IS NOT NULL;"
    "UPDATE question SET used_us = decided_us WHERE state = 'approved';"
    "UPDATE question SET payload = coalesce(about, (SELECT group_concat(m.id, ' ') FROM"
    "  (SELECT id FROM outbox o WHERE o.question = question.id ORDER BY id) m));"
    "DROP VIEW old;"
    "DELETE FROM meta WHERE instr(key, ':') > 0 OR key = 'clock';",

    /* 9 -> 10: what is large stands last in its row, since SQLite reads a row from its
     * beginning: so a list of steps, or of mail that leaves, reads none of it. */
    "ALTER TABLE step RENAME TO old_step;"
    "CREATE TABLE step ("
    "  id INTEGER PRIMARY KEY,"
    "  job INTEGER NOT NULL,"
    "  n INTEGER NOT NULL,"
    "  round INTEGER NOT NULL,"
    "  at_us INTEGER NOT NULL,"
    "  took_us INTEGER NOT NULL,"
    "  cost_micro INTEGER NOT NULL,"
    "  phase TEXT NOT NULL,"
    "  did TEXT NOT NULL,"
    "  because TEXT,"
    "  brain TEXT,"
    "  context BLOB,"
    "  results TEXT, state BLOB, manifest BLOB, answer BLOB"
    ");"
    "INSERT INTO step SELECT id, job, n, round, at_us, took_us, cost_micro, phase, did, "
    "because,"
    "  brain, context, results, state, manifest, answer FROM old_step;"
    "DROP TABLE old_step;"
    "CREATE INDEX step_job ON step (job, n);"
    "CREATE INDEX step_cost ON step (at_us, job, cost_micro, brain);" /* all that sums need */
    "ALTER TABLE outbox RENAME TO old_outbox;"
    "CREATE TABLE outbox ("
    "  id INTEGER PRIMARY KEY,"
    "  msgid TEXT NOT NULL,"
    "  from_spec TEXT NOT NULL,"
    "  subject TEXT NOT NULL,"
    "  level TEXT NOT NULL,"
    "  floor TEXT,"
    "  job INTEGER NOT NULL,"
    "  round INTEGER NOT NULL,"
    "  step INTEGER NOT NULL,"
    "  created_us INTEGER NOT NULL,"
    "  since_us INTEGER NOT NULL DEFAULT 0,"
    "  question INTEGER,"
    "  answers INTEGER,"
    "  in_reply_to TEXT," /* an id; '': it answers nothing; NULL: its bytes say it */
    "  may INTEGER,"
    "  probes INTEGER NOT NULL DEFAULT 0,"
    "  bytes BLOB"
    ");"
    "INSERT INTO outbox SELECT o.id, o.msgid, o.from_spec, o.subject, o.level, o.floor, o.job,"
    "  o.round, o.step, o.created_us, o.since_us, o.question, o.answers, m.msgid, o.may,"
    "  o.probes, o.bytes FROM old_outbox o LEFT JOIN message m ON m.id = o.answers;"
    "DROP TABLE old_outbox;"
    "CREATE INDEX outbox_job ON outbox (job) WHERE job <> 0;"
    "CREATE INDEX outbox_question ON outbox (question) WHERE question IS NOT NULL;",

    /* 10 -> 11: programs that keep a session. */
    "CREATE TABLE session (" /* store/job/sessions.h */
    "  job INTEGER PRIMARY KEY,"
    "  brain TEXT NOT NULL,"
    "  kind TEXT NOT NULL,"
    "  folder TEXT NOT NULL,"
    "  host TEXT NOT NULL DEFAULT '',"
    "  id TEXT NOT NULL,"
    "  began INTEGER NOT NULL,"
    "  step INTEGER NOT NULL,"
    "  told_us INTEGER NOT NULL,"
    "  heard TEXT NOT NULL DEFAULT '',"
    "  instructions TEXT NOT NULL DEFAULT '',"
    "  input INTEGER NOT NULL DEFAULT 0,"
    "  output INTEGER NOT NULL DEFAULT 0,"
    "  cache_read INTEGER NOT NULL DEFAULT 0,"
    "  cache_write INTEGER NOT NULL DEFAULT 0"
    ");"
    "CREATE TABLE doing (" /* store/job/doings.h */
    "  id INTEGER PRIMARY KEY,"
    "  job INTEGER NOT NULL,"
    "  fence INTEGER NOT NULL,"
    "  at_us INTEGER NOT NULL,"
    "  what TEXT NOT NULL,"
    "  said TEXT NOT NULL,"
    "  cost_micro INTEGER NOT NULL"
    ");"
    "CREATE INDEX doing_job ON doing (job, id);"
    "CREATE TABLE tree (" /* store/job/trees.h */
    "  job INTEGER PRIMARY KEY,"
    "  host TEXT NOT NULL DEFAULT '',"
    "  repo TEXT NOT NULL,"
    "  prefix TEXT NOT NULL,"
    "  branch TEXT NOT NULL,"
    "  base TEXT NOT NULL,"
    "  told TEXT,"
    "  ours INTEGER NOT NULL,"
    "  state TEXT NOT NULL"
    ");"
    /* Briefings. */
    "CREATE INDEX job_faced ON job (thread) WHERE face <> '';"
    /* The folder of a role, where one job works in it at a time (store/job/seats.h). */
    "ALTER TABLE seat ADD COLUMN place TEXT;"
    /* Tool calls that a person says yes to (store/job/questions.h, store/job/permits.h). */
    "ALTER TABLE question ADD COLUMN later INTEGER NOT NULL DEFAULT 0;"
    "CREATE TABLE asked ("
    "  msgid TEXT NOT NULL,"
    "  n INTEGER NOT NULL,"
    "  question INTEGER NOT NULL,"
    "  PRIMARY KEY (msgid, n)"
    ");"
    "CREATE TABLE permit ("
    "  id INTEGER PRIMARY KEY,"
    "  role TEXT NOT NULL,"
    "  tool TEXT NOT NULL,"
    "  what TEXT NOT NULL,"
    "  covers TEXT NOT NULL,"
    "  folder TEXT NOT NULL,"
    "  host TEXT NOT NULL DEFAULT '',"
    "  who TEXT NOT NULL,"
    "  job INTEGER NOT NULL,"
    "  made_us INTEGER NOT NULL,"
    "  until_us INTEGER," /* NULL: without an end */
    "  uses_left INTEGER NOT NULL,"
    "  uses INTEGER NOT NULL DEFAULT 0,"
    "  last_us INTEGER,"
    "  ended_us INTEGER,"
    "  ended_by TEXT"
    ");"
    "CREATE INDEX permit_role ON permit (role, tool) WHERE ended_us IS NULL;",

    /* 11 -> 12: the name of the command in the foreground that works on a job
     * (engine/session.h); empty: a run does. */
    ("ALTER TABLE job ADD COLUMN host TEXT NOT NULL DEFAULT '';"
     "ALTER TABLE job ADD COLUMN session TEXT NOT NULL DEFAULT '';"),

    /* 12 -> 13: how often the job's program has failed by itself, as apart from runs that were
     * killed. */
    "ALTER TABLE job ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;"
    /* Spaces (store/spaces.h). A column that every list of outgoing mail reads stands before
     * the bytes. */
    "CREATE TABLE space ("
    "  name TEXT PRIMARY KEY,"
    "  address TEXT NOT NULL UNIQUE,"
    "  face TEXT NOT NULL,"
    "  talk INTEGER NOT NULL"
    ") WITHOUT ROWID;"
    "CREATE TABLE space_member ("
    "  space TEXT NOT NULL,"
    "  member TEXT NOT NULL,"
    "  PRIMARY KEY (space, member)"
    ") WITHOUT ROWID;"
    "CREATE TABLE job_space ("
    "  job INTEGER NOT NULL,"
    "  space TEXT NOT NULL,"
    "  PRIMARY KEY (job, space)"
    ") WITHOUT ROWID;"
    "ALTER TABLE message ADD COLUMN space TEXT;"
    "ALTER TABLE outbox RENAME TO old_outbox;"
    "CREATE TABLE outbox ("
    "  id INTEGER PRIMARY KEY,"
    "  msgid TEXT NOT NULL,"
    "  from_spec TEXT NOT NULL,"
    "  subject TEXT NOT NULL,"
    "  level TEXT NOT NULL,"
    "  floor TEXT,"
    "  job INTEGER NOT NULL,"
    "  round INTEGER NOT NULL,"
    "  step INTEGER NOT NULL,"
    "  created_us INTEGER NOT NULL,"
    "  since_us INTEGER NOT NULL DEFAULT 0,"
    "  question INTEGER,"
    "  answers INTEGER,"
    "  in_reply_to TEXT,"
    "  may INTEGER,"
    "  probes INTEGER NOT NULL DEFAULT 0,"
    "  space TEXT,"
    "  bytes BLOB"
    ");"
    "INSERT INTO outbox SELECT id, msgid, from_spec, subject, level, floor, job, round, step,"
    "  created_us, since_us, question, answers, in_reply_to, may, probes, NULL, bytes"
    "  FROM old_outbox;"
    "DROP TABLE old_outbox;"
    "CREATE INDEX outbox_job ON outbox (job) WHERE job <> 0;"
    "CREATE INDEX outbox_question ON outbox (question) WHERE question IS NOT NULL;"
    "CREATE INDEX outbox_space ON outbox (space) WHERE space IS NOT NULL;"
    "CREATE INDEX message_space ON message (space, role) WHERE space IS NOT NULL;"
    /* Roles that do no work for a while (store/job/role_pauses.h). */
    "CREATE TABLE role_pause ("
    "  role TEXT PRIMARY KEY,"
    "  why TEXT NOT NULL,"
    "  report TEXT NOT NULL,"
    "  since_us INTEGER NOT NULL"
    ");",

    /* 13 -> 14: how often the check of the task has failed in the job's round. */
    "ALTER TABLE job ADD COLUMN checks_failed INTEGER NOT NULL DEFAULT 0;",

    /* 14 -> 15: the roles that the settings named when the store was made, and folders of notes of others that
     * roles had been shown (store/note/note_readers.h). Both were lists in one text of meta. */
    "CREATE TABLE first_role ("
    "  name TEXT PRIMARY KEY"
    ") WITHOUT ROWID;"
    "INSERT INTO first_role WITH RECURSIVE w (word, more) AS ("
    "  SELECT '', value || ' ' FROM meta WHERE key = 'first-roles' UNION ALL"
    "  SELECT substr(more, 1, instr(more, ' ') - 1), substr(more, instr(more, ' ') + 1)"
    "    FROM w WHERE more <> '')"
    "  SELECT DISTINCT word FROM w WHERE word <> '';"
    "CREATE TABLE shown_abroad ("
    "  role TEXT NOT NULL,"
    "  folder TEXT NOT NULL,"
    "  PRIMARY KEY (role, folder)"
    ") WITHOUT ROWID;"
    "INSERT INTO shown_abroad WITH RECURSIVE l (line, more) AS ("
    "  SELECT '', value FROM meta WHERE key = 'notes-shown-abroad' UNION ALL"
    "  SELECT substr(more, 1, instr(more, char(10)) - 1), substr(more, instr(more, char(10)) + 1)"
    "    FROM l WHERE instr(more, char(10)) > 0),"
    "  w (role, word, more) AS ("
    "  SELECT substr(line, 1, instr(line, ' ') - 1), '', substr(line, instr(line, ' ') + 1) || ' '"
    "    FROM l WHERE instr(line, ' ') > 0 UNION ALL"
    "  SELECT role, substr(more, 1, instr(more, ' ') - 1), substr(more, instr(more, ' ') + 1)"
    "    FROM w WHERE more <> '')"
    "  SELECT DISTINCT role, word FROM w WHERE word <> '';"
    "UPDATE meta SET key = 'note-readers-kept', value = '1' WHERE key = 'notes-shown-abroad';"
    "DELETE FROM meta WHERE key = 'first-roles';",

    /* 15 -> 16: mail that programs ask for once (store/out/sent_once.h). */
    "CREATE TABLE sent_once ("
    "  job INTEGER NOT NULL,"
    "  round INTEGER NOT NULL,"
    "  digest BLOB NOT NULL,"
    "  at_us INTEGER NOT NULL,"
    "  msgid TEXT NOT NULL,"
    "  why TEXT,"
    "  PRIMARY KEY (job, round, digest)"
    ") WITHOUT ROWID;",

    /* 16 -> 17: what the work of a role has cost on its last day with any. */
    "CREATE TABLE role_money ("
    "  role TEXT PRIMARY KEY,"
    "  day INTEGER NOT NULL,"
    "  spent_micro INTEGER NOT NULL"
    ");",
};
const int schema_version = G_N_ELEMENTS(schema_sql);
