// Whole numbers, random ones and warps as written by hand: the counterparts of numbers.py.

extern "C" __global__ void collatz(const long long* n, int* steps, int size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size) {
        long long value = n[i];
        int count = 0;
        while (value != 1) {
            value = value % 2 == 0 ? value / 2 : 3 * value + 1;
            count++;
        }
        steps[i] = count;
    }
}

extern "C" __global__ void is_prime(const long long* n, bool* out, int size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size) {
        long long value = n[i];
        bool prime = value >= 2;
        for (long long d = 2; d * d <= value; d += d == 2 ? 1 : 2)
            if (value % d == 0) {
                prime = false;
                break;
            }
        out[i] = prime;
    }
}

extern "C" __global__ void random_points(const unsigned* seeds, int tries, int* hits, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned state = seeds[i];
        int inside = 0;
        for (int k = 0; k < tries; k++) {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            float x = (float)(state & 0xFFFF) / 65536, y = (float)(state >> 16) / 65536;
            if (x * x + y * y < 1) inside++;
        }
        hits[i] = inside;
    }
}

extern "C" __global__ void warp_scan(const float* x, float* out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32;
    float value = x[i];
    for (int delta = 1; delta < 32; delta *= 2) {
        float other = __shfl_up_sync(0xFFFFFFFF, value, delta);
        if (lane >= delta) value += other;
    }
    out[i] = value;
}
