// Slots by liveness, and the places of a program's words.
#include "src/codegen/interpret/gpu_program.hpp"

#include <algorithm>
#include <bit>
#include <span>
#include <utility>
#include <vector>

#include "src/codegen/arguments.hpp"
#include "src/codegen/device/interpreter/rules.cuh"
#include "src/codegen/interpret/evaluator.hpp"

namespace warpwise::codegen::interpret {
namespace {

using Form = ir::Instruction::Form;

// Shared memory that every GPU gives a block without being asked for more.
constexpr std::size_t kMostSharedBytes = 48 << 10;
constexpr std::size_t kSlotBytes = 8 * kThreads;
constexpr std::size_t kMostSlots = (kMostSharedBytes - 64) / kSlotBytes;

struct OpRule {
    __ww_rule rule;
    __ww_cost cost;
};
constexpr OpRule kRules[] = {
#define WARPWISE_OP(Name, name, arity, rule, cost, ...) {__ww_rule::rule, __ww_cost::cost},
#include "src/ir/ops.def"
#undef WARPWISE_OP
};

std::uint64_t word_of(const __ww_step& step) {
    return std::bit_cast<std::uint64_t>(step);
}

int operands_of(const ir::Instruction& one) {
    switch (one.form) {
        case Form::Cast:
        case Form::Gather:
            return 1;
        case Form::Apply:
            return ir::row_of(one.op).arity;
        case Form::Bound:
            return 3;
        default:
            return 0;
    }
}

unsigned char access_of(const Operand& operand) {
    switch (operand.access) {
        case Access::Linear:
            return __ww_at_point;
        case Access::Strided:
            return __ww_at_coordinates;
        default:
            return __ww_at_origin;
    }
}

bool is_interpreted(const Operand& operand) {
    return number_of(operand.kind) >= 0 && !operand.is_counter && !operand.unaligned;
}

std::size_t words_of_state(Reduce reduce) {
    if (reduce == Reduce::ArgMin || reduce == Reduce::ArgMax) return 2;
    return reduce == Reduce::SquaredDeviation ? 3 : 1;
}

bool is_interpreted(const Reducer& reducer) {
    const int kind = number_of(reducer.accumulator);
    const bool is_logical = reducer.reduce == Reduce::Any || reducer.reduce == Reduce::All;
    if (is_logical) return kind == kBool;
    return reducer.reduce == Reduce::SquaredDeviation ? kind >= kFloat32 : kind >= 0;
}

}  // namespace

// Writes the form of one program, word by word.
class GpuProgramWriter {
  public:
    explicit GpuProgramWriter(GpuProgram& program) : program_(program), group_(program.group_) {}

    // False where the group is not interpreted.
    bool write() {
        if (!lay_out_operands()) return false;
        std::vector<ir::ValueId> kept = values_of(group_.stores);
        for (const Reducer& reducer : group_.reducers) {
            if (!is_interpreted(reducer)) return false;
            kept.push_back(reducer.value);
        }
        if (!add_steps(group_.body, kept, false)) return false;
        const std::vector<std::uint8_t> body_slots = slots_;
        add_stores(group_.stores, inputs_count());
        const std::size_t body_steps = steps_.size();
        if (!add_steps(group_.epilogue, values_of(group_.kept_stores), true)) return false;
        add_stores(group_.kept_stores,
                   inputs_count() + group_.stores.size() + group_.kept_inputs.size());
        return finish(body_slots, body_steps);
    }

  private:
    static std::vector<ir::ValueId> values_of(const std::vector<Store>& stores) {
        std::vector<ir::ValueId> values;
        values.reserve(stores.size());
        for (const Store& store : stores) values.push_back(store.value);
        return values;
    }
    std::size_t inputs_count() const { return group_.inputs.size(); }

    // An address, and a stride of each axis where it is found by coordinates.
    bool lay_out_operands() {
        word_ = group_.rank;
        program_.operands_ = word_;
        const auto add = [&](const Operand& operand, int axes) {
            place_.push_back(word_);
            const bool is_strided = operand.access == Access::Strided;
            needs_coordinates_ |= is_strided;
            word_ += 1 + (is_strided ? static_cast<std::size_t>(axes) : 0);
            return is_interpreted(operand);
        };
        const int kept_axes = group_.rank - group_.reduced;
        bool is_good = true;
        for (const Operand& one : group_.inputs) is_good &= add(one, group_.rank);
        for (const Store& one : group_.stores) is_good &= add(one.operand, group_.rank);
        for (const Operand& one : group_.kept_inputs) is_good &= add(one, kept_axes);
        for (const Store& one : group_.kept_stores) is_good &= add(one.operand, kept_axes);
        program_.scalars_ = word_;
        for (const Kind kind : group_.scalars) is_good &= number_of(kind) >= 0;
        word_ += group_.scalars.size();
        return is_good && word_ < std::size(program_.form_.words);
    }

    // Values that are read after the last step keep their slots.
    bool add_steps(const ir::Body& body, const std::vector<ir::ValueId>& kept, bool is_epilogue) {
        constexpr std::size_t kNever = ~std::size_t{0};
        const auto& all = body.instructions;
        std::vector<std::size_t> last(all.size(), 0);
        for (std::size_t i = 0; i < all.size(); ++i) {
            for (int k = 0; k < operands_of(all[i]); ++k) {
                last[all[i].operands[static_cast<std::size_t>(k)]] = i;
            }
        }
        for (const ir::ValueId id : kept) last[id] = kNever;
        std::vector<std::uint8_t> free;
        std::size_t count = 0;
        slots_.assign(all.size(), 0);
        for (std::size_t i = 0; i < all.size(); ++i) {
            __ww_step step{};
            if (!describe(all[i], body, is_epilogue, step)) return false;
            std::uint8_t operands[3] = {};
            for (int k = 0; k < operands_of(all[i]); ++k) {
                const ir::ValueId id = all[i].operands[static_cast<std::size_t>(k)];
                operands[k] = slots_[id];
                if (last[id] != i) continue;
                last[id] = kNever;  // also where it is an operand twice
                free.push_back(slots_[id]);
            }
            if (free.empty()) {
                if (count == kMostSlots) return false;
                free.push_back(static_cast<std::uint8_t>(count++));
            }
            step.to = slots_[i] = free.back();
            free.pop_back();
            // A value that nothing reads.
            if (last[i] == 0) free.push_back(slots_[i]);
            if (operands_of(all[i]) > 0) step.a = operands[0];
            if (operands_of(all[i]) > 1) step.b = operands[1];
            if (operands_of(all[i]) > 2) step.c = operands[2];
            steps_.push_back(word_of(step));
        }
        slot_count_ = std::max(slot_count_, count);
        return true;
    }

    // All but the slots.
    bool describe(const ir::Instruction& one, const ir::Body& body, bool is_epilogue,
                  __ww_step& step) {
        const int kind = number_of(one.kind);
        if (kind < 0) return false;
        switch (one.form) {
            case Form::Input:
                describe_input(one.number, kind, is_epilogue, step);
                return true;
            case Form::Scalar:
                step.code = __ww_step_scalar;
                step.number = static_cast<unsigned short>(program_.scalars_ + one.number);
                return true;
            case Form::Index:
                needs_coordinates_ = true;
                step.code = __ww_step_index;
                step.number = one.number;
                return true;
            case Form::Bound:
                step.code = __ww_step_bound;
                return true;
            case Form::Gather:
                step.code = static_cast<unsigned short>(__ww_step_gather + kind);
                step.number = static_cast<unsigned short>(place_[one.number]);
                step.b = access_of(group_.inputs[one.number]);
                return true;
            case Form::Cast: {
                const int from = number_of(body.instructions[one.operands[0]].kind);
                step.code = static_cast<unsigned short>(__ww_step_cast + from * kKinds + kind);
                return true;
            }
            case Form::Apply:
                return describe_op(one, body, step);
            default:
                return false;
        }
    }

    void describe_input(std::size_t number, int kind, bool is_epilogue, __ww_step& step) {
        if (is_epilogue && number < group_.reducers.size()) {
            step.code = __ww_step_result;
            step.number = static_cast<unsigned short>(number);
            return;
        }
        const Operand* operand = nullptr;
        std::size_t place = number;
        if (is_epilogue) {
            number -= group_.reducers.size();
            operand = &group_.kept_inputs[number];
            place = inputs_count() + group_.stores.size() + number;
        } else {
            operand = &group_.inputs[number];
        }
        step.code = static_cast<unsigned short>(__ww_step_load + kind);
        step.number = static_cast<unsigned short>(place_[place]);
        step.b = access_of(*operand);
    }

    bool describe_op(const ir::Instruction& one, const ir::Body& body, __ww_step& step) {
        const auto op = static_cast<std::size_t>(one.op);
        const auto [rule, cost] = kRules[op];
        const std::size_t typed = rule == __ww_rule::Select ? 1 : 0;
        const int kind = number_of(body.instructions[one.operands[typed]].kind);
        if (kind < 0 || !__ww_takes(rule, kind)) return false;
        program_.is_exact_ &= __ww_is_exact(rule, cost, kind, one.op == ir::Op::Sqrt);
        step.code = static_cast<unsigned short>(__ww_first_op + op * kKinds +
                                                static_cast<std::size_t>(kind));
        return true;
    }

    // `first`: the number of their first operand.
    void add_stores(const std::vector<Store>& stores, std::size_t first) {
        for (std::size_t i = 0; i < stores.size(); ++i) {
            const Operand& operand = stores[i].operand;
            __ww_step step{};
            step.code = static_cast<unsigned short>(__ww_step_store + number_of(operand.kind));
            step.number = static_cast<unsigned short>(place_[first + i]);
            step.a = slots_[stores[i].value];
            step.b = access_of(operand);
            steps_.push_back(word_of(step));
        }
    }

    bool finish(const std::vector<std::uint8_t>& body_slots, std::size_t body_steps) {
        __ww_program& form = program_.form_;
        const bool reduces = group_.skeleton == Skeleton::Reduction;
        form.lanes = reduces ? group_.lanes : 0;
        form.rank = group_.rank;
        form.kept_axes = static_cast<unsigned short>(group_.rank - group_.reduced);
        form.reducers = static_cast<unsigned short>(word_);
        std::size_t state_words = 0;
        for (const Reducer& reducer : group_.reducers) {
            if (word_ >= std::size(form.words)) return false;
            const std::size_t words = words_of_state(reducer.reduce);
            const __ww_reducer one{
                .code = static_cast<unsigned short>(static_cast<int>(reducer.reduce) * kKinds +
                                                    number_of(reducer.accumulator)),
                .unused = 0,
                .value = body_slots[reducer.value],
                .state = static_cast<unsigned char>(state_words),
                .words = static_cast<unsigned char>(words),
                .nothing = 0};
            form.words[word_++] = std::bit_cast<std::uint64_t>(one);
            state_words += words;
        }
        form.state_words = static_cast<unsigned short>(state_words);
        if (word_ + steps_.size() > std::size(form.words)) return false;
        form.body = static_cast<unsigned short>(word_);
        form.epilogue = static_cast<unsigned short>(word_ + body_steps);
        form.end = static_cast<unsigned short>(word_ + steps_.size());
        std::ranges::copy(steps_, form.words + word_);
        form.needs_coordinates = needs_coordinates_ ? 1 : 0;
        form.coordinates = static_cast<unsigned short>(slot_count_);
        if (needs_coordinates_) slot_count_ += group_.rank;
        form.states = static_cast<unsigned short>(slot_count_);
        slot_count_ += 2 * state_words;  // those of a batch, too
        program_.shared_bytes_ = slot_count_ * kSlotBytes;
        return slot_count_ <= kMostSlots;
    }

    GpuProgram& program_;
    const Group& group_;
    std::vector<std::size_t> place_;  // of operands: inputs, stores, kept inputs, kept stores
    std::vector<std::uint64_t> steps_;
    std::vector<std::uint8_t> slots_;  // of the values of the body that was added last
    std::size_t word_ = 0;
    std::size_t slot_count_ = 0;
    bool needs_coordinates_ = false;
};

std::shared_ptr<const GpuProgram> GpuProgram::make(const Group& group) {
    auto program = std::make_shared<GpuProgram>();
    program->group_ = group;
    return GpuProgramWriter(*program).write() ? program : nullptr;
}

__ww_program GpuProgram::pack(const Binding& binding, const Geometry& geometry,
                              std::uint64_t states, std::uint64_t counters) const {
    __ww_program program = form_;
    program.points = static_cast<unsigned long long>(count_of(binding.extents));
    program.kept = static_cast<unsigned long long>(geometry.kept);
    program.reduced = static_cast<unsigned long long>(geometry.reduced);
    program.parts = static_cast<unsigned long long>(geometry.parts.count);
    program.length = static_cast<unsigned long long>(geometry.parts.length);
    program.workspace = states;
    program.counters = counters;
    program.report = binding.report;
    for (int axis = 0; axis < group_.rank; ++axis) {
        program.words[axis] = static_cast<unsigned long long>(binding.extents[axis]);
    }
    std::size_t word = operands_;
    const auto add = [&](const Operand& operand, const Place& place, int axes) {
        program.words[word++] = place.address;
        if (operand.access != Access::Strided) return;
        for (int axis = 0; axis < axes; ++axis) {
            program.words[word++] = static_cast<unsigned long long>(place.strides[axis]);
        }
    };
    const int kept_axes = group_.rank - group_.reduced;
    for (std::size_t i = 0; i < group_.inputs.size(); ++i) {
        add(group_.inputs[i], binding.inputs[i], group_.rank);
    }
    for (std::size_t i = 0; i < group_.stores.size(); ++i) {
        add(group_.stores[i].operand, binding.stores[i], group_.rank);
    }
    for (std::size_t i = 0; i < group_.kept_inputs.size(); ++i) {
        add(group_.kept_inputs[i], binding.kept_inputs[i], kept_axes);
    }
    for (std::size_t i = 0; i < group_.kept_stores.size(); ++i) {
        add(group_.kept_stores[i].operand, binding.kept_stores[i], kept_axes);
    }
    for (std::size_t i = 0; i < group_.scalars.size(); ++i) {
        binding.scalars[i].store(group_.scalars[i], &program.words[scalars_ + i]);
    }
    return program;
}

}  // namespace warpwise::codegen::interpret
