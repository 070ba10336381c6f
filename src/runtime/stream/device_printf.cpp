// Walks a C format string and hands each conversion, made safe, to snprintf.
#include "src/runtime/stream/device_printf.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>

namespace warpwise::runtime {
namespace {

// Wider fields than any terminal; keeps a wild `*` from asking for gigabytes.
constexpr int kMaxField = 4096;
constexpr std::size_t kMaxString = std::size_t{1} << 20;

class PackedArguments {
  public:
    explicit PackedArguments(const void* base) : base_(static_cast<const char*>(base)) {}

    template <class T>
    T next() {
        offset_ = (offset_ + alignof(T) - 1) / alignof(T) * alignof(T);
        T value{};
        if (base_ != nullptr) std::memcpy(&value, base_ + offset_, sizeof(T));
        offset_ += sizeof(T);
        count_ += 1;
        return value;
    }
    std::int32_t count() const { return count_; }

  private:
    const char* base_;
    std::size_t offset_ = 0;
    std::int32_t count_ = 0;
};

// One conversion: %[flags][width][.precision][length]letter.
struct Conversion {
    std::string flags;
    int width = -1;
    int precision = -1;
    int longs = 0;  // 1 or more: an 8-byte integer; -1 short, -2 char
    char letter = 0;
};

int parse_number(const char*& p, PackedArguments& arguments) {
    if (*p == '*') {
        ++p;
        return arguments.next<std::int32_t>();
    }
    int value = 0;
    while (*p >= '0' && *p <= '9') value = std::min(value * 10 + (*p++ - '0'), kMaxField);
    return value;
}

// `p` stands behind the '%'; moves it behind the letter.
Conversion parse_conversion(const char*& p, PackedArguments& arguments) {
    Conversion c;
    while (*p != 0 && std::strchr("-+ #0", *p) != nullptr) c.flags += *p++;
    if (*p == '*' || (*p >= '0' && *p <= '9')) {
        const std::int64_t width = parse_number(p, arguments);
        if (width < 0) c.flags += '-';
        c.width = static_cast<int>(std::min<std::int64_t>(std::abs(width), kMaxField));
    }
    if (*p == '.') {
        ++p;
        const int precision = parse_number(p, arguments);
        if (precision >= 0) c.precision = std::min(precision, kMaxField);
    }
    for (; *p != 0 && std::strchr("hljztqL", *p) != nullptr; ++p) c.longs += *p == 'h' ? -1 : 1;
    c.letter = *p;
    if (*p != 0) ++p;
    return c;
}

template <class T>
void print(std::string& out, const Conversion& c, const char* length, T value) {
    char format[32];
    std::string spec = "%" + c.flags.substr(0, 8);
    if (c.width >= 0) spec += std::to_string(c.width);
    if (c.precision >= 0) spec += "." + std::to_string(c.precision);
    std::snprintf(format, sizeof format, "%s%s%c", spec.c_str(), length, c.letter);
    const int size = std::snprintf(nullptr, 0, format, value);
    if (size <= 0) return;
    const std::size_t start = out.size();
    out.resize(start + static_cast<std::size_t>(size) + 1);
    std::snprintf(out.data() + start, static_cast<std::size_t>(size) + 1, format, value);
    out.pop_back();
}

void print_string(std::string& out, const Conversion& c, std::uint64_t address,
                  const StringReader& read_string) {
    const std::size_t limit = c.precision >= 0 ? static_cast<std::size_t>(c.precision) : kMaxString;
    std::string text;
    if (address == 0) {
        text = "(null)";
    } else if (!read_string(address, limit, text)) {
        text = "(bad pointer)";
    }
    print(out, c, "", text.c_str());
}

void print_integer(std::string& out, const Conversion& c, PackedArguments& arguments) {
    const bool is_signed = c.letter == 'd' || c.letter == 'i';
    if (c.longs > 0) {
        print(out, c, "ll", arguments.next<std::int64_t>());
    } else if (is_signed) {
        const auto value = arguments.next<std::int32_t>();
        print(out, c, "",
              c.longs == -1   ? static_cast<std::int16_t>(value)
              : c.longs <= -2 ? static_cast<std::int8_t>(value)
                              : value);
    } else {
        const auto value = arguments.next<std::uint32_t>();
        print(out, c, "",
              c.longs == -1   ? static_cast<std::uint16_t>(value)
              : c.longs <= -2 ? static_cast<std::uint8_t>(value)
                              : value);
    }
}

// False for a letter that is no conversion: the text is then printed as it stands.
bool print_conversion(std::string& out, const Conversion& c, PackedArguments& arguments,
                      const StringReader& read_string) {
    if (c.letter != 0 && std::strchr("diouxX", c.letter) != nullptr) {
        print_integer(out, c, arguments);
    } else if (c.letter != 0 && std::strchr("fFeEgGaA", c.letter) != nullptr) {
        print(out, c, "", arguments.next<double>());
    } else if (c.letter == 'c') {
        print(out, c, "", arguments.next<std::int32_t>());
    } else if (c.letter == 's') {
        print_string(out, c, arguments.next<std::uint64_t>(), read_string);
    } else if (c.letter == 'p') {
        print(out, c, "", reinterpret_cast<void*>(arguments.next<std::uint64_t>()));
    } else {
        return false;
    }
    return true;
}

}  // namespace

bool read_own_string(std::uint64_t address, std::size_t limit, std::string& out) {
    constexpr std::size_t kPage = 4096;
    char page[kPage];
    while (out.size() < limit) {
        // Never across a page border: the next page may be unmapped.
        const std::size_t bytes = std::min(kPage - address % kPage, limit - out.size());
        const iovec local{page, bytes};
        const iovec remote{reinterpret_cast<void*>(address), bytes};
        if (process_vm_readv(getpid(), &local, 1, &remote, 1, 0) != static_cast<ssize_t>(bytes)) {
            if (errno == EFAULT) return !out.empty();
            // A sandbox forbids the call: trust the pointer, as printf on the host does.
            std::memcpy(page, remote.iov_base, bytes);
        }
        const std::size_t length = strnlen(page, bytes);
        out.append(page, length);
        if (length < bytes) return true;
        address += bytes;
    }
    return true;
}

std::int32_t format_device_printf(std::string& out, const char* format, const void* arguments,
                                  const StringReader& read_string) {
    if (format == nullptr) return -1;
    PackedArguments packed(arguments);
    for (const char* p = format; *p != 0;) {
        const char* percent = strchrnul(p, '%');
        out.append(p, percent);
        if (*percent == 0) break;
        p = percent + 1;
        if (*p == '%') {
            out += *p++;
            continue;
        }
        const Conversion conversion = parse_conversion(p, packed);
        if (!print_conversion(out, conversion, packed, read_string)) out.append(percent, p);
    }
    return packed.count();
}

}  // namespace warpwise::runtime
