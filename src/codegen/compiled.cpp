// Compiling a group's text, and packing the arguments of its launches.
#include "src/codegen/compiled.hpp"

#include <array>
#include <cstring>
#include <utility>

#include "src/codegen/arguments.hpp"
#include "src/codegen/geometry.hpp"
#include "src/codegen/workspace.hpp"
#include "src/compiler/compiler.hpp"
#include "src/runtime/context.hpp"
#include "src/runtime/launch/generated_launch.hpp"
#include "src/runtime/module/module_state.hpp"
#include "src/runtime/pool/buffer_state.hpp"
#include "src/runtime/stream/stream_state.hpp"

namespace warpwise::codegen {
namespace {

using Role = Word::Role;

class Kernel final : public Fused {
  public:
    Kernel(const Group& group, runtime::Context& context, compiler::Compiler& compiler, bool fully)
        : group_(group),
          words_(words_of(group)),
          items_(items_of(group, context.info().shares_host_memory)),
          side_(tile_side(group, context.info().shares_host_memory)) {
        compiler::CompileRequest request;
        request.source = emit(group);
        request.name = "fused.cu";
        request.target = context.info().architecture;
        request.mode.contraction = false;
        request.mode.signatures = {signature_of(group)};
        if (fully) {
            request.mode.tier = compiler::Tier::Full;
            request.mode.block = block_of(group);
        }
        const auto program =
            std::make_shared<const compiler::Program>(compiler::compile_cached(compiler, request));
        // By the request a block's own form is made later, of what is used much.
        const auto module = runtime::ModuleState::load(
            context.shared(), program,
            fully ? nullptr : std::make_shared<const compiler::CompileRequest>(request));
        kernel_ = module->kernel(*module->kernels().front());
    }

    void launch(runtime::StreamState& stream, const Binding& binding) override {
        const Geometry geometry = geometry_of(group_, binding.extents, items_, side_);
        if (geometry.blocks == 0) return;
        const Workspace workspace = Workspace::make(group_, geometry, stream);
        std::array<std::uint64_t, kMostArgumentBytes / 8> packed;
        for (std::size_t i = 0; i < words_.size(); ++i) {
            packed[i] = value_of(words_[i], binding, geometry, workspace);
        }
        runtime::launch_generated(
            kernel_, stream,
            {.grid = grid_of(group_, geometry),
             .block = block_of(group_),
             .arguments = std::as_bytes(std::span(packed.data(), words_.size())),
             .runs_here = count_of(binding.extents) <= kRunsHere,
             .buffers = workspace.buffers(),
             .more_buffers = binding.buffers});
    }

    bool is_compiled() const noexcept override { return true; }

  private:
    static const Place& place_of(Role role, std::size_t number, const Binding& binding) {
        switch (role) {
            case Role::Input:
                return binding.inputs[number];
            case Role::Store:
                return binding.stores[number];
            case Role::KeptInput:
                return binding.kept_inputs[number];
            default:
                return binding.kept_stores[number];
        }
    }

    std::uint64_t scalar_word(const Word& word, const Binding& binding) const {
        alignas(16) std::array<std::byte, 16> bytes{};
        binding.scalars[word.number].store(group_.scalars[word.number], bytes.data());
        std::uint64_t value = 0;
        std::memcpy(&value, bytes.data() + std::size_t{word.axis} * 8, sizeof value);
        return value;
    }

    std::uint64_t value_of(const Word& word, const Binding& binding, const Geometry& geometry,
                           const Workspace& workspace) const {
        switch (word.role) {
            case Role::Workspace:
                return workspace.states;
            case Role::Counters:
                return workspace.counters;
            case Role::Report:
                return binding.report;
            case Role::Stride:
                return static_cast<std::uint64_t>(
                    place_of(word.of, word.number, binding).strides[word.axis]);
            case Role::Extent:
                return static_cast<std::uint64_t>(binding.extents[word.number]);
            case Role::Divisor:
                return divisor_of(static_cast<std::uint64_t>(binding.extents[word.number]));
            case Role::Points:
                return static_cast<std::uint64_t>(geometry.points);
            case Role::Kept:
                return static_cast<std::uint64_t>(geometry.kept);
            case Role::Reduced:
                return static_cast<std::uint64_t>(geometry.reduced);
            case Role::PartCount:
                return static_cast<std::uint64_t>(geometry.parts.count);
            case Role::PartLength:
                return static_cast<std::uint64_t>(geometry.parts.length);
            case Role::Scalar:
                return scalar_word(word, binding);
            default:
                return place_of(word.role, word.number, binding).address;
        }
    }

    const Group group_;
    const std::vector<Word> words_;
    const int items_;
    const int side_;
    std::shared_ptr<runtime::KernelState> kernel_;
};

}  // namespace

std::shared_ptr<Fused> compile_kernel(const Group& group, runtime::Context& context,
                                      compiler::Compiler& compiler, bool fully) {
    return std::make_shared<Kernel>(group, context, compiler, fully);
}

}  // namespace warpwise::codegen
