// alsa-lib, loaded when the first of its functions is called.
//
// Firmware that has not played anything yet does not need the library's pages, relocations and constructors (about 0.4
// MB of resident memory), and a device without a speaker does not need the library.
#include "CALSA.h"

#include <dlfcn.h>
#include <errno.h>
#include <library_loader.h>

static struct ringer_library library;

static void load(void)
{
    // Global, as if the program were linked with it: plug-ins may look for its symbols.
    library.handle = dlopen("libasound.so.2", RTLD_NOW | RTLD_GLOBAL);
}

static struct ringer_library library = {.load = load, .once = PTHREAD_ONCE_INIT};

FORWARD(snd_pcm_sframes_t, snd_pcm_avail_update, (snd_pcm_t *pcm), (pcm), -ELIBACC)
FORWARD(int, snd_config_update, (void), (), -ELIBACC)
FORWARD(int, snd_pcm_close, (snd_pcm_t *pcm), (pcm), -ELIBACC)
FORWARD(int, snd_pcm_delay, (snd_pcm_t *pcm, snd_pcm_sframes_t *delay), (pcm, delay), -ELIBACC)
FORWARD(int, snd_pcm_drop, (snd_pcm_t *pcm), (pcm), -ELIBACC)
FORWARD(int, snd_pcm_hw_params, (snd_pcm_t *pcm, snd_pcm_hw_params_t *params), (pcm, params), -ELIBACC)
FORWARD(int, snd_pcm_hw_params_any, (snd_pcm_t *pcm, snd_pcm_hw_params_t *params), (pcm, params), -ELIBACC)
FORWARD(int, snd_pcm_hw_params_current, (snd_pcm_t *pcm, snd_pcm_hw_params_t *params), (pcm, params), -ELIBACC)
FORWARD(int, snd_pcm_hw_params_get_buffer_size,
    (const snd_pcm_hw_params_t *params, snd_pcm_uframes_t *frames), (params, frames), -ELIBACC)
FORWARD(int, snd_pcm_hw_params_get_period_size,
    (const snd_pcm_hw_params_t *params, snd_pcm_uframes_t *frames, int *dir), (params, frames, dir), -ELIBACC)
FORWARD(int, snd_pcm_hw_params_is_batch, (const snd_pcm_hw_params_t *params), (params), 1)
FORWARD(int, snd_pcm_hw_params_malloc, (snd_pcm_hw_params_t **params), (params), -ELIBACC)
FORWARD(int, snd_pcm_hw_params_set_access,
    (snd_pcm_t *pcm, snd_pcm_hw_params_t *params, snd_pcm_access_t access), (pcm, params, access), -ELIBACC)
FORWARD(int, snd_pcm_hw_params_set_buffer_time_near,
    (snd_pcm_t *pcm, snd_pcm_hw_params_t *params, unsigned int *time, int *dir), (pcm, params, time, dir), -ELIBACC)
FORWARD(int, snd_pcm_hw_params_set_channels,
    (snd_pcm_t *pcm, snd_pcm_hw_params_t *params, unsigned int channels), (pcm, params, channels), -ELIBACC)
FORWARD(int, snd_pcm_hw_params_set_format,
    (snd_pcm_t *pcm, snd_pcm_hw_params_t *params, snd_pcm_format_t format), (pcm, params, format), -ELIBACC)
FORWARD(int, snd_pcm_hw_params_set_period_time_near,
    (snd_pcm_t *pcm, snd_pcm_hw_params_t *params, unsigned int *time, int *dir), (pcm, params, time, dir), -ELIBACC)
FORWARD(int, snd_pcm_hw_params_set_rate,
    (snd_pcm_t *pcm, snd_pcm_hw_params_t *params, unsigned int rate, int dir), (pcm, params, rate, dir), -ELIBACC)
FORWARD(int, snd_pcm_hw_params_set_rate_resample,
    (snd_pcm_t *pcm, snd_pcm_hw_params_t *params, unsigned int resample), (pcm, params, resample), -ELIBACC)
FORWARD(int, snd_pcm_open, (snd_pcm_t **pcm, const char *name, snd_pcm_stream_t stream, int mode),
    (pcm, name, stream, mode), -ELIBACC)
FORWARD(int, snd_pcm_poll_descriptors, (snd_pcm_t *pcm, struct pollfd *descriptors, unsigned int space),
    (pcm, descriptors, space), -ELIBACC)
FORWARD(int, snd_pcm_poll_descriptors_count, (snd_pcm_t *pcm), (pcm), -ELIBACC)
FORWARD(int, snd_pcm_poll_descriptors_revents,
    (snd_pcm_t *pcm, struct pollfd *descriptors, unsigned int count, unsigned short *revents), (pcm, descriptors, count, revents), -ELIBACC)
FORWARD(int, snd_pcm_prepare, (snd_pcm_t *pcm), (pcm), -ELIBACC)
FORWARD(int, snd_pcm_resume, (snd_pcm_t *pcm), (pcm), -ELIBACC)
FORWARD(int, snd_pcm_start, (snd_pcm_t *pcm), (pcm), -ELIBACC)
FORWARD(int, snd_pcm_status, (snd_pcm_t *pcm, snd_pcm_status_t *status), (pcm, status), -ELIBACC)
FORWARD(int, snd_pcm_status_malloc, (snd_pcm_status_t **status), (status), -ELIBACC)
FORWARD(int, snd_pcm_sw_params, (snd_pcm_t *pcm, snd_pcm_sw_params_t *params), (pcm, params), -ELIBACC)
FORWARD(int, snd_pcm_sw_params_current, (snd_pcm_t *pcm, snd_pcm_sw_params_t *params), (pcm, params), -ELIBACC)
FORWARD(int, snd_pcm_sw_params_get_boundary, (const snd_pcm_sw_params_t *params, snd_pcm_uframes_t *frames),
    (params, frames), -ELIBACC)
FORWARD(int, snd_pcm_sw_params_malloc, (snd_pcm_sw_params_t **params), (params), -ELIBACC)
FORWARD(int, snd_pcm_sw_params_set_avail_min,
    (snd_pcm_t *pcm, snd_pcm_sw_params_t *params, snd_pcm_uframes_t frames), (pcm, params, frames), -ELIBACC)
FORWARD(int, snd_pcm_sw_params_set_start_threshold,
    (snd_pcm_t *pcm, snd_pcm_sw_params_t *params, snd_pcm_uframes_t frames), (pcm, params, frames), -ELIBACC)
FORWARD(int, snd_pcm_sw_params_set_stop_threshold,
    (snd_pcm_t *pcm, snd_pcm_sw_params_t *params, snd_pcm_uframes_t frames), (pcm, params, frames), -ELIBACC)
FORWARD(snd_local_error_handler_t, snd_lib_error_set_local, (snd_local_error_handler_t handler), (handler), NULL)
FORWARD(snd_pcm_sframes_t, snd_pcm_writei, (snd_pcm_t *pcm, const void *buffer, snd_pcm_uframes_t frames),
    (pcm, buffer, frames), -ELIBACC)
FORWARD(snd_pcm_state_t, snd_pcm_state, (snd_pcm_t *pcm), (pcm), SND_PCM_STATE_DISCONNECTED)
FORWARD(snd_pcm_type_t, snd_pcm_type, (snd_pcm_t *pcm), (pcm), SND_PCM_TYPE_NULL)
FORWARD(snd_pcm_uframes_t, snd_pcm_status_get_avail, (const snd_pcm_status_t *status), (status), 0)
FORWARD(int, snd_pcm_info, (snd_pcm_t *pcm, snd_pcm_info_t *info), (pcm, info), -ELIBACC)
FORWARD(int, snd_pcm_info_get_card, (const snd_pcm_info_t *info), (info), -ELIBACC)
FORWARD(unsigned int, snd_pcm_info_get_device, (const snd_pcm_info_t *info), (info), 0)
FORWARD(unsigned int, snd_pcm_info_get_subdevice, (const snd_pcm_info_t *info), (info), 0)
FORWARD(unsigned int, snd_pcm_info_get_subdevices_count, (const snd_pcm_info_t *info), (info), 0)
FORWARD(int, snd_pcm_info_malloc, (snd_pcm_info_t **info), (info), -ELIBACC)
FORWARD(snd_pcm_sframes_t, snd_pcm_rewind, (snd_pcm_t *pcm, snd_pcm_uframes_t frames), (pcm, frames), -ELIBACC)
FORWARD(snd_pcm_sframes_t, snd_pcm_rewindable, (snd_pcm_t *pcm), (pcm), -ELIBACC)
FORWARD_VOID(snd_pcm_info_free, (snd_pcm_info_t *info), (info))
FORWARD_VOID(snd_pcm_hw_params_free, (snd_pcm_hw_params_t *params), (params))
FORWARD_VOID(snd_pcm_status_free, (snd_pcm_status_t *status), (status))
FORWARD_VOID(snd_pcm_sw_params_free, (snd_pcm_sw_params_t *params), (params))

// Preferences, and the granted format of the hardware behind a PCM.
FORWARD(int, snd_config_update_free, (snd_config_update_t *update), (update), -ELIBACC)
FORWARD(int, snd_config_update_free_global, (void), (), -ELIBACC)
FORWARD(int, snd_config_update_r, (snd_config_t **top, snd_config_update_t **update, const char *files),
    (top, update, files), -ELIBACC)
FORWARD(int, snd_output_buffer_open, (snd_output_t **output), (output), -ELIBACC)
FORWARD(size_t, snd_output_buffer_string, (snd_output_t *output, char **text), (output, text), 0)
FORWARD(int, snd_output_close, (snd_output_t *output), (output), -ELIBACC)
FORWARD(int, snd_pcm_dump, (snd_pcm_t *pcm, snd_output_t *output), (pcm, output), -ELIBACC)
FORWARD(int, snd_pcm_hw_params_get_rate_max,
    (const snd_pcm_hw_params_t *params, unsigned int *rate, int *dir), (params, rate, dir), -ELIBACC)
FORWARD(int, snd_pcm_hw_params_get_rate_min,
    (const snd_pcm_hw_params_t *params, unsigned int *rate, int *dir), (params, rate, dir), -ELIBACC)
FORWARD(int, snd_pcm_hw_params_set_channels_near,
    (snd_pcm_t *pcm, snd_pcm_hw_params_t *params, unsigned int *channels), (pcm, params, channels), -ELIBACC)
FORWARD(int, snd_pcm_hw_params_set_rate_near,
    (snd_pcm_t *pcm, snd_pcm_hw_params_t *params, unsigned int *rate, int *dir), (pcm, params, rate, dir), -ELIBACC)
FORWARD(int, snd_pcm_open_lconf,
    (snd_pcm_t **pcm, const char *name, snd_pcm_stream_t stream, int mode, snd_config_t *lconf),
    (pcm, name, stream, mode, lconf), -ELIBACC)
FORWARD(snd_pcm_sframes_t, snd_pcm_status_get_delay, (const snd_pcm_status_t *status), (status), 0)
FORWARD(snd_pcm_state_t, snd_pcm_status_get_state, (const snd_pcm_status_t *status),
    (status), SND_PCM_STATE_DISCONNECTED)

// The controls of a sound card, and its mixer.
FORWARD(int, snd_card_get_index, (const char *name), (name), -ELIBACC)
FORWARD(int, snd_config_delete, (snd_config_t *config), (config), -ELIBACC)
FORWARD(int, snd_config_load, (snd_config_t *config, snd_input_t *in), (config, in), -ELIBACC)
FORWARD(int, snd_config_top, (snd_config_t **config), (config), -ELIBACC)
FORWARD(int, snd_ctl_close, (snd_ctl_t *ctl), (ctl), -ELIBACC)
FORWARD(int, snd_ctl_elem_info, (snd_ctl_t *ctl, snd_ctl_elem_info_t *info), (ctl, info), -ELIBACC)
FORWARD_VOID(snd_ctl_elem_info_free, (snd_ctl_elem_info_t *obj), (obj))
FORWARD(snd_ctl_elem_type_t, snd_ctl_elem_info_get_type, (const snd_ctl_elem_info_t *obj),
    (obj), SND_CTL_ELEM_TYPE_NONE)
FORWARD(int, snd_ctl_elem_info_malloc, (snd_ctl_elem_info_t **ptr), (ptr), -ELIBACC)
FORWARD_VOID(snd_ctl_elem_info_set_numid, (snd_ctl_elem_info_t *obj, unsigned int val), (obj, val))
FORWARD(int, snd_ctl_elem_list, (snd_ctl_t *ctl, snd_ctl_elem_list_t *list), (ctl, list), -ELIBACC)
FORWARD(int, snd_ctl_elem_list_alloc_space, (snd_ctl_elem_list_t *obj, unsigned int entries), (obj, entries), -ELIBACC)
FORWARD_VOID(snd_ctl_elem_list_free, (snd_ctl_elem_list_t *obj), (obj))
FORWARD_VOID(snd_ctl_elem_list_free_space, (snd_ctl_elem_list_t *obj), (obj))
FORWARD(unsigned int, snd_ctl_elem_list_get_count, (const snd_ctl_elem_list_t *obj), (obj), 0)
FORWARD(const char *, snd_ctl_elem_list_get_name, (const snd_ctl_elem_list_t *obj, unsigned int idx), (obj, idx), NULL)
FORWARD(unsigned int, snd_ctl_elem_list_get_numid, (const snd_ctl_elem_list_t *obj, unsigned int idx), (obj, idx), 0)
FORWARD(unsigned int, snd_ctl_elem_list_get_used, (const snd_ctl_elem_list_t *obj), (obj), 0)
FORWARD(int, snd_ctl_elem_list_malloc, (snd_ctl_elem_list_t **ptr), (ptr), -ELIBACC)
FORWARD(int, snd_ctl_elem_read, (snd_ctl_t *ctl, snd_ctl_elem_value_t *data), (ctl, data), -ELIBACC)
FORWARD_VOID(snd_ctl_elem_value_clear, (snd_ctl_elem_value_t *obj), (obj))
FORWARD_VOID(snd_ctl_elem_value_free, (snd_ctl_elem_value_t *obj), (obj))
FORWARD(int, snd_ctl_elem_value_get_boolean, (const snd_ctl_elem_value_t *obj, unsigned int idx), (obj, idx), -ELIBACC)
FORWARD(int, snd_ctl_elem_value_malloc, (snd_ctl_elem_value_t **ptr), (ptr), -ELIBACC)
FORWARD_VOID(snd_ctl_elem_value_set_numid, (snd_ctl_elem_value_t *obj, unsigned int val), (obj, val))
FORWARD(unsigned int, snd_ctl_event_elem_get_mask, (const snd_ctl_event_t *obj), (obj), 0)
FORWARD_VOID(snd_ctl_event_free, (snd_ctl_event_t *obj), (obj))
FORWARD(snd_ctl_event_type_t, snd_ctl_event_get_type, (const snd_ctl_event_t *obj), (obj), SND_CTL_EVENT_LAST)
FORWARD(int, snd_ctl_event_malloc, (snd_ctl_event_t **ptr), (ptr), -ELIBACC)
FORWARD(int, snd_ctl_open_lconf, (snd_ctl_t **ctl, const char *name, int mode, snd_config_t *lconf),
    (ctl, name, mode, lconf), -ELIBACC)
FORWARD(int, snd_ctl_poll_descriptors, (snd_ctl_t *ctl, struct pollfd *pfds, unsigned int space),
    (ctl, pfds, space), -ELIBACC)
FORWARD(int, snd_ctl_read, (snd_ctl_t *ctl, snd_ctl_event_t *event), (ctl, event), -ELIBACC)
FORWARD(int, snd_ctl_subscribe_events, (snd_ctl_t *ctl, int subscribe), (ctl, subscribe), -ELIBACC)
FORWARD(int, snd_hctl_close, (snd_hctl_t *hctl), (hctl), -ELIBACC)
FORWARD(int, snd_hctl_open_ctl, (snd_hctl_t **hctlp, snd_ctl_t *ctl), (hctlp, ctl), -ELIBACC)
FORWARD(int, snd_input_buffer_open, (snd_input_t **inputp, const char *buffer, ssize_t size),
    (inputp, buffer, size), -ELIBACC)
FORWARD(int, snd_input_close, (snd_input_t *input), (input), -ELIBACC)
FORWARD(int, snd_mixer_attach_hctl, (snd_mixer_t *mixer, snd_hctl_t *hctl), (mixer, hctl), -ELIBACC)
FORWARD(int, snd_mixer_close, (snd_mixer_t *mixer), (mixer), -ELIBACC)
FORWARD(snd_mixer_elem_t *, snd_mixer_elem_next, (snd_mixer_elem_t *elem), (elem), NULL)
FORWARD(snd_mixer_elem_t *, snd_mixer_first_elem, (snd_mixer_t *mixer), (mixer), NULL)
FORWARD(int, snd_mixer_handle_events, (snd_mixer_t *mixer), (mixer), -ELIBACC)
FORWARD(int, snd_mixer_load, (snd_mixer_t *mixer), (mixer), -ELIBACC)
FORWARD(int, snd_mixer_open, (snd_mixer_t **mixer, int mode), (mixer, mode), -ELIBACC)
FORWARD(int, snd_mixer_poll_descriptors, (snd_mixer_t *mixer, struct pollfd *pfds, unsigned int space),
    (mixer, pfds, space), -ELIBACC)
FORWARD(const char *, snd_mixer_selem_get_name, (snd_mixer_elem_t *elem), (elem), NULL)
FORWARD(int, snd_mixer_selem_get_playback_switch,
    (snd_mixer_elem_t *elem, snd_mixer_selem_channel_id_t channel, int *value),
    (elem, channel, value), -ELIBACC)
FORWARD(int, snd_mixer_selem_get_playback_volume,
    (snd_mixer_elem_t *elem, snd_mixer_selem_channel_id_t channel, long *value),
    (elem, channel, value), -ELIBACC)
FORWARD(int, snd_mixer_selem_get_playback_volume_range, (snd_mixer_elem_t *elem, long *min, long *max),
    (elem, min, max), -ELIBACC)
FORWARD(int, snd_mixer_selem_has_playback_channel, (snd_mixer_elem_t *obj, snd_mixer_selem_channel_id_t channel),
    (obj, channel), -ELIBACC)
FORWARD(int, snd_mixer_selem_has_playback_switch, (snd_mixer_elem_t *elem), (elem), -ELIBACC)
FORWARD(int, snd_mixer_selem_has_playback_volume, (snd_mixer_elem_t *elem), (elem), -ELIBACC)
FORWARD(int, snd_mixer_selem_register,
    (snd_mixer_t *mixer, struct snd_mixer_selem_regopt *options, snd_mixer_class_t **classp),
    (mixer, options, classp), -ELIBACC)
FORWARD(int, snd_mixer_selem_set_playback_switch_all, (snd_mixer_elem_t *elem, int value), (elem, value), -ELIBACC)
FORWARD(int, snd_mixer_selem_set_playback_volume_all, (snd_mixer_elem_t *elem, long value), (elem, value), -ELIBACC)

// The use cases of a sound card (UCM).
FORWARD(int, snd_use_case_free_list, (const char *list[], int items), (list, items), -ELIBACC)
FORWARD(int, snd_use_case_get, (snd_use_case_mgr_t *manager, const char *identifier, const char **value),
    (manager, identifier, value), -ELIBACC)
FORWARD(int, snd_use_case_get_list, (snd_use_case_mgr_t *manager, const char *identifier, const char **list[]),
    (manager, identifier, list), -ELIBACC)
FORWARD(int, snd_use_case_mgr_close, (snd_use_case_mgr_t *manager), (manager), -ELIBACC)
FORWARD(int, snd_use_case_mgr_open, (snd_use_case_mgr_t **manager, const char *card), (manager, card), -ELIBACC)
FORWARD(int, snd_use_case_set, (snd_use_case_mgr_t *manager, const char *identifier, const char *value),
    (manager, identifier, value), -ELIBACC)
