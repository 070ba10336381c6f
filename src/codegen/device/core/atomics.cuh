// Atomic functions, relaxed as CUDA's are, in device scope and in the _block and _system forms,
// which mean the same here: any scope is at least the whole process.
#pragma once

// Invariant: each macro makes the three scopes of one function for one type.
#define __WW_ATOMIC(name, type, expression)                     \
    __WW_DEVICE type name(type* address, type value) {          \
        return expression;                                      \
    }                                                           \
    __WW_DEVICE type name##_block(type* address, type value) {  \
        return expression;                                      \
    }                                                           \
    __WW_DEVICE type name##_system(type* address, type value) { \
        return expression;                                      \
    }

#define __WW_FETCH(op) __atomic_fetch_##op(address, value, __ATOMIC_RELAXED)
#define __WW_ATOMIC_INTEGER(type)                                                        \
    __WW_ATOMIC(atomicAdd, type, __WW_FETCH(add))                                        \
    __WW_ATOMIC(atomicSub, type, __WW_FETCH(sub))                                        \
    __WW_ATOMIC(atomicMin, type, __WW_FETCH(min))                                        \
    __WW_ATOMIC(atomicMax, type, __WW_FETCH(max))                                        \
    __WW_ATOMIC(atomicAnd, type, __WW_FETCH(and))                                        \
    __WW_ATOMIC(atomicOr, type, __WW_FETCH(or))                                          \
    __WW_ATOMIC(atomicXor, type, __WW_FETCH(xor))                                        \
    __WW_ATOMIC(atomicExch, type, __atomic_exchange_n(address, value, __ATOMIC_RELAXED)) \
    __WW_ATOMIC_CAS(type)

#define __WW_ATOMIC_CAS_SCOPE(name, type)                                              \
    __WW_DEVICE type name(type* address, type compare, type value) {                   \
        __atomic_compare_exchange_n(address, &compare, value, false, __ATOMIC_RELAXED, \
                                    __ATOMIC_RELAXED);                                 \
        return compare;                                                                \
    }
#define __WW_ATOMIC_CAS(type)                    \
    __WW_ATOMIC_CAS_SCOPE(atomicCAS, type)       \
    __WW_ATOMIC_CAS_SCOPE(atomicCAS_block, type) \
    __WW_ATOMIC_CAS_SCOPE(atomicCAS_system, type)

#define __WW_ATOMIC_REAL(type, bits)                                              \
    __WW_ATOMIC(atomicAdd, type, __WW_FETCH(add))                                 \
    __WW_ATOMIC(                                                                  \
        atomicExch, type,                                                         \
        __ww_bit_cast<type>(__atomic_exchange_n(reinterpret_cast<bits*>(address), \
                                                __ww_bit_cast<bits>(value), __ATOMIC_RELAXED)))

__WW_ATOMIC_INTEGER(int)
__WW_ATOMIC_INTEGER(unsigned int)
__WW_ATOMIC_INTEGER(long)
__WW_ATOMIC_INTEGER(unsigned long)
__WW_ATOMIC_INTEGER(long long)
__WW_ATOMIC_INTEGER(unsigned long long)
__WW_ATOMIC_REAL(float, uint32_t)
__WW_DEVICE double atomicAdd_block(double* address, double value) {
    return __WW_FETCH(add);
}
__WW_DEVICE double atomicAdd_system(double* address, double value) {
    return __WW_FETCH(add);
}
// Old sources have a function of their own of this name and these types, from before CUDA had one:
// next to a template, theirs is chosen.
template <int = 0>
__WW_DEVICE double atomicAdd(double* address, double value) {
    return __WW_FETCH(add);
}
__WW_ATOMIC_CAS(unsigned short)

// Of vectors, each element by itself, as CUDA's are.
__WW_DEVICE float2 atomicAdd(float2* address, float2 value) {
    return float2{atomicAdd(&address->x, value.x), atomicAdd(&address->y, value.y)};
}
__WW_DEVICE float4 atomicAdd(float4* address, float4 value) {
    return float4{atomicAdd(&address->x, value.x), atomicAdd(&address->y, value.y),
                  atomicAdd(&address->z, value.z), atomicAdd(&address->w, value.w)};
}

// Counting with wrap-around: up to `value`, then 0; down to 0, then `value`.
__WW_ATOMIC(atomicInc, unsigned int, __nvvm_atom_inc_gen_ui(address, value))
__WW_ATOMIC(atomicDec, unsigned int, __nvvm_atom_dec_gen_ui(address, value))

#undef __WW_ATOMIC
#undef __WW_FETCH
#undef __WW_ATOMIC_INTEGER
#undef __WW_ATOMIC_CAS_SCOPE
#undef __WW_ATOMIC_CAS
#undef __WW_ATOMIC_REAL
