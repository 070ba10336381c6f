// The memory in which a kernel with checks records what a thread raises.
//
// Threading: used by one thread; one for each launch.
#pragma once

#include "src/script/translate.hpp"
#include "warpwise/array.hpp"
#include "warpwise/device.hpp"

namespace warpwise::array {

class RaisedRecord {
  public:
    explicit RaisedRecord(const Device& device);

    const Array& array() const noexcept { return words_; }
    // Waits for the kernel; throws PythonException for what it recorded.
    void check(const script::Translated& kernel) const;

  private:
    Array words_;
};

}  // namespace warpwise::array
