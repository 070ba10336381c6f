// What checking and packing the arguments of one launch costs: nanoseconds, the best of several
// rounds. Needs no device; the null back end provides the kernel. Prints one line for each case.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <span>
#include <vector>

#include "src/runtime/launch/arguments.hpp"
#include "src/runtime/launch/launch_limits.hpp"
#include "tests/unit/runtime/programs.hpp"
#include "warpwise/warpwise.hpp"

namespace warpwise {
namespace {

constexpr int kRounds = 20, kLaunches = 100'000;

std::shared_ptr<runtime::KernelState> load(compiler::KernelInfo info) {
    auto program = std::make_shared<compiler::Program>();
    program->kernels.push_back(std::move(info));
    const auto module = runtime::ModuleState::load(Device("null").context().shared(), program);
    return module->kernel(program->kernels.front());
}

double nanoseconds(const runtime::KernelState& kernel, std::span<const Argument> arguments) {
    using Clock = std::chrono::steady_clock;
    alignas(64) std::byte packed[4096];
    const LaunchConfig config{.grid = 40, .block = 256};
    double best = 1e9;
    std::uint64_t seen = 0;
    for (int round = 0; round < kRounds; ++round) {
        const auto start = Clock::now();
        for (int i = 0; i < kLaunches; ++i) {
            runtime::Launch launch;
            seen += runtime::pack_arguments(kernel, arguments, packed).host_arrays;
            runtime::set_extents(kernel, config, launch);
            seen += launch.grid[0];
        }
        const std::chrono::duration<double, std::nano> time = Clock::now() - start;
        best = std::min(best, time.count() / kLaunches);
    }
    return seen > 0 ? best : 0.0;
}

void report(const char* name, const runtime::KernelState& kernel,
            std::span<const Argument> arguments) {
    fmt::print("{:<34} {:7.1f} ns\n", name, nanoseconds(kernel, arguments));
}

int run() {
    const DeviceScope scope(Device("null"));
    const Buffer x = mem_alloc(4096), y = mem_alloc(4096);
    const auto pointer = pointer_to("x", "float *", float32);
    const auto four = load(kernel_info(
        "four", {pointer, pointer, value_of("a", "float", float32), value_of("n", "int", int32)}));
    const Argument plain[] = {x, y, 2.0f, 1024};
    report("4 arguments: 2 buffers, 2 numbers", *four, plain);
    const Argument python[] = {x, y, Argument::python_float(2.0), Argument::python_int(1024)};
    report("4 arguments as Python passes them", *four, python);

    const DeviceArray array{
        .address = x.address(), .bytes = x.size(), .dtype = float32, .owner = x.state()};
    const Argument arrays[] = {array, array, 2.0f, 1024};
    report("4 arguments: 2 arrays, 2 numbers", *four, arrays);

    const auto many = load(kernel_info("many", std::vector<Parameter>(200, pointer)));
    report("200 buffers", *many, std::vector<Argument>(200, Argument(x)));
    return 0;
}

}  // namespace
}  // namespace warpwise

int main() {
    return warpwise::run();
}
