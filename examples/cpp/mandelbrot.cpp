// The Mandelbrot set, written as a picture: mandelbrot [FILE.pgm].
//
// Checked by known properties of the set: it is symmetric about the real axis, contains the origin,
// and does not contain the corners of the picture.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "warpwise/warpwise.hpp"

namespace ww = warpwise;

constexpr const char* kSource = R"(
__global__ void mandelbrot(unsigned char *picture, int width, int height, int steps)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= width || row >= height) return;
    double cx = -2.25 + 3.0 * column / (width - 1), cy = 1.25 * (2 * row - height + 1) / (height - 1);
    double x = 0, y = 0;
    int step = 0;
    while (step < steps && x * x + y * y <= 4) {
        double next = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = next;
        ++step;
    }
    picture[row * width + column] = step == steps ? 0 : 255 - 255 * step / steps;
}
)";

constexpr int kWidth = 480, kHeight = 400, kSteps = 200;

static bool write_picture(const char* name, const std::vector<std::uint8_t>& picture) {
    std::FILE* const file = std::fopen(name, "wb");
    if (file == nullptr) return false;
    std::fprintf(file, "P5\n%d %d\n255\n", kWidth, kHeight);
    const bool is_written = std::fwrite(picture.data(), 1, picture.size(), file) == picture.size();
    return std::fclose(file) == 0 && is_written;
}

static bool is_right(const std::vector<std::uint8_t>& picture) {
    for (int row = 0; row < kHeight; ++row) {
        for (int column = 0; column < kWidth; ++column) {
            const int mirrored = (kHeight - 1 - row) * kWidth + column;
            if (picture[row * kWidth + column] != picture[mirrored]) return false;
        }
    }
    const int origin = (kHeight / 2) * kWidth + static_cast<int>(2.25 / 3.0 * (kWidth - 1));
    return picture[origin] == 0 && picture.front() > 200 && picture.back() > 200;
}

int main(int argc, char** argv) {
    std::vector<std::uint8_t> picture(kWidth * kHeight);
    const ww::SourceModule module(kSource, {.name = "mandelbrot.cu"});
    ww::Buffer pixels = ww::mem_alloc(picture.size());
    module.get_function("mandelbrot")(
        {.grid = {(kWidth + 15) / 16, (kHeight + 15) / 16}, .block = {16, 16}}, pixels, kWidth,
        kHeight, kSteps);
    pixels.copy_to(picture.data(), picture.size());

    if (!is_right(picture)) {
        std::puts("this is not the Mandelbrot set");
        return 1;
    }
    const char* const name = argc > 1 ? argv[1] : "mandelbrot.pgm";
    if (!write_picture(name, picture)) {
        std::printf("%s cannot be written\n", name);
        return 1;
    }
    std::printf("%s: %d x %d\n", name, kWidth, kHeight);
    return 0;
}
