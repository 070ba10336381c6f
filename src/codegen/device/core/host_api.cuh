// Types of CUDA's host interface that structs and signatures of device code mention, and the two
// questions about errors that device code may ask too.
#pragma once

typedef struct CUstream_st* cudaStream_t;
typedef struct CUevent_st* cudaEvent_t;
typedef struct cudaGraphExec_st* cudaGraphExec_t;
typedef unsigned long long cudaGraphConditionalHandle;

enum cudaError {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInitializationError = 3,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorInvalidDevice = 101,
    cudaErrorNotReady = 600,
    cudaErrorIllegalAddress = 700,
    cudaErrorLaunchFailure = 719,
    cudaErrorNotSupported = 801,
    cudaErrorUnknown = 999
};
typedef enum cudaError cudaError_t;

enum cudaMemcpyKind {
    cudaMemcpyHostToHost = 0,
    cudaMemcpyHostToDevice = 1,
    cudaMemcpyDeviceToHost = 2,
    cudaMemcpyDeviceToDevice = 3,
    cudaMemcpyDefault = 4
};

// A kernel that is running has had no error: one that has an error stops.
__WW_BOTH cudaError_t cudaGetLastError() {
    return cudaSuccess;
}
__WW_BOTH cudaError_t cudaPeekAtLastError() {
    return cudaSuccess;
}

// What device code asks of the grids it has launched. They run in the order they were launched in,
// whatever their streams, so that streams and events have nothing to do.
#define cudaStreamDefault 0
#define cudaStreamNonBlocking 1
#define cudaEventDisableTiming 2
#define cudaStreamTailLaunch ((cudaStream_t)3)
#define cudaStreamFireAndForget ((cudaStream_t)4)
__WW_BOTH cudaError_t cudaDeviceSynchronize() {
#ifdef __WARPWISE_CPU__
    __ww_nested_wait();
#endif
    return cudaSuccess;
}
#ifdef __WARPWISE_CPU__
// There is no handle that a kernel could have been given.
__WW_BOTH void cudaGraphSetConditional(cudaGraphConditionalHandle, unsigned int) {
    __ww_assert_fail("graphs of the CPU device have no conditional nodes",
                     "cudaGraphSetConditional()", 0, "device code");
}
#endif
__WW_BOTH cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int) {
    *stream = nullptr;
    return cudaSuccess;
}
__WW_BOTH cudaError_t cudaStreamDestroy(cudaStream_t) {
    return cudaSuccess;
}
__WW_BOTH cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int) {
    *event = nullptr;
    return cudaSuccess;
}
__WW_BOTH cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t = nullptr) {
    return cudaSuccess;
}
__WW_BOTH cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned int = 0) {
    return cudaSuccess;
}
__WW_BOTH cudaError_t cudaEventDestroy(cudaEvent_t) {
    return cudaSuccess;
}
// Memory, from the heap of malloc. Copies and fills come after what the grid has launched.
__WW_BOTH cudaError_t cudaMalloc(void** pointer, size_t bytes) {
    *pointer = __ww_malloc(bytes);
    return *pointer == nullptr && bytes != 0 ? cudaErrorMemoryAllocation : cudaSuccess;
}
template <class T>
__WW_BOTH cudaError_t cudaMalloc(T** pointer, size_t bytes) {
    return cudaMalloc(reinterpret_cast<void**>(pointer), bytes);
}
__WW_BOTH cudaError_t cudaFree(void* pointer) {
    __ww_free(pointer);
    return cudaSuccess;
}
__WW_BOTH cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind,
                                      cudaStream_t = nullptr) {
    cudaDeviceSynchronize();
    memmove(to, from, bytes);
    return cudaSuccess;
}
__WW_BOTH cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t = nullptr) {
    cudaDeviceSynchronize();
    memset(to, value, bytes);
    return cudaSuccess;
}
__WW_BOTH cudaError_t cudaGetDevice(int* device) {
    *device = 0;
    return cudaSuccess;
}
__WW_BOTH const char* cudaGetErrorString(cudaError_t error) {
    return error == cudaSuccess ? "no error" : "error";
}
