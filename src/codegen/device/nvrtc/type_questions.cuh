// Questions to types that clang answers by itself and NVRTC does not, as <type_traits> asks them.
// Included in the middle of it; nvrtc/type_questions_end.cuh takes the names back.
#pragma once

template <class A, class B>
struct __ww_same : false_type {};
template <class T>
struct __ww_same<T, T> : true_type {};
#define __is_same(a, b) __ww_same<a, b>::value
#define __is_convertible(a, b) __is_convertible_to(a, b)
#define __is_literal(t) __is_literal_type(t)

template <class T>
struct __ww_is_void : __ww_same<remove_cv_t<T>, void> {};
#define __is_void(t) __ww_is_void<t>::value

template <class T>
struct __ww_integral : false_type {};
template <class T>
struct __ww_floating : false_type {};
#define __WW_KIND(kind, type) \
    template <>               \
    struct __ww_##kind<type> : true_type {};
__WW_KIND(integral, bool)
__WW_KIND(integral, char)
__WW_KIND(integral, signed char)
__WW_KIND(integral, unsigned char)
__WW_KIND(integral, wchar_t)
__WW_KIND(integral, char16_t)
__WW_KIND(integral, char32_t)
#ifdef __cpp_char8_t
__WW_KIND(integral, char8_t)
#endif
__WW_KIND(integral, short)
__WW_KIND(integral, unsigned short)
__WW_KIND(integral, int)
__WW_KIND(integral, unsigned int)
__WW_KIND(integral, long)
__WW_KIND(integral, unsigned long)
__WW_KIND(integral, long long)
__WW_KIND(integral, unsigned long long)
__WW_KIND(floating, float)
__WW_KIND(floating, double)
__WW_KIND(floating, long double)
#undef __WW_KIND
#define __is_integral(t) __ww_integral<remove_cv_t<t>>::value
#define __is_floating_point(t) __ww_floating<remove_cv_t<t>>::value
#define __is_arithmetic(t) (__is_integral(t) || __is_floating_point(t))
#define __is_fundamental(t) \
    (__is_arithmetic(t) || __is_void(t) || __is_same(remove_cv_t<t>, decltype(nullptr)))
#define __is_compound(t) (!__is_fundamental(t))

template <class T>
struct __ww_pointer : false_type {};
template <class T>
struct __ww_pointer<T*> : true_type {};
#define __is_pointer(t) __ww_pointer<remove_cv_t<t>>::value
template <class T>
struct __ww_member_pointer : false_type {};
template <class T, class C>
struct __ww_member_pointer<T C::*> : true_type {};
#define __is_member_pointer(t) __ww_member_pointer<remove_cv_t<t>>::value
template <class T>
struct __ww_lvalue : false_type {};
template <class T>
struct __ww_lvalue<T&> : true_type {};
#define __is_lvalue_reference(t) __ww_lvalue<t>::value
template <class T>
struct __ww_rvalue : false_type {};
template <class T>
struct __ww_rvalue<T&&> : true_type {};
#define __is_rvalue_reference(t) __ww_rvalue<t>::value
#define __is_reference(t) (__is_lvalue_reference(t) || __is_rvalue_reference(t))
#define __is_scalar(t)                                                                  \
    (__is_arithmetic(t) || __is_enum(t) || __is_pointer(t) || __is_member_pointer(t) || \
     __is_same(remove_cv_t<t>, decltype(nullptr)))
#define __is_object(t) (!__is_function(t) && !__is_reference(t) && !__is_void(t))

template <class T>
struct __ww_const : false_type {};
template <class T>
struct __ww_const<const T> : true_type {};
#define __is_const(t) __ww_const<t>::value
template <class T>
struct __ww_volatile : false_type {};
template <class T>
struct __ww_volatile<volatile T> : true_type {};
#define __is_volatile(t) __ww_volatile<t>::value

template <class T, bool is_arithmetic = __is_arithmetic(T)>
struct __ww_signed : bool_constant<(T(-1) < T(0))> {};
template <class T>
struct __ww_signed<T, false> : false_type {};
#define __is_signed(t) __ww_signed<remove_cv_t<t>>::value
#define __is_unsigned(t) (__is_arithmetic(t) && !__is_signed(t))

template <class T>
struct __ww_rank : integral_constant<size_t, 0> {};
template <class T>
struct __ww_rank<T[]> : integral_constant<size_t, __ww_rank<T>::value + 1> {};
template <class T, size_t n>
struct __ww_rank<T[n]> : integral_constant<size_t, __ww_rank<T>::value + 1> {};
#define __array_rank(t) __ww_rank<t>::value
#define __is_array(t) (__ww_rank<t>::value != 0)
template <class T, unsigned dimension>
struct __ww_extent : integral_constant<size_t, 0> {};
template <class T>
struct __ww_extent<T[], 0> : integral_constant<size_t, 0> {};
template <class T, unsigned dimension>
struct __ww_extent<T[], dimension> : __ww_extent<T, dimension - 1> {};
template <class T, size_t n>
struct __ww_extent<T[n], 0> : integral_constant<size_t, n> {};
template <class T, size_t n, unsigned dimension>
struct __ww_extent<T[n], dimension> : __ww_extent<T, dimension - 1> {};
#define __array_extent(t, dimension) __ww_extent<t, dimension>::value
