// Gaussian elimination without pivots, a column at a time: one kernel for the multipliers of the rows
// below, one for those rows and the right-hand side, then the back substitution by a single thread.

__global__ void multipliers(float *factor, const float *matrix, int n, int pivot)
{
	int below = blockIdx.x * blockDim.x + threadIdx.x + pivot + 1;
	if (below < n)
		*(factor + below * n + pivot) = *(matrix + below * n + pivot) / *(matrix + pivot * n + pivot);
}

__global__ void eliminate(const float *factor, float *matrix, float *rhs, int n, int pivot)
{
	int row = blockIdx.x * blockDim.x + threadIdx.x + pivot + 1;
	int col = blockIdx.y * blockDim.y + threadIdx.y + pivot;
	if (row >= n || col >= n) return;

	float f = factor[row * n + pivot];
	matrix[row * n + col] -= f * matrix[pivot * n + col];
	if (col == pivot) rhs[row] -= f * rhs[pivot];
}

__global__ void substitute_back(const float *matrix, const float *rhs, float *x, int n)
{
	int row, col;
	for (row = n - 1; row >= 0; row--) {
		float rest = rhs[row];
		for (col = row + 1; col < n; col++) rest -= matrix[row * n + col] * x[col];
		x[row] = rest / matrix[row * n + row];
	}
}
