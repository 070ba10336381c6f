// Finding callees and callers, and which functions a pointer may reach.
#include "src/backends/cpu/compiler/lowering/scalar/call_graph.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>

#include <algorithm>

namespace warpwise::cpu_compiler {

bool is_indirect(const llvm::CallBase& call) {
    return !call.getCalledFunction() && !call.isInlineAsm();
}

CallGraph::CallGraph(const llvm::Module& module) {
    llvm::SmallVector<const llvm::Function*, 4> address_taken;
    for (const llvm::Function& function : module) {
        if (!function.isDeclaration() && function.hasAddressTaken()) {
            address_taken.push_back(&function);
        }
    }
    for (const llvm::Function& function : module) {
        llvm::SmallSetVector<const llvm::Function*, 8> found;
        for (const llvm::Instruction& instruction : llvm::instructions(function)) {
            auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
            if (!call) continue;
            const llvm::Function* callee = call->getCalledFunction();
            if (callee && !callee->isDeclaration()) found.insert(callee);
            if (is_indirect(*call)) found.insert(address_taken.begin(), address_taken.end());
        }
        callees_[&function].append(found.begin(), found.end());
    }
    find_recursion(module);
}

llvm::ArrayRef<const llvm::Function*> CallGraph::callees(const llvm::Function& function) const {
    auto entry = callees_.find(&function);
    if (entry == callees_.end()) return {};
    return entry->second;
}

std::vector<const llvm::Function*> CallGraph::reachable(const llvm::Function& root) const {
    llvm::DenseSet<const llvm::Function*> seen{&root};
    std::vector<const llvm::Function*> found{&root};
    for (std::size_t next = 0; next < found.size(); ++next) {
        for (const llvm::Function* callee : callees(*found[next])) {
            if (seen.insert(callee).second) found.push_back(callee);
        }
    }
    return found;
}

// Tarjan's algorithm without the machine stack: chains of calls may be thousands deep.
void CallGraph::find_recursion(const llvm::Module& module) {
    struct Visit {
        unsigned index = 0;
        unsigned low = 0;
        bool open = true;
    };
    struct Frame {
        const llvm::Function* function;
        std::size_t next_callee;
    };
    llvm::DenseMap<const llvm::Function*, Visit> visits;
    std::vector<const llvm::Function*> component_stack;
    std::vector<Frame> path;
    auto enter = [&](const llvm::Function* function) {
        auto order = static_cast<unsigned>(visits.size() + 1);
        visits[function] = {order, order, true};
        component_stack.push_back(function);
        path.push_back({function, 0});
    };
    auto close = [&](const llvm::Function* function) {
        auto first = std::find(component_stack.begin(), component_stack.end(), function);
        bool several = component_stack.end() - first > 1;
        for (auto member = first; member != component_stack.end(); ++member) {
            visits[*member].open = false;
            bottom_up_.push_back(*member);
            if (several || llvm::is_contained(callees(**member), *member)) {
                recursive_.insert(*member);
            }
        }
        component_stack.erase(first, component_stack.end());
    };
    for (const llvm::Function& root : module) {
        if (root.isDeclaration() || visits.contains(&root)) continue;
        enter(&root);
        while (!path.empty()) {
            const llvm::Function* function = path.back().function;
            if (path.back().next_callee < callees(*function).size()) {
                const llvm::Function* callee = callees(*function)[path.back().next_callee++];
                auto seen = visits.find(callee);
                if (seen == visits.end()) {
                    enter(callee);
                } else if (seen->second.open) {
                    visits[function].low = std::min(visits[function].low, visits[callee].index);
                }
                continue;
            }
            path.pop_back();
            Visit visit = visits[function];
            if (visit.low == visit.index) close(function);
            if (!path.empty()) {
                Visit& caller = visits[path.back().function];
                caller.low = std::min(caller.low, visit.low);
            }
        }
    }
}

}  // namespace warpwise::cpu_compiler
