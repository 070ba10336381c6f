// PTX's mbarrier objects in the shared memory of a block, and the bulk copies that complete on
// them. Copies are made at once by the thread that asks for them. Waiting is the program's own loop
// around a test, which reads the word: insert_yields() sees that it waits for memory.
#include <llvm/ADT/StringSwitch.h>

#include "src/backends/cpu/compiler/lowering/ptx/inline_ptx.hpp"
#include "src/backends/cpu/mbarrier.hpp"

namespace warpwise::cpu_compiler {
namespace {

namespace mbarrier = cpu::mbarrier;
using llvm::IRBuilder;
using llvm::StringRef;
using llvm::Value;

// Objects are those of the own block: of a cluster there is no other.
Value* object_of(PtxStatement& at, StringRef operand) {
    return at.address(operand, "shared");
}

Value* count_of(PtxStatement& at, const PtxInstruction& i, unsigned operand) {
    if (i.operands.size() <= operand) return at.word(1);
    return at.read(i.operands[operand], at.builder().getInt32Ty());
}

Value* update(PtxStatement& at, Value* object, Value* arrivals, Value* bytes, Value* leaving) {
    return at.service(ServiceId::mbarrier_update, {object, arrivals, bytes, leaving});
}

// mbarrier.init [object], count
bool initialize(PtxStatement& at, const PtxInstruction& i) {
    if (i.operands.size() != 2) return false;
    IRBuilder<>& b = at.builder();
    Value* object = object_of(at, i.operands[0]);
    Value* count = at.read(i.operands[1], b.getInt32Ty());
    if (!object || !count) return false;
    count = b.CreateAnd(b.CreateZExt(count, b.getInt64Ty()), mbarrier::kCountMask);
    b.CreateAlignedStore(b.CreateOr(count, b.CreateShl(count, mbarrier::kPendingShift)), object,
                         llvm::Align(8));
    return true;
}

// mbarrier.inval [object]: the memory is free for other uses.
bool invalidate(PtxStatement& at, const PtxInstruction& i) {
    return i.operands.size() == 1 && object_of(at, i.operands[0]);
}

// mbarrier.arrive[.expect_tx] state, [object]{, count}; the count of arrive_drop leaves.
bool arrive(PtxStatement& at, const PtxInstruction& i) {
    const bool expects = has_part(i, "expect_tx");
    if (i.operands.size() < 2 || i.operands.size() > 3 || (expects && i.operands.size() != 3)) {
        return false;
    }
    Value* object = object_of(at, i.operands[1]);
    Value* number = count_of(at, i, 2);
    if (!object || !number) return false;
    Value* arrivals = expects ? at.word(1) : number;
    Value* leaving = has_part(i, "arrive_drop") ? arrivals : at.word(0);
    Value* state = update(at, object, arrivals, expects ? number : at.word(0), leaving);
    return at.write(i.operands[0], state);
}

// mbarrier.expect_tx and mbarrier.complete_tx [object], bytes
bool count_bytes(PtxStatement& at, const PtxInstruction& i) {
    if (i.operands.size() != 2) return false;
    Value* object = object_of(at, i.operands[0]);
    Value* bytes = count_of(at, i, 1);
    if (!object || !bytes) return false;
    if (has_part(i, "complete_tx")) bytes = at.builder().CreateNeg(bytes);
    update(at, object, at.word(0), bytes, at.word(0));
    return true;
}

// mbarrier.test_wait and try_wait[.parity] done, [object], state{, hint}: whether the phase of
// that state or parity is over.
bool test(PtxStatement& at, const PtxInstruction& i) {
    if (i.operands.size() < 3 || i.operands.size() > 4) return false;
    IRBuilder<>& b = at.builder();
    Value* object = object_of(at, i.operands[1]);
    if (!object) return false;
    const bool is_parity = has_part(i, "parity");
    Value* awaited = at.read(i.operands[2], is_parity ? b.getInt32Ty() : b.getInt64Ty());
    if (!awaited) return false;
    llvm::LoadInst* word = b.CreateAlignedLoad(b.getInt64Ty(), object, llvm::Align(8));
    word->setAtomic(llvm::AtomicOrdering::Acquire);
    Value* phase = b.CreateLShr(word, mbarrier::kPhaseShift);
    awaited = is_parity ? b.CreateZExt(b.CreateAnd(awaited, 1), b.getInt64Ty())
                        : b.CreateLShr(awaited, mbarrier::kPhaseShift);
    return at.write(i.operands[0], b.CreateICmpNE(phase, awaited));
}

// mbarrier.pending_count count, state
bool pending_count(PtxStatement& at, const PtxInstruction& i) {
    if (i.operands.size() != 2) return false;
    IRBuilder<>& b = at.builder();
    Value* state = at.read(i.operands[1], b.getInt64Ty());
    if (!state) return false;
    Value* count = b.CreateAnd(b.CreateLShr(state, mbarrier::kPendingShift), mbarrier::kCountMask);
    return at.write(i.operands[0], b.CreateTrunc(count, b.getInt32Ty()));
}

bool mbarrier_row(PtxStatement& at, const PtxInstruction& i) {
    if (i.opcode.size() < 2) return false;
    const auto row = llvm::StringSwitch<PtxRow>(i.opcode[1])
                         .Case("init", initialize)
                         .Case("inval", invalidate)
                         .Cases("arrive", "arrive_drop", arrive)
                         .Cases("expect_tx", "complete_tx", count_bytes)
                         .Cases("test_wait", "try_wait", test)
                         .Case("pending_count", pending_count)
                         .Default(nullptr);
    return row && row(at, i);
}

bool begins(StringRef part, StringRef space) {
    return part == space || part.starts_with((space + "::").str());
}

}  // namespace

// cp.async.bulk.TO.FROM[.mbarrier::complete_tx::bytes] [to], [from], bytes{, [object]}{, hint};
// .prefetch only asks for it. Tensors are described by maps that no CPU reads.
bool copy_bulk(PtxStatement& at, const PtxInstruction& i) {
    if (has_part(i, "tensor") || i.opcode.size() < 5) return false;
    if (i.opcode[3] == "prefetch") return true;
    const StringRef target = i.opcode[3], source = i.opcode[4];
    const bool into_shared = begins(target, "shared"), from_shared = begins(source, "shared");
    const bool completes = has_part(i, "mbarrier::complete_tx::bytes");
    if (i.operands.size() < (completes ? 4u : 3u) || has_part(i, "multicast::cluster") ||
        has_part(i, "cp_mask")) {
        return false;
    }
    IRBuilder<>& b = at.builder();
    Value* to = at.address(i.operands[0], into_shared ? "shared" : "global");
    Value* from = at.address(i.operands[1], from_shared ? "shared" : "global");
    Value* bytes = at.read(i.operands[2], b.getInt32Ty());
    Value* object = completes ? object_of(at, i.operands[3]) : nullptr;
    if (!to || !from || !bytes || (completes && !object)) return false;
    b.CreateMemCpy(to, llvm::Align(16), from, llvm::Align(16), b.CreateZExt(bytes, b.getInt64Ty()));
    if (completes) update(at, object, at.word(0), b.CreateNeg(bytes), at.word(0));
    return true;
}

// cp.async.mbarrier.arrive[.noinc] [object]: when the thread's copies are done, which they are.
// Without .noinc the arrival is one more than expected, and nothing changes.
bool arrive_after_copies(PtxStatement& at, const PtxInstruction& i) {
    if (i.operands.size() != 1 || !has_part(i, "arrive")) return false;
    Value* object = object_of(at, i.operands[0]);
    if (!object) return false;
    if (has_part(i, "noinc")) update(at, object, at.word(1), at.word(0), at.word(0));
    return true;
}

PtxRow find_mbarrier_row(StringRef opcode) {
    return opcode == "mbarrier" ? mbarrier_row : nullptr;
}

}  // namespace warpwise::cpu_compiler
