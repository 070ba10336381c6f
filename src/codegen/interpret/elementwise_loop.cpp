// Elementwise groups: pieces of consecutive points, cut into chunks.
#include <algorithm>
#include <utility>

#include "src/codegen/interpret/addressing.hpp"
#include "src/codegen/interpret/interpreter.hpp"

namespace warpwise::codegen::interpret {
namespace {

constexpr std::int64_t kChunk = 1024;
constexpr std::int64_t kPiece = 8 * kChunk;
constexpr double kStepTime = 0.3;  // nanoseconds of one element

class ElementwiseLoop : public BoundLoop {
  public:
    ElementwiseLoop(const Interpreter& interpreter, const Binding& binding, Listener* listener)
        : BoundLoop(interpreter, binding, listener), points_(count_of(binding_.extents)) {
        for (std::size_t i = 0; i < group().inputs.size(); ++i) {
            inputs_.push_back({group().inputs[i], binding_.inputs[i], binding_.extents});
        }
        for (std::size_t i = 0; i < group().stores.size(); ++i) {
            stores_.push_back({group().stores[i].operand, binding_.stores[i], binding_.extents});
        }
        find_direct();
    }

    std::uint64_t pieces() const noexcept override {
        return static_cast<std::uint64_t>(divided_up(points_, kPiece));
    }
    double forecast() const noexcept override {
        const auto points = static_cast<double>(std::min(points_, kPiece));
        return kStepTime * points * static_cast<double>(interpreter_.body().steps.size());
    }

    void run(std::uint64_t begin, std::uint64_t end) noexcept override {
        note_start();
        Frame frame(interpreter_.body(), static_cast<std::size_t>(std::min(points_, kChunk)));
        frame.fill_constants([&](const Step& step, void* memory) {
            fill_constant(step, memory, static_cast<std::size_t>(std::min(points_, kChunk)));
            return memory;
        });
        const std::int64_t last = std::min(points_, static_cast<std::int64_t>(end) * kPiece);
        for (auto at = static_cast<std::int64_t>(begin) * kPiece; at < last; at += kChunk) {
            run_chunk(frame, at, std::min(kChunk, last - at));
        }
    }
    void end() noexcept override { note_end(); }

  private:
    // The last operation may write the only result where it belongs: nothing is read after it.
    void find_direct() {
        const std::size_t count = group().body.instructions.size();
        if (stores_.size() != 1 || group().stores[0].value + 1u != count) return;
        const Step* const step =
            interpreter_.body().steps.empty() ? nullptr : &interpreter_.body().steps.back();
        const bool is_bool = group().stores[0].operand.kind == Kind::Bool;
        is_direct_ = step != nullptr && step->loop != nullptr &&
                     (is_bool ? group().stores[0].operand.access == Access::Linear
                              : stores_[0].as_chunk(0) != nullptr);
    }

    void run_chunk(Frame& frame, std::int64_t first, std::int64_t count) noexcept {
        if (is_direct_) {
            frame.redirect(group().stores[0].value,
                           stores_[0].origin() + first * stores_[0].item_bytes());
        }
        frame.run(static_cast<std::size_t>(count), [&](const Step& step, void* memory) {
            if (step.form == ir::Instruction::Form::Index) {
                load_coordinates(static_cast<std::int64_t*>(memory), step.number, binding_.extents,
                                 first, count);
                return static_cast<const void*>(memory);
            }
            if (step.form == ir::Instruction::Form::Bound) {
                bound_indices(frame, step, static_cast<std::int64_t*>(memory), count);
                return static_cast<const void*>(memory);
            }
            const Elements& input = inputs_[step.number];
            if (step.form == ir::Instruction::Form::Gather) {
                input.load_at(memory, static_cast<const std::int64_t*>(frame.operand(step, 0)),
                              first, count);
                return static_cast<const void*>(memory);
            }
            // Where several results are stored, one may overwrite what another one is.
            const bool is_read_in_place = stores_.size() == 1 && input.as_chunk(first) != nullptr;
            if (is_read_in_place) return static_cast<const void*>(input.as_chunk(first));
            input.load(memory, first, count);
            return static_cast<const void*>(memory);
        });
        for (std::size_t i = 0; i < stores_.size() && !is_direct_; ++i) {
            stores_[i].store(frame.value(group().stores[i].value), first, count);
        }
    }

    void bound_indices(const Frame& frame, const Step& step, std::int64_t* to,
                       std::int64_t count) const noexcept {
        const auto operand = [&](int number) {
            return static_cast<const std::int64_t*>(frame.operand(step, number));
        };
        bound(to, operand(0), operand(1), operand(2), binding_.report, count);
    }

    const std::int64_t points_;
    ElementsList inputs_;
    ElementsList stores_;
    bool is_direct_ = false;
};

}  // namespace

std::unique_ptr<runtime::HostLoop> make_elementwise_loop(KeptParts parts) {
    if (count_of(parts.binding.extents) == 0) return nullptr;
    return std::make_unique<KeptLoop<ElementwiseLoop>>(std::move(parts));
}

bool run_elementwise_loop(const Interpreter& interpreter, const Binding& binding,
                          Listener* listener, const Interpreter::RunHere& run) {
    if (count_of(binding.extents) == 0) return false;
    ElementwiseLoop loop(interpreter, binding, listener);
    return run(loop);
}

}  // namespace warpwise::codegen::interpret
