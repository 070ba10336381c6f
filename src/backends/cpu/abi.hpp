// The binary contract between compiled device code and the CPU run time.
//
// Both sides include this file: the compiler library (which emits loads at these offsets and calls
// through this table) and the run time (which fills them in). Compiled objects are cached on disk,
// so every change of layout or meaning must raise kAbiVersion, which is part of the cache key.
//
// How a thread of a kernel runs. Every function of device code takes one hidden first parameter,
// ThreadState*, so that threadIdx, shared memory and the run time are reachable everywhere, through
// function pointers and virtual calls too. A kernel's entry has the type KernelEntry. The run time
// calls it once for each gang of a block, a group of threads that the compiled code runs together
// (executor *reference*: a gang is one thread): in a plain loop when the kernel has no rendezvous,
// each in a fiber of its own with kKernelNeedsFibers, and with kKernelStops again and again: such
// code returns at each barrier, and goes on behind it when it is called the next time.
//
// Device code reaches the run time only through BlockState::runtime, never by symbol lookup. The
// few names a code generator makes up by itself (memcpy, memset, fmod, __udivti3 ...) are resolved
// by the object loader from a fixed list of leaf functions.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpwise::cpu {

inline constexpr std::uint32_t kAbiVersion = 14;
inline constexpr std::uint32_t kWarpSize = 32;

struct RuntimeTable;
struct ThreadState;

// `arguments` is the packed parameter buffer of the launch (offsets in KernelSignature).
using KernelEntry = void (*)(ThreadState* thread, const std::byte* arguments);

// One block in flight. Owned by the worker that runs it; read-only for device code.
struct BlockState {
    const RuntimeTable* runtime;
    std::byte* shared;             // static shared memory, then dynamic; kSharedAlignment-aligned
    std::uint32_t block_index[3];  // blockIdx
    std::uint32_t block_dim[3];    // blockDim
    std::uint32_t grid_dim[3];     // gridDim
    std::uint32_t dynamic_shared_bytes;
    std::uint32_t thread_count;  // product of block_dim
};

inline constexpr std::uint32_t kMaxGangLanes = 256;
inline constexpr std::size_t kFrameAlignment = 128;
inline constexpr std::uint32_t kActiveBits = 16;  // lanes in one word of ThreadState::active

// One gang of the block, by its first thread. The run time derives from it to add what device code
// does not see. Lane i of a gang is i threads behind the first, along x or by linear index; in a
// gang of several rows each row takes whole words of kActiveBits lanes.
struct ThreadState {
    BlockState* block;
    std::uint32_t thread_index[3];  // threadIdx
    std::uint32_t linear_index;     // x + dim.x * (y + dim.y * z); lane = % 32, warp = / 32
    std::uint32_t lanes;            // threads it represents
    std::uint32_t columns;          // of these, in one row
    std::uint32_t rows;
    // Written by compiled code before it calls a barrier: of its lanes, those that have reached it,
    // and those that wait elsewhere to go on. All others have exited.
    std::uint32_t arrived;
    std::uint32_t elsewhere;
    // The lanes that run now, kept up to date where compiled code may fault.
    std::uint16_t active[kMaxGangLanes / kActiveBits];
    // With kKernelStops. Compiled code that stops at a barrier of the block stores where and how it
    // goes on; 0 there: it has ended, or not begun. At __syncthreads_count() and its variants it
    // stores which, BarrierOp + 1, and in how many lanes it holds, and finds the result there.
    std::uint32_t resume_at;
    std::uint32_t votes_how;
    std::int32_t votes;
    KernelEntry resume;
    std::byte* frame;  // KernelRecord::frame_bytes, kFrameAlignment-aligned; for compiled code only
    std::uint64_t place_key;   // see BlockRunEntry
    std::uint64_t round;       // of a grid-stride loop; for compiled code only
    std::uint32_t row_thread;  // the first one of the gang's row of data; for compiled code only
};

// The entry of a kernel with kKernelRunsBlocks: runs all gangs of `count` > 0 blocks, the one that
// `thread` points to and its next along x, and leaves block_index at the last of them. Without
// kKernelCallsRuntime the state of the gang is not kept up to date meanwhile, but for `active`.
// Instead a mark lives in a register or on the stack while a gang runs, which only a fault handler
// reads: the round, modulo 2^22, above blockIdx.x above linear_index, exclusive-or
// ThreadState::place_key. The key is new for each run of blocks, so that what earlier runs have
// left on the stack is not taken for a mark, and marks of one run ascend, so that the largest is
// that of the running gang. Rounds other than 0 are those of kernels with kKernelRunsRounds.
using BlockRunEntry = void (*)(ThreadState* thread, const std::byte* arguments,
                               std::uint32_t count);

inline constexpr unsigned kPlaceBlockShift = 11;
inline constexpr unsigned kPlaceRoundShift = 42;
constexpr std::uint32_t block_of_place(std::uint64_t place) noexcept {
    return static_cast<std::uint32_t>(place >> kPlaceBlockShift) & 0x7fffffff;
}
constexpr std::uint32_t thread_of_place(std::uint64_t place) noexcept {
    return static_cast<std::uint32_t>(place) & ((1u << kPlaceBlockShift) - 1);
}

// Static shared variables are placed by the compiler at fixed offsets from BlockState::shared;
// dynamic shared memory (`extern __shared__`) begins at static_shared_bytes rounded up to this.
inline constexpr std::size_t kSharedAlignment = 128;

// Bytes before and behind a block's shared memory that no other block uses: vectors of which some
// elements are stored write the others as they were.
inline constexpr std::size_t kSharedMargin = 256;

// Bits of KernelRecord::flags (kernel_record.hpp).
enum KernelFlag : std::uint32_t {
    kKernelNeedsFibers = 1u << 0,     // has a barrier, a warp collective or a yield point
    kKernelSyncsGrid = 1u << 1,       // calls grid_sync: needs a cooperative launch
    kKernelCallsRuntime = 1u << 2,    // printf, assert, malloc ...: anything beyond plain memory
    kKernelGangsAreLinear = 1u << 3,  // gangs are cut by linear index, else as tiles of a plane
    kKernelRunsBlocks = 1u << 4,      // the entry is a BlockRunEntry
    kKernelStops = 1u << 5,           // its gangs return at barriers and are called again
    // Computes the thread's index along x with 32 bits, counting on it being below 2^31.
    kKernelNumbersIn31Bits = 1u << 6,
    kKernelPrints = 1u << 7,  // calls printf
    // Is a grid-stride loop of which a run of several blocks does one iteration after the other.
    kKernelRunsRounds = 1u << 8
};
// The extent of a gang in threads, along x and, in tiles of several rows, along y. 0 counts as 1.
inline constexpr unsigned kGangColumnsShift = 16;
inline constexpr unsigned kGangRowsShift = 26;
inline constexpr std::uint32_t kGangColumnsMask = 0x3ff;

// Modes of shuffle and operations of reduce and barrier_reduce, as device headers pass them.
enum ShuffleMode : std::uint32_t {
    kShuffleIndex = 0,
    kShuffleUp = 1,
    kShuffleDown = 2,
    kShuffleXor = 3
};
enum ReduceOp : std::uint32_t {
    kReduceAdd = 0,
    kReduceMinS = 1,
    kReduceMaxS = 2,
    kReduceMinU = 3,
    kReduceMaxU = 4,
    kReduceAnd = 5,
    kReduceOr = 6,
    kReduceXor = 7,
};
enum class Collective : std::uint32_t {
    SyncWarp,
    ActiveMask,
    Ballot,
    Shuffle32,
    Shuffle64,
    MatchAny,
    MatchAll,
    Reduce
};
// The operands of a warp operation, lane by lane, as the code of a gang hands them over; the
// results come back in `value`.
struct WarpOperands {
    std::uint64_t value[32];
    std::uint32_t mask[32];
    std::uint32_t operand[32];  // of a shuffle
    std::uint32_t width[32];
};
// A launch from device code, in front of its packed arguments.
struct alignas(16) NestedRecord {
    std::uint32_t line;  // of the source
    std::uint32_t grid[3];
    std::uint32_t block[3];
    std::uint32_t dynamic_shared_bytes;
    std::uint32_t is_tail;  // starts when all else that its grid has launched has ended
    std::uint32_t argument_bytes;
};

enum BarrierOp : std::uint32_t { kBarrierCount = 0, kBarrierAnd = 1, kBarrierOr = 2 };

// What a row of device_calls.def does, as far as compiled code depends on it.
enum class ServiceKind : std::uint8_t {
    Leaf,           // a pure function of its arguments
    Clock,          // reads a counter; no thread, no memory that device code sees
    BlockBarrier,   // rendezvous of the threads of a block
    GridBarrier,    // ... of a grid
    WarpState,      // rendezvous of the lanes that run together; no mask
    WarpOperation,  // ... of the lanes of a mask, which is the first argument
    WarpMode,       // the same with the mask as second argument, behind a mode
    Yield,          // lets other threads run
    Runtime,        // output, heap, waiting
    Stop,           // reports an error of the kernel; does not return
    Check,          // compiled code has found a violated condition
};

// The table: one slot per row of device_calls.def, in its order.
struct RuntimeTable {
#define WARPWISE_THREAD_CALL(kind, name, result, ...) \
    result (*name)(ThreadState * thread, ##__VA_ARGS__);
#define WARPWISE_LEAF_CALL(kind, name, result, ...) result (*name)(__VA_ARGS__);
#include "src/backends/cpu/device_calls.def"
};

// The number of a row, which is its slot in the table.
enum class ServiceId : unsigned {
#define WARPWISE_THREAD_CALL(kind, name, ...) name,
#define WARPWISE_LEAF_CALL(kind, name, ...) name,
#include "src/backends/cpu/device_calls.def"
};

}  // namespace warpwise::cpu
