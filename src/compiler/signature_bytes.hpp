// Signatures as bytes, for everything that stores or sends them. What get_signature() returns could
// have been given to put_signature(): every length and every offset is checked, and anything else
// is a DeviceError.
#pragma once

#include <cstddef>

#include "src/base/byte_stream.hpp"
#include "warpwise/dtype.hpp"
#include "warpwise/signature.hpp"

namespace warpwise::compiler {

inline constexpr std::size_t kTextBytes = 8;  // the least a text takes: its length
// The least a signature takes, see ByteReader::get_count().
inline constexpr std::size_t kLeastSignatureBytes = 3 * kTextBytes;

void put_dtype(ByteWriter& out, const DType& dtype);
DType get_dtype(ByteReader& in);

void put_signature(ByteWriter& out, const KernelSignature& signature);
KernelSignature get_signature(ByteReader& in);

}  // namespace warpwise::compiler
