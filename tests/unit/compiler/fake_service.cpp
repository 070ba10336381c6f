// A compiler library without a compiler: accepts one version, answers every compile with a target.
#include "src/compiler/service.hpp"

namespace {

class FakeService : public warpwise::compiler::CompilerService {
  public:
    warpwise::compiler::Program compile(
        const warpwise::compiler::CompileRequest& request) override {
        warpwise::compiler::Program program;
        program.target = request.target;
        return program;
    }
    warpwise::compiler::Program read_signatures(
        const warpwise::compiler::CompileRequest& request) override {
        return compile(request);
    }
    void write_default_prelude(const std::string&) override {}
};

}  // namespace

extern "C" WARPWISE_API warpwise::compiler::CompilerService* warpwise_compiler_service(
    std::uint32_t version) {
    static FakeService service;
    return version == FAKE_SERVICE_VERSION ? &service : nullptr;
}
