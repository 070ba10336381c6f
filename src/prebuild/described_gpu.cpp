// The CPU device in the words of a GPU.
#include "src/prebuild/described_gpu.hpp"

#include <cstdint>
#include <string>

namespace warpwise::prebuild {
namespace {

using runtime::Backend;

DeviceInfo described(DeviceInfo info) {
    info.name = "a GPU";
    info.architecture = "gpu";
    info.multiprocessors = 128;
    info.l2_cache_bytes = std::uint64_t{40} << 20;
    info.shares_host_memory = false;
    return info;
}

// Compiles for the host what was requested for the GPU: the text that is launched as for a GPU.
class HostCompiler final : public compiler::Compiler {
  public:
    explicit HostCompiler(Compiler& host) : host_(host) {}

    compiler::Program compile(const compiler::CompileRequest& request) override {
        compiler::CompileRequest here = request;
        here.target.clear();
        here.mode.executor = compiler::Executor::Reference;
        // What the device is has been read by then.
        here.source.insert(0, "#undef __WARPWISE_CPU__\n");
        return host_.compile(here);
    }
    std::string fingerprint() const override { return "described " + host_.fingerprint(); }
    bool is_permanent() const noexcept override { return true; }

  private:
    Compiler& host_;
};

// Without what only a device in host memory has: functions of the host, and a library of products.
class DescribedGpu final : public Backend {
  public:
    explicit DescribedGpu(Backend& host)
        : host_(host), info_(described(host.device_info(0))), compiler_(host.compiler()) {}

    std::string_view kind() const noexcept override { return "cuda"; }
    int device_count() override { return 1; }
    const DeviceInfo& device_info(int) override { return info_; }
    runtime::Allocator& allocator(int) override { return host_.allocator(0); }
    std::unique_ptr<runtime::Queue> make_queue(int, const runtime::QueueOptions& options) override {
        return host_.make_queue(0, options);
    }
    std::unique_ptr<runtime::EventImpl> make_event(int, bool timing) override {
        return host_.make_event(0, timing);
    }
    std::unique_ptr<runtime::ModuleImpl> make_module(int) override { return host_.make_module(0); }
    compiler::Compiler& compiler() override { return compiler_; }

  private:
    Backend& host_;
    const DeviceInfo info_;
    HostCompiler compiler_;
};

Backend& backend() {
    // Never destroyed, as other back ends.
    static auto& gpu = *new DescribedGpu(runtime::find_context("cpu")->backend());
    return gpu;
}

}  // namespace

std::shared_ptr<runtime::Context> described_gpu() {
    static auto& context =
        *new std::shared_ptr<runtime::Context>(std::make_shared<runtime::Context>(backend(), 0));
    return context;
}

const compiler::Compiler& compiler_of_described_gpu() {
    return backend().compiler();
}

}  // namespace warpwise::prebuild
