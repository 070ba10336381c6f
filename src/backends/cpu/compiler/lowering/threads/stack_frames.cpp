// The code generator reports the size of a frame as a warning, for functions with the attribute.
#include "src/backends/cpu/compiler/lowering/threads/stack_frames.hpp"

#include <fmt/format.h>
#include <llvm/IR/DiagnosticHandler.h>
#include <llvm/IR/DiagnosticInfo.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "warpwise/error.hpp"

namespace warpwise::cpu_compiler {
namespace {

class FrameListener final : public llvm::DiagnosticHandler {
  public:
    explicit FrameListener(std::shared_ptr<FrameSizes> sizes) : sizes_(std::move(sizes)) {}

    bool handleDiagnostics(const llvm::DiagnosticInfo& diagnostic) override {
        if (diagnostic.getKind() != llvm::DK_StackSize) return false;
        const auto& frame = llvm::cast<llvm::DiagnosticInfoStackSize>(diagnostic);
        (*sizes_)[frame.getFunction().getName()] = frame.getStackSize();
        return true;
    }

  private:
    std::shared_ptr<FrameSizes> sizes_;
};

}  // namespace

llvm::DenseMap<const llvm::Function*, std::uint64_t> stack_depths(
    const CallGraph& graph, llvm::function_ref<std::uint64_t(const llvm::Function&)> frame_of) {
    llvm::DenseMap<const llvm::Function*, std::uint64_t> depths;
    for (const llvm::Function* function : graph.bottom_up()) {
        std::uint64_t deepest = 0;
        for (const llvm::Function* callee : graph.callees(*function)) {
            deepest = std::max(deepest, depths.lookup(callee));
        }
        depths[function] = frame_of(*function) + deepest;
    }
    return depths;
}

std::shared_ptr<const FrameSizes> collect_frame_sizes(llvm::Module& module) {
    auto sizes = std::make_shared<FrameSizes>();
    module.getContext().setDiagnosticHandler(std::make_unique<FrameListener>(sizes));
    for (llvm::Function& function : module) {
        if (!function.isDeclaration()) function.addFnAttr("warn-stack-size", "0");
    }
    return sizes;
}

void provide_stack(Translation& translation, const llvm::Module& module, const FrameSizes& frames) {
    const CallGraph graph(module);
    const auto depths = stack_depths(graph, [&](const llvm::Function& function) {
        return kFrameOverhead + frames.lookup(function.getName());
    });
    for (compiler::KernelInfo& kernel : translation.kernels) {
        const std::uint64_t depth = depths.lookup(module.getFunction(kernel.signature.symbol));
        if (depth > std::numeric_limits<std::uint32_t>::max()) {
            const std::string text = fmt::format(
                "{}: error: the stack of a thread is exhausted: kernel '{}' takes {} bytes of it; "
                "use device memory in place of large local variables",
                translation.name, kernel.signature.name, depth);
            throw CompileError(text, translation.log + text + "\n", translation.name, 0);
        }
        kernel.local_bytes = std::max(kernel.local_bytes, static_cast<std::uint32_t>(depth));
    }
}

}  // namespace warpwise::cpu_compiler
