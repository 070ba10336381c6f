// The whole text of a kernel, and its signature.
#include "src/script/translate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "src/script/identifiers.hpp"
#include "src/script/improve/default_stores.hpp"
#include "src/script/narrow/narrow.hpp"
#include "src/script/resolve/translation.hpp"
#include "warpwise/error.hpp"

namespace warpwise::script {
namespace {

// Callers before what they call, whose parameters then have bounds.
void narrow_instances(Translation& translation, const TranslateOptions& options) {
    std::map<const Instance*, std::vector<Interval>> parameters;
    std::set<const Instance*> unknown;
    const std::vector<Instance*>& order = translation.order();
    const bool has_other_views =
        std::ranges::any_of(order, [](const Instance* one) { return reinterprets(one->body); });
    for (auto at = order.rbegin(); at != order.rend(); ++at) {
        Instance& instance = **at;
        NarrowOptions narrow_options{.zero_unset = options.zero_unset,
                                     .is_small_launch = options.is_small_launch,
                                     .reinterprets = has_other_views};
        const bool is_known = !translation.is_recursive(instance) && !unknown.contains(&instance);
        if (is_known) narrow_options.parameters = parameters[&instance];
        for (const auto& [called, ranges] : narrow(instance, narrow_options)) {
            std::vector<Interval>& known = parameters[called];
            if (ranges.empty()) unknown.insert(called);
            known.resize(ranges.size());
            for (std::size_t i = 0; i < known.size(); ++i) known[i] = joined(known[i], ranges[i]);
        }
    }
}

// The same results, faster. Checks report what the statements do as they stand.
void improve(Translation& translation, const TranslateOptions& options) {
    if (options.checks) return;
    join_default_stores(translation.kernel().body);
    narrow_instances(translation, options);
}

void name_instances(Translation& translation) {
    std::map<std::string, int> counts;
    for (Instance* instance : translation.order()) {
        const bool is_lambda = instance->node->is("Lambda");
        const std::string name = is_lambda ? "lambda" : (*instance->node)["name"].text;
        if (instance->is_kernel) {
            instance->text = global_identifier(name);
            continue;
        }
        const int count = ++counts[name];
        instance->text = "py::" + identifier(name);
        if (count > 1) instance->text += fmt::format("_{}", count);
    }
}

DType parameter_dtype(Type type) {
    if (type->is_complex()) {
        const DType part(type->kind == Kind::Complex64 ? Kind::Float32 : Kind::Float64);
        StructType both{.name = spelling_of(type),
                        .fields = {{.name = "real", .dtype = part, .offset = 0},
                                   {.name = "imag", .dtype = part, .offset = part.size()}},
                        .size = 2 * part.size(),
                        .alignment = 2 * part.size()};
        return DType::structure(both);
    }
    if (type->is_number() || type->is_time()) return DType(type->kind);
    std::vector<StructField> fields{{.name = "data", .dtype = DType(Kind::Pointer)}};
    const auto rank = static_cast<std::size_t>(type->rank);
    if (rank > 0) {
        fields.push_back({.name = "shape", .dtype = DType(Kind::Int64), .count = rank});
        if (type->layout == Layout::Strided) {
            fields.push_back({.name = "strides", .dtype = DType(Kind::Int64), .count = rank});
        }
    }
    return DType::structure(lay_out_struct(spelling_of(type), std::move(fields)));
}

KernelSignature signature_of(const std::string& name, const std::vector<KernelWord>& words) {
    KernelSignature signature{.name = name, .symbol = name};
    for (const KernelWord& word : words) {
        Parameter parameter{.name = word.name, .type = spelling_of(word.type)};
        parameter.dtype = parameter_dtype(word.type);
        parameter.passing = parameter.dtype.kind() == Kind::Struct ? Parameter::Passing::Struct
                                                                   : Parameter::Passing::Scalar;
        parameter.size = static_cast<std::uint32_t>(parameter.dtype.size());
        parameter.alignment = static_cast<std::uint32_t>(parameter.dtype.alignment());
        const std::uint32_t rest = signature.argument_bytes % parameter.alignment;
        if (rest != 0) signature.argument_bytes += parameter.alignment - rest;
        parameter.offset = signature.argument_bytes;
        signature.argument_bytes += parameter.size;
        signature.parameters.push_back(std::move(parameter));
    }
    return signature;
}

std::string constant_text(const StorageDeclaration& one) {
    std::string extents;
    for (const std::int64_t extent : one.shape) {
        extents += fmt::format("[{}]", std::max<std::int64_t>(extent, 1));  // C++ has no empty ones
    }
    return fmt::format("{} {} {}{} = {{{}}};\n", one.qualifier, spelling_of(one.element), one.name,
                       extents, one.initializer);
}

// What comes before the kernel, and the emitters of all instances.
std::string text_of_functions(Translation& translation, const TranslateOptions& options,
                              std::vector<std::unique_ptr<FunctionEmitter>>& emitters) {
    std::string source = "#include <warpwise_python.h>\n\n" + options.preamble;
    for (const auto& [name, text] : translation.externals()) source += text;
    for (const StorageDeclaration& one : translation.constants()) source += constant_text(one);
    for (Instance* instance : translation.order()) {
        emitters.push_back(std::make_unique<FunctionEmitter>(*instance, options.zero_unset));
        if (instance->is_kernel || !translation.is_recursive(*instance)) continue;
        std::string head = emitters.back()->head();
        head.replace(head.find(instance->text), 4, "");
        source += fmt::format("namespace py {{ {}; }}\n", head);
    }
    for (std::size_t i = 0; i < emitters.size(); ++i) {
        const Instance& instance = *translation.order()[i];
        if (instance.is_kernel) continue;
        Lines lines = emitters[i]->emit();
        lines[0].text.replace(lines[0].text.find(instance.text), 4, "");
        source += "namespace py {\n" + text_of(lines, instance.function->source.file) + "}\n\n";
    }
    return source;
}

void add_includes(std::string& source) {
    if (source.find("__ww_py_complex_") != std::string::npos) {
        source.insert(0, "#define __WW_PY_COMPLEX_FUNCTIONS\n");
    }
    if (source.find("__ww_py_time") != std::string::npos ||
        source.find("__ww_py_is_nat") != std::string::npos) {
        source.insert(0, "#define __WW_PY_TIMES\n");
    }
    if (source.find("__ww_py_array_") != std::string::npos) {
        source.insert(0, "#define __WW_PY_REDUCTIONS\n");
    }
    if (source.find("__ww_py_matrix_") != std::string::npos) {
        source.insert(0, "#define __WW_PY_MATRICES\n");
    }
    if (source.find("__ww_py_chars") != std::string::npos) {
        source.insert(0, "#define __WW_PY_CHARS\n");
    }
    if (source.find("__half") != std::string::npos) {
        source.insert(0, "#include <cuda_fp16.h>\n#define __WW_PY_HALF\n");
    }
}

}  // namespace

Translated translate(const Program& program, std::vector<Type> arguments,
                     const TranslateOptions& options) {
    Translation translation(program, arguments, options);
    translation.run();
    improve(translation, options);
    name_instances(translation);
    std::vector<std::unique_ptr<FunctionEmitter>> emitters;
    Translated result{.source = text_of_functions(translation, options, emitters)};
    Instance& kernel = translation.kernel();
    for (std::size_t i = 0; i < emitters.size(); ++i) {
        if (translation.order()[i] != &kernel) continue;
        Lines lines = emitters[i]->emit();
        if (!options.launch_bounds.empty()) {
            lines[0].text.insert(
                lines[0].text.find(kernel.text + "("),
                fmt::format("__launch_bounds__({}) ", fmt::join(options.launch_bounds, ", ")));
        }
        result.source += text_of(lines, kernel.function->source.file);
        result.words = emitters[i]->words();
    }
    result.is_cooperative = result.source.find("::cooperative_groups::") != std::string::npos;
    if (result.is_cooperative) {
        result.source.insert(0, "#include <cooperative_groups.h>\n");
    }
    add_includes(result.source);
    if (options.is_small_launch) result.source.insert(0, "#define __WW_PY_SMALL_LAUNCH\n");
    result.signature = signature_of(kernel.text, result.words);
    const std::vector<std::uint32_t>& bounds = options.launch_bounds;
    if (!bounds.empty()) result.signature.max_threads_per_block = bounds[0];
    if (bounds.size() > 1) result.signature.min_blocks = bounds[1];
    result.written = kernel.written;
    result.few_items = kernel.few_items;
    if (kernel.may_end) result.raises = translation.raises();
    result.arguments = std::move(arguments);
    return result;
}

std::string device_source(const Program& program, std::vector<Type> arguments,
                          const std::string& name, bool returns_status, Type declared,
                          const TranslateOptions& options) {
    Translation translation(program, std::move(arguments), options, false);
    translation.run();
    name_instances(translation);
    std::vector<std::unique_ptr<FunctionEmitter>> emitters;
    std::string source = text_of_functions(translation, options, emitters);
    const Instance& function = translation.kernel();
    // Of C linkage, a name is what others call; Numba's may be spelt as C++ takes it.
    const std::string own = name == "<lambda>" ? "lambda" : name;
    const std::string spelled = returns_status ? global_identifier(own) : own;
    const bool has_result = function.result->family != Family::None;
    const auto is_real = [](Type type) { return type->is_number() && !type->is_complex(); };
    if (declared == nullptr) declared = function.result;
    if (declared != function.result && !(is_real(declared) && is_real(function.result))) {
        throw ArgumentError(
            ArgumentError::Kind::Type,
            fmt::format("{}() returns {}, but is declared to return {}", function.function->name,
                        described(function.result), text_of(declared)));
    }
    const std::string result = spelling_of(declared);
    std::string parameters = !returns_status ? "" : has_result ? result + " *result" : "void *";
    std::string given;
    for (std::size_t i = 0; i < function.arguments.size(); ++i) {
        const Type type = function.arguments[i];
        if (!type->has_value()) continue;
        parameters += fmt::format("{}{} a{}", parameters.empty() ? "" : ", ", spelling_of(type), i);
        given += fmt::format("{}a{}", given.empty() ? "" : ", ", i);
    }
    if (function.may_end) given += given.empty() ? "ended" : ", ended";
    const std::string call = fmt::format("::{}({})", function.text, given);
    source += fmt::format("extern \"C\" __device__ {} {}({}) {{\n", returns_status ? "int" : result,
                          spelled, parameters);
    if (function.may_end) source += "    bool ended = false;\n";
    source += fmt::format("    {}{};\n",
                          !has_result      ? ""
                          : returns_status ? "*result = "
                                           : "return ",
                          call);
    source += returns_status ? "    return 0;\n}\n" : "}\n";
    add_includes(source);
    return source;
}

Type result_of(const Program& program, std::vector<Type> arguments,
               const TranslateOptions& options) {
    Translation translation(program, std::move(arguments), options, false);
    translation.run();
    return translation.kernel().result;
}

}  // namespace warpwise::script
