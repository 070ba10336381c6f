// A temporary folder with the source and its headers in memory, one process, a cubin.
#include "src/backends/cuda/link/nvcc.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "src/backends/cuda/driver/toolkit.hpp"
#include "src/backends/cuda/link/binary_signatures.hpp"
#include "src/backends/cuda/nvrtc/nvrtc_options.hpp"
#include "src/base/environment.hpp"
#include "src/base/text.hpp"
#include "src/compiler/include_search.hpp"
#include "src/compiler/mode_options.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cuda {
namespace {

namespace fs = std::filesystem;

class WorkFolder {
  public:
    WorkFolder() {
        std::error_code error;
        std::string name = (fs::temp_directory_path(error) / "warpwise-nvcc-XXXXXX").string();
        if (error || ::mkdtemp(name.data()) == nullptr) {
            throw DeviceError(fmt::format("cannot make a folder for nvcc's files: {}",
                                          std::generic_category().message(errno)));
        }
        path_ = name;
    }
    ~WorkFolder() {
        std::error_code ignored;  // left to the system's cleaning of its folder
        fs::remove_all(path_, ignored);
    }
    WorkFolder(const WorkFolder&) = delete;
    WorkFolder& operator=(const WorkFolder&) = delete;

    std::string path() const { return path_.string(); }
    fs::path operator/(const char* name) const { return path_ / name; }

    fs::path write(const std::string& name, const std::string& text) const {
        fs::path file = path_ / fs::path(name).relative_path();
        std::error_code error;
        fs::create_directories(file.parent_path(), error);
        std::ofstream out(file, std::ios::binary);
        out << text;
        out.close();
        if (!out) throw DeviceError(fmt::format("cannot write {} for nvcc", quote(file.string())));
        return file;
    }

  private:
    fs::path path_;
};

std::string read_text(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

// Its exit status; what it prints goes to `output`.
int run(std::vector<std::string> words, const fs::path& output) {
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(),
                                       O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    pid_t child = -1;
    const int failure = ::posix_spawn(&child, words.front().c_str(), &actions, nullptr,
                                      arguments.data(), environment_block().data());
    ::posix_spawn_file_actions_destroy(&actions);
    if (failure != 0) {
        throw DeviceError(fmt::format("{} cannot be started: {}", quote(words.front()),
                                      std::generic_category().message(failure)));
    }
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::vector<std::string> command_line(const compiler::CompileRequest& request, const fs::path& nvcc,
                                      const WorkFolder& folder) {
    std::vector<std::string> words = {nvcc.string(), "-cubin", "-o",
                                      (folder / "out.cubin").string(), "-I" + folder.path()};
    bool has_architecture = false;
    for (const std::string& option : compiler::nvidia_options(request)) {
        if (option == "--nvcc") continue;
        has_architecture = has_architecture || option.starts_with("-arch") ||
                           option.starts_with("--gpu-architecture") ||
                           option.starts_with("-gencode");
        words.push_back(option);
    }
    if (!has_architecture) words.push_back("-arch=" + request.target);
    for (const std::string& one : request.include_dirs) words.push_back("-I" + one);
    return words;
}

// The front end's signatures, where it reads the source, in place of the cubin's.
void adopt_signatures(compiler::Program& program, const compiler::CompileRequest& request) {
    compiler::Program known;
    try {
        compiler::CompileRequest requested = request;
        requested.options = nvrtc_options(request.options).front_end;
        known = compiler::read_signatures(requested);
    } catch (const Error&) {
        return;  // nvcc knows more than it
    }
    for (compiler::KernelInfo& kernel : program.kernels) {
        for (const compiler::KernelInfo& one : known.kernels) {
            const bool is_same = one.signature.symbol == kernel.signature.symbol;
            if (is_same && one.refusal.message.empty()) kernel = one;
        }
    }
    program.dependencies = std::move(known.dependencies);
}

}  // namespace

fs::path find_nvcc() {
    std::vector<fs::path> folders;
    for (const fs::path& root : toolkit_roots()) folders.push_back(root / "bin");
    for (const fs::path& package : package_folders()) folders.push_back(package / "bin");
    const char* const path = std::getenv("PATH");
    std::string_view rest = path != nullptr ? path : "";
    while (!rest.empty()) {
        const std::size_t end = rest.find(':');
        folders.emplace_back(rest.substr(0, end));
        rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    }
    for (const fs::path& folder : folders) {
        if (::access((folder / "nvcc").c_str(), X_OK) == 0) return folder / "nvcc";
    }
    return {};
}

compiler::Program compile_with_nvcc(const compiler::CompileRequest& request) {
    const fs::path nvcc = find_nvcc();
    if (nvcc.empty()) {
        throw DeviceError(
            "--nvcc is among the options, but there is no nvcc in CUDA_HOME, CUDA_PATH, "
            "/usr/local/cuda, NVIDIA's Python packages or PATH; install the CUDA toolkit, or leave "
            "the option out: NVRTC compiles then");
    }
    if (!request.name_expressions.empty()) {
        throw UnsupportedError(fmt::format(
            "{} is an instance of a template, which --nvcc does not make on demand; instantiate it "
            "in the source (template __global__ void ...)",
            quote(request.name_expressions.front())));
    }
    const WorkFolder folder;
    for (const auto& [name, text] : request.headers) folder.write(name, text);
    std::vector<std::string> words = command_line(request, nvcc, folder);
    words.push_back(
        folder.write("kernel.cu", fmt::format("#line 1 \"{}\"\n{}", request.name, request.source))
            .string());
    const fs::path printed = folder / "log";
    const int status = run(std::move(words), printed);
    std::string log = read_text(printed);
    if (status != 0) {
        throw CompileError(
            fmt::format("nvcc refuses the source: {}", log.substr(0, log.find('\n'))), log,
            request.name, 0);
    }
    const std::string cubin = read_text(folder / "out.cubin");
    const auto* const bytes = reinterpret_cast<const std::byte*>(cubin.data());
    compiler::Program program = read_cubin({bytes, cubin.size()}, request.name);
    adopt_signatures(program, request);
    program.target = request.target;
    program.log = std::move(log);
    // Another nvcc is another program.
    program.dependencies.push_back({nvcc.string(), compiler::hash_of_file(nvcc.string())});
    return program;
}

}  // namespace warpwise::cuda
