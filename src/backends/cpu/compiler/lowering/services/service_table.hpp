// The rows of device_calls.def as the lowering steps see them. Device code calls row `x` as __ww_x.
#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>

namespace warpwise::cpu_compiler {

inline constexpr llvm::StringLiteral kServicePrefix = "__ww_";

struct Service {
    enum class Kind {
        Rendezvous,  // lanes meet: convergent, needs fibers
        Runtime,     // output, faults, heap, waiting
        Leaf,        // no thread
    };

    llvm::StringLiteral name;
    unsigned slot;
    bool takes_thread;
    llvm::FunctionType* (*slot_type)(llvm::LLVMContext&);  // with the thread, where it is taken

    Kind kind() const;
    bool is_pure() const;  // a function of its arguments
    // What device code calls: without the thread.
    llvm::FunctionType* device_type(llvm::LLVMContext& context) const;
};

// nullptr when `function` is not __ww_ and the name of a row.
const Service* find_service(const llvm::Function* function);
const Service* find_service(const llvm::CallBase& call);
// Of a call that goes through the run time's table already, marked with the row's name.
inline constexpr const char* kServiceAttribute = "warpwise-service";
const Service* find_lowered_service(const llvm::CallBase& call);
const Service& service_of_row(llvm::StringRef row);  // which must exist

// The declaration of __ww_`row`. The row must exist.
llvm::FunctionCallee declare_service(llvm::Module& module, llvm::StringRef row);

}  // namespace warpwise::cpu_compiler
