// The table of services, read from device_calls.def.
#include "src/backends/cpu/compiler/lowering/services/service_table.hpp"

#include <llvm/IR/Module.h>

#include <type_traits>

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

using cpu::ThreadState;

constexpr Service kServices[] = {
#define WARPWISE_THREAD_CALL(kind, name, result, ...) \
    {#name, ServiceId::name, ServiceKind::kind, true, \
     SlotType<result(ThreadState*, ##__VA_ARGS__)>::make},
#define WARPWISE_LEAF_CALL(kind, name, result, ...) \
    {#name, ServiceId::name, ServiceKind::kind, false, SlotType<result(__VA_ARGS__)>::make},
#include "src/backends/cpu/device_calls.def"
};

// A service without a thread can do no more than compute or read a counter.
constexpr bool kinds_fit_their_calls() {
    for (const Service& service : kServices) {
        const bool is_leaf =
            service.kind == ServiceKind::Leaf || service.kind == ServiceKind::Clock;
        if (is_leaf == service.takes_thread) return false;
    }
    return true;
}
static_assert(kinds_fit_their_calls(), "a row of device_calls.def has the wrong kind");

const Service* find_row(llvm::StringRef name) {
    for (const Service& service : kServices) {
        if (name == service.name) return &service;
    }
    return nullptr;
}

}  // namespace

bool Service::is_warp_operation() const {
    return kind == ServiceKind::WarpState || kind == ServiceKind::WarpOperation ||
           kind == ServiceKind::WarpMode;
}

bool Service::is_barrier() const {
    return kind == ServiceKind::BlockBarrier || kind == ServiceKind::GridBarrier;
}

bool Service::is_rendezvous() const {
    return is_warp_operation() || is_barrier() || kind == ServiceKind::Yield;
}

bool Service::gives_warp_one_result() const {
    return id == ServiceId::ballot || id == ServiceId::match_all || id == ServiceId::reduce ||
           id == ServiceId::activemask;
}

std::optional<unsigned> Service::mask_argument() const {
    if (kind == ServiceKind::WarpOperation) return 0;
    if (kind == ServiceKind::WarpMode) return 1;
    return std::nullopt;
}

llvm::FunctionType* Service::device_type(llvm::LLVMContext& context) const {
    llvm::FunctionType* type = slot_type(context);
    return llvm::FunctionType::get(type->getReturnType(),
                                   type->params().drop_front(takes_thread ? 1 : 0), false);
}

const Service* find_service(const llvm::Function* function) {
    if (!function || !function->isDeclaration()) return nullptr;
    llvm::StringRef name = function->getName();
    return name.consume_front(kServicePrefix) ? find_row(name) : nullptr;
}

const Service* find_service(const llvm::CallBase& call) {
    return find_service(call.getCalledFunction());
}

const Service* find_lowered_service(const llvm::CallBase& call) {
    llvm::Attribute mark = call.getFnAttr(kServiceAttribute);
    return mark.isValid() ? find_row(mark.getValueAsString()) : nullptr;
}

const Service& service_of(ServiceId id) {
    return kServices[static_cast<unsigned>(id)];
}

bool is_service(const llvm::CallBase& call, ServiceId id) {
    const Service* service = find_service(call);
    return service && service->id == id;
}

llvm::FunctionCallee declare_service(llvm::Module& module, ServiceId id) {
    const Service& service = service_of(id);
    return module.getOrInsertFunction((kServicePrefix + service.name).str(),
                                      service.device_type(module.getContext()));
}

}  // namespace warpwise::cpu_compiler
