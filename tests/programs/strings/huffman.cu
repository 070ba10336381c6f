// Decoding Huffman codes: blocks of symbols start at known bits and are decoded one a thread with a
// canonical table (first code and first index of each length); bits are read most significant first.
typedef unsigned int u32;

struct CanonicalTable {
    u32 first_code[17];
    u32 first_index[17];
    u32 count[17];
    unsigned char symbols[256];
};

class BitReader {
    const u32 *words_;
    u32 bit_;
public:
    __device__ BitReader(const u32 *words, u32 bit) : words_(words), bit_(bit) {}
    __device__ u32 next()
    {
        const u32 b = (words_[bit_ >> 5] >> (31 - (bit_ & 31))) & 1u;
        bit_++;
        return b;
    }
    // Sixteen bits from the present place, without taking them.
    __device__ u32 peek16() const
    {
        const u32 w = bit_ >> 5;
        return __funnelshift_l(words_[w + 1], words_[w], bit_ & 31) >> 16;
    }
    __device__ void skip(u32 bits) { bit_ += bits; }
};

__global__ void huffman_by_bits(const u32 *words, const u32 *starts, int blocks, CanonicalTable t,
                                unsigned char *out, int per_block, int total)
{
    const int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= blocks) return;
    BitReader in(words, starts[b]);
    const int end = min(total, (b + 1) * per_block);
    for (int i = b * per_block; i < end; i++) {
        u32 code = 0, length = 0;
        do {
            code = (code << 1) | in.next();
            length++;
        } while (code - t.first_code[length] >= t.count[length]);
        out[i] = t.symbols[t.first_index[length] + code - t.first_code[length]];
    }
}

__global__ void huffman_by_peek(const u32 *words, const u32 *starts, int blocks,
                                const CanonicalTable *table, unsigned char *out, int per_block, int total)
{
    __shared__ CanonicalTable t;
    u32 *to = reinterpret_cast<u32 *>(&t);
    const u32 *from = reinterpret_cast<const u32 *>(table);
    for (int i = threadIdx.x; i < sizeof t / sizeof(u32); i += blockDim.x) to[i] = from[i];
    __syncthreads();
    const int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= blocks) return;
    BitReader in(words, starts[b]);
    for (int i = b * per_block; i < total && i < (b + 1) * per_block; i++) {
        const u32 ahead = in.peek16();
        for (u32 length = 1; length <= 16; length++) {
            const u32 offset = (ahead >> (16 - length)) - t.first_code[length];
            if (offset < t.count[length]) {
                out[i] = t.symbols[t.first_index[length] + offset];
                in.skip(length);
                break;
            }
        }
    }
}
