// A compiler that needs no clang: counts its calls and resolves #include "name" lines of the source
// against the request's folders, as the real one does.
#pragma once

#include <atomic>
#include <filesystem>
#include <sstream>
#include <string>

#include "src/base/file.hpp"
#include "src/compiler/compiler.hpp"
#include "src/compiler/include_search.hpp"
#include "tests/unit/compiler/example_program.hpp"
#include "warpwise/error.hpp"

namespace warpwise::compiler {

class FakeCompiler : public Compiler {
  public:
    explicit FakeCompiler(std::string fingerprint = "fake 1") : fingerprint_(fingerprint) {}

    // The binary is the source with each #include replaced by the header's text.
    Program compile(const CompileRequest& request) override {
        ++calls;
        if (request.source.find("#error") != std::string::npos) {
            throw CompileError("#error", "kernel.cu:1: #error", "kernel.cu", 1);
        }
        std::string text;
        Program program = example_program("");
        program.dependencies.clear();
        std::istringstream lines(request.source);
        for (std::string line; std::getline(lines, line);) {
            if (!line.starts_with("#include \"")) {
                text += line;
                continue;
            }
            const std::string name = line.substr(10, line.size() - 11);
            for (const std::string& folder : request.include_dirs) {
                const std::string path = folder + "/" + name;
                if (!std::filesystem::is_regular_file(path)) continue;
                text += read_file(path);
                program.dependencies.push_back({path, hash_of_file(path)});
                break;
            }
        }
        for (const char c : text) program.binary.push_back(static_cast<std::byte>(c));
        return program;
    }
    std::string fingerprint() const override { return fingerprint_; }

    std::atomic<int> calls{0};

  private:
    std::string fingerprint_;
};

inline std::string binary_text(const Program& program) {
    return {reinterpret_cast<const char*>(program.binary.data()), program.binary.size()};
}

}  // namespace warpwise::compiler
