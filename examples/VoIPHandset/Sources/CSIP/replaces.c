// An INVITE that takes the place of a call: RFC 3891.
#include "endpoint.h"

#include <string.h>

// The dialog that the header names, as a message of that dialog.
static bool read_dialog(struct sip_msg *dialog, bool *is_early_only, const struct pl *value)
{
    const char *end = pl_strchr(value, ';');
    struct pl parameters;

    if (!end)
        return false;
    parameters = (struct pl){.p = end, .l = (size_t)(value->p + value->l - end)};
    memset(dialog, 0, sizeof(*dialog));
    dialog->req = true;
    dialog->callid = (struct pl){.p = value->p, .l = (size_t)(end - value->p)};
    while (dialog->callid.l > 0 && strchr(" \t", dialog->callid.p[dialog->callid.l - 1]))
        dialog->callid.l--;
    *is_early_only = !msg_param_exists(&parameters, "early-only", &(struct pl){0});
    return !msg_param_decode(&parameters, "to-tag", &dialog->to.tag)
        && !msg_param_decode(&parameters, "from-tag", &dialog->from.tag);
}

uint16_t replaces_find(struct call **callp, const struct handset_sip *sip, const struct sip_msg *message)
{
    const struct sip_hdr *header = sip_msg_hdr(message, SIP_HDR_REPLACES);
    struct sip_msg dialog;
    bool is_early_only;
    const struct le *le;

    if (sip_msg_hdr_count(message, SIP_HDR_REPLACES) != 1 || !read_dialog(&dialog, &is_early_only, &header->val))
        return 400;
    for (le = sip->calls.head; le; le = le->next) {
        struct call *call = le->data;
        if (!call->session || !sip_dialog_cmp(sipsess_dialog(call->session), &dialog))
            continue;
        // One that rings was not begun by this side (RFC 3891, 3).
        if (!call->answered)
            return 481;
        if (is_early_only)
            return 486;
        *callp = call;
        return 0;
    }
    return 481;
}
