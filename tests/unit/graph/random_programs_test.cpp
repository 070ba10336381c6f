// Random programs over arrays against a model that runs every operation at once on its own memory,
// as NumPy does: operations through views, reductions, writes in place that overlap what is still
// pending, evaluation at random places, handles that end.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>

#include "src/graph/graph.hpp"
#include "src/runtime/context.hpp"
#include "tests/unit/graph/fake_fused.hpp"
#include "warpwise/warpwise.hpp"

namespace warpwise::graph {
namespace {

const bool g_environment_is_set = [] {
    setenv("WARPWISE_DEVICE", "cpu", 1);
    setenv("WARPWISE_CACHE_SIZE", "0", 1);
    return true;
}();

int g_placed = 0;  // values that evaluate_into() has placed

struct Model {
    std::shared_ptr<std::vector<double>> memory;
    View view;  // strides and offset in bytes, as the graph's

    double& at(const Shape& point) const {
        std::int64_t offset = view.offset;
        for (int axis = 0; axis < point.size(); ++axis) offset += point[axis] * view.strides[axis];
        return (*memory)[static_cast<std::size_t>(offset / 8)];
    }
};

template <class Visit>
void for_each_point(const Shape& extents, Visit&& visit) {
    Shape at = Axes::filled(extents.size(), 0);
    const std::int64_t count = count_of(extents);
    for (std::int64_t i = 0; i < count; ++i) {
        visit(at);
        for (int axis = extents.size() - 1; axis >= 0 && ++at[axis] == extents[axis]; --axis) {
            at[axis] = 0;
        }
    }
}

std::vector<double> elements(const Model& model) {
    std::vector<double> values;
    for_each_point(model.view.shape, [&](const Shape& at) { values.push_back(model.at(at)); });
    return values;
}

struct Pair {
    Value value;
    Model model;
};

class Program {
  public:
    explicit Program(unsigned seed) : random_(seed), context_(*runtime::current_context()) {
        for (int i = 0; i < 3; ++i) add_fresh();
    }

    void run(int steps) {
        for (int i = 0; i < steps; ++i) step();
        for (const Pair& pair : arrays_) check(pair);
    }

  private:
    int draw(int end) { return static_cast<int>(random_() % static_cast<unsigned>(end)); }
    Pair& any() {
        return arrays_[static_cast<std::size_t>(draw(static_cast<int>(arrays_.size())))];
    }

    void add_fresh() {
        Shape shape;
        const int rank = draw(3) + 1;
        for (int axis = 0; axis < rank; ++axis) shape.push_back(draw(4) + 1);
        Value value = empty(shape, float64, context_);
        Model model = fresh_model(shape);
        for (double& element : *model.memory) element = draw(9) - 4;
        Buffer buffer = settled_memory(value);
        buffer.copy_from(model.memory->data(), model.memory->size() * 8);
        arrays_.push_back({std::move(value), std::move(model)});
    }

    static Model fresh_model(const Shape& shape) {
        return {std::make_shared<std::vector<double>>(static_cast<std::size_t>(count_of(shape))),
                View{0, shape, c_strides(shape, 8), float64}};
    }

    void step() {
        switch (draw(13)) {
            case 0:
                return add_fresh();
            case 1:
            case 2:
                return add_view();
            case 3:
            case 4:
                return write_in_place();
            case 5:
                return add_reduction();
            case 6:
                return drop();
            case 7: {
                if (draw(3) == 0) check(any());
                return;
            }
            case 8:
                return through_buffer();
            case 9:
                return into_buffer();
            default:
                return add_operation();
        }
    }

    void push(Pair pair) {
        arrays_.push_back(std::move(pair));
        while (arrays_.size() > 12) drop();
    }

    void drop() {
        if (arrays_.size() < 3) return;
        arrays_.erase(arrays_.begin() + draw(static_cast<int>(arrays_.size())));
    }

    // A slice, a reversal, a transposition or a new axis.
    View random_view(View view) {
        for (int axis = 0; axis < view.shape.size(); ++axis) {
            const int choice = draw(5);
            if (choice == 0) {  // reversed
                view.offset += view.strides[axis] * (view.shape[axis] - 1);
                view.strides[axis] = -view.strides[axis];
            } else if (choice == 1 && view.shape[axis] > 1) {
                const std::int64_t start = draw(static_cast<int>(view.shape[axis]));
                const std::int64_t step = draw(2) + 1;
                view.offset += start * view.strides[axis];
                view.shape[axis] = (view.shape[axis] - start + step - 1) / step;
                view.strides[axis] *= step;
            }
        }
        if (view.shape.size() > 1 && draw(3) == 0) {
            std::swap(view.shape[0], view.shape[1]);
            std::swap(view.strides[0], view.strides[1]);
        }
        return view;
    }

    void add_view() {
        Pair pair = any();
        pair.value.view = pair.model.view = random_view(pair.value.view);
        push(std::move(pair));
    }

    // An array that broadcasts to the shape, or nothing.
    const Pair* fitting(const Shape& shape) {
        for (int attempt = 0; attempt < 10; ++attempt) {
            const Pair& pair = any();
            const Shape both[] = {shape, pair.value.view.shape};
            try {
                if (broadcast_shapes(both) == shape) return &pair;
            } catch (const ArgumentError&) {
                continue;
            }
        }
        return nullptr;
    }

    static Model broadcast(const Model& model, const Shape& shape) {
        Model result = model;
        result.view.strides = broadcast_strides(model.view.shape, model.view.strides, shape);
        result.view.shape = shape;
        return result;
    }

    void add_operation() {
        const Pair a = any();
        const Shape shape = a.value.view.shape;
        const Pair* other = fitting(shape);
        const bool is_unary = other == nullptr || draw(4) == 0;
        Pair result;
        result.model = fresh_model(shape);
        const ir::OpTypes types{Kind::Float64, Kind::Float64};
        if (is_unary) {
            const ir::Op op = draw(2) == 0 ? ir::Op::Sin : ir::Op::Negative;
            const Operand operands[] = {&a.value};
            result.value = apply(op, types, operands, shape);
            for_each_point(shape, [&](const Shape& at) {
                const double x = a.model.at(at);
                model_at(result.model, at) = op == ir::Op::Sin ? std::sin(x) : -x;
            });
        } else {
            const Pair b = *other;
            const bool adds = draw(2) == 0;
            const bool with_number = draw(3) == 0;
            const Operand second = with_number ? Operand(Scalar(2.0)) : Operand(&b.value);
            const Operand operands[] = {&a.value, second};
            result.value = apply(adds ? ir::Op::Add : ir::Op::Subtract, types, operands, shape);
            const Model right = broadcast(b.model, shape);
            for_each_point(shape, [&](const Shape& at) {
                const double y = with_number ? 2.0 : right.at(at);
                model_at(result.model, at) = adds ? a.model.at(at) + y : a.model.at(at) - y;
            });
        }
        follow_layout(result);
        push(std::move(result));
    }

    static double& model_at(Model& model, const Shape& at) { return model.at(at); }

    // The model's memory in the order that the graph chose for the result.
    static void follow_layout(Pair& pair) {
        Model moved = fresh_model(pair.model.view.shape);
        moved.view.strides = pair.value.view.strides;
        for_each_point(moved.view.shape,
                       [&](const Shape& at) { moved.at(at) = pair.model.at(at); });
        pair.model = std::move(moved);
    }

    void add_reduction() {
        const Pair a = any();
        const Shape shape = a.value.view.shape;
        if (shape.empty()) return;
        const auto axes = static_cast<std::uint32_t>(draw((1 << shape.size()) - 1) + 1);
        ReduceCall call{.reduce = codegen::Reduce::Sum,
                        .accumulator = Kind::Float64,
                        .result = Kind::Float64,
                        .axes = axes};
        Shape kept;
        for (int axis = 0; axis < shape.size(); ++axis) {
            if ((axes >> axis & 1) == 0) kept.push_back(shape[axis]);
        }
        Pair result{reduce(call, a.value), fresh_model(kept)};
        for_each_point(shape, [&](const Shape& at) {
            Shape to;
            for (int axis = 0; axis < shape.size(); ++axis) {
                if ((axes >> axis & 1) == 0) to.push_back(at[axis]);
            }
            result.model.at(to) += a.model.at(at);
        });
        push(std::move(result));
    }

    void write_in_place() {
        Pair target = any();
        target.value.view = target.model.view = random_view(target.value.view);
        const Pair* source = fitting(target.value.view.shape);
        if (source == nullptr || draw(5) == 0) {
            write(target.value, Scalar(3.0));
            for_each_point(target.model.view.shape,
                           [&](const Shape& at) { target.model.at(at) = 3.0; });
            return;
        }
        const Pair from = *source;
        const auto values = elements(broadcast(from.model, target.model.view.shape));
        std::size_t i = 0;
        for_each_point(target.model.view.shape,
                       [&](const Shape& at) { target.model.at(at) = values[i++]; });
        write(target.value, &from.value);
    }

    // The user's own copy into the memory, as a raw kernel would write it.
    void through_buffer() {
        Pair& pair = any();
        Buffer buffer = settled_memory(pair.value);
        const double number = 7;
        buffer.copy_from(&number, sizeof number);
        (*pair.model.memory)[0] = number;
    }

    // A value computed in memory that is given, which another array shows then.
    void into_buffer() {
        const Pair& pair = any();
        if (pair.value.storage.use_count() > 1) return;
        const Buffer buffer = mem_alloc(pair.value.storage->bytes());
        if (!evaluate_into(pair.value, buffer)) return;
        ++g_placed;
        push({over(buffer, pair.value.view), pair.model});
    }

    void check(const Pair& pair) {
        Buffer buffer = settled_memory(pair.value);
        Model seen = pair.model;
        seen.memory = std::make_shared<std::vector<double>>(pair.model.memory->size());
        buffer.copy_to(seen.memory->data(), seen.memory->size() * 8);
        ASSERT_EQ(elements(seen), elements(pair.model));
    }

    std::mt19937 random_;
    runtime::Context& context_;
    std::vector<Pair> arrays_;
};

TEST(RandomArrayPrograms, ComputeWhatEveryOperationAtOnceComputes) {
    const char* requested = std::getenv("WARPWISE_ARRAY_PROGRAMS");
    const unsigned programs =
        requested != nullptr ? static_cast<unsigned>(std::atoi(requested)) : 12000;
    for (unsigned seed = 0; seed < programs; ++seed) {
        SCOPED_TRACE(seed);
        Program(seed).run(5 + static_cast<int>(seed % 36));  // short ones end with more pending
        if (HasFatalFailure()) return;
    }
    EXPECT_EQ(counts().pending, 0u);
    EXPECT_GT(g_placed, static_cast<int>(programs / 10));
}

}  // namespace
}  // namespace warpwise::graph
