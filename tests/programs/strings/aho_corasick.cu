// Many patterns at once, without failure links: a thread starts at each character and walks the trie's
// table until it falls off; the longest pattern that starts there wins. Text in shared memory.
#define ALPHABET 4
#define THREADS 64
#define MAX_PATTERN 16

__constant__ unsigned char symbol_of[256];

__global__ void pfac(const unsigned char *text, int n, const short *next_state, const short *output,
                     short *match)
{
    __shared__ unsigned char s[THREADS + MAX_PATTERN];
    const int start = blockIdx.x * THREADS;
    for (int i = threadIdx.x; i < THREADS + MAX_PATTERN; i += THREADS)
        s[i] = start + i < n ? symbol_of[text[start + i]] : ALPHABET;
    __syncthreads();
    if (start + threadIdx.x >= n) return;

    short state = 0, found = -1;
    const unsigned char *p = s + threadIdx.x;
    while (*p < ALPHABET) {
        state = __ldg(next_state + state * ALPHABET + *p++);
        if (state < 0) break;
        const short o = output[state];
        if (o >= 0) found = o;
    }
    match[start + threadIdx.x] = found;
}
