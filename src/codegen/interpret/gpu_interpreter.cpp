// Making code, loading it, and launching its kernels.
#include "src/codegen/interpret/gpu_interpreter.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "src/base/file.hpp"
#include "src/base/log.hpp"
#include "src/codegen/arguments.hpp"
#include "src/codegen/background.hpp"
#include "src/codegen/interpret/interpreter_file.hpp"
#include "src/codegen/workspace.hpp"
#include "src/compiler/compiler.hpp"
#include "src/compiler/service_library.hpp"
#include "src/runtime/binary_support.hpp"
#include "src/runtime/context.hpp"
#include "src/runtime/launch/generated_launch.hpp"
#include "src/runtime/module/module_state.hpp"
#include "src/runtime/stream/stream_state.hpp"
#include "warpwise/error.hpp"

namespace warpwise::codegen::interpret {
namespace {

constexpr const char* kElementwise = "ww_interpreted";
constexpr const char* kReduction = "ww_interpreted_reduction";
// What the PTX is written for.
constexpr const char* kTarget = "sm_75";
// Programs of fewer groups end before it pays, and would wait at their end for what is being made.
constexpr unsigned kGroupsForExact = 4;
constexpr unsigned kGroupsForAll = 16;
// Blocks walk over the points of larger spaces.
constexpr std::int64_t kMostWalking = std::int64_t{1} << 20;
// A guess: nanoseconds of one step at one point, where all of a mid-sized GPU works.
constexpr double kStepTime = 0.01;
// Elementwise programs have no tiles.
constexpr std::array<std::uint32_t, 3> kFlat{kThreads, 1, 1};

KernelSignature signature_named(const char* name) {
    KernelSignature signature{.name = name, .symbol = name};
    signature.max_threads_per_block = kThreads;
    signature.argument_bytes = sizeof(__ww_program);
    Parameter parameter{.name = "program", .type = "__ww_program"};
    parameter.passing = Parameter::Passing::Sized;
    parameter.size = sizeof(__ww_program);
    parameter.alignment = alignof(__ww_program);
    signature.parameters.push_back(std::move(parameter));
    return signature;
}

// Null where there is none, or it is not of this build.
std::shared_ptr<const compiler::Program> read_program() {
    const std::string path = compiler::library_folder() + "/" + kInterpreterFile;
    const auto text = read_file_if_there(path);
    if (!text) {
        log::info("{} is not there: array kernels for GPUs are compiled before they run", path);
        return nullptr;
    }
    if (!text->starts_with(interpreter_mark())) {
        log::warning("{} is of another build: array kernels for GPUs are compiled before they run",
                     path);
        return nullptr;
    }
    auto program = std::make_shared<compiler::Program>();
    program->target = kTarget;
    program->format = "ptx";
    const auto bytes = std::as_bytes(std::span(*text));
    program->binary.assign(bytes.begin(), bytes.end());
    for (const char* name : {kElementwise, kReduction}) {
        compiler::KernelInfo info;
        info.signature = signature_named(name);
        program->kernels.push_back(std::move(info));
    }
    return program;
}

std::shared_ptr<runtime::KernelState> kernel_named(runtime::ModuleState& module,
                                                   std::string_view name) {
    for (const compiler::KernelInfo* info : module.kernels()) {
        if (info->signature.name == name) return module.kernel(*info);
    }
    throw DeviceError("the interpreter of array operations is not whole; install warpwise again");
}

// PTX as a cubin of our cache, where NVIDIA's linker is there to make one: else the driver compiles
// it in each process, or keeps it in a cache of its own.
std::shared_ptr<const compiler::Program> assembled(
    const std::shared_ptr<const compiler::Program>& ptx, runtime::Context& context) {
    runtime::BinarySupport* const binaries = context.backend().binaries();
    if (binaries == nullptr) return ptx;
    const runtime::LinkPart part{.name = kInterpreterFile, .image = ptx->binary};
    try {
        return std::make_shared<const compiler::Program>(
            binaries->link({&part, 1}, {}, context.info().architecture));
    } catch (const Error& error) {
        log::info("the driver compiles the interpreter of array operations: {}", error.what());
        return ptx;
    }
}

compiler::CompileRequest request_of_all(runtime::Context& context) {
    compiler::CompileRequest request;
    request.source = "#define __WW_ALL_FUNCTIONS\n#include <warpwise_interpreter.h>\n";
    request.name = "interpreter.cu";
    request.target = context.info().architecture;
    request.mode.contraction = false;
    request.mode.signatures = {signature_named(kElementwise), signature_named(kReduction)};
    return request;
}

std::shared_ptr<const compiler::Program> compiled(runtime::Context& context) {
    return std::make_shared<const compiler::Program>(
        compiler::compile_cached(context.backend().compiler(), request_of_all(context)));
}

std::shared_ptr<const compiler::Program> compiled_before(runtime::Context& context) {
    auto found = compiler::find_cached(context.backend().compiler(), request_of_all(context));
    return found ? std::make_shared<const compiler::Program>(std::move(*found)) : nullptr;
}

struct Interpreters {
    std::shared_ptr<GpuInterpreter> exact;
    std::shared_ptr<GpuInterpreter> all;

    void make() {
        if (const auto ptx = read_program()) {
            exact = std::make_shared<GpuInterpreter>(
                [ptx](runtime::Context& context) { return assembled(ptx, context); },
                kGroupsForExact);
        }
        all = std::make_shared<GpuInterpreter>(compiled, kGroupsForAll, compiled_before);
    }
};

}  // namespace

std::shared_ptr<GpuInterpreter> GpuInterpreter::of(runtime::Context& context, Ops ops) {
    if (!context.info().architecture.starts_with("sm_")) return nullptr;
    static auto& mutex = *new Mutex;
    // Contexts live as long as the process.
    static auto& known = *new std::map<runtime::Context*, Interpreters>;
    MutexLock lock(mutex);
    const auto [row, is_new] = known.try_emplace(&context);
    if (is_new) row->second.make();
    return ops == Ops::Exact ? row->second.exact : row->second.all;
}

void GpuInterpreter::load(runtime::Context& context) {
    load_by(make_, context);
}

void GpuInterpreter::load_by(const Make& make, runtime::Context& context) {
    MutexLock lock(loading_);
    if (is_loaded()) return;
    const auto program = make(context);
    if (program == nullptr) return;
    const auto module = runtime::ModuleState::load(context.shared(), program);
    elementwise_ = kernel_named(*module, kElementwise);
    reduction_ = kernel_named(*module, kReduction);
    is_loaded_.store(true, std::memory_order_release);
}

void GpuInterpreter::request(runtime::Context& context) noexcept {
    const unsigned asked = asked_.fetch_add(1, std::memory_order_relaxed) + 1;
    const bool is_made = asked == groups_;
    if (!is_made && (asked != 1 || !find_)) return;
    run_in_background([this, context = context.shared(), is_made] {
        load_by(is_made ? make_ : find_, *context);
    });
}

double GpuInterpreter::launch(const GpuProgram& program, runtime::StreamState& stream,
                              const Binding& binding) const {
    const Group& group = program.group();
    const bool reduces = group.skeleton == Skeleton::Reduction;
    const Geometry geometry = geometry_of(group, binding.extents, 1);
    if (geometry.blocks == 0) return 0;
    const std::int64_t points = count_of(binding.extents);
    const auto blocks = std::min(divided_up(points, kThreads), kMostWalking);
    const std::array<std::uint32_t, 3> walking{static_cast<std::uint32_t>(blocks), 1, 1};
    const std::array<std::uint32_t, 3> grid = reduces ? grid_of(group, geometry) : walking;
    const Workspace workspace = Workspace::make(group, geometry, stream);
    const __ww_program packed =
        program.pack(binding, geometry, workspace.states, workspace.counters);
    runtime::launch_generated(reduces ? reduction_ : elementwise_, stream,
                              {.grid = grid,
                               .block = reduces ? block_of(group) : kFlat,
                               .shared_bytes = static_cast<std::uint32_t>(program.shared_bytes()),
                               .arguments = std::as_bytes(std::span(&packed, 1)),
                               .buffers = workspace.buffers(),
                               .more_buffers = binding.buffers});
    return kStepTime * static_cast<double>(points) * static_cast<double>(program.steps());
}

}  // namespace warpwise::codegen::interpret
