// Hand-written C++ for text.cu: messages, pairs or queries over the cores.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>

namespace {

constexpr std::uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
constexpr std::uint32_t kStart[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                     0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
constexpr int kLength = 128;

inline std::uint32_t rotate(std::uint32_t x, int by) {
    return x >> by | x << (32 - by);
}

// One message a lane.
template <int kLanes>
void digests(const std::uint32_t* shared_words, std::uint32_t* digest, int first, int n) {
    std::uint32_t w[64][kLanes], s[8][kLanes];
    for (int k = 0; k < kLanes; ++k) {
        for (int j = 0; j < 16; ++j) w[j][k] = j < 8 ? shared_words[j] : 0;
        w[8][k] = first + k;
        w[9][k] = 0x80000000;
        w[15][k] = 9 * 32;
        for (int j = 0; j < 8; ++j) s[j][k] = kStart[j];
    }
    for (int j = 0; j < 64; ++j) {
#pragma omp simd
        for (int k = 0; k < kLanes; ++k) {
            if (j >= 16) {
                const std::uint32_t p = w[j - 15][k], q = w[j - 2][k];
                const std::uint32_t s0 = rotate(p, 7) ^ rotate(p, 18) ^ p >> 3;
                const std::uint32_t s1 = rotate(q, 17) ^ rotate(q, 19) ^ q >> 10;
                w[j][k] = w[j - 16][k] + s0 + w[j - 7][k] + s1;
            }
            const std::uint32_t a = s[0][k], b = s[1][k], c = s[2][k];
            const std::uint32_t e = s[4][k], f = s[5][k], g = s[6][k];
            const std::uint32_t t1 = s[7][k] + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) +
                                     ((e & f) ^ (~e & g)) + K[j] + w[j][k];
            const std::uint32_t t2 =
                (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
            s[7][k] = g, s[6][k] = f, s[5][k] = e, s[4][k] = s[3][k] + t1;
            s[3][k] = c, s[2][k] = b, s[1][k] = a, s[0][k] = t1 + t2;
        }
    }
    for (int j = 0; j < 8; ++j) {
        for (int k = 0; k < kLanes; ++k) {
            digest[std::int64_t{j} * n + first + k] = kStart[j] + s[j][k];
        }
    }
}

}  // namespace

extern "C" {

void sha256(const std::uint32_t* shared_words, std::uint32_t* digest, int n) {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < n; i += 16) digests<16>(shared_words, digest, i, n);
}

void sha256_one(const std::uint32_t* shared_words, std::uint32_t* digest, int n) {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < n; ++i) digests<1>(shared_words, digest, i, n);
}

// By diagonals, of which only the last two are kept; b is turned round, so that a diagonal's
// letters lie in order.
void align(const char* a, const char* b, int* score, int match, int mismatch, int gap, int pairs) {
#pragma omp parallel for schedule(static)
    for (int pair = 0; pair < pairs; ++pair) {
        const char* x = a + std::int64_t{pair} * kLength;
        char y[kLength];
        std::reverse_copy(b + std::int64_t{pair} * kLength, b + (pair + 1L) * kLength, y);
        // of[i] belongs to row i of its diagonal.
        int kept[3][kLength + 1] = {{}, {gap, gap}};
        int *older = kept[0], *old = kept[1], *next = kept[2];
        for (int d = 2; d <= 2 * kLength; ++d) {
            const int first = std::max(1, d - kLength), last = std::min(kLength, d - 1);
            const char* letters = y + kLength - d;
#pragma omp simd
            for (int i = first; i <= last; ++i) {
                const int diagonal = older[i - 1] + (x[i - 1] == letters[i] ? match : mismatch);
                next[i] = std::max(diagonal, std::max(old[i - 1], old[i]) + gap);
            }
            if (d <= kLength) next[0] = next[d] = d * gap;
            int* free = older;
            older = old;
            old = next;
            next = free;
        }
        score[pair] = old[kLength];
    }
}

void align_by_rows(const char* a, const char* b, int* score, int match, int mismatch, int gap,
                   int pairs) {
#pragma omp parallel for schedule(static)
    for (int pair = 0; pair < pairs; ++pair) {
        const char *x = a + std::int64_t{pair} * kLength, *y = b + std::int64_t{pair} * kLength;
        int row[kLength + 1];
        for (int j = 0; j <= kLength; ++j) row[j] = j * gap;
        for (int i = 0; i < kLength; ++i) {
            int diagonal = row[0];
            row[0] = (i + 1) * gap;
            for (int j = 0; j < kLength; ++j) {
                const int best = std::max(diagonal + (x[i] == y[j] ? match : mismatch),
                                          std::max(row[j], row[j + 1]) + gap);
                diagonal = row[j + 1];
                row[j + 1] = best;
            }
        }
        score[pair] = row[kLength];
    }
}

void look_up(const std::uint32_t* keys, const std::uint32_t* values, std::uint32_t mask,
             const std::uint32_t* queries, std::uint32_t* found, int n) {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < n; ++i) {
        const std::uint32_t key = queries[i];
        std::uint32_t slot = key * 2654435761u >> 7 & mask, value = 0;
        for (; keys[slot] != 0; slot = (slot + 1) & mask) {
            if (keys[slot] != key) continue;
            value = values[slot];
            break;
        }
        found[i] = value;
    }
}

void search_scalar(const char* text, std::int64_t length, const char* pattern, int size,
                   std::uint32_t* count) {
    std::uint32_t total = 0;
#pragma omp parallel for schedule(static) reduction(+ : total)
    for (std::int64_t i = 0; i <= length - size; ++i) {
        int k = 0;
        while (k < size && text[i + k] == pattern[k]) ++k;
        total += k == size;
    }
    *count = total;
}

// Runs of text against each letter of the pattern, shifted.
void search(const char* text, std::int64_t length, const char* pattern, int size,
            std::uint32_t* count) {
    constexpr int kRun = 256;
    std::uint32_t total = 0;
    const std::int64_t places = length - size + 1, runs = places / kRun;
#pragma omp parallel for schedule(static) reduction(+ : total)
    for (std::int64_t run = 0; run < runs; ++run) {
        std::uint8_t equal[kRun];
        std::memset(equal, 1, kRun);
        for (int j = 0; j < size; ++j) {
            const char* shifted = text + run * kRun + j;
            const char letter = pattern[j];
#pragma omp simd
            for (int k = 0; k < kRun; ++k) equal[k] &= shifted[k] == letter;
        }
        int found = 0;
        for (int k = 0; k < kRun; ++k) found += equal[k];
        total += found;
    }
    for (std::int64_t i = runs * kRun; i < places; ++i) {
        total += std::memcmp(text + i, pattern, size) == 0;
    }
    *count = total;
}

// Stockham's order: no bits are turned, and the inner loop runs along memory.
void fft_1024(const float* in, float* out, const float* roots, int transforms) {
#pragma omp parallel for schedule(static)
    for (int which = 0; which < transforms; ++which) {
        alignas(64) float re[2][1024], im[2][1024];
        const float* x = in + std::int64_t{which} * 2048;
        for (int k = 0; k < 1024; ++k) re[0][k] = x[2 * k], im[0][k] = x[2 * k + 1];
        int from = 0;
        for (int stride = 1, n = 512; n > 0; stride *= 2, n /= 2, from ^= 1) {
            const float *r = re[from], *i = im[from];
            float *zr = re[from ^ 1], *zi = im[from ^ 1];
            for (int p = 0; p < n; ++p) {
                const float wr = roots[2 * p * stride], wi = roots[2 * p * stride + 1];
                const int a = p * stride, b = a + n * stride, c = 2 * a, d = c + stride;
#pragma omp simd
                for (int q = 0; q < stride; ++q) {
                    const float ur = r[a + q] - r[b + q], ui = i[a + q] - i[b + q];
                    zr[c + q] = r[a + q] + r[b + q];
                    zi[c + q] = i[a + q] + i[b + q];
                    zr[d + q] = ur * wr - ui * wi;
                    zi[d + q] = ur * wi + ui * wr;
                }
            }
        }
        float* z = out + std::int64_t{which} * 2048;
        for (int k = 0; k < 1024; ++k) z[2 * k] = re[from][k], z[2 * k + 1] = im[from][k];
    }
}

}  // extern "C"
