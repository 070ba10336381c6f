// Queues and events of the null back end. Each queue has a thread that runs its work in order;
// work carries a number from one count, from which the order of the default stream follows.
#pragma once

#include <memory>

#include "src/runtime/backend.hpp"
#include "src/runtime/profile/work_log.hpp"

namespace warpwise::null {

std::unique_ptr<runtime::Queue> make_queue(int ordinal, const runtime::QueueOptions& options);
std::unique_ptr<runtime::EventImpl> make_event();

// What runs on a device, for profiles.
runtime::WorkLog& log_of(int ordinal);

}  // namespace warpwise::null
