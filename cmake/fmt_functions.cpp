// fmt's functions, compiled once. Debian has fmt as headers, whose functions every file that
// includes them compiles again (half of such a file's time), and as a shared library, which a wheel
// would have to include.
#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE
namespace detail {

// What <fmt/format.h> declares as made elsewhere, and uses.
template auto dragonbox::to_decimal(float) noexcept -> dragonbox::decimal_fp<float>;
template auto dragonbox::to_decimal(double) noexcept -> dragonbox::decimal_fp<double>;
template locale_ref::locale_ref(const std::locale&);
template auto locale_ref::get<std::locale>() const -> std::locale;
template auto thousands_sep_impl(locale_ref) -> thousands_sep_result<char>;
template auto decimal_point_impl(locale_ref) -> char;
template void buffer<char>::append(const char*, const char*);
#if FMT_VERSION >= 100000
template void vformat_to(buffer<char>&, string_view, vformat_args<>::type, locale_ref);
#endif

}  // namespace detail
FMT_END_NAMESPACE
