// Every test program's own settings for the sanitizers, which look for these functions by name.
// Invariant: each finding that is passed over has its reason here.
#include "tests/sanitizers.hpp"

#include <atomic>

namespace {

std::atomic<bool> g_abandons_memory = false;
std::atomic<bool> g_passes_over_races = false;

}  // namespace

namespace warpwise::testing_support {

void abandon_memory() {
    g_abandons_memory = true;
}

void pass_over_races() {
    g_passes_over_races = true;
}

}  // namespace warpwise::testing_support

// Faults belong to the library and to the tests' own handlers; where neither takes one, the tests
// expect the system's way to end a process.
extern "C" const char* __asan_default_options() {
    return "handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0:handle_abort=0";
}

// die_after_fork: what forked children can do with the device is what their tests are about.
extern "C" const char* __tsan_default_options() {
    return "handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0:handle_abort=0"
           ":die_after_fork=0";
}

// wait_for_flag stands for a kernel that polls what an asynchronous copy writes: a race by intent.
extern "C" const char* __tsan_default_suppressions() {
    return "race:wait_for_flag\n";
}

// ThreadSanitizer asks for each report whether it has been dealt with.
namespace __tsan {
struct ReportDesc;
bool OnReport(const ReportDesc* report, bool is_suppressed);
bool OnReport(const ReportDesc*, bool is_suppressed) {
    return is_suppressed || g_passes_over_races;
}
}  // namespace __tsan

// nvJitLink keeps memory of a link after its handle was destroyed.
extern "C" const char* __lsan_default_suppressions() {
    return "leak:libnvJitLink\n";
}

// LeakSanitizer asks at the end of the process.
extern "C" int __lsan_is_turned_off() {
    return g_abandons_memory ? 1 : 0;
}
