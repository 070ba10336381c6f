// Which sanitizer this build has: they must be told of every change of stack.
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
#endif
