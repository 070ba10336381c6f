// The constants of the cost model, one table: what each weighs, and the measurement that chose it.
// "Not recorded" means that no measurement is known; change such a number only with one.
//
// "Suite" stands for a measurement of 27 November 2026: the 13 works and the 47 kernels of the
// enlarged suite, compiled in full for their blocks with another value, on a Xeon of two virtual
// cores with AVX-512 at a load of 7; processor time of one thread, the best of 7 to 9 in turns, and
// of 25 where a smaller time was found. A ratio is the time with the other value over the time with
// this one: above 1 this one is better. Kernels that are not named have the same code or a ratio
// within 1.05. Noise is the ratio of two measurements of the same code.
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
// Above this one piece, above that two, below those four. Suite: one piece above 200 instructions,
// Black-Scholes 1.14, lattice Boltzmann 1.08; above 800, the same code. Two pieces above 100,
// Kepler's equation 1.31, grey of bytes 1.21, median 0.94; above 250, GELU 1.07, but Black-Scholes
// 0.82: the number of instructions does not distinguish these two.
inline constexpr unsigned kOnePieceAbove = 400;
inline constexpr unsigned kTwoPiecesAbove = 200;
// Below this, or in tiles, eight pieces where threads wait at barriers: a gang more is a frame or
// fiber more. Suite: with four pieces always, the least and its place 1.30, but bitonic sort 0.86
// and k-means 0.86; below 180, the same code.
inline constexpr unsigned kEightPiecesBelow = 90;
// Instructions times pieces of a block that is one gang. Suite: 2,500, scan 1.54, softmax 1.36,
// convolution of rows 1.23; 40,000, the same code.
inline constexpr unsigned kLargestBlock = 10'000;
// Vectors of a whole block that may be alive through a loop. What does not fit into registers lies
// in the first cache, where a sum of memory walks through it in order; narrower gangs skip through
// it. Suite: 24, layer norm 1.60, k-means 1.12, but the least and its place 0.94; with AVX2, layer
// norm 1.80, k-means 1.54, the least 1.64; 6 with AVX2, GEMV 1.34, softmax 1.38, triangular solves
// 1.18; 64, the same code.
inline constexpr unsigned kMostLiveOfBlock = 32;
// Share of the vector registers that such values of other gangs may take; the rest is for the
// loop's own. Suite: one third, Kepler's equation 1.34, Mandelbrot 1.24, the least 1.27, random
// walks 1.07, but k-means 0.85; all, no difference in 3 kernels.
inline constexpr unsigned kGangShareOf3 = 2;

// Lanes of a vector of bytes, and how many halves of a register the average value of such a kernel
// may fill (passes/choose_layout.cpp).
inline constexpr unsigned kMostLanesOfVector = 64;
inline constexpr unsigned kFilledHalves = 3;

// Instructions of a kernel that gets tiles as high as a vector for accesses by columns
// (passes/choose_layout.cpp): 16 pieces, of which the copy for full gangs is below
// `kLargestKnownCopy`. Not recorded.
inline constexpr unsigned kLargestOfColumns = 250;

// --- Copies of gang functions (forms.cpp)
// Gangs of the usual form for one of the other: weights of the branch between them. Suite: equal
// weights change the code of 31 kernels, and their times by 1.00 in the geometric mean.
inline constexpr std::uint32_t kUsually = 1000;
// Instructions times pieces of a function that gets a copy for full gangs; where the shape of
// blocks is known it is compiled in the background, and there is time. Of the first, the works and
// ten kernels of the suite, compiled for any block: no copies, product of matrices 1.63, Sobel
// 1.18, transpose 1.09, median 0.90; 4,000, transpose 1.07 (1.02 by noise), stencil 0.94. Suite, of
// the second: 1,000, stencil 1.35, convolution of columns 1.05; 16,000, one kernel 0.95.
inline constexpr unsigned kLargestCopy = 1000;
inline constexpr unsigned kLargestKnownCopy = 4000;

// Gangs in a row, at least, where the copy for usual outcomes counts on its lanes to lie in one row
// (analysis/usual/assumptions.cpp), and where it also counts on bounds of the row not to be
// reached. Not recorded.
inline constexpr std::int64_t kGangsOfRow = 2;
inline constexpr std::int64_t kGangsOfBoundedRow = 4;
// Threads of the shortest row that gangs end with (passes/split_rows.cpp). 30 November 2026, Zen 4,
// the time of gangs that lie as ever over theirs, of pooling, a bias of channels and heads of
// attention: rows of 8, 4.3, 0.93 and 1.00; of 10, 4.0, 1.20 and 1.40; of 14, 5.7, 1.35 and 1.53.
// With AVX2 of 8, 1.01, 0.61 and 0.71; of 12, 1.36, 0.88 and 1.02; of 14, 1.47, 1.00 and 1.17; of
// 16, 4.6, 1.8 and 1.9.
inline constexpr std::int64_t kShortestSplitRow = 14;

// --- Loops that run one lane after the other (passes/lane_loops.cpp). Products of sparse rows and
// vectors reach 52 % of hand-written C++ by gathers, 95 % one lane after the other.
// Suite: from 1 gather on, triangular solves 1.15; from 3, the same code; from 4, PageRank 1.18,
// Jacobi 1.06.
inline constexpr unsigned kLeastGathers = 2;
// With more operations for each gather, vectors are faster; one slow operation counts for several.
// Suite: 2, the same code; 8, shortest ways 1.35. A slow one as 4 or 16, the same code.
inline constexpr unsigned kOperationsPerGather = 4;
inline constexpr unsigned kSlowOperation = 8;
// The same where a gather takes as long as a load and an insertion a lane. 29 November 2026, Zen 4,
// 14 kernels that are not in the suite, with 4: loops of 0 to 31 turns 1.2 to 2.6, shortest ways
// 2.0; of 10 to 13 turns 0.98 to 1.5, but eleven operations for two gathers 0.80 and a division
// 0.78.
inline constexpr unsigned kOperationsPerSlowGather = 8;
// The same where the target has no gathers. With AVX2, not in the suite: a weighted average over
// rows of a sparse matrix, with a division, 0.29 of the time with 4; a maximum 0.45; shortest ways
// 0.52.
inline constexpr unsigned kOperationsPerLoadOfLanes = 16;
// A minimum of floats is several instructions, and each waits for the one before: the shortest ways
// of the suite, of three gathers, take 1.3 times as long lane by lane.
inline constexpr unsigned kMinimum = 16;
// Blocks of such a loop. Suite: 1, PageRank 1.13, two kernels 0.95; 2, 4 and 16, the same code.
inline constexpr std::size_t kMostLaneLoopBlocks = 8;
// Blocks of one that takes its places from a stack, its inner loops among them. Not recorded.
inline constexpr std::size_t kMostStackLoopBlocks = 32;
// Such a loop is unrolled by two if it has no more instructions. Suite: by four, products of sparse
// rows 1.15, Jacobi 1.05; not at all, the products 0.94 (0.98 by noise), Jacobi 1.05 (1.01); up to
// 100 instructions, the same code.
inline constexpr unsigned kLaneLoopUnroll = 2;
inline constexpr unsigned kLargestUnrolled = 24;

// --- Code that is copied before emission; instructions. Suite: loops up to 15, two kernels 1.03;
// up to 240, the same code. Chains up to 100, GELU 0.94; up to 1,600, the same code.
inline constexpr unsigned kLargestFullLoop = 60;   // passes/full_loops.cpp
inline constexpr std::size_t kLargestChain = 400;  // passes/guard_chains.cpp
inline constexpr unsigned kMostElements = 16;      // passes/regroup_elements.cpp
// Two numbers of a thread that stay side by side there: short2, int2 and float2, one operation each
// in 4 MB, take 1.04 to 1.16 times as long shared out, with AVX2 0.96 to 1.18; double2 1.05 and
// 0.72.
inline constexpr unsigned kBitsOfShuffledPair = 32;

// Iterations of a loop over levels that is unrolled (passes/unroll_levels.cpp): of a tree over 2^16
// values, of an elimination of 16 rows. And what a block that is one gang may be by it, in
// instructions times pieces: most of its vectors have no lane, and are dropped. On a processor of
// the fourth Xeon generation the scan of 512 in a block takes 12.5 ms with levels in a loop and
// 10.4 ms without.
inline constexpr unsigned kMostLevels = 16;
inline constexpr std::size_t kLargestLevels = 16'000;
// The same of a gang in a block of several, which gets fewer pieces for it: a sorting network of 55
// levels compiles in 3.1 s with 8 pieces and in 0.4 s with 2, and runs as fast.
inline constexpr std::size_t kLargestLevelsOfGang = 4'000;

// Turns of a loop over the elements of a tile, by the threads of a block (passes/unroll_turns.cpp).
// Not recorded.
inline constexpr unsigned kMostTurns = 8;

// --- Memory
// Lanes of a gather or scatter that become scalar accesses: a scatter takes some 50 cycles however
// few lanes it has.
inline constexpr std::size_t kFewLanes = 2;
// Instructions for accesses in steps other than the element's size, in the text of one function: a
// load and an insertion a lane, or a load or store and a shuffle for each register that the access
// reaches over. The limit bounds the code. Suite: 512, Blelloch scan 1.26, transpose 1.13; 2,048,
// Blelloch scan 1.36; 32,768, the same code.
inline constexpr unsigned kMostStridedInstructions = 8192;
// Registers that such an access reaches over: loads become as many loads and shuffles, else a load
// and an insertion a lane; stores as many shuffles and masked stores, else a scatter. Sixteen
// scalar loads and insertions take 2.3 ns on Zen 4, a gather 5.8 ns. Lanes in a pattern found when
// the code runs get no insertions where there is a gather, nor extractions where there is a
// scatter; elsewhere the choice is a loop over lanes, with which on 28 November 2026, AVX2, an FFT
// of 1,024 took 1.39, Blelloch scan 1.11, transposed tile 1.05.
inline constexpr unsigned kMostShuffledVectors = 4;
inline constexpr unsigned kMostStoredVectors = 4;
// Registers that the indices of a comparison fill, and how far apart its first and last lane lie
// (emit/emit_widening.cpp). With fewer registers the vector operations are as few as the scalar
// ones; the distance is bounded so that it fits a lane of 32 bits.
inline constexpr unsigned kLeastOfIndexTest = 4;
inline constexpr std::int64_t kFarthestOfIndexTest = std::int64_t{1} << 30;
// Runs of neighbouring elements that lanes of a load lie in, for each piece, and of the numbers
// that a bound in its address is compared with (analysis/lane_runs.hpp). Not recorded.
inline constexpr std::size_t kRunsOfVector = 4;
inline constexpr std::size_t kRunsOfBound = 8;
// Elements of a local array that is filled with one byte (passes/interleave_locals.cpp), a store
// each. Suite: 8 or 512, the same code. A kernel with an array of 128 words and 48 accesses by
// computed indices takes 0.76 times as long as with 64, one of 64 words 0.86 times as long as with
// 8; 256 elements take 0.84 times as long where they are filled so, but the compile takes 0.3 s of
// processor time instead of 0.1.
inline constexpr std::uint64_t kMostFilled = 128;
// Lanes after which places repeat (analysis/lane_periods.hpp), of loads and of stores, whose runs
// are compared with each other; how often they do at least; elements from one time to the next.
// Not recorded.
inline constexpr unsigned kLongestPeriod = 8;
inline constexpr unsigned kLongestStoredPeriod = 4;
inline constexpr unsigned kLeastPeriods = 4;
inline constexpr std::int64_t kWidestPeriodStep = 4;
// Lanes of a masked store that the target lacks, where some are alive, which each store to a chosen
// place; more are a loop over those that are alive (passes/host_masks.cpp). Not recorded.
inline constexpr unsigned kMostChosenPlaces = 16;
// Of local arrays of all lanes side by side: a vector lies in one cache line.
inline constexpr std::uint64_t kAlignmentOfLanes = 64;
// Columns of a table that is loaded whole and transposed. Suite: 4, scan 1.42, particles 1.41, but
// grey of bytes 0.71; 32, the same code. Sums over 12 columns take longer with 8: floats 1.79,
// 16-bit integers 2.9, bytes 1.23, doubles 1.02.
inline constexpr std::uint64_t kMostColumns = 16;
// Bytes of a structure that is loaded whole for each lane (emit/memory/emit_structures.cpp): one
// load, of a register that each processor has.
inline constexpr std::uint64_t kLargestStructure = 16;
// Accesses to a shared array by columns for each other one, weighted by loops, from which on it is
// stored by columns (passes/transpose_shared.cpp): the others become gathers. Not recorded.
inline constexpr std::uint64_t kColumnsPerOther = 8;
// Iterations between a prefetch and its use, in grid-stride loops. Suite: 2, the least and its
// place 1.43, histogram 1.20, maxima 0.88 (0.96 by noise); 32, polynomial 1.26, the least 1.17, sum
// by a shared tree 1.10.
inline constexpr std::int64_t kPrefetchDistance = 8;
// Lanes in one iteration of a loop over all lanes of a full gang (emit/state/lane_loop.cpp). Suite:
// 4, no difference in 4 kernels; 16, BFS 1.08.
inline constexpr unsigned kLanesPerIteration = 8;
// With fewer pieces, updates of one place are combined even where one lane may be alone
// (emit/memory/emit_atomics.cpp). 28 November 2026, kernels of four pieces: 4, one lane in 64 1.19,
// one in 33 at random 1.21, compaction 1.05; with AVX2 0.96, 1.11 and 1.01.
inline constexpr unsigned kPiecesOfLoneUpdate = 8;

// --- Values that live across a barrier (passes/cut.cpp). To load one costs 1, to save one costs 1
// at each barrier or, before a loop, once.
// Values that cost no more are computed again instead. Suite: 0, 1 and 4, no difference in 6
// kernels.
inline constexpr unsigned kCheapToRepeat = 2;

// --- The loop over blocks (passes/blocks/block_runs.cpp)
// Instructions of a gang function that is inlined into it. Suite: 500, GEMV 1.11, stencil 1.09,
// histogram 1.07, median 1.07, 17 kernels 1.03 in the geometric mean; 8,000, transpose 1.09.
inline constexpr unsigned kLargestInlined = 2000;
// Threads of a run of blocks that goes through a grid-stride loop round by round: what they read
// side by side makes up for what is computed anew in each round. Not recorded.
inline constexpr std::uint32_t kLeastThreadsOfRound = 1024;
// Instructions before such a loop, which each round repeats: parameters and indices are, a hash of
// the thread's number is not. Not recorded.
inline constexpr unsigned kMostRepeatedInRounds = 80;
// Threads of a row of several blocks. Suite, over whole blocks: heat in three dimensions 0.82 with
// AVX2 and 0.94 with AVX-512, Sobel 0.88; FDTD between 0.90 and 1.05.
inline constexpr unsigned kRowOfRun = 256;
// Bytes from lane to lane of an access that streams. Not recorded.
inline constexpr std::int64_t kWidestStreamStep = 16;

}  // namespace warpwise::cpu_compiler::gang::costs
