// Random groups on the CPU device, against the interpreter. WARPWISE_GROUPS=N runs more of them,
// WARPWISE_FIRST_GROUP=S begins at another seed.
#include "tests/unit/codegen/cpu_device.hpp"
#include "tests/unit/codegen/interpreter.hpp"

namespace warpwise::codegen {
namespace {

std::uint64_t number_from(const char* name, std::uint64_t otherwise) {
    const char* const text = std::getenv(name);
    return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

TEST(RandomGroups, ComputeWhatTheInterpreterDoes) {
    const std::uint64_t first = number_from("WARPWISE_FIRST_GROUP", 0);
    const std::uint64_t count = number_from("WARPWISE_GROUPS", 100);
    int failures = 0;
    for (std::uint64_t seed = first; seed < first + count && failures < 3; ++seed) {
        const Case sample = random_case(seed);
        std::string found;
        try {
            run(sample);
            found = difference(sample);
        } catch (const std::exception& error) {
            found = error.what();
        }
        if (found.empty()) continue;
        ++failures;
        ADD_FAILURE() << "seed " << seed << ": " << found << "\n"
                      << sample.text() << emit(sample.group);
    }
}

}  // namespace
}  // namespace warpwise::codegen
