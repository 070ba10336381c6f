// Which of the compiled tables this process uses.
#include "src/codegen/interpret/element_table.hpp"

#include <algorithm>
#include <iterator>

#include "src/base/processor_level.hpp"
#include "warpwise/settings.hpp"

namespace warpwise::codegen::interpret {

#define WW_LEVEL(level)                              \
    extern const KindRow kind_row_##level##_boolean; \
    extern const KindRow kind_row_##level##_int32;   \
    extern const KindRow kind_row_##level##_int64;   \
    extern const KindRow kind_row_##level##_float32; \
    extern const KindRow kind_row_##level##_float64;
WW_LEVEL(v2)
WW_LEVEL(v3)
WW_LEVEL(v4)
#undef WW_LEVEL

namespace {

#define WW_LEVEL(level)                                                                        \
    ElementTable {                                                                             \
        {                                                                                      \
            &kind_row_##level##_boolean, &kind_row_##level##_int32, &kind_row_##level##_int64, \
                &kind_row_##level##_float32, &kind_row_##level##_float64                       \
        }                                                                                      \
    }
constexpr ElementTable kTables[] = {WW_LEVEL(v2), WW_LEVEL(v3), WW_LEVEL(v4)};
#undef WW_LEVEL

// The levels' own list is the order of the tables.
const ElementTable& chosen() {
    const auto levels = processor_levels();
    const auto level = std::ranges::find(levels, chosen_level(settings().cpu));
    const auto number = static_cast<std::size_t>(level - levels.begin());
    return kTables[std::min(number, std::size(kTables) - 1)];
}

}  // namespace

const ElementTable& element_table() {
    static const ElementTable& table = chosen();
    return table;
}

}  // namespace warpwise::codegen::interpret
