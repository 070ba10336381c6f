// Cuckoo hashing: insertion exchanges entries by atomicExch, what was evicted moves on to its next hash
// function; a chain that grows too long is counted as a failure.

#define WAYS 4
#define VACANT 0xffffffffu

typedef unsigned long long int Entry;  // the key above, the value below

struct Hashes { uint2 factor[WAYS]; };

__device__ __forceinline__ unsigned place_of(const uint2 &f, unsigned key, unsigned size)
{
	const Entry mixed = (Entry)(f.x ^ key) + f.y;
	return (unsigned)(mixed % 334214459u) % size;
}

__global__ void put_all(Entry *entries, unsigned size, const unsigned *keys, const unsigned *values,
                        unsigned n, Hashes hashes, int patience, unsigned *failures)
{
	const unsigned block = blockIdx.y * gridDim.x + blockIdx.x;
	const unsigned me = block * blockDim.x + threadIdx.x;
	if (me >= n) return;
	Entry homeless = ((Entry)keys[me] << 32) | values[me];
	unsigned place = place_of(hashes.factor[0], keys[me], size);

	while (patience-- > 0) {
		homeless = atomicExch(entries + place, homeless);
		const unsigned key = homeless >> 32;
		if (key == VACANT) return;

		// The function after the one that gave this place; the last is followed by the first.
		unsigned way = 0;
#pragma unroll
		for (int i = WAYS - 1; i >= 0; i--)
			if (place_of(hashes.factor[i], key, size) == place) way = (i + 1) % WAYS;
		place = place_of(hashes.factor[way], key, size);
	}
	atomicInc(failures, ~0u);
}

__global__ void get_all(const Entry *entries, unsigned size, const unsigned *keys, unsigned n,
                        Hashes hashes, unsigned *values)
{
	const unsigned me = threadIdx.x + __umul24(blockIdx.x, blockDim.x);
	if (me >= n) return;
	values[me] = VACANT;
	for (int i = 0; i < WAYS; i++) {
		const Entry e = entries[place_of(hashes.factor[i], keys[me], size)];
		if ((unsigned)(e >> 32) != keys[me]) continue;
		values[me] = (unsigned)e;
		break;
	}
}
