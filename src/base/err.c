#include "base/err.h"
#include "base/secret.h"
#include <sysexits.h>

GQuark
err_quark(void)
{
    return g_quark_from_static_string("postrider");
}

bool
err_pass(GError **error, GError *take_why)
{
    g_propagate_error(error, take_why);
    return false;
}

/* Takes the text. */
static char *
make_safe(char *take_text)
{
    g_autofree char *hidden = secret_hide(take_text);

    return text_vis(hidden, false);
}

bool
err_set(GError **error, ErrCode code, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    g_autoptr(GError) e = g_error_new_valist(ERR_DOMAIN, code, fmt, ap);
    va_end(ap);
    e->message = make_safe(e->message);
    return err_pass(error, g_steal_pointer(&e));
}

/* What a person or a timer can mend is worth another try; a failing disk is not. */
static ErrCode
code_of_errno(int errnum)
{
    switch (errnum) {
    case EINTR:
        return ERR_AGAIN;
    case EAGAIN:
    case EBUSY:
    case EDQUOT:
    case EFBIG:
    case EMFILE:
    case ENFILE:
    case ENOBUFS:
    case ENOLCK:
    case ENOMEM:
    case ENOSPC:
    case ETIMEDOUT:
    case ETXTBSY:
        return ERR_LATER;
    case EIO:
    case EUCLEAN:
        return ERR_DAMAGE;
    default:
        return ERR_NEVER;
    }
}

bool
err_set_errno(GError **error, int errnum, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    g_autofree char *text = g_strdup_vprintf(fmt, ap);
    va_end(ap);
    return err_set(error, code_of_errno(errnum), "%s: %s", text, g_strerror(errnum));
}

bool
err_prefix(GError **error, const char *fmt, ...)
{
    if (!error || !*error)
        return false;

    va_list ap;

    va_start(ap, fmt);
    g_autofree char *text = g_strdup_vprintf(fmt, ap);
    va_end(ap);
    g_prefix_error(error, "%s: ", text);
    (*error)->message = make_safe((*error)->message);
    return false;
}

bool
err_is(const GError *error, ErrCode code)
{
    return g_error_matches(error, ERR_DOMAIN, (int)code);
}

int
err_exit_status(const GError *error)
{
    if (!error || error->domain != ERR_DOMAIN)
        return EXIT_FAILURE;
    switch ((ErrCode)error->code) {
    case ERR_AGAIN:
    case ERR_LATER:
        return EX_TEMPFAIL;
    case ERR_NEVER:
    case ERR_LIMIT:
        return EX_DATAERR;
    case ERR_DAMAGE:
        return EX_SOFTWARE;
    case ERR_CONFIG:
        return EX_CONFIG;
    case ERR_CANCELLED:
        break;
    }
    return EXIT_FAILURE;
}
