// The text of a user's scan. Names of ours begin with __ww.
#include <fmt/format.h>

#include <algorithm>

#include "src/algorithm/library_kernel.hpp"
#include "src/algorithm/parameters.hpp"
#include "src/algorithm/scan/scan.hpp"
#include "src/algorithm/writer.hpp"

namespace warpwise::algorithm {
namespace {

using Role = ScanWord::Role;

class Text {
  public:
    Text(const ScanDefinition& definition, const ScanLayout& layout)
        : definition_(definition), layout_(layout), out_(definition.text.name) {}

    std::string emit() {
        head();
        value_type();
        if (layout_.ahead > 0) stored_type();
        signature();
        parameters();
        if (layout_.ahead > 0) {
            plain_functors();
        } else {
            load();
            store();
        }
        out_.line("const __ww_scan_work __ww_work = {__ww_count, __ww_tiles, 1, __ww_workspace};");
        out_.line("{}::run(__ww_work, __ww_load, __ww_store, __ww_joined());",
                  layout_.instance("__ww_scanned", definition_.uses_previous));
        out_.close();
        return out_.take();
    }

  private:
    bool has_segments() const { return !definition_.segment_start.empty(); }

    void head() {
        std::vector<std::string> types{definition_.type};
        for (const KernelParameter& one : definition_.parameters) types.push_back(one.type);
        std::string includes = includes_of(types);
        if (!includes.empty()) includes.pop_back();
        out_.line("#include <warpwise_user_kernel.h>");
        out_.line("#include <warpwise_scan.h>");
        if (!includes.empty()) out_.line(std::string_view(includes));
        out_.line();
        if (!definition_.text.preamble.empty()) out_.user("preamble", definition_.text.preamble);
        out_.line("typedef {} __ww_value;", definition_.type);
        size_check("__ww_value", definition_.dtype.size(), "the values of the scan");
        for (const KernelParameter& one : definition_.parameters) {
            const bool is_checked = one.is_array && one.dtype.kind() == Kind::Struct;
            if (is_checked) {
                size_check(one.type, one.dtype.size(), "the elements of the array " + one.name);
            }
        }
    }

    void size_check(const std::string& type, std::size_t bytes, const std::string& what) {
        out_.line("static_assert(sizeof({}) == {}, \"{} have {} bytes\");", type, bytes, what,
                  bytes);
    }

    // __ww_scanned: a value, with a mark where segments begin; and how two are joined.
    void value_type() {
        if (!definition_.neutral.empty()) {
            out_.line("static __device__ __forceinline__ __ww_value __ww_neutral() {");
            out_.line("return");
            out_.user("neutral", definition_.neutral, ";");
            out_.line("}");
        }
        out_.line(
            "static __device__ __forceinline__ __ww_value __ww_join(__ww_value a, __ww_value b, "
            "bool across_seg_boundary) {");
        out_.line("(void)across_seg_boundary;");
        out_.line("return");
        out_.user("scan_expr", definition_.scan_expr, ";");
        out_.line("}");
        if (!has_segments()) {
            out_.line("typedef __ww_value __ww_scanned;");
            out_.open("struct __ww_joined {");
            out_.line(
                "__device__ __forceinline__ __ww_scanned operator()(const __ww_scanned& x, const "
                "__ww_scanned& y) const { return __ww_join(x, y, false); }");
            out_.close("};");
            return;
        }
        out_.open("struct __ww_scanned {");
        out_.line("__ww_value value;");
        out_.line("bool begins;");
        out_.close("};");
        size_check("__ww_scanned", definition_.value_bytes(), "the values of the scan with marks");
        out_.open("struct __ww_joined {");
        out_.line(
            "__device__ __forceinline__ __ww_scanned operator()(const __ww_scanned& x, const "
            "__ww_scanned& y) const { return __ww_scanned{__ww_join(x.value, y.value, y.begins), "
            "x.begins || "
            "y.begins}; }");
        out_.close("};");
    }

    void signature() {
        std::string list;
        for (const Parameter& one : signature_of(definition_, layout_).parameters) {
            const char* space = one.type.ends_with('*') ? "" : " ";
            list += fmt::format("{}{}{}{}", list.empty() ? "" : ", ", one.type, space, one.name);
        }
        out_.open(fmt::format("extern \"C\" __global__ void __launch_bounds__({}) {}({}) {{",
                              launch_bounds(layout_.threads, layout_.resident_blocks()),
                              definition_.text.name, list));
    }

    void parameters() {
        bool has_n = false;
        for (std::size_t i = 0; i < definition_.parameters.size(); ++i) {
            const KernelParameter& one = definition_.parameters[i];
            has_n |= one.name == "N";
            if (one.is_array) {
                const std::string type = (one.is_const ? "const " : "") + one.type;
                out_.line("{0} *{1} = ({0} *)__ww_array{2};", type, one.name, i);
                out_.line("(void){};", one.name);
                continue;
            }
            std::string words;
            for (std::size_t word = 0; word < (one.dtype.size() + 7) / 8; ++word) {
                words += fmt::format("{}__ww_bits{}_{}", word == 0 ? "" : ", ", i, word);
            }
            write_number(out_, one.type, one.name, words);
        }
        out_.line("const size_t n = (size_t)__ww_count;");
        out_.line("(void)n;");
        if (has_n) return;
        out_.line("const size_t N = n;");  // PyOpenCL's name
        out_.line("(void)N;");
    }

    void index() {
        out_.line("const size_t i = (size_t)__ww_i;");
        out_.line("(void)i;");
    }

    const KernelParameter& read_array() const {
        return definition_.parameters[definition_.plain->in];
    }
    const KernelParameter& written_array() const {
        return definition_.parameters[definition_.plain->out];
    }

    // Stores by vectors, for scans whose tiles are summed ahead.
    void stored_type() {
        out_.open(fmt::format("struct __ww_stored : __ww_plain_store<{}, __ww_value> {{",
                              written_array().type));
        if (definition_.uses_previous) {
            out_.line(
                "static __device__ __forceinline__ __ww_value neutral() { return __ww_neutral(); "
                "}");
        }
        out_.close("};");
    }

    void plain_functors() {
        out_.line("const __ww_plain_load<{}, __ww_value> __ww_load = {{{}}};", read_array().type,
                  read_array().name);
        out_.line("const __ww_stored __ww_store = {{{{{}}}}};", written_array().name);
    }

    void load() {
        out_.open("const auto __ww_load = [&](long long, long long __ww_i) -> __ww_scanned {");
        index();
        if (!has_segments()) {
            out_.line("return");
            out_.user("input_expr", definition_.input_expr, ";");
        } else {
            out_.line("return __ww_scanned{(");
            out_.user("input_expr", definition_.input_expr, "),");
            out_.line("(bool)(");
            out_.user("is_segment_start_expr", definition_.segment_start, ")};");
        }
        out_.close("};");
    }

    void store() {
        out_.open(
            "const auto __ww_store = [&](long long, long long __ww_i, const __ww_scanned& "
            "__ww_item, bool __ww_has_previous, const __ww_scanned& __ww_previous) {");
        index();
        out_.line("const __ww_value item = __ww_item{};", has_segments() ? ".value" : "");
        out_.line("(void)item;");
        out_.line("(void)__ww_has_previous;");
        out_.line("(void)__ww_previous;");
        if (definition_.uses_previous) previous();
        out_.user("output_statement", definition_.output_statement, ";");
        out_.close("};");
    }

    void previous() {
        if (!has_segments()) {
            out_.line(
                "const __ww_value prev_item = __ww_has_previous ? __ww_previous : "
                "__ww_neutral();");
            return;
        }
        out_.line("const bool __ww_begins = !__ww_has_previous || (bool)(");
        out_.user("is_segment_start_expr", definition_.segment_start, ");");
        out_.line(
            "const __ww_value prev_item = __ww_begins ? __ww_neutral() : __ww_previous.value;");
    }

    const ScanDefinition& definition_;
    const ScanLayout& layout_;
    Writer out_;
};

}  // namespace

std::size_t ScanDefinition::value_bytes() const {
    if (segment_start.empty()) return dtype.size();
    const std::size_t alignment = std::max<std::size_t>(dtype.alignment(), 1);
    return (dtype.size() + alignment) / alignment * alignment;
}

std::vector<ScanWord> words_of(const ScanDefinition& definition) {
    std::vector<ScanWord> words;
    for (std::size_t i = 0; i < definition.parameters.size(); ++i) {
        if (!definition.parameters[i].is_array) continue;
        words.push_back(
            {Role::Array, static_cast<std::uint16_t>(i), 0, fmt::format("__ww_array{}", i)});
    }
    words.push_back({Role::Workspace, 0, 0, "__ww_workspace"});
    words.push_back({Role::Count, 0, 0, "__ww_count"});
    words.push_back({Role::Tiles, 0, 0, "__ww_tiles"});
    for (std::size_t i = 0; i < definition.parameters.size(); ++i) {
        const KernelParameter& one = definition.parameters[i];
        for (std::size_t word = 0; !one.is_array && word < (one.dtype.size() + 7) / 8; ++word) {
            words.push_back({Role::Scalar, static_cast<std::uint16_t>(i),
                             static_cast<std::uint16_t>(word),
                             fmt::format("__ww_bits{}_{}", i, word)});
        }
    }
    return words;
}

KernelSignature signature_of(const ScanDefinition& definition, const ScanLayout& layout) {
    const std::string& name = definition.text.name;
    KernelSignature signature{.name = name, .symbol = name};
    signature.max_threads_per_block = static_cast<std::uint32_t>(layout.threads);
    signature.min_blocks = static_cast<std::uint32_t>(layout.resident_blocks());
    for (const ScanWord& word : words_of(definition)) {
        Parameter parameter{.name = word.name};
        const bool is_pointer = word.role <= Role::Workspace;
        parameter.is_const =
            word.role == Role::Array && definition.parameters[word.number].is_const;
        parameter.type = !is_pointer ? "long long" : parameter.is_const ? "const void *" : "void *";
        parameter.passing = is_pointer ? Parameter::Passing::Pointer : Parameter::Passing::Scalar;
        parameter.dtype = is_pointer ? DType() : DType(Kind::Int64);
        parameter.offset = signature.argument_bytes;
        parameter.size = parameter.alignment = 8;
        signature.argument_bytes += 8;
        signature.parameters.push_back(std::move(parameter));
    }
    return signature;
}

std::string emit(const ScanDefinition& definition, const ScanLayout& layout) {
    return Text(definition, layout).emit();
}

}  // namespace warpwise::algorithm
