// The text of a KernelReport.
#include "warpwise/kernel_report.hpp"

#include <fmt/format.h>

#include <iterator>

namespace warpwise {
namespace {

std::string header_of(const KernelForm& form) {
    const auto& [x, y, z] = form.block;
    const std::string block = x == 0 ? "any block" : fmt::format("blocks of {} x {} x {}", x, y, z);
    const std::string threads = form.executor == "reference" ? "one thread after the other"
                                                             : fmt::format("{} x {} threads as one",
                                                                           form.columns, form.rows);
    return fmt::format("{}: executor {}, {}, {:.1f} % lane by lane\n", block, form.executor,
                       threads, 100 * form.lane_by_lane);
}

void append_lines(std::string& text, const KernelForm& form) {
    bool has_header = false;
    std::uint32_t vectors = 0;
    for (const LineReport& line : form.lines) {
        vectors += line.vectors;
        if (line.strided + line.gathers + line.scatters + line.lane_by_lane == 0) continue;
        if (!has_header) {
            text += "    vectors  strided  gathers  scatters  lane by lane  line\n";
            has_header = true;
        }
        fmt::format_to(std::back_inserter(text), "    {:7}  {:7}  {:7}  {:8}  {:12}  {}:{}\n",
                       line.vectors, line.strided, line.gathers, line.scatters, line.lane_by_lane,
                       line.file, line.line);
    }
    if (!has_header && form.executor != "reference") {
        fmt::format_to(std::back_inserter(text),
                       "    all {} accesses of memory by several threads are vectors\n", vectors);
    }
}

}  // namespace

std::string KernelReport::text() const {
    std::string text = fmt::format("kernel '{}' on '{}'\n", kernel, device);
    if (forms.empty()) text += "compiled by the device's own compiler, which reports no forms\n";
    for (const KernelForm& form : forms) {
        text += header_of(form);
        append_lines(text, form);
    }
    text.pop_back();
    return text;
}

}  // namespace warpwise
