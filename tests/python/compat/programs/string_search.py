"""A PyCUDA program: where a word is in a text of bytes, the word in constant memory."""

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

module = SourceModule(
    """
__constant__ unsigned char word[16];
__device__ unsigned int found;

__global__ void search(const unsigned char *text, int length, int size, int *places)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + size > length) return;
    for (int k = 0; k < size; ++k) if (text[i + k] != word[k]) return;
    places[atomicAdd(&found, 1u)] = i;
}
"""
)
rng = np.random.default_rng(36)
text = bytes(rng.choice(list(b"abcn "), 20_000).astype(np.uint8))
letters = np.frombuffer(text, np.uint8)
word_address, word_size = module.get_global("word")
found_address, found_size = module.get_global("found")
assert (word_size, found_size) == (16, 4)
search, memory = module.get_function("search"), cuda.to_device(letters)
for word in (b"ban", b"can a", b"a", b"xyz"):
    cuda.memcpy_htod(word_address, np.frombuffer(word.ljust(16, b"\0"), np.uint8))
    cuda.memset_d32(found_address, 0, 1)
    places = np.full(len(text), -1, np.int32)
    search(
        memory, np.int32(len(text)), np.int32(len(word)), cuda.InOut(places),
        block=(128, 1, 1), grid=(-(-len(text) // 128), 1),
    )  # fmt: skip
    count = np.zeros(1, np.uint32)
    cuda.memcpy_dtoh(count, found_address)
    expected = [at for at in range(len(text)) if text.startswith(word, at)]
    assert sorted(places[: count[0]].tolist()) == expected
    print(word.decode(), count[0], expected[:3])
print("done")
