// The ground of the contract tests: each test runs on every device there is, and on null. They use
// the public interface only, so a new back end takes them as they are.
//
// Tests that need kernels to run ask whether the device executes_kernels, and what follows a fault
// depends on survives_faults; tests distinguish devices by nothing else.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cctype>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <future>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "warpwise/warpwise.hpp"

namespace warpwise::contract {

inline std::vector<std::string> device_names() {
    std::vector<std::string> names;
    for (const Device& device : devices()) names.push_back(device.name());
    names.emplace_back("null");  // by name only
    return names;
}

inline std::string test_name(const testing::TestParamInfo<std::string>& info) {
    std::string name = info.param;
    for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    return name;
}

class ContractTest : public testing::TestWithParam<std::string> {
  protected:
    Device device{GetParam()};
    DeviceScope scope{device};
};

// Work of a stream stops at a gate until it is opened; the end of the gate opens it. Host functions
// of other streams may be held with it: a device may run them one by one.
class Gate {
  public:
    Gate() : opened_(promise_.get_future().share()) {}
    ~Gate() { open(); }
    void hold(const Stream& stream) {
        stream.call_host([opened = opened_] { opened.wait(); });
    }
    void open() {
        if (!is_open_) promise_.set_value();
        is_open_ = true;
    }

  private:
    std::promise<void> promise_;
    std::shared_future<void> opened_;
    bool is_open_ = false;
};

inline std::vector<std::uint8_t> bytes(std::size_t count, unsigned seed = 1) {
    std::vector<std::uint8_t> values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = (i * 31 + i / 251 + seed * 17) & 0xff;
    return values;
}

inline Buffer buffer_of(const std::vector<std::uint8_t>& values) {
    Buffer buffer = mem_alloc(values.size());
    buffer.copy_from(values.data(), values.size());
    return buffer;
}

inline std::vector<std::uint8_t> contents(const Buffer& buffer) {
    std::vector<std::uint8_t> values(buffer.size());
    buffer.copy_to(values.data(), values.size());
    return values;
}

inline int first_int(const Buffer& buffer) {
    int value = 0;
    buffer.copy_to(&value, sizeof value);
    return value;
}

// Whether the stream is done soon: for showing that nothing holds it.
inline bool finishes(const Stream& stream) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (std::chrono::steady_clock::now() < end) {
        if (stream.is_done()) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return false;
}

}  // namespace warpwise::contract

// Instantiates a suite of ContractTest for every device.
#define WARPWISE_CONTRACT(suite)                                                    \
    INSTANTIATE_TEST_SUITE_P(Devices, suite,                                        \
                             testing::ValuesIn(warpwise::contract::device_names()), \
                             warpwise::contract::test_name)
