// Buffers of arrays, and the events that order streams which share them.
#include "src/graph/memory.hpp"

#include <atomic>

#include "src/runtime/context.hpp"
#include "src/runtime/pool/buffer_state.hpp"
#include "src/runtime/pool/pool_state.hpp"
#include "src/runtime/stream/stream_state.hpp"

namespace warpwise::graph {
namespace {

std::atomic<std::size_t> g_orphaned{0};

// Later work of `stream` comes after what `core` was given so far.
void order_after(runtime::StreamState& stream, runtime::StreamCore& core) {
    if (stream.core()->follows(core)) return;
    if (stream.is_capturing()) return core.wait_until_done();  // a graph cannot wait for it
    const auto event = std::make_shared<runtime::EventState>(stream.context().shared(), false);
    core.advance();
    if (core.record(event->impl())) stream.core()->queue().wait(event->impl());
}

}  // namespace

Memory::~Memory() {
    if (orphaned_) g_orphaned -= size();
}

void Memory::allocate(std::size_t bytes, const std::shared_ptr<runtime::StreamState>& stream) {
    // A graph runs later, on any stream: its memory is its own.
    runtime::Context& context = stream->context();
    buffer_ = stream->is_capturing()
                  ? mem_alloc_unpooled(bytes, Device(context.shared()))
                  : Buffer(context.pool()->allocate(bytes, stream->core()), 0, bytes);
    is_allocated_ = true;
    if (orphaned_) g_orphaned += size();
}

std::uint64_t Memory::address() const noexcept {
    return runtime::address_of(buffer_);
}

bool Memory::overlaps(const Memory& other) const noexcept {
    if (this == &other) return true;
    if (size() == 0 || other.size() == 0) return false;
    return address() < other.address() + other.size() && other.address() < address() + size();
}

void Memory::before_use(const std::shared_ptr<runtime::StreamState>& stream, bool writes) {
    const auto& core = stream->core();
    if (more_uses_.empty() && use_.core == core) {
        use_.wrote |= writes;
    } else if (!use_.core) {
        use_ = {core, writes};
    } else {
        use_of_several(stream, writes);
    }
    if (const auto& state = buffer_.state()) state->note_use(core);
}

void Memory::use_of_several(const std::shared_ptr<runtime::StreamState>& stream, bool writes) {
    const auto& core = stream->core();
    bool is_known = false;
    const auto follow = [&](Use& use) {
        if (use.core == core) {
            is_known = true;
            use.wrote |= writes;
        } else if (use.wrote || writes) {
            order_after(*stream, *use.core);
        }
    };
    follow(use_);
    for (Use& use : more_uses_) follow(use);
    // This stream comes after all the others now. Streams that the default one is ordered with wait
    // for work that it was given, though, and nothing may follow here: the code outside of the
    // graph that asked does not write, or the launch is refused.
    if (writes && !more_uses_.empty() && !core->is_default()) {
        more_uses_.clear();
        use_ = {core, writes};
    } else if (!is_known) {
        std::erase_if(more_uses_, [](const Use& use) { return use.core->is_closed(); });
        more_uses_.push_back({core, writes});
    }
}

bool Memory::is_exposed() const noexcept {
    return exports > 0 || (buffer_.state() && buffer_.state()->is_exposed());
}

void Memory::orphan() noexcept {
    if (orphaned_) return;
    orphaned_ = true;
    g_orphaned += size();
}

std::size_t Memory::orphaned_bytes() noexcept {
    return g_orphaned.load(std::memory_order_relaxed);
}

}  // namespace warpwise::graph
