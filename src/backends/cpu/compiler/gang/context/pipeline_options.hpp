// How the pipeline is observed and changed from outside: WARPWISE_SKIP_PASS, WARPWISE_DUMP,
// WARPWISE_VERIFY and the compiler option --warpwise-skip-pass. Invariant: only `skipped` changes
// the generated code.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpwise::cpu_compiler::gang {

struct PipelineOptions {
    std::vector<std::string> skipped;  // names of optional passes
    std::string dump;                  // a pass, "all", or empty: none
    std::string dump_folder;
    bool verifies = false;  // each pass's result by LLVM's verifier

    bool skips(std::string_view pass) const;
    bool dumps(std::string_view pass) const { return dump == "all" || dump == pass; }
};

}  // namespace warpwise::cpu_compiler::gang
