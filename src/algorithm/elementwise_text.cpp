// The text of a form's kernel. Names of ours begin with __ww, so that the user's may be any others.
#include <fmt/format.h>

#include "src/algorithm/elementwise_form.hpp"
#include "src/algorithm/parameters.hpp"
#include "src/algorithm/writer.hpp"
#include "src/codegen/arguments.hpp"

namespace warpwise::algorithm {
namespace {

using codegen::Access;
using codegen::kThreads;
using Form = ElementwiseForm;

class Text {
  public:
    Text(const ElementwiseDefinition& definition, const ElementwiseForm& form)
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
        if (form_.walk == Form::Walk::Views) {
            views();
        } else if (form_.vectors) {
            out_.line("#ifdef __WARPWISE_CPU__");
            flat();
            out_.line("#else");
            vectors();
            out_.line("#endif");
        } else if (form_.walk == Form::Walk::Rows) {
            rows();
        } else {
            flat();
        }
        out_.close();
        return out_.take();
    }

  private:
    const KernelParameter& parameter(std::size_t array) const {
        return definition_.parameters[arrays_[array]];
    }
    const ArrayUse& use(std::size_t array) const {
        return definition_.usage.arrays[arrays_[array]];
    }
    // "const float", "float".
    std::string element(std::size_t array) const {
        return (parameter(array).is_const ? "const " : "") + parameter(array).type;
    }
    bool is_read(std::size_t array) const {
        return use(array).is_at_index && !use(array).is_written_first;
    }

    void head() {
        std::vector<std::string> types;
        types.reserve(definition_.parameters.size());
        for (const KernelParameter& one : definition_.parameters) types.push_back(one.type);
        std::string includes = includes_of(types);
        if (!includes.empty()) includes.pop_back();
        out_.line("#include <warpwise_user_kernel.h>");
        if (!includes.empty()) out_.line(std::string_view(includes));
        out_.line();
        const std::string& preamble = definition_.text.preamble;
        if (!preamble.empty()) out_.user("preamble", preamble);
        out_.line("#ifdef __WARPWISE_CPU__");
        out_.line("#define __WW_ITEMS {}", codegen::kItemsOnCpu);
        out_.line("#else");
        out_.line("#define __WW_ITEMS {}",
                  form_.walk == Form::Walk::Views ? 1 : codegen::kItemsOnGpu);
        out_.line("#endif");
        for (std::size_t i = 0; i < arrays_.size(); ++i) {
            const std::size_t known = parameter(i).dtype.size();
            const std::size_t bytes = known != 0 ? known : form_.arrays[i].item_bytes;
            if (known != 0 && parameter(i).dtype.kind() != Kind::Struct) continue;
            out_.line(
                "static_assert(sizeof({}) == {}, \"the elements of the array {} have {} "
                "bytes\");",
                parameter(i).type, bytes, parameter(i).name, bytes);
        }
        for (std::size_t i = 0; i < arrays_.size(); ++i) {
            const bool is_view = form_.walk == Form::Walk::Views;
            if (is_view && form_.arrays[i].access == Access::Strided) view_type(i);
        }
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

    // The user's operation; `continue` and `break` end it.
    void operation() {
        out_.open("do {");
        out_.user("operation", definition_.operation, ";");
        out_.close("} while (false);");
    }

    const char* index_type() const { return form_.wide ? "long long" : "int"; }

    // Coordinates c`first` ... c`end`-1 of the place `from` in C order.
    void decompose(std::string_view from, int first, int end) {
        const char* const type = form_.wide ? "unsigned long long" : "unsigned int";
        std::string rest = fmt::format("({}){}", type, from);
        for (int axis = end - 1; axis > first; --axis) {
            out_.line("const {} __ww_rest{} = {};", type, axis, rest);
            rest = form_.wide ? fmt::format("__ww_rest{0} / ({1})__ww_extent{0}", axis, type)
                              : fmt::format(
                                    "__ww_divided(__ww_rest{0}, (unsigned long "
                                    "long)__ww_divisor{0})",
                                    axis);
            out_.line("const {} __ww_next{} = {};", type, axis, rest);
            out_.line(
                "const {0} __ww_c{1} = ({0})(__ww_rest{1} - __ww_next{1} * "
                "({2})__ww_extent{1});",
                index_type(), axis, type);
            rest = fmt::format("__ww_next{}", axis);
        }
        out_.line("const {0} __ww_c{1} = ({0}){2};", index_type(), first, rest);
    }

    // The address of the element of an array at the point of the walk.
    std::string place(std::size_t array) const {
        const Form::One& one = form_.arrays[array];
        const std::string type = element(array);
        if (one.access == Access::Linear) {
            const bool is_rows = form_.walk == Form::Walk::Rows;
            return fmt::format("({} *)__ww_array{} + {}", type, array, is_rows ? "__ww_at" : "i");
        }
        if (one.access == Access::Broadcast) return fmt::format("({} *)__ww_array{}", type, array);
        std::string offset;
        for (int axis = 0; axis < form_.rank; ++axis) {
            if (axis == one.unit || (one.fixed >> axis & 1) != 0) continue;
            offset +=
                fmt::format("{}({})__ww_c{} * ({})__ww_stride{}_{}", offset.empty() ? "" : " + ",
                            index_type(), axis, index_type(), array, axis);
        }
        const char* const bytes = parameter(array).is_const ? "const char" : "char";
        std::string text = fmt::format("({} *)(({} *)__ww_array{} + ({}))", type, bytes, array,
                                       offset.empty() ? "0" : offset);
        if (one.unit >= 0) text += fmt::format(" + __ww_c{}", one.unit);
        return text;
    }

    // One point: x[i] are objects for their elements.
    void point() {
        for (std::size_t i = 0; i < arrays_.size(); ++i) {
            if (!use(i).is_at_index) continue;
            out_.line("const __ww_one<{}> {} = {{{}}};", element(i), parameter(i).name, place(i));
        }
        operation();
    }

    bool has_coordinates() const {
        for (const Form::One& one : form_.arrays) {
            if (one.access == Access::Strided) return true;
        }
        return false;
    }

    void items(std::string_view tile, std::string_view last, std::string_view index) {
        out_.line("#pragma unroll");
        out_.open("for (int __ww_item = 0; __ww_item < __WW_ITEMS; ++__ww_item) {");
        out_.line("const size_t {} = {} + __ww_item * {} + threadIdx.x;", index, tile, kThreads);
        out_.open(fmt::format("if ({} < {}) {{", index, last));
    }
    void end_items() {
        out_.close();
        out_.close();
    }

    void flat() {
        out_.line("const size_t __ww_tile = (size_t)blockIdx.x * ({} * __WW_ITEMS);", kThreads);
        items("__ww_tile", "n", "i");
        if (has_coordinates()) decompose("i", 0, form_.rank);
        point();
        end_items();
    }

    // Several rows a block where they are short: `points` counts rows.
    void rows() {
        const int axis = form_.rank - 1;
        out_.line("const size_t __ww_length = (size_t)__ww_extent{};", axis);
        out_.line(
            "const size_t __ww_tiles = (__ww_length + ({0} * __WW_ITEMS - 1)) / ({0} * "
            "__WW_ITEMS);",
            kThreads);
        out_.line("const size_t __ww_units = (size_t)__ww_points * __ww_tiles;");
        out_.open(
            "for (size_t __ww_unit = blockIdx.x; __ww_unit < __ww_units; __ww_unit += "
            "gridDim.x) {");
        out_.line("const size_t __ww_row = __ww_unit / __ww_tiles;");
        out_.line(
            "const size_t __ww_tile = (__ww_unit - __ww_row * __ww_tiles) * ({} * "
            "__WW_ITEMS);",
            kThreads);
        decompose("__ww_row", 0, axis);
        items("__ww_tile", "__ww_length", "__ww_along");
        out_.line("const {0} __ww_c{1} = ({0})__ww_along;", index_type(), axis);
        out_.line("const size_t __ww_at = __ww_row * __ww_length + __ww_along;");
        out_.line("const size_t i = __ww_at;");
        point();
        end_items();
        out_.close();
    }

    // All loads of a thread before its first store, so that they are in flight together.
    void vectors() {
        std::string aligned;
        for (std::size_t i = 0; i < arrays_.size(); ++i) {
            if (form_.arrays[i].access != Access::Linear || !use(i).is_at_index) continue;
            aligned +=
                fmt::format(" && __ww_is_aligned<__WW_ITEMS>(({} *)__ww_array{})", element(i), i);
        }
        out_.line("const size_t __ww_tile = (size_t)blockIdx.x * ({} * __WW_ITEMS);", kThreads);
        out_.line("const bool __ww_whole = n - __ww_tile >= {} * __WW_ITEMS{};", kThreads, aligned);
        out_.line(
            "const size_t __ww_begin = __ww_tile + (__ww_whole ? threadIdx.x * __WW_ITEMS : "
            "threadIdx.x);");
        for (std::size_t i = 0; i < arrays_.size(); ++i) {
            if (is_buffered(i)) out_.line("{} __ww_of{}[__WW_ITEMS];", parameter(i).type, i);
        }
        transfer(true);
        out_.line("#pragma unroll");
        out_.open("for (int __ww_item = 0; __ww_item < __WW_ITEMS; ++__ww_item) {");
        out_.line("const size_t i = __ww_begin + __ww_item * (__ww_whole ? 1 : {});", kThreads);
        out_.open("if (i < n) {");
        for (std::size_t i = 0; i < arrays_.size(); ++i) {
            if (!use(i).is_at_index) continue;
            out_.line("const __ww_one<{}> {} = {{{}}};", element(i), parameter(i).name,
                      is_buffered(i) ? fmt::format("&__ww_of{}[__ww_item]", i) : place(i));
        }
        operation();
        end_items();
        transfer(false);
    }

    // Read to registers, and written from them, for a thread's elements together.
    bool is_buffered(std::size_t array) const {
        return form_.arrays[array].access == Access::Linear && use(array).is_at_index;
    }

    // Loads, or stores, of all buffered arrays.
    void transfer(bool loads) {
        std::vector<std::size_t> list;
        for (std::size_t i = 0; i < arrays_.size(); ++i) {
            const bool moves = loads ? is_read(i) : use(i).may_write;
            if (is_buffered(i) && moves) list.push_back(i);
        }
        if (list.empty()) return;
        const auto pointer = [&](std::size_t i) {
            return fmt::format("({} *)__ww_array{}", element(i), i);
        };
        out_.open("if (__ww_whole) {");
        for (const std::size_t i : list) {
            out_.line("{0}(__ww_of{1}, {2} + __ww_begin);", loads ? "__ww_load" : "__ww_store", i,
                      pointer(i));
        }
        out_.close();
        out_.open("else {");
        out_.line("#pragma unroll");
        out_.open("for (int __ww_item = 0; __ww_item < __WW_ITEMS; ++__ww_item) {");
        out_.line("const size_t i = __ww_begin + __ww_item * {};", kThreads);
        out_.open("if (i < n) {");
        for (const std::size_t i : list) {
            const std::string memory = fmt::format("({})[i]", pointer(i));
            const std::string kept = fmt::format("__ww_of{}[__ww_item]", i);
            out_.line("{} = {};", loads ? kept : memory, loads ? memory : kept);
        }
        end_items();
        out_.close();
    }

    // x[j] for any j, by the array's own axes.
    void view_type(std::size_t array) {
        const Form::One& one = form_.arrays[array];
        const std::string type = element(array);
        const char* const bytes = parameter(array).is_const ? "const char" : "char";
        out_.open(fmt::format("struct __ww_view{} {{", array));
        out_.line("{} *place;", bytes);
        const auto is_multiplied = [&](int axis) {
            return axis != one.unit && (one.fixed >> axis & 1) == 0;
        };
        for (int axis = 0; axis < one.rank; ++axis) {
            if (axis > 0) out_.line("long long extent{};", axis);
            if (axis > 0 && !form_.wide) out_.line("long long divisor{};", axis);
            if (is_multiplied(axis)) out_.line("long long stride{};", axis);
        }
        out_.open(
            fmt::format("__device__ __forceinline__ {} &operator[](size_t j) const {{", type));
        const char* const number = form_.wide ? "unsigned long long" : "unsigned int";
        out_.line("{0} rest = ({0})j;", number);
        out_.line("long long offset = 0;");
        const auto step = [&](int axis, const std::string& coordinate) {
            if ((one.fixed >> axis & 1) != 0) return;
            const std::string stride =
                is_multiplied(axis) ? fmt::format("stride{}", axis)
                                    : fmt::format("(long long)sizeof({})", parameter(array).type);
            out_.line("offset += (long long)({}) * {};", coordinate, stride);
        };
        for (int axis = one.rank - 1; axis > 0; --axis) {
            out_.line(form_.wide
                          ? fmt::format("const {0} next{1} = rest / ({0})extent{1};", number, axis)
                          : fmt::format("const {0} next{1} = __ww_divided(rest, (unsigned long "
                                        "long)divisor{1});",
                                        number, axis));
            step(axis, fmt::format("rest - next{0} * ({1})extent{0}", axis, number));
            out_.line("rest = next{};", axis);
        }
        step(0, "rest");
        out_.line("return *({} *)(place + offset);", type);
        out_.close();
        out_.close("};");
    }

    void view(std::size_t array) {
        const Form::One& one = form_.arrays[array];
        const KernelParameter& parameter = this->parameter(array);
        const std::string type = element(array);
        if (one.access == Access::Linear) {
            out_.line("{0} *{1} = ({0} *)__ww_array{2};", type, parameter.name, array);
            return;
        }
        if (one.access == Access::Broadcast) {
            out_.line("const __ww_one<{0}> {1} = {{({0} *)__ww_array{2}}};", type, parameter.name,
                      array);
            return;
        }
        std::string members =
            fmt::format("({} *)__ww_array{}", parameter.is_const ? "const char" : "char", array);
        for (int axis = 0; axis < one.rank; ++axis) {
            if (axis > 0) members += fmt::format(", __ww_extent{}_{}", array, axis);
            if (axis > 0 && !form_.wide) members += fmt::format(", __ww_divisor{}_{}", array, axis);
            if (axis != one.unit && (one.fixed >> axis & 1) == 0) {
                members += fmt::format(", __ww_stride{}_{}", array, axis);
            }
        }
        out_.line("const __ww_view{} {} = {{{}}};", array, parameter.name, members);
    }

    void views() {
        for (std::size_t i = 0; i < arrays_.size(); ++i) view(i);
        const KernelText& text = definition_.text;
        const bool loops =
            !text.loop_prep.empty() || !text.after_loop.empty() || definition_.usage.uses_threads;
        const char* const index = form_.range == Form::Range::All ? "__ww_point"
                                  : form_.range == Form::Range::Unit
                                      ? "(size_t)(__ww_start + (long long)__ww_point)"
                                      : "(size_t)(__ww_start + (long long)__ww_point * __ww_step)";
        if (!loops) {
            out_.line("const size_t __ww_point = (size_t)blockIdx.x * {} + threadIdx.x;", kThreads);
            out_.open("if (__ww_point < (size_t)__ww_points) {");
            out_.line("size_t i = {};", index);
            operation();
            out_.close();
            return;
        }
        out_.line("const unsigned int tid = threadIdx.x;");
        out_.line("const unsigned int total_threads = gridDim.x * blockDim.x;");
        out_.line("const unsigned int cta_start = blockIdx.x * blockDim.x;");
        out_.line("(void)total_threads;");
        out_.line("size_t i;");
        if (!text.loop_prep.empty()) out_.user("loop_prep", text.loop_prep, ";");
        out_.open(
            "for (size_t __ww_point = cta_start + tid; __ww_point < (size_t)__ww_points; "
            "__ww_point += total_threads) {");
        out_.line("i = {};", index);
        out_.user("operation", definition_.operation, ";");
        out_.close();
        if (!text.after_loop.empty()) out_.user("after_loop", text.after_loop, ";");
    }

    const ElementwiseDefinition& definition_;
    const ElementwiseForm& form_;
    Writer out_;
    std::vector<std::size_t> arrays_;  // parameters that are arrays
};

}  // namespace

std::string emit(const ElementwiseDefinition& definition, const ElementwiseForm& form) {
    return Text(definition, form).emit();
}

}  // namespace warpwise::algorithm
