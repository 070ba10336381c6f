// kernel<<<...>>>(...) in device code. The front end writes it as
// nested_kernel<type, &kernel>::launch(nested_config(line, ...), arguments...), inside a local
// struct: there clang lets a kernel be named.
#pragma once

#ifdef __WARPWISE_CPU__

namespace __ww {

// NestedRecord of abi.hpp, with space for the packed arguments.
template <size_t bytes>
struct nested_record {
    uint32_t line, grid[3], block[3], shared_bytes, is_tail, argument_bytes;
    alignas(16) char arguments[bytes == 0 ? 1 : bytes];
};

struct nested_config {
    __host__ __device__ nested_config(uint32_t line, dim3 grid, dim3 block, size_t shared_bytes = 0,
                                      cudaStream_t stream = nullptr)
        : line(line), grid(grid), block(block), shared_bytes(shared_bytes), stream(stream) {}
    uint32_t line;
    dim3 grid, block;
    size_t shared_bytes;
    cudaStream_t stream;
};

// Where the next parameter of a packed argument buffer lies.
constexpr __WW_BOTH size_t nested_place(size_t end, size_t alignment) {
    return (end + alignment - 1) / alignment * alignment;
}
template <class... P>
struct nested_size {
    static constexpr __WW_BOTH size_t behind(size_t end) { return end; }
};
template <class First, class... Rest>
struct nested_size<First, Rest...> {
    static constexpr __WW_BOTH size_t behind(size_t end) {
        return nested_size<Rest...>::behind(nested_place(end, alignof(First)) + sizeof(First));
    }
};

// What arguments of these types are as parameters, for a template that is named without its own.
template <class... A>
void (*nested_pointer(A...))(A...);

template <class Pointer, Pointer kernel>
struct nested_kernel;
template <class... P, void (*kernel)(P...)>
struct nested_kernel<void (*)(P...), kernel> {
    static constexpr void (*address)(P...) = kernel;

    static __WW_BOTH void launch(nested_config config, P... arguments) {
        nested_record<nested_size<P...>::behind(0)> record = {
            config.line,
            {config.grid.x, config.grid.y, config.grid.z},
            {config.block.x, config.block.y, config.block.z},
            static_cast<uint32_t>(config.shared_bytes > 0xffffffffu ? 0xffffffffu
                                                                    : config.shared_bytes),
            config.stream == cudaStreamTailLaunch,
            static_cast<uint32_t>(nested_size<P...>::behind(0)),
            {}};
        size_t end = 0;
        const int done[] = {0, (end = pack(record.arguments, end, arguments), 0)...};
        (void)done;
        (void)end;
        __ww_nested_launch(reinterpret_cast<const char*>(address), &record);
    }

  private:
    template <class T>
    static __WW_BOTH size_t pack(char* arguments, size_t end, const T& value) {
        const size_t place = nested_place(end, alignof(T));
        __builtin_memcpy(arguments + place, &value, sizeof(T));
        return place + sizeof(T);
    }
};

}  // namespace __ww

#endif
