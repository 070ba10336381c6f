// The handler of kernel output. That of interrupts is in src/base/hooks/interrupt.cpp.
#include "src/runtime/stream/output.hpp"

#include <cstdio>
#include <utility>

#include "src/base/hooks/handler_slot.hpp"

namespace warpwise {
namespace {

// Never destroyed: a thread may still wait while the process ends.
HandlerSlot<OutputHandler>& output_slot() {
    static auto* slot = new HandlerSlot<OutputHandler>;
    return *slot;
}

}  // namespace

OutputHandler set_output_handler(OutputHandler handler) {
    return output_slot().exchange(std::move(handler));
}

namespace runtime {

void write_output(std::string_view text) {
    if (const auto handler = output_slot().get()) {
        (*handler)(text);
        return;
    }
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
}

}  // namespace runtime
}  // namespace warpwise
