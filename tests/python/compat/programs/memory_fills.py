"""A PyCUDA program: memory filled with bytes and words, copied within the device, in parts."""

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda

N = 1024
memory, other = cuda.mem_alloc(4 * N), cuda.mem_alloc(4 * N)
words = np.empty(N, np.uint32)
cuda.memset_d32(memory, 0xDEADBEEF, N)
cuda.memcpy_dtoh(words, memory)
assert (words == 0xDEADBEEF).all()
cuda.memset_d16(memory, 0x1234, N)
cuda.memset_d8(int(memory) + 2 * N, 0x7F, N)
cuda.memcpy_dtoh(words, memory)
print([hex(word) for word in words[:: N // 4].tolist()])
assert (words[: N // 2] == 0x12341234).all() and (words[3 * N // 4 :] == 0xDEADBEEF).all()

cuda.memcpy_dtod(other, memory, 4 * N)
cuda.memcpy_dtod(int(other) + 4 * 100, int(memory) + 4 * 700, 4 * 50)
moved = cuda.from_device(other, (N,), np.uint32)
expected = words.copy()
expected[100:150] = words[700:750]
np.testing.assert_array_equal(moved, expected)

stream, event = cuda.Stream(), cuda.Event()
cuda.memset_d32_async(memory, 7, N, stream)
cuda.memcpy_dtod_async(other, memory, 4 * N // 2, stream)
event.record(stream)
event.synchronize()
assert event.query() and stream.is_done()
back = cuda.from_device_like(other, words)
assert (back[: N // 2] == 7).all() and (back[N // 2 :] == expected[N // 2 :]).all()

plane, pitch = cuda.mem_alloc_pitch(4 * 10, 6, 4)
cuda.memset_d2d32(plane, pitch, 3, 10, 6)
cuda.memset_d2d8(plane, pitch, 0, 4, 6)  # the first word of every row
rows = np.empty((6, 10), np.uint32)
copy = cuda.Memcpy2D()
copy.set_src_device(plane)
copy.set_dst_host(rows)
copy.src_pitch, copy.dst_pitch, copy.width_in_bytes, copy.height = pitch, 40, 40, 6
copy(aligned=True)
assert (rows[:, 0] == 0).all() and (rows[:, 1:] == 3).all() and pitch >= 40
print(int(moved.sum(dtype=np.int64)), int(back.sum(dtype=np.int64)), int(rows.sum()))
print("done")
