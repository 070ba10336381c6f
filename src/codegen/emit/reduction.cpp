// Reductions. A result is computed by one thread, a warp or a block, in one part or several; the
// last part of a result to end merges all parts in their order.
#include <fmt/format.h>

#include <algorithm>

#include "src/codegen/arguments.hpp"
#include "src/codegen/emit/emitter.hpp"
#include "src/types/promotion.hpp"

namespace warpwise::codegen {
namespace {

std::string reducer_type(const Reducer& reducer, std::string_view index) {
    const std::string_view type = type_of(reducer.accumulator);
    switch (reducer.reduce) {
        case Reduce::Sum:
            return fmt::format("__ww_sum<{}>", type);
        case Reduce::Product:
            return fmt::format("__ww_product<{}>", type);
        case Reduce::Minimum:
            return fmt::format("__ww_limit<{}, true>", type);
        case Reduce::Maximum:
            return fmt::format("__ww_limit<{}, false>", type);
        case Reduce::Any:
            return fmt::format("__ww_any<{}>", type);
        case Reduce::All:
            return fmt::format("__ww_all<{}>", type);
        case Reduce::ArgMin:
            return fmt::format("__ww_place<{}, true, {}>", type, index);
        case Reduce::ArgMax:
            return fmt::format("__ww_place<{}, false, {}>", type, index);
        case Reduce::SquaredDeviation:
            return fmt::format("__ww_deviation<{}, {}, {}>", type, type_of(reducer.result()),
                               index);
    }
    return {};
}

class Reduction {
  public:
    Reduction(const Group& group, Emitter& out)
        : group_(group), out_(out), index_(group.wide ? "long long" : "int") {}

    void emit() {
        state();
        kernel();
    }

  private:
    // Elements that a thread takes before it merges them into its state. Part of the association.
    static constexpr int kBatch = 8;

    // Of numbers in C order: up to 2^32, so that the last step of a loop does not wrap.
    std::string index_type() const { return group_.wide ? "long long" : "unsigned int"; }
    int kept_axes() const { return group_.rank - group_.reduced; }

    template <class Line>
    void for_each_reducer(Line&& line) {
        for (std::size_t i = 0; i < group_.reducers.size(); ++i) out_.line(line(i));
    }

    void state() {
        out_.open("struct WwState {");
        for_each_reducer([&](auto i) {
            return fmt::format("{} r{};", reducer_type(group_.reducers[i], index_), i);
        });
        out_.open("__device__ void clear() {");
        for_each_reducer([](auto i) { return fmt::format("r{}.clear();", i); });
        out_.close();
        out_.open("__device__ void merge(const WwState &other) {");
        for_each_reducer([](auto i) { return fmt::format("r{0}.merge(other.r{0});", i); });
        out_.close();
        out_.close("};");
        out_.line("");
    }

    void kernel() {
        std::string parameters;
        for (const Parameter& one : signature_of(group_).parameters) {
            const char* space = one.type.ends_with('*') ? "" : " ";
            parameters +=
                fmt::format("{}{}{}{}", parameters.empty() ? "" : ", ", one.type, space, one.name);
        }
        out_.open(fmt::format("extern \"C\" __global__ void __launch_bounds__({}) {}({}) {{",
                              kThreads, kKernelName, parameters));
        out_.prologue();
        out_.line("WwState state;");
        out_.line("state.clear();");
        // More blocks than a row of the grid may have (geometry.hpp): rows of them, the last one
        // longer than what is left.
        if (group_.wide) {
            out_.line("const long long block = (long long)blockIdx.y * gridDim.x + blockIdx.x;");
        }
        if (group_.lanes == 1) {
            by_threads();
        } else if (group_.lanes == 32) {
            by_warps();
        } else {
            by_blocks();
        }
        out_.close();
    }

    void decompose(const std::string& from, int first, int end, const std::string& prefix) {
        if (end - first == 1) {
            out_.line(fmt::format("const {0} {1}{2} = ({0}){3};", index_, prefix, first, from));
            return;
        }
        out_.decompose(from, first, end, prefix);
    }

    std::vector<std::string> coordinates() const {
        std::vector<std::string> all;
        all.reserve(static_cast<std::size_t>(group_.rank));
        for (int axis = 0; axis < kept_axes(); ++axis) all.push_back(fmt::format("k{}", axis));
        for (int axis = kept_axes(); axis < group_.rank; ++axis) {
            all.push_back(fmt::format("r{}", axis));
        }
        return all;
    }

    void kept_coordinates() {
        if (kept_axes() > 0) decompose("k", 0, kept_axes(), "k");
    }

    // The number of element `r` of result `k`.
    std::string linear(std::string_view r = "r") const {
        const std::string position = index_type();
        return kept_axes() > 0 ? fmt::format("({0})k * ({0})reduced + {1}", position, r)
                               : std::string(r);
    }

    // Takes the element `r` of result `k`. `loaded`: the array that it was read to before.
    void take(const std::string& loaded) {
        decompose("r", kept_axes(), group_.rank, "r");
        const auto at = coordinates();
        std::vector<std::string> inputs;
        for (std::size_t i = 0; i < group_.inputs.size(); ++i) {
            if (group_.inputs[i].gathered) {
                inputs.emplace_back();  // read by its own instructions
                continue;
            }
            inputs.push_back(
                loaded.empty() || group_.inputs[i].is_counter
                    ? out_.loaded(fmt::format("in{}", i), group_.inputs[i], linear(), at)
                    : fmt::format("{}{}[item]", loaded, i));
        }
        out_.body(group_.body, "v", inputs, at);
        for (std::size_t i = 0; i < group_.stores.size(); ++i) {
            const Store& store = group_.stores[i];
            out_.line(fmt::format(
                "{} = v{};", out_.element(fmt::format("out{}", i), store.operand, linear(), at),
                store.value));
        }
        for_each_reducer([&](auto i) {
            return fmt::format("batch.r{}.take(v{}, r);", i, group_.reducers[i].value);
        });
    }

    // Result `k` from `from`: the epilogue and its stores.
    void finish(const std::string& from) {
        std::vector<std::string> at;
        at.reserve(static_cast<std::size_t>(kept_axes()));
        for (int axis = 0; axis < kept_axes(); ++axis) at.push_back(fmt::format("k{}", axis));
        std::vector<std::string> inputs;
        inputs.reserve(group_.reducers.size() + group_.kept_inputs.size());
        for (std::size_t i = 0; i < group_.reducers.size(); ++i) {
            inputs.push_back(fmt::format("{}.r{}.result()", from, i));
        }
        for (std::size_t i = 0; i < group_.kept_inputs.size(); ++i) {
            inputs.push_back(
                out_.loaded(fmt::format("kept_in{}", i), group_.kept_inputs[i], "k", at));
        }
        out_.body(group_.epilogue, "e", inputs, at);
        for (std::size_t i = 0; i < group_.kept_stores.size(); ++i) {
            const Store& store = group_.kept_stores[i];
            out_.line(fmt::format(
                "{} = e{};", out_.element(fmt::format("kept_out{}", i), store.operand, "k", at),
                store.value));
        }
    }

    // A thread takes every `step`-th element of the part from `start` on, in batches that are
    // merged one after the other: rounding errors grow with the number of batches and their length.
    void loop_over_part(const std::string& start, int step) {
        const std::string type = index_type();
        out_.line(fmt::format("const {0} first = ({0})(part * length);", type));
        out_.line(fmt::format(
            "const {0} end = ({0})(part * length + length < reduced ? part * length + length : "
            "reduced);",
            type));
        const int stride = kBatch * step;
        if (takes_neighbours(step)) {
            out_.line(fmt::format("{} base = first;", type));
            neighbours(start, step);
            out_.open(fmt::format("for (; base < end; base += {}) {{", stride));
        } else {
            out_.open(
                fmt::format("for ({} base = first; base < end; base += {}) {{", type, stride));
        }
        out_.line("WwState batch;");
        out_.line("batch.clear();");
        const bool by_tiles = draws_by_tiles(group_);
        out_.line("#ifdef __WARPWISE_CPU__");
        // Without a comparison for each element, and without masks.
        out_.open(fmt::format("if (end - base >= {}) {{", stride));
        if (by_tiles) draw_batch();
        out_.open(fmt::format("for (int item = 0; item < {}; ++item) {{", kBatch));
        out_.line(fmt::format("const {} r = base + item * {} + {};", type, step, start));
        take("");
        out_.close();
        out_.read_drawn(false);
        out_.close();
        out_.open("else {");
        out_.open(fmt::format("for ({} r = base + {}; r < end; r += {}) {{", type, start, step));
        take("");
        out_.close();
        out_.close();
        out_.line("#else");
        if (by_tiles) {
            draw_batch();
            in_flight(start, step, true);
            out_.read_drawn(false);
        } else {
            // Whole batches without comparisons: counts and places are constants there.
            out_.open(fmt::format("if (end - base >= {}) {{", stride));
            in_flight(start, step, false);
            out_.close();
            out_.open("else {");
            in_flight(start, step, true);
            out_.close();
        }
        out_.line("#endif");
        out_.line("state.merge(batch);");
        out_.close();
    }

    // The elements of a batch are whole tiles: it begins at a multiple of them.
    void draw_batch() {
        out_.draw_tiles(kBatch, fmt::format("base / {}", kItemsOfDraws * kThreads));
        out_.read_drawn(true);
    }

    static bool is_read(const Operand& one) { return !one.is_counter && !one.gathered; }

    // Whether the threads of a GPU may take 16 bytes of neighbours each: where operands of one or
    // two bytes lie without gaps, and the result does not depend on which thread takes what.
    bool takes_neighbours(int step) const {
        const auto is_exact = [](const Reducer& one) {
            return one.reduce != Reduce::SquaredDeviation &&
                   (types::is_integer(one.accumulator) || types::is_bool(one.accumulator));
        };
        const auto is_narrow = [](const Operand& one) {
            return one.access == Access::Linear && !one.unaligned && is_read(one) &&
                   DType(one.kind).size() <= 2;
        };
        return step == kThreads && group_.stores.empty() && !group_.inputs.empty() &&
               std::ranges::all_of(group_.reducers, is_exact) &&
               std::ranges::all_of(group_.inputs, is_narrow);
    }

    // Leaves `base` at what is no whole round of all threads: an H200 counts 2^28 bools in 0.11 ms
    // where loads of one byte take 0.15.
    void neighbours(const std::string& start, int step) {
        std::size_t widest = 1;
        for (const Operand& one : group_.inputs) widest = std::max(widest, DType(one.kind).size());
        const std::size_t count = 16 / widest;
        const auto place = [&](std::size_t i, std::string_view at) {
            const Operand& operand = group_.inputs[i];
            return fmt::format("(const {} *)in{} + {}", memory_type_of(operand.kind), i, at);
        };
        out_.line("#ifndef __WARPWISE_CPU__");
        std::string condition;
        for (std::size_t i = 0; i < group_.inputs.size(); ++i) {
            condition += fmt::format("{}__ww_is_aligned<{}>({})", i == 0 ? "" : " && ", count,
                                     place(i, linear("first")));
        }
        out_.open(fmt::format("if ({}) {{", condition));
        out_.open(fmt::format("for (; base < end && end - base >= {0}; base += {0}) {{",
                              count * static_cast<std::size_t>(step)));
        out_.line("WwState batch;");
        out_.line("batch.clear();");
        const std::string own = fmt::format("base + {} * {}", start, count);
        for (std::size_t i = 0; i < group_.inputs.size(); ++i) {
            out_.line(fmt::format("{} x{}[{}];", memory_type_of(group_.inputs[i].kind), i, count));
            out_.line(fmt::format("__ww_load<{}>(x{}, {});", count, i, place(i, linear(own))));
        }
        out_.line("#pragma unroll");
        out_.open(fmt::format("for (int item = 0; item < {}; ++item) {{", count));
        out_.line(fmt::format("const {} r = {} + item;", index_type(), own));
        take("x");
        out_.close();
        out_.line("state.merge(batch);");
        out_.close();
        out_.close();
        out_.line("#endif");
    }

    // All loads of a batch before the first use.
    void in_flight(const std::string& start, int step, bool is_checked) {
        for (std::size_t i = 0; i < group_.inputs.size(); ++i) {
            if (!is_read(group_.inputs[i])) continue;
            out_.line(fmt::format("{} x{}[{}];", type_of(group_.inputs[i].kind), i, kBatch));
        }
        const auto for_each_item = [&](auto&& inner) {
            out_.line("#pragma unroll");
            out_.open(fmt::format("for (int item = 0; item < {}; ++item) {{", kBatch));
            out_.line(
                fmt::format("const {} r = base + {} + item * {};", index_type(), start, step));
            if (is_checked) out_.open("if (r < end) {");
            inner();
            if (is_checked) out_.close();
            out_.close();
        };
        if (std::ranges::any_of(group_.inputs, is_read)) {
            for_each_item([&] {
                decompose("r", kept_axes(), group_.rank, "r");
                for (std::size_t i = 0; i < group_.inputs.size(); ++i) {
                    if (!is_read(group_.inputs[i])) continue;
                    out_.line(fmt::format("x{}[item] = {};", i,
                                          out_.loaded(fmt::format("in{}", i), group_.inputs[i],
                                                      linear(), coordinates())));
                }
            });
        }
        for_each_item([&] { take("x"); });
    }

    // A thread a result; several parts by blocks, when the kept index varies fastest.
    void by_threads() {
        out_.line("const long long tiles = (kept + 255) / 256;");
        out_.line(fmt::format("const long long part = {} / tiles;", block_));
        out_.line(fmt::format("const long long tile = {} % tiles;", block_));
        if (group_.wide) out_.line("if (part >= parts) return;");
        out_.line(fmt::format("const {0} k = ({0})(tile * 256) + ({0})threadIdx.x;", index_));
        out_.line("const bool is_inside = k < kept;");
        kept_coordinates();
        out_.open("if (is_inside) {");
        loop_over_part("0", 1);
        out_.close();
        out_.open("if (parts == 1) {");
        out_.open("if (is_inside) {");
        finish("state");
        out_.close();
        out_.line("return;");
        out_.close();
        out_.line("WwState *all = (WwState *)workspace;");
        out_.line("if (is_inside) all[part * kept + k] = state;");
        last_part("tile");
        out_.line("if (!is_inside) return;");
        out_.line("state.clear();");
        out_.line("for (long long p = 0; p < parts; ++p) state.merge(all[p * kept + k]);");
        finish("state");
    }

    // Continues in the block that ends last of those that share counter `of`.
    void last_part(const std::string& of) {
        out_.line("__shared__ bool is_last;");
        out_.line("__threadfence();");
        out_.line("__syncthreads();");
        out_.open("if (threadIdx.x == 0) {");
        out_.line("unsigned int *counter = (unsigned int *)counters + " + of + ";");
        out_.line("is_last = atomicAdd(counter, 1u) == (unsigned int)(parts - 1);");
        out_.line("if (is_last) *counter = 0;");
        out_.close();
        out_.line("__syncthreads();");
        out_.line("if (!is_last) return;");
        out_.line("__threadfence();");
    }

    void by_warps() {
        out_.line("__shared__ WwState shared[256];");
        out_.line("const unsigned int lane = threadIdx.x;");
        out_.line("WwState *own = shared + threadIdx.y * 32;");
        out_.line(fmt::format("const {0} k = ({0}){1} * 8 + ({0})threadIdx.y;", index_, block_));
        out_.line("const long long part = 0;");
        kept_coordinates();
        out_.open("if (k < kept) {");
        loop_over_part("lane", 32);
        out_.close();
        out_.line("own[lane] = state;");
        out_.open("for (unsigned int half = 16; half > 0; half /= 2) {");
        out_.line("__syncwarp();");
        out_.line("if (lane < half) own[lane].merge(own[lane + half]);");
        out_.close();
        out_.open("if (lane == 0 && k < kept) {");
        finish("own[0]");
        out_.close();
    }

    // Leaves in shared[0] the merge of all states, by halves. In the kernel itself: barriers in a
    // function that is too large to be inlined would leave the CPU device the slowest executor.
    void merge_block() {
        out_.open("for (unsigned int half = 128; half > 0; half /= 2) {");
        out_.line("__syncthreads();");
        out_.line("if (threadIdx.x < half) shared[threadIdx.x].merge(shared[threadIdx.x + half]);");
        out_.close();
        out_.line("__syncthreads();");
    }

    void by_blocks() {
        out_.line("__shared__ WwState shared[256];");
        out_.line(fmt::format("const {0} k = ({0})({1} / parts);", index_, block_));
        out_.line(fmt::format("const long long part = {} % parts;", block_));
        if (group_.wide) out_.line("if (k >= kept) return;");
        kept_coordinates();
        loop_over_part("threadIdx.x", 256);
        out_.line("shared[threadIdx.x] = state;");
        merge_block();
        out_.open("if (parts > 1) {");
        out_.line("WwState *all = (WwState *)workspace + (long long)k * parts;");
        out_.line("if (threadIdx.x == 0) all[part] = shared[0];");
        last_part("k");
        out_.line("state.clear();");
        out_.line("for (long long p = threadIdx.x; p < parts; p += 256) state.merge(all[p]);");
        out_.line("shared[threadIdx.x] = state;");
        merge_block();
        out_.close();
        out_.open("if (threadIdx.x == 0) {");
        finish("shared[0]");
        out_.close();
    }

    const Group& group_;
    Emitter& out_;
    const std::string index_;
    const char* const block_ = group_.wide ? "block" : "blockIdx.x";
};

}  // namespace

void emit_reduction(const Group& group, Emitter& out) {
    Reduction(group, out).emit();
}

}  // namespace warpwise::codegen
