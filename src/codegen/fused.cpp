// Compiled groups: a bounded cache of loaded kernels, and launching one.
#include "src/codegen/fused.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <future>
#include <limits>
#include <list>
#include <unordered_map>
#include <utility>

#include "src/base/mutex.hpp"
#include "src/codegen/arguments.hpp"
#include "src/compiler/compiler.hpp"
#include "src/runtime/device/context.hpp"
#include "src/runtime/launch/generated_launch.hpp"
#include "src/runtime/memory/buffer_state.hpp"
#include "src/runtime/module/module_state.hpp"
#include "src/runtime/stream/stream_state.hpp"

namespace warpwise::codegen {
namespace {

using Role = Word::Role;

constexpr std::size_t kMostLoaded = 1024;  // kernels of the process

std::int64_t divided_up(std::int64_t a, std::int64_t b) {
    return (a + b - 1) / b;
}

// How a launch divides its points among blocks.
struct Geometry {
    std::int64_t blocks = 0;
    std::int64_t points = 0;  // as Role::Points
    std::int64_t kept = 1;
    std::int64_t reduced = 1;
    Parts parts;
    std::int64_t counters = 0;
};

class Kernel final : public Fused {
  public:
    Kernel(const Group& group, runtime::Context& context)
        : group_(group),
          words_(words_of(group)),
          source_(emit(group)),
          items_(context.info().shares_host_memory ? kItemsOnCpu : kItemsOnGpu) {
        compiler::CompileRequest request;
        request.source = source_;
        request.name = "fused.cu";
        request.target = context.info().architecture;
        request.mode.contraction = false;
        request.mode.signatures = {signature_of(group)};
        const auto program = std::make_shared<const compiler::Program>(
            compiler::compile_cached(context.backend().compiler(), request));
        const auto module = runtime::ModuleState::load(context.shared(), program);
        kernel_ = module->kernel(*module->kernels().front());
    }

    void launch(runtime::StreamState& stream, const Binding& binding) override {
        const Geometry geometry = geometry_of(binding);
        if (geometry.blocks == 0) return;
        std::vector<std::shared_ptr<runtime::BufferState>> buffers = binding.buffers;
        const Workspace workspace = make_workspace(geometry, stream, buffers);
        std::array<std::uint64_t, kMostArgumentBytes / 8> packed;
        for (std::size_t i = 0; i < words_.size(); ++i) {
            packed[i] = value_of(words_[i], binding, geometry, workspace);
        }
        runtime::launch_generated(
            kernel_, stream,
            {.grid = {static_cast<std::uint32_t>(geometry.blocks), 1, 1},
             .block = block_of(group_),
             .arguments = std::as_bytes(std::span(packed.data(), words_.size())),
             .buffers = buffers});
    }

    const std::string& source() const noexcept override { return source_; }

  private:
    struct Workspace {
        Buffer memory;
        std::uint64_t states = 0;
        std::uint64_t counters = 0;
    };

    Geometry geometry_of(const Binding& binding) const {
        constexpr std::int64_t kMostBlocks = std::numeric_limits<std::int32_t>::max();
        Geometry geometry;
        const Shape& extents = binding.extents;
        if (group_.skeleton == Skeleton::Reduction) return reduction_geometry(extents);
        const std::int64_t tile = std::int64_t{kThreads} * items_;
        const std::int64_t all = count_of(extents);
        if (all == 0) return geometry;
        if (group_.rows) {
            const std::int64_t length = extents[extents.size() - 1];
            geometry.points = all / length;
            const std::int64_t units = geometry.points * divided_up(length, tile);
            // Short rows: several a block, so that a block has a tile's worth of points.
            const std::int64_t together = std::max<std::int64_t>(1, tile / length);
            geometry.blocks = std::min(divided_up(units, together), kMostBlocks);
        } else {
            geometry.points = all;
            geometry.blocks = divided_up(all, tile);
        }
        return geometry;
    }

    Geometry reduction_geometry(const Shape& extents) const {
        Geometry geometry;
        for (int axis = 0; axis < extents.size(); ++axis) {
            const bool is_kept = axis < extents.size() - group_.reduced;
            (is_kept ? geometry.kept : geometry.reduced) *= extents[axis];
        }
        if (geometry.kept == 0) return geometry;
        geometry.parts = parts_of(group_.lanes, group_.order, geometry.kept, geometry.reduced);
        if (group_.lanes == 1) {
            geometry.counters = divided_up(geometry.kept, kThreads);
            geometry.blocks = geometry.counters * geometry.parts.count;
        } else if (group_.lanes == 32) {
            geometry.blocks = divided_up(geometry.kept, kThreads / 32);
        } else {
            geometry.counters = geometry.kept;
            geometry.blocks = geometry.kept * geometry.parts.count;
        }
        return geometry;
    }

    // For results in several parts; freed in the order of the stream.
    Workspace make_workspace(const Geometry& geometry, runtime::StreamState& stream,
                             std::vector<std::shared_ptr<runtime::BufferState>>& buffers) const {
        Workspace workspace;
        if (geometry.parts.count <= 1) return workspace;
        const auto states =
            static_cast<std::size_t>(geometry.kept * geometry.parts.count) * state_bytes(group_);
        const auto counters = static_cast<std::size_t>(geometry.counters) * 4;
        workspace.memory = mem_alloc(states + counters, Stream(stream.shared_from_this()));
        const auto& state = workspace.memory.state();
        workspace.states = runtime::address_of(workspace.memory);
        workspace.counters = workspace.states + states;
        runtime::Fill fill;
        fill.destination = workspace.counters;
        fill.pattern = 0;
        fill.pattern_bytes = 4;
        fill.count = static_cast<std::size_t>(geometry.counters);
        stream.fill(fill, state);
        state->note_use(stream.core());
        buffers.push_back(state);
        return workspace;
    }

    static const Place& place_of(Role role, std::size_t number, const Binding& binding) {
        switch (role) {
            case Role::Input:
                return binding.inputs[number];
            case Role::Store:
                return binding.stores[number];
            case Role::KeptInput:
                return binding.kept_inputs[number];
            default:
                return binding.kept_stores[number];
        }
    }

    std::uint64_t scalar_word(const Word& word, const Binding& binding) const {
        alignas(16) std::array<std::byte, 16> bytes{};
        binding.scalars[word.number].store(group_.scalars[word.number], bytes.data());
        std::uint64_t value = 0;
        std::memcpy(&value, bytes.data() + std::size_t{word.axis} * 8, sizeof value);
        return value;
    }

    std::uint64_t value_of(const Word& word, const Binding& binding, const Geometry& geometry,
                           const Workspace& workspace) const {
        switch (word.role) {
            case Role::Workspace:
                return workspace.states;
            case Role::Counters:
                return workspace.counters;
            case Role::Stride:
                return static_cast<std::uint64_t>(
                    place_of(word.of, word.number, binding).strides[word.axis]);
            case Role::Extent:
                return static_cast<std::uint64_t>(binding.extents[word.number]);
            case Role::Divisor:
                return divisor_of(static_cast<std::uint64_t>(binding.extents[word.number]));
            case Role::Points:
                return static_cast<std::uint64_t>(geometry.points);
            case Role::Kept:
                return static_cast<std::uint64_t>(geometry.kept);
            case Role::Reduced:
                return static_cast<std::uint64_t>(geometry.reduced);
            case Role::PartCount:
                return static_cast<std::uint64_t>(geometry.parts.count);
            case Role::PartLength:
                return static_cast<std::uint64_t>(geometry.parts.length);
            case Role::Scalar:
                return scalar_word(word, binding);
            default:
                return place_of(word.role, word.number, binding).address;
        }
    }

    const Group group_;
    const std::vector<Word> words_;
    const std::string source_;
    const int items_;
    std::shared_ptr<runtime::KernelState> kernel_;
};

struct Key {
    Group group;
    const runtime::Context* context = nullptr;
    bool operator==(const Key& other) const {
        return context == other.context && group == other.group;
    }
};
struct HashOfKey {
    std::size_t operator()(const Key& key) const noexcept {
        return key.group.hash() ^ std::hash<const void*>()(key.context);
    }
};

// The loaded kernels, the least recently found ones first to go.
class Cache {
  public:
    std::shared_ptr<Fused> find(const Group& group, runtime::Context& context) {
        MutexLock lock(mutex_);
        const auto known = rows_.find(Key{group, &context});
        if (known == rows_.end()) return nullptr;
        order_.splice(order_.end(), order_, known->second.place);
        return known->second.kernel;
    }

    // The kernel that is being compiled, by this thread where `promise` is kept.
    std::shared_future<std::shared_ptr<Fused>> join(const Key& key,
                                                    std::promise<std::shared_ptr<Fused>>& promise,
                                                    bool& is_first) {
        MutexLock lock(mutex_);
        const auto [at, is_new] = compiling_.try_emplace(key);
        if (is_new) at->second = promise.get_future().share();
        is_first = is_new;
        return at->second;
    }

    void finish(const Key& key, const std::shared_ptr<Fused>& kernel) {
        std::vector<std::shared_ptr<Fused>> ends;  // without the lock
        MutexLock lock(mutex_);
        compiling_.erase(key);
        if (!kernel) return;
        order_.push_back(key);
        rows_.emplace(key, Row{kernel, std::prev(order_.end())});
        while (rows_.size() > kMostLoaded) {
            const auto oldest = rows_.find(order_.front());
            ends.push_back(std::move(oldest->second.kernel));
            rows_.erase(oldest);
            order_.pop_front();
        }
    }

  private:
    struct Row {
        std::shared_ptr<Fused> kernel;
        std::list<Key>::iterator place;
    };
    Mutex mutex_;
    std::unordered_map<Key, Row, HashOfKey> rows_ WARPWISE_GUARDED_BY(mutex_);
    std::list<Key> order_ WARPWISE_GUARDED_BY(mutex_);
    std::unordered_map<Key, std::shared_future<std::shared_ptr<Fused>>, HashOfKey> compiling_
        WARPWISE_GUARDED_BY(mutex_);
};

// Never destroyed: kernels may be unloaded by nobody at exit.
Cache& cache() {
    static auto* const all = new Cache;
    return *all;
}

}  // namespace

std::shared_ptr<Fused> Fused::find(const Group& group, runtime::Context& context) {
    return cache().find(group, context);
}

std::shared_ptr<Fused> Fused::compile(const Group& group, runtime::Context& context) {
    if (auto known = cache().find(group, context)) return known;
    const Key key{group, &context};
    std::promise<std::shared_ptr<Fused>> promise;
    bool is_first = false;
    const auto future = cache().join(key, promise, is_first);
    if (!is_first) return future.get();
    try {
        auto kernel = std::make_shared<Kernel>(group, context);
        cache().finish(key, kernel);
        promise.set_value(kernel);
        return kernel;
    } catch (...) {
        cache().finish(key, nullptr);
        promise.set_exception(std::current_exception());
        throw;
    }
}

}  // namespace warpwise::codegen
