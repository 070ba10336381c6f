// Integers and pointers as sums: what all threads of a block share, and a multiple of threadIdx.x.
//
// Of functions whose blocks are one row of threads.
#pragma once

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Instructions.h>

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace warpwise::cpu_compiler::gang {

struct ThreadSum {
    std::int64_t step = 0;  // from thread to thread
    std::int64_t number = 0;
    std::map<unsigned, std::int64_t> terms = {};  // shared ones, by their numbers, and how often
    bool operator==(const ThreadSum&) const = default;
};

// Extensions of sums that differ in their number alone. A sum tells of the extended value what it
// tells of the value itself while no number from that of the lowest for the first thread to that
// of the highest for the last wraps.
struct ThreadExtension {
    bool is_signed = false;
    llvm::Type* from = nullptr;
    std::int64_t step = 0;
    std::map<unsigned, std::int64_t> terms = {};
    unsigned term = 0;  // what stands for the extended terms
    llvm::Value* lowest = nullptr;
    llvm::Value* highest = nullptr;
    std::int64_t least = 0, most = 0;  // their numbers
};

class ThreadSums {
  public:
    explicit ThreadSums(const llvm::DataLayout& layout) : layout_(layout) {}

    // Nothing of what is no such sum, or of another type.
    std::optional<ThreadSum> of(llvm::Value* value);
    // The same in all threads of a block, without a look at memory that changes.
    bool is_shared(llvm::Value* value);
    static bool is_thread_index(const llvm::Value* value);
    // Of the values that were asked for.
    const std::vector<ThreadExtension>& extensions() const { return extensions_; }

  private:
    std::optional<ThreadSum> find(llvm::Value* value);
    std::optional<ThreadSum> of_instruction(llvm::Instruction& instruction);
    std::optional<ThreadSum> of_product(llvm::Value* factor, std::int64_t by);
    std::optional<ThreadSum> of_extension(llvm::CastInst& cast);
    std::optional<ThreadSum> of_address(llvm::GetElementPtrInst& address);
    bool find_shared(llvm::Instruction& instruction);
    ThreadSum term(llvm::Value* value);

    const llvm::DataLayout& layout_;
    std::map<llvm::Value*, std::optional<ThreadSum>> sums_;
    std::map<llvm::Value*, bool> shared_;
    std::map<llvm::Value*, unsigned> terms_;
    unsigned next_term_ = 0;
    std::vector<ThreadExtension> extensions_;
};

}  // namespace warpwise::cpu_compiler::gang
