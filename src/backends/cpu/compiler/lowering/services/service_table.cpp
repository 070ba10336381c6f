// The table of services, read from device_calls.def.
#include "src/backends/cpu/compiler/lowering/services/service_table.hpp"

#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/Module.h>

#include <type_traits>

#include "src/backends/cpu/abi.hpp"

namespace warpwise::cpu_compiler {
namespace {

template <class T>
llvm::Type* ir_type(llvm::LLVMContext& context) {
    if constexpr (std::is_void_v<T>) return llvm::Type::getVoidTy(context);
    if constexpr (std::is_pointer_v<T>) return llvm::PointerType::get(context, 0);
    if constexpr (std::is_same_v<T, double>) return llvm::Type::getDoubleTy(context);
    if constexpr (std::is_integral_v<T>) return llvm::IntegerType::get(context, sizeof(T) * 8);
}

template <class Signature>
struct SlotType;

template <class Result, class... Parameters>
struct SlotType<Result(Parameters...)> {
    static llvm::FunctionType* make(llvm::LLVMContext& context) {
        return llvm::FunctionType::get(ir_type<Result>(context), {ir_type<Parameters>(context)...},
                                       false);
    }
};

enum Slot : unsigned {
#define WARPWISE_THREAD_CALL(name, ...) kSlot_##name,
#define WARPWISE_LEAF_CALL(name, ...) kSlot_##name,
#include "src/backends/cpu/device_calls.def"
};

using cpu::ThreadState;

constexpr Service kServices[] = {
#define WARPWISE_THREAD_CALL(name, result, ...) \
    {#name, kSlot_##name, true, SlotType<result(ThreadState*, ##__VA_ARGS__)>::make},
#define WARPWISE_LEAF_CALL(name, result, ...) \
    {#name, kSlot_##name, false, SlotType<result(__VA_ARGS__)>::make},
#include "src/backends/cpu/device_calls.def"
};

}  // namespace

Service::Kind Service::kind() const {
    if (!takes_thread) return Kind::Leaf;
    return llvm::StringSwitch<Kind>(name)
        .Cases("printf", "assert_fail", "trap", "malloc", "free", "nanosleep", Kind::Runtime)
        .Cases("gang_collective", "gang_wraps", "image_fault", Kind::Runtime)
        .Cases("nested_launch", "nested_wait", "nested_refusal", Kind::Runtime)
        .Default(Kind::Rendezvous);
}

bool Service::is_pure() const {
    return !takes_thread && name != "clock64" && name != "globaltimer";
}

llvm::FunctionType* Service::device_type(llvm::LLVMContext& context) const {
    llvm::FunctionType* type = slot_type(context);
    return llvm::FunctionType::get(type->getReturnType(),
                                   type->params().drop_front(takes_thread ? 1 : 0), false);
}

const Service* find_service(const llvm::Function* function) {
    if (!function || !function->isDeclaration()) return nullptr;
    llvm::StringRef name = function->getName();
    if (!name.consume_front(kServicePrefix)) return nullptr;
    for (const Service& service : kServices) {
        if (name == service.name) return &service;
    }
    return nullptr;
}

const Service* find_service(const llvm::CallBase& call) {
    return find_service(call.getCalledFunction());
}

const Service* find_lowered_service(const llvm::CallBase& call) {
    llvm::Attribute mark = call.getFnAttr(kServiceAttribute);
    return mark.isValid() ? &service_of_row(mark.getValueAsString()) : nullptr;
}

const Service& service_of_row(llvm::StringRef row) {
    for (const Service& service : kServices) {
        if (row == service.name) return service;
    }
    llvm_unreachable("no such row in device_calls.def");
}

llvm::FunctionCallee declare_service(llvm::Module& module, llvm::StringRef row) {
    return module.getOrInsertFunction((kServicePrefix + row).str(),
                                      service_of_row(row).device_type(module.getContext()));
}

}  // namespace warpwise::cpu_compiler
