// Errors of evaluation, which comes later than the expression was written: they name its line.
#pragma once

#include <cstdint>
#include <exception>

namespace warpwise::graph {

// Throws the error again, of the same class, with the line that `place` (Node::place) stands for in
// its message. As it is where the line is not known, or where the class is none of the library's.
// Not under the lock of the graph.
[[noreturn]] void rethrow_with_place(const std::exception_ptr& error, std::uint64_t place);

}  // namespace warpwise::graph
