// The text around a body, and the table of what was compiled.
#include "src/algorithm/library_kernel.hpp"

#include <fmt/format.h>

#include <atomic>
#include <functional>
#include <unordered_map>
#include <utility>

#include "src/base/mutex.hpp"
#include "src/codegen/emit/emitter.hpp"
#include "src/compiler/compiler.hpp"
#include "src/compiler/program_cache.hpp"
#include "src/runtime/context.hpp"
#include "src/runtime/module/module_state.hpp"
#include "src/types/promotion.hpp"

namespace warpwise::algorithm {
namespace {

// Of the device headers, what a text asks for by the kinds that it works on.
struct Parts {
    bool sixteen_bits = false;
    bool complex = false;

    explicit Parts(std::initializer_list<Kind> kinds) {
        for (const Kind kind : kinds) {
            sixteen_bits |= kind == Kind::Float16 || kind == Kind::BFloat16;
            complex |= types::is_complex(kind);
        }
    }
    friend bool operator==(const Parts&, const Parts&) = default;
};

std::string source_of(const LibraryText& text, const Parts& parts) {
    std::string source = "#define __WW_ARRAY_PARTS\n";
    if (parts.sixteen_bits) source += "#define __WW_ARRAY_SIXTEEN_BITS\n";
    if (parts.complex) source += "#define __WW_ARRAY_COMPLEX\n";
    source +=
        fmt::format("#include <{}>\nextern \"C\" __global__ void __launch_bounds__({}) {}(",
                    text.header, launch_bounds(text.threads, text.resident_blocks), text.name);
    for (std::size_t i = 0; i < text.parameters.size(); ++i) {
        const char letter = text.parameters[i];
        source += fmt::format("{}{}a{}", i == 0 ? "" : ", ",
                              letter == 'n'   ? "long long "
                              : letter == 'r' ? "const void *"
                                              : "void *",
                              i);
    }
    return source + ") {\n" + text.body + "\n}\n";
}

KernelSignature signature_of(const LibraryText& text) {
    KernelSignature signature{.name = std::string(text.name), .symbol = std::string(text.name)};
    signature.max_threads_per_block = static_cast<std::uint32_t>(text.threads);
    signature.min_blocks = static_cast<std::uint32_t>(text.resident_blocks);
    for (std::size_t i = 0; i < text.parameters.size(); ++i) {
        const char letter = text.parameters[i];
        Parameter parameter{.name = fmt::format("a{}", i)};
        parameter.is_const = letter == 'r';
        parameter.type = letter == 'n' ? "long long" : letter == 'r' ? "const void *" : "void *";
        parameter.passing =
            letter == 'n' ? Parameter::Passing::Scalar : Parameter::Passing::Pointer;
        parameter.dtype = letter == 'n' ? DType(Kind::Int64) : DType();
        parameter.offset = signature.argument_bytes;
        parameter.size = parameter.alignment = 8;
        signature.argument_bytes += 8;
        signature.parameters.push_back(std::move(parameter));
    }
    return signature;
}

std::atomic<bool> g_block_forms{false};

// What a kernel was made of, and the kernel.
struct Row {
    const runtime::Context* context;
    std::string name, header, parameters, body;
    int threads, resident_blocks;
    Parts parts;
    std::string source;
    std::shared_ptr<runtime::KernelState> kernel;

    bool is_of(const runtime::Context& asking, const LibraryText& text, const Parts& asked) const {
        return context == &asking && parts == asked && name == text.name && header == text.header &&
               parameters == text.parameters && body == text.body && threads == text.threads &&
               resident_blocks == text.resident_blocks;
    }
};
// By the hash of the body: calls look their kernel up each time, without writing its source.
struct Table {
    Mutex mutex;
    std::unordered_multimap<std::size_t, Row> rows WARPWISE_GUARDED_BY(mutex);

    std::shared_ptr<runtime::KernelState> find(std::size_t hash, const runtime::Context& context,
                                               const LibraryText& text, const Parts& parts)
        WARPWISE_REQUIRES(mutex) {
        const auto [begin, end] = rows.equal_range(hash);
        for (auto row = begin; row != end; ++row) {
            if (row->second.is_of(context, text, parts)) return row->second.kernel;
        }
        return nullptr;
    }
};
// Never destroyed: no kernel may be unloaded at exit.
Table& table() {
    static auto* const all = new Table;
    return *all;
}

}  // namespace

std::string launch_bounds(int threads, int resident_blocks) {
    if (resident_blocks == 0) return fmt::to_string(threads);
    return fmt::format("{}, {}", threads, resident_blocks);
}

std::shared_ptr<runtime::KernelState> library_kernel(const LibraryText& text,
                                                     std::initializer_list<Kind> kinds,
                                                     runtime::Context& context) {
    const Parts parts(kinds);
    const std::size_t hash = std::hash<std::string_view>()(text.body);
    Table& known = table();
    {
        MutexLock lock(known.mutex);
        if (auto kernel = known.find(hash, context, text, parts)) return kernel;
    }
    compiler::CompileRequest request;
    request.source = source_of(text, parts);
    request.name = fmt::format("{}.cu", text.name);
    request.target = context.info().architecture;
    request.mode.contraction = false;
    request.mode.signatures = {signature_of(text)};
    // A block of one thread gains nothing from vectors of threads.
    if (text.threads == 1 && is_serial(context)) {
        request.mode.executor = compiler::Executor::Reference;
        request.mode.block = compiler::BlockShape{1, 1, 1};
    }
    const auto program = std::make_shared<const compiler::Program>(
        compiler::compile_cached(context.backend().compiler(), request));
    const auto module = runtime::ModuleState::load(
        context.shared(), program, std::make_shared<const compiler::CompileRequest>(request));
    auto kernel = module->kernel(*module->kernels().front());
    MutexLock lock(known.mutex);
    // Another thread may have been quicker.
    if (auto other = known.find(hash, context, text, parts)) return other;
    known.rows.emplace(hash, Row{.context = &context,
                                 .name = std::string(text.name),
                                 .header = std::string(text.header),
                                 .parameters = std::string(text.parameters),
                                 .body = text.body,
                                 .threads = text.threads,
                                 .resident_blocks = text.resident_blocks,
                                 .parts = parts,
                                 .source = request.source,
                                 .kernel = kernel});
    return kernel;
}

std::string_view device_type(Kind kind) noexcept {
    return codegen::type_of(kind);
}

bool is_serial(const runtime::Context& context) noexcept {
    return context.info().shares_host_memory && !g_block_forms.load(std::memory_order_relaxed);
}

bool set_block_forms(bool always) noexcept {
    return g_block_forms.exchange(always);
}

std::vector<std::string> library_sources() {
    std::vector<std::string> sources;
    MutexLock lock(table().mutex);
    for (const auto& [hash, row] : table().rows) sources.push_back(row.source);
    return sources;
}

}  // namespace warpwise::algorithm
