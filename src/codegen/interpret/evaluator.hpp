// A body as a list of loops over chunks, and the memory of the chunks' values.
//
// Threading: Code is constant; a Frame belongs to one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "src/codegen/interpret/element_table.hpp"
#include "src/ir/body.hpp"

namespace warpwise::codegen::interpret {

// The number of a kind in the tables; -1 where it is not interpreted.
int number_of(Kind kind) noexcept;

struct Step {
    ir::Instruction::Form form = ir::Instruction::Form::Input;
    Kind kind = Kind::Void;
    std::uint16_t number = 0;  // of the input, scalar or axis
    std::uint16_t result = 0;  // a register
    std::uint16_t operands[3] = {};
    ApplyLoop loop = nullptr;
};

struct Code {
    std::vector<Step> constants;  // whose values are those of every chunk
    std::vector<Step> steps;
    std::vector<std::uint16_t> registers;  // of each value
    std::size_t register_count = 0;

    // `results`: values that are read after the last step. `broadcast`: for each input whether it
    // is one element. False where an instruction has no loop.
    bool build(const ir::Body& body, std::span<const ir::ValueId> results,
               const std::vector<bool>& broadcast);
};

// Bytes of one element, of the kind that needs most.
inline constexpr std::size_t kWidest = 8;

// The registers of a thread that evaluates a body. They are kept from frame to frame; frames of a
// thread end in the reverse order of their beginning.
class Frame {
  public:
    // With `extra` bytes besides. `chunk`: points at a time, at most.
    Frame(const Code& code, std::size_t chunk, std::size_t extra = 0);
    Frame(const Frame&) = delete;
    Frame& operator=(const Frame&) = delete;
    ~Frame();

    const void* operand(const Step& step, int number) const noexcept {
        return at_[step.operands[number]];
    }
    const void* value(ir::ValueId id) const noexcept { return at_[code_.registers[id]]; }
    // Where the step that computes the result writes from now on.
    void redirect(ir::ValueId id, void* to) noexcept {
        redirected_ = code_.registers[id];
        redirected_to_ = to;
    }
    std::byte* extra() noexcept { return extra_; }

    // Reads `load(step, memory)`, which returns where the step's values lie.
    template <class Load>
    void fill_constants(Load&& load) {
        for (const Step& step : code_.constants) at_[step.result] = load(step, own(step.result));
    }
    template <class Load>
    void run(std::size_t count, Load&& load) {
        for (const Step& step : code_.steps) {
            if (step.loop == nullptr) {
                at_[step.result] = const_cast<void*>(load(step, own(step.result)));
                continue;
            }
            void* const to = step.result == redirected_ ? redirected_to_ : own(step.result);
            at_[step.result] = to;
            step.loop(to, at_[step.operands[0]], at_[step.operands[1]], at_[step.operands[2]],
                      count);
        }
    }

  private:
    std::byte* own(std::uint16_t number) noexcept { return memory_ + number * bytes_; }

    const Code& code_;
    const std::size_t bytes_;  // of a register
    std::vector<std::byte> held_;
    std::byte* memory_ = nullptr;
    std::byte* extra_ = nullptr;
    void** at_ = nullptr;  // where the value of each register lies; in the memory too
    int redirected_ = -1;
    void* redirected_to_ = nullptr;
};

}  // namespace warpwise::codegen::interpret
