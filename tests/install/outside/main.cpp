// Uses the installed headers and library: memory, a stream and an error on the CPU device.
#include <cstdio>
#include <cstring>
#include <numeric>
#include <vector>
#include <warpwise/warpwise.hpp>

namespace ww = warpwise;

int main() {
    const ww::Device cpu("cpu");
    const ww::DeviceScope scope(cpu);
    std::vector<int> in(1000), out(1000);
    std::iota(in.begin(), in.end(), 0);
    const std::size_t bytes = in.size() * sizeof(int);

    const ww::CompileOptions options{.options = {"-DN=4"}, .name = "scale.cu"};
    const ww::KernelText text{.name = "scale"};
    const ww::Slice part{.start = 1};
    if (!options.include_dirs.empty() || !text.preamble.empty() || part.stop) return 1;

    const ww::Stream stream;
    ww::Buffer buffer = ww::mem_alloc(bytes, stream);
    buffer.copy_from_async(in.data(), bytes, stream);
    buffer.copy_to_async(out.data(), bytes, stream);
    stream.synchronize();
    if (out != in) {
        std::puts("the copy differs");
        return 1;
    }
    try {
        buffer.copy_to(out.data(), bytes + 1);
    } catch (const ww::ArgumentError& error) {
        std::printf("warpwise %s on %s; refused: %s\n", ww::version(), cpu.name().c_str(),
                    error.what());
        return std::strlen(ww::version()) > 0 ? 0 : 1;
    }
    std::puts("a copy past the end was taken");
    return 1;
}
