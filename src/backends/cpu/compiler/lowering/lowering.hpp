// The steps from clang's module to host code, in the order pipeline.cpp runs them, and what they
// hand each other. Invariant: each step leaves a module that the next can take alone; scalar
// functions are not optimised again after bind_thread_state() (address spaces are gone).
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/backends/cpu/compiler/translation.hpp"
#include "src/backends/cpu/kernel_record.hpp"

namespace warpwise::cpu_compiler {

// What the vectoriser has made of one kernel: how the run time cuts blocks into gangs, and what
// each of them needs.
// A gang function for gangs that begin at any thread of a block of one row and end where a row of
// the kernel's data ends, and what it needs to know (gang/passes/split_rows.cpp). All take a
// thread's state and the arguments.
struct SplitRows {
    llvm::Function* gang = nullptr;       // null: there is none
    llvm::Function* are_worth = nullptr;  // -> i1, whether to use it in this launch
    llvm::Function* threads = nullptr;    // -> i32, in the row from ThreadState::row_thread on
    llvm::Function* is_usual = nullptr;   // -> i1, whether a gang may have all lanes
    unsigned width = 0;                   // the most lanes of other gangs
};

struct GangForm {
    unsigned columns = 1;             // threads of a gang along x
    unsigned rows = 1;                // and along y
    bool is_linear = false;           // gangs are cut by linear index, else as tiles of a plane
    bool needs_no_fibers = false;     // at barriers it returns, or there is nothing to wait for
    bool numbers_in_31_bits = false;  // the threads along x
    std::uint64_t lane_by_lane = 0;  // instructions, of a thousand, that run for one lane at a time
    std::vector<cpu::AccessRow> accesses;  // of memory, in the form that runs most
    // That form accesses each element once or a few times, in vectors of neighbours: no loops.
    bool is_streaming = false;
    // What a gang that returns at barriers keeps meanwhile.
    std::optional<std::uint64_t> frame_bytes;
    // Of the functions that the kernel chooses from, those that run most.
    std::vector<llvm::Function*> preferred;
    SplitRows split_rows;
};

// One iteration of a kernel that is a grid-stride loop, for all of the grid.
struct RoundForm {
    GangForm form;
    llvm::Function* gang = nullptr;
    llvm::Function* count = nullptr;  // of the iterations, below 0 where they must stay in order
};

// One module while it is lowered.
struct Lowering {
    Translation& translation;
    llvm::Module& module;
    llvm::TargetMachine& machine;
    llvm::StringMap<GangForm> gangs = {};  // of the kernels that were vectorised, by symbol
    llvm::StringMap<RoundForm> rounds = {};
};

// Where shared variables lie in a block's shared memory.
struct SharedLayout {
    llvm::DenseMap<const llvm::GlobalVariable*, std::uint64_t> offsets;  // static ones
    llvm::DenseMap<const llvm::Function*, std::uint64_t> dynamic;        // extern arrays, per user
    std::uint64_t largest_static = 0;
};

// --- A. Preparation -----------------------------------------------------------------------------
void verify_module(Lowering& job, const char* when);
void retarget_to_host(Lowering& job);
void name_launched_kernels(Lowering& job);  // by device code
void settle_linkage(Lowering& job);
void drop_unused(Lowering& job);            // before anything is refused, and at the end
void lower_inline_ptx(Lowering& job);       // laneid, clock, membar, ... ; the rest stays
void canonicalise_services(Lowering& job);  // barrier0, shfl, vprintf, malloc ... -> __ww_NAME
void lower_ptx_intrinsics(Lowering& job);   // NVPTX math, fences, address spaces -> generic IR
void define_division(Lowering& job);        // by zero, and INT_MIN / -1
void define_conversions(Lowering& job);     // out of range, and of NaN
void define_shifts(Lowering& job);          // by the width and more
void refine_convergence(Lowering& job);     // `convergent` only on barriers and warp operations
void choose_inlining(Lowering& job);

// --- B. The common prefix -----------------------------------------------------------------------
void run_scalar_passes(Lowering& job);
void form_fma(Lowering& job);
void expand_narrow_fma(Lowering& job);    // of 16-bit floats, rounded once
void specialise_by_block(Lowering& job);  // where the request names the shape of blocks

// --- C. Threads ---------------------------------------------------------------------------------
void check_gpu_limits(Lowering& job);  // while variables have their address spaces
void insert_yields(Lowering& job);
void keep_warps_in_step(Lowering& job);  // convergence points around volatile shared accesses
void mark_block_atomics(Lowering& job);  // those on shared memory, while address spaces are known
SharedLayout lay_out_shared(Lowering& job);  // sets KernelInfo::static_shared_bytes
void report_leftovers(Lowering& job);        // refuses kernels that need what has no form here
void bind_thread_state(Lowering& job, const SharedLayout& layout);

// --- D. Gangs: gang/gang.hpp, then for every executor -------------------------------------------
void make_block_atomics_plain(Lowering& job);
void define_minima(Lowering& job);              // of zeros, and of 16-bit floats
void expand_vector_conversions(Lowering& job);  // of floating-point numbers to integers
void summarise_kernels(Lowering& job);          // sets local_bytes, block and backend_data
void lower_registers(Lowering& job);
void lower_services(Lowering& job);

// All of the above, in order.
void lower(Lowering& job);

struct SourcePlace {
    std::string file;
    int line = 0;  // 0: unknown
    int column = 0;
};
// Where an instruction is in the user's source: what our own headers do is where they were called.
SourcePlace place_of(const llvm::Instruction& where);

// What is wrong at an instruction, at its place in the user's source; and what is not there yet.
compiler::Refusal wrong(const Lowering& job, const llvm::Instruction& where,
                        const std::string& message);
compiler::Refusal unsupported(const Lowering& job, const llvm::Instruction& where,
                              const std::string& construct);

}  // namespace warpwise::cpu_compiler
