// Helpers for tests of the lowering: CUDA text in, IR text or a kernel that runs out.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "src/backends/cpu/compiler/translation.hpp"
#include "src/backends/cpu/module/kernel.hpp"
#include "src/backends/cpu/module/object_loader.hpp"
#include "src/compiler/mode_options.hpp"
#include "tests/unit/backends/cpu/device_test.hpp"

namespace warpwise::cpu_compiler::test {

inline constexpr const char* kReference = "--warpwise-executor=reference";

// By default what executor *reference* runs; an option among `options` may say otherwise.
inline compiler::Program compile(std::string_view source, std::string_view format,
                                 std::string_view target = "x86-64-v3",
                                 std::vector<std::string> options = {}) {
    options.insert(options.begin(), kReference);
    compiler::CompileRequest request;
    request.source = source;
    request.name = "test.cu";
    request.mode = compiler::take_mode(options);
    request.options = std::move(options);
    request.target = target;
    request.format = format;
    return generate(translate(request), target, format);
}

inline std::string text_of(const compiler::Program& program) {
    return {reinterpret_cast<const char*>(program.binary.data()), program.binary.size()};
}

// The optimised and lowered module, scalar.
inline std::string ir_of(std::string_view source, std::vector<std::string> options = {}) {
    return text_of(compile(source, "llvm", "x86-64-v3", std::move(options)));
}

inline std::size_t count(std::string_view text, std::string_view what) {
    std::size_t found = 0;
    for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++found;
    return found;
}

inline const compiler::KernelInfo& kernel(const compiler::Program& program, std::string_view name) {
    for (const compiler::KernelInfo& info : program.kernels) {
        if (info.signature.name == name) return info;
    }
    throw std::out_of_range("no kernel " + std::string(name));
}

// What the run time is told of it.
inline cpu::KernelRecord record(const compiler::Program& program, std::string_view name) {
    return cpu::decode_record(kernel(program, name).backend_data);
}

// A source compiled and loaded. Kernels take parameters of eight bytes each.
class Loaded {
  public:
    explicit Loaded(std::string_view source, std::string_view target = "x86-64-v2",
                    const cpu::LoadedObject::Existing& existing = nothing_exists)
        : program_(compile(source, "object", target, {"--warpwise-executor=auto"})),
          object_(program_.binary, existing) {}

    template <class... Arguments>
    void run(std::string_view name, cpu::test::Extent grid, cpu::test::Extent block,
             Arguments... arguments) {
        launch(name, grid, block, 0, arguments...);
    }

    template <class... Arguments>
    void launch(std::string_view name, cpu::test::Extent grid, cpu::test::Extent block,
                std::uint32_t dynamic_shared, Arguments... arguments) {
        cpu::CpuKernel loaded;
        loaded.info = &kernel(program_, name);
        loaded.record = record(program_, name);
        loaded.entry =
            reinterpret_cast<cpu::KernelEntry>(*object_.symbol(loaded.info->signature.symbol));
        loaded.max_threads_per_block = cpu::kMaxThreadsPerBlock;
        const std::vector<std::byte> packed = cpu::test::pack(arguments...);
        runtime::Launch launch;
        launch.kernel = &loaded;
        launch.grid = grid;
        launch.block = block;
        launch.dynamic_shared_bytes = dynamic_shared;
        launch.arguments = packed;
        const auto queue = cpu::test::new_queue();
        queue->launch(launch);
        cpu::test::finish(*queue);
    }

    const compiler::Program& program() const { return program_; }
    const cpu::LoadedObject& object() const { return object_; }

    static std::optional<std::uint64_t> nothing_exists(std::string_view) { return std::nullopt; }

  private:
    compiler::Program program_;
    cpu::LoadedObject object_;
};

}  // namespace warpwise::cpu_compiler::test
