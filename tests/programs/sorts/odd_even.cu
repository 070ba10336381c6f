// Odd-even transposition: as many rounds as elements, one block per array, any comparable type.
template <typename T> __device__ inline void swap_if_greater(T *a, T *b)
{
    T x = *a, y = *b;
    if (y < x) { *a = y; *b = x; }
}

template <typename T> __global__ void odd_even_sort(T *data, int n)
{
    extern __shared__ char memory[];
    T *s = (T *)memory;
    T *array = data + blockIdx.x * n;
    for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = array[i];
    __syncthreads();
    for (int round = 0; round < n; ++round) {
        for (int i = 2 * threadIdx.x + (round & 1); i + 1 < n; i += 2 * blockDim.x)
            swap_if_greater(s + i, s + i + 1);
        __syncthreads();
    }
    for (int i = threadIdx.x; i < n; i += blockDim.x) array[i] = s[i];
}
