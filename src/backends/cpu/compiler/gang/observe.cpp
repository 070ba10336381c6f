// One folder for each kernel and form, one file for each pass and time.
#include "src/backends/cpu/compiler/gang/observe.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

#include <filesystem>
#include <fstream>

#include "warpwise/error.hpp"

namespace warpwise::cpu_compiler::gang {
namespace {

constexpr std::size_t kLongestName = 100;  // of a symbol in a file name

// A symbol as part of a path: mangled names of templates may be longer than a file system takes.
std::string file_name_of(const std::string& symbol) {
    std::string name = symbol.substr(0, kLongestName);
    for (char& letter : name) {
        const bool is_plain = llvm::isAlnum(letter) || letter == '_' || letter == '.';
        if (!is_plain) letter = '-';
    }
    return name;
}

std::string folder_of(const GangContext& context) {
    std::string name = file_name_of(context.name);
    if (context.block) name += fmt::format(".{}", fmt::join(*context.block, "x"));
    if (context.is_quick) name += ".quick";
    return context.options.dump_folder + "/" + name;
}

}  // namespace

void dump(const llvm::Function& function, std::string_view pass, std::string_view when,
          const GangContext& context) {
    const std::string folder = folder_of(context);
    const std::string path =
        fmt::format("{}/{:03}-{}.{}.ll", folder, context.passes_run, pass, when);
    std::error_code problem;
    std::filesystem::create_directories(folder, problem);
    std::string text;
    llvm::raw_string_ostream stream(text);
    function.print(stream);
    std::ofstream file(path);
    file << text;
    file.close();
    if (file.fail()) {
        throw DeviceError(
            fmt::format("WARPWISE_DUMP cannot write {}; name a folder that can be written in "
                        "WARPWISE_DUMP_FOLDER",
                        path));
    }
}

void verify(const llvm::Function& function, std::string_view pass, std::string_view kernel) {
    constexpr std::size_t kLongestProblem = 2000;
    std::string problem;
    llvm::raw_string_ostream stream(problem);
    if (!llvm::verifyFunction(function, &stream)) return;
    throw CompileError(
        fmt::format("internal error: the pass '{}' left kernel '{}' malformed: {}; please report "
                    "it with the source, or leave the pass out with WARPWISE_SKIP_PASS={}",
                    pass, kernel, problem.substr(0, kLongestProblem), pass),
        problem, "", 0);
}

}  // namespace warpwise::cpu_compiler::gang
