// The arithmetic of vector types that CUDA's samples come with and much code borrows. It is found
// only where the source's own folders have no such file.
#pragma once

extern "C++" {

#define __WW_VECTOR_2(type, symbol, a, b) make_##type##2((a).x symbol(b).x, (a).y symbol(b).y)
#define __WW_VECTOR_3(type, symbol, a, b) \
    make_##type##3((a).x symbol(b).x, (a).y symbol(b).y, (a).z symbol(b).z)
#define __WW_VECTOR_4(type, symbol, a, b) \
    make_##type##4((a).x symbol(b).x, (a).y symbol(b).y, (a).z symbol(b).z, (a).w symbol(b).w)

// A scalar in all places.
#define __WW_ALL_2(type, s) make_##type##2(s, s)
#define __WW_ALL_3(type, s) make_##type##3(s, s, s)
#define __WW_ALL_4(type, s) make_##type##4(s, s, s, s)

#define __WW_VECTOR_OPERATOR(type, scalar, n, symbol)          \
    __WW_BOTH type##n operator symbol(type##n a, type##n b) {  \
        return __WW_VECTOR_##n(type, symbol, a, b);            \
    }                                                          \
    __WW_BOTH type##n operator symbol(type##n a, scalar b) {   \
        return a symbol __WW_ALL_##n(type, b);                 \
    }                                                          \
    __WW_BOTH type##n operator symbol(scalar a, type##n b) {   \
        return __WW_ALL_##n(type, a) symbol b;                 \
    }                                                          \
    __WW_BOTH void operator symbol##=(type##n& a, type##n b) { \
        a = a symbol b;                                        \
    }                                                          \
    __WW_BOTH void operator symbol##=(type##n& a, scalar b) {  \
        a = a symbol b;                                        \
    }

#define __WW_VECTOR_OPERATORS(type, scalar, n) \
    __WW_VECTOR_OPERATOR(type, scalar, n, +)   \
    __WW_VECTOR_OPERATOR(type, scalar, n, -)   \
    __WW_VECTOR_OPERATOR(type, scalar, n, *)

#define __WW_VECTOR_FAMILY(type, scalar)   \
    __WW_VECTOR_OPERATORS(type, scalar, 2) \
    __WW_VECTOR_OPERATORS(type, scalar, 3) \
    __WW_VECTOR_OPERATORS(type, scalar, 4)

__WW_VECTOR_FAMILY(float, float)
__WW_VECTOR_FAMILY(int, int)
__WW_VECTOR_FAMILY(uint, unsigned int)
__WW_VECTOR_OPERATOR(float, float, 2, /)
__WW_VECTOR_OPERATOR(float, float, 3, /)
__WW_VECTOR_OPERATOR(float, float, 4, /)

// One vector from another: fewer components, more, or of another type.
#define __WW_VECTOR_FROM_OTHER(type, other)        \
    __WW_BOTH type##2 make_##type##2(other##2 a) { \
        return make_##type##2(a.x, a.y);           \
    }                                              \
    __WW_BOTH type##3 make_##type##3(other##3 a) { \
        return make_##type##3(a.x, a.y, a.z);      \
    }                                              \
    __WW_BOTH type##4 make_##type##4(other##4 a) { \
        return make_##type##4(a.x, a.y, a.z, a.w); \
    }

#define __WW_VECTOR_MAKERS(type, scalar)                    \
    __WW_BOTH type##2 make_##type##2(scalar s) {            \
        return __WW_ALL_2(type, s);                         \
    }                                                       \
    __WW_BOTH type##3 make_##type##3(scalar s) {            \
        return __WW_ALL_3(type, s);                         \
    }                                                       \
    __WW_BOTH type##4 make_##type##4(scalar s) {            \
        return __WW_ALL_4(type, s);                         \
    }                                                       \
    __WW_BOTH type##2 make_##type##2(type##3 a) {           \
        return make_##type##2(a.x, a.y);                    \
    }                                                       \
    __WW_BOTH type##3 make_##type##3(type##2 a) {           \
        return make_##type##3(a.x, a.y, 0);                 \
    }                                                       \
    __WW_BOTH type##3 make_##type##3(type##2 a, scalar s) { \
        return make_##type##3(a.x, a.y, s);                 \
    }                                                       \
    __WW_BOTH type##3 make_##type##3(type##4 a) {           \
        return make_##type##3(a.x, a.y, a.z);               \
    }                                                       \
    __WW_BOTH type##4 make_##type##4(type##3 a) {           \
        return make_##type##4(a.x, a.y, a.z, 0);            \
    }                                                       \
    __WW_BOTH type##4 make_##type##4(type##3 a, scalar s) { \
        return make_##type##4(a.x, a.y, a.z, s);            \
    }

__WW_VECTOR_MAKERS(float, float)
__WW_VECTOR_MAKERS(int, int)
__WW_VECTOR_MAKERS(uint, unsigned int)
__WW_VECTOR_FROM_OTHER(float, int)
__WW_VECTOR_FROM_OTHER(float, uint)
__WW_VECTOR_FROM_OTHER(int, float)
__WW_VECTOR_FROM_OTHER(int, uint)
__WW_VECTOR_FROM_OTHER(uint, int)

// A function of each component, of one or two vectors.
#define __WW_EACH_1(type, name, of)                                \
    __WW_BOTH type##2 name(type##2 a) {                            \
        return make_##type##2(of(a.x), of(a.y));                   \
    }                                                              \
    __WW_BOTH type##3 name(type##3 a) {                            \
        return make_##type##3(of(a.x), of(a.y), of(a.z));          \
    }                                                              \
    __WW_BOTH type##4 name(type##4 a) {                            \
        return make_##type##4(of(a.x), of(a.y), of(a.z), of(a.w)); \
    }
#define __WW_EACH_2(type, name, of)                                                    \
    __WW_BOTH type##2 name(type##2 a, type##2 b) {                                     \
        return make_##type##2(of(a.x, b.x), of(a.y, b.y));                             \
    }                                                                                  \
    __WW_BOTH type##3 name(type##3 a, type##3 b) {                                     \
        return make_##type##3(of(a.x, b.x), of(a.y, b.y), of(a.z, b.z));               \
    }                                                                                  \
    __WW_BOTH type##4 name(type##4 a, type##4 b) {                                     \
        return make_##type##4(of(a.x, b.x), of(a.y, b.y), of(a.z, b.z), of(a.w, b.w)); \
    }

__WW_EACH_1(float, operator-, -)
__WW_EACH_1(int, operator-, -)
__WW_EACH_2(float, fminf, ::fminf)
__WW_EACH_2(float, fmaxf, ::fmaxf)
__WW_EACH_2(float, fmodf, ::fmodf)
__WW_EACH_2(int, min, ::min)
__WW_EACH_2(int, max, ::max)
__WW_EACH_2(uint, min, ::min)
__WW_EACH_2(uint, max, ::max)
__WW_EACH_1(float, fabs, ::fabsf)
__WW_EACH_1(float, floorf, ::floorf)
__WW_EACH_1(int, abs, ::abs)

__WW_BOTH float fracf(float v) {
    return v - ::floorf(v);
}
__WW_EACH_1(float, fracf, fracf)

// Between two values, by a share; within two bounds.
__WW_BOTH float lerp(float a, float b, float t) {
    return a + t * (b - a);
}
__WW_BOTH float clamp(float v, float low, float high) {
    return ::fmaxf(low, ::fminf(v, high));
}
__WW_BOTH int clamp(int v, int low, int high) {
    return ::max(low, ::min(v, high));
}
__WW_BOTH unsigned int clamp(unsigned int v, unsigned int low, unsigned int high) {
    return ::max(low, ::min(v, high));
}
#define __WW_VECTOR_BOUNDS(type, scalar, n, least, most)                    \
    __WW_BOTH type##n clamp(type##n v, type##n low, type##n high) {         \
        return most(low, least(v, high));                                   \
    }                                                                       \
    __WW_BOTH type##n clamp(type##n v, scalar low, scalar high) {           \
        return clamp(v, __WW_ALL_##n(type, low), __WW_ALL_##n(type, high)); \
    }
__WW_VECTOR_BOUNDS(float, float, 2, fminf, fmaxf)
__WW_VECTOR_BOUNDS(float, float, 3, fminf, fmaxf)
__WW_VECTOR_BOUNDS(float, float, 4, fminf, fmaxf)
__WW_VECTOR_BOUNDS(int, int, 2, min, max)
__WW_VECTOR_BOUNDS(int, int, 3, min, max)
__WW_VECTOR_BOUNDS(int, int, 4, min, max)
__WW_VECTOR_BOUNDS(uint, unsigned int, 2, min, max)
__WW_VECTOR_BOUNDS(uint, unsigned int, 3, min, max)
__WW_VECTOR_BOUNDS(uint, unsigned int, 4, min, max)

// Products and lengths.
#define __WW_VECTOR_DOT(type, scalar)                         \
    __WW_BOTH scalar dot(type##2 a, type##2 b) {              \
        return a.x * b.x + a.y * b.y;                         \
    }                                                         \
    __WW_BOTH scalar dot(type##3 a, type##3 b) {              \
        return a.x * b.x + a.y * b.y + a.z * b.z;             \
    }                                                         \
    __WW_BOTH scalar dot(type##4 a, type##4 b) {              \
        return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; \
    }
__WW_VECTOR_DOT(float, float)
__WW_VECTOR_DOT(int, int)
__WW_VECTOR_DOT(uint, unsigned int)

__WW_BOTH float smoothstep(float low, float high, float v) {
    const float t = clamp((v - low) / (high - low), 0.0f, 1.0f);
    return t * t * (3.0f - 2.0f * t);
}

#define __WW_VECTOR_GEOMETRY(n)                                              \
    __WW_BOTH float##n lerp(float##n a, float##n b, float t) {               \
        return a + t * (b - a);                                              \
    }                                                                        \
    __WW_BOTH float length(float##n v) {                                     \
        return ::sqrtf(dot(v, v));                                           \
    }                                                                        \
    __WW_BOTH float##n normalize(float##n v) {                               \
        return v * ::rsqrtf(dot(v, v));                                      \
    }                                                                        \
    __WW_BOTH float##n smoothstep(float##n low, float##n high, float##n v) { \
        const float##n t = clamp((v - low) / (high - low), 0.0f, 1.0f);      \
        return t * t * (__WW_ALL_##n(float, 3.0f) - 2.0f * t);               \
    }
__WW_VECTOR_GEOMETRY(2)
__WW_VECTOR_GEOMETRY(3)
__WW_VECTOR_GEOMETRY(4)

__WW_BOTH float3 cross(float3 a, float3 b) {
    return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
// Of a ray at a surface with the given normal.
__WW_BOTH float3 reflect(float3 ray, float3 normal) {
    return ray - 2.0f * normal * dot(normal, ray);
}

#undef __WW_VECTOR_2
#undef __WW_VECTOR_3
#undef __WW_VECTOR_4
#undef __WW_ALL_2
#undef __WW_ALL_3
#undef __WW_ALL_4
#undef __WW_VECTOR_OPERATOR
#undef __WW_VECTOR_OPERATORS
#undef __WW_VECTOR_FAMILY
#undef __WW_VECTOR_FROM_OTHER
#undef __WW_VECTOR_MAKERS
#undef __WW_EACH_1
#undef __WW_EACH_2
#undef __WW_VECTOR_BOUNDS
#undef __WW_VECTOR_DOT
#undef __WW_VECTOR_GEOMETRY

}  // extern "C++"
