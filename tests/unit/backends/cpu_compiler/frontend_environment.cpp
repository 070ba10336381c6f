// Tests keep their precompiled preludes in the build folder, whatever the user's cache is, and
// check the IR after each pass of the vectoriser.
#include <cstdlib>

namespace {

const bool g_is_set = [] {
    ::setenv("WARPWISE_CACHE_DIR", WARPWISE_TEST_CACHE_DIR, 1);
    ::unsetenv("WARPWISE_CACHE_SIZE");
    ::setenv("WARPWISE_VERIFY", "1", 1);
    return true;
}();

}  // namespace
