// A search for a number of given digits by its MD5 digest, the block built in registers; the four
// rounds are templates over their function.
typedef unsigned int word;

__constant__ word sines[64];
__device__ const unsigned char turns[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};

template <int Round> __device__ word mix(word b, word c, word d);
template <> __device__ word mix<0>(word b, word c, word d) { return (b & c) | (~b & d); }
template <> __device__ word mix<1>(word b, word c, word d) { return (d & b) | (~d & c); }
template <> __device__ word mix<2>(word b, word c, word d) { return b ^ c ^ d; }
template <> __device__ word mix<3>(word b, word c, word d) { return c ^ (b | ~d); }

template <int Round>
__device__ void quarter(word (&s)[4], const word *block)
{
    const int factor[] = {1, 5, 3, 7}, first[] = {0, 1, 5, 0};
    for (int i = 0; i < 16; i++) {
        const word in = block[(factor[Round] * i + first[Round]) & 15];
        const word sum = s[0] + mix<Round>(s[1], s[2], s[3]) + sines[16 * Round + i] + in;
        const int turn = turns[Round][i & 3];
        const word b = s[1] + ((sum << turn) | (sum >> (32 - turn)));
        s[0] = s[3];
        s[3] = s[2];
        s[2] = s[1];
        s[1] = b;
    }
}

__device__ uint4 md5_of_block(const word *block)
{
    word s[4] = {0x67452301u, 0xefcdab89u, 0x98badcfeu, 0x10325476u};
    quarter<0>(s, block);
    quarter<1>(s, block);
    quarter<2>(s, block);
    quarter<3>(s, block);
    return make_uint4(s[0] + 0x67452301u, s[1] + 0xefcdab89u, s[2] + 0x98badcfeu, s[3] + 0x10325476u);
}

__device__ bool operator==(const uint4 &a, const uint4 &b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w;
}

__global__ void search_digits(uint4 wanted, int digits, unsigned first, unsigned count, int *found)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    word block[16] = {0};
    unsigned char *text = (unsigned char *)block;
    unsigned rest = first + i;
    for (int d = digits - 1; d >= 0; d--, rest /= 10) text[d] = '0' + rest % 10;
    text[digits] = 0x80;
    block[14] = 8 * digits;
    if (md5_of_block(block) == wanted) *found = first + i;
}
