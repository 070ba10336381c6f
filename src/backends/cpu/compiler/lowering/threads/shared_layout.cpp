// Places for shared variables. Variables that one kernel reaches never overlap; those of different
// kernels may, so that a module of a thousand kernels needs no more than its hungriest.
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/ReplaceConstant.h>
#include <llvm/Support/Alignment.h>

#include <algorithm>

#include "src/backends/cpu/abi.hpp"
#include "src/backends/cpu/compiler/lowering/lowering.hpp"
#include "src/backends/cpu/compiler/lowering/scalar/call_graph.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cpu_compiler {
namespace {

constexpr unsigned kSharedSpace = 3;

bool is_dynamic(const llvm::GlobalVariable& variable) {
    return variable.isDeclaration();
}

class Planner {
  public:
    explicit Planner(Lowering& job) : job_(job), graph_(job.module) {
        for (std::size_t kernel = 0; kernel < job.translation.kernels.size(); ++kernel) {
            const auto& symbol = job.translation.kernels[kernel].signature.symbol;
            const llvm::Function* root = job.module.getFunction(symbol);
            for (const llvm::Function* function : graph_.reachable(*root)) {
                kernels_of_[function].push_back(kernel);
            }
        }
        ends_.resize(job.translation.kernels.size());
    }

    SharedLayout plan() {
        for (llvm::GlobalVariable& variable : job_.module.globals()) {
            if (variable.getAddressSpace() != kSharedSpace) continue;
            is_dynamic(variable) ? note_dynamic(variable) : place(variable);
        }
        place_dynamic();
        for (std::size_t kernel = 0; kernel < ends_.size(); ++kernel) {
            job_.translation.kernels[kernel].static_shared_bytes =
                static_cast<std::uint32_t>(ends_[kernel]);
            layout_.largest_static = std::max(layout_.largest_static, ends_[kernel]);
        }
        return std::move(layout_);
    }

  private:
    std::vector<std::size_t> kernels_using(const llvm::GlobalVariable& variable) {
        std::vector<std::size_t> kernels;
        for (const llvm::User* user : variable.users()) {
            const auto& more = kernels_of_[llvm::cast<llvm::Instruction>(user)->getFunction()];
            kernels.insert(kernels.end(), more.begin(), more.end());
        }
        std::sort(kernels.begin(), kernels.end());
        kernels.erase(std::unique(kernels.begin(), kernels.end()), kernels.end());
        return kernels;
    }

    void place(llvm::GlobalVariable& variable) {
        const llvm::DataLayout& target = job_.module.getDataLayout();
        llvm::Align alignment = target.getPreferredAlign(&variable);
        std::vector<std::size_t> kernels = kernels_using(variable);
        std::uint64_t offset = 0;
        for (std::size_t kernel : kernels) offset = std::max(offset, ends_[kernel]);
        offset = llvm::alignTo(offset, alignment);
        layout_.offsets[&variable] = offset;
        std::uint64_t end = offset + target.getTypeAllocSize(variable.getValueType());
        for (std::size_t kernel : kernels) ends_[kernel] = end;
    }

    void note_dynamic(const llvm::GlobalVariable& variable) {
        for (const llvm::User* user : variable.users()) {
            dynamic_users_.insert(llvm::cast<llvm::Instruction>(user)->getFunction());
        }
    }

    // Dynamic shared memory begins behind the static part of the kernel that runs. A function that
    // several kernels call needs one place for all of them: their static parts are made equal.
    void place_dynamic() {
        std::vector<std::size_t> together;
        for (const llvm::Function* function : dynamic_users_) {
            const auto& kernels = kernels_of_[function];
            if (kernels.size() > 1) together.insert(together.end(), kernels.begin(), kernels.end());
        }
        std::uint64_t largest = 0;
        for (std::size_t kernel : together) largest = std::max(largest, ends_[kernel]);
        for (std::size_t kernel : together) ends_[kernel] = largest;
        for (const llvm::Function* function : dynamic_users_) {
            const auto& kernels = kernels_of_[function];
            std::uint64_t end = kernels.empty() ? 0 : ends_[kernels.front()];
            layout_.dynamic[function] = llvm::alignTo(end, cpu::kSharedAlignment);
        }
    }

    Lowering& job_;
    CallGraph graph_;
    llvm::DenseMap<const llvm::Function*, std::vector<std::size_t>> kernels_of_;
    llvm::SetVector<const llvm::Function*> dynamic_users_;
    std::vector<std::uint64_t> ends_;  // of the static part, by kernel
    SharedLayout layout_;
};

// From here on every use of a shared variable is an instruction, which has a function.
void make_uses_instructions(llvm::Module& module) {
    llvm::SmallVector<llvm::Constant*, 16> shared;
    for (llvm::GlobalVariable& variable : module.globals()) {
        if (variable.getAddressSpace() == kSharedSpace) shared.push_back(&variable);
    }
    llvm::convertUsersOfConstantsToInstructions(shared);
    for (llvm::Constant* variable : shared) {
        variable->removeDeadConstantUsers();
        for (const llvm::User* user : variable->users()) {
            if (!llvm::isa<llvm::Instruction>(user)) {
                throw UnsupportedError("the address of shared variable '" +
                                       variable->getName().str() +
                                       "' in the initial value of a variable is not supported");
            }
        }
    }
}

}  // namespace

SharedLayout lay_out_shared(Lowering& job) {
    make_uses_instructions(job.module);
    return Planner(job).plan();
}

}  // namespace warpwise::cpu_compiler
