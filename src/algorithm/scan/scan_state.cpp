// Checking the texts, kernels by device, and launching them.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "src/algorithm/elementwise_state.hpp"
#include "src/algorithm/library_kernel.hpp"
#include "src/algorithm/parameters.hpp"
#include "src/algorithm/scan/scan.hpp"
#include "src/algorithm/tokens.hpp"
#include "src/algorithm/user_program.hpp"
#include "src/codegen/group.hpp"
#include "src/runtime/context.hpp"
#include "src/runtime/launch/generated_launch.hpp"
#include "src/runtime/pool/buffer_state.hpp"
#include "src/runtime/stream/stream_state.hpp"
#include "src/types/promotion.hpp"
#include "warpwise/error.hpp"

namespace warpwise::algorithm {
namespace {

using Role = ScanWord::Role;

bool mentions(std::string_view text, std::string_view name) {
    return std::ranges::any_of(tokens_of(text),
                               [&](const Token& token) { return token.is_name(name); });
}

[[noreturn]] void refuse(const std::string& message) {
    throw ArgumentError(ArgumentError::Kind::Value, message);
}

void check_texts(const ScanDefinition& definition) {
    const std::string& name = definition.text.name;
    const std::pair<const char*, const std::string*> parts[] = {
        {"input_expr", &definition.input_expr},
        {"scan_expr", &definition.scan_expr},
        {"neutral", &definition.neutral},
        {"output_statement", &definition.output_statement},
        {"is_segment_start_expr", &definition.segment_start},
        {"preamble", &definition.text.preamble},
    };
    for (const auto& [part, text] : parts) require_balanced(*text, name + "." + part);
    if (definition.scan_expr.empty()) {
        refuse(fmt::format("{}: scan_expr is empty; give one such as \"a+b\"", name));
    }
    if (mentions(definition.output_statement, "last_item")) {
        refuse(
            fmt::format("{}: output_statement asks for last_item, which is known only when the "
                        "scan has ended; use item where i == n-1",
                        name));
    }
    if (definition.uses_previous && definition.neutral.empty()) {
        refuse(
            fmt::format("{}: the first element's prev_item is the neutral value, which is "
                        "missing; give neutral",
                        name));
    }
}

// The parameter NAME where the text is "NAME[i]" and `rest`.
std::optional<std::size_t> element_of(std::string_view text,
                                      const std::vector<KernelParameter>& parameters,
                                      std::initializer_list<std::string_view> rest) {
    std::vector<Token> tokens = tokens_of(text);
    if (!tokens.empty() && tokens.back().is(";")) tokens.pop_back();
    std::vector<std::string_view> wanted{"[", "i", "]"};
    wanted.insert(wanted.end(), rest);
    if (tokens.size() != wanted.size() + 1) return std::nullopt;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (tokens[i + 1].text != wanted[i]) return std::nullopt;
    }
    const auto named = std::ranges::find(parameters, tokens[0].text, &KernelParameter::name);
    if (named == parameters.end() || !named->is_array) return std::nullopt;
    return static_cast<std::size_t>(named - parameters.begin());
}

std::optional<ScanDefinition::Plain> plain_of(const ScanDefinition& definition) {
    const std::vector<KernelParameter>& parameters = definition.parameters;
    // The preamble may give names another meaning.
    if (!definition.segment_start.empty() || !definition.text.preamble.empty()) return std::nullopt;
    const auto in = element_of(definition.input_expr, parameters, {});
    const auto out = element_of(definition.output_statement, parameters,
                                {"=", definition.uses_previous ? "prev_item" : "item"});
    if (!in || !out) return std::nullopt;
    for (const DType& dtype : {definition.dtype, parameters[*in].dtype, parameters[*out].dtype}) {
        if (!types::is_number(dtype.kind())) return std::nullopt;
    }
    return ScanDefinition::Plain{*in, *out};
}

ScanDefinition read(ScanDefinition definition) {
    check_text(definition.text);
    check_parameters(definition.parameters, definition.text.name);
    const std::string inputs = definition.segment_start.empty()
                                   ? definition.input_expr
                                   : definition.input_expr + ";\n" + definition.segment_start;
    definition.inputs =
        usage_of(inputs, definition.parameters, {.preamble = definition.text.preamble});
    definition.outputs = usage_of(definition.output_statement, definition.parameters,
                                  {.preamble = definition.text.preamble});
    definition.uses_previous = mentions(definition.output_statement, "prev_item");
    check_texts(definition);
    definition.plain = plain_of(definition);
    return definition;
}

// Memory through which tiles synchronise; freed in the order of the stream.
Buffer make_workspace(const ScanLayout& layout, runtime::StreamState& stream,
                      std::vector<std::shared_ptr<runtime::BufferState>>& buffers) {
    const auto bytes = static_cast<std::size_t>(layout.workspace_bytes);
    // A graph keeps its own for as long as it lives: nothing else uses that memory.
    Buffer memory = stream.is_capturing()
                        ? mem_alloc_unpooled(bytes, Device(stream.context().shared()))
                        : mem_alloc(bytes, Stream(stream.shared_from_this()));
    const auto& state = memory.state();
    runtime::Fill fill;
    fill.destination = runtime::address_of(memory);
    fill.pattern = 0;
    fill.pattern_bytes = 4;
    fill.count = static_cast<std::size_t>(layout.cleared_bytes / 4);
    stream.fill(fill, state);
    state->note_use(stream.core());
    buffers.push_back(state);
    return memory;
}

}  // namespace

ScanProgram::ScanProgram(const ScanDefinition& definition, runtime::Context& context)
    : definition_(definition),
      context_(context),
      words_(words_of(definition)),
      value_bytes_(definition.value_bytes()),
      serial_(is_serial(context)),
      kernel_(compiled(scan_layout(serial_, value_bytes_, 1, 1))) {}

std::shared_ptr<runtime::KernelState> ScanProgram::compiled(const ScanLayout& layout) const {
    return load_kernel(emit(definition_, layout), definition_.text,
                       signature_of(definition_, layout), context_, serial_);
}

std::shared_ptr<runtime::KernelState> ScanProgram::ahead_kernel(const ScanLayout& layout) const {
    {
        MutexLock lock(mutex_);
        if (ahead_kernel_ != nullptr) return ahead_kernel_;
    }
    auto made = compiled(layout);
    MutexLock lock(mutex_);
    if (ahead_kernel_ == nullptr) ahead_kernel_ = std::move(made);
    return ahead_kernel_;
}

void ScanProgram::launch(runtime::StreamState& stream, const ScanLaunch& call) const {
    std::optional<ScanLayout> ahead;
    if (definition_.plain) ahead = ahead_layout(context_.info(), value_bytes_, 1, call.count);
    const ScanLayout layout = ahead.value_or(scan_layout(serial_, value_bytes_, 1, call.count));
    const auto kernel = ahead ? ahead_kernel(layout) : kernel_;
    std::vector<std::shared_ptr<runtime::BufferState>> buffers = call.buffers;
    const Buffer workspace = make_workspace(layout, stream, buffers);
    std::array<std::uint64_t, codegen::kMostArgumentBytes / 8> packed;
    std::size_t array = 0;
    for (std::size_t i = 0; i < words_.size(); ++i) {
        const ScanWord& word = words_[i];
        switch (word.role) {
            case Role::Array:
                packed[i] = call.addresses[array++];
                break;
            case Role::Workspace:
                packed[i] = runtime::address_of(workspace);
                break;
            case Role::Count:
                packed[i] = static_cast<std::uint64_t>(call.count);
                break;
            case Role::Tiles:
                packed[i] = static_cast<std::uint64_t>(layout.tiles);
                break;
            case Role::Scalar:
                packed[i] = call.scalars[word.number][word.part];
                break;
        }
    }
    runtime::launch_generated(kernel, stream,
                              {.grid = {static_cast<std::uint32_t>(layout.blocks()), 1, 1},
                               .block = {static_cast<std::uint32_t>(layout.threads), 1, 1},
                               .arguments = std::as_bytes(std::span(packed.data(), words_.size())),
                               .buffers = buffers});
}

ScanState::ScanState(ScanDefinition definition)
    : definition_(read(std::move(definition))),
      signature_(user_signature(definition_.parameters, definition_.text.name)) {}

std::shared_ptr<const ScanProgram> ScanState::program(runtime::Context& context) {
    {
        MutexLock lock(mutex_);
        const auto known = programs_.find(&context);
        if (known != programs_.end()) return known->second;
    }
    auto made = std::make_shared<const ScanProgram>(definition_, context);
    MutexLock lock(mutex_);
    return programs_.try_emplace(&context, std::move(made)).first->second;
}

}  // namespace warpwise::algorithm
