// Kernels by form and device, and the words of a launch.
#include "src/algorithm/elementwise_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "src/algorithm/parameters.hpp"
#include "src/algorithm/user_program.hpp"
#include "src/codegen/arguments.hpp"
#include "src/codegen/geometry.hpp"
#include "src/runtime/context.hpp"
#include "src/runtime/launch/generated_launch.hpp"
#include "src/runtime/stream/stream_state.hpp"

namespace warpwise::algorithm {
namespace {

using Form = ElementwiseForm;
using Role = ElementwiseWord::Role;

// A thread that has text before and behind its loop should loop a few times.
constexpr std::uint32_t kBlocksPerMultiprocessor = 16;

int items_of(const Form& form, const runtime::Context& context) {
    if (form.walk == Form::Walk::Views) return 1;
    return context.info().shares_host_memory ? codegen::kItemsOnCpu : codegen::kItemsOnGpu;
}

}  // namespace

KernelSignature user_signature(const std::vector<KernelParameter>& parameters,
                               const std::string& name) {
    KernelSignature signature{.name = name, .symbol = name};
    for (const KernelParameter& one : parameters) {
        Parameter parameter{.name = one.name};
        parameter.type =
            one.is_array ? fmt::format("{}{} *", one.is_const ? "const " : "", one.type) : one.type;
        parameter.passing = one.is_array                       ? Parameter::Passing::Pointer
                            : one.dtype.kind() == Kind::Struct ? Parameter::Passing::Struct
                                                               : Parameter::Passing::Scalar;
        parameter.dtype = one.dtype;
        parameter.is_const = one.is_const;
        parameter.size = static_cast<std::uint32_t>(one.is_array ? 8 : one.dtype.size());
        signature.parameters.push_back(std::move(parameter));
    }
    return signature;
}

ElementwiseProgram::ElementwiseProgram(const ElementwiseDefinition& definition, const Form& form,
                                       runtime::Context& context)
    : form_(form),
      words_(words_of(definition, form)),
      items_(items_of(form, context)),
      loops_(!definition.text.loop_prep.empty() || !definition.text.after_loop.empty() ||
             definition.usage.uses_threads),
      most_blocks_(context.info().multiprocessors * kBlocksPerMultiprocessor),
      kernel_(load_kernel(emit(definition, form), definition.text, signature_of(definition, form),
                          context)) {}

std::uint32_t ElementwiseProgram::blocks_of(const ElementwiseLaunch& call) const {
    constexpr std::int64_t kMostBlocks = std::numeric_limits<std::int32_t>::max();
    const std::int64_t tile = std::int64_t{codegen::kThreads} * items_;
    std::int64_t blocks = codegen::divided_up(call.points, tile);
    if (form_.walk == Form::Walk::Rows) {
        const Shape& extents = call.layout->extents;
        const std::int64_t length = extents[extents.size() - 1];
        const std::int64_t units = call.points / length * codegen::divided_up(length, tile);
        // Short rows: several a block, so that a block has a tile's worth of points.
        blocks = codegen::divided_up(units, std::max<std::int64_t>(1, tile / length));
    } else if (loops_) {
        blocks = std::min<std::int64_t>(blocks, std::max<std::uint32_t>(most_blocks_, 1));
    }
    return static_cast<std::uint32_t>(std::min(blocks, kMostBlocks));
}

std::uint64_t ElementwiseProgram::value_of(const ElementwiseWord& word,
                                           const ElementwiseLaunch& call) {
    const ElementwiseLayout& layout = *call.layout;
    const auto as_word = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
    switch (word.role) {
        case Role::Array:
            return call.addresses[word.number];
        case Role::Count:
            return as_word(layout.count);
        case Role::Points:
            return as_word(layout.form.walk == Form::Walk::Rows
                               ? call.points / layout.extents[layout.extents.size() - 1]
                               : call.points);
        case Role::Start:
            return as_word(call.start);
        case Role::Step:
            return as_word(call.step);
        case Role::Extent:
            return as_word(layout.extents[word.axis]);
        case Role::Divisor:
            return codegen::divisor_of(as_word(layout.extents[word.axis]));
        case Role::Stride:
            return as_word(layout.strides[word.number][word.axis]);
        case Role::OwnExtent:
            return as_word(layout.shapes[word.number][word.axis]);
        case Role::OwnDivisor:
            return codegen::divisor_of(as_word(layout.shapes[word.number][word.axis]));
        case Role::Scalar:
            break;
    }
    return call.scalars[word.number][word.axis];
}

void ElementwiseProgram::launch(runtime::StreamState& stream, const ElementwiseLaunch& call) const {
    std::array<std::uint64_t, codegen::kMostArgumentBytes / 8> packed;
    for (std::size_t i = 0; i < words_.size(); ++i) packed[i] = value_of(words_[i], call);
    runtime::launch_generated(kernel_, stream,
                              {.grid = {blocks_of(call), 1, 1},
                               .block = {codegen::kThreads, 1, 1},
                               .arguments = std::as_bytes(std::span(packed.data(), words_.size())),
                               .buffers = call.buffers});
}

ElementwiseState::ElementwiseState(ElementwiseDefinition definition)
    : definition_([&] {
          check_text(definition.text);
          check_parameters(definition.parameters, definition.text.name);
          const std::string& name = definition.text.name;
          require_balanced(definition.operation, name + ".operation");
          require_balanced(definition.text.preamble, name + ".preamble");
          require_balanced(definition.text.loop_prep, name + ".loop_prep");
          require_balanced(definition.text.after_loop, name + ".after_loop");
          definition.usage = usage_of(definition.operation, definition.parameters, definition.text);
          return std::move(definition);
      }()),
      signature_(user_signature(definition_.parameters, definition_.text.name)) {}

std::shared_ptr<const ElementwiseProgram> ElementwiseState::program(const Form& form,
                                                                    runtime::Context& context) {
    const Key key{form, &context};
    {
        MutexLock lock(mutex_);
        const auto known = programs_.find(key);
        if (known != programs_.end()) return known->second;
    }
    auto made = std::make_shared<const ElementwiseProgram>(definition_, form, context);
    MutexLock lock(mutex_);
    return programs_.try_emplace(key, std::move(made)).first->second;
}

}  // namespace warpwise::algorithm
