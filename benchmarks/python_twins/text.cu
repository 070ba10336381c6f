// Strings of bytes as written by hand: the counterparts of text.py.

extern "C" __global__ void caesar(const unsigned char* text, int shift, unsigned char* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int c = text[i];
        if (c >= 'a' && c <= 'z')
            out[i] = (c - 'a' + shift) % 26 + 'a';
        else if (c >= 'A' && c <= 'Z')
            out[i] = (c - 'A' + shift) % 26 + 'A';
        else
            out[i] = c;
    }
}

extern "C" __global__ void upper(const unsigned char* text, unsigned char* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned char c = text[i];
        out[i] = c >= 'a' && c <= 'z' ? c - 32 : c;
    }
}

extern "C" __global__ void count_words(const unsigned char* text, int* count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && text[i] != ' ' && (i == 0 || text[i - 1] == ' ')) atomicAdd(count, 1);
}

extern "C" __global__ void find_all(const unsigned char* text, const unsigned char* pattern,
                                    bool* found, int n, int length)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + length > n) return;
    for (int j = 0; j < length; j++)
        if (text[i + j] != pattern[j]) return;
    found[i] = true;
}

extern "C" __global__ void crc32(const unsigned char* rows, unsigned* out, int count, int length)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < count) {
        unsigned crc = 0xFFFFFFFF;
        for (int k = 0; k < length; k++) {
            crc ^= rows[row * length + k];
            for (int bit = 0; bit < 8; bit++) crc = crc & 1 ? crc >> 1 ^ 0xEDB88320 : crc >> 1;
        }
        out[row] = ~crc;
    }
}

extern "C" __global__ void edit_distances(const unsigned char* words, const unsigned char* target,
                                          int* out, int count, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    words += i * n;
    int row[17];
    for (int j = 0; j <= m; j++) row[j] = j;
    for (int a = 1; a <= n; a++) {
        int diagonal = row[0];
        row[0] = a;
        for (int b = 1; b <= m; b++) {
            int cost = words[a - 1] != target[b - 1];
            int best = min(min(row[b], row[b - 1]) + 1, diagonal + cost);
            diagonal = row[b];
            row[b] = best;
        }
    }
    out[i] = row[m];
}

// The pairs have 64 letters each, the size of a block.
extern "C" __global__ void alignments(const unsigned char* a, const unsigned char* b, int gap,
                                      int* out)
{
    __shared__ int best[3][65];
    const int n = 64;
    int t = threadIdx.x;
    a += blockIdx.x * n;
    b += blockIdx.x * n;
    for (int k = 0; k < 3; k++) {
        best[k][t] = 0;
        if (t == 0) best[k][n] = 0;
    }
    __syncthreads();
    for (int diagonal = 2; diagonal <= 2 * n; diagonal++) {
        int current = diagonal % 3, before = (diagonal - 1) % 3, earlier = (diagonal - 2) % 3;
        int i = t + 1, j = diagonal - t - 1;
        if (j >= 1 && j <= n) {
            int value = best[earlier][i - 1] + (a[i - 1] == b[j - 1] ? 2 : -1);
            value = max(value, max(best[before][i - 1], best[before][i]) - gap);
            best[current][i] = max(value, 0);
        }
        __syncthreads();
    }
    out[blockIdx.x * n + t] = best[2 * n % 3][t + 1];
}
