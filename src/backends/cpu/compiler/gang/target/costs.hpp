// The constants of the cost model, one table: what each weighs, and the measurement that chose it.
// "Not recorded" means that no measurement is known; change such a number only with one.
//
// Instructions are those of LLVM's IR of the scalar function unless another function is named.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpwise::cpu_compiler::gang::costs {

// --- Which kernels are vectorised
// Larger ones stay scalar. Code generation of 12,000 instructions takes seconds.
inline constexpr unsigned kLargestKernel = 12'000;

// --- Pieces of a gang (passes/choose_layout.cpp). More hide latencies and share the work between
// lanes; too many spill and take long to compile.
// Above this one piece, above that two, below those four. Not recorded.
inline constexpr unsigned kOnePieceAbove = 400;
inline constexpr unsigned kTwoPiecesAbove = 200;
// Below this, or in tiles, eight pieces where threads wait at barriers: a gang more is a frame or
// fiber more. Not recorded.
inline constexpr unsigned kEightPiecesBelow = 90;
// Instructions times pieces of a block that is one gang. Not recorded.
inline constexpr unsigned kLargestBlock = 10'000;
// Shares of the vector registers that values alive through a loop may take: of a block that is one
// gang, and of others. The rest is for the loop's own. Not recorded.
inline constexpr unsigned kBlockShareOf4 = 3;
inline constexpr unsigned kGangShareOf3 = 2;

// --- Copies of gang functions (forms.cpp)
// Gangs of the usual form for one of the other: weights of the branch between them. Not recorded.
inline constexpr std::uint32_t kUsually = 1000;
// Instructions times pieces of a function that gets a copy for full gangs; where the shape of
// blocks is known it is compiled in the background, and there is time. Not recorded.
inline constexpr unsigned kLargestCopy = 1000;
inline constexpr unsigned kLargestKnownCopy = 4000;

// --- Loops that run one lane after the other (passes/lane_loops.cpp). Products of sparse rows and
// vectors reach 52 % of hand-written C++ by gathers, 95 % one lane after the other; the limits
// between the two kinds of loop are not recorded.
inline constexpr unsigned kLeastGathers = 2;
// With more operations for each gather, vectors are faster; one slow operation counts for several.
inline constexpr unsigned kOperationsPerGather = 4;
inline constexpr unsigned kSlowOperation = 8;
// A minimum of floats is several instructions, and each waits for the one before: the shortest ways
// of the suite, of three gathers, take 1.3 times as long lane by lane.
inline constexpr unsigned kMinimum = 16;
inline constexpr std::size_t kMostLaneLoopBlocks = 8;
// Such a loop is unrolled by two if it has no more instructions. Not recorded.
inline constexpr unsigned kLaneLoopUnroll = 2;
inline constexpr unsigned kLargestUnrolled = 24;

// --- Code that is copied before emission; instructions. Not recorded.
inline constexpr unsigned kLargestFullLoop = 60;   // passes/full_loops.cpp
inline constexpr std::size_t kLargestChain = 400;  // passes/guard_chains.cpp

// Iterations of a loop over levels that is unrolled (passes/unroll_levels.cpp): of a tree over 2^16
// values, of an elimination of 16 rows. And what a block that is one gang may be by it, in
// instructions times pieces: most of its vectors have no lane, and are dropped. On a processor of
// the fourth Xeon generation the scan of 512 in a block takes 12.5 ms with levels in a loop and
// 10.4 ms without.
inline constexpr unsigned kMostLevels = 16;
inline constexpr std::size_t kLargestLevels = 16'000;

// --- Memory
// Lanes of a gather or scatter that become scalar accesses: a scatter takes some 50 cycles however
// few lanes it has.
inline constexpr std::size_t kFewLanes = 2;
// Accesses in steps other than the element's size in the text of one function, each some
// instructions a lane at most. The limit bounds the code; not recorded.
inline constexpr unsigned kMostStridedVectors = 256;
// Registers that such an access reaches over: loads become as many loads and shuffles, else a load
// and an insertion a lane; stores as many shuffles and masked stores, else a scatter. Sixteen
// scalar loads and insertions take 2.3 ns on Zen 4, a gather 5.8 ns.
inline constexpr unsigned kMostShuffledVectors = 4;
inline constexpr unsigned kMostStoredVectors = 4;
// Elements of a local array that is filled with one byte (passes/interleave_locals.cpp), a store
// each. Not recorded.
inline constexpr std::uint64_t kMostFilled = 64;
// Of local arrays of all lanes side by side: a vector lies in one cache line.
inline constexpr std::uint64_t kAlignmentOfLanes = 64;
// Columns of a table that is loaded whole and transposed. Not recorded.
inline constexpr std::uint64_t kMostColumns = 16;
// Iterations between a prefetch and its use, in grid-stride loops. Not recorded.
inline constexpr std::int64_t kPrefetchDistance = 8;
// Lanes in one iteration of a loop over all lanes of a full gang (emit/lane_loop.cpp). Not
// recorded.
inline constexpr unsigned kLanesPerIteration = 8;

// --- Values that live across a barrier (passes/cut.cpp). To load one costs 1, to save one costs 1
// at each barrier or, before a loop, once.
inline constexpr unsigned kCheapToRepeat = 2;  // computed again instead. Not recorded.

// --- The loop over blocks (passes/block_runs.cpp)
// Instructions of a gang function that is inlined into it. Not recorded.
inline constexpr unsigned kLargestInlined = 2000;

}  // namespace warpwise::cpu_compiler::gang::costs
