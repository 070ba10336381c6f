// The "JSON Object Format" of the Trace Event Format that Chrome and Perfetto read: complete events
// (ph X), instants (i) and names of rows (M); times in microseconds.
#include <fmt/format.h>

#include <set>
#include <utility>

#include "src/runtime/profile/profile_text.hpp"

namespace warpwise::runtime {
namespace {

using Kind = ProfileRecord::Kind;

// Rows of the picture: a "process" for the device, one for the program.
constexpr int kDevice = 1;
constexpr int kProgram = 2;

const char* category(Kind kind) {
    switch (kind) {
        case Kind::Kernel:
            return "kernel";
        case Kind::Copy:
            return "copy";
        case Kind::Fill:
            return "fill";
        case Kind::Graph:
            return "graph";
        case Kind::Range:
            return "range";
        case Kind::Mark:
            break;
    }
    return "mark";
}

// Bytes that are no UTF-8 are the program's own fault, and would make the whole file unreadable.
bool is_continuation(char byte) {
    return (static_cast<unsigned char>(byte) & 0xc0) == 0x80;
}

std::size_t utf8_length(const std::string& text, std::size_t at) {
    const auto lead = static_cast<unsigned char>(text[at]);
    const std::size_t length = lead < 0x80                   ? 1
                               : lead >= 0xc2 && lead < 0xe0 ? 2
                               : lead >= 0xe0 && lead < 0xf0 ? 3
                               : lead >= 0xf0 && lead < 0xf5 ? 4
                                                             : 0;
    if (at + length > text.size()) return 0;
    for (std::size_t i = 1; i < length; ++i) {
        if (!is_continuation(text[at + i])) return 0;
    }
    if (length < 3) return length;
    // Forms that are too long, halves of UTF-16's pairs, numbers past the last.
    const auto second = static_cast<unsigned char>(text[at + 1]);
    const bool is_bad = (lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f) ||
                        (lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second > 0x8f);
    return is_bad ? 0 : length;
}

std::string quoted(const std::string& text) {
    std::string result = "\"";
    for (std::size_t i = 0; i < text.size();) {
        const auto byte = static_cast<unsigned char>(text[i]);
        const std::size_t length = utf8_length(text, i);
        if (byte == '"' || byte == '\\') {
            result += '\\';
            result += text[i++];
        } else if (byte < 0x20) {
            result += fmt::format("\\u{:04x}", byte);
            ++i;
        } else if (length == 0) {
            result += "\\ufffd";
            ++i;
        } else {
            result += text.substr(i, length);
            i += length;
        }
    }
    return result + '"';
}

std::string triple(const std::array<std::uint32_t, 3>& extents) {
    return fmt::format("[{}, {}, {}]", extents[0], extents[1], extents[2]);
}

std::string arguments_of(const ProfileRecord& record) {
    if (record.kind == Kind::Kernel) {
        return fmt::format(
            R"({{"grid": {}, "block": {}, "registers": {}, "static shared bytes": {}, )"
            R"("dynamic shared bytes": {}, "local bytes": {}}})",
            triple(record.grid), triple(record.block), record.registers, record.static_shared_bytes,
            record.dynamic_shared_bytes, record.local_bytes);
    }
    if (record.kind == Kind::Copy || record.kind == Kind::Fill) {
        return fmt::format(R"({{"bytes": {}, "GB/s": {:.3f}}})", record.bytes,
                           record.bytes_per_second() / 1e9);
    }
    return "{}";
}

std::string event_of(const ProfileRecord& record) {
    const bool is_of_host = record.kind == Kind::Range || record.kind == Kind::Mark;
    const std::string head = fmt::format(
        R"("name": {}, "cat": "{}", "pid": {}, "tid": {}, "ts": {:.3f})", quoted(record.name),
        category(record.kind), is_of_host ? kProgram : kDevice,
        is_of_host ? record.thread : record.stream, static_cast<double>(record.start) / 1e3);
    if (record.kind == Kind::Mark) return fmt::format(R"({{"ph": "i", "s": "t", {}}})", head);
    return fmt::format(R"({{"ph": "X", {}, "dur": {:.3f}, "args": {}}})", head,
                       static_cast<double>(record.duration) / 1e3, arguments_of(record));
}

std::string name_of_row(const char* what, int process, std::uint64_t row, const std::string& name) {
    return fmt::format(
        R"({{"ph": "M", "name": "{}", "pid": {}, "tid": {}, "args": {{"name": {}}}}})", what,
        process, row, quoted(name));
}

}  // namespace

std::string profile_trace(const ProfileHead& head, std::span<const ProfileRecord> records) {
    std::string text =
        "{\"displayTimeUnit\": \"ns\", \"otherData\": {\"source\": " + quoted(head.source) +
        "}, \"traceEvents\": [\n";
    text +=
        name_of_row("process_name", kDevice, 0, fmt::format("{} ({})", head.device, head.title));
    text += ",\n" + name_of_row("process_name", kProgram, 0, "program");
    std::set<std::uint64_t> streams;
    for (const ProfileRecord& record : records) {
        const bool is_work = record.kind != Kind::Range && record.kind != Kind::Mark;
        if (is_work && streams.insert(record.stream).second) {
            text += ",\n" + name_of_row("thread_name", kDevice, record.stream,
                                        fmt::format("stream {}", record.stream));
        }
    }
    for (const ProfileRecord& record : records) text += ",\n" + event_of(record);
    return text + "\n]}\n";
}

}  // namespace warpwise::runtime
