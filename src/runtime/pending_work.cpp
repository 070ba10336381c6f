// Which flushes this thread is inside of: a chain through the stack.
#include "src/runtime/pending_work.hpp"

namespace warpwise::runtime {
namespace {

class Flushing {
  public:
    explicit Flushing(const PendingWork& work) noexcept : work_(work), outer_(t_innermost) {
        t_innermost = this;
    }
    ~Flushing() { t_innermost = outer_; }
    Flushing(const Flushing&) = delete;
    Flushing& operator=(const Flushing&) = delete;

    static bool is_inside(const PendingWork& work) noexcept {
        const Flushing* at = t_innermost;
        while (at != nullptr && &at->work_ != &work) at = at->outer_;
        return at != nullptr;
    }

  private:
    static thread_local const Flushing* t_innermost;
    const PendingWork& work_;
    const Flushing* const outer_;
};

thread_local const Flushing* Flushing::t_innermost = nullptr;

}  // namespace

bool flush_once(PendingWork& work, const FlushRequest& request) {
    if (Flushing::is_inside(work)) return false;
    const Flushing inside(work);
    work.flush(request);
    return true;
}

}  // namespace warpwise::runtime
