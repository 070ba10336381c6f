// Events behind what was given back: how a pool learns that a stream's work has ended.
//
// Threading: every function may be called from any thread, without the ledger's lock: events are
// recorded and waited for without it.
#pragma once

#include <memory>

#include "src/runtime/pool/pool_ledger.hpp"

namespace warpwise::runtime {

class PoolMarks {
  public:
    explicit PoolMarks(PoolLedger& ledger) noexcept : ledger_(ledger) {}

    // Behind all that these streams have given back so far. A failure is logged: the memory counts
    // as used for longer.
    void mark_all(const PoolCores& cores) noexcept;
    // Until what the stream has been given so far has ended.
    void wait_for(const std::shared_ptr<StreamCore>& core);

  private:
    void mark(const std::shared_ptr<StreamCore>& core);
    std::unique_ptr<EventImpl> take_event();

    PoolLedger& ledger_;
};

}  // namespace warpwise::runtime
