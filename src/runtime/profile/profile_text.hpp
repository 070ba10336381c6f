// What a profile's records look like to people and to other programs.
//
// Invariant: starts count from the profile's begin.
#pragma once

#include <span>
#include <string>

#include "warpwise/profile.hpp"

namespace warpwise::runtime {

struct ProfileHead {
    std::string device;  // "cuda:0"
    std::string title;   // "NVIDIA H200"
    std::string source;
    std::string note;
    std::int64_t duration = 0;  // nanoseconds
};

std::string profile_table(const ProfileHead& head, std::span<const ProfileRecord> records);
std::string profile_trace(const ProfileHead& head, std::span<const ProfileRecord> records);

}  // namespace warpwise::runtime
