// What glibc 2.41 has and 2.28 lacks, for libraries that are linked against the stubs of
// warpwise_old_glibc.cmake. Debian's headers and archives were compiled for newer ones and refer
// to these names. Hidden: no other library may find them here.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>

// The stat family: until 2.33 these were inline, over functions that take the structure's version.
enum { kStatVersion = 1, kMknodVersion = 0 };
int __xstat(int version, const char* path, struct stat* result);
int __lxstat(int version, const char* path, struct stat* result);
int __fxstat(int version, int file, struct stat* result);
int __fxstatat(int version, int folder, const char* path, struct stat* result, int flags);
int __xmknod(int version, const char* path, mode_t mode, dev_t* device);

int stat(const char* path, struct stat* result) { return __xstat(kStatVersion, path, result); }
int lstat(const char* path, struct stat* result) { return __lxstat(kStatVersion, path, result); }
int fstat(int file, struct stat* result) { return __fxstat(kStatVersion, file, result); }
int fstatat(int folder, const char* path, struct stat* result, int flags) {
    return __fxstatat(kStatVersion, folder, path, result, flags);
}
int mknod(const char* path, mode_t mode, dev_t device) {
    return __xmknod(kMknodVersion, path, mode, &device);
}
// On x86-64 both structures are the same.
int stat64(const char* path, struct stat64* result) { return stat(path, (struct stat*)result); }
int lstat64(const char* path, struct stat64* result) { return lstat(path, (struct stat*)result); }
int fstat64(int file, struct stat64* result) { return fstat(file, (struct stat*)result); }

// 2.32. libstdc++ counts references without atomics while this holds; false is always right.
char __libc_single_threaded = 0;

// 2.38. Its headers replace strtol and its like by these, which take binary literals as well.
#define WARPWISE_PARSES(type, name)                                     \
    type plain_##name(const char* text, char** end, int base) __asm__(#name); \
    type __isoc23_##name(const char* text, char** end, int base);       \
    type __isoc23_##name(const char* text, char** end, int base) {      \
        return plain_##name(text, end, base);                           \
    }
WARPWISE_PARSES(long, strtol)
WARPWISE_PARSES(unsigned long, strtoul)
WARPWISE_PARSES(long long, strtoll)
WARPWISE_PARSES(unsigned long long, strtoull)

// 2.36.
uint32_t arc4random(void) {
    uint32_t value = 0;
    ssize_t got;
    do {
        got = getrandom(&value, sizeof value, 0);
    } while (got < 0 && errno == EINTR);
    if (got != sizeof value) abort();
    return value;
}

// 2.33. The older one counts in int.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
struct mallinfo2 mallinfo2(void) {
    struct mallinfo old = mallinfo();
    return (struct mallinfo2){
        .arena = (unsigned)old.arena,
        .ordblks = (unsigned)old.ordblks,
        .smblks = (unsigned)old.smblks,
        .hblks = (unsigned)old.hblks,
        .hblkhd = (unsigned)old.hblkhd,
        .usmblks = (unsigned)old.usmblks,
        .fsmblks = (unsigned)old.fsmblks,
        .uordblks = (unsigned)old.uordblks,
        .fordblks = (unsigned)old.fordblks,
        .keepcost = (unsigned)old.keepcost,
    };
}
#pragma GCC diagnostic pop

static struct timespec later(struct timespec from, struct timespec by) {
    struct timespec sum = {from.tv_sec + by.tv_sec, from.tv_nsec + by.tv_nsec};
    if (sum.tv_nsec >= 1000000000) {
        ++sum.tv_sec;
        sum.tv_nsec -= 1000000000;
    } else if (sum.tv_nsec < 0) {
        --sum.tv_sec;
        sum.tv_nsec += 1000000000;
    }
    return sum;
}

// 2.30. Before it, a deadline of any other clock was converted to the system's once, as libstdc++
// did: a change of the system's time in between makes the wait shorter or longer by as much.
static int wait_by_system_time(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                               const struct timespec* deadline) {
    struct timespec now;
    struct timespec system_now;
    if (clock_gettime(clock, &now) || clock_gettime(CLOCK_REALTIME, &system_now)) return EINVAL;
    struct timespec left = {deadline->tv_sec - now.tv_sec, deadline->tv_nsec - now.tv_nsec};
    struct timespec system_deadline = later(system_now, left);
    return pthread_cond_timedwait(condition, mutex, &system_deadline);
}

typedef int (*CondClockwait)(pthread_cond_t*, pthread_mutex_t*, clockid_t, const struct timespec*);

// The system's own where there is one.
int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const struct timespec* deadline) {
    static CondClockwait found;
    CondClockwait wait = __atomic_load_n(&found, __ATOMIC_ACQUIRE);
    if (!wait) {
        wait = (CondClockwait)dlsym(RTLD_DEFAULT, "pthread_cond_clockwait");
        if (!wait) wait = wait_by_system_time;
        __atomic_store_n(&found, wait, __ATOMIC_RELEASE);
    }
    return wait(condition, mutex, clock, deadline);
}
