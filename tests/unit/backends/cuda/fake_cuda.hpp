// The ground of the tests on the fake driver.
//
// WARPWISE_CUDA_DRIVER is set before anything reads the settings; the driver is opened once.
#pragma once

#include <dlfcn.h>
#include <gmock/gmock.h>

#include <string>

#include "src/backends/cuda/backend.hpp"
#include "src/backends/cuda/driver/driver.hpp"
#include "tests/unit/backends/cuda/fake_driver.hpp"

namespace warpwise::cuda {

template <class Function>
Function fake(const char* name) {
    static void* const library = ::dlopen(FAKE_CUDA, RTLD_NOW);
    return reinterpret_cast<Function>(::dlsym(library, name));
}

// What `action` says when it fails with an E.
template <class E, class Action>
std::string message_of(Action&& action) {
    try {
        action();
    } catch (const E& error) {
        return error.what();
    }
    return "nothing was thrown";
}

// No failure is left over, and the context of every test is whole.
class OnFakeCuda : public testing::Test {
  protected:
    OnFakeCuda() { fake<Reset>(kReset)(); }
    ~OnFakeCuda() override { fake<Reset>(kReset)(); }

    static void fail(const char* name, Status status, int after = 0) {
        fake<FailCall>(kFailCall)(name, after, static_cast<int>(status));
    }
    static int calls(const char* name) { return fake<CountCalls>(kCountCalls)(name); }

    runtime::Backend& backend = cuda_backend();
};

}  // namespace warpwise::cuda
