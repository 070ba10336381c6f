// The works of arrays2.py by hand, for the CPU: plain loops of one thread or of OpenMP's, sorts of
// the standard library (in parallel those of libstdc++'s parallel mode). Built by arrays2.py.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <parallel/algorithm>
#include <utility>
#include <vector>

#include <omp.h>

namespace {

using Size = std::ptrdiff_t;

// Part `part` of `parts` of n elements.
std::pair<Size, Size> part_of(Size n, int part, int parts) {
    return {n * part / parts, n * (part + 1) / parts};
}

// Two passes where there are threads to share them: sums of parts, then the parts.
template <class T>
void scan(const T* x, T* out, Size n) {
    const int threads = omp_get_max_threads();
    std::vector<T> sums(static_cast<std::size_t>(threads) + 1);
#pragma omp parallel num_threads(threads)
    {
        const int own = omp_get_thread_num();
        const auto [begin, end] = part_of(n, own, threads);
        if (threads > 1) {
            T sum = 0;
            for (Size i = begin; i < end; ++i) sum += x[i];
            sums[static_cast<std::size_t>(own) + 1] = sum;
#pragma omp barrier
#pragma omp single
            std::partial_sum(sums.begin(), sums.end(), sums.begin());
        }
        T sum = sums[static_cast<std::size_t>(own)];
        for (Size i = begin; i < end; ++i) out[i] = sum += x[i];
    }
}

// xorshift128 in 16 lanes, which the compiler makes vectors of.
struct Lanes {
    static constexpr int kCount = 16;
    std::uint32_t x[kCount], y[kCount], z[kCount], w[kCount];
    explicit Lanes(std::uint64_t seed) {
        for (int i = 0; i < kCount; ++i) {
            for (std::uint32_t* word : {x, y, z, w}) {
                seed = seed * 6364136223846793005u + 1442695040888963407u;
                word[i] = static_cast<std::uint32_t>(seed >> 33) | 1u;
            }
        }
    }
    void next(std::uint32_t* out) {
        for (int i = 0; i < kCount; ++i) {
            const std::uint32_t t = x[i] ^ x[i] << 11;
            x[i] = y[i];
            y[i] = z[i];
            z[i] = w[i];
            out[i] = w[i] ^= w[i] >> 19 ^ t ^ t >> 8;
        }
    }
};

template <class Make>
void draw(float* out, Size n, Make&& make) {
#pragma omp parallel
    {
        const auto [begin, end] = part_of(n / 32, omp_get_thread_num(), omp_get_num_threads());
        Lanes lanes(static_cast<std::uint64_t>(omp_get_thread_num()) + 1);
        std::uint32_t a[Lanes::kCount], b[Lanes::kCount];
        for (Size block = begin; block < end; ++block) {
            lanes.next(a);
            lanes.next(b);
            make(a, b, out + block * 32);
        }
    }
}

void multiply(const std::int32_t* starts, const std::int32_t* columns, const double* values,
              const double* x, double* y, Size rows) {
#pragma omp parallel for schedule(static)
    for (Size row = 0; row < rows; ++row) {
        double sum = 0;
        for (std::int32_t k = starts[row]; k < starts[row + 1]; ++k) {
            sum += values[k] * x[columns[k]];
        }
        y[row] = sum;
    }
}

double dot(const double* x, const double* y, Size n) {
    double sum = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : sum)
    for (Size i = 0; i < n; ++i) sum += x[i] * y[i];
    return sum;
}

}  // namespace

extern "C" {

void cumsum_int64(const std::int64_t* x, std::int64_t* out, Size n) {
    scan(x, out, n);
}
void cumsum_float32(const float* x, float* out, Size n) {
    scan(x, out, n);
}

void transpose(const float* x, float* out, Size side) {
    constexpr Size kTile = 16;
#pragma omp parallel for schedule(static)
    for (Size row = 0; row < side; row += kTile) {
        for (Size column = 0; column < side; column += kTile) {
            for (Size i = 0; i < kTile; ++i) {
                for (Size j = 0; j < kTile; ++j) {
                    out[(row + i) * side + column + j] = x[(column + j) * side + row + i];
                }
            }
        }
    }
}

void uniform(float* out, Size n) {
    draw(out, n, [](const std::uint32_t* a, const std::uint32_t* b, float* to) {
        for (int i = 0; i < Lanes::kCount; ++i) {
            to[i] = static_cast<float>(static_cast<std::int32_t>(a[i] >> 8)) * 0x1p-24f;
            to[i + 16] = static_cast<float>(static_cast<std::int32_t>(b[i] >> 8)) * 0x1p-24f;
        }
    });
}

// Box and Muller.
void normal(float* out, Size n) {
    draw(out, n, [](const std::uint32_t* a, const std::uint32_t* b, float* to) {
        for (int i = 0; i < Lanes::kCount; ++i) {
            const float u = static_cast<float>(static_cast<std::int32_t>(a[i] >> 8) + 1) * 0x1p-24f;
            const float angle =
                static_cast<float>(static_cast<std::int32_t>(b[i])) * 0x1.921fb6p-30f;
            const float length = std::sqrt(-2 * std::log(u));
            to[i] = length * std::cos(angle);
            to[i + 16] = length * std::sin(angle);
        }
    });
}

// Returns how many there are.
Size compress(const float* x, const std::uint8_t* mask, float* out, Size n) {
    const int threads = omp_get_max_threads();
    std::vector<Size> counts(static_cast<std::size_t>(threads) + 1);
#pragma omp parallel num_threads(threads)
    {
        const int own = omp_get_thread_num();
        const auto [begin, end] = part_of(n, own, threads);
        Size count = 0;
        for (Size i = begin; i < end; ++i) count += mask[i];
        counts[static_cast<std::size_t>(own) + 1] = count;
#pragma omp barrier
#pragma omp single
        std::partial_sum(counts.begin(), counts.end(), counts.begin());
        Size place = counts[static_cast<std::size_t>(own)];
        for (Size i = begin; i < end; ++i) {
            if (mask[i] != 0) out[place++] = x[i];
        }
    }
    return counts.back();
}

void gather(const float* x, const std::int64_t* index, float* out, Size n) {
#pragma omp parallel for schedule(static)
    for (Size i = 0; i < n; ++i) out[i] = x[index[i]];
}

void take_rows(const float* x, const std::int64_t* index, float* out, Size rows, Size width) {
#pragma omp parallel for schedule(static)
    for (Size row = 0; row < rows; ++row) {
        std::copy_n(x + index[row] * width, width, out + row * width);
    }
}

void sort_float32(const float* x, float* out, Size n) {
    std::copy_n(x, n, out);
    __gnu_parallel::sort(out, out + n);
}
void sort_int64(const std::int64_t* x, std::int64_t* out, Size n) {
    std::copy_n(x, n, out);
    __gnu_parallel::sort(out, out + n);
}

void argsort(const std::int64_t* x, std::int64_t* out, Size n) {
    std::iota(out, out + n, std::int64_t{0});
    __gnu_parallel::stable_sort(out, out + n,
                                [x](std::int64_t a, std::int64_t b) { return x[a] < x[b]; });
}

Size unique(const std::int64_t* x, std::int64_t* out, Size n) {
    std::copy_n(x, n, out);
    __gnu_parallel::sort(out, out + n);
    return std::unique(out, out + n) - out;
}

// Of numbers in [0, 1]; several tables, so that equal neighbours do not wait for each other.
void histogram(const float* x, std::int64_t* out, Size n, Size bins) {
    constexpr int kTables = 4;
    std::fill_n(out, bins, 0);
#pragma omp parallel
    {
        std::vector<std::int64_t> tables(static_cast<std::size_t>(kTables * (bins + 1)));
        const auto [begin, end] = part_of(n, omp_get_thread_num(), omp_get_num_threads());
        const auto scale = static_cast<float>(bins);
        for (Size i = begin; i < end; ++i) {
            const auto bin = static_cast<Size>(x[i] * scale);
            ++tables[static_cast<std::size_t>((i % kTables) * (bins + 1) + bin)];
        }
#pragma omp critical
        for (Size table = 0; table < kTables; ++table) {
            for (Size bin = 0; bin <= bins; ++bin) {
                out[std::min(bin, bins - 1)] +=
                    tables[static_cast<std::size_t>(table * (bins + 1) + bin)];
            }
        }
    }
}

void spmv(const std::int32_t* starts, const std::int32_t* columns, const double* values,
          const double* x, double* y, Size rows) {
    multiply(starts, columns, values, x, y, rows);
}

// `steps` iterations of the method of conjugate gradients, from zeros.
void cg(const std::int32_t* starts, const std::int32_t* columns, const double* values,
        const double* b, double* x, Size rows, Size steps) {
    const auto n = static_cast<std::size_t>(rows);
    std::vector<double> r(b, b + rows), p(r), q(n);
    std::fill_n(x, rows, 0.0);
    double rho = dot(r.data(), r.data(), rows);
    for (Size step = 0; step < steps; ++step) {
        multiply(starts, columns, values, p.data(), q.data(), rows);
        const double alpha = rho / dot(p.data(), q.data(), rows);
        double next = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : next)
        for (Size i = 0; i < rows; ++i) {
            x[i] += alpha * p[static_cast<std::size_t>(i)];
            r[static_cast<std::size_t>(i)] -= alpha * q[static_cast<std::size_t>(i)];
            next += r[static_cast<std::size_t>(i)] * r[static_cast<std::size_t>(i)];
        }
        const double beta = next / rho;
        rho = next;
#pragma omp parallel for simd schedule(static)
        for (Size i = 0; i < rows; ++i) {
            p[static_cast<std::size_t>(i)] =
                r[static_cast<std::size_t>(i)] + beta * p[static_cast<std::size_t>(i)];
        }
    }
}

}  // extern "C"
