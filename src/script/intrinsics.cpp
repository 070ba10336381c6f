// The rows of intrinsics.def as a table.
#include "src/script/intrinsics.hpp"

#include <algorithm>
#include <array>

namespace warpwise::script {
namespace {

constexpr std::string_view reals(int count, bool is_double) {
    constexpr std::array<std::string_view, 4> kSingle = {"f", "ff", "fff", "ffff"};
    constexpr std::array<std::string_view, 4> kDouble = {"d", "dd", "ddd", "dddd"};
    return (is_double ? kDouble : kSingle)[static_cast<std::size_t>(count)];
}

constexpr std::string_view halves(int count) {
    return std::string_view("hhhh").substr(0, static_cast<std::size_t>(count) + 1);
}

#define WW_ROW(name, signature, effect, text) {name, signature, Effect::effect, text},
#define WW_REAL(name, count, text) \
    {name, reals(count, false), Effect::Pure, text}, {name, reals(count, true), Effect::Pure, text},
#define WW_COMPLEX(name, text) {name, "gg", Effect::Pure, text}, {name, "cc", Effect::Pure, text},
#define WW_HALF(name, count, text) {name, halves(count), Effect::Pure, text},
#define WW_TEST(name, text) {name, "bf", Effect::Pure, text}, {name, "bd", Effect::Pure, text},
constexpr IntrinsicRow kRows[] = {
#include "src/script/intrinsics.def"
#include "src/script/libdevice.def"
};
#undef WW_ROW
#undef WW_REAL
#undef WW_TEST
#undef WW_COMPLEX
#undef WW_HALF

}  // namespace

std::span<const IntrinsicRow> intrinsic_rows() noexcept {
    return kRows;
}

std::span<const IntrinsicRow> rows_named(std::string_view name) noexcept {
    const auto has_name = [&](const IntrinsicRow& row) { return row.name == name; };
    const auto* const first = std::find_if(std::begin(kRows), std::end(kRows), has_name);
    const auto* const last = std::find_if_not(first, std::end(kRows), has_name);
    return {first, last};
}

}  // namespace warpwise::script
