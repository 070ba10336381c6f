// The few inline PTX statements that have an obvious meaning: reads of special registers, fences,
// barriers, empty statements used as compiler barriers. The rest stays for report_leftovers().
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>

#include "src/backends/cpu/compiler/lowering/lowering.hpp"
#include "src/backends/cpu/compiler/lowering/registers.hpp"
#include "src/backends/cpu/compiler/lowering/service_table.hpp"

namespace warpwise::cpu_compiler {
namespace {

using llvm::StringRef;
using llvm::Value;

llvm::SmallVector<StringRef, 6> words(StringRef text) {
    llvm::SmallVector<StringRef, 6> found;
    for (text = text.ltrim(" \t\n,;"); !text.empty(); text = text.ltrim(" \t\n,;")) {
        found.push_back(text.take_until([](char c) { return StringRef(" \t\n,;").contains(c); }));
        text = text.drop_front(found.back().size());
    }
    return found;
}

bool has_result(const llvm::CallInst& call) {
    return !call.getType()->isVoidTy();
}

class Statement {
  public:
    explicit Statement(llvm::CallInst& call)
        : call_(call),
          builder_(&call),
          text_(llvm::cast<llvm::InlineAsm>(call.getCalledOperand())->getAsmString()),
          words_(words(text_)) {}

    // Whether the statement was understood; `result` is what it gives, if anything.
    bool lower(Value*& result) {
        if (words_.empty()) return lower_empty(result);
        if (words_[0].starts_with("mov.")) return lower_move(result);
        if (has_result(call_)) return false;
        if (words_.size() == 1) return lower_bare();
        return lower_barrier();
    }

  private:
    // asm volatile("" ::: "memory") keeps the compiler from moving memory accesses, no more;
    // asm("" : "+r"(x)) hides a value from it.
    bool lower_empty(Value*& result) {
        if (has_result(call_)) {
            if (call_.arg_size() != 1 || call_.getArgOperand(0)->getType() != call_.getType()) {
                return false;
            }
            result = call_.getArgOperand(0);
            return true;
        }
        fence(llvm::SyncScope::SingleThread);
        return true;
    }

    bool lower_move(Value*& result) {
        if (words_.size() != 3 || words_[1] != "$0" || !call_.getType()->isIntegerTy())
            return false;
        StringRef name = words_[2];
        if (!name.consume_front("%")) return false;
        Value* value = read_register(builder_, name);
        if (!value) return false;
        result = builder_.CreateZExtOrTrunc(value, call_.getType());
        return true;
    }

    bool lower_bare() {
        StringRef word = words_[0];
        if (word == "membar.cta" || word == "fence.acq_rel.cta" || word == "fence.sc.cta") {
            fence(llvm::SyncScope::SingleThread);
        } else if (word == "membar.gl" || word == "membar.sys" || word == "fence.acq_rel.gpu" ||
                   word == "fence.sc.gpu" || word == "fence.acq_rel.sys" ||
                   word == "fence.sc.sys") {
            fence(llvm::SyncScope::System);
        } else if (word == "trap") {
            service("trap", {});
        } else {
            return false;
        }
        return true;
    }

    bool lower_barrier() {
        StringRef row = llvm::is_contained({"bar.sync", "barrier.sync"}, words_[0]) ? "barrier"
                        : words_[0] == "bar.arrive"    ? "barrier_arrive"
                        : words_[0] == "bar.warp.sync" ? "syncwarp"
                                                       : "";
        if (row.empty() || words_.size() > 3) return false;
        llvm::SmallVector<Value*, 2> arguments;
        for (StringRef word : llvm::drop_begin(words_)) {
            Value* value = operand(word);
            if (!value) return false;
            arguments.push_back(value);
        }
        unsigned wanted = row == "syncwarp" ? 1 : 2;
        while (arguments.size() < wanted) arguments.push_back(builder_.getInt32(0));
        service(row, arguments);
        return true;
    }

    Value* operand(StringRef word) {
        std::uint32_t number = 0;
        if (!word.consume_front("$")) {
            return word.getAsInteger(0, number) ? nullptr : builder_.getInt32(number);
        }
        if (word.getAsInteger(10, number) || number >= call_.arg_size()) return nullptr;
        Value* value = call_.getArgOperand(number);
        return value->getType()->isIntegerTy(32) ? value : nullptr;
    }

    void fence(llvm::SyncScope::ID scope) {
        builder_.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent, scope);
    }
    void service(StringRef row, llvm::ArrayRef<Value*> arguments) {
        builder_.CreateCall(declare_service(*call_.getModule(), row), arguments);
    }

    llvm::CallInst& call_;
    llvm::IRBuilder<> builder_;
    std::string text_;
    llvm::SmallVector<StringRef, 6> words_;
};

}  // namespace

void lower_inline_ptx(Lowering& job) {
    for (llvm::Function& function : job.module) {
        for (llvm::Instruction& instruction :
             llvm::make_early_inc_range(llvm::instructions(function))) {
            auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
            Value* result = nullptr;
            if (!call || !call->isInlineAsm() || !Statement(*call).lower(result)) continue;
            if (result) call->replaceAllUsesWith(result);
            call->eraseFromParent();
        }
    }
}

}  // namespace warpwise::cpu_compiler
