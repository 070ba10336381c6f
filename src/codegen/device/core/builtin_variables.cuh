// threadIdx, blockIdx, blockDim, gridDim and warpSize. Each component is a property whose getter
// reads a special register, so that no variable exists and every use folds to one instruction.
#pragma once

#define __WW_COMPONENT(component, reg)                                       \
    __declspec(property(get = __ww_get_##component)) unsigned int component; \
    static __device__ __forceinline__ unsigned int __ww_get_##component() {  \
        return __nvvm_read_ptx_sreg_##reg##_##component();                   \
    }

#define __WW_BUILTIN_VARIABLE(name, reg)                                   \
    struct __ww_##name##_type {                                            \
        __WW_COMPONENT(x, reg)                                             \
        __WW_COMPONENT(y, reg)                                             \
        __WW_COMPONENT(z, reg)                                             \
        __device__ __forceinline__ operator uint3() const {                \
            return uint3{x, y, z};                                         \
        }                                                                  \
        __ww_##name##_type(const __ww_##name##_type&) = delete;            \
        __ww_##name##_type& operator=(const __ww_##name##_type&) = delete; \
    };                                                                     \
    extern const __device__ __attribute__((weak)) __ww_##name##_type name; \
    __device__ __forceinline__ dim3::dim3(const __ww_##name##_type& index) \
        : x(index.x), y(index.y), z(index.z) {}

__WW_BUILTIN_VARIABLE(threadIdx, tid)
__WW_BUILTIN_VARIABLE(blockIdx, ctaid)
__WW_BUILTIN_VARIABLE(blockDim, ntid)
__WW_BUILTIN_VARIABLE(gridDim, nctaid)
#undef __WW_COMPONENT
#undef __WW_BUILTIN_VARIABLE

constexpr int warpSize = 32;
