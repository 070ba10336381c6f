"""The Mandelbrot set, written as a picture: every pixel is a thread, and neighbours exit their
loops at different times. `python mandelbrot.py [FILE.png]`."""

import struct
import sys
import zlib
from pathlib import Path

import numpy as np
import numpy.typing as npt

import warpwise as ww

SOURCE = r"""
__global__ void mandelbrot(unsigned char *pixels, int width, int height, int limit)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;

    float c_re = -2.2f + 3.2f * x / width;
    float c_im = -1.2f + 2.4f * y / height;
    float re = 0.0f, im = 0.0f;
    int steps = 0;
    while (steps < limit && re * re + im * im < 4.0f) {
        float next = re * re - im * im + c_re;
        im = 2.0f * re * im + c_im;
        re = next;
        ++steps;
    }
    pixels[y * width + x] = steps == limit ? 0 : 255 - 255 * steps / limit;
}
"""
KERNEL = "mandelbrot"
WIDTH, HEIGHT, LIMIT = 640, 480, 100


def compute(mandelbrot: ww.Kernel) -> npt.NDArray[np.uint8]:
    pixels = np.empty((HEIGHT, WIDTH), dtype=np.uint8)
    grid = (-(-WIDTH // 16), -(-HEIGHT // 16))
    mandelbrot[grid, (16, 16)](ww.Out(pixels), WIDTH, HEIGHT, LIMIT)
    return pixels


def is_right(pixels: npt.NDArray[np.uint8]) -> bool:
    """Whether NumPy finds the same points inside, except for a few at the edge of the set, where
    the two round differently."""
    x, y = np.meshgrid(np.arange(WIDTH), np.arange(HEIGHT))
    c = (-2.2 + 3.2 * x / WIDTH) + 1j * (-1.2 + 2.4 * y / HEIGHT)
    z = np.zeros_like(c)
    inside = np.ones(c.shape, dtype=bool)
    for _ in range(LIMIT):
        z[inside] = z[inside] ** 2 + c[inside]
        inside &= np.abs(z) < 2
    return bool(((pixels == 0) != inside).mean() < 0.002)


def write_png(path: Path, pixels: npt.NDArray[np.uint8]) -> None:
    """A grey picture in the PNG format: three chunks, rows compressed by zlib."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    height, width = pixels.shape
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    chunks = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunks)


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path("mandelbrot.png")
    module = ww.SourceModule(SOURCE, name="mandelbrot.cu")
    write_png(target, compute(module.get_function(KERNEL)))
    print("written to", target)
