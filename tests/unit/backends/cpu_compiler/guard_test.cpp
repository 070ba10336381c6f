// The crash guard: crashes become errors, and signals of others are left alone.
#include "src/backends/cpu/compiler/guard.hpp"

#include <signal.h>

#include <cstdlib>
#include <stdexcept>

#include "tests/sanitizers.hpp"
#include "tests/unit/backends/cpu_compiler/frontend_fixture.hpp"

namespace warpwise::cpu_compiler {
namespace {

using testing::HasSubstr;

std::string crash_message(const std::function<void()>& work) {
    try {
        run_guarded(work);
    } catch (const CompileError& error) {
        return error.what();
    }
    return "none";
}

// Ends for a negative step only, which the compiler cannot know. Leaves no page untouched on its
// way down, and needs few calls for it: ThreadSanitizer has a table of 65,536.
volatile int g_step = 1;
int endless(int depth) {
    volatile char frame[32 << 10];
    for (std::size_t i = sizeof(frame); i > 0; i -= 2048) frame[i - 1] = static_cast<char>(depth);
    return depth < 0 ? 0 : endless(depth / 2 + g_step) + frame[2047];
}

// An address the compiler does not see through.
volatile int* volatile g_wild = reinterpret_cast<volatile int*>(16);

TEST(Guard, PassesOnWhatIsThrown) {
    EXPECT_THROW(run_guarded([] { throw std::out_of_range("x"); }), std::out_of_range);
}

TEST(Guard, WildAddressNamesTheStage) {
    const std::string message = crash_message([] {
        enter_stage("testing");
        *g_wild = 1;
    });
    EXPECT_THAT(message, HasSubstr("crashed while testing: signal 11"));
}

TEST(Guard, AbortIsCaught) {
    EXPECT_THAT(crash_message([] { std::abort(); }), HasSubstr("signal 6"));
}

TEST(Guard, StackOverflowIsCaught) {
    EXPECT_THAT(crash_message([] { endless(0); }), HasSubstr("signal 11"));
}

TEST(Guard, WorksAgainAfterACrash) {
    crash_message([] { std::abort(); });
    EXPECT_THAT(crash_message([] { std::abort(); }), HasSubstr("signal 6"));
}

TEST(Guard, CrashIsRemembered) {
    crash_message([] { std::abort(); });
    EXPECT_TRUE(crashed());
}

TEST(Guard, ClangsFatalErrorIsCaught) {
    testing_support::abandon_memory();
    const auto error = error_of<CompileError>("#pragma clang __debug llvm_fatal_error\n");
    EXPECT_THAT(error.what(), HasSubstr("crashed while parsing"));
}

TEST(Guard, ClangsCrashIsCaught) {
    testing_support::abandon_memory();
    const auto error = error_of<CompileError>("#pragma clang __debug parser_crash\n");
    EXPECT_THAT(error.what(), HasSubstr("crashed while parsing"));
}

volatile void* g_address = nullptr;

void foreign_handler(int, siginfo_t* info, void*) {
    g_address = info->si_addr;
    std::_Exit(42);
}

// Installed before ours, with a fault of a thread that does not compile: it must be served with the
// fault's own address.
TEST(GuardDeathTest, ForeignHandlerStillGetsItsFaults) {
    EXPECT_EXIT(
        {
            struct sigaction action{};
            action.sa_sigaction = foreign_handler;
            action.sa_flags = SA_SIGINFO;
            ::sigaction(SIGSEGV, &action, nullptr);
            run_guarded([] {});
            *g_wild = 1;
        },
        testing::ExitedWithCode(42), "");
}

TEST(GuardDeathTest, WithoutAForeignHandlerTheProcessDiesAsBefore) {
    EXPECT_EXIT(
        {
            ::signal(SIGSEGV, SIG_DFL);
            run_guarded([] {});
            *g_wild = 1;
        },
        testing::KilledBySignal(SIGSEGV), "");
}

TEST(GuardDeathTest, AbortOutsideStillAborts) {
    EXPECT_EXIT(
        {
            run_guarded([] {});
            std::abort();
        },
        testing::KilledBySignal(SIGABRT), "");
}

}  // namespace
}  // namespace warpwise::cpu_compiler
