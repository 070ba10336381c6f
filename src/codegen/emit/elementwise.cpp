// Elementwise kernels. Flat: a block computes a tile of consecutive points. Rows: a block walks
// along the last axis of one row at a time, so that the other coordinates are the block's own.
// Tiles: tiles.cpp.
#include <fmt/format.h>

#include <algorithm>

#include "src/codegen/arguments.hpp"
#include "src/codegen/emit/emitter.hpp"

namespace warpwise::codegen {
namespace {

std::string input_name(std::size_t i) {
    return fmt::format("in{}", i);
}

class Elementwise {
  public:
    Elementwise(const Group& group, Emitter& out)
        : group_(group), out_(out), index_(group.wide ? "long long" : "int") {}

    void emit() {
        out_.line("#ifdef __WARPWISE_CPU__");
        out_.line(fmt::format("#define WW_ITEMS {}", items_of(group_, true)));
        out_.line("#else");
        out_.line(fmt::format("#define WW_ITEMS {}", items_of(group_, false)));
        out_.line("#endif");
        out_.line("");
        signature();
        out_.prologue();
        if (group_.across >= 0) {
            emit_tiles(group_, out_);
        } else if (group_.short_rows) {
            short_rows();
        } else if (group_.rows) {
            rows();
        } else {
            flat();
        }
        out_.close();
    }

  private:
    void signature() {
        std::string parameters;
        for (const Parameter& one : signature_of(group_).parameters) {
            const char* space = one.type.ends_with('*') ? "" : " ";
            parameters +=
                fmt::format("{}{}{}{}", parameters.empty() ? "" : ", ", one.type, space, one.name);
        }
        out_.open(fmt::format("extern \"C\" __global__ void __launch_bounds__({}) {}({}) {{",
                              kThreads, kKernelName, parameters));
    }

    void flat() {
        out_.line(fmt::format("const {0} last = ({0})points;", position_));
        if (walks_tiles(group_)) {
            out_.line(fmt::format("const {} step = ({})gridDim.x * ({} * WW_ITEMS);", position_,
                                  position_, kThreads));
            out_.open(
                fmt::format("for ({0} tile = ({0})blockIdx.x * ({1} * WW_ITEMS); tile < last; "
                            "tile += step) {{",
                            position_, kThreads));
            tile({});
            out_.close();
            return;
        }
        out_.line(fmt::format("const {0} tile = ({0})blockIdx.x * ({1} * WW_ITEMS);", position_,
                              kThreads));
        tile({});
    }

    // Several rows a block where they are short: `points` counts rows.
    void rows() {
        const int axis = group_.rank - 1;
        out_.line(fmt::format("const {0} last = ({0})extent{1};", position_, axis));
        out_.line(fmt::format("const {0} tiles = (last + ({1} * WW_ITEMS - 1)) / ({1} * WW_ITEMS);",
                              position_, kThreads));
        out_.line(fmt::format("const {0} units = ({0})points * tiles;", position_));
        out_.open(fmt::format("for ({} unit = blockIdx.x; unit < units; unit += gridDim.x) {{",
                              position_));
        out_.line(fmt::format("const {} row = unit / tiles;", position_));
        out_.line(fmt::format("const {} tile = (unit - row * tiles) * ({} * WW_ITEMS);", position_,
                              kThreads));
        std::vector<std::string> outer;
        outer.reserve(static_cast<std::size_t>(axis));
        for (int i = 0; i < axis; ++i) outer.push_back(fmt::format("c{}", i));
        out_.decompose("row", 0, axis, "c");
        tile(outer);
        out_.close();
    }

    // Rows in which most threads of a block would have no point: one for each 32 of them.
    void short_rows() {
        const int axis = group_.rank - 1;
        out_.line(fmt::format("const {0} last = ({0})extent{1};", position_, axis));
        out_.open(
            fmt::format("for ({0} row = ({0})blockIdx.x * {1} + threadIdx.y; row < "
                        "({0})points; row += ({0})gridDim.x * {1}) {{",
                        position_, kThreads / 32));
        std::vector<std::string> outer;
        outer.reserve(static_cast<std::size_t>(axis));
        for (int i = 0; i < axis; ++i) outer.push_back(fmt::format("c{}", i));
        out_.decompose("row", 0, axis, "c");
        ask_for_rows_ahead(group_, out_, position_);
        out_.open(fmt::format("for ({} i = threadIdx.x; i < last; i += 32) {{", position_));
        compute_and_store(outer);
        out_.close();
        out_.close();
    }

    void tile(const std::vector<std::string>& outer) {
        out_.line("#ifdef __WARPWISE_CPU__");
        if (by_tiles_) {
            draw(true);
            out_.line(fmt::format("const {} begin = tile + threadIdx.x;", position_));
            for_each_item([&] { compute_and_store(outer); });
            out_.line("#else");
            draw(false);
            in_flight(outer);
            out_.line("#endif");
            return;
        }
        out_.line(fmt::format("const {} i = tile + threadIdx.x;", position_));
        out_.open("if (i < last) {");
        compute_and_store(outer);
        out_.close();
        out_.line("#else");
        in_flight(outer);
        out_.line("#endif");
    }

    void draw(bool is_cpu) {
        const int items = items_of(group_, is_cpu);
        const int tiles = items / kItemsOfDraws;
        out_.draw_tiles(items,
                        tiles == 1 ? "blockIdx.x" : fmt::format("blockIdx.x * {}ull", tiles));
        out_.read_drawn(true);
    }

    void compute_and_store(const std::vector<std::string>& outer) {
        const std::vector<std::string> at = coordinates(outer);
        compute(at, "");
        for (std::size_t i = 0; i < group_.stores.size(); ++i) {
            out_.line(fmt::format("{} = v{};", stored(i, at), group_.stores[i].value));
        }
    }

    std::vector<std::string> coordinates(const std::vector<std::string>& outer) {
        std::vector<std::string> all = outer;
        if (group_.rows || group_.rank <= 1) {
            all.emplace_back("i");
        } else if (needs_coordinates()) {
            out_.decompose("i", 0, group_.rank, "c");
            for (int axis = 0; axis < group_.rank; ++axis) all.push_back(fmt::format("c{}", axis));
        }
        return all;
    }

    bool needs_coordinates() const {
        const auto is_strided = [](const Operand& operand) {
            return operand.access == Access::Strided;
        };
        for (const Operand& input : group_.inputs) {
            if (is_strided(input)) return true;
        }
        for (const Store& store : group_.stores) {
            if (is_strided(store.operand)) return true;
        }
        return needs_place();
    }

    std::string linear() const {
        return group_.rows ? std::string("row * last + i") : std::string("i");
    }

    std::string stored(std::size_t number, const std::vector<std::string>& at) {
        return out_.element(fmt::format("out{}", number), group_.stores[number].operand, linear(),
                            at);
    }

    // As Emitter::element(). Items of a tile of draws are a constant apart, which takes no
    // computing of addresses.
    std::string of_item(const std::string& name, const Operand& operand, bool is_read,
                        const std::vector<std::string>& at) const {
        if (by_tiles_ && operand.access == Access::Linear && !operand.unaligned) {
            return fmt::format("({} + begin)[item * {}]", pointer(name, operand, is_read),
                               kThreads);
        }
        return out_.element(name, operand, linear(), at);
    }

    // The values of one point, from what `loaded` arrays hold or from memory.
    void compute(const std::vector<std::string>& at, const std::string& loaded) {
        std::vector<std::string> inputs;
        for (std::size_t i = 0; i < group_.inputs.size(); ++i) {
            if (group_.inputs[i].gathered) {
                inputs.emplace_back();  // read by its own instructions
                continue;
            }
            const bool is_bool = group_.inputs[i].kind == Kind::Bool;
            inputs.push_back(loaded.empty() || group_.inputs[i].is_counter
                                 ? out_.loaded(input_name(i), group_.inputs[i], linear(), at)
                                 : fmt::format("{}{}[item]{}", loaded, i, is_bool ? " != 0" : ""));
        }
        out_.body(group_.body, "v", inputs, at);
    }

    bool is_vector(const Operand& operand) const {
        return !group_.rows && !by_tiles_ && operand.access == Access::Linear &&
               !operand.is_counter && !operand.unaligned;
    }

    std::string pointer(const std::string& name, const Operand& operand, bool is_read) const {
        return fmt::format("({}{} *){}", is_read ? "const " : "", memory_type_of(operand.kind),
                           name);
    }

    // "whole" where the tile is full and its linear operands allow wide accesses.
    void declare_whole() {
        std::string condition;
        const auto add = [&](const std::string& name, const Operand& operand, bool is_read) {
            if (!is_vector(operand)) return;
            condition +=
                fmt::format(" && __ww_is_aligned<WW_ITEMS>({})", pointer(name, operand, is_read));
        };
        for (std::size_t i = 0; i < group_.inputs.size(); ++i) {
            add(input_name(i), group_.inputs[i], true);
        }
        for (std::size_t i = 0; i < group_.stores.size(); ++i) {
            add(fmt::format("out{}", i), group_.stores[i].operand, false);
        }
        has_vectors_ = !condition.empty();
        if (!has_vectors_) {
            out_.line(fmt::format("const {} begin = tile + threadIdx.x;", position_));
            return;
        }
        out_.line(
            fmt::format("const bool whole = last - tile >= {} * WW_ITEMS{};", kThreads, condition));
        out_.line(
            fmt::format("const {} begin = tile + (whole ? threadIdx.x * WW_ITEMS : "
                        "threadIdx.x);",
                        position_));
    }

    template <class Inner>
    void for_each_item(Inner&& inner) {
        out_.line("#pragma unroll");
        out_.open("for (int item = 0; item < WW_ITEMS; ++item) {");
        out_.line(fmt::format("const {} i = begin + item * {};", position_,
                              has_vectors_ ? fmt::format("(whole ? 1 : {})", kThreads)
                                           : fmt::format("{}", kThreads)));
        out_.open("if (i < last) {");
        inner();
        out_.close();
        out_.close();
    }

    // Runs `wide` for the operands of `list` that allow it where the tile is whole, and `narrow`
    // for them else; and `narrow` always for the others.
    template <class Wide, class Narrow>
    void by_width(const std::vector<Operand>& list, Wide&& wide, Narrow&& narrow) {
        const auto items = [&](bool is_wide) {
            bool has_any = false;
            for (const Operand& one : list) {
                has_any = has_any || (is_vector(one) == is_wide && is_loaded(one));
            }
            if (!has_any) return;
            for_each_item([&] { narrow(is_wide); });
        };
        if (has_vectors_ && std::ranges::any_of(list, [&](auto& one) { return is_vector(one); })) {
            out_.open("if (whole) {");
            for (std::size_t i = 0; i < list.size(); ++i) {
                if (is_vector(list[i])) wide(i);
            }
            out_.close();
            out_.open("else {");
            items(true);
            out_.close();
        }
        items(false);
    }

    void load(const std::vector<std::string>& outer) {
        by_width(
            group_.inputs,
            [&](std::size_t i) {
                out_.line(fmt::format("__ww_load(x{}, {} + begin);", i,
                                      pointer(input_name(i), group_.inputs[i], true)));
            },
            [&](bool of_vectors) {
                const std::vector<std::string> at = of_vectors ? outer : coordinates(outer);
                for (std::size_t i = 0; i < group_.inputs.size(); ++i) {
                    if (is_vector(group_.inputs[i]) != of_vectors) continue;
                    if (!is_loaded(group_.inputs[i])) continue;
                    out_.line(fmt::format("x{}[item] = {};", i,
                                          of_item(input_name(i), group_.inputs[i], true, at)));
                }
            });
    }

    void store(const std::vector<std::string>& outer) {
        std::vector<Operand> operands;
        operands.reserve(group_.stores.size());
        for (const Store& one : group_.stores) operands.push_back(one.operand);
        by_width(
            operands,
            [&](std::size_t i) {
                out_.line(fmt::format("__ww_store(y{}, {} + begin);", i,
                                      pointer(fmt::format("out{}", i), operands[i], false)));
            },
            [&](bool of_vectors) {
                const std::vector<std::string> at = of_vectors ? outer : coordinates(outer);
                for (std::size_t i = 0; i < operands.size(); ++i) {
                    if (is_vector(operands[i]) != of_vectors) continue;
                    out_.line(fmt::format("{} = y{}[item];",
                                          of_item(fmt::format("out{}", i), operands[i], false, at),
                                          i));
                }
            });
    }

    // All loads of a thread before its first store, so that they are in flight together.
    void in_flight(const std::vector<std::string>& outer) {
        declare_whole();
        for (std::size_t i = 0; i < group_.inputs.size(); ++i) {
            if (!is_loaded(group_.inputs[i])) continue;
            out_.line(fmt::format("{} x{}[WW_ITEMS];", memory_type_of(group_.inputs[i].kind), i));
        }
        load(outer);
        for (std::size_t i = 0; i < group_.stores.size(); ++i) {
            out_.line(
                fmt::format("{} y{}[WW_ITEMS];", memory_type_of(group_.stores[i].operand.kind), i));
        }
        for_each_item([&] {
            compute(needs_place() || has_counters() ? coordinates(outer) : outer, "x");
            for (std::size_t i = 0; i < group_.stores.size(); ++i) {
                out_.line(fmt::format("y{}[item] = v{};", i, group_.stores[i].value));
            }
        });
        store(outer);
    }

    // Counters lie nowhere, and gathered inputs are read by instructions of their own.
    static bool is_loaded(const Operand& operand) {
        return !operand.is_counter && !operand.gathered;
    }

    bool has_counters() const {
        return std::ranges::any_of(group_.inputs,
                                   [](const Operand& one) { return one.is_counter; });
    }

    // Whether the body itself uses coordinates.
    bool needs_place() const {
        return std::ranges::any_of(group_.body.instructions, [](const auto& one) {
            return one.form == ir::Instruction::Form::Index ||
                   one.form == ir::Instruction::Form::Gather;
        });
    }

    const Group& group_;
    Emitter& out_;
    const std::string index_;
    const std::string position_ = group_.wide ? "long long" : "unsigned int";
    const bool by_tiles_ = draws_by_tiles(group_);
    bool has_vectors_ = false;
};

}  // namespace

void emit_elementwise(const Group& group, Emitter& out) {
    Elementwise(group, out).emit();
}

}  // namespace warpwise::codegen
