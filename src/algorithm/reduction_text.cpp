// The text of a reduction's kernel. Names of ours begin with __ww.
#include <fmt/format.h>

#include "src/algorithm/parameters.hpp"
#include "src/algorithm/reduction.hpp"
#include "src/algorithm/writer.hpp"
#include "src/codegen/arguments.hpp"

namespace warpwise::algorithm {
namespace {

using codegen::kThreads;
using Form = ReductionForm;

// Elements that a thread joins before it joins them to the rest. Part of the association.
constexpr int kBatch = 8;

class Text {
  public:
    Text(const ReductionDefinition& definition, const Form& form)
        : definition_(definition), form_(form), out_(definition.text.name) {
        for (std::size_t i = 0; i < definition.parameters.size(); ++i) {
            if (definition.parameters[i].is_array) arrays_.push_back(i);
        }
    }

    std::string emit() {
        head();
        signature();
        for (std::size_t i = 0; i < definition_.parameters.size(); ++i) number(i);
        out_.line("const size_t n = (size_t)__ww_count;");
        out_.line("(void)n;");
        // Rows of blocks, the last one longer than what is left.
        out_.line(
            "const unsigned long long __ww_block = (unsigned long long)blockIdx.y * gridDim.x + "
            "blockIdx.x;");
        form_.by_threads ? threads() : blocks();
        out_.close();
        return out_.take();
    }

  private:
    const KernelParameter& parameter(std::size_t array) const {
        return definition_.parameters[arrays_[array]];
    }
    std::string element(std::size_t array) const {
        return (parameter(array).is_const ? "const " : "") + parameter(array).type;
    }

    void size_check(const std::string& type, std::size_t bytes, const std::string& what) {
        out_.line("static_assert(sizeof({}) == {}, \"{} have {} bytes\");", type, bytes, what,
                  bytes);
    }

    void head() {
        std::vector<std::string> types{definition_.type};
        for (const KernelParameter& one : definition_.parameters) types.push_back(one.type);
        std::string includes = includes_of(types);
        if (!includes.empty()) includes.pop_back();
        out_.line("#include <warpwise_user_kernel.h>");
        if (!includes.empty()) out_.line(std::string_view(includes));
        out_.line();
        if (!definition_.text.preamble.empty()) out_.user("preamble", definition_.text.preamble);
        out_.line("typedef {} __ww_value;", definition_.type);
        size_check("__ww_value", definition_.dtype.size(), "the values of the result");
        // A block keeps a value of each thread.
        out_.line("static_assert(sizeof(__ww_value) <= 160, \"a value has more than 160 bytes\");");
        for (std::size_t i = 0; i < arrays_.size(); ++i) {
            const DType& dtype = parameter(i).dtype;
            if (dtype.size() != 0 && dtype.kind() != Kind::Struct) continue;
            size_check(parameter(i).type,
                       dtype.size() != 0 ? dtype.size() : form_.arrays[i].item_bytes,
                       "the elements of the array " + parameter(i).name);
        }
        out_.line("static __device__ __forceinline__ __ww_value __ww_neutral() {");
        out_.line("return");
        out_.user("neutral", definition_.neutral, ";");
        out_.line("}");
        out_.line(
            "static __device__ __forceinline__ __ww_value __ww_join(__ww_value a, __ww_value "
            "b) {");
        out_.line("return");
        out_.user("reduce_expr", definition_.reduce_expr, ";");
        out_.line("}");
        out_.line();
    }

    void signature() {
        std::string parameters;
        for (const Parameter& one : signature_of(definition_, form_).parameters) {
            const char* space = one.type.ends_with('*') ? "" : " ";
            parameters +=
                fmt::format("{}{}{}{}", parameters.empty() ? "" : ", ", one.type, space, one.name);
        }
        out_.open(fmt::format("extern \"C\" __global__ void __launch_bounds__({}) {}({}) {{",
                              kThreads, definition_.text.name, parameters));
    }

    void number(std::size_t number) {
        const KernelParameter& parameter = definition_.parameters[number];
        if (parameter.is_array) return;
        std::string words;
        for (std::size_t word = 0; word < (parameter.dtype.size() + 7) / 8; ++word) {
            words += fmt::format("{}__ww_bits{}_{}", word == 0 ? "" : ", ", number, word);
        }
        write_number(out_, parameter.type, parameter.name, words);
    }

    // Coordinates c`first` ... c`end`-1 of the place `from` in C order.
    void decompose(std::string_view from, int first, int end) {
        std::string rest(from);
        for (int axis = end - 1; axis > first; --axis) {
            out_.line(
                "const unsigned long long __ww_next{0} = {1} / (unsigned long "
                "long)__ww_extent{0};",
                axis, rest);
            out_.line(
                "const long long __ww_c{0} = (long long)({1} - __ww_next{0} * (unsigned long "
                "long)__ww_extent{0});",
                axis, rest);
            rest = fmt::format("__ww_next{}", axis);
        }
        if (first < end) out_.line("const long long __ww_c{} = (long long){};", first, rest);
    }

    std::string offset(std::size_t array) const {
        const Form::One& one = form_.arrays[array];
        std::string text;
        for (int axis = 0; axis < form_.kept + form_.reduced; ++axis) {
            if (axis == one.unit || (one.fixed >> axis & 1) != 0) continue;
            text += fmt::format("{}__ww_c{} * __ww_stride{}_{}", text.empty() ? "" : " + ", axis,
                                array, axis);
        }
        return text;
    }

    // The axis along which elements of an array are neighbours; below 0: none.
    int unit_of(std::size_t array) const { return form_.arrays[array].unit; }

    std::string place(std::size_t array) const {
        const std::string bytes = offset(array);
        const char* const byte = parameter(array).is_const ? "const char" : "char";
        std::string text = bytes.empty() ? fmt::format("({} *)__ww_array{}", element(array), array)
                                         : fmt::format("({} *)(({} *)__ww_array{} + ({}))",
                                                       element(array), byte, array, bytes);
        const int unit = unit_of(array);
        return unit < 0 ? text : fmt::format("{} + __ww_c{}", text, unit);
    }

    // A function object for the value of element `r` of result `k`.
    void map() {
        for (std::size_t i = 0; i < arrays_.size(); ++i) {
            if (!form_.arrays[i].is_pointer) continue;
            out_.line("{0} *{1} = ({0} *)__ww_array{2};", element(i), parameter(i).name, i);
            out_.line("(void){};", parameter(i).name);
        }
        decompose("__ww_k", 0, form_.kept);
        out_.open("const auto __ww_map = [&](unsigned long long __ww_r) -> __ww_value {");
        decompose("__ww_r", form_.kept, form_.kept + form_.reduced);
        for (std::size_t i = 0; i < arrays_.size(); ++i) {
            if (form_.arrays[i].is_pointer) continue;
            out_.line("const __ww_one<{}> {} = {{{}}};", element(i), parameter(i).name, place(i));
        }
        const std::size_t index = form_.arrays.size() - 1;
        const int unit = unit_of(index);
        const std::string others = offset(index);
        out_.line("const size_t i = (size_t)({}{}{});", others,
                  others.empty() || unit < 0 ? "" : " + ",
                  unit >= 0        ? fmt::format("__ww_c{}", unit)
                  : others.empty() ? "0"
                                   : "");
        out_.line("(void)i;");
        out_.line("return");
        out_.user("map_expr", definition_.map_expr, ";");
        out_.close("};");
    }

    // The elements of a part: __ww_first to __ww_end.
    void part_bounds() {
        out_.line(
            "const unsigned long long __ww_first = __ww_part * (unsigned long "
            "long)__ww_length;");
        out_.line(
            "const unsigned long long __ww_next = __ww_first + (unsigned long "
            "long)__ww_length;");
        out_.line(
            "const unsigned long long __ww_end = __ww_next < (unsigned long "
            "long)__ww_reduced ? __ww_next : (unsigned long long)__ww_reduced;");
    }

    // All blocks but the last one to come here end.
    void last_part(const char* counter) {
        out_.line("__shared__ bool __ww_is_last;");
        out_.open("if (threadIdx.x == 0) {");
        out_.line("unsigned int *const __ww_counter = (unsigned int *)__ww_counters + {};",
                  counter);
        out_.line("__ww_is_last = atomicAdd(__ww_counter, 1u) == (unsigned int)(__ww_parts - 1);");
        out_.line("if (__ww_is_last) *__ww_counter = 0;");
        out_.close();
        out_.line("__syncthreads();");
        out_.line("if (!__ww_is_last) return;");
        out_.line("__threadfence();");
    }

    // A block computes neighbouring results, in one part of them.
    void threads() {
        out_.line(
            "const unsigned long long __ww_tile = __ww_block / (unsigned long long)__ww_parts;");
        out_.line(
            "const unsigned long long __ww_part = __ww_block % (unsigned long long)__ww_parts;");
        out_.line("if (__ww_tile * {} >= (unsigned long long)__ww_kept) return;", kThreads);
        out_.line("const unsigned long long __ww_k = __ww_tile * {} + threadIdx.x;", kThreads);
        out_.line("const bool __ww_is_result = __ww_k < (unsigned long long)__ww_kept;");
        out_.line("__ww_value __ww_all = __ww_neutral();");
        part_bounds();
        out_.open("if (__ww_is_result) {");
        map();
        out_.line(
            "for (unsigned long long __ww_r = __ww_first; __ww_r < __ww_end; ++__ww_r) "
            "__ww_all = __ww_join(__ww_all, __ww_map(__ww_r));");
        out_.close();
        out_.open("if (__ww_parts > 1) {");
        out_.line("__ww_value *const __ww_written = (__ww_value *)__ww_workspace + __ww_k;");
        out_.line(
            "if (__ww_is_result) __ww_written[__ww_part * (unsigned long long)__ww_kept] = "
            "__ww_all;");
        out_.line("__threadfence();");
        out_.line("__syncthreads();");
        last_part("__ww_tile");
        out_.line("__ww_all = __ww_neutral();");
        out_.line(
            "for (unsigned long long __ww_p = 0; __ww_is_result && __ww_p < (unsigned long "
            "long)__ww_parts; ++__ww_p) __ww_all = __ww_join(__ww_all, __ww_written[__ww_p * "
            "(unsigned long long)__ww_kept]);");
        out_.close();
        out_.line("if (__ww_is_result) ((__ww_value *)__ww_result)[__ww_k] = __ww_all;");
    }

    // Joins the values that the threads have in `shared`.
    void tree() {
        out_.open(fmt::format("for (unsigned int __ww_half = {}; __ww_half > 0; __ww_half /= 2) {{",
                              kThreads / 2));
        out_.line("__syncthreads();");
        out_.line(
            "if (threadIdx.x < __ww_half) __ww_shared[threadIdx.x] = "
            "__ww_join(__ww_shared[threadIdx.x], __ww_shared[threadIdx.x + __ww_half]);");
        out_.close();
        out_.line("__syncthreads();");
    }

    void batch(const char* condition) {
        out_.line("#pragma unroll");
        out_.open(fmt::format("for (int __ww_item = 0; __ww_item < {}; ++__ww_item) {{", kBatch));
        out_.line("const unsigned long long __ww_r = __ww_base + __ww_item * {} + threadIdx.x;",
                  kThreads);
        out_.line("{}__ww_batch = __ww_join(__ww_batch, __ww_map(__ww_r));", condition);
        out_.close();
    }

    void blocks() {
        // Bytes, since shared variables have no constructors.
        out_.line("__shared__ alignas(16) unsigned char __ww_bytes[{} * sizeof(__ww_value)];",
                  kThreads);
        out_.line("__ww_value *const __ww_shared = (__ww_value *)__ww_bytes;");
        out_.line("const unsigned long long __ww_k = __ww_block / (unsigned long long)__ww_parts;");
        out_.line(
            "const unsigned long long __ww_part = __ww_block % (unsigned long "
            "long)__ww_parts;");
        out_.line("if (__ww_k >= (unsigned long long)__ww_kept) return;");
        map();
        part_bounds();
        out_.line("__ww_value __ww_all = __ww_neutral();");
        out_.open(
            fmt::format("for (unsigned long long __ww_base = __ww_first; __ww_base < "
                        "__ww_end; __ww_base += {}) {{",
                        kThreads * kBatch));
        out_.line("__ww_value __ww_batch = __ww_neutral();");
        out_.open(fmt::format("if (__ww_end - __ww_base >= {}) {{", kThreads * kBatch));
        batch("");
        out_.close();
        out_.open("else {");
        batch("if (__ww_r < __ww_end) ");
        out_.close();
        out_.line("__ww_all = __ww_join(__ww_all, __ww_batch);");
        out_.close();
        out_.line("__ww_shared[threadIdx.x] = __ww_all;");
        tree();
        parts();
        out_.line("if (threadIdx.x == 0) ((__ww_value *)__ww_result)[__ww_k] = __ww_shared[0];");
    }

    // The last block of a result to end joins what all of them have written.
    void parts() {
        out_.open("if (__ww_parts > 1) {");
        out_.line(
            "__ww_value *const __ww_written = (__ww_value *)__ww_workspace + __ww_k * "
            "(unsigned long long)__ww_parts;");
        out_.open("if (threadIdx.x == 0) {");
        out_.line("__ww_written[__ww_part] = __ww_shared[0];");
        out_.line("__threadfence();");
        out_.close();
        last_part("__ww_k");
        out_.line("__ww_all = __ww_neutral();");
        out_.line(
            "for (unsigned long long __ww_p = threadIdx.x; __ww_p < (unsigned long "
            "long)__ww_parts; __ww_p += {}) __ww_all = __ww_join(__ww_all, "
            "__ww_written[__ww_p]);",
            kThreads);
        out_.line("__ww_shared[threadIdx.x] = __ww_all;");
        tree();
        out_.close();
    }

    const ReductionDefinition& definition_;
    const Form& form_;
    Writer out_;
    std::vector<std::size_t> arrays_;
};

}  // namespace

std::string emit(const ReductionDefinition& definition, const Form& form) {
    return Text(definition, form).emit();
}

}  // namespace warpwise::algorithm
