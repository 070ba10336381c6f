// Elementwise kernels of tiles: a block walks along the last axis and along another one, `across`.
// On the CPU, so that what is read of a cache line is read while it is there. On GPUs a tile of an
// input whose neighbours lie along `across` is read along that axis into shared memory, so that
// neighbouring threads read and write neighbours.
#include <fmt/format.h>

#include "src/codegen/arguments.hpp"
#include "src/codegen/emit/emitter.hpp"

namespace warpwise::codegen {
namespace {

class Tiles {
  public:
    Tiles(const Group& group, Emitter& out)
        : group_(group), out_(out), last_(group.rank - 1), across_(group.across) {}

    void emit() {
        out_.line("#ifdef __WARPWISE_CPU__");
        walk_on_cpu();
        out_.line("#else");
        walk_on_gpu();
        out_.line("#endif");
    }

  private:
    void walk_on_cpu() {
        begin_tile(kTileSide);
        out_.line(first(last_, "i", "threadIdx.x"));
        out_.line(first(across_, fmt::format("first{}", across_), "threadIdx.y"));
        out_.open(fmt::format("if (i < ({})extent{}) {{", index_, last_));
        out_.open(fmt::format("for (int item = 0; item < {0}; item += {1}) {{", kTileSide, kRows));
        out_.line(fmt::format("const {0} c{1} = first{1} + item;", index_, across_));
        out_.open(fmt::format("if (c{0} < ({1})extent{0}) {{", across_, index_));
        compute_and_store([](std::size_t) { return std::string(); });
        for (int open = 0; open < 4; ++open) out_.close();
    }

    void walk_on_gpu() {
        const int side = tile_side(group_, false);
        const std::vector<bool> staged = staged_inputs(group_, side);
        for (std::size_t i = 0; i < staged.size(); ++i) {
            if (!staged[i]) continue;
            const std::string_view type = memory_type_of(group_.inputs[i].kind);
            out_.line(fmt::format(
                "__shared__ __align__(16) unsigned char bytes{0}[{1} * {2} * sizeof({3})];", i,
                side, side + 1, type));
            out_.line(
                fmt::format("{0} (*const t{1})[{2}] = ({0} (*)[{2}])bytes{1};", type, i, side + 1));
        }
        begin_tile(side);
        // Threads lie along `across` first, then along the last axis.
        walk_points(side, last_, across_, true, [&] {
            for (std::size_t i = 0; i < staged.size(); ++i) {
                if (!staged[i]) continue;
                out_.line(fmt::format(
                    "t{}[y][x] = {};", i,
                    out_.element(fmt::format("in{}", i), group_.inputs[i], "", coordinates())));
            }
        });
        out_.line("__syncthreads();");
        walk_points(side, across_, last_, group_.body.instructions.size() <= kFewInstructions, [&] {
            compute_and_store([&](std::size_t i) {
                return staged[i] ? fmt::format("t{}[x][y]", i) : std::string();
            });
        });
        out_.line("__syncthreads();");
        out_.close();
    }

    // `points` counts what the tiles of both axes lie in: the points of the others.
    void begin_tile(int side) {
        side_ = side;
        const auto tiles_of = [&](int axis) {
            return fmt::format("((extent{0} + {1}) / {2})", axis, side - 1, side);
        };
        out_.line(fmt::format("const {0} tiles = ({0}){1};", position_, tiles_of(last_)));
        out_.line(fmt::format("const {0} all = tiles * ({0}){1};", position_, tiles_of(across_)));
        out_.line(fmt::format("const {0} units = ({0})points * all;", position_));
        out_.open(fmt::format("for ({} unit = blockIdx.x; unit < units; unit += gridDim.x) {{",
                              position_));
        out_.line(fmt::format("{} rest = unit / all;", position_));
        for (int axis = last_ - 1; axis >= 0; --axis) {
            if (axis == across_) continue;
            out_.line(fmt::format("const {0} c{1} = ({0})(rest % ({2})extent{1});", index_, axis,
                                  position_));
            out_.line(fmt::format("rest /= ({})extent{};", position_, axis));
        }
        out_.line(fmt::format("const {} tile = unit % all;", position_));
    }

    std::string first(int axis, std::string_view name, std::string_view thread) const {
        return fmt::format("const {0} {1} = ({0})({2} * {3} + {4});", index_, name,
                           axis == last_ ? "tile % tiles" : "tile / tiles", side_, thread);
    }

    // Points of the tile at [y][x]: rows of threads along `by_rows`, threads of a row along
    // `inner`.
    template <class Inner>
    void walk_points(int side, int by_rows, int inner, bool unrolled, Inner&& point) {
        const std::string_view unroll = unrolled ? "#pragma unroll" : "#pragma unroll 1";
        out_.line(unroll);
        out_.open(fmt::format("for (int item = 0; item < {0}; item += {1}) {{", side, kRows));
        out_.line("const int y = (int)threadIdx.y + item;");
        out_.line(unroll);
        out_.open(fmt::format("for (int part = 0; part < {0}; part += 32) {{", side));
        out_.line("const int x = (int)threadIdx.x + part;");
        const auto name = [&](int axis) {
            return axis == last_ ? std::string("i") : fmt::format("c{}", axis);
        };
        out_.line(first(by_rows, name(by_rows), "y"));
        out_.line(first(inner, name(inner), "x"));
        out_.open(fmt::format("if ({1} < ({0})extent{2} && {3} < ({0})extent{4}) {{", index_,
                              name(by_rows), by_rows, name(inner), inner));
        point();
        for (int open = 0; open < 3; ++open) out_.close();
    }

    std::vector<std::string> coordinates() const {
        std::vector<std::string> at;
        at.reserve(static_cast<std::size_t>(last_) + 1);
        for (int axis = 0; axis < last_; ++axis) at.push_back(fmt::format("c{}", axis));
        at.emplace_back("i");
        return at;
    }

    // `held(i)`: where the element of input i is held; empty where it is read from memory.
    template <class Held>
    void compute_and_store(Held&& held) {
        const std::vector<std::string> at = coordinates();
        std::string place = "0";
        for (int axis = 0; axis <= last_; ++axis) {
            const auto number = static_cast<std::size_t>(axis);
            place = axis == 0 ? fmt::format("({}){}", position_, at[number])
                              : fmt::format("({0}) * ({1})extent{2} + ({1}){3}", place, position_,
                                            axis, at[number]);
        }
        out_.line(fmt::format("const {} place = {};", position_, place));
        std::vector<std::string> inputs;
        for (std::size_t i = 0; i < group_.inputs.size(); ++i) {
            const Operand& input = group_.inputs[i];
            std::string value = held(i);
            if (!value.empty()) {
                inputs.push_back(input.kind == Kind::Bool ? value + " != 0" : value);
            } else if (input.gathered) {
                inputs.emplace_back();  // read by its own instructions
            } else {
                inputs.push_back(out_.loaded(fmt::format("in{}", i), input, "place", at));
            }
        }
        out_.body(group_.body, "v", inputs, at);
        for (std::size_t i = 0; i < group_.stores.size(); ++i) {
            const Store& store = group_.stores[i];
            out_.line(fmt::format("{} = v{};",
                                  out_.element(fmt::format("out{}", i), store.operand, "place", at),
                                  store.value));
        }
    }

    static constexpr int kRows = kThreads / 32;
    // Bodies that are written out for each point of a thread.
    static constexpr std::size_t kFewInstructions = 8;

    const Group& group_;
    Emitter& out_;
    const int last_;
    const int across_;
    const std::string index_ = group_.wide ? "long long" : "int";
    const std::string position_ = group_.wide ? "long long" : "unsigned int";
    int side_ = kTileSide;
};

}  // namespace

void emit_tiles(const Group& group, Emitter& out) {
    Tiles(group, out).emit();
}

}  // namespace warpwise::codegen
