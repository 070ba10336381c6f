// Lines of generated code, each with the line of Python that it comes from.
//
// Threading: plain values.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace warpwise::script {

struct Line {
    std::string text;
    int depth = 0;
    int python_line = 0;  // 0: none of its own
    bool acts = false;    // does more than compute a value
};
using Lines = std::vector<Line>;

// The lines as text; `#line` where the line of Python is not the one that the compiler would count.
std::string text_of(const Lines& lines, const std::string& file);

}  // namespace warpwise::script
