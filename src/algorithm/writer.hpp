// Generated CUDA C++ with a user's text in it, whose own lines and columns diagnostics name.
//
// Threading: a plain value.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace warpwise::algorithm {

class Writer {
  public:
    explicit Writer(std::string name) : name_(std::move(name)) {}

    void line(std::string_view text = {}) {
        if (!text.empty() && !text.starts_with('#')) {
            text_.append(static_cast<std::size_t>(depth_) * 4, ' ');
        }
        text_ += text;
        text_ += '\n';
        ++lines_;
    }
    template <class... Values>
        requires(sizeof...(Values) > 0)
    void line(fmt::format_string<Values...> text, Values&&... values) {
        line(std::string_view(fmt::format(text, std::forward<Values>(values)...)));
    }
    void open(std::string_view text) {
        line(text);
        ++depth_;
    }
    void close(std::string_view text = "}") {
        --depth_;
        line(text);
    }
    // The text from column 1 on, as the part `part` of the kernel: "operation". `end` follows it.
    void user(std::string_view part, std::string_view text, std::string_view end = {});
    std::string take() { return std::move(text_); }

  private:
    std::string name_;
    std::string text_;
    std::size_t lines_ = 0;
    int depth_ = 0;
};

// A number that arrives as words named `words`..., as a variable of the user's type and name.
void write_number(Writer& out, std::string_view type, std::string_view name,
                  const std::string& words);

}  // namespace warpwise::algorithm
