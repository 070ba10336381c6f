// XORWOW's kernels. See xorwow.hpp; the words are those of
// src/codegen/device/skeleton/xorwow_streams.cuh.
#include <fmt/format.h>

#include <bit>
#include <string>
#include <utility>
#include <vector>

#include "src/algorithm/library_kernel.hpp"
#include "src/array/order/library_step.hpp"
#include "src/random/call.hpp"
#include "src/random/xorwow.hpp"
#include "src/runtime/context.hpp"
#include "src/runtime/stream/stream_state.hpp"

namespace warpwise::random {
namespace {

// As in xorwow_streams.cuh.
constexpr int kThreads = 256;
constexpr int kBlocks = 64;
constexpr std::int64_t kStreams = std::int64_t{kThreads} * kBlocks;
constexpr std::int64_t kStateBytes = kStreams * 6 * 4;

std::shared_ptr<runtime::KernelState> kernel(const char* name, const std::string& parameters,
                                             std::string body, std::initializer_list<Kind> kinds,
                                             runtime::Context& context) {
    return algorithm::library_kernel({.name = name,
                                      .header = "warpwise_library_random.h",
                                      .parameters = parameters,
                                      .body = std::move(body),
                                      .threads = kThreads},
                                     kinds, context);
}

// The argument of a number of any kind: its bits as 64, of reals those of a double.
std::int64_t argument_of(const Scalar& number, Kind kind) {
    if (kind == Kind::Float32 || kind == Kind::Float64) {
        return std::bit_cast<std::int64_t>(number.typed(kind).real());
    }
    const Scalar typed = number.typed(kind);
    return typed.kind() == Kind::UInt64 ? static_cast<std::int64_t>(typed.as_uint())
                                        : typed.as_int();
}

// Parameters as the kernel takes them.
struct Parameters {
    std::string letters;
    std::string text;  // of the arguments of the draw
    std::vector<Array> arrays;
    std::vector<std::int64_t> numbers;

    Parameters(std::span<const Operand> operands, Kind kind, const Shape& shape, int first) {
        const std::string_view type = algorithm::device_type(kind);
        const bool is_real = kind == Kind::Float32 || kind == Kind::Float64;
        for (const Operand& operand : operands) {
            const int number = first + static_cast<int>(letters.size());
            if (operand.array() != nullptr) {
                const Array typed = array::converted(*operand.array(), kind);
                arrays.push_back(ascontiguousarray(typed.broadcast_to(shape)));
                letters += 'r';
                text += fmt::format(", ((const {} *)a{})[i]", type, number);
            } else {
                numbers.push_back(argument_of(operand.scalar(), kind));
                letters += 'n';
                text += is_real ? fmt::format(", ({})__longlong_as_double(a{})", type, number)
                                : fmt::format(", ({})a{}", type, number);
            }
        }
    }
};

void start(const Array& words, const XORWOWState& state, runtime::Context& context) {
    array::LibraryStep(
        kernel("ww_xorwow_start", "wnnn", "__ww_xorwow_start(a0, a1, a2, a3);", {}, context),
        context)
        .write(words)
        .number(static_cast<std::int64_t>(state.seed))
        .number(static_cast<std::int64_t>(state.position))
        .number(static_cast<std::int64_t>(state.jumps))
        .run(kBlocks, kThreads);
}

// States of the call: those that the generator keeps for the device, or new ones. A graph has its
// own, which every launch starts again.
XORWOW::Shared::States states_of(const XORWOW& bits, const XORWOWState& at,
                                 runtime::Context& context, bool is_captured) {
    XORWOW::Shared::States states;
    if (!is_captured) {
        MutexLock lock(bits.shared().mutex);
        const auto known = bits.shared().states.extract(&context);
        if (!known.empty()) states = known.mapped();
    }
    if (states.words.size() == 0) {
        states.words = array::scratch(kStateBytes, context);
    } else if (states.at == at) {
        return states;
    }
    start(states.words, at, context);
    states.at = at;
    return states;
}

}  // namespace

int items_of(ir::Draw draw, Kind kind) noexcept {
    constexpr int kWords = 4;
    if (draw >= ir::Draw::Gamma) return 1;
    return kind == Kind::Float32 || kind == Kind::UInt32 ? kWords : kWords / 2;
}

std::uint64_t xorwow_rows(std::int64_t elements, int items) noexcept {
    const std::int64_t each = kStreams * items;
    return static_cast<std::uint64_t>((elements + each - 1) / each);
}

Array xorwow_numbers(const XORWOW& bits, const XORWOWState& state, const XorwowCall& call,
                     std::span<const Operand> operands, const Shape& shape,
                     runtime::Context& context) {
    const Array result(graph::empty(shape, DType(call.kind), context));
    if (result.size() == 0) return result;
    const int items = items_of(call.draw, call.kind);
    const std::string_view type = algorithm::device_type(call.kind);
    const Parameters parameters(operands, call.computation, shape, 4);
    std::string body = fmt::format(
        "__ww_xorwow_stream stream(a0);\n"
        "stream.load();\n"
        "for (long long row = 0; row < a3; ++row) {{\n"
        "    const __ww_drawn_words words = stream.next();\n"
        "    for (unsigned int item = 0u; item < {0}u; ++item) {{\n"
        "        const long long i = __ww_xorwow_element(row, {0}u, item);\n"
        "        if (i < a2) {{\n"
        "            (({1} *)a1)[i] = {2}<{1}>(__ww_element{{0ull, threadIdx.x, item}}, "
        "words{3});\n"
        "        }}\n"
        "    }}\n"
        "}}\n"
        "stream.store();",
        items, type, ir::row_of(call.draw).spelling, parameters.text);
    const auto draws = kernel("ww_xorwow_draw", "wwnn" + parameters.letters, std::move(body),
                              {call.kind, call.computation}, context);
    const bool is_captured = runtime::current_stream(context)->is_capturing();
    XORWOW::Shared::States states = states_of(bits, state, context, is_captured);
    const std::uint64_t rows = xorwow_rows(result.size(), items);
    array::LibraryStep step(draws, context);
    step.write(states.words)
        .write(result)
        .number(result.size())
        .number(static_cast<std::int64_t>(rows));
    std::size_t next_array = 0;
    std::size_t next_number = 0;
    for (const char letter : parameters.letters) {
        if (letter == 'r') {
            step.read(parameters.arrays[next_array++]);
        } else {
            step.number(parameters.numbers[next_number++]);
        }
    }
    step.run(kBlocks, kThreads);
    if (!is_captured) {
        states.at.position += rows;
        MutexLock lock(bits.shared().mutex);
        bits.shared().states.insert_or_assign(&context, std::move(states));
    }
    return result;
}

std::vector<std::uint32_t> XORWOW::random_raw(std::size_t words) {
    BitGenerator self(*this);
    const Sample sample{.shape = Shape{static_cast<std::int64_t>(words)}, .device = Device("cpu")};
    const Call call("random_raw", self, sample, {}, Kind::UInt32);
    const Scalar all = Scalar(0).typed(Kind::UInt32);
    return call.draw(ir::Draw::Below, Kind::UInt32, Kind::UInt32, {all, all})
        .to_vector<std::uint32_t>();
}

}  // namespace warpwise::random
