// Code generation replaced: groups are interpreted on the calling thread, over memory of the CPU
// device. Reductions add in the order of the reduced index. Kinds: bool, int64, float64.
#include <cmath>
#include <cstring>
#include <map>
#include <mutex>
#include <set>

#include "src/codegen/fused.hpp"
#include "src/runtime/stream/stream_state.hpp"
#include "tests/unit/graph/fake_fused.hpp"
#include "warpwise/error.hpp"

namespace warpwise::codegen {
namespace {

using ir::Instruction;
using ir::Op;

double load(Kind kind, std::uint64_t address) {
    if (kind == Kind::Float64) {
        double value;
        std::memcpy(&value, reinterpret_cast<const void*>(address), sizeof value);
        return value;
    }
    if (kind == Kind::Int64) {
        std::int64_t value;
        std::memcpy(&value, reinterpret_cast<const void*>(address), sizeof value);
        return static_cast<double>(value);
    }
    return *reinterpret_cast<const unsigned char*>(address) != 0 ? 1 : 0;
}

void store(Kind kind, std::uint64_t address, double value) {
    if (kind == Kind::Float64) {
        std::memcpy(reinterpret_cast<void*>(address), &value, sizeof value);
    } else if (kind == Kind::Int64) {
        const auto number = static_cast<std::int64_t>(value);
        std::memcpy(reinterpret_cast<void*>(address), &number, sizeof number);
    } else {
        *reinterpret_cast<unsigned char*>(address) = value != 0 ? 1 : 0;
    }
}

double result_of(Op op, const std::array<double, 3>& v) {
    switch (op) {
        case Op::Add:
            return v[0] + v[1];
        case Op::Subtract:
            return v[0] - v[1];
        case Op::Multiply:
            return v[0] * v[1];
        case Op::Negative:
            return -v[0];
        case Op::Sin:
            return std::sin(v[0]);
        case Op::Where:
            return v[0] != 0 ? v[1] : v[2];
        default:
            throw Error("the fake does not know this op");
    }
}

// Strides over `extents` as the access class says: a wrong class shows.
Strides strides_of(const Operand& operand, const Place& place, const Shape& extents) {
    const auto item = static_cast<std::int64_t>(DType(operand.kind).size());
    if (operand.access == Access::Linear) return c_strides(extents, item);
    if (operand.access == Access::Broadcast) return Axes::filled(extents.size(), 0);
    Strides strides = place.strides;
    if (operand.unit >= 0) strides[operand.unit] = operand.step * item;
    return strides;
}

std::uint64_t address_at(const Place& place, const Strides& strides, const Shape& at) {
    std::int64_t offset = 0;
    for (int axis = 0; axis < at.size(); ++axis) offset += at[axis] * strides[axis];
    return place.address + static_cast<std::uint64_t>(offset);
}

std::vector<double> evaluate(const ir::Body& body, const std::vector<double>& inputs,
                             const std::vector<Scalar>& scalars, const Shape& at) {
    std::vector<double> values;
    for (const Instruction& one : body.instructions) {
        double value = 0;
        switch (one.form) {
            case Instruction::Form::Input:
                value = inputs.at(one.number);
                break;
            case Instruction::Form::Scalar:
                value = scalars.at(one.number).real();
                break;
            case Instruction::Form::Index:
                value = static_cast<double>(at[one.number]);
                break;
            case Instruction::Form::Cast:
                value = values.at(one.operands[0]);
                if (one.kind == Kind::Bool) value = value != 0;
                if (one.kind == Kind::Int64) value = std::trunc(value);
                break;
            case Instruction::Form::Draw:
                throw Error("the fake draws no random numbers");
            case Instruction::Form::Apply: {
                std::array<double, 3> operands{};
                for (int i = 0; i < ir::row_of(one.op).arity; ++i) {
                    operands[i] = values.at(one.operands[i]);
                }
                value = result_of(one.op, operands);
                break;
            }
            case Instruction::Form::Bound:
            case Instruction::Form::Gather:
                throw Error("the fake knows no indices");
        }
        values.push_back(value);
    }
    return values;
}

// Calls `visit` at every point, in C order.
template <class Visit>
void for_each_point(const Shape& extents, Visit&& visit) {
    const std::int64_t count = count_of(extents);
    Shape at = Axes::filled(extents.size(), 0);
    for (std::int64_t i = 0; i < count; ++i) {
        visit(at);
        for (int axis = extents.size() - 1; axis >= 0 && ++at[axis] == extents[axis]; --axis) {
            at[axis] = 0;
        }
    }
}

class Fake final : public Fused {
  public:
    explicit Fake(Group group) : group_(std::move(group)) {}

    void launch(runtime::StreamState& stream, const Binding& binding) override {
        if (fake_failures() > 0 && --fake_failures() == 0) throw LaunchError("the fake fails");
        stream.core()->wait_until_done();
        if (group_.skeleton == Skeleton::Elementwise) return elementwise(binding);
        reduce(binding);
    }
    bool is_compiled() const noexcept override { return true; }

  private:
    static void load_at(const std::vector<Operand>& operands, const std::vector<Place>& places,
                        const Shape& extents, const Shape& at, std::vector<double>& values) {
        for (std::size_t i = 0; i < operands.size(); ++i) {
            const Strides strides = strides_of(operands[i], places[i], extents);
            values.push_back(load(operands[i].kind, address_at(places[i], strides, at)));
        }
    }

    void store_at(const std::vector<Store>& stores, const std::vector<Place>& places,
                  const std::vector<double>& values, const Shape& extents, const Shape& at) const {
        for (std::size_t i = 0; i < stores.size(); ++i) {
            const Strides strides = strides_of(stores[i].operand, places[i], extents);
            store(stores[i].operand.kind, address_at(places[i], strides, at),
                  values.at(stores[i].value));
        }
    }

    std::vector<double> visit(const Binding& binding, const Shape& at) const {
        std::vector<double> inputs;
        load_at(group_.inputs, binding.inputs, binding.extents, at, inputs);
        auto values = evaluate(group_.body, inputs, binding.scalars, at);
        store_at(group_.stores, binding.stores, values, binding.extents, at);
        return values;
    }

    void elementwise(const Binding& binding) const {
        for_each_point(binding.extents, [&](const Shape& at) { visit(binding, at); });
    }

    void reduce(const Binding& binding) const {
        Shape kept, reduced;
        for (int axis = 0; axis < binding.extents.size(); ++axis) {
            const bool is_kept = axis < binding.extents.size() - group_.reduced;
            (is_kept ? kept : reduced).push_back(binding.extents[axis]);
        }
        for_each_point(kept, [&](const Shape& outer) {
            std::vector<double> sums(group_.reducers.size(), 0);
            for_each_point(reduced, [&](const Shape& inner) {
                Shape at = outer;
                for (const std::int64_t i : inner) at.push_back(i);
                const auto values = visit(binding, at);
                for (std::size_t i = 0; i < group_.reducers.size(); ++i) {
                    sums[i] += values.at(group_.reducers[i].value);
                }
            });
            load_at(group_.kept_inputs, binding.kept_inputs, kept, outer, sums);
            const auto values = evaluate(group_.epilogue, sums, binding.scalars, outer);
            store_at(group_.kept_stores, binding.kept_stores, values, kept, outer);
        });
    }

    const Group group_;
};

std::vector<std::shared_ptr<Fused>>& fakes() {
    static auto* const list = new std::vector<std::shared_ptr<Fused>>;
    return *list;
}
std::vector<Group>& groups() {
    static auto* const list = new std::vector<Group>;
    return *list;
}
std::mutex g_mutex;

}  // namespace

int& fake_failures() {
    static int left = 0;
    return left;
}

const Group& fake_group() {
    return groups().back();
}

std::size_t fake_compiles() {
    return groups().size();
}

std::shared_ptr<Fused> Fused::find(const Group& group, runtime::Context&, bool) {
    const std::lock_guard lock(g_mutex);
    for (std::size_t i = 0; i < groups().size(); ++i) {
        if (groups()[i] == group) return fakes()[i];
    }
    return nullptr;
}

std::shared_ptr<Fused> Fused::compile(const Group& group, runtime::Context& context) {
    if (auto known = find(group, context)) return known;
    const std::lock_guard lock(g_mutex);
    groups().push_back(group);
    return fakes().emplace_back(std::make_shared<Fake>(group));
}

std::string emit(const Group&) {
    return "";
}

}  // namespace warpwise::codegen
