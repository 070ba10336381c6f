// The optional interface of a back end with a library of matrix products, opened at run time. It is
// a part of what the host or the vendor offers.
//
// Threading: every function may be called from any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "src/runtime/backend.hpp"
#include "src/runtime/host_support.hpp"
#include "src/runtime/vendor_software.hpp"
#include "warpwise/dtype.hpp"

namespace warpwise::runtime {

// A matrix in memory. Element (i, j) lies (i * stride + j) elements after the address; transposed,
// (j * stride + i).
struct Matrix {
    DeviceAddress address = 0;
    std::int64_t stride = 0;
    bool is_transposed = false;
};

// c = a b for several pairs of matrices. c is not transposed.
struct MatrixProducts {
    Kind kind = Kind::Void;  // Float32, Float64, Complex64 or Complex128
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::int64_t inner = 0;  // columns of a and rows of b; at least 1, as the other two
    Matrix a, b, c;
    // Bytes from the matrices above to those of each product: of a, of b, of c. At least one.
    std::vector<std::array<std::int64_t, 3>> offsets;
};

class BlasSupport {
  public:
    virtual ~BlasSupport() = default;
    // Whether there is a library that multiplies matrices of this kind. Opens it when first asked.
    virtual bool has_products(Kind kind) noexcept = 0;
    // The library's file; empty where there is none.
    virtual std::string library() = 0;
    // Device memory that multiply() wants besides, which lives until the queue has passed it.
    virtual std::size_t workspace_bytes(int ordinal) noexcept = 0;
    // Queues the products: sums in the matrices' own precision, never in a lower one. Throws
    // DeviceError; then nothing was queued, or what was queued only wrote c.
    virtual void multiply(int ordinal, Queue& queue, const MatrixProducts& products,
                          DeviceAddress workspace) = 0;
};

// Null where the back end has none.
inline BlasSupport* blas_of(Backend& backend) noexcept {
    if (HostSupport* const host = backend.host()) return host->blas();
    VendorSupport* const vendor = backend.vendor_software();
    return vendor != nullptr ? vendor->blas() : nullptr;
}

}  // namespace warpwise::runtime
