// Sparse matrices in compressed rows: products with vectors and dense matrices, diagonals, dense
// forms. A row's entries are added in their order by one thread, or by the lanes of a warp and then
// by halves: the same bits each time.
#pragma once

template <class Index>
struct __ww_rows {
    const Index* starts;
    const Index* columns;
};

// As long as blocks are threads of their own, each takes `together` rows.
template <class Result, class Index, class Value, class Vector>
__device__ __forceinline__ Result __ww_row_product(const __ww_rows<Index>& rows, long long row,
                                                   const Value* values, const Vector* x,
                                                   long long first, long long step) {
    Result sum = __ww_cast<Result>(0);
    const long long end = rows.starts[row + 1];
    for (long long k = rows.starts[row] + first; k < end; k += step) {
        sum = __ww_add(sum, __ww_multiply(__ww_cast<Result>(values[k]),
                                          __ww_cast<Result>(x[rows.columns[k]])));
    }
    return sum;
}

template <class Result, class Index, class Value, class Vector>
__device__ void __ww_spmv_threads(const void* starts, const void* columns, const void* values,
                                  const void* x, void* y, long long count, long long together) {
    const __ww_rows<Index> rows = {(const Index*)starts, (const Index*)columns};
    const long long first = ((long long)blockIdx.x * blockDim.x + threadIdx.x) * together;
    const long long end = first + together < count ? first + together : count;
    for (long long row = first; row < end; ++row) {
        ((Result*)y)[row] =
            __ww_row_product<Result>(rows, row, (const Value*)values, (const Vector*)x, 0, 1);
    }
}

// Rows of a block's warps; the partial sums of lanes go through shared memory.
template <class Result, class Index, class Value, class Vector>
__device__ void __ww_spmv_warps(const void* starts, const void* columns, const void* values,
                                const void* x, void* y, long long count) {
    __shared__ unsigned char memory[256 * sizeof(Result)] __attribute__((aligned(16)));
    Result* const own = (Result*)memory + threadIdx.x / 32 * 32;
    const __ww_rows<Index> rows = {(const Index*)starts, (const Index*)columns};
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
    const __ww_rows<Index> rows = {(const Index*)starts, (const Index*)columns};
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
    const __ww_rows<Index> rows = {(const Index*)starts, (const Index*)columns};
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
    const __ww_rows<Index> rows = {(const Index*)starts, (const Index*)columns};
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
