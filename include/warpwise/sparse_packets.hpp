// Sparse matrices in packets of rows: products with vectors that read fewer bytes.
//
//   const ws::PacketedMatrix packets(a);
//   ww::Array y = packets.dot(x);
//
// The packeted form of N. Bell and M. Garland, "Efficient sparse matrix-vector multiplication on
// CUDA", 2008. A packet is some hundred rows beside each other and the list of the columns in which
// they have entries, its window. A block of threads brings the window's part of x to shared memory
// once; entries then name a place in the window by 16 bits, where compressed rows have 32 or 64. In
// place of that paper's remainder in coordinates, a window may be any columns, so that only rows
// too long for one are left: they are multiplied as compressed rows.
//
// It pays where neighbouring rows share columns, as those of meshes do, after a numbering such as
// reverse Cuthill and McKee's, on GPUs; the CPU device, whose caches hold the vector, is faster
// with compressed rows. Making it reads the structure on the host, once.
//
// Ownership: a handle; copies share arrays. Errors: ArgumentError at the call. Threading: any
// thread.
#pragma once

#include <cstdint>
#include <memory>

#include "warpwise/array.hpp"
#include "warpwise/sparse.hpp"

namespace warpwise::sparse {

class WARPWISE_API PacketedMatrix {
  public:
    // Of a matrix in any format; entries at one place stay apart.
    explicit PacketedMatrix(const Matrix& matrix);

    std::int64_t rows() const noexcept;
    std::int64_t columns() const noexcept;
    std::int64_t nnz() const noexcept;
    std::int64_t packets() const noexcept;
    // Entries of rows that are too long for a window.
    std::int64_t remainder() const noexcept;
    DType dtype() const noexcept;
    Device device() const;

    // The product with a vector, in the common type. The entries of a row are added in their order:
    // the same bits each time. Throws ArgumentError for arrays of other shapes.
    Array dot(const Array& x) const;
    // In compressed rows again, entry by entry.
    Matrix to_csr() const;
    LinearOperator as_operator() const;

  private:
    struct State;
    std::shared_ptr<const State> state_;
};

}  // namespace warpwise::sparse
