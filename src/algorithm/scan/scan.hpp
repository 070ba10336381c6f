// Users' scans: their texts, and the kernels that were compiled.
//
// Threading: as elementwise_state.hpp.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "src/algorithm/scan/scan_layout.hpp"
#include "src/algorithm/usage.hpp"
#include "src/base/mutex.hpp"
#include "warpwise/scan_kernel.hpp"
#include "warpwise/signature.hpp"

namespace warpwise::runtime {
class BufferState;
class Context;
class KernelState;
class StreamState;
}  // namespace warpwise::runtime

namespace warpwise::algorithm {

struct ScanDefinition {
    std::vector<KernelParameter> parameters;
    std::string type;  // of a value, in C++
    DType dtype;
    std::string input_expr;
    std::string scan_expr;
    std::string neutral;  // empty: none
    std::string output_statement;
    std::string segment_start;  // empty: one segment
    KernelText text;
    // What ScanState finds in the texts:
    Usage inputs;   // of input_expr and segment_start
    Usage outputs;  // of output_statement
    bool uses_previous = false;
    // "x[i]" scanned to "y[i] = item" or "y[i] = prev_item": which parameters x and y are.
    struct Plain {
        std::size_t in = 0;
        std::size_t out = 0;
    };
    std::optional<Plain> plain;

    // Of a value, with the mark that segments need.
    std::size_t value_bytes() const;
};

// What a word of eight bytes is.
struct ScanWord {
    enum class Role : std::uint8_t { Array, Workspace, Count, Tiles, Scalar };
    Role role = Role::Array;
    std::uint16_t number = 0;  // of the parameter
    std::uint16_t part = 0;
    std::string name;
};
std::vector<ScanWord> words_of(const ScanDefinition& definition);
KernelSignature signature_of(const ScanDefinition& definition, const ScanLayout& layout);
std::string emit(const ScanDefinition& definition, const ScanLayout& layout);

struct ScanLaunch {
    std::int64_t count = 0;                               // n; not 0
    std::span<const std::uint64_t> addresses;             // of the arrays
    std::span<const std::vector<std::uint64_t>> scalars;  // an entry for every parameter
    std::vector<std::shared_ptr<runtime::BufferState>> buffers;
};

class ScanProgram {
  public:
    // Refers to both.
    ScanProgram(const ScanDefinition& definition, runtime::Context& context);
    // As ElementwiseProgram::launch(). Allocates memory for tiles on the stream.
    void launch(runtime::StreamState& stream, const ScanLaunch& call) const;

  private:
    std::shared_ptr<runtime::KernelState> compiled(const ScanLayout& layout) const;
    // The kernel whose tiles are summed ahead; compiled by the first launch that takes it.
    std::shared_ptr<runtime::KernelState> ahead_kernel(const ScanLayout& layout) const;

    const ScanDefinition& definition_;
    runtime::Context& context_;
    const std::vector<ScanWord> words_;
    const std::size_t value_bytes_;
    const bool serial_;
    const std::shared_ptr<runtime::KernelState> kernel_;
    mutable Mutex mutex_;
    mutable std::shared_ptr<runtime::KernelState> ahead_kernel_ WARPWISE_GUARDED_BY(mutex_);
};

class ScanState {
  public:
    // Reads the usage and checks the texts. Throws ArgumentError and CompileError.
    explicit ScanState(ScanDefinition definition);
    const ScanDefinition& definition() const noexcept { return definition_; }
    const KernelSignature& signature() const noexcept { return signature_; }
    std::shared_ptr<const ScanProgram> program(runtime::Context& context);

  private:
    const ScanDefinition definition_;
    KernelSignature signature_;
    Mutex mutex_;
    std::unordered_map<const runtime::Context*, std::shared_ptr<const ScanProgram>> programs_
        WARPWISE_GUARDED_BY(mutex_);
};

}  // namespace warpwise::algorithm
