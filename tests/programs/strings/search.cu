// Finding a pattern in a text: tried at every place, and by Knuth, Morris and Pratt with a chunk of
// the text a thread, chunks overlapping by the pattern less one.
#include <string.h>

extern "C" {

__global__ void search_naive(const char *text, int n, const char *pattern, int m, int *where, int *count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > n - m) return;
    int j = 0;
    while (j < m && text[i + j] == pattern[j]) ++j;
    if (j == m) where[atomicAdd(count, 1)] = i;
}

__device__ static void failure_table(const char *p, int m, short *fail)
{
    fail[0] = 0;
    for (int i = 1, k = 0; i < m; ++i) {
        while (k > 0 && p[i] != p[k]) k = fail[k - 1];
        if (p[i] == p[k]) ++k;
        fail[i] = k;
    }
}

__global__ void search_kmp(const char *text, int n, const char *pattern, int m, int chunk, int *where,
                           int *count)
{
    extern __shared__ short fail[];
    char *p = (char *)(fail + m);
    if (threadIdx.x == 0) {
        memcpy(p, pattern, m);
        failure_table(p, m, fail);
    }
    __syncthreads();

    const int begin = (blockIdx.x * blockDim.x + threadIdx.x) * chunk;
    const int end = min(n, begin + chunk + m - 1);
    int k = 0;
    for (int i = begin; i < end; ++i) {
        const char c = text[i];
        while (k > 0 && c != p[k]) k = fail[k - 1];
        if (c == p[k]) ++k;
        if (k == m) {
            where[atomicAdd(count, 1)] = i - m + 1;
            k = fail[k - 1];
        }
    }
}

}  // extern "C"
