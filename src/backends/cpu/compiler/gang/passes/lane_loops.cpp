// Loops that are better run by one lane after the other: each lane walks through memory of its own
// for as long as it likes, so vectors would gather every operand and wait for the longest lane.
//
// Measured on products of sparse rows and vectors: 52 % of hand-written C++ by gathers, 95 % one
// lane after the other. A loop whose next address depends on what it has just read (a search, a
// list) stays in vectors, where the waits of sixteen lanes overlap.
#include "src/backends/cpu/compiler/gang/passes/passes.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/OptimizationRemarkEmitter.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Scalar/IndVarSimplify.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/UnrollLoop.h>

#include "src/backends/cpu/compiler/gang/analysis/plan.hpp"
#include "src/backends/cpu/compiler/gang/analysis/shape.hpp"
#include "src/backends/cpu/compiler/gang/target/costs.hpp"

namespace warpwise::cpu_compiler::gang {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Loop;
using llvm::Value;

constexpr const char* kLaneLoopAttribute = "warpwise-lane-loop";

bool is_minimum_or_maximum(const Instruction& instruction) {
    auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    return intrinsic && (intrinsic->getIntrinsicID() == llvm::Intrinsic::minnum ||
                         intrinsic->getIntrinsicID() == llvm::Intrinsic::maxnum);
}

// fma is one operation, and the only intrinsic that is as quick as one.
bool is_fma(const Instruction& instruction) {
    auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    return intrinsic && intrinsic->getIntrinsicID() == llvm::Intrinsic::fma;
}

unsigned operations_of(const Instruction& instruction) {
    if (is_fma(instruction)) return 1;
    if (is_minimum_or_maximum(instruction)) return costs::kMinimum;
    switch (instruction.getOpcode()) {
        case Instruction::FDiv:
        case Instruction::FRem:
        case Instruction::Call:
            return llvm::isa<llvm::DbgInfoIntrinsic>(instruction) ? 0 : costs::kSlowOperation;
        case Instruction::GetElementPtr:
        case Instruction::Load:
        case Instruction::Store:
        case Instruction::PHI:
            return 0;
        default:
            return llvm::isa<llvm::CastInst>(instruction) || instruction.isTerminator() ? 0 : 1;
    }
}

// Whether one lane can run it by itself, in its own time.
bool is_private(const Instruction& instruction) {
    if (auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction)) {
        return llvm::isTriviallyVectorizable(intrinsic->getIntrinsicID()) ||
               intrinsic->isAssumeLikeIntrinsic();
    }
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) return load->isSimple();
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) return store->isSimple();
    return !instruction.mayReadOrWriteMemory() && !llvm::isa<llvm::CallBase>(instruction) &&
           !instruction.getType()->isStructTy();
}

bool is_induction(const llvm::PHINode& phi, const Loop& loop) {
    auto* next = llvm::dyn_cast<Instruction>(phi.getIncomingValueForBlock(loop.getLoopLatch()));
    if (!next || next->getNumOperands() != 2 || next->getOperand(0) != &phi) return false;
    bool steps =
        next->getOpcode() == Instruction::Add || next->getOpcode() == Instruction::GetElementPtr;
    return steps && loop.isLoopInvariant(next->getOperand(1));
}

// Whether `address` follows from the loop's count, through any number of indirections.
bool is_counted(const Value* address, const Loop& loop) {
    llvm::SmallSetVector<const Value*, 16> seen;
    seen.insert(address);
    for (unsigned next = 0; next < seen.size(); ++next) {
        auto* instruction = llvm::dyn_cast<Instruction>(seen[next]);
        if (!instruction || !loop.contains(instruction)) continue;
        auto* phi = llvm::dyn_cast<llvm::PHINode>(instruction);
        if (phi && phi->getParent() == loop.getHeader()) {
            if (!is_induction(*phi, loop)) return false;
            continue;
        }
        seen.insert(instruction->op_begin(), instruction->op_end());
    }
    return true;
}

// What the values are computed of in the same turn, with what decides between them, up to loads.
using Turn = llvm::SmallSetVector<const Instruction*, 16>;
Turn computed_in_turn(llvm::ArrayRef<const Value*> values, const Loop& loop) {
    Turn found;
    const auto add = [&](const Value* value) {
        auto* instruction = llvm::dyn_cast<Instruction>(value);
        if (instruction && loop.contains(instruction)) found.insert(instruction);
    };
    for (const Value* value : values) add(value);
    for (unsigned next = 0; next < found.size(); ++next) {
        const Instruction* instruction = found[next];
        auto* phi = llvm::dyn_cast<llvm::PHINode>(instruction);
        if (llvm::isa<llvm::LoadInst>(instruction)) continue;
        if (phi && phi->getParent() == loop.getHeader()) continue;
        for (const Value* operand : instruction->operands()) add(operand);
        if (!phi) continue;
        for (const BasicBlock* block : phi->blocks()) {
            auto* branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
            if (branch && branch->isConditional()) add(branch->getCondition());
        }
    }
    return found;
}

// Operations between what the loop has read and an address, x[i < 0 ? i + n : i]: one lane does
// them while it waits for memory, but in vectors they take 64 bits a lane.
unsigned operations_of_indices(llvm::ArrayRef<const Value*> addresses, const Loop& loop) {
    unsigned operations = 0;
    for (const Instruction* instruction : computed_in_turn(addresses, loop)) {
        if (llvm::isa<llvm::LoadInst>(instruction)) continue;
        const Turn own = computed_in_turn({instruction}, loop);
        const bool is_read = llvm::any_of(
            own, [](const Instruction* one) { return llvm::isa<llvm::LoadInst>(one); });
        if (is_read) operations += operations_of(*instruction);
    }
    return operations;
}

// Lanes are neighbours in each turn, and one lane alone walks from row to row: x[j * n + i].
bool walks_through_rows(const Value* address, const Loop& loop, const Shape& shape) {
    return shape.has_scalars() && !shape.is_uniform() && !loop.isLoopInvariant(address);
}

// Without an instruction for it a gather is as many loads and insertions.
unsigned most_operations_per_gather(const TargetTraits& target,
                                    const llvm::TargetTransformInfo& costs,
                                    llvm::FixedVectorType* words) {
    const llvm::Align alignment(words->getScalarSizeInBits() / 8);
    const bool has_gathers = costs.isLegalMaskedGather(words, alignment) &&
                             !costs.forceScalarizeMaskedGather(words, alignment);
    if (!has_gathers) return costs::kOperationsPerLoadOfLanes;
    return target.has_fast_gathers() ? costs::kOperationsPerGather
                                     : costs::kOperationsPerSlowGather;
}

// One block that lanes leave the loop to, or two side by side, with what they have looked for and
// without it.
bool has_few_exits(const Loop& loop, const llvm::LoopInfo& loops) {
    llvm::SmallVector<BasicBlock*, 2> exits;
    loop.getUniqueExitBlocks(exits);
    return exits.size() == 1 ||
           (exits.size() == 2 && loops.getLoopFor(exits[0]) == loops.getLoopFor(exits[1]));
}

bool is_better_by_lanes(const Loop& loop, const llvm::LoopInfo& loops, const Shapes& shapes,
                        unsigned most_operations) {
    if (!loop.isInnermost() || !loop.isLoopSimplifyForm() || !has_few_exits(loop, loops) ||
        loop.getNumBlocks() > costs::kMostLaneLoopBlocks) {
        return false;
    }
    unsigned operations = 0;
    llvm::SmallVector<const Value*, 8> gathers;  // their addresses
    for (const BasicBlock* block : loop.blocks()) {
        for (const Instruction& instruction : *block) {
            if (!is_private(instruction)) return false;
            operations += operations_of(instruction);
            const Value* address = llvm::getLoadStorePointerOperand(&instruction);
            if (!address) continue;
            const Shape shape = shapes.of(address);
            if (walks_through_rows(address, loop, shape)) return false;
            if (shape.has_scalars()) continue;
            if (!is_counted(address, loop)) return false;
            gathers.push_back(address);
        }
    }
    operations -= operations_of_indices(gathers, loop);
    return gathers.size() >= costs::kLeastGathers && operations <= most_operations * gathers.size();
}

bool is_local(const Value* address) {
    return llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(address, /*MaxLookup=*/0));
}

// Reads a local array, at a place of each lane's own, for the addresses of other memory, and stores
// to it.
bool walks_by_stack(const Loop& loop, const Shapes& shapes) {
    llvm::SmallSetVector<const Instruction*, 4> popped;
    llvm::SmallVector<const Value*, 8> others;  // addresses
    bool pushes = false;
    for (const BasicBlock* block : loop.blocks()) {
        for (const Instruction& instruction : *block) {
            const Value* address = llvm::getLoadStorePointerOperand(&instruction);
            if (address == nullptr || shapes.of(address).is_uniform()) continue;
            if (!is_local(address)) {
                others.push_back(address);
            } else if (llvm::isa<llvm::StoreInst>(instruction)) {
                pushes = true;
            } else if (!is_counted(address, loop)) {
                popped.insert(&instruction);
            }
        }
    }
    return pushes && llvm::any_of(computed_in_turn(others, loop),
                                  [&](const Instruction* one) { return popped.contains(one); });
}

bool is_better_by_stacks(const Loop& loop, const Shapes& shapes) {
    if (!loop.isLoopSimplifyForm() || !loop.getUniqueExitBlock() ||
        loop.getNumBlocks() > costs::kMostStackLoopBlocks) {
        return false;
    }
    const bool is_of_lane = llvm::all_of(
        loop.blocks(), [](const BasicBlock* block) { return llvm::all_of(*block, is_private); });
    return is_of_lane && walks_by_stack(loop, shapes);
}

// The values the loop takes from outside.
llvm::SetVector<Value*> inputs_of(const Loop& loop) {
    llvm::SetVector<Value*> inputs;
    for (BasicBlock* block : loop.blocks()) {
        for (Instruction& instruction : *block) {
            for (Value* operand : instruction.operands()) {
                auto* made = llvm::dyn_cast<Instruction>(operand);
                bool is_outer = made ? !loop.contains(made) : llvm::isa<llvm::Argument>(operand);
                if (is_outer) inputs.insert(operand);
            }
        }
    }
    // What the exit's phis take from before the loop.
    for (llvm::PHINode& phi : loop.getUniqueExitBlock()->phis()) {
        for (Value* value : phi.incoming_values()) {
            auto* made = llvm::dyn_cast<Instruction>(value);
            bool is_outer = made ? !loop.contains(made) : llvm::isa<llvm::Argument>(value);
            if (is_outer) inputs.insert(value);
        }
    }
    return inputs;
}

// Two exits as one, and behind it the question which of them a lane has taken.
void join_exits(const Loop& loop) {
    llvm::SmallVector<BasicBlock*, 2> exits;
    loop.getUniqueExitBlocks(exits);
    if (exits.size() == 1) return;
    llvm::SmallVector<Loop::Edge, 4> edges;
    loop.getExitEdges(edges);
    const auto count = static_cast<unsigned>(edges.size());
    BasicBlock* joined =
        BasicBlock::Create(exits[0]->getContext(), "exits", exits[0]->getParent(), exits[0]);
    llvm::IRBuilder<> builder(joined);
    llvm::PHINode* is_first = builder.CreatePHI(builder.getInt1Ty(), count);
    for (const auto& [from, to] : edges) {
        is_first->addIncoming(builder.getInt1(to == exits[0]), from);
    }
    for (BasicBlock* exit : exits) {
        for (llvm::PHINode& phi : llvm::make_early_inc_range(exit->phis())) {
            llvm::PHINode* moved = builder.CreatePHI(phi.getType(), count);
            for (const auto& [from, to] : edges) {
                moved->addIncoming(to == exit ? phi.getIncomingValueForBlock(from)
                                              : llvm::Constant::getNullValue(phi.getType()),
                                   from);
            }
            phi.replaceAllUsesWith(moved);
            phi.eraseFromParent();
        }
    }
    builder.CreateCondBr(is_first, exits[0], exits[1]);
    for (const auto& [from, to] : edges) from->getTerminator()->replaceSuccessorWith(to, joined);
}

// Moves the loop to a function that takes its inputs and returns the values of the exit's phis.
class TakeOut {
  public:
    explicit TakeOut(Loop& loop)
        : blocks_(loop.blocks()),
          header_(*loop.getHeader()),
          before_(*loop.getLoopPreheader()),
          exit_(*loop.getUniqueExitBlock()),
          inputs_(inputs_of(loop)) {
        for (llvm::PHINode& phi : exit_.phis()) outputs_.push_back(&phi);
    }

    llvm::Function& run() {
        llvm::Function* made = make_function();
        auto* entry = BasicBlock::Create(made->getContext(), "entry", made);
        auto* leave = BasicBlock::Create(made->getContext(), "leave", made);
        for (BasicBlock* block : blocks_) {
            block->removeFromParent();
            block->insertInto(made, leave);
            for (Instruction& instruction : *block) instruction.setDebugLoc({});
            block->getTerminator()->replaceSuccessorWith(&exit_, leave);
        }
        llvm::BranchInst::Create(&header_, entry);
        header_.replacePhiUsesWith(&before_, entry);
        call(*made);
        finish(*leave);
        for (unsigned i = 0; i < inputs_.size(); ++i) {
            inputs_[i]->replaceUsesWithIf(made->getArg(i), [&](const llvm::Use& use) {
                return llvm::cast<Instruction>(use.getUser())->getFunction() == made;
            });
        }
        return *made;
    }

  private:
    llvm::Type* result_type() const {
        llvm::LLVMContext& context = header_.getContext();
        if (outputs_.empty()) return llvm::Type::getVoidTy(context);
        if (outputs_.size() == 1) return outputs_[0]->getType();
        llvm::SmallVector<llvm::Type*, 4> types;
        for (const llvm::PHINode* phi : outputs_) types.push_back(phi->getType());
        return llvm::StructType::get(context, types);
    }

    llvm::Function* make_function() const {
        llvm::SmallVector<llvm::Type*, 8> types;
        for (const Value* input : inputs_) types.push_back(input->getType());
        auto* type = llvm::FunctionType::get(result_type(), types, false);
        auto* made = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, "lane.loop",
                                            header_.getModule());
        made->addFnAttr(kLaneLoopAttribute);
        made->setDoesNotThrow();
        return made;
    }

    // In the loop's place. The exit's phis move out with the loop's blocks.
    void call(llvm::Function& made) {
        Instruction* end = before_.getTerminator();
        llvm::IRBuilder<> builder(end);
        llvm::CallInst* call = builder.CreateCall(&made, inputs_.getArrayRef());
        end->replaceSuccessorWith(&header_, &exit_);
        for (unsigned i = 0; i < outputs_.size(); ++i) {
            Value* result = call;
            if (outputs_.size() > 1) result = builder.CreateExtractValue(call, i);
            outputs_[i]->replaceAllUsesWith(result);
        }
    }

    void finish(BasicBlock& leave) {
        llvm::SmallVector<Value*, 4> values;
        for (llvm::PHINode* phi : outputs_) {
            phi->removeFromParent();
            phi->insertInto(&leave, leave.end());
            values.push_back(phi);
        }
        llvm::IRBuilder<> builder(&leave);
        if (values.empty()) {
            builder.CreateRetVoid();
        } else if (values.size() == 1) {
            builder.CreateRet(values[0]);
        } else {
            builder.CreateAggregateRet(values.data(), static_cast<unsigned>(values.size()));
        }
    }

    llvm::SmallVector<BasicBlock*, 8> blocks_;
    BasicBlock& header_;
    BasicBlock& before_;
    BasicBlock& exit_;
    llvm::SetVector<Value*> inputs_;
    llvm::SmallVector<llvm::PHINode*, 4> outputs_;
};

// One back edge for several iterations, each with its test.
void unroll(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
    if (function.getInstructionCount() > costs::kLargestUnrolled) return;
    llvm::FunctionPassManager widen;  // counts, else each iteration would widen its own
    widen.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::IndVarSimplifyPass()));
    widen.run(function, analyses);
    auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
    llvm::UnrollLoopOptions options{costs::kLaneLoopUnroll,
                                    /*Force=*/true,
                                    /*Runtime=*/false,
                                    /*AllowExpensiveTripCount=*/false,
                                    /*UnrollRemainder=*/false,
                                    /*ForgetAllSCEV=*/false};
    llvm::OptimizationRemarkEmitter remarks(&function);
    llvm::UnrollLoop(*loops.begin(), options, &loops,
                     &analyses.getResult<llvm::ScalarEvolutionAnalysis>(function),
                     &analyses.getResult<llvm::DominatorTreeAnalysis>(function),
                     &analyses.getResult<llvm::AssumptionAnalysis>(function),
                     &analyses.getResult<llvm::TargetIRAnalysis>(function), &remarks,
                     /*PreserveLCSSA=*/true);
}

bool has_loops_with_loads(const llvm::LoopInfo& loops) {
    return llvm::any_of(loops.getLoopsInPreorder(), [](const Loop* loop) {
        return llvm::any_of(loop->blocks(), [](const BasicBlock* block) {
            return llvm::any_of(
                *block, [](const Instruction& one) { return llvm::isa<llvm::LoadInst>(one); });
        });
    });
}

}  // namespace

PreservedAnalyses outline_lane_loops(llvm::Function& kernel, GangContext& context) {
    llvm::LoopInfo& loops = context.loops(kernel);
    if (!has_loops_with_loads(loops)) return PreservedAnalyses::all();
    const Analysis& analysis = context.analysis(kernel, context.layout);
    const unsigned most_operations = most_operations_per_gather(
        *context.target, context.costs(kernel),
        llvm::FixedVectorType::get(llvm::Type::getInt32Ty(kernel.getContext()),
                                   context.layout.width));
    llvm::SmallVector<Loop*, 2> found;
    for (Loop* loop : loops.getLoopsInPreorder()) {
        if (!analysis.plan->is_divergent(loop)) continue;
        const bool is_inside =
            llvm::any_of(found, [&](const Loop* other) { return other->contains(loop); });
        if (is_inside) continue;
        if (is_better_by_lanes(*loop, loops, *analysis.shapes, most_operations) ||
            is_better_by_stacks(*loop, *analysis.shapes)) {
            found.push_back(loop);
        }
    }
    for (Loop* loop : found) {
        join_exits(*loop);
        llvm::Function& outlined = TakeOut(*loop).run();
        unroll(outlined, context.analyses());
        context.forget(outlined);
    }
    return found.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

PreservedAnalyses inline_lane_loops(llvm::Function& gang, GangContext&) {
    llvm::SmallVector<llvm::CallInst*, 2> calls;
    for (Instruction& instruction : llvm::instructions(gang)) {
        auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
        const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
        if (callee && callee->hasFnAttribute(kLaneLoopAttribute)) calls.push_back(call);
    }
    for (llvm::CallInst* call : calls) {
        llvm::InlineFunctionInfo how;
        llvm::InlineFunction(*call, how);
    }
    return calls.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

}  // namespace warpwise::cpu_compiler::gang
