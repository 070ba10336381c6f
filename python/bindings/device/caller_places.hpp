// Which line of a script records an operation: a number that costs some nanoseconds, and its text
// for errors that come later (CallerPlaces of warpwise/output.hpp).
#pragma once

#include <cstdint>
#include <string>

namespace warpwise::python {

// Of the innermost frame that is not this package's; 0 on threads without the GIL.
std::uint64_t mark_place() noexcept;
// "file.py:12"; empty where the place has been forgotten. Acquires the GIL.
std::string name_of_place(std::uint64_t place);

}  // namespace warpwise::python
