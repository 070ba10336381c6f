// Rows that a kernel takes at indices lie anywhere, and a processor that waits for one does not ask
// for the next ones: between them is too much code. So each row asks for one that comes later.
#include <fmt/format.h>

#include <optional>
#include <vector>

#include "src/codegen/emit/emitter.hpp"

namespace warpwise::codegen {
namespace {

using Instruction = ir::Instruction;

// Rows that are on their way while one is read: as many as a block has.
constexpr int kRowsAhead = 8;

// The part of a group's body that gives offsets of gathers and is the same for a whole row.
class RowOffsets {
  public:
    explicit RowOffsets(const Group& group) : group_(group), last_(group.rank - 1) {
        const auto& all = group.body.instructions;
        of_row_.resize(all.size());
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (all[i].form == Instruction::Form::Gather) {
                add_gather(all[i]);
            } else {
                of_row_[i] = copied(all[i]);
            }
        }
    }

    struct Gather {
        std::size_t input;
        ir::ValueId offset;  // in body()
    };
    const std::vector<Gather>& gathers() const noexcept { return gathers_; }
    const ir::Body& body() const noexcept { return body_; }

  private:
    bool is_fixed(const Operand& operand) const {
        if (operand.is_counter || operand.gathered) return false;
        if (operand.access == Access::Broadcast) return true;
        return operand.access == Access::Strided && (operand.fixed >> last_ & 1) != 0;
    }

    // The instruction's number in body(); none where it differs within a row.
    std::optional<ir::ValueId> copied(const Instruction& one) {
        int operands = 0;
        switch (one.form) {
            case Instruction::Form::Input:
                if (!is_fixed(group_.inputs[one.number])) return {};
                break;
            case Instruction::Form::Scalar:
                break;
            case Instruction::Form::Index:
                if (one.number == last_) return {};
                break;
            case Instruction::Form::Cast:
                operands = 1;
                break;
            case Instruction::Form::Apply:
                operands = ir::row_of(one.op).arity;
                break;
            case Instruction::Form::Bound:  // the row itself checks its index, in its turn
                return of_row_[one.operands[0]];
            case Instruction::Form::Draw:
            case Instruction::Form::Gather:
                return {};
        }
        Instruction copy = one;
        for (int k = 0; k < operands; ++k) {
            const auto place = static_cast<std::size_t>(k);
            const std::optional<ir::ValueId> operand = of_row_[one.operands[place]];
            if (!operand) return {};
            copy.operands[place] = *operand;
        }
        return body_.add(copy);
    }

    void add_gather(const Instruction& gather) {
        const Operand& operand = group_.inputs[gather.number];
        const std::optional<ir::ValueId> offset = of_row_[gather.operands[0]];
        const bool is_whole_row = operand.unit == last_ && operand.step == 1;
        if (!offset || !is_whole_row || operand.kind == Kind::Bool) return;
        gathers_.push_back({gather.number, *offset});
    }

    const Group& group_;
    const int last_;
    std::vector<std::optional<ir::ValueId>> of_row_;
    ir::Body body_;
    std::vector<Gather> gathers_;
};

}  // namespace

void ask_for_rows_ahead(const Group& group, Emitter& out, std::string_view position) {
    const RowOffsets offsets(group);
    if (offsets.gathers().empty()) return;
    const int axis = group.rank - 1;
    out.line(fmt::format("const {0} ahead = row + {1};", position, kRowsAhead));
    out.open(fmt::format("if (ahead < ({})points) {{", position));
    out.decompose("ahead", 0, axis, "a");
    std::vector<std::string> at;
    at.reserve(static_cast<std::size_t>(group.rank));
    for (int i = 0; i < axis; ++i) at.push_back(fmt::format("a{}", i));
    at.emplace_back("0");
    std::vector<std::string> inputs;
    inputs.reserve(group.inputs.size());
    for (std::size_t i = 0; i < group.inputs.size(); ++i) {
        const Operand& operand = group.inputs[i];
        const bool is_read = !operand.is_counter && !operand.gathered;
        inputs.push_back(is_read ? out.loaded(fmt::format("in{}", i), operand, "0", at) : "");
    }
    out.body(offsets.body(), "w", inputs, at);
    for (const RowOffsets::Gather& one : offsets.gathers()) {
        out.line(fmt::format("__ww_ask_for(&{}, last);",
                             out.gathered(one.input, fmt::format("w{}", one.offset), at)));
    }
    out.close();
}

}  // namespace warpwise::codegen
