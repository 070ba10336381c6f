// What a test tells the sanitizers of a WARPWISE_SANITIZE build; nothing happens in others.
#pragma once

namespace warpwise::testing_support {

// For tests that crash a compile: what clang had allocated by then is lost by design, so this
// process is not searched for leaks.
void abandon_memory();

// For forked children of processes with threads: ThreadSanitizer follows no synchronisation there.
void pass_over_races();

}  // namespace warpwise::testing_support
