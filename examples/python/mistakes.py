"""What mistakes look like: each is found before or while the kernel runs, says what is wrong and
where, and the next launch works."""

import numpy as np

import warpwise as ww

BROKEN = r"""
__global__ void scale(float *x, float factor)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] *= facter;
}
"""
SOURCE = BROKEN.replace("facter", "factor")


def misspelled_name() -> None:
    ww.SourceModule(BROKEN, name="scale.cu").get_function("scale")


def wrong_type() -> None:
    scale = ww.SourceModule(SOURCE, name="scale.cu").get_function("scale")
    scale[1, 32](ww.InOut(np.zeros(32)), 2.0)


def array_without_direction() -> None:
    scale = ww.SourceModule(SOURCE, name="scale.cu").get_function("scale")
    scale[1, 32](np.zeros(32, dtype=np.float32), 2.0)


def wild_address() -> None:
    scale = ww.SourceModule(SOURCE, name="scale.cu").get_function("scale")
    scale[1, 32](ww.Pointer(64), 2.0)
    ww.Device().synchronize()


def main() -> None:
    for mistake in (misspelled_name, wrong_type, array_without_direction, wild_address):
        try:
            mistake()
        except ww.Error as error:
            print(f"--- {mistake.__name__.replace('_', ' ')}: {type(error).__name__}")
            print(error)
            print()
        else:
            raise AssertionError(f"{mistake.__name__} went unnoticed")


if __name__ == "__main__":
    main()
