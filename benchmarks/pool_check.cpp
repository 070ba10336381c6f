// What an allocation from a pool and its release cost: nanoseconds, the best of several rounds.
// Prints one line for each case; needs no GPU. With an argument ("cuda:0", "cpu"), of that device.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <vector>

#include "src/runtime/context.hpp"
#include "src/runtime/pool/pool_state.hpp"
#include "warpwise/warpwise.hpp"

namespace warpwise {
namespace {

constexpr int kRounds = 20, kTurns = 100'000;

template <class Work>
void report(const char* name, Work&& work) {
    using Clock = std::chrono::steady_clock;
    double best = 1e9;
    for (int round = 0; round < kRounds; ++round) {
        const auto start = Clock::now();
        for (int i = 0; i < kTurns; ++i) work(i);
        const std::chrono::duration<double, std::nano> time = Clock::now() - start;
        best = std::min(best, time.count() / kTurns);
    }
    fmt::print("{:<44} {:7.1f} ns\n", name, best);
}

void report_random(const char* name, runtime::PoolState& pool, const Stream& stream) {
    std::mt19937 random(1);
    std::vector<std::size_t> sizes(4096), places(4096);
    for (auto& size : sizes) size = std::size_t{16} << random() % 16 | random() % 4096;
    for (auto& place : places) place = random() % 200;
    std::vector<std::shared_ptr<runtime::BufferState>> live(200);
    const auto& core = stream.state()->core();
    report(name, [&](int i) {
        auto& slot = live[places[i % 4096]];
        slot.reset();
        slot = pool.allocate(sizes[i % 4096], core);
    });
}

void run(const char* device) {
    const DeviceScope scope{Device(device)};
    report("mem_alloc(1000), released", [](int) { mem_alloc(1000); });
    report("mem_alloc(1000), free()", [](int) { mem_alloc(1000).free(); });
    report("mem_alloc(1 MiB), released", [](int) { mem_alloc(1 << 20); });
    const Stream stream({.non_blocking = true});
    report("mem_alloc(1000, stream), released", [&](int) { mem_alloc(1000, stream); });
    report("8 sizes in turn", [](int i) { mem_alloc(std::size_t{1000} << i % 8); });
    std::vector<Buffer> many(64);
    report("64 live, each replaced in turn", [&](int i) { many[i % 64] = mem_alloc(1000); });
    many.clear();

    runtime::Context& context = Device().context();
    const Stream first({.non_blocking = true}), second({.non_blocking = true});
    report_random("random sizes, 200 live, the device's pool", *context.pool(), stream);
    for (const bool splits : {false, true}) {
        runtime::PoolPolicy policy = runtime::PoolPolicy::of_device(context.info(), "");
        policy.splits = splits;
        auto& pool = *new runtime::PoolState(context, policy);  // never destroyed, as in a context
        report_random(splits ? "random sizes, 200 live, segments cut"
                             : "random sizes, 200 live, whole blocks",
                      pool, splits ? first : second);
    }
}

}  // namespace
}  // namespace warpwise

int main(int count, char** arguments) {
    warpwise::run(count > 1 ? arguments[1] : "null");
    return 0;
}
