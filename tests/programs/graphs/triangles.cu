// Triangles of a graph, counted edge by edge: the sorted neighbour lists of both ends are merged, or
// the shorter one is looked up in the longer one by bisection.

template <bool Bisect>
__global__ void count_triangles(const int* __restrict__ row, const int* __restrict__ col,
                                const int2* __restrict__ edges, int num_edges,
                                unsigned long long* total) {
  __shared__ unsigned int block_total;
  if (!threadIdx.x) block_total = 0u;
  __syncthreads();

  unsigned int mine = 0;
  for (int e = blockIdx.x * blockDim.x + threadIdx.x; e < num_edges; e += blockDim.x * gridDim.x) {
    const int2 uv = __ldg(&edges[e]);
    int i = row[uv.x], i_end = row[uv.x + 1];
    int j = row[uv.y], j_end = row[uv.y + 1];
    if (Bisect) {
      if (i_end - i > j_end - j) {
        int t = i; i = j; j = t;
        t = i_end; i_end = j_end; j_end = t;
      }
      for (; i < i_end; ++i) {
        const int wanted = col[i];
        int lo = j, hi = j_end;
        while (lo < hi) {
          const int mid = (lo + hi) >> 1;
          if (col[mid] < wanted) lo = mid + 1; else hi = mid;
        }
        mine += (lo < j_end && col[lo] == wanted);
      }
    } else {
      while (i < i_end && j < j_end) {
        const int a = col[i], b = col[j];
        mine += a == b;
        i += a <= b;
        j += b <= a;
      }
    }
  }
  atomicAdd(&block_total, mine);
  __syncthreads();
  if (threadIdx.x == 0 && block_total) atomicAdd(total, (unsigned long long)block_total);
}
