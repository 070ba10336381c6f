// Text of the user's between #line directives.
#include "src/algorithm/writer.hpp"

#include <algorithm>

namespace warpwise::algorithm {

void Writer::user(std::string_view part, std::string_view text, std::string_view end) {
    line(fmt::format("#line 1 \"{}.{}\"", name_, part));
    text_ += text;
    lines_ += static_cast<std::size_t>(std::ranges::count(text, '\n'));
    // What follows stands on the line of the text's end, so that a message about it names that.
    const std::string_view last = text.substr(text.rfind('\n') + 1);
    const bool is_open = last.find("//") != last.npos || last.starts_with('#') ||
                         last.ends_with('\\') || last.find("/*") != last.npos;
    if (is_open) line();
    text_ += end;
    text_ += '\n';
    ++lines_;
    line(fmt::format("#line {} \"{}.cu\"", lines_ + 2, name_));
}

void write_number(Writer& out, std::string_view type, std::string_view name,
                  const std::string& words) {
    out.line("{} {};", type, name);
    out.open("{");
    out.line("const long long __ww_words[] = {{{}}};", words);
    out.line("__builtin_memcpy(&{0}, __ww_words, sizeof {0});", name);
    out.close();
}

}  // namespace warpwise::algorithm
