// A scan that restarts at every head flag: pairs of flag and value under one associative operator.
template <typename T>
struct FlaggedSum {
    T value;
    bool head;
    __device__ friend FlaggedSum operator+(const FlaggedSum &a, const FlaggedSum &b) {
        return {b.head ? b.value : a.value + b.value, a.head || b.head};
    }
};

template <typename T, int BLOCK>
__global__ void segmented_scan(const T *in, const unsigned char *heads, T *out, int n) {
    __shared__ FlaggedSum<T> buffer[2][BLOCK];
    FlaggedSum<T> carry{T(0), false};
    for (int first = 0; first < n; first += BLOCK) {
        int i = first + threadIdx.x, which = 0;
        FlaggedSum<T> mine{i < n ? in[i] : T(0), i < n && heads[i]};
        buffer[0][threadIdx.x] = mine;
        __syncthreads();
        for (int d = 1; d < BLOCK; d <<= 1) {
            if (threadIdx.x >= d) mine = buffer[which][threadIdx.x - d] + mine;
            which ^= 1;
            buffer[which][threadIdx.x] = mine;
            __syncthreads();
        }
        if (i < n) out[i] = (carry + mine).value;
        carry = carry + buffer[which][BLOCK - 1];
        __syncthreads();
    }
}
