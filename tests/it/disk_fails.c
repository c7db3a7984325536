/* A disk that fails on demand, as a library to be preloaded.
 *
 * The file that DISK_FAILS names says what fails from now on, in one line: CALL HOW END. It is read at each call, so
 * that the faults begin and end while a process runs; without the file nothing fails.
 *
 *   CALL  sync, write, read or open
 *   HOW   EIO or ENOSPC: the call fails so, and nothing of it is done
 *         SHORT: every write writes half of its bytes, and says so
 *         TORN: every write writes half of its bytes, and the next one finds no space
 *   END   what the names of the files end with that it happens to
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What is asked of a line: this call, on a file of this name. */
enum how { NOTHING, FAIL_EIO, FAIL_ENOSPC, SHORT, TORN };

/* Whether a write of this thread was cut, and the rest of it is expected next. */
static __thread int torn;

static enum how fault(const char *call, const char *name) {
    char line[256], asked[16], how[16], end[128];
    const char *control = getenv("DISK_FAILS");
    if (control == NULL) return NOTHING;
    int file = (int)syscall(SYS_openat, AT_FDCWD, control, O_RDONLY | O_CLOEXEC, 0);
    if (file < 0) return NOTHING;
    long length = syscall(SYS_read, file, line, sizeof line - 1);
    syscall(SYS_close, file);
    if (length <= 0) return NOTHING;
    line[length] = 0;
    if (sscanf(line, "%15s %15s %127s", asked, how, end) != 3 || strcmp(asked, call) != 0) return NOTHING;
    size_t whole = strlen(name), last = strlen(end);
    if (whole < last || strcmp(name + whole - last, end) != 0) return NOTHING;
    if (strcmp(how, "SHORT") == 0) return SHORT;
    if (strcmp(how, "TORN") == 0) return TORN;
    return strcmp(how, "ENOSPC") == 0 ? FAIL_ENOSPC : FAIL_EIO;
}

static enum how fault_of(const char *call, int file) {
    char link[64], name[4096];
    int kept = errno;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, name, sizeof name - 1);
    name[length < 0 ? 0 : length] = 0;
    enum how how = fault(call, name);
    errno = kept;
    return how;
}

/* Whether the call fails; errno says why. For writes, `count` becomes what is written of them. */
static int fails(enum how how, size_t *count) {
    switch (how) {
    case FAIL_EIO:
        errno = EIO;
        return 1;
    case FAIL_ENOSPC:
        errno = ENOSPC;
        return 1;
    case TORN:
        if (torn) {
            torn = 0;
            errno = ENOSPC;
            return 1;
        }
        torn = 1; /* and half of it, as with SHORT */
        /* fall through */
    case SHORT:
        if (count != NULL && *count > 1) *count /= 2;
        return 0;
    default:
        return 0;
    }
}

int fsync(int file) {
    return fails(fault_of("sync", file), NULL) ? -1 : (int)syscall(SYS_fsync, file);
}

int fdatasync(int file) {
    return fails(fault_of("sync", file), NULL) ? -1 : (int)syscall(SYS_fdatasync, file);
}

ssize_t write(int file, const void *bytes, size_t count) {
    return fails(fault_of("write", file), &count) ? -1 : syscall(SYS_write, file, bytes, count);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t at) {
    return fails(fault_of("write", file), &count) ? -1 : syscall(SYS_pwrite64, file, bytes, count, at);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t at) {
    return pwrite(file, bytes, count, at);
}

ssize_t read(int file, void *bytes, size_t count) {
    return fails(fault_of("read", file), NULL) ? -1 : syscall(SYS_read, file, bytes, count);
}

ssize_t pread(int file, void *bytes, size_t count, off_t at) {
    return fails(fault_of("read", file), NULL) ? -1 : syscall(SYS_pread64, file, bytes, count, at);
}

ssize_t pread64(int file, void *bytes, size_t count, off64_t at) { return pread(file, bytes, count, at); }

static int open_or_fail(const char *name, int flags, mode_t mode) {
    return fails(fault("open", name), NULL) ? -1 : (int)syscall(SYS_openat, AT_FDCWD, name, flags, mode);
}

int open(const char *name, int flags, ...) {
    va_list more;
    va_start(more, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;
    va_end(more);
    return open_or_fail(name, flags, mode);
}

int open64(const char *name, int flags, ...) {
    va_list more;
    va_start(more, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;
    va_end(more);
    return open_or_fail(name, flags | O_LARGEFILE, mode);
}
