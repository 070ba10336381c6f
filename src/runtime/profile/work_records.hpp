// Records of operations as queues are given them, without times.
#pragma once

#include <cstddef>
#include <string>

#include "src/runtime/backend.hpp"
#include "warpwise/profile.hpp"

namespace warpwise::runtime {

struct BoxCopy;

ProfileRecord record_of(const Launch& launch);
ProfileRecord record_of_copy(ProfileRecord::Direction direction, std::size_t bytes);
ProfileRecord record_of_copy(CopyKind kind, std::size_t bytes);
ProfileRecord::Direction direction_of(const BoxCopy& copy);
ProfileRecord record_of_fill(std::size_t bytes);

}  // namespace warpwise::runtime
