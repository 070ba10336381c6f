// The rows of device_calls.def as the lowering steps see them: name, kind, signature and slot.
// Device code calls row `x` as __ww_x.
//
// Invariant: what a step may assume of a service follows from its kind; a step that implements one
// row compares its id. Nothing compares names.
#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>

#include <optional>

#include "src/backends/cpu/abi.hpp"

namespace warpwise::cpu_compiler {

using cpu::ServiceId;
using cpu::ServiceKind;

inline constexpr llvm::StringLiteral kServicePrefix = "__ww_";

struct Service {
    llvm::StringLiteral name;
    ServiceId id;
    ServiceKind kind;
    bool takes_thread;
    llvm::FunctionType* (*slot_type)(llvm::LLVMContext&);  // with the thread, where it is taken

    unsigned slot() const { return static_cast<unsigned>(id); }

    bool is_warp_operation() const;  // convergent within a warp
    bool is_barrier() const;         // convergent within a block or grid
    bool is_rendezvous() const;      // convergent, and runs in fibers: either of these, or a yield
    bool is_pure() const { return kind == ServiceKind::Leaf; }
    bool returns() const { return kind != ServiceKind::Stop; }
    bool gives_warp_one_result() const;  // all lanes of its mask get the same
    // The argument that names the lanes of a warp operation.
    std::optional<unsigned> mask_argument() const;

    // What device code calls: without the thread.
    llvm::FunctionType* device_type(llvm::LLVMContext& context) const;
};

// nullptr when `function` is not __ww_ and the name of a row.
const Service* find_service(const llvm::Function* function);
const Service* find_service(const llvm::CallBase& call);
// Of a call that goes through the run time's table already, marked with the row's name.
inline constexpr const char* kServiceAttribute = "warpwise-service";
const Service* find_lowered_service(const llvm::CallBase& call);
const Service& service_of(ServiceId id);

// Whether `call` calls the row's __ww_ function.
bool is_service(const llvm::CallBase& call, ServiceId id);

// The declaration of the row's __ww_ function.
llvm::FunctionCallee declare_service(llvm::Module& module, ServiceId id);

}  // namespace warpwise::cpu_compiler
