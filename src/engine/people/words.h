#pragma once

/*
 * What the engine says to people by mail, to be read and translated in one place: formats of
 * g_strdup_printf() and its kin. Three things are said elsewhere, each in one place of its own:
 * a question in the row of its kind (question_kind.h), STATUS and WHY in tell.c, and a
 * checkpoint mail in engine/checkpoint/continuation.c.
 */

/* --- Questions, and what is said to an answer (hold.h) --- */

#define WORDS_QUESTION_LATE "This was %s by %s %s ago. Nothing changed now."
#define WORDS_QUESTION_STOPPED                                                                 \
    "Job %" PRId64 " is stopped, and nothing of it leaves. Nothing changed now. Let it go "    \
    "on with CONTINUE; then the question counts again."
#define WORDS_QUESTION_CHANGED                                                                 \
    "What is held is no longer what was shown with the digest %s, so %s."
#define WORDS_QUESTION_REST                                                                    \
    " APPROVE or REJECT as a reply to the same question decides the rest."
#define WORDS_QUESTION_DECIDED "This mail was decided before. Nothing changed now."
#define WORDS_QUESTION_NO_WAY                                                                  \
    "%s:\n\n%s.\n\nNothing changed; it is still held, and the question is still open. Say "    \
    "APPROVE again once there is a way, or REJECT."
#define WORDS_QUESTION_KNOWN                                                                   \
    "What became of this mail is known by now, so nothing changed. 'postrider outbox list "    \
    "--all' tells it."
#define WORDS_QUESTION_CANCELLED                                                               \
    "Job %" PRId64 " was cancelled, and its held mail with it. Nothing changed now."
#define WORDS_QUESTION_OVER "Its time is over, so nothing changed."
#define WORDS_QUESTION_STRANGE                                                                 \
    "Another version of postrider asked this, and this one does not know what it means. "      \
    "Nothing changed."
#define WORDS_ANSWER_OPEN                                                                      \
    " Job %" PRId64 " has %u open: reply to the mail that begins \"May this mail leave?\" "    \
    "or look at 'postrider outbox list'."
#define WORDS_ANSWER_TO_NONE                                                                   \
    "Your mail answers no question of mine, so nothing changed. APPROVE and REJECT count "     \
    "only as a reply to the very mail that asks.%s"
#define WORDS_ANSWER_NOT_YOURS                                                                 \
    "You may not approve or reject mail of this agent; the owner, %s, may. Nothing changed."
#define WORDS_ANSWER_TO_SEVERAL                                                                \
    "Your mail answers several mails at once, so nothing changed. Reply APPROVE or REJECT "    \
    "to one question at a time."

#define WORDS_ANSWER_NO_STANDING                                                               \
    "Only a tool call of an agent can be approved for longer than once. Nothing changed; say " \
    "APPROVE alone."
#define WORDS_ANSWER_NO_TIME                                                                   \
    "'%s' is no time that I know: say a day (APPROVE UNTIL FRI), a date (2026-11-20) or a "    \
    "time of day (18:00). Nothing changed."
#define WORDS_ANSWER_NO_NUMBER                                                                 \
    "That mail asks no question with the number %d. Nothing changed."
#define WORDS_PERMIT_REMINDER                                                                  \
    "A reminder: job %" PRId64 " still waits for your answer to this question. It waits as "   \
    "long as you like, and I do not remind you again."

/* --- Mail that did not arrive, or proves nothing; waiting; long work --- */

#define WORDS_LOST_TEXT "This mail did not arrive:"
#define WORDS_LOST_SUBJECT "a mail did not arrive"
#define WORDS_UNPROVEN_TEXT                                                                    \
    "A mail to %s says that it is from %s, and nothing proves it (%s). It is held, and "       \
    "nothing was done with it.\n\n  Subject: %s\n  Message-ID: <%s>\n\nIf you know that it "   \
    "is real: postrider doctor --release '%s'. To see why: postrider mail trace '%s'. More "   \
    "of them from this sender are held without a word until tomorrow."
#define WORDS_UNPROVEN_SUBJECT "a mail that can't prove its sender"
#define WORDS_WAIT_REMINDER                                                                    \
    "A reminder: I wrote to you at %s and can't go on without your answer. Please reply."
#define WORDS_WAIT_ESCALATED                                                                   \
    "There is no answer since %s: job %" PRId64 " (%s) waits for %s.\n\nReply CONTINUE to "    \
    "let it go on without one, CANCEL to end it, or write what to do."
#define WORDS_PROGRESS_TEXT "I am still at this.\n\n%s"
#define WORDS_ACK_TEXT "I have your mail and am working on it."

/* --- Orders (engine/in/orders.h) --- */

#define WORDS_ORDER_HELP_TEXT                                                                  \
    "Reply to a mail of a job with one of these words alone on the first line:\n\n  STOP   "   \
    "       stop now; nothing more of this job leaves\n  CONTINUE      go on after a stop "    \
    "or a failure (CONTINUE 8: with 8 more steps, at\n                most 1000; CONTINUE "    \
    "$1: it may cost $1 more, at most $1000)\n  CANCEL        end the job for good\n  FORK "   \
    "         a second job that begins where this one is (FORK 3: behind step 3)\n  "          \
    "APPROVE       as a reply to the mail that asks: let the held mail leave, or the agent "   \
    "do what it\n                asks for (APPROVE ALWAYS, APPROVE 10, APPROVE UNTIL FRI: and "  \
    "from now on)\n  REJECT: why   likewise: it does not happen, and the agent goes on with "   \
    "the reason\n  STATUS      "                                                                \
    "  what it does now\n  WHY           what it did so far, and why\n  HELP          this "   \
    "text\n\nLines below the word are kept as an instruction. Anything else is read as "       \
    "mail to the agent. STOP ALL stops every job of the owner's home. A new mail with the "    \
    "subject STATUS, HELP or STOP ALL works too.\n"
#define WORDS_ORDER_NOT_RUNNING "Job %" PRId64 " was not running; there is nothing to %s."
#define WORDS_ORDER_STOPPED "Job %" PRId64 " is %s. Nothing more of it leaves%s"
#define WORDS_ORDER_CANCELLED_NEXT ". A new mail on this thread begins anew."
#define WORDS_ORDER_STOPPED_NEXT ".\nReply CONTINUE to go on, or CANCEL to end it."
#define WORDS_ORDER_DONE                                                                       \
    "Job %" PRId64 " is done. What STOP had taken back of its mail leaves now, and its "       \
    "questions count again."
#define WORDS_ORDER_GOES_ON "Job %" PRId64 " goes on."
#define WORDS_ORDER_NOT_WAITING                                                                \
    "Job %" PRId64 " does not wait for anything; there is nothing to continue."
#define WORDS_ORDER_ALL_NOT_YOURS                                                              \
    "Only the owner may stop all jobs. Reply STOP to a mail of your own job."
#define WORDS_ORDER_ALL_STOPPED                                                                \
    "%u job%s stopped. Reply CONTINUE to a mail of each to go on with it."
#define WORDS_ORDER_FORKED                                                                     \
    "Job %" PRId64 " begins where job %" PRId64 " was; job %" PRId64 " is as it was. A "       \
    "mail of its own says how to reach it."
#define WORDS_ORDER_NO_FORK "That can't be done: %s. Nothing changed."
#define WORDS_ORDER_NOT_YOURS                                                                  \
    "That job is none of yours, so nothing was done. Whoever takes part in a conversation "    \
    "can steer it, and the owner."
#define WORDS_ORDER_UNCLEAR_TEXT "\"%s\" looks like an order, but %s. Nothing was done.\n\n%s"
#define WORDS_ORDER_UNCLEAR_NONE "is none"
#define WORDS_ORDER_UNCLEAR_JOB "this mail answers no job of mine"
#define WORDS_ORDER_IS_STOPPED                                                                 \
    "Job %" PRId64 " is stopped. Your mail is kept with it. Reply CONTINUE to go on, or "      \
    "CANCEL to end the job."
#define WORDS_ORDER_SUBJECT "[order] %s%s%s"
#define WORDS_ORDER_GIVEN "%s was given by %s"
#define WORDS_ORDER_GIVEN_JOB " for job %" PRId64
#define WORDS_ORDER_KEPT ". This copy keeps the order if the store is lost.\n"
#define WORDS_FORK_TEXT                                                                        \
    "This is job %" PRId64 ", forked from job %" PRId64 " at step %d. It goes on from "        \
    "there by itself; job %" PRId64 " stays as it is.%s%s\n\nReply to this mail to say "       \
    "something to the fork."
#define WORDS_FORK_TOLD "\n\nIt was told:\n\n"

/* --- Checkpoint mails that are gone (engine/checkpoint/checkpoint.h) --- */

#define WORDS_CHECKPOINT_DELETED                                                               \
    "The checkpoint mail of job %s was deleted, so the job is stopped. Reply CONTINUE to "     \
    "go on with it."
#define WORDS_CHECKPOINT_IN_JUNK                                                               \
    "The checkpoint mail of job %s lies in Junk, so the job is held. Was that meant? Reply "   \
    "CONTINUE to go on with it, or CANCEL to end it."

/* --- Runs that failed, paused or came to a limit (engine/run) --- */

#define WORDS_BRAIN_BROKEN                                                                     \
    "The brain '%s' does not work: %s.\n\nIts jobs wait. Mend [brain %s] in "                  \
    "postrider.conf, and they go on. One of them is tried every five minutes, or at once "     \
    "after: postrider continue %" PRId64
#define WORDS_BRAIN_BROKEN_SUBJECT "A brain does not work"
#define WORDS_NO_SANDBOX                                                                       \
    "The role '%s' starts no program for job %" PRId64 ": %s.\n\nNothing is lost: the job "     \
    "waits, and goes on by itself once there is a sandbox. %s\nTo let it try at once: "        \
    "postrider continue %" PRId64
#define WORDS_NO_SANDBOX_SUBJECT "A program needs a sandbox"
#define WORDS_BRAIN_LIMIT                                                                      \
    "The brain '%s' is at a limit, and asks to be left alone for more than a day. It said:"    \
    "\n\n    %s\n\nIs that right? I don't take its word for so long. Nothing is lost: all "    \
    "its jobs wait until %s, then I try again, and so once a day.\n\nTo let me try at "        \
    "once, type: postrider continue %" PRId64 "\nFor another key or another provider: "        \
    "postrider setup brain"
#define WORDS_BRAIN_LIMIT_SUBJECT "A brain is at its limit"
#define WORDS_PAUSE_BROKEN                                                                     \
    "I can't go on with this since %s: what I think with does not work (%s).\n\nNothing is "   \
    "lost: the owner knows, and I go on by myself when it is mended."
#define WORDS_PAUSE_UNTIL                                                                      \
    "I can't go on with this before %s: %s.\n\nNothing is lost: I go on by myself then, "      \
    "with this and whatever else waits for it. Reply CONTINUE to let me try at once."
#define WORDS_PAUSE_SILENT                                                                     \
    "I can't go on with this since %s: %s.\n\nNothing is lost: I try again at least once "     \
    "an hour, and go on by myself when it works. Reply CONTINUE to let me try at once."
#define WORDS_PAUSE_OVER "I go on with this."
#define WORDS_PAUSE_OVER_MONEY "I go on with this, at most %s."
#define WORDS_RUN_FAILED                                                                       \
    "I could not do this: %s.%s%s\n\nReply CONTINUE to let me try again, or just write."
#define WORDS_RUN_FAILED_LOG "\n\nThe last it wrote:\n"
#define WORDS_CHECK_FAILED "The check `%s` failed: %s.%s%s"
#define WORDS_CHECK_NOT_RUN "(The check `%s` has not run yet: it is run before the answer leaves.)"
#define WORDS_CHECK_REFUSED "(The line \"check: %s\" does not count: %s.)"
#define WORDS_CHECK_NOT_YOURS "only somebody who may steer can ask for a check"
#define WORDS_CHECK_FOREIGN "its mail repeats words of somebody who is not known here"
#define WORDS_CHECK_CHANGED "its mail was changed after it came"
#define WORDS_CHECK_AT_END                                                                     \
    "this task has a check (%s), which is run before its answer leaves: end with the answer "  \
    "itself, and send nothing to whoever asked before"
#define WORDS_RUN_HALTED                                                                       \
    "I stopped here: %s.\n\nWhat was reached so far:\n\n%s\n\nReply CONTINUE %s to let me "    \
    "go on, CANCEL to end it, or write what to do instead."
#define WORDS_RUN_NOTHING_WRITTEN "(nothing was written down)"
#define WORDS_RUN_NEEDS_YOU "This needs you: %s%s%s\n\nReply with what to do."
#define WORDS_RUN_NO_REASON "the agent gave no reason."
#define WORDS_RUN_WROTE "\n\nWhat it wrote down:\n\n"
#define WORDS_RUN_WITH_OWNER "This is with the owner now"
#define WORDS_RUN_DONE "This is done"
#define WORDS_RUN_DONE_SILENT "This is done, and no answer was written"
#define WORDS_RUN_ONE_FAILED "\n\nOne thing failed: it "
#define WORDS_OUTSIDE_TEXT "%sFor job %" PRId64 " this goes to %s:\n\n%s"
#define WORDS_OUTSIDE_ATTACHED "\n\nAttached: %s%s%s"
#define WORDS_OUTSIDE_HELD "\n\n(It is held: %s.)"
#define WORDS_HELD_ASKED                                                                       \
    "%s that I wrote for this must wait for the owner's yes. %s was asked; you need not do "   \
    "anything."
#define WORDS_HELD_MAIL "A mail"
#define WORDS_HELD_MAILS "Mails"
#define WORDS_REPORT_MISSING                                                                   \
    "The briefing of %s has not been sent. 'postrider briefing skip %s' says that none will come."
