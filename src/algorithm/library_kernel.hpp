// Kernels of the library's own that are templates of device headers: instantiated by a few lines of
// text, compiled, and kept by text and device.
//
// Threading: from any thread, without a lock of the caller's: what is new is compiled.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "warpwise/dtype.hpp"
#include "warpwise/export.hpp"

namespace warpwise::runtime {
class Context;
class KernelState;
}  // namespace warpwise::runtime

namespace warpwise::algorithm {

struct LibraryText {
    std::string_view name;    // of the kernel
    std::string_view header;  // "warpwise_library_scan.h"
    // A letter for each parameter a0, a1, ...: r is a pointer to what is read, w one to what is
    // written, n a number of 64 bits.
    std::string_view parameters;
    std::string body;
    int threads = 256;  // of a block
    // Of a multiprocessor at least: bounds the registers of a thread. 0: as many as there are.
    int resident_blocks = 0;
};

// "256", or "512, 2": what __launch_bounds__() takes.
std::string launch_bounds(int threads, int resident_blocks);

// Throws CompileError for a defect of the text, OutOfMemoryError, DeviceError.
std::shared_ptr<runtime::KernelState> library_kernel(const LibraryText& text,
                                                     std::initializer_list<Kind> kinds,
                                                     runtime::Context& context);

// The type of an element in device code: "float", "__ww_half".
std::string_view device_type(Kind kind) noexcept;

// Whether a block of the device is best a single thread: processors.
bool is_serial(const runtime::Context& context) noexcept;

// For tests: whether the CPU device takes the forms of GPUs too (off at first); returns what it
// was. And the texts that the process has compiled, for any device.
WARPWISE_API bool set_block_forms(bool always) noexcept;
WARPWISE_API std::vector<std::string> library_sources();

}  // namespace warpwise::algorithm
