// A bounded cache of kernels, and who compiles one.
#include "src/codegen/fused.hpp"

#include <future>
#include <list>
#include <unordered_map>
#include <utility>

#include "src/base/mutex.hpp"
#include "src/codegen/compiled.hpp"
#include "src/codegen/tiered.hpp"
#include "src/runtime/backend.hpp"
#include "src/runtime/context.hpp"
#include "warpwise/settings.hpp"

namespace warpwise::codegen {
namespace {

constexpr std::size_t kMostLoaded = 1024;  // kernels of the process

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
        if (kernel) insert(key, kernel, ends);
    }

    // The kernel that another thread has added meanwhile, or else this one.
    std::shared_ptr<Fused> add(const Key& key, const std::shared_ptr<Fused>& kernel) {
        std::vector<std::shared_ptr<Fused>> ends;
        MutexLock lock(mutex_);
        const auto known = rows_.find(key);
        if (known != rows_.end()) return known->second.kernel;
        insert(key, kernel, ends);
        return kernel;
    }

  private:
    void insert(const Key& key, const std::shared_ptr<Fused>& kernel,
                std::vector<std::shared_ptr<Fused>>& ends) WARPWISE_REQUIRES(mutex_) {
        order_.push_back(key);
        const auto [row, is_new] = rows_.try_emplace(key);
        if (!is_new) order_.erase(row->second.place);
        row->second = Row{kernel, std::prev(order_.end())};
        while (rows_.size() > kMostLoaded) {
            const auto oldest = rows_.find(order_.front());
            ends.push_back(std::move(oldest->second.kernel));
            rows_.erase(oldest);
            order_.pop_front();
        }
    }

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

// Never destroyed: no kernel may be unloaded at exit.
Cache& cache() {
    static auto* const all = new Cache;
    return *all;
}

}  // namespace

std::shared_ptr<Fused> Fused::find(const Group& group, runtime::Context& context, bool recorded) {
    if (auto known = cache().find(group, context)) {
        return recorded && !known->is_compiled() ? nullptr : known;
    }
    if (recorded) return nullptr;
    auto tiered = Tiered::make(group, context);
    return tiered ? cache().add(Key{group, &context}, tiered) : nullptr;
}

std::shared_ptr<Fused> Fused::compile(const Group& group, runtime::Context& context) {
    const auto known = cache().find(group, context);
    if (known && known->is_compiled()) return known;
    const Key key{group, &context};
    // It was only not loaded; a graph that records the group asks again, for a compiled one.
    if (!known && settings().tier == "quick") {
        if (auto tiered = Tiered::make(group, context, true)) return cache().add(key, tiered);
    }
    std::promise<std::shared_ptr<Fused>> promise;
    bool is_first = false;
    const auto future = cache().join(key, promise, is_first);
    if (!is_first) return future.get();
    try {
        auto kernel = compile_kernel(group, context, context.backend().compiler());
        if (known) {  // interpreted so far: what is not compiled is
            static_cast<Tiered&>(*known).install(std::move(kernel));
            kernel = known;
        }
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
