// Products of matrices in C order. Each element of the result is the sum of products in the order
// of the inner index, whatever the form, so that all devices compute the same bits.
#pragma once

// The matrices of one launch: c = a * b, `rows` x `inner` and `inner` x `columns`, one behind the
// other for a batch, or the same (step 0).
struct __ww_product_shape {
    long long rows, inner, columns;
    long long a_step, b_step;  // elements from one matrix of the batch to the next
};

// T: of memory; W: sums are of it.
template <class T, class W>
struct __ww_matrix_product {
    // Of processors: threads are columns, each with a few rows, so that rows of b are read in
    // order.
    static constexpr int kColumns = 64;
    static constexpr int kRows = 8;

    static __device__ __forceinline__ W widen(T value) { return __ww_cast<W>(value); }

    static __device__ __forceinline__ void by_columns(const void* a_memory, const void* b_memory,
                                                      void* c_memory,
                                                      const __ww_product_shape& shape) {
        const long long tiles_along = (shape.columns + kColumns - 1) / kColumns;
        const long long tiles_down = (shape.rows + kRows - 1) / kRows;
        const long long tile = blockIdx.x % (tiles_along * tiles_down);
        const long long batch = blockIdx.x / (tiles_along * tiles_down);
        const long long first_row = tile / tiles_along * kRows;
        const long long column = tile % tiles_along * kColumns + threadIdx.x;
        if (column >= shape.columns) return;
        const T* const a = (const T*)a_memory + batch * shape.a_step;
        const T* const b = (const T*)b_memory + batch * shape.b_step + column;
        T* const c = (T*)c_memory + batch * shape.rows * shape.columns + column;
        const T* row[kRows];
        W sum[kRows];
#pragma unroll
        for (int r = 0; r < kRows; ++r) {
            const long long inside =
                first_row + r < shape.rows ? first_row + r : shape.rows - 1;  // not stored
            row[r] = a + inside * shape.inner;
            sum[r] = W{};
        }
        for (long long k = 0; k < shape.inner; ++k) {
            const W factor = widen(b[k * shape.columns]);
#pragma unroll
            for (int r = 0; r < kRows; ++r) {
                sum[r] = __ww_add(sum[r], __ww_multiply(widen(row[r][k]), factor));
            }
        }
#pragma unroll
        for (int r = 0; r < kRows; ++r) {
            if (first_row + r >= shape.rows) continue;
            c[(first_row + r) * shape.columns] = __ww_cast<T>(sum[r]);
        }
    }

    // Of GPUs: 256 threads compute a tile of 64 x 64, 4 x 4 each, from parts of both factors in
    // shared memory.
    static constexpr int kTile = 64;
    static constexpr int kDepth = 16;
    static constexpr int kEach = 4;
    static constexpr int kThreads = 256;

    static __device__ __forceinline__ void by_tiles(const void* a_memory, const void* b_memory,
                                                    void* c_memory,
                                                    const __ww_product_shape& shape) {
        __shared__ T a_part[kDepth][kTile + 1];
        __shared__ T b_part[kDepth][kTile];
        const long long tiles_along = (shape.columns + kTile - 1) / kTile;
        const long long tiles_down = (shape.rows + kTile - 1) / kTile;
        const long long tile = blockIdx.x % (tiles_along * tiles_down);
        const long long batch = blockIdx.x / (tiles_along * tiles_down);
        const long long first_row = tile / tiles_along * kTile;
        const long long first_column = tile % tiles_along * kTile;
        const T* const a = (const T*)a_memory + batch * shape.a_step;
        const T* const b = (const T*)b_memory + batch * shape.b_step;
        const int row = (int)threadIdx.x / (kTile / kEach);
        const int column = (int)threadIdx.x % (kTile / kEach);
        W sum[kEach][kEach];
#pragma unroll
        for (int i = 0; i < kEach; ++i) {
#pragma unroll
            for (int j = 0; j < kEach; ++j) sum[i][j] = W{};
        }
        for (long long start = 0; start < shape.inner; start += kDepth) {
            for (int i = (int)threadIdx.x; i < kTile * kDepth; i += kThreads) {
                const long long r = first_row + i / kDepth;
                const long long k = start + i % kDepth;
                const bool is_inside = r < shape.rows && k < shape.inner;
                a_part[i % kDepth][i / kDepth] = is_inside ? a[r * shape.inner + k] : T{};
            }
            for (int i = (int)threadIdx.x; i < kTile * kDepth; i += kThreads) {
                const long long k = start + i / kTile;
                const long long j = first_column + i % kTile;
                const bool is_inside = k < shape.inner && j < shape.columns;
                b_part[i / kTile][i % kTile] = is_inside ? b[k * shape.columns + j] : T{};
            }
            __syncthreads();
            const int depth = shape.inner - start < kDepth ? (int)(shape.inner - start) : kDepth;
            for (int k = 0; k < depth; ++k) {
                W left[kEach], right[kEach];
#pragma unroll
                for (int i = 0; i < kEach; ++i) {
                    left[i] = widen(a_part[k][row + i * (kTile / kEach)]);
                    right[i] = widen(b_part[k][column + i * (kTile / kEach)]);
                }
#pragma unroll
                for (int i = 0; i < kEach; ++i) {
#pragma unroll
                    for (int j = 0; j < kEach; ++j) {
                        sum[i][j] = __ww_add(sum[i][j], __ww_multiply(left[i], right[j]));
                    }
                }
            }
            __syncthreads();
        }
        T* const c = (T*)c_memory + batch * shape.rows * shape.columns;
#pragma unroll
        for (int i = 0; i < kEach; ++i) {
            const long long r = first_row + row + i * (kTile / kEach);
#pragma unroll
            for (int j = 0; j < kEach; ++j) {
                const long long at = first_column + column + j * (kTile / kEach);
                if (r < shape.rows && at < shape.columns) {
                    c[r * shape.columns + at] = __ww_cast<T>(sum[i][j]);
                }
            }
        }
    }
};
