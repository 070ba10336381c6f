// What a fetch can return: numbers of 8, 16 and 32 bits and their vectors of 1, 2 and 4.
//
// A fetched texel is four registers of 32 bits, as on a GPU: integers extended by their own sign,
// floats as their bits, channels that the format lacks 0. The type a kernel asks for only says how
// many of them are taken and as what. Without __WARPWISE_CPU__ this describes formats only: GPUs
// fetch by themselves.
#pragma once

namespace __ww {

struct texel {
    uint32_t x, y, z, w;
};

// Elements of texels, as src/backends/cpu/image/image_layout.hpp and
// src/runtime/image/references.cpp number them.
enum : uint32_t {
    u8_element = 0,
    s8_element = 1,
    u16_element = 2,
    s16_element = 3,
    u32_element = 4,
    s32_element = 5,
    f16_element = 6,
    f32_element = 7,
};
// A whole format in one word.
constexpr uint32_t image_kind(uint32_t element, uint32_t channels, bool normalized) {
    return element | channels << 4 | (normalized ? 0x100u : 0u);
}

template <class E>
struct image_element;
#define __WW_ELEMENT(type, kind)                                       \
    template <>                                                        \
    struct image_element<type> {                                       \
        static constexpr uint32_t code = kind;                         \
        static __device__ __forceinline__ type from(uint32_t bits) {   \
            return static_cast<type>(bits);                            \
        }                                                              \
        static __device__ __forceinline__ uint32_t to(uint32_t bits) { \
            return static_cast<uint32_t>(static_cast<type>(bits));     \
        }                                                              \
    };
__WW_ELEMENT(unsigned char, u8_element)
__WW_ELEMENT(signed char, s8_element)
__WW_ELEMENT(char, s8_element)
__WW_ELEMENT(unsigned short, u16_element)
__WW_ELEMENT(short, s16_element)
__WW_ELEMENT(unsigned int, u32_element)
__WW_ELEMENT(int, s32_element)
#undef __WW_ELEMENT
template <>
struct image_element<float> {
    static constexpr uint32_t code = f32_element;
    static __device__ __forceinline__ float from(uint32_t bits) {
        return __builtin_bit_cast(float, bits);
    }
    static __device__ __forceinline__ uint32_t to(uint32_t bits) { return bits; }
};
#ifdef __WARPWISE_CPU__
// Read as floats.
template <>
struct image_element<_Float16> {
    static constexpr uint32_t code = f16_element;
    static __device__ __forceinline__ uint32_t to(uint32_t bits) {
        const uint16_t half = static_cast<uint16_t>(bits);
        return __builtin_bit_cast(uint32_t, static_cast<float>(__builtin_bit_cast(_Float16, half)));
    }
};
#endif

template <class T>
struct image_value {
    static_assert(sizeof(T) == 0,
                  "texels are integers of 8, 16 or 32 bits or float, or vectors of 1, 2 or 4 of "
                  "these");
};
#define __WW_VALUE(type, E, n, real, ...)                             \
    template <>                                                       \
    struct image_value<type> {                                        \
        typedef E element;                                            \
        typedef real as_float;                                        \
        static constexpr uint32_t count = n;                          \
        static constexpr uint32_t code = image_element<E>::code;      \
        static constexpr bool is_float = code == f32_element;         \
        static __device__ __forceinline__ type make(const texel& t) { \
            typedef image_element<E> of;                              \
            return __VA_ARGS__;                                       \
        }                                                             \
    };
#define __WW_VALUES(name, E)                                          \
    __WW_VALUE(name##1, E, 1, float1, {of::from(t.x)})                \
    __WW_VALUE(name##2, E, 2, float2, {of::from(t.x), of::from(t.y)}) \
    __WW_VALUE(name##4, E, 4, float4, {of::from(t.x), of::from(t.y), of::from(t.z), of::from(t.w)})
__WW_VALUE(unsigned char, unsigned char, 1, float, of::from(t.x))
__WW_VALUE(signed char, signed char, 1, float, of::from(t.x))
__WW_VALUE(char, char, 1, float, of::from(t.x))
__WW_VALUE(unsigned short, unsigned short, 1, float, of::from(t.x))
__WW_VALUE(short, short, 1, float, of::from(t.x))
__WW_VALUE(unsigned int, unsigned int, 1, float, of::from(t.x))
__WW_VALUE(int, int, 1, float, of::from(t.x))
__WW_VALUE(float, float, 1, float, of::from(t.x))
__WW_VALUES(uchar, unsigned char)
__WW_VALUES(char, signed char)
__WW_VALUES(ushort, unsigned short)
__WW_VALUES(short, short)
__WW_VALUES(uint, unsigned int)
__WW_VALUES(int, int)
__WW_VALUES(float, float)
#undef __WW_VALUE
#undef __WW_VALUES

// What a gather from texels like T returns: four of their elements.
template <class E>
struct vector_of_4;
#define __WW_FOUR(E, type)    \
    template <>               \
    struct vector_of_4<E> {   \
        typedef type of_type; \
    };
__WW_FOUR(unsigned char, uchar4)
__WW_FOUR(signed char, char4)
__WW_FOUR(char, char4)
__WW_FOUR(unsigned short, ushort4)
__WW_FOUR(short, short4)
__WW_FOUR(unsigned int, uint4)
__WW_FOUR(int, int4)
__WW_FOUR(float, float4)
#undef __WW_FOUR

}  // namespace __ww

#ifdef __WARPWISE_CPU__
// In bits of a channel, for the channels T has.
template <class T>
__WW_BOTH cudaChannelFormatDesc cudaCreateChannelDesc() {
    typedef __ww::image_value<T> of;
    constexpr int bits = 8 * static_cast<int>(sizeof(typename of::element));
    return cudaChannelFormatDesc{bits, of::count > 1 ? bits : 0, of::count > 2 ? bits : 0,
                                 of::count > 3 ? bits : 0,
                                 of::is_float           ? cudaChannelFormatKindFloat
                                 : (of::code & 1u) != 0 ? cudaChannelFormatKindSigned
                                                        : cudaChannelFormatKindUnsigned};
}
#endif
