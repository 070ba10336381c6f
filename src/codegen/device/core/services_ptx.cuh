// The services of services.cuh on a GPU, in NVVM builtins (sm_80). Mode and operation are constants
// at every call, so each switch folds to one instruction.
#pragma once

__WW_DEVICE void __ww_barrier(uint32_t id, uint32_t count) {
    __nvvm_barrier_sync_cnt(id, count);
}
__WW_DEVICE void __ww_barrier_arrive(uint32_t id, uint32_t count) {
    asm volatile("barrier.arrive %0, %1;" ::"r"(id), "r"(count) : "memory");
}
__WW_DEVICE int32_t __ww_barrier_reduce(uint32_t op, int32_t predicate) {
    if (op == __WW_BARRIER_COUNT) return __nvvm_bar0_popc(predicate);
    return op == __WW_BARRIER_AND ? __nvvm_bar0_and(predicate) : __nvvm_bar0_or(predicate);
}
// Needs the device run time of the toolkit (cudadevrt) at link time.
extern "C" __device__ unsigned int cudaCGSynchronizeGrid(unsigned long long handle,
                                                         unsigned int flags);
extern "C" __device__ unsigned long long cudaCGGetIntrinsicHandle(unsigned int scope);
__WW_DEVICE void __ww_grid_sync() {
    cudaCGSynchronizeGrid(cudaCGGetIntrinsicHandle(1u), 0u);
}

__WW_DEVICE void __ww_syncwarp(uint32_t mask) {
    __nvvm_bar_warp_sync(mask);
}
__WW_DEVICE uint32_t __ww_activemask() {
    return __nvvm_activemask();
}
__WW_DEVICE uint32_t __ww_ballot(uint32_t mask, int32_t predicate) {
    return __nvvm_vote_ballot_sync(mask, predicate != 0);
}
// The last operand packs the segment (bits 8 to 12) and the clamp (bits 0 to 4) of shfl.sync.
__WW_DEVICE uint32_t __ww_shuffle32(uint32_t mode, uint32_t mask, uint32_t value, uint32_t operand,
                                    uint32_t width) {
    int bits = static_cast<int>(value);
    int by = static_cast<int>(operand);
    int segment = static_cast<int>((32u - width) << 8);
    int result = mode == __WW_SHUFFLE_INDEX ? __nvvm_shfl_sync_idx_i32(mask, bits, by, segment | 31)
                 : mode == __WW_SHUFFLE_UP  ? __nvvm_shfl_sync_up_i32(mask, bits, by, segment)
                 : mode == __WW_SHUFFLE_DOWN
                     ? __nvvm_shfl_sync_down_i32(mask, bits, by, segment | 31)
                     : __nvvm_shfl_sync_bfly_i32(mask, bits, by, segment | 31);
    return static_cast<uint32_t>(result);
}
__WW_DEVICE uint64_t __ww_shuffle64(uint32_t mode, uint32_t mask, uint64_t value, uint32_t operand,
                                    uint32_t width) {
    uint64_t low = __ww_shuffle32(mode, mask, static_cast<uint32_t>(value), operand, width);
    uint64_t high = __ww_shuffle32(mode, mask, static_cast<uint32_t>(value >> 32), operand, width);
    return high << 32 | low;
}
__WW_DEVICE uint32_t __ww_match_any(uint32_t mask, uint64_t value) {
    return __nvvm_match_any_sync_i64(mask, static_cast<long>(value));
}
__WW_DEVICE uint32_t __ww_match_all(uint32_t mask, uint64_t value) {
    int all = 0;
    return __nvvm_match_all_sync_i64p(mask, static_cast<long>(value), &all);
}
__WW_DEVICE uint32_t __ww_reduce(uint32_t op, uint32_t mask, uint32_t value) {
    int lanes = static_cast<int>(mask);
    int bits = static_cast<int>(value);
    switch (op) {
        case __WW_REDUCE_ADD:
            return static_cast<uint32_t>(__nvvm_redux_sync_add(bits, lanes));
        case __WW_REDUCE_MIN_S:
            return static_cast<uint32_t>(__nvvm_redux_sync_min(bits, lanes));
        case __WW_REDUCE_MAX_S:
            return static_cast<uint32_t>(__nvvm_redux_sync_max(bits, lanes));
        case __WW_REDUCE_MIN_U:
            return __nvvm_redux_sync_umin(value, lanes);
        case __WW_REDUCE_MAX_U:
            return __nvvm_redux_sync_umax(value, lanes);
        case __WW_REDUCE_AND:
            return static_cast<uint32_t>(__nvvm_redux_sync_and(bits, lanes));
        case __WW_REDUCE_OR:
            return static_cast<uint32_t>(__nvvm_redux_sync_or(bits, lanes));
        default:
            return static_cast<uint32_t>(__nvvm_redux_sync_xor(bits, lanes));
    }
}

extern "C" __host__ __device__ void __assertfail(const char* message, const char* file,
                                                 unsigned int line, const char* function,
                                                 size_t character_size);
__WW_BOTH void __ww_assert_fail(const char* message, const char* file, uint32_t line,
                                const char* function) {
    __assertfail(message, file, line, function, sizeof(char));
}
__WW_BOTH void __ww_trap() {
    asm volatile("trap;");
}
extern "C" __host__ __device__ void* malloc(size_t bytes);
extern "C" __host__ __device__ void free(void* pointer);
__WW_BOTH void* __ww_malloc(uint64_t bytes) {
    return malloc(bytes);
}
__WW_BOTH void __ww_free(void* pointer) {
    free(pointer);
}
__WW_DEVICE void __ww_nanosleep(uint32_t nanoseconds) {
    __nvvm_nanosleep(nanoseconds);
}
__WW_DEVICE uint64_t __ww_clock64() {
    return static_cast<uint64_t>(__nvvm_read_ptx_sreg_clock64());
}
__WW_DEVICE uint64_t __ww_globaltimer() {
    return static_cast<uint64_t>(__nvvm_read_ptx_sreg_globaltimer());
}
__WW_DEVICE void __ww_fence_block() {
    __nvvm_membar_cta();
}
__WW_DEVICE void __ww_fence_device() {
    __nvvm_membar_gl();
}
__WW_DEVICE void __ww_fence_system() {
    __nvvm_membar_sys();
}
