/* Makes every fsync fail with EIO once the file that FSYNC_FAILS names exists. Preloaded by fsync.rs. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static int failing(void) {
    const char *flag = getenv("FSYNC_FAILS");
    return flag != NULL && access(flag, F_OK) == 0;
}

static int sync_or_fail(long call, int file) {
    if (failing()) {
        errno = EIO;
        return -1;
    }
    return (int)syscall(call, file);
}

int fsync(int file) { return sync_or_fail(SYS_fsync, file); }

int fdatasync(int file) { return sync_or_fail(SYS_fdatasync, file); }
