// Sparse matrices in compressed rows: products with vectors and dense matrices, diagonals, dense
// forms. A row's entries are added in their order by one thread, or by the lanes of a warp and then
// by halves: the same bits each time.
#pragma once

template <class Index>
struct __ww_rows {
    const Index* starts;
    const Index* columns;
    __device__ __forceinline__ __ww_rows(const void* starts, const void* columns)
        : starts((const Index*)starts), columns((const Index*)columns) {}
    __device__ __forceinline__ long long column(long long, long long k) const { return columns[k]; }
};

// Columns by their distance from the row: a matrix whose entries lie near its diagonal moves half
// as many bytes of indices.
template <class Index>
struct __ww_near_rows {
    const Index* starts;
    const short* distances;
    __device__ __forceinline__ __ww_near_rows(const void* starts, const void* distances)
        : starts((const Index*)starts), distances((const short*)distances) {}
    __device__ __forceinline__ long long column(long long row, long long k) const {
        return row + distances[k];
    }
};

// Writes the distances, and 1 to `far` where one has no place in 16 bits.
template <class Index>
__device__ void __ww_distances(const void* starts, const void* columns, void* distances, void* far,
                               long long count, long long together) {
    const __ww_rows<Index> rows(starts, columns);
    const long long first = ((long long)blockIdx.x * blockDim.x + threadIdx.x) * together;
    const long long end = first + together < count ? first + together : count;
    bool is_far = false;
    for (long long row = first; row < end; ++row) {
        for (long long k = rows.starts[row]; k < (long long)rows.starts[row + 1]; ++k) {
            const long long distance = rows.columns[k] - row;
            ((short*)distances)[k] = (short)distance;
            is_far |= distance != (short)distance;
        }
    }
    if (is_far) *(int*)far = 1;
}

// As long as blocks are threads of their own, each takes `together` rows.
template <class Result, class Rows, class Value, class Vector>
__device__ __forceinline__ Result __ww_row_product(const Rows& rows, long long row,
                                                   const Value* values, const Vector* x,
                                                   long long first, long long step) {
    Result sum = __ww_cast<Result>(0);
    const long long end = rows.starts[row + 1];
    for (long long k = rows.starts[row] + first; k < end; k += step) {
        sum = __ww_add(sum, __ww_multiply(__ww_cast<Result>(values[k]),
                                          __ww_cast<Result>(x[rows.column(row, k)])));
    }
    return sum;
}

template <class Result, class Rows, class Value, class Vector>
__device__ void __ww_spmv_threads(const void* starts, const void* columns, const void* values,
                                  const void* x, void* y, long long count, long long together) {
    const Rows rows(starts, columns);
    const long long first = ((long long)blockIdx.x * blockDim.x + threadIdx.x) * together;
    const long long end = first + together < count ? first + together : count;
    for (long long row = first; row < end; ++row) {
        ((Result*)y)[row] =
            __ww_row_product<Result>(rows, row, (const Value*)values, (const Vector*)x, 0, 1);
    }
}

// Of the threads of a block, for thread 0.
template <int kThreads, class Value>
__device__ __forceinline__ Value __ww_block_sum(Value sum) {
    __shared__ Value warps[kThreads / 32];
#pragma unroll
    for (int half = 16; half > 0; half /= 2) {
        sum = __ww_add(sum, __shfl_down_sync(0xffffffffu, sum, half));
    }
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x != 0) return sum;
    for (int warp = 1; warp < kThreads / 32; ++warp) sum = __ww_add(sum, warps[warp]);
    return sum;
}

// The same of a square matrix of real numbers, and each block's part of the inner product of x and
// y. Threads take a row each; their products are added by halves of warps, then in the order of
// warps. The same bits each time.
template <class Value, class Rows, int kThreads>
__device__ void __ww_spmv_inner(const void* starts, const void* columns, const void* values,
                                const void* x, void* y, void* inner, long long count) {
    const Rows rows(starts, columns);
    const long long row = (long long)blockIdx.x * kThreads + threadIdx.x;
    Value sum = 0;
    if (row < count) {
        const Value product =
            __ww_row_product<Value>(rows, row, (const Value*)values, (const Value*)x, 0, 1);
        ((Value*)y)[row] = product;
        sum = __ww_multiply(((const Value*)x)[row], product);
    }
    sum = __ww_block_sum<kThreads>(sum);
    if (threadIdx.x == 0) ((Value*)inner)[blockIdx.x] = sum;
}

// The same for blocks of one thread, which adds the products of its rows in 16 sums, and those by
// halves.
template <class Value, class Rows>
__device__ void __ww_spmv_inner_rows(const void* starts, const void* columns, const void* values,
                                     const void* x, void* y, void* inner, long long count,
                                     long long together) {
    constexpr int kSums = 16;
    const Value* const from = (const Value*)x;
    const Value* const to = (const Value*)y;
    __ww_spmv_threads<Value, Rows, Value, Value>(starts, columns, values, x, y, count, together);
    long long row = blockIdx.x * together;
    const long long end = row + together < count ? row + together : count;
    Value sums[kSums] = {};
    for (; row + kSums <= end; row += kSums) {
#pragma unroll
        for (int i = 0; i < kSums; ++i) {
            sums[i] = __ww_add(sums[i], __ww_multiply(from[row + i], to[row + i]));
        }
    }
    for (; row < end; ++row) sums[0] = __ww_add(sums[0], __ww_multiply(from[row], to[row]));
#pragma unroll
    for (int half = kSums / 2; half > 0; half /= 2) {
#pragma unroll
        for (int i = 0; i < half; ++i) sums[i] = __ww_add(sums[i], sums[i + half]);
    }
    ((Value*)inner)[blockIdx.x] = sums[0];
}

// Rows of a block's warps; the partial sums of lanes go through shared memory.
template <class Result, class Rows, class Value, class Vector>
__device__ void __ww_spmv_warps(const void* starts, const void* columns, const void* values,
                                const void* x, void* y, long long count) {
    __shared__ unsigned char memory[256 * sizeof(Result)] __attribute__((aligned(16)));
    Result* const own = (Result*)memory + threadIdx.x / 32 * 32;
    const Rows rows(starts, columns);
    const unsigned int lane = threadIdx.x % 32;
    const long long row = (long long)blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    own[lane] = row < count ? __ww_row_product<Result>(rows, row, (const Value*)values,
                                                       (const Vector*)x, lane, 32)
                            : __ww_cast<Result>(0);
    for (unsigned int half = 16; half > 0; half /= 2) {
        __syncwarp();
        if (lane < half) own[lane] = __ww_add(own[lane], own[lane + half]);
    }
    if (lane == 0 && row < count) ((Result*)y)[row] = own[0];
}

// y[row, column] for a dense x in C order: a thread each.
template <class Result, class Index, class Value, class Vector>
__device__ void __ww_spmm(const void* starts, const void* columns, const void* values,
                          const void* x, void* y, long long count, long long width) {
    const __ww_rows<Index> rows(starts, columns);
    const long long place = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (place >= count * width) return;
    const long long row = place / width, column = place % width;
    Result sum = __ww_cast<Result>(0);
    for (long long k = rows.starts[row]; k < (long long)rows.starts[row + 1]; ++k) {
        const Vector other = ((const Vector*)x)[rows.columns[k] * width + column];
        sum = __ww_add(sum, __ww_multiply(__ww_cast<Result>(((const Value*)values)[k]),
                                          __ww_cast<Result>(other)));
    }
    ((Result*)y)[place] = sum;
}

// Adds a row's entries to zeros; `transposed`: rows are columns of the result.
template <class Index, class Value>
__device__ void __ww_to_dense(const void* starts, const void* columns, const void* values,
                              void* dense, long long count, long long row_step,
                              long long column_step) {
    const __ww_rows<Index> rows(starts, columns);
    const long long row = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= count) return;
    for (long long k = rows.starts[row]; k < (long long)rows.starts[row + 1]; ++k) {
        Value* const place =
            (Value*)dense + row * row_step + (long long)rows.columns[k] * column_step;
        *place = __ww_add(*place, ((const Value*)values)[k]);
    }
}

// Entries (row + row_start, row + column_start); several at a place add up.
template <class Index, class Value>
__device__ void __ww_diagonal(const void* starts, const void* columns, const void* values,
                              void* diagonal, long long count, long long row_start,
                              long long column_start) {
    const __ww_rows<Index> rows(starts, columns);
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    Value sum = __ww_cast<Value>(0);
    const long long row = i + row_start;
    for (long long k = rows.starts[row]; k < (long long)rows.starts[row + 1]; ++k) {
        if ((long long)rows.columns[k] == i + column_start) {
            sum = __ww_add(sum, ((const Value*)values)[k]);
        }
    }
    ((Value*)diagonal)[i] = sum;
}

// Entry i of the result is the sum of the entries order[starts[i]] to order[starts[i + 1] - 1].
template <class Value>
__device__ void __ww_gather_sums(const void* values, const void* order, const void* starts,
                                 void* result, long long count) {
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const long long* const at = (const long long*)order;
    long long k = ((const long long*)starts)[i];
    const long long end = ((const long long*)starts)[i + 1];
    Value sum = ((const Value*)values)[at[k]];
    for (++k; k < end; ++k) sum = __ww_add(sum, ((const Value*)values)[at[k]]);
    ((Value*)result)[i] = sum;
}

// y[row, column] of blocks of kRows x kColumns, x and y in C order: a thread each, or `together`.
template <class Result, class Index, class Value, class Vector, int kRows, int kColumns>
__device__ void __ww_block_product(const void* starts, const void* columns, const void* values,
                                   const void* x, void* y, long long count, long long width,
                                   long long together) {
    const __ww_rows<Index> rows(starts, columns);
    const long long first = ((long long)blockIdx.x * blockDim.x + threadIdx.x) * together;
    const long long end = first + together < count ? first + together : count;
    for (long long place = first; place < end; ++place) {
        const long long row = width == 1 ? place : place / width, column = place - row * width;
        const long long block = row / kRows, inside = row - block * kRows;
        Result sum = __ww_cast<Result>(0);
        for (long long k = rows.starts[block]; k < (long long)rows.starts[block + 1]; ++k) {
            const Value* const own = (const Value*)values + (k * kRows + inside) * kColumns;
            const Vector* const other =
                (const Vector*)x + (long long)rows.columns[k] * kColumns * width + column;
            for (int c = 0; c < kColumns; ++c) {
                sum = __ww_add(sum, __ww_multiply(__ww_cast<Result>(own[c]),
                                                  __ww_cast<Result>(other[c * width])));
            }
        }
        ((Result*)y)[place] = sum;
    }
}

// Where a column lies among the sorted ones from `first` to `end` - 1; it is there.
template <class Index>
__device__ __forceinline__ long long __ww_place_of(const Index* columns, long long first,
                                                   long long end, Index column) {
    while (end - first > 1) {
        const long long middle = (first + end) / 2;
        if (columns[middle] <= column) {
            first = middle;
        } else {
            end = middle;
        }
    }
    return first;
}

// The values of the product of two matrices whose sorted places are known. A thread owns the rows
// that it adds to, in the order of the entries of the first matrix, then of the second.
template <class Result, class Index, class A, class B>
__device__ void __ww_sparse_product(const void* a_starts, const void* a_columns,
                                    const void* a_values, const void* b_starts,
                                    const void* b_columns, const void* b_values, const void* starts,
                                    const void* columns, void* values, long long count,
                                    long long together) {
    const __ww_rows<Index> a(a_starts, a_columns);
    const __ww_rows<Index> b(b_starts, b_columns);
    const __ww_rows<Index> c(starts, columns);
    Result* const sums = (Result*)values;
    const long long first = ((long long)blockIdx.x * blockDim.x + threadIdx.x) * together;
    const long long end = first + together < count ? first + together : count;
    for (long long row = first; row < end; ++row) {
        const long long begin = c.starts[row], behind = c.starts[row + 1];
        for (long long k = begin; k < behind; ++k) sums[k] = __ww_cast<Result>(0);
        for (long long i = a.starts[row]; i < (long long)a.starts[row + 1]; ++i) {
            const Result factor = __ww_cast<Result>(((const A*)a_values)[i]);
            const long long middle = a.columns[i];
            for (long long j = b.starts[middle]; j < (long long)b.starts[middle + 1]; ++j) {
                const long long k = __ww_place_of(c.columns, begin, behind, b.columns[j]);
                const Result other = __ww_cast<Result>(((const B*)b_values)[j]);
                sums[k] = __ww_add(sums[k], __ww_multiply(factor, other));
            }
        }
    }
}

// Solves for the unknowns `order[first]` to `order[first + count - 1]` of a triangle, one after the
// other for each of the `width` columns; a thread for each where they need not each other.
template <class Value, class Index>
__device__ void __ww_solve_triangle(const void* starts, const void* columns, const void* values,
                                    const void* inverse, const void* order, void* x,
                                    long long first, long long count, long long width,
                                    long long together) {
    const __ww_rows<Index> rows(starts, columns);
    const long long thread = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    const long long begin = thread * together;
    const long long end = begin + together < count * width ? begin + together : count * width;
    Value* const unknowns = (Value*)x;
    for (long long place = begin; place < end; ++place) {
        const long long at = width == 1 ? place : place / width, column = place - at * width;
        const long long row = ((const long long*)order)[first + at];
        Value sum = unknowns[row * width + column];
        for (long long k = rows.starts[row]; k < (long long)rows.starts[row + 1]; ++k) {
            const Value other = unknowns[(long long)rows.columns[k] * width + column];
            sum = __ww_subtract(sum, __ww_multiply(((const Value*)values)[k], other));
        }
        unknowns[row * width + column] = __ww_multiply(sum, ((const Value*)inverse)[row]);
    }
}

// y[row, column]: the product with square blocks along the diagonal, the last of which is cut.
template <class Value>
__device__ void __ww_diagonal_blocks(const void* blocks, const void* x, void* y, long long rows,
                                     long long width, long long extent) {
    const long long place = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (place >= rows * width) return;
    const long long row = place / width, column = place % width;
    const long long first = row / extent * extent;
    const long long end = first + extent < rows ? first + extent : rows;
    const Value* const own = (const Value*)blocks + row * extent;
    Value sum = __ww_cast<Value>(0);
    for (long long other = first; other < end; ++other) {
        sum = __ww_add(
            sum, __ww_multiply(own[other - first], ((const Value*)x)[other * width + column]));
    }
    ((Value*)y)[place] = sum;
}
