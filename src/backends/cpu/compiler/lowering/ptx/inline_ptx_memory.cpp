// PTX loads, stores, atomics, copies, address conversions and fences. Cache hints mean nothing
// here; every scope is at least the whole process.
#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include "src/backends/cpu/compiler/lowering/ptx/inline_ptx.hpp"

namespace warpwise::cpu_compiler {
namespace {

using llvm::AtomicOrdering;
using llvm::IRBuilder;
using llvm::StringRef;
using llvm::Type;
using llvm::Value;

constexpr unsigned kSharedSpace = 3;

StringRef space_of(const PtxInstruction& i) {
    for (const char* space : {"global", "local", "const", "param"}) {
        if (has_part(i, space)) return space;
    }
    // "shared::cta" keeps its colons: the part begins so.
    for (const std::string& part : i.opcode) {
        if (StringRef(part).starts_with("shared")) return "shared";
    }
    return "";
}

bool is_atomic(const PtxInstruction& i) {
    return has_part(i, "relaxed") || has_part(i, "acquire") || has_part(i, "release");
}

AtomicOrdering ordering_of(const PtxInstruction& i) {
    if (has_part(i, "acq_rel")) return AtomicOrdering::AcquireRelease;
    if (has_part(i, "acquire")) return AtomicOrdering::Acquire;
    if (has_part(i, "release")) return AtomicOrdering::Release;
    return AtomicOrdering::Monotonic;
}

// "{$0,$1}" as its words, "$0" as itself.
llvm::SmallVector<StringRef, 4> elements(StringRef operand) {
    llvm::SmallVector<StringRef, 4> words;
    if (operand.consume_front("{")) operand.consume_back("}");
    operand.split(words, ',');
    return words;
}

bool load(PtxStatement& at, const PtxInstruction& i) {
    const StringRef name = i.opcode.back();
    Type* type = at.type_of(name);
    if (!type || i.operands.size() < 2) return false;
    IRBuilder<>& b = at.builder();
    Value* address = at.address(i.operands[1], space_of(i));
    if (!address) return false;
    unsigned k = 0;
    for (const StringRef word : elements(i.operands[0])) {
        Value* place = b.CreateConstInBoundsGEP1_64(type, address, k++);
        const unsigned bytes = type->getPrimitiveSizeInBits() / 8;
        llvm::LoadInst* read =
            b.CreateAlignedLoad(type, place, llvm::Align(bytes), has_part(i, "volatile"));
        if (is_atomic(i)) read->setAtomic(ordering_of(i));
        Value* value = read;
        if (bytes < 4 && type->isIntegerTy()) {
            value = name.starts_with("s") ? b.CreateSExt(read, b.getInt32Ty())
                                          : b.CreateZExt(read, b.getInt32Ty());
        }
        if (!at.write(word, value)) return false;
    }
    return true;
}

bool store(PtxStatement& at, const PtxInstruction& i) {
    Type* type = at.type_of(i.opcode.back());
    if (!type || i.operands.size() < 2) return false;
    IRBuilder<>& b = at.builder();
    Value* address = at.address(i.operands[0], space_of(i));
    if (!address) return false;
    unsigned k = 0;
    for (const StringRef word : elements(i.operands[1])) {
        Value* value = at.read(word, type);
        if (!value) return false;
        Value* place = b.CreateConstInBoundsGEP1_64(type, address, k++);
        llvm::StoreInst* write = b.CreateAlignedStore(
            value, place, llvm::Align(type->getPrimitiveSizeInBits() / 8), has_part(i, "volatile"));
        if (is_atomic(i)) write->setAtomic(ordering_of(i));
    }
    return true;
}

llvm::AtomicRMWInst::BinOp operation_of(const PtxInstruction& i, bool is_real, bool is_signed) {
    using Op = llvm::AtomicRMWInst::BinOp;
    if (has_part(i, "add")) return is_real ? Op::FAdd : Op::Add;
    if (has_part(i, "min")) return is_real ? Op::FMin : is_signed ? Op::Min : Op::UMin;
    if (has_part(i, "max")) return is_real ? Op::FMax : is_signed ? Op::Max : Op::UMax;
    if (has_part(i, "and")) return Op::And;
    if (has_part(i, "or")) return Op::Or;
    if (has_part(i, "xor")) return Op::Xor;
    if (has_part(i, "exch")) return Op::Xchg;
    if (has_part(i, "inc")) return Op::UIncWrap;
    if (has_part(i, "dec")) return Op::UDecWrap;
    return Op::BAD_BINOP;
}

// Of vectors and pairs of halves each element is atomic by itself, as PTX promises.
bool atomic_elements(PtxStatement& at, const PtxInstruction& i, StringRef name, Value* address) {
    const bool gives = i.opcode.front() == "atom";
    const unsigned halves = name.consume_back("x2") ? 2 : 1;
    IRBuilder<>& b = at.builder();
    Type* type = at.type_of(name);
    const auto op = operation_of(i, true, false);
    if (!type || !type->isFloatingPointTy() || op == llvm::AtomicRMWInst::BAD_BINOP) return false;
    Type* bits = b.getIntNTy(type->getPrimitiveSizeInBits());
    Type* word = b.getIntNTy(halves * type->getPrimitiveSizeInBits());
    const auto from = elements(i.operands[gives ? 2 : 1]);
    const auto to = elements(i.operands[0]);
    if (gives && to.size() != from.size()) return false;
    for (unsigned k = 0; k < from.size(); ++k) {
        Value* values = at.read(from[k], word);
        if (!values) return false;
        Value* before = llvm::ConstantInt::get(word, 0);
        for (unsigned half = 0; half < halves; ++half) {
            const unsigned shift = half * bits->getIntegerBitWidth();
            Value* value = b.CreateTrunc(b.CreateLShr(values, shift), bits);
            Value* place = b.CreateConstInBoundsGEP1_64(type, address, halves * k + half);
            Value* old = b.CreateAtomicRMW(op, place, b.CreateBitCast(value, type),
                                           llvm::MaybeAlign(), ordering_of(i));
            old = b.CreateZExt(b.CreateBitCast(old, bits), word);
            before = b.CreateOr(before, b.CreateShl(old, shift));
        }
        if (gives && !at.write(to[k], before)) return false;
    }
    return true;
}

// atom gives the old value, red none.
bool atomic(PtxStatement& at, const PtxInstruction& i) {
    const bool gives = i.opcode.front() == "atom";
    StringRef name = i.opcode.back();
    if (i.opcode.size() > 2 && !at.type_of(name)) name = i.opcode[i.opcode.size() - 2];
    if (!at.type_of(name) && i.opcode.size() > 3) name = i.opcode[i.opcode.size() - 3];
    Type* type = at.type_of(name);
    if (!type || i.operands.size() < (gives ? 3u : 2u)) return false;
    IRBuilder<>& b = at.builder();
    const StringRef where = i.operands[gives ? 1 : 0], operand = i.operands[gives ? 2 : 1];
    Value* address = at.address(where, space_of(i));
    if (!address) return false;
    if (name.ends_with("x2") || operand.starts_with("{")) {
        return atomic_elements(at, i, name, address);
    }
    Value* value = at.read(operand, type);
    if (!value) return false;
    const AtomicOrdering order = ordering_of(i);
    Value* old = nullptr;
    if (has_part(i, "cas")) {
        Value* desired = gives && i.operands.size() == 4 ? at.read(i.operands[3], type) : nullptr;
        if (!desired) return false;
        Value* pair =
            b.CreateAtomicCmpXchg(address, value, desired, llvm::MaybeAlign(), order,
                                  llvm::AtomicCmpXchgInst::getStrongestFailureOrdering(order));
        old = b.CreateExtractValue(pair, 0);
    } else {
        const auto op = operation_of(i, type->isFloatingPointTy(), name.starts_with("s"));
        if (op == llvm::AtomicRMWInst::BAD_BINOP) return false;
        old = b.CreateAtomicRMW(op, address, value, llvm::MaybeAlign(), order);
    }
    return !gives || at.write(i.operands[0], old);
}

// isspacep.SPACE p, a
bool is_in_space(PtxStatement& at, const PtxInstruction& i) {
    namespace intrinsic = llvm::Intrinsic;
    const StringRef space = space_of(i);
    const auto id = llvm::StringSwitch<intrinsic::ID>(space)
                        .Case("shared", intrinsic::nvvm_isspacep_shared)
                        .Case("global", intrinsic::nvvm_isspacep_global)
                        .Case("local", intrinsic::nvvm_isspacep_local)
                        .Case("const", intrinsic::nvvm_isspacep_const)
                        .Default(intrinsic::not_intrinsic);
    if (id == intrinsic::not_intrinsic || i.operands.size() != 2) return false;
    IRBuilder<>& b = at.builder();
    Value* address = at.read(i.operands[1], b.getInt64Ty());
    if (!address) return false;
    address = b.CreateIntToPtr(address, b.getPtrTy());
    return at.write(i.operands[0], b.CreateIntrinsic(id, {}, {address}));
}

// What caches would be asked to keep: a number that only hints take.
bool make_policy(PtxStatement& at, const PtxInstruction& i) {
    return !i.operands.empty() && at.write(i.operands[0], at.builder().getInt64(0));
}

// Generic addresses are those of global memory too; shared memory has addresses of its own.
bool convert_address(PtxStatement& at, const PtxInstruction& i) {
    if (i.operands.size() != 2) return false;
    IRBuilder<>& b = at.builder();
    Value* value = at.read(i.operands[1], b.getInt64Ty());
    if (!value) return false;
    if (space_of(i) == "shared") {
        Type* generic = b.getPtrTy();
        Type* shared = b.getPtrTy(kSharedSpace);
        const bool into = has_part(i, "to");
        Value* pointer = b.CreateIntToPtr(value, into ? generic : shared);
        value = b.CreatePtrToInt(b.CreateAddrSpaceCast(pointer, into ? shared : generic),
                                 b.getInt64Ty());
    }
    return at.write(i.operands[0], value);
}

// Copies at once: the waits that follow have nothing to wait for.
bool copy_async(PtxStatement& at, const PtxInstruction& i) {
    if (has_part(i, "commit_group") || has_part(i, "wait_group") || has_part(i, "wait_all")) {
        return true;
    }
    if (has_part(i, "bulk")) return copy_bulk(at, i);
    if (has_part(i, "mbarrier")) return arrive_after_copies(at, i);
    if (i.operands.size() < 3) return false;
    IRBuilder<>& b = at.builder();
    Value* to = at.address(i.operands[0], "shared");
    Value* from = at.address(i.operands[1], "global");
    auto* bytes = llvm::dyn_cast_or_null<llvm::ConstantInt>(at.read(i.operands[2], b.getInt64Ty()));
    if (!to || !from || !bytes) return false;
    const llvm::Align alignment(bytes->getZExtValue() >= 4 ? 4 : 1);
    if (i.operands.size() == 3 || has_part(i, "L2::cache_hint")) {
        b.CreateMemCpy(to, alignment, from, alignment, bytes);
        return true;
    }
    // Fewer bytes than the size: the rest is zeros.
    Value* given = at.read(i.operands[3], b.getInt64Ty());
    if (!given) return false;
    b.CreateMemSet(to, b.getInt8(0), bytes, alignment);
    b.CreateMemCpy(to, alignment, from, alignment, given);
    return true;
}

bool fence(PtxStatement& at, const PtxInstruction& i) {
    if (has_part(i, "proxy") || has_part(i, "mbarrier_init")) return true;
    at.builder().CreateFence(
        AtomicOrdering::SequentiallyConsistent,
        has_part(i, "cta") ? llvm::SyncScope::SingleThread : llvm::SyncScope::System);
    return true;
}

bool nothing(PtxStatement&, const PtxInstruction&) {
    return true;
}

}  // namespace

PtxRow find_memory_row(StringRef opcode) {
    return llvm::StringSwitch<PtxRow>(opcode)
        .Cases("ld", "ldu", load)
        .Case("st", store)
        .Cases("atom", "red", atomic)
        .Case("cvta", convert_address)
        .Case("isspacep", is_in_space)
        .Case("createpolicy", make_policy)
        .Case("cp", copy_async)
        .Cases("membar", "fence", fence)
        .Cases("prefetch", "prefetchu", "discard", "applypriority", nothing)
        .Cases("griddepcontrol", "setmaxnreg", "pragma", "pmevent", nothing)
        .Default(nullptr);
}

}  // namespace warpwise::cpu_compiler
