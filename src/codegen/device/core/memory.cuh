// Loads and stores with cache hints (plain accesses on a CPU), questions about an address, and
// copies of memory.
#pragma once

#define __WW_HINTED_LOAD(name)             \
    template <class T>                     \
    __WW_DEVICE T name(const T* address) { \
        return *address;                   \
    }
__WW_HINTED_LOAD(__ldg)
__WW_HINTED_LOAD(__ldca)
__WW_HINTED_LOAD(__ldcg)
__WW_HINTED_LOAD(__ldcs)
__WW_HINTED_LOAD(__ldlu)
#undef __WW_HINTED_LOAD

#define __WW_HINTED_STORE(name)                  \
    template <class T>                           \
    __WW_DEVICE void name(T* address, T value) { \
        *address = value;                        \
    }
__WW_HINTED_STORE(__stwb)
__WW_HINTED_STORE(__stcg)
__WW_HINTED_STORE(__stcs)
__WW_HINTED_STORE(__stwt)
#undef __WW_HINTED_STORE

// "Don't cache, fetch again": the fences keep the compiler from reusing an earlier value.
template <class T>
__WW_DEVICE T __ldcv(const T* address) {
    __ww_fence_block();
    T value = *address;
    __ww_fence_block();
    return value;
}

__WW_DEVICE unsigned int __isGlobal(const void* address) {
    return __nvvm_isspacep_global(address);
}
__WW_DEVICE unsigned int __isShared(const void* address) {
    return __nvvm_isspacep_shared(address);
}
__WW_DEVICE unsigned int __isConstant(const void* address) {
    return __nvvm_isspacep_const(address);
}
__WW_DEVICE unsigned int __isLocal(const void* address) {
    return __nvvm_isspacep_local(address);
}

#define __WW_ADDRESS_SPACE(name, number)                                            \
    __WW_DEVICE size_t __cvta_generic_to_##name(const void* address) {              \
        return (size_t)(const __attribute__((address_space(number))) void*)address; \
    }                                                                               \
    __WW_DEVICE void* __cvta_##name##_to_generic(size_t address) {                  \
        return (void*)(__attribute__((address_space(number))) void*)address;        \
    }
__WW_ADDRESS_SPACE(global, 1)
__WW_ADDRESS_SPACE(shared, 3)
__WW_ADDRESS_SPACE(constant, 4)
__WW_ADDRESS_SPACE(local, 5)
#undef __WW_ADDRESS_SPACE

__WW_BOTH void* memcpy(void* to, const void* from, size_t bytes) {
    return __builtin_memcpy(to, from, bytes);
}
__WW_BOTH void* memmove(void* to, const void* from, size_t bytes) {
    return __builtin_memmove(to, from, bytes);
}
__WW_BOTH void* memset(void* to, int value, size_t bytes) {
    return __builtin_memset(to, value, bytes);
}
