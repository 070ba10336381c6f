// Distinguishes our crashes from clang's, by the module of the faulting function.
#include "tests/fuzz/compile_target.hpp"

#include <dlfcn.h>
#include <execinfo.h>
#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <string_view>

#include "src/backends/cpu/compiler/guard.hpp"
#include "src/backends/cpu/compiler/translation.hpp"
#include "src/base/processor_level.hpp"
#include "src/compiler/mode_options.hpp"
#include "warpwise/error.hpp"

namespace warpwise::fuzz {

namespace {

constexpr std::array<int, 6> kSignals = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP};
constexpr int kMostFrames = 64;

std::array<struct sigaction, NSIG> g_guards;  // the handlers of the compiler's guard
std::string_view g_crashed_in;                // set by the last fault

std::string_view module_of(const void* address) {
    Dl_info info{};
    if (::dladdr(address, &info) == 0 || info.dli_fname == nullptr) return "?";
    const std::string_view path = info.dli_fname;
    return path.substr(path.rfind('/') + 1);
}

bool is_of_the_system(std::string_view module) {
    return module.starts_with("libc.so") || module.starts_with("libstdc++");
}

// The module whose code faulted, or called the system's function that did.
std::string_view find_culprit(void* fault) {
    std::array<void*, kMostFrames> frames{};
    const int count = ::backtrace(frames.data(), kMostFrames);
    const auto last = frames.begin() + count;
    for (auto frame = std::find(frames.begin(), last, fault); frame != last; ++frame) {
        const std::string_view module = module_of(*frame);
        if (!is_of_the_system(module)) return module;
    }
    return module_of(fault);
}

void note_fault(int signal, siginfo_t* info, void* context) {
    const auto* machine = static_cast<const ucontext_t*>(context);
    g_crashed_in = find_culprit(reinterpret_cast<void*>(machine->uc_mcontext.gregs[REG_RIP]));
    g_guards[signal].sa_sigaction(signal, info, context);
}

[[noreturn]] void report(const char* what) {
    std::fprintf(stderr, "%s (in %.*s)\n", what, static_cast<int>(g_crashed_in.size()),
                 g_crashed_in.data());
    std::abort();
}

void judge(const CompileError& error) {
    const std::string_view said = error.what();
    if (said.find("internal error") != said.npos) report(error.what());
    if (!cpu_compiler::crashed()) return;
    const bool is_parsing = said.find("crashed while parsing") != said.npos;
    const bool is_clangs = g_crashed_in.starts_with("libclang-cpp") ||
                           g_crashed_in.starts_with("libLLVM") || g_crashed_in.empty();
    if (!is_parsing || !is_clangs) report(error.what());
    std::fprintf(stderr, "contained: %s\n", error.what());
    ::_exit(0);
}

// Not before the first input: libFuzzer only handles signals without a handler, and must be called
// by the guard for those that are not the compiler's.
void watch_faults() {
    cpu_compiler::run_guarded([] {});  // its handlers first: ours calls them
    struct sigaction action{};
    action.sa_sigaction = note_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    for (const int signal : kSignals) ::sigaction(signal, &action, &g_guards[signal]);
}

}  // namespace

void compile(compiler::CompileRequest request) {
    static std::once_flag once;
    std::call_once(once, watch_faults);
    request.name = "fuzz.cu";
    request.target = request.format == "ptx"
                         ? "sm_80"
                         : processor_levels()[request.source.size() % processor_levels().size()];
    try {
        request.mode = compiler::take_mode(request.options);
        cpu_compiler::run_guarded([&] {
            cpu_compiler::generate(cpu_compiler::translate(request), request.target,
                                   request.format);
        });
    } catch (const CompileError& error) {
        judge(error);
    } catch (const Error&) {
        // A message for the user.
    }
}

}  // namespace warpwise::fuzz
