// Programs that no GPU takes: ptxas refuses them, and so does the CPU device, or what runs here
// fails on the first GPU. What is counted is what ptxas counts, after optimisation and without
// padding, so that nothing is refused that a GPU takes.
#include <fmt/format.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>

#include "src/backends/cpu/compiler/lowering/lowering.hpp"
#include "src/backends/cpu/compiler/lowering/scalar/call_graph.hpp"
#include "src/backends/cpu/compiler/lowering/threads/stack_frames.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cpu_compiler {
namespace {

constexpr std::uint64_t kMostShared = 48 << 10;  // of static variables, on every architecture
constexpr std::uint64_t kMostConstant = 64 << 10;
constexpr std::uint64_t kMostParameters = 32764;  // from sm_70 on, with CUDA 12.1
constexpr std::uint64_t kMostLocal = 512 << 10;   // of a thread
// What the loader of objects maps for a module; beyond any table, whatever the device.
constexpr std::uint64_t kMostVariables = std::uint64_t{1} << 31;
constexpr unsigned kConstantSpace = 4, kSharedSpace = 3;

// What one limit is compared with: all together, and the largest part by name.
struct Amount {
    std::uint64_t bytes = 0;
    std::uint64_t largest = 0;
    std::string name;

    void add(std::uint64_t part, std::string part_name) {
        bytes += part;
        if (part <= largest) return;
        largest = part;
        name = std::move(part_name);
    }
    // ", 100000 of them 's'".
    std::string culprit() const {
        return name.empty() ? "" : fmt::format(", {} of them in '{}'", largest, name);
    }
};

std::uint64_t size_of(const Lowering& job, const llvm::GlobalVariable& variable) {
    return job.module.getDataLayout().getTypeAllocSize(variable.getValueType());
}

// Whose code has an instruction that uses the variable, also within a constant expression.
llvm::SmallPtrSet<const llvm::Function*, 8> users_of(const llvm::GlobalVariable& variable) {
    llvm::SmallPtrSet<const llvm::Function*, 8> functions;
    llvm::SmallVector<const llvm::User*, 8> todo(variable.users());
    llvm::SmallPtrSet<const llvm::User*, 8> seen;
    while (!todo.empty()) {
        const llvm::User* const user = todo.pop_back_val();
        if (!seen.insert(user).second) continue;
        if (const auto* instruction = llvm::dyn_cast<llvm::Instruction>(user)) {
            functions.insert(instruction->getFunction());
        } else {
            todo.append(user->user_begin(), user->user_end());
        }
    }
    return functions;
}

class Check {
  public:
    explicit Check(Lowering& job) : job_(job), graph_(job.module) {}

    void run() {
        check_variables();
        for (const compiler::KernelInfo& kernel : job_.translation.kernels) {
            const llvm::Function& root = *job_.module.getFunction(kernel.signature.symbol);
            const auto reachable = graph_.reachable(root);
            check_parameters(kernel, root);
            check_shared(kernel, root, reachable);
            check_local(kernel, root);
        }
    }

  private:
    void check_variables() {
        Amount constants, all;
        for (const compiler::GlobalInfo& global : job_.translation.globals) {
            const llvm::GlobalVariable* variable = job_.module.getNamedGlobal(global.symbol);
            if (variable == nullptr) continue;
            const bool is_constant = variable->getAddressSpace() == kConstantSpace;
            (is_constant ? constants : all).add(size_of(job_, *variable), global.name);
        }
        if (all.bytes > kMostVariables) {
            raise(nullptr, fmt::format("the device variables have {} bytes{}, and those of a "
                                       "module at most {}; allocate such memory by mem_alloc and "
                                       "pass its address",
                                       all.bytes, all.culprit(), kMostVariables));
        }
        if (constants.bytes <= kMostConstant) return;
        exceed(nullptr,
               fmt::format("the __constant__ variables have {} bytes{}, and on a GPU at most {}",
                           constants.bytes, constants.culprit(), kMostConstant),
               "declare what is large as __device__");
    }

    void check_parameters(const compiler::KernelInfo& kernel, const llvm::Function& root) {
        const std::uint64_t bytes = kernel.signature.argument_bytes;
        if (bytes <= kMostParameters) return;
        Amount amount;
        for (const Parameter& parameter : kernel.signature.parameters) {
            amount.add(parameter.size, parameter.name);
        }
        amount.bytes = bytes;
        exceed(&root,
               fmt::format("kernel '{}' has {} bytes of parameters{}, and on a GPU at most {}",
                           kernel.signature.name, bytes, amount.culprit(), kMostParameters),
               "pass the address of device memory");
    }

    void check_shared(const compiler::KernelInfo& kernel, const llvm::Function& root,
                      const std::vector<const llvm::Function*>& reachable) {
        Amount amount;
        for (const llvm::GlobalVariable& variable : job_.module.globals()) {
            if (variable.getAddressSpace() != kSharedSpace || variable.isDeclaration()) continue;
            const auto users = users_of(variable);
            const auto uses = [&](const llvm::Function* one) { return users.contains(one); };
            if (!std::ranges::any_of(reachable, uses)) continue;
            amount.add(size_of(job_, variable), llvm::demangle(variable.getName().str()));
        }
        if (amount.bytes <= kMostShared) return;
        exceed(&root,
               fmt::format("kernel '{}' has {} bytes of static shared memory{}, and on a GPU at "
                           "most {}",
                           kernel.signature.name, amount.bytes, amount.culprit(), kMostShared),
               "use extern __shared__ memory, whose size is given at the launch");
    }

    void check_local(const compiler::KernelInfo& kernel, const llvm::Function& root) {
        const llvm::DataLayout& target = job_.module.getDataLayout();
        const auto depths = stack_depths(graph_, [&](const llvm::Function& function) {
            std::uint64_t bytes = 0;
            for (const llvm::Instruction& instruction : llvm::instructions(function)) {
                const auto* local = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
                if (local == nullptr) continue;
                if (const auto size = local->getAllocationSize(target)) bytes += *size;
            }
            return bytes;
        });
        const std::uint64_t bytes = depths.lookup(&root);
        if (bytes <= kMostLocal) return;
        exceed(&root,
               fmt::format("the stack of a thread is exhausted: kernel '{}' has {} bytes of local "
                           "variables, and on a GPU at most {}",
                           kernel.signature.name, bytes, kMostLocal),
               "use device memory");
    }

    void exceed(const llvm::Function* where, const std::string& what, const char* advice) {
        if (!job_.translation.mode.allow_beyond_gpu) {
            raise(where, fmt::format("{}; {}, or compile with --allow-beyond-gpu for the CPU "
                                     "device only",
                                     what, advice));
        }
        job_.translation.log += fmt::format("{}: warning: {}\n", job_.translation.name, what);
    }

    [[noreturn]] void raise(const llvm::Function* where, const std::string& what) {
        const llvm::DISubprogram* place = where != nullptr ? where->getSubprogram() : nullptr;
        const std::string file =
            place != nullptr ? place->getFilename().str() : job_.translation.name;
        const int line = place != nullptr ? static_cast<int>(place->getLine()) : 0;
        const std::string text = place != nullptr
                                     ? diagnostic_text(job_.translation, file, line, 1, what)
                                     : fmt::format("{}: error: {}\n", file, what);
        throw CompileError(text.substr(0, text.find('\n')), job_.translation.log + text, file,
                           line);
    }

    Lowering& job_;
    CallGraph graph_;
};

}  // namespace

void check_gpu_limits(Lowering& job) {
    Check(job).run();
}

}  // namespace warpwise::cpu_compiler
