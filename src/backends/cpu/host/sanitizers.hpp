// Which sanitizer this build has: every change of stack must be announced to it.
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#define WARPWISE_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WARPWISE_ASAN 1
#endif
#endif

#if defined(__SANITIZE_THREAD__)
#define WARPWISE_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define WARPWISE_TSAN 1
#endif
#endif

#if defined(WARPWISE_ASAN)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(WARPWISE_TSAN)
#include <sanitizer/tsan_interface.h>
// Not in the table of TsanFiber: for functions that never return.
#define WARPWISE_UNCOUNTED __attribute__((disable_sanitizer_instrumentation))
#else
#define WARPWISE_UNCOUNTED
#endif

#if defined(WARPWISE_TSAN)
namespace warpwise::cpu {

// ThreadSanitizer's idea of a thread on a stack. It has a table of the calls that have not
// returned, of fixed size and without a check: abandoned calls would fill it in the end.
struct TsanFiber {
    TsanFiber() : handle(__tsan_create_fiber(0)) {}
    ~TsanFiber() { __tsan_destroy_fiber(handle); }
    TsanFiber(const TsanFiber&) = delete;
    TsanFiber& operator=(const TsanFiber&) = delete;

    // Before a function starts on the stack; has_open_calls stays until it has returned.
    void start() {
        if (has_open_calls) {
            __tsan_destroy_fiber(handle);
            handle = __tsan_create_fiber(0);
        }
        has_open_calls = true;
    }

    void* handle;
    bool has_open_calls = false;
};

}  // namespace warpwise::cpu
#endif
