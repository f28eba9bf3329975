// A plugin that counts the instructions which qemu's user mode executes. It declares
// what it needs of qemu-plugin.h (version 1), which Debian does not ship.
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

typedef uint64_t id;
struct qemu_plugin_tb;

extern void qemu_plugin_register_vcpu_tb_trans_cb(id, void (*)(id, struct qemu_plugin_tb *));
extern void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *, int, void *, uint64_t);
extern void qemu_plugin_register_atexit_cb(id, void (*)(id, void *), void *);
extern size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);

enum { add_u64 = 0 };

int qemu_plugin_version = 1;

// Not atomic: two threads may lose a few of each other's, so count with --workers 1.
static uint64_t executed;

static void translated(id plugin, struct qemu_plugin_tb *block) {
	qemu_plugin_register_vcpu_tb_exec_inline(block, add_u64, &executed, qemu_plugin_tb_n_insns(block));
}

static void done(id plugin, void *unused) {
	fprintf(stderr, "instructions: %" PRIu64 "\n", executed);
}

int qemu_plugin_install(id plugin, const void *info, int argc, char **argv) {
	qemu_plugin_register_vcpu_tb_trans_cb(plugin, translated);
	qemu_plugin_register_atexit_cb(plugin, done, NULL);
	return 0;
}
