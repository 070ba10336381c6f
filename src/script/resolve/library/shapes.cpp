// Shapes of arrays that are known when compiled.
#include "src/script/resolve/library/shapes.hpp"

#include <fmt/format.h>

#include <functional>
#include <numeric>

#include "src/script/resolve/build.hpp"

namespace warpwise::script {

std::int64_t count_of(const Shape& shape) {
    return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

bool advance(Shape& place, const Shape& shape) {
    for (std::size_t axis = shape.size(); axis-- > 0;) {
        if (++place[axis] < shape[axis]) return true;
        place[axis] = 0;
    }
    return false;
}

std::string text_of_shape(const Shape& shape) {
    std::string text;
    for (const std::int64_t extent : shape) {
        text += fmt::format("{}{}", text.empty() ? "" : ", ", extent);
    }
    return fmt::format("({}{})", text, shape.size() == 1 ? "," : "");
}

void add_numbers(const ExpressionRef& value, std::vector<ExpressionRef>& numbers) {
    if (!value->type->is_tuple()) {
        numbers.push_back(value);
        return;
    }
    for (std::size_t i = 0; i < value->type->items.size(); ++i) {
        add_numbers(item(value, i), numbers);
    }
}

}  // namespace warpwise::script
