// A loop with a yield waits (lowering/yields.cpp). While some lanes are in it, others stand at the
// blocks pending there: they have left it, or took another branch. If from there a path leads to a
// write of what is waited for, the gang may hang. A path ends at a barrier of the block or warp:
// no lane passes it, on any machine, while another is in the loop.
#include "src/backends/cpu/compiler/gang/analysis/waits.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <optional>

#include "src/backends/cpu/compiler/gang/analysis/candidate.hpp"
#include "src/backends/cpu/compiler/lowering/services/service_table.hpp"

namespace warpwise::cpu_compiler::gang {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Loop;
using llvm::Value;

const Service* service_called(const Instruction& instruction) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    return call ? find_service(*call) : nullptr;
}

bool yields(const BasicBlock& block) {
    return llvm::any_of(block, [](const Instruction& instruction) {
        const Service* service = service_called(instruction);
        return service && service->kind == ServiceKind::Yield;
    });
}

// Whether all lanes of the block or warp must arrive before one continues.
bool is_joint_barrier(const Instruction& instruction) {
    const Service* service = service_called(instruction);
    if (!service) return false;
    auto& call = llvm::cast<llvm::CallBase>(instruction);
    auto is = [&](unsigned argument, bool ones) {
        auto* value = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(argument));
        return value && (ones ? value->isMinusOne() : value->isZero());
    };
    if (service->id == ServiceId::barrier) return is(0, false) && is(1, false);
    if (service->id == ServiceId::barrier_arrive) return false;
    if (service->is_barrier()) return true;
    const std::optional<unsigned> mask = service->mask_argument();
    return mask && is(*mask, true);
}

// An argument of the function, the parameter that lies at an offset of the packed ones, a variable.
struct Object {
    const Value* base = nullptr;
    std::int64_t offset = 0;

    friend bool operator==(const Object&, const Object&) = default;
};

std::optional<Object> object_of(const Value* pointer, const llvm::DataLayout& data) {
    const Value* object = llvm::getUnderlyingObject(pointer, /*MaxLookup=*/0);
    if (llvm::isa<llvm::GlobalVariable, llvm::AllocaInst, llvm::Argument>(object)) {
        return Object{object, -1};
    }
    auto* load = llvm::dyn_cast<llvm::LoadInst>(object);
    if (!load) return std::nullopt;
    llvm::APInt offset(64, 0);
    const Value* base = load->getPointerOperand()->stripAndAccumulateConstantOffsets(
        data, offset, /*AllowNonInbounds=*/true);
    // What the thread's state points to, shared memory above all, is loaded once for all.
    if (auto* state = llvm::dyn_cast<llvm::LoadInst>(base)) {
        bool is_state = llvm::isa<llvm::Argument>(llvm::getUnderlyingObject(state->getOperand(0)));
        if (!is_state) return std::nullopt;
        base = state->getFunction()->getArg(0);
    }
    if (!llvm::isa<llvm::Argument>(base)) return std::nullopt;
    return Object{base, offset.getSExtValue()};
}

// Distinct parameters and variables are taken for distinct memory.
bool may_be_one_object(const Value* a, const Value* b, const llvm::DataLayout& data) {
    std::optional<Object> of_a = object_of(a, data), of_b = object_of(b, data);
    return !of_a || !of_b || *of_a == *of_b;
}

struct Waiting {
    const Loop* loop = nullptr;
    llvm::SmallVector<const Value*, 4> places;  // that others write
    bool is_for_lock = true;                    // acquired by an exchange, released within the loop
};

// What the loop's own lanes read of others. The slice that decides the exit is smaller, but what
// else is read so is hardly ever written by lanes that stand aside.
Waiting describe(const Loop& loop) {
    Waiting waiting{&loop, {}, true};
    for (const BasicBlock* block : loop.blocks()) {
        for (const Instruction& instruction : *block) {
            if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
                if (load->isSimple()) continue;
                waiting.places.push_back(load->getPointerOperand());
                waiting.is_for_lock = false;
            } else if (auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
                waiting.places.push_back(update->getPointerOperand());
                waiting.is_for_lock &= update->getOperation() == llvm::AtomicRMWInst::Xchg;
            } else if (auto* swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
                waiting.places.push_back(swap->getPointerOperand());
            }
        }
    }
    return waiting;
}

bool may_write(const Instruction& instruction, const Waiting& waiting) {
    if (!instruction.mayWriteToMemory() || service_called(instruction)) return false;
    const Value* pointer = llvm::getLoadStorePointerOperand(&instruction);
    if (auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
        pointer = update->getPointerOperand();
    } else if (auto* swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
        pointer = swap->getPointerOperand();
    } else if (auto* intrinsic = llvm::dyn_cast<llvm::AnyMemIntrinsic>(&instruction)) {
        pointer = intrinsic->getRawDest();
    }
    if (!pointer) return !llvm::isa<llvm::FenceInst, llvm::IntrinsicInst>(instruction);
    return llvm::any_of(waiting.places, [&](const Value* place) {
        return may_be_one_object(place, pointer, instruction.getDataLayout());
    });
}

// Whether a lane that stands at one of `starts` may reach a write before a barrier of all.
bool reaches_write(const Waiting& waiting, llvm::SmallVector<const BasicBlock*, 16> work) {
    llvm::SmallPtrSet<const BasicBlock*, 32> seen(work.begin(), work.end());
    while (!work.empty()) {
        const BasicBlock* block = work.pop_back_val();
        // A lock acquired in a later iteration is not the one that others wait for now.
        bool counts = !waiting.is_for_lock || !waiting.loop->contains(block);
        bool goes_on = true;
        for (const Instruction& instruction : *block) {
            if (counts && may_write(instruction, waiting)) return true;
            if (!is_joint_barrier(instruction)) continue;
            goes_on = false;
            break;
        }
        if (!goes_on) continue;
        for (const BasicBlock* next : llvm::successors(block)) {
            if (seen.insert(next).second) work.push_back(next);
        }
    }
    return false;
}

// Whether `block` is the end of an iteration of `loop`, and does nothing else.
bool ends_iteration(const Loop& loop, const BasicBlock& block) {
    const BasicBlock* at = &block;
    while (at && at != loop.getLoopLatch()) at = at->getSingleSuccessor();
    return at != nullptr;
}

}  // namespace

bool lanes_wait_for_each_other(const Plan& plan) {
    llvm::SmallPtrSet<const Loop*, 4> seen;
    for (const PlannedBlock& planned : plan.blocks()) {
        if (!planned.loop || !yields(*planned.block)) continue;
        const Loop* innermost = planned.loop;
        for (const Loop* loop = innermost; loop; loop = loop->getParentLoop()) {
            bool waits = loop == innermost || ends_iteration(*loop, *planned.block);
            if (!waits || !seen.insert(loop).second) continue;
            llvm::SmallVector<const BasicBlock*, 16> aside;
            const PlannedBlock& header = plan[plan.index_of(loop->getHeader())];
            for (unsigned other : header.pending.set_bits()) aside.push_back(plan[other].block);
            if (reaches_write(describe(*loop), std::move(aside))) return true;
        }
    }
    return false;
}

}  // namespace warpwise::cpu_compiler::gang
