#include "category.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <pipewire/keys.h>
#include <spa/utils/defs.h>

#include "../ALSAPlugin/protocol/pcm_protocol.h"

/* docs/pipewire.md has this table. The roles are PipeWire's, and names of WirePlumber's example. */
static const struct {
    const char *role, *category, *options;
} roles[] = {
    {"Notification", "ambient", ""},
    {"Animation", "ambient", ""},
    {"Alert", "ambient", ""},
    {"Game", "ambient", ""},
    {"Music", "playback", "mixWithOthers"},
    {"Movie", "playback", "mixWithOthers"},
    {"Production", "playback", "mixWithOthers"},
    {"Multimedia", "playback", "mixWithOthers"},
    {"Camera", "playback", "mixWithOthers"},
    {"Screen", "playback", "mixWithOthers"},
    {"Communication", "playAndRecord", ""},
    {"Ringtone", "soloAmbient", ""},
    {"Accessibility", "playback", "duckOthers"},
    {"Navigation", "playback", "duckOthers"},
    {"Assistant", "playback", "duckOthers"},
    {"Alarm", "playback", ""},
    {"Emergency", "playback", ""},
};

static const char *const categories[] = {
    "ambient", "soloAmbient", "playback", "record", "playAndRecord", "multiRoute", "audioProcessing"};

/* Whose values rules may ask for. */
static const char *const properties[] = {
    PW_KEY_APP_ID, PW_KEY_APP_PROCESS_BINARY, PW_KEY_APP_NAME, PW_KEY_NODE_NAME, PW_KEY_MEDIA_ROLE};

static const char *const names_of_options[] = {"mixWithOthers", "duckOthers", "allowBluetooth", "defaultToSpeaker",
    "interruptSpokenAudioAndMixWithOthers", "honoursRingSilentSwitch"};

#define HAS(list, text) has(list, SPA_N_ELEMENTS(list), text)
static bool has(const char *const *list, size_t count, const char *text)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i], text) == 0)
            return true;
    return false;
}

static char *trimmed(char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    char *end = text + strlen(text);
    while (end > text && isspace((unsigned char)end[-1]))
        *--end = '\0';
    return text;
}

/* Copies a text that has to have room; a part of it would be another text. */
static bool copy(char *target, size_t size, const char *text)
{
    return (size_t)snprintf(target, size, "%s", text) < size;
}
#define COPY(target, text) copy(target, sizeof target, text)

/* "CATEGORY [OPTION...]" */
static const char *read_category(struct category *category, char *text)
{
    char *rest, *word = strtok_r(text, " \t,", &rest);
    if (word == NULL || !HAS(categories, word))
        return "there is no such category";
    COPY(category->name, word);
    category->options[0] = '\0';
    while ((word = strtok_r(NULL, " \t,", &rest)) != NULL) {
        size_t used = strlen(category->options);
        if (!HAS(names_of_options, word))
            return "there is no such option";
        if (!copy(category->options + used, sizeof category->options - used, used ? " " : "") ||
            !copy(category->options + used + (used != 0), sizeof category->options - used - (used != 0), word))
            return "these are too many options";
    }
    return NULL;
}

static const char *read_rule(struct rules *rules, char *key, char *value)
{
    char *colon = strchr(key, ':');
    if (colon == NULL)
        return "there is no such key";
    *colon = '\0';
    struct rule rule = {0};
    if (!HAS(properties, trimmed(key)))
        return "no rule asks for this property";
    if (!COPY(rule.property, trimmed(key)) || !COPY(rule.value, trimmed(colon + 1)))
        return "the value is too long";
    const char *error = read_category(&rule.category, value);
    if (error != NULL)
        return error;
    struct rule *more = reallocarray(rules->rules, rules->count + 1, sizeof rule);
    if (more == NULL)
        return strerror(errno);
    rules->rules = more;
    more[rules->count++] = rule;
    return NULL;
}

static const char *read_line(struct rules *rules, char *line)
{
    line[strcspn(line, "#")] = '\0';
    line = trimmed(line);
    if (*line == '\0')
        return NULL;
    char *equals = strchr(line, '=');
    if (equals == NULL)
        return "it is not of the form KEY = VALUE";
    *equals = '\0';
    char *key = trimmed(line), *value = trimmed(equals + 1);
    if (strcmp(key, "default-category") == 0)
        return read_category(&rules->otherwise, value);
    if (strcmp(key, "if-unreachable") == 0) {
        rules->plays_unreachable = strcmp(value, "play") == 0;
        return rules->plays_unreachable || strcmp(value, "silence") == 0 ? NULL : "it is silence or play";
    }
    if (strcmp(key, "socket") == 0)
        return COPY(rules->socket, value) ? NULL : "the path is too long";
    return read_rule(rules, key, value);
}

void rules_read(struct rules *rules, const char *path)
{
    *rules = (struct rules){.otherwise = {.name = "ambient"}, .socket = RINGER_PCM_SOCKET};
    FILE *file = fopen(path, "re");
    if (file == NULL && errno == ENOENT)
        return;
    char *line = NULL;
    size_t size = 0;
    unsigned int number = 0;
    ssize_t length = -1;
    while (file != NULL && (length = getline(&line, &size, file)) >= 0) {
        const char *error = memchr(line, '\0', (size_t)length) != NULL ? "it has a zero byte" : read_line(rules, line);
        number++;
        if (error == NULL)
            continue;
        rules->broken = true;
        fprintf(stderr, "ringer-pipewire: %s, line %u: %s\n", path, number, error);
    }
    if (file == NULL || ferror(file)) {
        rules->broken = true;
        fprintf(stderr, "ringer-pipewire: %s: %s\n", path, strerror(errno));
    }
    free(line);
    if (file != NULL)
        fclose(file);
    if (!rules->broken)
        return;
    fprintf(stderr, "ringer-pipewire: until %s is mended, every program that names no category is ambient\n", path);
    rules->otherwise = (struct category){.name = "ambient"};
    rules->plays_unreachable = false;
}

bool rules_need_client(const struct rules *rules, const struct spa_dict *stream)
{
    if (rules->broken || spa_dict_lookup(stream, "ringer.category") != NULL)
        return false;
    for (size_t i = 0; i < rules->count; i++)
        if (strncmp(rules->rules[i].property, "application.", 12) == 0 && spa_dict_lookup(stream, rules->rules[i].property) == NULL)
            return true;
    return false;
}

void add_client(struct pw_properties *stream, const struct spa_dict *client)
{
    static const char *const keys[] = {PW_KEY_APP_ID, PW_KEY_APP_PROCESS_BINARY, PW_KEY_APP_NAME, NULL};
    pw_properties_add_keys(stream, client, keys);
}

struct category categorize(const struct rules *rules, const struct spa_dict *stream)
{
    struct category own = {.name = ""};
    const char *category = spa_dict_lookup(stream, "ringer.category"), *options = spa_dict_lookup(stream, "ringer.options");
    if (category != NULL) {
        /* The service refuses what does not exist, as the ALSA plug-in does: silence. */
        if (!COPY(own.name, category) || (options != NULL && !COPY(own.options, options)))
            COPY(own.name, "(too long)");
        return own;
    }
    const char *role = spa_dict_lookup(stream, PW_KEY_MEDIA_ROLE);
    if (role != NULL && strcmp(role, ROLE_JUDGED) == 0)
        return (struct category){.passes = true};
    if (rules->broken)
        return rules->otherwise;
    for (size_t i = 0; i < rules->count; i++) {
        const char *value = spa_dict_lookup(stream, rules->rules[i].property);
        if (value != NULL && strcmp(value, rules->rules[i].value) == 0)
            return rules->rules[i].category;
    }
    for (size_t i = 0; role != NULL && i < SPA_N_ELEMENTS(roles); i++)
        if (strcasecmp(roles[i].role, role) == 0) {
            COPY(own.name, roles[i].category);
            COPY(own.options, roles[i].options);
            return own;
        }
    return rules->otherwise;
}
