// The order of the steps: the table of contents of lowering/.
#include "src/backends/cpu/compiler/gang/gang.hpp"
#include "src/backends/cpu/compiler/guard.hpp"
#include "src/backends/cpu/compiler/lowering/lowering.hpp"
#include "src/backends/cpu/compiler/lowering/threads/address_spaces.hpp"

namespace warpwise::cpu_compiler {
namespace {

void prepare(Lowering& job) {
    enter_stage("preparing the module");
    verify_module(job, "made by clang");
    retarget_to_host(job);
    name_launched_kernels(job);
    settle_linkage(job);
    drop_unused(job);
    lower_inline_ptx(job);
    canonicalise_services(job);
    lower_ptx_intrinsics(job);
    define_division(job);
    define_conversions(job);
    define_shifts(job);
    refine_convergence(job);
    choose_inlining(job);
}

// Every executor starts from what this leaves, so that their results can be compared bit by bit.
void run_common_prefix(Lowering& job) {
    enter_stage("optimising");
    run_scalar_passes(job);
    form_fma(job);
    expand_narrow_fma(job);
    specialise_by_block(job);
}

void bind_to_threads(Lowering& job) {
    enter_stage("lowering to threads");
    check_gpu_limits(job);
    resolve_address_spaces(job);
    report_leftovers(job);
    insert_yields(job);
    keep_warps_in_step(job);
    mark_block_atomics(job);
    SharedLayout layout = lay_out_shared(job);
    bind_thread_state(job, layout);
}

void complete(Lowering& job) {
    enter_stage("completing the module");
    make_block_atomics_plain(job);
    define_minima(job);
    expand_vector_conversions(job);
    summarise_kernels(job);
    lower_registers(job);
    lower_services(job);
    loop_over_blocks(job);
    drop_unused(job);
    verify_module(job, "after lowering");
}

}  // namespace

void lower(Lowering& job) {
    prepare(job);
    run_common_prefix(job);
    bind_to_threads(job);
    enter_stage("vectorising");
    form_gangs(job);
    complete(job);
}

}  // namespace warpwise::cpu_compiler
