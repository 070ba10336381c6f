// The texts stand for the forms that calls have.
#include "tests/unit/algorithm/sample_kernels.hpp"

#include <array>

#include "src/algorithm/parameters.hpp"
#include "src/algorithm/reduction.hpp"

namespace warpwise::algorithm {
namespace {

using Range = ElementwiseForm::Range;

ElementwiseArray array_of(const Shape& shape, const Strides& strides, std::int64_t item_bytes,
                          bool takes_part = true) {
    return {.shape = shape, .strides = strides, .item_bytes = item_bytes, .takes_part = takes_part};
}

SampleKernel sample(std::string name, const ElementwiseDefinition& definition, const Shape& shape,
                    const std::vector<ElementwiseArray>& arrays, Range range = Range::All) {
    const ElementwiseLayout layout = lay_out(definition, shape, arrays, false, range);
    return {.name = std::move(name),
            .folder = "elementwise",
            .source = emit(definition, layout.form),
            .text = definition.text,
            .signature = signature_of(definition, layout.form)};
}

SampleKernel reduction(std::string name, std::string_view type, std::array<const char*, 3> texts,
                       std::string_view arguments, KernelText text, const Shape& shape,
                       std::uint32_t axes, const std::vector<ElementwiseArray>& arrays) {
    ReductionDefinition definition;
    definition.parameters = parse_parameters(arguments, text.name);
    definition.type = type;
    definition.dtype = element_of(type);
    definition.neutral = texts[0];
    definition.reduce_expr = texts[1];
    definition.map_expr = texts[2];
    definition.text = std::move(text);
    definition.usage = usage_of(definition.map_expr, definition.parameters, definition.text);
    const ReductionForm form = lay_out(definition, shape, axes, arrays).form;
    return {.name = std::move(name),
            .folder = "reduction_kernel",
            .source = emit(definition, form),
            .text = definition.text,
            .signature = signature_of(definition, form)};
}

KernelText text_of(std::string name, std::string preamble = {}, std::string loop_prep = {},
                   std::string after_loop = {}) {
    KernelText text;
    text.name = std::move(name);
    text.preamble = std::move(preamble);
    text.loop_prep = std::move(loop_prep);
    text.after_loop = std::move(after_loop);
    return text;
}

}  // namespace

ElementwiseDefinition definition_of(std::string_view arguments, std::string_view operation,
                                    KernelText text) {
    ElementwiseDefinition definition{.parameters = parse_parameters(arguments, text.name),
                                     .operation = std::string(operation),
                                     .text = std::move(text)};
    definition.usage = usage_of(definition.operation, definition.parameters, definition.text);
    return definition;
}

std::vector<SampleKernel> sample_kernels() {
    register_dtype("Largest", DType::structure(lay_out_struct(
                                  "Largest", {{"value", float32}, {"index", int32}})));
    const Shape flat{1000};
    const ElementwiseArray floats = array_of(flat, Strides{4}, 4);
    const ElementwiseArray halves = array_of(flat, Strides{2}, 2);
    const ElementwiseArray one = array_of(flat, Strides{0}, 4);
    const Shape matrix{30, 70};
    const ElementwiseArray rows = array_of(matrix, Strides{280, 4}, 4);
    const ElementwiseArray columns = array_of(matrix, Strides{4, 120}, 4);
    const ElementwiseArray repeated = array_of(matrix, Strides{0, 4}, 4);
    const Shape low{70, 30};
    const std::string lin_comb = "float a, const float *x, float b, const float *y, float *z";
    return {
        sample("linear", definition_of(lin_comb, "z[i] = a*x[i] + b*y[i]", text_of("lin_comb")),
               flat, {floats, floats, floats}),
        sample("one_for_all", definition_of(lin_comb, "z[i] += a*x[i] + b*y[i]", text_of("add")),
               flat, {floats, one, floats}),
        sample(
            "halves",
            definition_of("const half *x, half *z", "z[i] = __hadd(x[i], x[i])", text_of("halves")),
            flat, {halves, halves}),
        sample("by_rows", definition_of(lin_comb, "z[i] = a*x[i] + b*y[i]", text_of("by_rows")),
               matrix, {repeated, columns, rows}),
        sample("strided", definition_of(lin_comb, "z[i] = i + a*x[i] + b*y[i]", text_of("strided")),
               low,
               {array_of(low, Strides{4, 280}, 4), array_of(low, Strides{120, 4}, 4),
                array_of(low, Strides{4, 280}, 4)}),
        sample("neighbours",
               definition_of("const float *x, float *z", "z[i] = i > 0 ? x[i] - x[i - 1] : 0",
                             text_of("neighbours")),
               matrix, {columns, rows}),
        sample("part", definition_of("float *z, float value", "z[i] = value", text_of("part")),
               matrix, {columns}, Range::Steps),
        sample("around",
               definition_of("const float *x, float *sum", "mine += x[i]",
                             text_of("around", "__device__ float first() { return 0; }",
                                     "float mine = first()", "atomicAdd(sum, mine)")),
               flat, {floats, array_of(Shape{1}, Strides{4}, 4, false)}),
        reduction("dot", "float", {"0", "a+b", "x[i]*y[i]"}, "const float *x, const float *y",
                  text_of("dot"), flat, 1, {floats, floats}),
        reduction("argmax", "Largest",
                  {"Largest{-1e30f, -1}", "b.value > a.value ? b : a", "Largest{x[i], (int)i}"},
                  "const float *x",
                  text_of("argmax", "struct Largest { float value; int index; };"), matrix, 2,
                  {columns}),
        reduction("columns", "std::complex<float>", {"0", "a+b", "s*x[i]"},
                  "std::complex<float> s, const std::complex<float> *x", text_of("columns"),
                  Shape{20, 10000}, 1, {array_of(Shape{20, 10000}, Strides{80000, 8}, 8)}),
        reduction("halves_and_neighbours", "half", {"0", "__hmax(a, b)", "__hsub(x[i], x[n-1-i])"},
                  "const half *x", text_of("neighbours"), flat, 1, {halves}),
    };
}

}  // namespace warpwise::algorithm
