// Registers by liveness: a chunk's values stay in the first level of the cache.
#include "src/codegen/interpret/evaluator.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "src/base/thread_object.hpp"

namespace warpwise::codegen::interpret {
namespace {

using Form = ir::Instruction::Form;

int arity_of(const ir::Instruction& one) {
    if (one.form == Form::Cast) return 1;
    return one.form == Form::Apply ? ir::row_of(one.op).arity : 0;
}

// What is computed by no loop of the tables: indices and what lies at them.
int reads_of(const ir::Instruction& one) {
    if (one.form == Form::Bound) return 3;
    return one.form == Form::Gather ? 1 : arity_of(one);
}

// The loop of a cast or an operation; null where there is none.
ApplyLoop loop_of(const ir::Instruction& one, const ir::Body& body) {
    const bool is_selection =
        one.form == Form::Apply && ir::row_of(one.op).rule == ir::TypeRule::Select;
    const int from = number_of(body.instructions[one.operands[is_selection ? 1 : 0]].kind);
    const int to = number_of(one.kind);
    if (from < 0 || to < 0) return nullptr;
    const KindRow& row = *element_table().kinds[from];
    return one.form == Form::Cast ? row.cast[to] : row.apply[static_cast<std::size_t>(one.op)];
}

// Free registers, the last one given up first.
class Registers {
  public:
    std::uint16_t take() {
        if (!free_.empty()) {
            const std::uint16_t number = free_.back();
            free_.pop_back();
            return number;
        }
        return take_fresh();
    }
    // One that no other value has.
    std::uint16_t take_fresh() { return static_cast<std::uint16_t>(count_++); }
    void give_up(std::uint16_t number) { free_.push_back(number); }
    std::size_t count() const noexcept { return count_; }

  private:
    std::vector<std::uint16_t> free_;
    std::size_t count_ = 0;
};

// The registers of a thread, kept from one evaluation to the next: those of a body, and of the
// epilogue that is evaluated meanwhile.
struct KeptMemory {
    std::array<std::vector<std::byte>, 2> of_depth;
    std::size_t depth = 0;  // frames that the thread has
};

std::vector<std::byte> take_memory() {
    auto& kept = thread_object<KeptMemory>();
    const std::size_t depth = kept.depth++;
    return depth < kept.of_depth.size() ? std::move(kept.of_depth[depth])
                                        : std::vector<std::byte>();
}

void keep_memory(std::vector<std::byte>&& memory) noexcept {
    auto& kept = thread_object<KeptMemory>();
    const std::size_t depth = --kept.depth;
    if (depth < kept.of_depth.size()) kept.of_depth[depth] = std::move(memory);
}

}  // namespace

int number_of(Kind kind) noexcept {
    switch (kind) {
        case Kind::Bool:
            return kBool;
        case Kind::Int32:
            return kInt32;
        case Kind::Int64:
            return kInt64;
        case Kind::Float32:
            return kFloat32;
        case Kind::Float64:
            return kFloat64;
        default:
            return -1;
    }
}

bool Code::build(const ir::Body& body, std::span<const ir::ValueId> results,
                 const std::vector<bool>& broadcast) {
    const std::size_t count = body.instructions.size();
    constexpr std::size_t kNever = ~std::size_t{0};
    std::vector<std::size_t> last(count, 0);  // the instruction that reads it last
    for (std::size_t i = 0; i < count; ++i) {
        const ir::Instruction& one = body.instructions[i];
        for (int k = 0; k < reads_of(one); ++k) last[one.operands[static_cast<std::size_t>(k)]] = i;
    }
    for (const ir::ValueId id : results) last[id] = kNever;
    Registers free;
    registers.assign(count, 0);
    for (std::size_t i = 0; i < count; ++i) {
        const ir::Instruction& one = body.instructions[i];
        if (number_of(one.kind) < 0 || one.form == Form::Draw) return false;
        Step step{.form = one.form, .kind = one.kind, .number = one.number};
        const bool is_constant =
            one.form == Form::Scalar || (one.form == Form::Input && broadcast[one.number]);
        if (is_constant) last[i] = kNever;
        step.result = registers[i] = last[i] == kNever ? free.take_fresh() : free.take();
        if (arity_of(one) > 0) {
            step.loop = loop_of(one, body);
            if (step.loop == nullptr) return false;
        }
        for (int k = 0; k < reads_of(one); ++k) {
            const ir::ValueId operand = one.operands[static_cast<std::size_t>(k)];
            step.operands[k] = registers[operand];
            if (last[operand] != i) continue;
            last[operand] = kNever;  // also where it is an operand twice
            free.give_up(registers[operand]);
        }
        (is_constant ? constants : steps).push_back(step);
    }
    register_count = free.count();
    return true;
}

Frame::Frame(const Code& code, std::size_t chunk, std::size_t extra)
    : code_(code), bytes_(chunk * kWidest), held_(take_memory()) {
    constexpr std::size_t kLine = 64;
    const std::size_t count = code.register_count;
    const std::size_t places = (count * sizeof(void*) + kLine - 1) / kLine * kLine;
    const std::size_t needed = places + count * bytes_ + extra + kLine;
    if (held_.size() < needed) held_.resize(needed);
    const auto start = reinterpret_cast<std::uintptr_t>(held_.data());
    std::byte* const first = held_.data() + (kLine - start % kLine) % kLine;
    at_ = reinterpret_cast<void**>(first);
    memory_ = first + places;
    extra_ = memory_ + count * bytes_;
    for (std::size_t i = 0; i < count; ++i) at_[i] = own(static_cast<std::uint16_t>(i));
}

Frame::~Frame() {
    keep_memory(std::move(held_));
}

}  // namespace warpwise::codegen::interpret
