// The table of passes and what runs them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "src/backends/cpu/compiler/gang/context/gang_context.hpp"

namespace warpwise::cpu_compiler::gang {

// What a pass runs on, and when. gang.cpp and forms.cpp run the stages, in this order.
enum class Stage : std::uint8_t {
    Scalar,     // the kernel, which stays as good a scalar function as it was
    Candidate,  // the same: accepts or refuses it for the vectoriser
    Normal,     // the kernel: brings it to normal form
    Loops,      // the kernel in normal form, which is kept
    Layout,     // the same
    Assume,     // a copy of it in which usual outcomes are constants; then Scalar and Normal
    Gang,       // a gang function, empty at first: one for each form
    Blocks,     // the loop over blocks, empty at first, once services have been lowered
};

struct Pass {
    std::string_view name;
    Stage stage;
    bool is_optional;  // the code is right without it
    llvm::PreservedAnalyses (*run)(llvm::Function& function, GangContext& context);
    bool (*applies)(const GangContext& context) = nullptr;  // always, where null
};

// In the order in which they run within a stage.
std::span<const Pass> passes();

// Runs those of a stage, but for what does not apply or is skipped; after each, what it did not
// preserve is dropped, and the function is verified and dumped as the options ask. Stops at a
// refusal.
void run_stage(Stage stage, llvm::Function& function, GangContext& context);

// From settings and the options of the request. Throws ArgumentError for a pass to skip that does
// not exist or is not optional, or one to dump that does not exist.
PipelineOptions pipeline_options(const Translation& translation);

}  // namespace warpwise::cpu_compiler::gang
