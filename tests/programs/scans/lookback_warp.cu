// A single-pass scan whose look-back is done by a whole warp: 32 predecessors at a time, the nearest
// published prefix found by a ballot.
#define FULL 0xffffffffu

struct __align__(8) Status { int value; int flag; };   // flag: 0 nothing, 1 sum of the tile, 2 prefix

union Packed { Status s; unsigned long long bits; };

__device__ Status load_status(const unsigned long long *p)
{
    Packed u;
    u.bits = *(const volatile unsigned long long *)p;
    return u.s;
}

__device__ void store_status(unsigned long long *p, int value, int flag)
{
    Packed u;
    u.s.value = value;
    u.s.flag = flag;
    __threadfence();
    *(volatile unsigned long long *)p = u.bits;
}

__global__ void scan_tiles(const int *in, int *out, unsigned long long *status, int *counter, int n)
{
    __shared__ int warp_sum[8], bid, prefix;
    const int tid = threadIdx.x, lane = tid & 31, wid = tid >> 5;
    if (tid == 0) bid = atomicAdd(counter, 1);
    __syncthreads();
    const int i = bid * 256 + tid;
    int v = i < n ? in[i] : 0;
    for (int d = 1; d < 32; d <<= 1) {
        int up = __shfl_up_sync(FULL, v, d);
        if (lane >= d) v += up;
    }
    if (lane == 31) warp_sum[wid] = v;
    __syncthreads();
    if (wid == 0) {
        int total = 0;
        for (int w = 0; w < 8; w++) total += warp_sum[w];
        if (lane == 0) store_status(status + bid, total, bid == 0 ? 2 : 1);
        int sum = 0;
        for (int base = bid - 1; base >= 0; base -= 32) {
            Status st = {0, 2};
            int who = base - lane;
            if (who >= 0)
                do st = load_status(status + who);
                while (st.flag == 0);
            unsigned ready = __ballot_sync(FULL, st.flag == 2);
            int last = __ffs(ready) - 1;
            int part = (ready == 0 || lane <= last) ? st.value : 0;
            for (int d = 16; d; d >>= 1) part += __shfl_xor_sync(FULL, part, d);
            sum += part;
            if (ready) break;
        }
        if (lane == 0) {
            prefix = sum;
            if (bid > 0) store_status(status + bid, sum + total, 2);
        }
    }
    __syncthreads();
    for (int w = 0; w < wid; w++) v += warp_sum[w];
    if (i < n) out[i] = v + prefix;
}
