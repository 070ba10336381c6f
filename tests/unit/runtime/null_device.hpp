// The ground of the tests here: the null device is the default, and nothing is cached on disk.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "src/backends/null/null_backend.hpp"
#include "src/runtime/context.hpp"
#include "src/runtime/pool/pool_state.hpp"
#include "warpwise/warpwise.hpp"

namespace warpwise {

inline const bool g_environment_is_set = [] {
    setenv("WARPWISE_DEVICE", "null", 1);
    setenv("WARPWISE_CACHE_SIZE", "0", 1);
    return true;
}();

// The message of the error of class E that `call` throws.
template <class E, class F>
std::string message_of(F&& call) {
    try {
        call();
    } catch (const E& error) {
        return error.what();
    } catch (const std::exception& error) {
        ADD_FAILURE() << "another class of error: " << error.what();
        return {};
    }
    ADD_FAILURE() << "nothing was thrown";
    return {};
}

// A pool beside the device's own. Never destroyed, as in a context, and remembered: it is no leak.
inline runtime::PoolState& make_pool(runtime::Context& context, const runtime::PoolPolicy& policy) {
    static auto* const pools = new std::vector<runtime::PoolState*>;
    return *pools->emplace_back(new runtime::PoolState(context, policy));
}

// The device's pool, which holds nothing at the beginning of each test.
class OnEmptyPool : public testing::Test {
  protected:
    void SetUp() override { start(); }
    void TearDown() override { start(); }
    void start() {
        Device().synchronize();
        pool.set_limit(std::nullopt);
        pool.free_held();
        pool.reset_peak();
        Device().host_pool().free_held();
    }

    Pool pool = Device().pool();
};

inline std::vector<int> numbers(int count, int first = 0) {
    std::vector<int> values(count);
    for (int i = 0; i < count; ++i) values[i] = first + i;
    return values;
}

}  // namespace warpwise
