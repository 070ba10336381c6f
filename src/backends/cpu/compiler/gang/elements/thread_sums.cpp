// Finding sums: additions, products with constants, extensions and addresses are taken apart.
#include "src/backends/cpu/compiler/gang/elements/thread_sums.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

#include "src/backends/cpu/abi.hpp"
#include "src/backends/cpu/compiler/gang/analysis/registers.hpp"

namespace warpwise::cpu_compiler::gang {
namespace {

using llvm::Instruction;
using llvm::Value;

unsigned bits_of(const llvm::Type* type) {
    return type->isIntegerTy() ? type->getIntegerBitWidth() : 64;
}

// Modulo the number of bits, as the value itself.
std::int64_t wrapped(std::uint64_t number, unsigned bits) {
    return llvm::SignExtend64(number, bits);
}

ThreadSum plus(ThreadSum sum, const ThreadSum& other, std::int64_t times, unsigned bits) {
    auto add = [&](std::int64_t to, std::int64_t what) {
        return wrapped(static_cast<std::uint64_t>(to) +
                           static_cast<std::uint64_t>(what) * static_cast<std::uint64_t>(times),
                       bits);
    };
    sum.step = add(sum.step, other.step);
    sum.number = add(sum.number, other.number);
    for (const auto& [term, count] : other.terms) {
        const std::int64_t both = add(sum.terms[term], count);
        sum.terms[term] = both;
        if (both == 0) sum.terms.erase(term);
    }
    return sum;
}

// Of a grid-stride loop: a word of the thread's state, but the same for its block.
bool is_round(const Instruction& instruction) {
    auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
    if (load == nullptr) return false;
    std::int64_t offset = 0;
    const Value* base = llvm::GetPointerBaseWithConstantOffset(load->getPointerOperand(), offset,
                                                               load->getDataLayout());
    auto* argument = llvm::dyn_cast<llvm::Argument>(base);
    return argument != nullptr && argument->getArgNo() == 0 &&
           offset == offsetof(cpu::ThreadState, round);
}

}  // namespace

bool ThreadSums::is_thread_index(const Value* value) {
    auto* read = llvm::dyn_cast<llvm::IntrinsicInst>(value);
    return read && thread_axis_of(read->getIntrinsicID()) == 0u;
}

bool ThreadSums::is_shared(Value* value) {
    if (llvm::isa<llvm::Constant>(value)) return true;
    // The first is the thread's own state.
    if (auto* argument = llvm::dyn_cast<llvm::Argument>(value)) return argument->getArgNo() > 0;
    auto* instruction = llvm::dyn_cast<Instruction>(value);
    if (!instruction) return false;
    if (auto known = shared_.find(value); known != shared_.end()) return known->second;
    shared_[value] = false;
    return shared_[value] = find_shared(*instruction);
}

bool ThreadSums::find_shared(Instruction& instruction) {
    if (is_round(instruction)) return true;
    if (auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction)) {
        if (is_block_register(call->getIntrinsicID())) return true;
        if (call->arg_empty() || call->mayReadOrWriteMemory() || call->isConvergent()) return false;
        return llvm::all_of(call->args(), [&](Value* given) { return is_shared(given); });
    }
    const bool is_pure = llvm::isa<llvm::BinaryOperator, llvm::CastInst, llvm::GetElementPtrInst,
                                   llvm::CmpInst, llvm::SelectInst>(instruction);
    const bool never_changes = llvm::isa<llvm::LoadInst>(instruction) &&
                               instruction.hasMetadata(llvm::LLVMContext::MD_invariant_load);
    if (!is_pure && !never_changes) return false;
    return llvm::all_of(instruction.operands(), [&](Value* given) { return is_shared(given); });
}

ThreadSum ThreadSums::term(Value* value) {
    auto [place, is_new] = terms_.try_emplace(value, next_term_);
    if (is_new) ++next_term_;
    return ThreadSum{.terms = {{place->second, 1}}};
}

std::optional<ThreadSum> ThreadSums::of(Value* value) {
    llvm::Type* type = value->getType();
    const bool is_integer = type->isIntegerTy() && bits_of(type) > 1 && bits_of(type) <= 64;
    if (!is_integer && !(type->isPointerTy() && type->getPointerAddressSpace() == 0))
        return std::nullopt;
    if (auto known = sums_.find(value); known != sums_.end()) return known->second;
    return sums_[value] = find(value);
}

std::optional<ThreadSum> ThreadSums::find(Value* value) {
    if (auto* number = llvm::dyn_cast<llvm::ConstantInt>(value))
        return ThreadSum{.number = number->getSExtValue()};
    if (is_thread_index(value)) return ThreadSum{.step = 1};
    if (auto* instruction = llvm::dyn_cast<Instruction>(value)) {
        if (auto sum = of_instruction(*instruction)) return sum;
    }
    if (is_shared(value)) return term(value);
    return std::nullopt;
}

std::optional<ThreadSum> ThreadSums::of_instruction(Instruction& instruction) {
    using llvm::PatternMatch::m_AddLike;
    using llvm::PatternMatch::m_ConstantInt;
    using llvm::PatternMatch::m_Mul;
    using llvm::PatternMatch::m_Shl;
    using llvm::PatternMatch::m_Sub;
    using llvm::PatternMatch::m_Value;
    using llvm::PatternMatch::match;
    const unsigned bits = bits_of(instruction.getType());
    Value *one = nullptr, *other = nullptr;
    llvm::ConstantInt* number = nullptr;
    if (match(&instruction, m_AddLike(m_Value(one), m_Value(other))) ||
        match(&instruction, m_Sub(m_Value(one), m_Value(other)))) {
        auto left = of(one), right = of(other);
        if (!left || !right) return std::nullopt;
        return plus(*left, *right, instruction.getOpcode() == Instruction::Sub ? -1 : 1, bits);
    }
    if (match(&instruction, m_Mul(m_Value(one), m_ConstantInt(number))))
        return of_product(one, number->getSExtValue());
    if (match(&instruction, m_Shl(m_Value(one), m_ConstantInt(number))) &&
        number->getValue().ult(bits))
        return of_product(one, static_cast<std::int64_t>(1ULL << number->getZExtValue()));
    if (auto* cast = llvm::dyn_cast<llvm::CastInst>(&instruction)) return of_extension(*cast);
    if (auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction))
        return of_address(*address);
    return std::nullopt;
}

std::optional<ThreadSum> ThreadSums::of_product(Value* factor, std::int64_t by) {
    auto sum = of(factor);
    if (!sum) return std::nullopt;
    return plus({}, *sum, by, bits_of(factor->getType()));
}

std::optional<ThreadSum> ThreadSums::of_extension(llvm::CastInst& cast) {
    if (!llvm::isa<llvm::SExtInst, llvm::ZExtInst>(cast)) return std::nullopt;
    Value* value = cast.getOperand(0);
    auto sum = of(value);
    if (!sum || is_shared(value)) return std::nullopt;
    const bool is_signed = llvm::isa<llvm::SExtInst>(cast);
    auto found = llvm::find_if(extensions_, [&](const ThreadExtension& one) {
        return one.is_signed == is_signed && one.from == value->getType() &&
               one.step == sum->step && one.terms == sum->terms;
    });
    if (found == extensions_.end()) {
        extensions_.push_back({is_signed, value->getType(), sum->step, sum->terms, next_term_++,
                               value, value, sum->number, sum->number});
        found = std::prev(extensions_.end());
    }
    if (sum->number < found->least) found->least = sum->number, found->lowest = value;
    if (sum->number > found->most) found->most = sum->number, found->highest = value;
    return ThreadSum{sum->step, sum->number, {{found->term, 1}}};
}

std::optional<ThreadSum> ThreadSums::of_address(llvm::GetElementPtrInst& address) {
    auto sum = of(address.getPointerOperand());
    llvm::MapVector<Value*, llvm::APInt> indices;
    llvm::APInt offset(64, 0);
    if (!sum || !address.collectOffset(layout_, 64, indices, offset)) return std::nullopt;
    sum->number += offset.getSExtValue();
    for (const auto& [index, size] : indices) {
        auto steps = of(index);
        if (!steps || bits_of(index->getType()) != 64) return std::nullopt;
        sum = plus(*sum, *steps, size.getSExtValue(), 64);
    }
    return sum;
}

}  // namespace warpwise::cpu_compiler::gang
