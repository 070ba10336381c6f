// Stores of a default that the branch behind them may replace:
//
//     tile[i] = 0
//     if i < n: tile[i] = x[i]
//
// become one store, tile[i] = i < n ? x[i] : 0: half of the stores, and no branch around a load of
// one value. Only in memory of the kernel's own, which no argument shows, and where nothing in
// between reads it. Other threads cannot notice: no barrier stands between the two.
//
// Threading: pure.
#pragma once

#include "src/script/typed.hpp"

namespace warpwise::script {

// Of a kernel: arguments of other functions may show memory of their own.
void join_default_stores(Block& body);

}  // namespace warpwise::script
