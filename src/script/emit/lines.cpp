// Line markers.
#include "src/script/emit/lines.hpp"

#include <fmt/format.h>

namespace warpwise::script {

std::string text_of(const Lines& lines, const std::string& file) {
    std::string quoted;
    for (const char c : file) {
        if (c == '"' || c == '\\') quoted += '\\';
        quoted += c == '\n' ? ' ' : c;
    }
    std::string text;
    int next = 0;
    for (const Line& line : lines) {
        if (line.python_line != 0 && line.python_line != next) {
            text += fmt::format("#line {} \"{}\"\n", line.python_line, quoted);
            next = line.python_line;
        }
        text.append(static_cast<std::size_t>(line.depth) * 4, ' ');
        text += line.text;
        text += '\n';
        ++next;
    }
    return text;
}

}  // namespace warpwise::script
