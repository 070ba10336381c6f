// Conway's game of life on a torus: a byte a cell through a shared tile with a halo, and 32 cells a
// word with bit-parallel adders.
#define TX 16
#define TY 8

__global__ void life_bytes(const unsigned char *now, unsigned char *then, int w, int h)
{
	__shared__ unsigned char cell[TY + 2][TX + 2];
	int x0 = blockIdx.x * TX - 1, y0 = blockIdx.y * TY - 1;

	for (int i = threadIdx.y * TX + threadIdx.x; i < (TX + 2) * (TY + 2); i += TX * TY) {
		int cx = i % (TX + 2), cy = i / (TX + 2);
		cell[cy][cx] = now[(y0 + cy + h) % h * w + (x0 + cx + w) % w];
	}
	__syncthreads();

	int x = threadIdx.x + 1, y = threadIdx.y + 1;
	if (x0 + x >= w || y0 + y >= h) return;
	int alive = cell[y - 1][x - 1] + cell[y - 1][x] + cell[y - 1][x + 1] + cell[y][x - 1] +
	            cell[y][x + 1] + cell[y + 1][x - 1] + cell[y + 1][x] + cell[y + 1][x + 1];
	then[(y0 + y) * w + x0 + x] = alive == 3 || (alive == 2 && cell[y][x]) ? 1 : 0;
}

// Bit k of word i is the cell 32 i + k of its row; rows have a whole number of words.
__global__ void life_bits(const unsigned *now, unsigned *then, int words, int h)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
	if (i >= words) return;
	unsigned ones = 0, twos = 0, fours = 0, self = 0;
	for (int dy = -1; dy <= 1; dy++) {
		const unsigned *row = now + (y + dy + h) % h * words;
		const unsigned mid = row[i];
		const unsigned before = __funnelshift_l(row[(i + words - 1) % words], mid, 1);
		const unsigned after = __funnelshift_r(mid, row[(i + 1) % words], 1);
		if (dy == 0) self = mid;
#pragma unroll
		for (int k = 0; k < 3; k++) {
			unsigned add = k == 0 ? before : k == 1 ? after : dy ? mid : 0u;
			unsigned carry = ones & add;
			ones ^= add;
			fours |= twos & carry;
			twos ^= carry;
		}
	}
	// Sums of four to eight have `fours` set, or wrapped through it: it is never cleared.
	then[y * words + i] = twos & ~fours & (ones | self);
}
