/* Makes every fsync, or every write into a ledger, fail with EIO once the file that DISK_FAILS names exists and says which:
   `fsync` or `write`. Preloaded by disk_fails.rs. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int failing(const char *call) {
    const char *flag = getenv("DISK_FAILS");
    char said[16] = "";
    int file = flag == NULL ? -1 : open(flag, O_RDONLY);
    if (file < 0) return 0;
    ssize_t length = read(file, said, sizeof said - 1);
    close(file);
    return length > 0 && strncmp(said, call, strlen(call)) == 0;
}

static int is_of_a_ledger(int file) {
    char link[64], path[4096] = "";
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    return readlink(link, path, sizeof path - 1) > 0 && strstr(path, "onceward.db") != NULL;
}

static ssize_t fail(void) {
    errno = EIO;
    return -1;
}

int fsync(int file) { return failing("fsync") ? (int)fail() : (int)syscall(SYS_fsync, file); }

int fdatasync(int file) { return failing("fsync") ? (int)fail() : (int)syscall(SYS_fdatasync, file); }

ssize_t write(int file, const void *bytes, size_t length) {
    if (is_of_a_ledger(file) && failing("write")) return fail();
    return syscall(SYS_write, file, bytes, length);
}

ssize_t pwrite(int file, const void *bytes, size_t length, off_t at) {
    if (is_of_a_ledger(file) && failing("write")) return fail();
    return syscall(SYS_pwrite64, file, bytes, length, at);
}

ssize_t pwrite64(int file, const void *bytes, size_t length, off64_t at) {
    if (is_of_a_ledger(file) && failing("write")) return fail();
    return syscall(SYS_pwrite64, file, bytes, length, at);
}
