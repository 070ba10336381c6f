// What stands behind an ElementwiseKernel: its texts and the kernels that were compiled from them.
//
// Threading: immutable but for the table of kernels, which has a lock that is never held while
// compiling.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
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

// The numbers of one launch.
struct ElementwiseLaunch {
    const ElementwiseLayout* layout = nullptr;
    std::int64_t points = 0;  // to visit: n, but for a range; not 0
    std::int64_t start = 0;   // of a range
    std::int64_t step = 1;
    std::span<const std::uint64_t> addresses;  // of the arrays
    // Of the parameters in their order, arrays aside: the words of each.
    std::span<const std::vector<std::uint64_t>> scalars;  // an entry for every parameter
    std::span<const std::shared_ptr<runtime::BufferState>> buffers;
};

class ElementwiseProgram {
  public:
    ElementwiseProgram(const ElementwiseDefinition& definition, const ElementwiseForm& form,
                       runtime::Context& context);

    // Queues the kernel, or records it while the stream is captured. The caller has settled what is
    // pending and noted the uses of the buffers.
    void launch(runtime::StreamState& stream, const ElementwiseLaunch& call) const;

  private:
    std::uint32_t blocks_of(const ElementwiseLaunch& call) const;
    static std::uint64_t value_of(const ElementwiseWord& word, const ElementwiseLaunch& call);

    const ElementwiseForm form_;
    const std::vector<ElementwiseWord> words_;
    const int items_;
    const bool loops_;
    const std::uint32_t most_blocks_;  // where threads loop
    std::shared_ptr<runtime::KernelState> kernel_;
};

class ElementwiseState {
  public:
    // Throws ArgumentError and CompileError for texts that no kernel can be made of.
    explicit ElementwiseState(ElementwiseDefinition definition);

    const ElementwiseDefinition& definition() const noexcept { return definition_; }
    // For the values among the parameters: what pack_value() checks numbers against.
    const KernelSignature& signature() const noexcept { return signature_; }
    // Compiles it where it is new.
    std::shared_ptr<const ElementwiseProgram> program(const ElementwiseForm& form,
                                                      runtime::Context& context);

  private:
    struct Key {
        ElementwiseForm form;
        const runtime::Context* context = nullptr;
        friend bool operator==(const Key&, const Key&) = default;
    };
    struct HashOfKey {
        std::size_t operator()(const Key& key) const noexcept {
            return key.form.hash() ^ std::hash<const void*>()(key.context);
        }
    };

    const ElementwiseDefinition definition_;
    KernelSignature signature_;
    Mutex mutex_;
    std::unordered_map<Key, std::shared_ptr<const ElementwiseProgram>, HashOfKey> programs_
        WARPWISE_GUARDED_BY(mutex_);
};

// The parameters for checks of values: pointers and numbers as the user declared
// them.
KernelSignature user_signature(const std::vector<KernelParameter>& parameters,
                               const std::string& name);

}  // namespace warpwise::algorithm
