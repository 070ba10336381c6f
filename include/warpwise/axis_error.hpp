// The error about an axis that an array does not have, and which one it was.
//
// A class of the tree in error.hpp: whatever takes axes throws it. Python's derives from NumPy's
// AxisError, and so from ValueError and IndexError.
//
// Threading: exceptions are values; safe to copy between threads.
#pragma once

#include <cstdint>
#include <string>

#include "warpwise/error.hpp"

namespace warpwise {

// Of kind Index.
class WARPWISE_API AxisError : public ArgumentError {
  public:
    AxisError(const std::string& message, std::int64_t axis, int rank);
    ~AxisError() override;

    std::int64_t axis() const noexcept { return axis_; }
    int rank() const noexcept { return rank_; }  // how many axes the array has

  private:
    std::int64_t axis_;
    int rank_;
};

}  // namespace warpwise
