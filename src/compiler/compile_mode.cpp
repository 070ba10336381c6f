// Encoding and validation of modes. Invariant: each member is part of the encoding.
#include "src/compiler/compile_mode.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "src/base/text.hpp"
#include "src/compiler/signature_bytes.hpp"
#include "warpwise/error.hpp"

namespace warpwise::compiler {
namespace {

constexpr std::array<std::string_view, 4> kExecutorNames = {"auto", "reference", "gang", "regions"};
constexpr std::array<std::pair<Checks, std::string_view>, 4> kCheckNames = {
    {{Checks::Bounds, "bounds"},
     {Checks::Races, "races"},
     {Checks::Uninitialized, "uninitialized reads"},
     {Checks::Barriers, "divergent barriers"}}};
constexpr std::uint8_t kUnset = 0xff;

template <class Enum>
void put_optional(ByteWriter& out, const std::optional<Enum>& value) {
    out.put(value ? static_cast<std::uint8_t>(*value) : kUnset);
}

template <class Enum>
std::optional<Enum> get_optional(ByteReader& in, Enum last, const char* complaint) {
    const auto number = in.get<std::uint8_t>();
    if (number == kUnset) return std::nullopt;
    in.require(number <= static_cast<std::uint8_t>(last), complaint);
    return static_cast<Enum>(number);
}

std::vector<std::byte> encoded(const CompileMode& mode) {
    ByteWriter out;
    put_mode(out, mode);
    return std::move(out).take();
}

bool is_same_parameter(const Parameter& a, const Parameter& b) {
    return a.passing == b.passing && a.dtype == b.dtype && a.is_const == b.is_const &&
           a.offset == b.offset && a.size == b.size && a.alignment == b.alignment;
}

bool is_same_signature(const KernelSignature& a, const KernelSignature& b) {
    return a.argument_bytes == b.argument_bytes &&
           a.max_threads_per_block == b.max_threads_per_block && a.min_blocks == b.min_blocks &&
           std::ranges::equal(a.parameters, b.parameters, is_same_parameter);
}

std::string described(const KernelSignature& signature) {
    std::string text = signature.declaration();
    if (signature.max_threads_per_block != 0) {
        text += fmt::format(" with launch bounds {}, {}", signature.max_threads_per_block,
                            signature.min_blocks);
    }
    return text;
}

[[noreturn]] void refuse_signature(const std::string& text) {
    throw ArgumentError(ArgumentError::Kind::Value,
                        text + "; pass the signatures of the kernels of this source, or none");
}

}  // namespace

bool CompileMode::operator==(const CompileMode& other) const {
    return encoded(*this) == encoded(other);
}

std::string_view name_of(Executor executor) noexcept {
    return kExecutorNames[static_cast<std::size_t>(executor)];
}

std::optional<Executor> executor_named(std::string_view name) noexcept {
    const auto* const found = std::ranges::find(kExecutorNames, name);
    if (found == kExecutorNames.end()) return std::nullopt;
    return static_cast<Executor>(found - kExecutorNames.begin());
}

void put_mode(ByteWriter& out, const CompileMode& mode) {
    put_optional(out, mode.executor);
    put_optional(out, mode.tier);
    out.put(static_cast<std::uint8_t>(mode.block.has_value()));
    for (const std::uint32_t extent : mode.block.value_or(BlockShape{})) out.put(extent);
    out.put(static_cast<std::uint8_t>(mode.skipped_passes.has_value()));
    out.put(join(mode.skipped_passes.value_or(std::vector<std::string>()), ","));
    out.put(mode.kernel).put(static_cast<std::uint32_t>(mode.checks));
    out.put(static_cast<std::uint8_t>(mode.contraction));
    out.put(static_cast<std::uint8_t>(mode.allow_beyond_gpu));
    out.put(static_cast<std::uint64_t>(mode.signatures.size()));
    for (const KernelSignature& signature : mode.signatures) put_signature(out, signature);
}

CompileMode get_mode(ByteReader& in) {
    CompileMode mode;
    mode.executor = get_optional(in, Executor::Regions, "names an unknown executor");
    mode.tier = get_optional(in, Tier::Quick, "names an unknown tier");
    const bool has_block = in.get<std::uint8_t>() != 0;
    BlockShape block{};
    for (std::uint32_t& extent : block) extent = in.get<std::uint32_t>();
    if (has_block) mode.block = block;
    const bool has_skipped = in.get<std::uint8_t>() != 0;
    std::vector<std::string> skipped = split_at_commas(in.get_text());
    if (has_skipped) mode.skipped_passes = std::move(skipped);
    mode.kernel = in.get_text();
    mode.checks = static_cast<Checks>(in.get<std::uint32_t>());
    mode.contraction = in.get<std::uint8_t>() != 0;
    mode.allow_beyond_gpu = in.get<std::uint8_t>() != 0;
    const std::size_t count = in.get_count(kLeastSignatureBytes);
    mode.signatures.reserve(count);
    for (std::size_t i = 0; i < count; ++i) mode.signatures.push_back(get_signature(in));
    return mode;
}

void require_supported(const CompileMode& mode) {
    if (mode.checks == Checks::None) return;
    std::vector<std::string> names;
    for (const auto& [check, name] : kCheckNames) {
        const auto bits = static_cast<std::uint32_t>(mode.checks);
        if ((bits & static_cast<std::uint32_t>(check)) != 0) names.emplace_back(name);
    }
    throw UnsupportedError(fmt::format(
        "checks of {} are not in this version of Warpwise; compile without checks",
        names.empty() ? fmt::format("kind {:#x}", static_cast<std::uint32_t>(mode.checks))
                      : join(names)));
}

void require_same_signatures(const std::vector<KernelSignature>& known,
                             const std::vector<const KernelSignature*>& read) {
    for (const KernelSignature* const actual : read) {
        const auto given = std::ranges::find(known, actual->symbol, &KernelSignature::symbol);
        if (given == known.end()) {
            refuse_signature(
                fmt::format("the source has a kernel {} that the given signatures lack",
                            quote(actual->declaration())));
        }
        if (is_same_signature(*given, *actual)) continue;
        refuse_signature(fmt::format("the given signature is {}, but the source declares {}",
                                     quote(described(*given)), quote(described(*actual))));
    }
    for (const KernelSignature& given : known) {
        const auto is_given = [&](const auto* actual) { return actual->symbol == given.symbol; };
        if (std::ranges::any_of(read, is_given)) continue;
        refuse_signature(fmt::format("there is a signature of a kernel {} that the source lacks",
                                     quote(given.declaration())));
    }
}

}  // namespace warpwise::compiler
