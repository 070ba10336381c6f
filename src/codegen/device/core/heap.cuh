// The device heap: malloc and free, new and delete.
#pragma once

#ifdef __WARPWISE_CPU__
__WW_BOTH void* malloc(size_t bytes) {
    return __ww_malloc(bytes);
}
__WW_BOTH void free(void* pointer) {
    __ww_free(pointer);
}
#endif
__WW_BOTH_LARGE void* calloc(size_t count, size_t bytes) {
    size_t total = 0;
    if (__builtin_mul_overflow(count, bytes, &total)) return nullptr;
    void* pointer = __ww_malloc(total);
    return pointer == nullptr ? nullptr : memset(pointer, 0, total);
}

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Winline-new-delete"
// As on a GPU, new gives a null pointer when the heap is full: there are no exceptions.
#define __WW_NEW inline __device__ __attribute__((always_inline)) void*
#define __WW_DELETE inline __device__ __attribute__((always_inline)) void
#pragma clang diagnostic ignored "-Wnew-returns-null"
__WW_NEW operator new(size_t bytes) {
    return __ww_malloc(bytes);
}
__WW_NEW operator new[](size_t bytes) {
    return __ww_malloc(bytes);
}
__WW_DELETE operator delete(void* pointer) noexcept {
    __ww_free(pointer);
}
__WW_DELETE operator delete[](void* pointer) noexcept {
    __ww_free(pointer);
}
__WW_DELETE operator delete(void* pointer, size_t) noexcept {
    __ww_free(pointer);
}
__WW_DELETE operator delete[](void* pointer, size_t) noexcept {
    __ww_free(pointer);
}
#undef __WW_NEW
#undef __WW_DELETE
#pragma clang diagnostic pop

// Placement new.
inline __host__ __device__ __attribute__((always_inline)) void* operator new(size_t,
                                                                             void* place) noexcept {
    return place;
}
inline __host__ __device__ __attribute__((always_inline)) void* operator new[](
    size_t, void* place) noexcept {
    return place;
}
inline __host__ __device__ __attribute__((always_inline)) void operator delete(void*,
                                                                               void*) noexcept {}
inline __host__ __device__ __attribute__((always_inline)) void operator delete[](void*,
                                                                                 void*) noexcept {}
