// Arrays on the CPU device, made of and compared with plain lists.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "warpwise/warpwise.hpp"

namespace warpwise {

inline const bool g_device_is_set = [] {
    setenv("WARPWISE_DEVICE", "cpu", 1);
    return true;
}();

inline Array numbers(std::vector<double> values) {
    return from_vector(values);
}
inline std::vector<double> values_of(const Array& array) {
    return astype(array, float64).to_vector<double>();
}

// The message of the ArgumentError that the call must throw.
inline std::string refusal(const std::function<void()>& call) {
    try {
        call();
    } catch (const ArgumentError& error) {
        return error.what();
    }
    ADD_FAILURE() << "nothing was thrown";
    return {};
}

}  // namespace warpwise
