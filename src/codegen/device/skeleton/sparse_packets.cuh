// Sparse matrices in packets: a block's part of the vector lies in shared memory, and entries name
// places in it by 16 bits. A row's entries are added in their order by one thread.
#pragma once

// Columns of a packet at most; as in src/sparse/packets.cpp.
#define __WW_PACKET_WINDOW 2048

template <class Index>
struct __ww_packets {
    const Index* first_rows;     // of packets
    const Index* first_columns;  // of packets, among `columns`
    const Index* columns;
    const Index* starts;  // of rows, among entries
};

template <class Result, class Index, class Value, class Vector>
__device__ void __ww_spmv_packets(const void* first_rows, const void* first_columns,
                                  const void* columns, const void* starts, const void* places,
                                  const void* values, const void* x, void* y) {
    __shared__ unsigned char memory[__WW_PACKET_WINDOW * sizeof(Result)]
        __attribute__((aligned(16)));
    Result* const window = (Result*)memory;
    const __ww_packets<Index> all = {(const Index*)first_rows, (const Index*)first_columns,
                                     (const Index*)columns, (const Index*)starts};
    const Index first = all.first_columns[blockIdx.x];
    const unsigned int count = (unsigned int)(all.first_columns[blockIdx.x + 1] - first);
    for (unsigned int i = threadIdx.x; i < count; i += blockDim.x) {
        window[i] = __ww_cast<Result>(((const Vector*)x)[all.columns[first + i]]);
    }
    __syncthreads();
    const Index end = all.first_rows[blockIdx.x + 1];
    for (Index row = all.first_rows[blockIdx.x] + threadIdx.x; row < end; row += blockDim.x) {
        Result sum = __ww_cast<Result>(0);
        for (Index k = all.starts[row]; k < all.starts[row + 1]; ++k) {
            sum = __ww_add(sum, __ww_multiply(__ww_cast<Result>(((const Value*)values)[k]),
                                              window[((const unsigned short*)places)[k]]));
        }
        ((Result*)y)[row] = sum;
    }
}
