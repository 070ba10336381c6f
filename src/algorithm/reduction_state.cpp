// Kernels by form and device, and launching them.
#include <array>

#include "src/algorithm/elementwise_state.hpp"
#include "src/algorithm/parameters.hpp"
#include "src/algorithm/reduction.hpp"
#include "src/algorithm/user_program.hpp"
#include "src/codegen/arguments.hpp"
#include "src/codegen/geometry.hpp"
#include "src/codegen/workspace.hpp"
#include "src/runtime/context.hpp"
#include "src/runtime/launch/generated_launch.hpp"
#include "src/runtime/pool/buffer_state.hpp"
#include "src/runtime/stream/stream_state.hpp"

namespace warpwise::algorithm {
namespace {

using Role = ReductionWord::Role;

// How many results, or tiles of them, have blocks of their own.
std::int64_t groups_of(const ReductionLayout& layout) {
    if (!layout.form.by_threads) return layout.kept;
    return codegen::divided_up(layout.kept, codegen::kThreads);
}

codegen::PartsMemory make_workspace(const ReductionLayout& layout, std::size_t value_bytes,
                                    runtime::StreamState& stream,
                                    std::vector<std::shared_ptr<runtime::BufferState>>& buffers) {
    if (layout.parts.count <= 1) return {};
    const auto results = static_cast<std::size_t>(layout.kept);
    const auto values = results * static_cast<std::size_t>(layout.parts.count) * value_bytes;
    codegen::PartsMemory memory(stream, (values + 15) / 16 * 16, results);
    buffers.push_back(memory.memory.state());
    return memory;
}

std::uint64_t value_of(const ReductionWord& word, const ReductionLaunch& call,
                       const codegen::PartsMemory& workspace) {
    const ReductionLayout& layout = *call.layout;
    const auto as_word = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
    switch (word.role) {
        case Role::Array:
            return call.addresses[word.number];
        case Role::Result:
            return call.result;
        case Role::Workspace:
            return workspace.states;
        case Role::Counters:
            return workspace.counters;
        case Role::Count:
            return as_word(layout.count);
        case Role::Kept:
            return as_word(layout.kept);
        case Role::Reduced:
            return as_word(layout.reduced);
        case Role::Parts:
            return as_word(layout.parts.count);
        case Role::Length:
            return as_word(layout.parts.length);
        case Role::Extent:
            return as_word(layout.extents[word.axis]);
        case Role::Stride:
            return as_word(layout.strides[word.number][word.axis]);
        case Role::Scalar:
            break;
    }
    return call.scalars[word.number][word.axis];
}

}  // namespace

ReductionProgram::ReductionProgram(const ReductionDefinition& definition, const ReductionForm& form,
                                   runtime::Context& context)
    : words_(words_of(definition, form)),
      value_bytes_(definition.dtype.size()),
      kernel_(load_kernel(emit(definition, form), definition.text, signature_of(definition, form),
                          context)) {}

void ReductionProgram::launch(runtime::StreamState& stream, const ReductionLaunch& call) const {
    const ReductionLayout& layout = *call.layout;
    std::vector<std::shared_ptr<runtime::BufferState>> buffers = call.buffers;
    const codegen::PartsMemory workspace = make_workspace(layout, value_bytes_, stream, buffers);
    std::array<std::uint64_t, codegen::kMostArgumentBytes / 8> packed;
    for (std::size_t i = 0; i < words_.size(); ++i) {
        packed[i] = value_of(words_[i], call, workspace);
    }
    const std::int64_t blocks = groups_of(layout) * layout.parts.count;
    runtime::launch_generated(kernel_, stream,
                              {.grid = codegen::rows_of_blocks(blocks),
                               .block = {codegen::kThreads, 1, 1},
                               .arguments = std::as_bytes(std::span(packed.data(), words_.size())),
                               .buffers = buffers});
}

ReductionState::ReductionState(ReductionDefinition definition)
    : definition_([&] {
          check_text(definition.text);
          check_parameters(definition.parameters, definition.text.name);
          const std::string& name = definition.text.name;
          require_balanced(definition.neutral, name + ".neutral");
          require_balanced(definition.reduce_expr, name + ".reduce_expr");
          require_balanced(definition.map_expr, name + ".map_expr");
          require_balanced(definition.text.preamble, name + ".preamble");
          definition.usage = usage_of(definition.map_expr, definition.parameters, definition.text);
          return std::move(definition);
      }()),
      signature_(user_signature(definition_.parameters, definition_.text.name)) {}

std::shared_ptr<const ReductionProgram> ReductionState::program(const ReductionForm& form,
                                                                runtime::Context& context) {
    const Key key{form, &context};
    {
        MutexLock lock(mutex_);
        const auto known = programs_.find(key);
        if (known != programs_.end()) return known->second;
    }
    auto made = std::make_shared<const ReductionProgram>(definition_, form, context);
    MutexLock lock(mutex_);
    return programs_.try_emplace(key, std::move(made)).first->second;
}

}  // namespace warpwise::algorithm
