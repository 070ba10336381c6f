// One block-wide scan for any associative operator, given as a functor: maximum, product of affine
// maps (a recurrence x' = a x + b in parallel), and bitwise exclusive or.
struct Affine { float a, b; };

struct Max { __device__ int operator()(int x, int y) const { return max(x, y); } };
struct Xor { __device__ unsigned operator()(unsigned x, unsigned y) const { return x ^ y; } };
struct Compose {
    __device__ Affine operator()(Affine first, Affine then) const {
        return Affine{then.a * first.a, then.a * first.b + then.b};
    }
};

template <class T, class Op>
__device__ T scan_block(T mine, T *shared, Op op) {
    int t = threadIdx.x;
    shared[t] = mine;
    __syncthreads();
    for (int d = 1; d < blockDim.x; d *= 2) {
        T left;
        bool has = t >= d;
        if (has) left = shared[t - d];
        __syncthreads();
        if (has) shared[t] = mine = op(left, mine);
        __syncthreads();
    }
    return mine;
}

template <class T, class Op>
__global__ void scan(T *x) {
    extern __shared__ __align__(16) unsigned char raw[];
    T *shared = reinterpret_cast<T *>(raw);
    x[threadIdx.x] = scan_block(x[threadIdx.x], shared, Op());
}

__global__ void recurrence(const float *a, const float *b, float x0, float *x) {
    extern __shared__ Affine maps[];
    Affine m = scan_block(Affine{a[threadIdx.x], b[threadIdx.x]}, maps, Compose());
    x[threadIdx.x] = m.a * x0 + m.b;
}
