// Reductions, in the order of the generated kernels (emit/reduction.cpp): the same batches, lanes
// and parts, merged in the same order.
#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "src/codegen/arguments.hpp"
#include "src/codegen/interpret/addressing.hpp"
#include "src/codegen/interpret/interpreter.hpp"

namespace warpwise::codegen::interpret {
namespace {

constexpr std::int64_t kLanes = kThreads;              // of a block
constexpr std::int64_t kWarp = 32;                     // and of a warp
constexpr std::int64_t kChunk = kBatch * kLanes;       // points at a time
constexpr std::int64_t kRowsOfBlock = kLanes / kWarp;  // results of a block of warps
constexpr double kStepTime = 0.3;                      // nanoseconds of one element

// The states of one reducer, a block of memory each.
class States {
  public:
    States(const Interpreter& interpreter, std::size_t count) : interpreter_(interpreter) {
        for (const ReduceLoops* loops : interpreter.reducers()) {
            places_.push_back(bytes_.size());
            bytes_.resize(bytes_.size() + (loops->state_bytes * count + 63) / 64 * 64);
        }
    }
    std::size_t count() const noexcept { return places_.size(); }
    const ReduceLoops& loops(std::size_t reducer) const {
        return *interpreter_.reducers()[reducer];
    }
    std::byte* at(std::size_t reducer, std::int64_t state) {
        return bytes_.data() + places_[reducer] +
               loops(reducer).state_bytes * static_cast<std::size_t>(state);
    }
    void clear(std::int64_t lanes) {
        for (std::size_t i = 0; i < count(); ++i) {
            loops(i).clear(at(i, 0), static_cast<std::size_t>(lanes));
        }
    }
    void merge(States& other, std::int64_t first, std::int64_t lanes) {
        for (std::size_t i = 0; i < count(); ++i) {
            loops(i).merge(at(i, 0), other.at(i, first), static_cast<std::size_t>(lanes));
        }
    }
    // Leaves in state 0 the merge of all, by halves.
    void fold(std::int64_t lanes) {
        for (std::int64_t half = lanes / 2; half > 0; half /= 2) {
            for (std::size_t i = 0; i < count(); ++i) {
                loops(i).merge(at(i, 0), at(i, half), static_cast<std::size_t>(half));
            }
        }
    }
    void copy_to(States& other, std::int64_t first, std::int64_t lanes) {
        for (std::size_t i = 0; i < count(); ++i) {
            std::memcpy(other.at(i, first), at(i, 0),
                        loops(i).state_bytes * static_cast<std::size_t>(lanes));
        }
    }

  private:
    const Interpreter& interpreter_;
    std::vector<std::size_t> places_;
    std::vector<std::byte> bytes_;
};

Shape first_axes(const Shape& extents, int count) {
    Shape first;
    for (int axis = 0; axis < count; ++axis) first.push_back(extents[axis]);
    return first;
}

class ReductionLoop : public BoundLoop {
  public:
    ReductionLoop(const Interpreter& interpreter, const Binding& binding, Listener* listener)
        : BoundLoop(interpreter, binding, listener),
          geometry_(geometry_of(group(), binding_.extents, 1)),
          kept_extents_(first_axes(binding_.extents, group().rank - group().reduced)),
          all_(interpreter_, geometry_.parts.count > 1
                                 ? static_cast<std::size_t>(geometry_.kept * geometry_.parts.count)
                                 : 0) {
        for (std::size_t i = 0; i < group().inputs.size(); ++i) {
            inputs_.push_back({group().inputs[i], binding_.inputs[i], binding_.extents});
        }
        for (std::size_t i = 0; i < group().stores.size(); ++i) {
            stores_.push_back({group().stores[i].operand, binding_.stores[i], binding_.extents});
        }
        for (std::size_t i = 0; i < group().kept_inputs.size(); ++i) {
            kept_inputs_.push_back(
                {group().kept_inputs[i], binding_.kept_inputs[i], kept_extents_});
        }
        for (std::size_t i = 0; i < group().kept_stores.size(); ++i) {
            kept_stores_.push_back(
                {group().kept_stores[i].operand, binding_.kept_stores[i], kept_extents_});
        }
    }

    std::uint64_t pieces() const noexcept override {
        return static_cast<std::uint64_t>(geometry_.blocks);
    }
    double forecast() const noexcept override {
        const auto points = static_cast<double>(geometry_.kept * geometry_.reduced);
        const auto steps = static_cast<double>(interpreter_.body().steps.size() + 1);
        return kStepTime * points * steps / static_cast<double>(geometry_.blocks);
    }

    void run(std::uint64_t begin, std::uint64_t end) noexcept override {
        note_start();
        Worker worker(*this);
        for (auto block = static_cast<std::int64_t>(begin); block < static_cast<std::int64_t>(end);
             ++block) {
            worker.run(block);
        }
    }

    void end() noexcept override {
        if (geometry_.parts.count > 1) Worker(*this).merge_parts();
        note_end();
    }

  private:
    // What one thread needs besides the loop.
    class Worker {
      public:
        explicit Worker(ReductionLoop& loop)
            : loop_(loop),
              group_(loop.group()),
              states_(loop.interpreter_, kLanes),
              frame_(loop.interpreter_.body(), chunk_of(loop), room_of(loop)) {
            frame_.fill_constants([&](const Step& step, void* memory) {
                loop_.fill_constant(step, memory, chunk_of(loop_));
                return memory;
            });
        }

        void run(std::int64_t block) {
            const Geometry& geometry = loop_.geometry_;
            if (group_.lanes == 1) {
                run_threads(block % geometry.counters, block / geometry.counters);
            } else if (group_.lanes == kWarp) {
                const std::int64_t end = std::min(geometry.kept, (block + 1) * kRowsOfBlock);
                for (std::int64_t k = block * kRowsOfBlock; k < end; ++k) {
                    run_lanes(k, 0, kWarp);
                    finish(k, 1);
                }
            } else {
                const std::int64_t k = block / geometry.parts.count;
                const std::int64_t part = block % geometry.parts.count;
                run_lanes(k, part, kLanes);
                if (geometry.parts.count == 1) return finish(k, 1);
                states_.copy_to(loop_.all_, k * geometry.parts.count + part, 1);
            }
        }

        void merge_parts() {
            const Geometry& geometry = loop_.geometry_;
            const std::int64_t parts = geometry.parts.count;
            if (group_.lanes == 1) {
                for (std::int64_t k = 0; k < geometry.kept; k += kLanes) {
                    const std::int64_t lanes = std::min(kLanes, geometry.kept - k);
                    states_.clear(lanes);
                    for (std::int64_t part = 0; part < parts; ++part) {
                        states_.merge(loop_.all_, part * geometry.kept + k, lanes);
                    }
                    finish(k, lanes);
                }
                return;
            }
            for (std::int64_t k = 0; k < geometry.kept; ++k) {
                states_.clear(kLanes);
                for (std::int64_t part = 0; part < parts; part += kLanes) {
                    states_.merge(loop_.all_, k * parts + part, std::min(kLanes, parts - part));
                }
                states_.fold(kLanes);
                finish(k, 1);
            }
        }

      private:
        static std::size_t chunk_of(const ReductionLoop& loop) {
            if (loop.group().lanes == 1) return kLanes;
            return static_cast<std::size_t>(std::min(kChunk, loop.geometry_.reduced));
        }
        // For the batches of lanes that take whole results.
        static std::size_t room_of(const ReductionLoop& loop) {
            const std::size_t reducers = loop.interpreter_.reducers().size();
            return loop.group().lanes == 1 ? reducers * kChunk * kWidest : 0;
        }

        // Lanes that take the elements of one result in turn.
        void run_lanes(std::int64_t k, std::int64_t part, std::int64_t lanes) {
            const Geometry& geometry = loop_.geometry_;
            const std::int64_t first = part * geometry.parts.length;
            const std::int64_t end = std::min(first + geometry.parts.length, geometry.reduced);
            states_.clear(lanes);
            for (std::int64_t base = first; base < end; base += kChunk) {
                const std::int64_t count = std::min(kChunk, end - base);
                evaluate(k * geometry.reduced + base, count);
                for (std::int64_t at = 0; at < count; at += kBatch * lanes) {
                    take(base + at, at, lanes, std::min(kBatch * lanes, count - at));
                }
            }
            states_.fold(lanes);
        }

        void take(std::int64_t number, std::int64_t at, std::int64_t lanes, std::int64_t points) {
            for (std::size_t i = 0; i < states_.count(); ++i) {
                const Reducer& reducer = group_.reducers[i];
                const auto* const values =
                    static_cast<const std::byte*>(frame_.value(reducer.value)) +
                    static_cast<std::size_t>(at) * DType(reducer.accumulator).size();
                states_.loops(i).take(states_.at(i, 0), values, number, 1, lanes,
                                      static_cast<std::size_t>(lanes),
                                      static_cast<std::size_t>(points));
            }
        }

        // The body at consecutive points.
        void evaluate(std::int64_t first, std::int64_t count) {
            frame_.run(static_cast<std::size_t>(count), [&](const Step& step, void* memory) {
                if (step.form == ir::Instruction::Form::Index) {
                    load_coordinates(static_cast<std::int64_t*>(memory), step.number,
                                     loop_.binding_.extents, first, count);
                    return static_cast<const void*>(memory);
                }
                const Elements& input = loop_.inputs_[step.number];
                const bool is_in_place = loop_.stores_.empty() && input.as_chunk(first) != nullptr;
                if (is_in_place) return static_cast<const void*>(input.as_chunk(first));
                input.load(memory, first, count);
                return static_cast<const void*>(memory);
            });
            for (std::size_t i = 0; i < loop_.stores_.size(); ++i) {
                loop_.stores_[i].store(frame_.value(group_.stores[i].value), first, count);
            }
        }

        // A lane for each result, which takes its elements one after the other.
        void run_threads(std::int64_t tile, std::int64_t part) {
            const Geometry& geometry = loop_.geometry_;
            const std::int64_t k = tile * kLanes;
            const std::int64_t lanes = std::min(kLanes, geometry.kept - k);
            const std::int64_t first = part * geometry.parts.length;
            const std::int64_t end = std::min(first + geometry.parts.length, geometry.reduced);
            find_columns(k, lanes);
            states_.clear(lanes);
            for (std::int64_t base = first; base < end; base += kBatch) {
                const std::int64_t items = std::min<std::int64_t>(kBatch, end - base);
                for (std::int64_t item = 0; item < items; ++item) {
                    evaluate_across(k, lanes, base + item);
                    for (std::size_t i = 0; i < states_.count(); ++i) keep(i, item, lanes);
                }
                for (std::size_t i = 0; i < states_.count(); ++i) {
                    states_.loops(i).take(states_.at(i, 0), batch(i), base, 0, 1,
                                          static_cast<std::size_t>(lanes),
                                          static_cast<std::size_t>(items * lanes));
                }
            }
            if (geometry.parts.count == 1) return finish(k, lanes);
            states_.copy_to(loop_.all_, part * geometry.kept + k, lanes);
        }

        std::byte* batch(std::size_t reducer) {
            return frame_.extra() + reducer * kChunk * kWidest;
        }
        void keep(std::size_t reducer, std::int64_t item, std::int64_t lanes) {
            const Reducer& one = group_.reducers[reducer];
            const std::size_t bytes =
                static_cast<std::size_t>(lanes) * DType(one.accumulator).size();
            std::memcpy(batch(reducer) + static_cast<std::size_t>(item) * bytes,
                        frame_.value(one.value), bytes);
        }

        // Where each of neighbouring results begins in an operand.
        struct Columns {
            std::array<std::int64_t, kLanes> offsets;
            std::int64_t stride = 0;
            bool is_even = false;  // `stride` apart
        };
        Columns columns_of(const Elements& elements, std::int64_t k, std::int64_t lanes) const {
            Columns columns;
            for (std::int64_t i = 0; i < lanes; ++i) {
                columns.offsets[static_cast<std::size_t>(i)] =
                    elements.outer_offset(k + i, group_.reduced, loop_.geometry_.reduced);
            }
            columns.stride = lanes > 1 ? columns.offsets[1] - columns.offsets[0] : 0;
            columns.is_even = true;
            for (std::int64_t i = 2; i < lanes; ++i) {
                const auto at = static_cast<std::size_t>(i);
                columns.is_even &= columns.offsets[at] - columns.offsets[at - 1] == columns.stride;
            }
            return columns;
        }
        void find_columns(std::int64_t k, std::int64_t lanes) {
            in_columns_.clear();
            out_columns_.clear();
            for (const Elements& one : loop_.inputs_) {
                in_columns_.push_back(columns_of(one, k, lanes));
            }
            for (const Elements& one : loop_.stores_) {
                out_columns_.push_back(columns_of(one, k, lanes));
            }
        }

        // The body at the points (k, r), (k + 1, r), ...
        void evaluate_across(std::int64_t k, std::int64_t lanes, std::int64_t r) {
            frame_.run(static_cast<std::size_t>(lanes), [&](const Step& step, void* memory) {
                if (step.form == ir::Instruction::Form::Index) {
                    coordinates_across(static_cast<std::int64_t*>(memory), step.number, k, lanes,
                                       r);
                    return static_cast<const void*>(memory);
                }
                const Elements& input = loop_.inputs_[step.number];
                const Columns& columns = in_columns_[step.number];
                const std::byte* const from =
                    input.origin() + input.inner_offset(r, group_.reduced);
                const bool is_in_place = loop_.stores_.empty() && columns.is_even &&
                                         columns.stride == input.item_bytes() &&
                                         input.kind() != Kind::Bool;
                if (is_in_place) return static_cast<const void*>(from + columns.offsets[0]);
                if (columns.is_even) {
                    gather(input.kind(), memory, from + columns.offsets[0], columns.stride, lanes);
                    return static_cast<const void*>(memory);
                }
                gather_at(input.kind(), memory, from, 0, columns.offsets.data(), lanes);
                return static_cast<const void*>(memory);
            });
            for (std::size_t i = 0; i < loop_.stores_.size(); ++i) store_across(i, lanes, r);
        }

        void store_across(std::size_t number, std::int64_t lanes, std::int64_t r) {
            const Elements& store = loop_.stores_[number];
            std::byte* const to = store.origin() + store.inner_offset(r, group_.reduced);
            const auto* const from =
                static_cast<const std::byte*>(frame_.value(group_.stores[number].value));
            scatter_at(store.kind(), to, out_columns_[number].offsets.data(), from, lanes);
        }

        void coordinates_across(std::int64_t* to, int axis, std::int64_t k, std::int64_t lanes,
                                std::int64_t r) const {
            const int kept_axes = group_.rank - group_.reduced;
            if (axis < kept_axes) {
                return load_coordinates(to, axis, loop_.kept_extents_, k, lanes);
            }
            for (int inner = group_.rank - 1; inner > axis; --inner) {
                r /= loop_.binding_.extents[inner];
            }
            std::fill_n(to, lanes, r % loop_.binding_.extents[axis]);
        }

        // Results k to k + count - 1, from the first states.
        void finish(std::int64_t k, std::int64_t count) {
            const Code& code = loop_.interpreter_.epilogue();
            Frame frame(code, kLanes);
            frame.fill_constants([&](const Step& step, void* memory) {
                loop_.fill_constant(step, memory, static_cast<std::size_t>(count));
                return memory;
            });
            frame.run(static_cast<std::size_t>(count), [&](const Step& step, void* memory) {
                if (step.number >= group_.reducers.size()) {
                    loop_.kept_inputs_[step.number - group_.reducers.size()].load(memory, k, count);
                    return static_cast<const void*>(memory);
                }
                states_.loops(step.number)
                    .result(memory, states_.at(step.number, 0), static_cast<std::size_t>(count));
                return static_cast<const void*>(memory);
            });
            for (std::size_t i = 0; i < loop_.kept_stores_.size(); ++i) {
                loop_.kept_stores_[i].store(frame.value(group_.kept_stores[i].value), k, count);
            }
        }

        ReductionLoop& loop_;
        const Group& group_;
        States states_;
        Frame frame_;
        std::vector<Columns> in_columns_;
        std::vector<Columns> out_columns_;
    };

    const Geometry geometry_;
    const Shape kept_extents_;
    States all_;
    ElementsList inputs_;
    ElementsList stores_;
    ElementsList kept_inputs_;
    ElementsList kept_stores_;
};

}  // namespace

std::unique_ptr<runtime::HostLoop> make_reduction_loop(KeptParts parts) {
    auto loop = std::make_unique<KeptLoop<ReductionLoop>>(std::move(parts));
    if (loop->pieces() == 0) return nullptr;
    return loop;
}

bool run_reduction_loop(const Interpreter& interpreter, const Binding& binding, Listener* listener,
                        const Interpreter::RunHere& run) {
    ReductionLoop loop(interpreter, binding, listener);
    return loop.pieces() > 0 && run(loop);
}

}  // namespace warpwise::codegen::interpret
