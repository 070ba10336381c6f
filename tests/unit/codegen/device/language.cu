// What the prelude makes implicit, in every form sources use it: parsed and generated for both
// targets, not run.
struct Shape {
    __device__ virtual ~Shape() {}
    __device__ virtual float area() const = 0;
};
struct Square final : Shape {
    float side;
    __device__ explicit Square(float s) : side(s) {}
    __device__ float area() const override { return side * side; }
};

__constant__ float table[4] = {1, 2, 3, 4};
__device__ int counter;
extern __shared__ float dynamic[];

inline __device__ __forceinline__ int twice(int x) {
    return 2 * x;
}
__host__ __device__ float both(float x) {
    assert(x > 0);
    return sqrtf(x) + fmaxf(x, 0.0f);
}
int host_only() {
    printf("never run\n");
    return abs(-3);
}
template <class T>
__global__ void __launch_bounds__(128, 2) indices(const __grid_constant__ T factor, T* out) {
    __shared__ T tile[32];
    uint3 position = threadIdx;
    dim3 size = blockDim, also(gridDim);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x % warpSize] = factor;
    __syncthreads();
    out[i] = tile[position.x] + size.y + also.z + dynamic[0] + table[1] + twice(i) + both(M_PI);
    if (__syncthreads_or(i < 3) && __syncthreads_count(i) > __syncthreads_and(i)) __trap();
}
template __global__ void indices<float>(const float, float*);

__global__ void atomics(int* i, unsigned* u, unsigned long long* q, float* f, double* d,
                        unsigned short* h) {
    atomicAdd(i, atomicSub(i, atomicMin(i, atomicMax(i, atomicExch(i, 1)))));
    atomicAnd(u, atomicOr(u, atomicXor(u, atomicInc(u, atomicDec(u, 7)))));
    atomicCAS(q, atomicAdd(q, 1ull), atomicMax_system(q, 2ull));
    atomicAdd(f, atomicExch(f, 1.0f));
    atomicAdd_block(d, atomicAdd_system(d, 1.0));
    atomicCAS(h, static_cast<unsigned short>(1), static_cast<unsigned short>(2));
    atomicAdd(&counter, 1);
    __threadfence();
    __threadfence_block();
    __threadfence_system();
}

__global__ void warps(int* i, long long* l, float* f, double* d) {
    *i = __shfl_sync(~0u, *i, 3) + __shfl_up_sync(~0u, *i, 1, 16) + __shfl(*i, 0);
    *l = __shfl_down_sync(~0u, *l, 2) + __shfl_xor(*l, 1);
    *f = __shfl_xor_sync(~0u, *f, 1);
    *d = __shfl_down(*d, 1);
    *i += __any_sync(~0u, 1) + __all(*i) + __ballot_sync(__activemask(), *i) + __ballot(*i);
    int all;
    *i += __match_any_sync(~0u, *f) + __match_all_sync(~0u, *l, &all) + __lanemask_lt();
    *i = __reduce_add_sync(~0u, *i) + __reduce_max_sync(~0u, 3u) + __reduce_xor_sync(~0u, 1u);
    __syncwarp();
}

__global__ void memory(float4* v, int* p, float* f) {
    Shape* shape = new Square(2.0f);
    *f = shape->area() + __ldg(f) + __ldcg(f + 1) + __ldg(v).x + __ldcv(f);
    delete shape;
    __stcs(f, 2.0f);
    int* block = static_cast<int*>(malloc(16));
    if (block == nullptr) return;
    memset(block, 0, 16);
    memcpy(p, block, 16);
    free(block);
    *v = make_float4(1, 2, 3, 4);
    p[0] = __isShared(dynamic) + __isGlobal(p) + static_cast<int>(clock64() + clock());
    p[1] = static_cast<int>(__cvta_generic_to_shared(dynamic));
    __nanosleep(100);
    printf("%d %f %s\n", p[0], *f, "text");
    assert(p[0] > 0 && "a message");
    __assume(p[0] > 0);
}
