// Hand-written C++ for sorting.cu: a block's part after the other, cores over the parts.
#include <algorithm>
#include <cstdint>
#include <cstring>

namespace {

struct Least {
    float value;
    int place;
};

struct alignas(64) Counts {
    std::uint32_t of[4][256];
};

template <int kStride>
void exchange(std::uint32_t* key, int size) {
    for (int start = 0; start < 1024; start += 2 * kStride) {
        const bool up = (start & size) == 0;
        std::uint32_t *a = key + start, *b = a + kStride;
#pragma omp simd
        for (int k = 0; k < kStride; ++k) {
            const std::uint32_t low = std::min(a[k], b[k]), high = std::max(a[k], b[k]);
            a[k] = up ? low : high;
            b[k] = up ? high : low;
        }
    }
}

template <int kStride>
void merge(std::uint32_t* key, int size) {
    if (2 * kStride <= size) exchange<kStride>(key, size);
    if constexpr (kStride > 1) merge<kStride / 2>(key, size);
}

}  // namespace

extern "C" {

void sort_by_library(const std::uint32_t* in, std::uint32_t* out, std::int64_t n) {
#pragma omp parallel for schedule(static)
    for (std::int64_t start = 0; start < n; start += 1024) {
        std::memcpy(out + start, in + start, 4096);
        std::sort(out + start, out + start + 1024);
    }
}

void sort_by_network(const std::uint32_t* in, std::uint32_t* out, std::int64_t n) {
#pragma omp parallel for schedule(static)
    for (std::int64_t start = 0; start < n; start += 1024) {
        alignas(64) std::uint32_t key[1024];
        std::memcpy(key, in + start, sizeof key);
        for (int size = 2; size <= 1024; size *= 2) merge<512>(key, size);
        std::memcpy(out + start, key, sizeof key);
    }
}

void scan_parts(const int* in, int* out, std::int64_t n) {
#pragma omp parallel for schedule(static)
    for (std::int64_t start = 0; start < n; start += 512) {
        int running = 0;
        for (int i = 0; i < 512; ++i) {
            out[start + i] = running;
            running += in[start + i];
        }
    }
}

// What blocks of 256 threads with a grid's stride see: block b takes runs of 256.
void least_of_blocks(const float* x, Least* out, std::int64_t n, int blocks) {
#pragma omp parallel for schedule(static)
    for (int block = 0; block < blocks; ++block) {
        constexpr int kLanes = 16;
        float value[kLanes];
        int place[kLanes];
        for (int k = 0; k < kLanes; ++k) value[k] = 3e38f, place[k] = 0x7fffffff;
        for (std::int64_t run = block * 256L; run < n; run += blocks * 256L) {
            for (int start = 0; start < 256; start += kLanes) {
                const int first = static_cast<int>(run) + start;
#pragma omp simd
                for (int k = 0; k < kLanes; ++k) {
                    const bool is_less = x[first + k] < value[k];
                    place[k] = is_less ? first + k : place[k];
                    value[k] = is_less ? x[first + k] : value[k];
                }
            }
        }
        Least least = {value[0], place[0]};
        for (int k = 1; k < kLanes; ++k) {
            const bool is_before = value[k] == least.value && place[k] < least.place;
            if (value[k] < least.value || is_before) least = {value[k], place[k]};
        }
        out[block] = least;
    }
}

void histogram_of_words(const std::uint32_t* data, std::uint32_t* bins, std::int64_t words) {
#pragma omp parallel
    {
        Counts own{};
#pragma omp for schedule(static)
        for (std::int64_t i = 0; i < words; ++i) {
            const std::uint32_t d = data[i];
            ++own.of[0][d & 0xff];
            ++own.of[1][d >> 8 & 0xff];
            ++own.of[2][d >> 16 & 0xff];
            ++own.of[3][d >> 24];
        }
#pragma omp critical
        for (int k = 0; k < 256; ++k) {
            bins[k] += own.of[0][k] + own.of[1][k] + own.of[2][k] + own.of[3][k];
        }
    }
}

}  // extern "C"
