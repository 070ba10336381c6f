// ReductionKernels: the form of a call, its text, and the kernels that were compiled.
//
// A result is computed by blocks, a part each, or by a thread in each of several blocks. The last
// part to end joins all of them in their order.
//
// Threading: as elementwise_state.hpp.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "src/algorithm/elementwise_form.hpp"
#include "src/base/mutex.hpp"

namespace warpwise::runtime {
class BufferState;
class Context;
class KernelState;
class StreamState;
}  // namespace warpwise::runtime

namespace warpwise::algorithm {

struct ReductionDefinition {
    std::vector<KernelParameter> parameters;
    std::string type;  // of a value, in C++
    DType dtype;
    std::string neutral;
    std::string reduce_expr;
    std::string map_expr;
    KernelText text;
    Usage usage;  // of map_expr
};

struct ReductionForm {
    bool by_threads = false;
    std::uint8_t kept = 0;     // axes
    std::uint8_t reduced = 1;  // axes
    struct One {
        bool is_pointer = false;       // without gaps, in C order over its own shape
        std::int8_t unit = -1;         // the axis along which elements are neighbours
        std::uint32_t fixed = 0;       // axes with stride 0, a bit each
        std::uint32_t item_bytes = 0;  // of a type that is not known
        friend bool operator==(const One&, const One&) = default;
    };
    std::vector<One> arrays;  // of the parameters that are arrays; then the index, in elements

    friend bool operator==(const ReductionForm&, const ReductionForm&) = default;
    std::uint64_t hash() const noexcept;
};

struct ReductionLayout {
    ReductionForm form;
    std::int64_t count = 0;    // n
    std::int64_t kept = 1;     // results
    std::int64_t reduced = 1;  // elements of each
    codegen::Parts parts;
    Shape extents;                 // kept axes, then reduced ones
    std::vector<Strides> strides;  // as form.arrays
};

// `axes`: a bit for each reduced axis of `shape`. Arrays that are used at other indices than i are
// read through pointers; they have no gaps.
ReductionLayout lay_out(const ReductionDefinition& definition, const Shape& shape,
                        std::uint32_t axes, const std::vector<ElementwiseArray>& arrays);

// What a word of eight bytes is.
struct ReductionWord {
    enum class Role : std::uint8_t {
        Array,
        Result,
        Workspace,
        Counters,
        Count,
        Kept,
        Reduced,
        Parts,
        Length,
        Extent,
        Stride,
        Scalar,
    };
    Role role = Role::Array;
    std::uint16_t number = 0;
    std::uint16_t axis = 0;
    std::string name;
};
std::vector<ReductionWord> words_of(const ReductionDefinition& definition,
                                    const ReductionForm& form);
KernelSignature signature_of(const ReductionDefinition& definition, const ReductionForm& form);
std::string emit(const ReductionDefinition& definition, const ReductionForm& form);

struct ReductionLaunch {
    const ReductionLayout* layout = nullptr;
    std::uint64_t result = 0;                             // address
    std::span<const std::uint64_t> addresses;             // of the arrays
    std::span<const std::vector<std::uint64_t>> scalars;  // an entry for every parameter
    std::vector<std::shared_ptr<runtime::BufferState>> buffers;
};

class ReductionProgram {
  public:
    ReductionProgram(const ReductionDefinition& definition, const ReductionForm& form,
                     runtime::Context& context);
    // As ElementwiseProgram::launch(). Allocates memory for parts on the stream.
    void launch(runtime::StreamState& stream, const ReductionLaunch& call) const;

  private:
    const std::vector<ReductionWord> words_;
    const std::size_t value_bytes_;
    std::shared_ptr<runtime::KernelState> kernel_;
};

class ReductionState {
  public:
    // Reads the usage and checks the texts. Throws ArgumentError and CompileError.
    explicit ReductionState(ReductionDefinition definition);
    const ReductionDefinition& definition() const noexcept { return definition_; }
    const KernelSignature& signature() const noexcept { return signature_; }
    std::shared_ptr<const ReductionProgram> program(const ReductionForm& form,
                                                    runtime::Context& context);

  private:
    struct Key {
        ReductionForm form;
        const runtime::Context* context = nullptr;
        friend bool operator==(const Key&, const Key&) = default;
    };
    struct HashOfKey {
        std::size_t operator()(const Key& key) const noexcept {
            return key.form.hash() ^ std::hash<const void*>()(key.context);
        }
    };
    const ReductionDefinition definition_;
    KernelSignature signature_;
    Mutex mutex_;
    std::unordered_map<Key, std::shared_ptr<const ReductionProgram>, HashOfKey> programs_
        WARPWISE_GUARDED_BY(mutex_);
};

}  // namespace warpwise::algorithm
