// Prefix sums, sorts and searches as written by hand: the counterparts of sorting.py.

#define BLOCK 256

extern "C" __global__ void hillis_steele(const int* x, int* out)
{
    __shared__ int buffer[2][BLOCK];
    int t = threadIdx.x;
    int i = blockIdx.x * BLOCK + t;
    buffer[0][t] = x[i];
    __syncthreads();
    int source = 0;
    for (int step = 1; step < BLOCK; step *= 2) {
        if (t >= step)
            buffer[1 - source][t] = buffer[source][t] + buffer[source][t - step];
        else
            buffer[1 - source][t] = buffer[source][t];
        __syncthreads();
        source = 1 - source;
    }
    out[i] = buffer[source][t];
}

extern "C" __global__ void blelloch(const int* x, int* out)
{
    __shared__ int part[2 * BLOCK];
    int t = threadIdx.x;
    int start = 2 * BLOCK * blockIdx.x;
    part[2 * t] = x[start + 2 * t];
    part[2 * t + 1] = x[start + 2 * t + 1];
    int offset = 1;
    for (int d = BLOCK; d > 0; d /= 2) {
        __syncthreads();
        if (t < d) part[offset * (2 * t + 2) - 1] += part[offset * (2 * t + 1) - 1];
        offset *= 2;
    }
    if (t == 0) part[2 * BLOCK - 1] = 0;
    for (int d = 1; d < 2 * BLOCK; d *= 2) {
        offset /= 2;
        __syncthreads();
        if (t < d) {
            int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1;
            int left = part[a];
            part[a] = part[b];
            part[b] += left;
        }
    }
    __syncthreads();
    out[start + 2 * t] = part[2 * t];
    out[start + 2 * t + 1] = part[2 * t + 1];
}

extern "C" __global__ void bitonic(const float* x, float* out)
{
    __shared__ float part[BLOCK];
    int t = threadIdx.x;
    int i = blockIdx.x * BLOCK + t;
    part[t] = x[i];
    __syncthreads();
    for (int k = 2; k <= BLOCK; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) {
            int partner = t ^ j;
            if (partner > t) {
                float a = part[t], b = part[partner];
                if ((a > b) == ((t & k) == 0)) {
                    part[t] = b;
                    part[partner] = a;
                }
            }
            __syncthreads();
        }
    out[i] = part[t];
}

extern "C" __global__ void rank_sort(const int* x, int* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int key = x[i], rank = 0;
        for (int j = 0; j < n; j++)
            if (x[j] < key || (x[j] == key && j < i)) rank++;
        out[rank] = key;
    }
}

extern "C" __global__ void insertion_sort(const double* rows, double* out, int count, int length)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= count) return;
    rows += row * length;
    out += row * length;
    for (int i = 0; i < length; i++) {
        double key = rows[i];
        int j = i - 1;
        while (j >= 0 && out[j] > key) {
            out[j + 1] = out[j];
            j--;
        }
        out[j + 1] = key;
    }
}

extern "C" __global__ void binary_search(const double* table, const double* keys, int* out,
                                         int size, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double key = keys[i];
        int low = 0, high = size;
        while (low < high) {
            int middle = (low + high) >> 1;
            if (table[middle] < key)
                low = middle + 1;
            else
                high = middle;
        }
        out[i] = low;
    }
}

extern "C" __global__ void merge(const int* a, const int* b, int* out, int size_a, int size_b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size_a + size_b) {
        int low = max(0, i - size_b), high = min(i, size_a);
        while (low < high) {
            int middle = (low + high) / 2;
            if (a[middle] <= b[i - middle - 1])
                low = middle + 1;
            else
                high = middle;
        }
        bool from_a = low < size_a && (i - low >= size_b || a[low] <= b[i - low]);
        out[i] = from_a ? a[low] : b[i - low];
    }
}
