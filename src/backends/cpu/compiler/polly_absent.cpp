// Debian builds clang with Polly, an optimiser we do not use and do not link: clang's code
// generator refers to this one symbol of it. In static builds only.
#include <llvm/Passes/PassPlugin.h>

llvm::PassPluginLibraryInfo getPollyPluginInfo();

llvm::PassPluginLibraryInfo getPollyPluginInfo() {
    return {LLVM_PLUGIN_API_VERSION, "no Polly", "0", [](llvm::PassBuilder&) {}};
}
