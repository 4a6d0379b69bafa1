/* A plug-in of qemu that counts the instructions of a program on one processor. The few declarations of its interface are
 * here, since Debian has no header of it. */
#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct qemu_plugin_tb;
extern void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, void (*callback)(uint64_t, struct qemu_plugin_tb *));
extern void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *block, int operation, void *number, uint64_t value);
extern size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
extern void qemu_plugin_register_atexit_cb(uint64_t id, void (*callback)(uint64_t, void *), void *data);

int qemu_plugin_version = 1;

static uint64_t count;

static void translated(uint64_t id, struct qemu_plugin_tb *block)
{
    (void)id;
    qemu_plugin_register_vcpu_tb_exec_inline(block, 0, &count, qemu_plugin_tb_n_insns(block));
}

static void ended(uint64_t id, void *data)
{
    (void)id, (void)data;
    fprintf(stderr, "%" PRIu64 "\n", count);
}

int qemu_plugin_install(uint64_t id, const void *information, int argc, char **argv)
{
    (void)information, (void)argc, (void)argv;
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_atexit_cb(id, ended, NULL);
    return 0;
}
