/*
 * init: process 1 of the laboratory.
 *
 * Makes the guest habitable, runs one command as its child, leaves the child's exit status where the host finds it,
 * and switches the machine off. `ringer-lab` boots it. RINGER_LAB_RUN, from the kernel's command line, is a folder of
 * the host's, which is /run/ringer-lab here, so that no path differs between runs. It has:
 *
 *     command       the child's arguments, each ended by NUL
 *     environment   its environment, the same way
 *     directory     the path of its working directory
 *     writable      paths of the host's folders that the guest may write, the same way
 *     terminal      if it exists: the child's input and output are the third console, as its terminal
 *     messages      written here: what the kernel logged
 *     status        written here: the exit status in decimal, 128 and the signal's number for a death by signal
 *
 * The child's output goes to two of the kernel's consoles, which the host has tied to descriptors of its own.
 *
 * The host's files are mounted read-only, unless `writable` names the root; over /tmp and /var/tmp lie layers in memory.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/klog.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#if defined(__aarch64__) || defined(__arm__) /* qemu's machine; otherwise user-mode Linux */
#define OUTPUT_CONSOLE "/dev/hvc0"
#define ERROR_CONSOLE "/dev/hvc1"
#define TERMINAL "/dev/hvc2"
#define HOST_FILES "9p"
#else
#define OUTPUT_CONSOLE "/dev/tty0"
#define ERROR_CONSOLE "/dev/tty1"
#define TERMINAL "/dev/tty2"
#define HOST_FILES "hostfs"
#endif
#define RUN_FOLDER "/run/ringer-lab"

/* The status that the host sees when the laboratory itself failed, as `timeout` and `env` use it. */
#define LABORATORY_FAILED 125

static const char *run_folder;

static void switch_off(void) __attribute__((noreturn));
static void switch_off(void)
{
    sync();
    reboot(RB_POWER_OFF);
    for (;;)
        pause(); /* a process 1 that returns is a kernel panic */
}

static void report_status(int status)
{
    char path[4096], text[16];
    snprintf(path, sizeof path, "%s/status", run_folder);
    int length = snprintf(text, sizeof text, "%d\n", status);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (file < 0 || write(file, text, length) != length || close(file) < 0)
        perror("lab init: status"); /* the host takes a missing status for a failure */
}

/* What the kernel has logged, for the host. */
static void save_messages(void)
{
    static char text[256 * 1024];
    char path[4096];
    snprintf(path, sizeof path, "%s/messages", run_folder);
    int length = klogctl(3 /* SYSLOG_ACTION_READ_ALL */, text, sizeof text);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (length < 0 || file < 0 || write(file, text, length) != length || close(file) < 0)
        perror("lab init: messages");
}

static void fail(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));
static void fail(const char *format, ...)
{
    int error = errno;
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "lab init: ");
    vfprintf(stderr, format, arguments);
    fprintf(stderr, ": %s\n", strerror(error));
    va_end(arguments);
    if (run_folder != NULL)
        report_status(LABORATORY_FAILED);
    switch_off();
}

/* ---- The guest ---- */

static void mount_on(const char *type, const char *target, const char *options)
{
    if (mkdir(target, 0755) < 0 && errno != EEXIST && errno != EPERM && errno != EACCES)
        fail("mkdir %s", target);
    if (mount(type, target, type, 0, options) < 0)
        fail("mount %s on %s", type, target);
}

/* A folder of the host's that may be written, on its own path. Over 9p its name is host and its number, from 0. */
static void mount_host(const char *folder)
{
    static int number;
    char name[16];
    snprintf(name, sizeof name, "host%d", number++);
    const char *options = strcmp(HOST_FILES, "9p") == 0 ? "trans=virtio,version=9p2000.L,cache=loose,msize=262144" : folder;
    if (mount(name, folder, HOST_FILES, 0, options) < 0)
        fail("mount %s", folder);
}

/* Over one of the host's folders, whose files stay visible, a layer in memory that takes what is written. */
static void mount_layer(const char *folder, const char *name)
{
    char upper[64], work[64], options[256];
    snprintf(upper, sizeof upper, "/run/%s.upper", name);
    snprintf(work, sizeof work, "/run/%s.work", name);
    if (mkdir(upper, 0755) < 0 || chmod(upper, 01777) < 0 || mkdir(work, 0755) < 0)
        fail("mkdir %s", upper);
    snprintf(options, sizeof options, "lowerdir=%s,upperdir=%s,workdir=%s", folder, upper, work);
    if (mount("overlay", folder, "overlay", 0, options) < 0)
        fail("mount a layer over %s", folder);
}

static void mount_all(void)
{
    mount_on("proc", "/proc", NULL);
    mount_on("sysfs", "/sys", NULL);
    mount_on("devtmpfs", "/dev", NULL);
    mount_on("devpts", "/dev/pts", "mode=620,ptmxmode=666");
    mount_on("tmpfs", "/dev/shm", "mode=1777");
    mount_on("configfs", "/sys/kernel/config", NULL);
    mount_on("tracefs", "/sys/kernel/tracing", NULL);
    mount_on("tmpfs", "/run", "mode=755");
    if (mkdir("/run/tmp", 0) < 0 || chmod("/run/tmp", 01777) < 0)
        fail("mkdir /run/tmp");
    if (mkdir(RUN_FOLDER, 0711) < 0)
        fail("mkdir %s", RUN_FOLDER);
    if (mount(run_folder, RUN_FOLDER, NULL, MS_MOVE, NULL) < 0)
        fail("mount %s on %s", run_folder, RUN_FOLDER);
    run_folder = RUN_FOLDER;
    if (symlink("/proc/self/fd", "/dev/fd") < 0 && errno != EEXIST)
        fail("symlink /dev/fd");
}

static void bring_up_loopback(void)
{
    int descriptor = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0)
        fail("socket");
    struct ifreq request = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING};
    if (ioctl(descriptor, SIOCSIFFLAGS, &request) < 0)
        fail("lo");
    close(descriptor);
}

/* A console that passes bytes on as they are. */
static void open_console(const char *path, int flags, int number)
{
    int console = open(path, flags | O_NOCTTY);
    if (console < 0)
        fail("%s", path);
    struct termios mode;
    if (tcgetattr(console, &mode) < 0)
        fail("tcgetattr %s", path);
    cfmakeraw(&mode);
    if (tcsetattr(console, TCSANOW, &mode) < 0)
        fail("tcsetattr %s", path);
    if (console != number) {
        if (dup2(console, number) < 0)
            fail("dup2 %s", path);
        close(console);
    }
}

static void open_consoles(void)
{
    /* Process 1 begins with whatever /dev/console was, or with nothing. */
    for (int number = 0; number < 3; number++)
        close(number);
    if (open("/dev/null", O_RDONLY) != STDIN_FILENO)
        fail("/dev/null");
    open_console(OUTPUT_CONSOLE, O_WRONLY, STDOUT_FILENO);
    open_console(ERROR_CONSOLE, O_WRONLY, STDERR_FILENO);
}

/* Reads a file of NUL-ended strings into a NULL-ended list. */
static char **read_list(const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", run_folder, name);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat information;
    if (file < 0 || fstat(file, &information) < 0)
        fail("%s", path);
    size_t size = information.st_size, length = 0, count = 0;
    char *text = malloc(size + 1);
    if (text == NULL)
        fail("%s", path);
    while (length < size) {
        ssize_t done = read(file, text + length, size - length);
        if (done <= 0)
            fail("%s", path);
        length += done;
    }
    close(file);
    text[size] = '\0';
    for (size_t i = 0; i < size; i++)
        count += text[i] == '\0';
    char **list = calloc(count + 1, sizeof *list);
    if (list == NULL)
        fail("%s", path);
    for (size_t i = 0; i < count; i++) {
        list[i] = text;
        text += strlen(text) + 1;
    }
    return list;
}

static void mount_folders(void)
{
    char **writable = read_list("writable");
    for (size_t i = 0; writable[i] != NULL; i++)
        if (strcmp(writable[i], "/") == 0)
            return;
    mount_layer("/tmp", "tmp");
    mount_layer("/var/tmp", "var-tmp");
    for (size_t i = 0; writable[i] != NULL; i++)
        mount_host(writable[i]);
}

/* From now on nobody mounts the host's files, and none that are read-only become writable: the child is root. */
static void close_host(void)
{
    if (strcmp(HOST_FILES, "hostfs") != 0)
        return;
    int file = open("/sys/module/hostfs/parameters/is_closed", O_WRONLY | O_CLOEXEC);
    if (file < 0 || write(file, "1", 1) != 1)
        fail("hostfs");
    close(file);
}

/* ---- The child ---- */

static void open_terminal(void)
{
    int terminal = open(TERMINAL, O_RDWR); /* the first one that a session opens controls it */
    if (terminal < 0)
        fail("%s", TERMINAL);
    for (int number = 0; number < 3; number++)
        if (dup2(terminal, number) < 0)
            fail("dup2 %s", TERMINAL);
    close(terminal);
}

static void become_child(void) __attribute__((noreturn));
static void become_child(void)
{
    char **command = read_list("command"), **environment = read_list("environment");
    char **directory = read_list("directory");
    if (command[0] == NULL || directory[0] == NULL) {
        fprintf(stderr, "lab init: no command or no directory\n");
        _exit(LABORATORY_FAILED);
    }
    setsid();
    char path[4096];
    snprintf(path, sizeof path, "%s/terminal", run_folder);
    if (access(path, F_OK) == 0)
        open_terminal();
    if (chdir(directory[0]) < 0) {
        fprintf(stderr, "lab init: %s: %s\n", directory[0], strerror(errno));
        _exit(LABORATORY_FAILED);
    }
    environ = environment; /* for the search in PATH */
    execvp(command[0], command);
    fprintf(stderr, "lab init: %s: %s\n", command[0], strerror(errno));
    _exit(errno == ENOENT ? 127 : 126);
}

/* Waits for the child, and reaps what it left behind meanwhile. */
static int wait_for(pid_t child)
{
    for (;;) {
        int status;
        pid_t ended = waitpid(-1, &status, 0);
        if (ended < 0 && errno != EINTR)
            fail("waitpid");
        if (ended != child)
            continue;
        return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    }
}

int main(void)
{
    if (getpid() != 1) {
        fprintf(stderr, "lab init: only as process 1 of the laboratory; see ringer-lab --help\n");
        return LABORATORY_FAILED;
    }
    run_folder = getenv("RINGER_LAB_RUN");
    if (run_folder == NULL) {
        fprintf(stderr, "lab init: RINGER_LAB_RUN is not set\n");
        switch_off();
    }
    mount_host(run_folder); /* for the status of what fails next */
    mount_all();
    open_consoles();
    mount_folders();
    close_host();
    bring_up_loopback();
    if (sethostname("ringer-lab", strlen("ringer-lab")) < 0)
        fail("sethostname");

    pid_t child = fork();
    if (child < 0)
        fail("fork");
    if (child == 0)
        become_child();
    int status = wait_for(child);

    /* What the consoles still hold must reach the host before the machine is gone. */
    tcdrain(STDOUT_FILENO);
    tcdrain(STDERR_FILENO);
    save_messages();
    report_status(status);
    switch_off();
}
