#pragma once

/* Every verb's function, in cmd_VERB.c or in that of a verb much like it. They return an exit
 * status, -1 to be handed on to the other program. */
typedef struct Cli Cli;

int cmd_account(Cli *cli, int argc, char **argv);
int cmd_approve(Cli *cli, int argc, char **argv);
int cmd_ask(Cli *cli, int argc, char **argv);
int cmd_backup(Cli *cli, int argc, char **argv);
int cmd_cancel(Cli *cli, int argc, char **argv);
int cmd_role(Cli *cli, int argc, char **argv);
int cmd_config(Cli *cli, int argc, char **argv);
int cmd_continue(Cli *cli, int argc, char **argv);
int cmd_cost(Cli *cli, int argc, char **argv);
int cmd_deliver(Cli *cli, int argc, char **argv);
int cmd_doctor(Cli *cli, int argc, char **argv);
int cmd_every(Cli *cli, int argc, char **argv);
int cmd_fork(Cli *cli, int argc, char **argv);
int cmd_help(Cli *cli, int argc, char **argv);
int cmd_submit(Cli *cli, int argc, char **argv);
int cmd_index(Cli *cli, int argc, char **argv);
int cmd_init(Cli *cli, int argc, char **argv);
int cmd_inject(Cli *cli, int argc, char **argv);
int cmd_job(Cli *cli, int argc, char **argv);
int cmd_job_mail(Cli *cli, int argc, char **argv);
int cmd_log(Cli *cli, int argc, char **argv);
int cmd_mail(Cli *cli, int argc, char **argv);
int cmd_mail_list(Cli *cli, int argc, char **argv);
int cmd_note(Cli *cli, int argc, char **argv);
int cmd_outbox(Cli *cli, int argc, char **argv);
int cmd_outbox_mail(Cli *cli, int argc, char **argv);
int cmd_receive(Cli *cli, int argc, char **argv);
int cmd_reject(Cli *cli, int argc, char **argv);
int cmd_restore(Cli *cli, int argc, char **argv);
int cmd_resume(Cli *cli, int argc, char **argv);
int cmd_run(Cli *cli, int argc, char **argv);
int cmd_send(Cli *cli, int argc, char **argv);
int cmd_sendmail(Cli *cli, int argc, char **argv);
int cmd_serve(Cli *cli, int argc, char **argv);
int cmd_serve_once(Cli *cli, int argc, char **argv);
int cmd_show(Cli *cli, int argc, char **argv);
int cmd_show_context(Cli *cli, int argc, char **argv);
int cmd_show_mail(Cli *cli, int argc, char **argv);
int cmd_status(Cli *cli, int argc, char **argv);
int cmd_stop(Cli *cli, int argc, char **argv);
int cmd_watch(Cli *cli, int argc, char **argv);
