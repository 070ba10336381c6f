// The kernels of the interpreter: one for each skeleton. Reductions associate as generated kernels
// do (src/codegen/emit/reduction.cpp): the same lanes, batches and parts, merged in the same order.
#pragma once

#include "reducers.cuh"

extern __shared__ __ww_cell __ww_all_slots[];

// The steps [first, end) at a point. `axes`: of the space that the point is in.
__device__ __forceinline__ void __ww_run(const __ww_program& program, __ww_cell* slots, int first,
                                         int end, __ww_cell point, int axes) {
    for (int i = first; i < end; ++i) {
        const __ww_step step = __ww_step_of(program.words[i]);
        __ww_cell* const to = slots + step.to * __ww_block;
        if (step.code >= __ww_step_cast) {
            __ww_compute(slots, program.words[i]);
        } else if (step.code >= __ww_step_store) {
            const int item = __ww_item(step.code - __ww_step_store);
            __ww_stored(__ww_operand_at(program, slots, step, point, axes, item), item,
                        slots[step.a * __ww_block]);
        } else if (step.code >= __ww_step_load) {
            const bool gathers = step.code >= __ww_step_gather;
            const int item = __ww_item(step.code - (gathers ? __ww_step_gather : __ww_step_load));
            const __ww_cell place = __ww_operand_at(program, slots, step, point, axes, item);
            *to = __ww_loaded(place + (gathers ? slots[step.a * __ww_block] : 0), item);
        } else if (step.code == __ww_step_scalar) {
            *to = program.words[step.number];
        } else if (step.code == __ww_step_index) {
            *to = slots[(program.coordinates + step.number) * __ww_block];
        } else if (step.code == __ww_step_result) {
            const __ww_reducer one = __ww_reducer_of(program.words[program.reducers + step.number]);
            __ww_reduce_by(one.code, __ww_result, slots + (program.states + one.state) * __ww_block,
                           to, 0, 0);
        } else {
            *to = __ww_bounded((long long)slots[step.a * __ww_block],
                               (long long)slots[step.b * __ww_block],
                               (long long)slots[step.c * __ww_block], (void*)program.report);
        }
    }
}

extern "C" __global__ void __launch_bounds__(256) ww_interpreted(const __ww_program program) {
    __ww_cell* const slots = __ww_all_slots + threadIdx.x;
    const __ww_cell step = (__ww_cell)gridDim.x * __ww_block;
    for (__ww_cell point = (__ww_cell)blockIdx.x * __ww_block + threadIdx.x; point < program.points;
         point += step) {
        if (program.needs_coordinates) {
            __ww_decompose(program, slots, point, 0, program.rank);
        }
        __ww_run(program, slots, program.body, program.epilogue, point, program.rank);
    }
}

// The elements of part `part` of result `k` that this lane takes, in batches.
__device__ __forceinline__ void __ww_take_part(const __ww_program& program, __ww_cell* slots,
                                               __ww_cell k, __ww_cell part, unsigned int lane) {
    const __ww_cell first = part * program.length;
    const __ww_cell past = first + program.length;
    const __ww_cell end = past < program.reduced ? past : program.reduced;
    const unsigned int batch = program.states + program.state_words;
    const int kBatch = 8;
    for (__ww_cell base = first; base < end; base += kBatch * program.lanes) {
        __ww_clear_all(program, slots, batch);
        for (int item = 0; item < kBatch; ++item) {
            const __ww_cell r = base + item * program.lanes + lane;
            if (r >= end) break;
            if (program.needs_coordinates) {
                __ww_decompose(program, slots, r, program.kept_axes, program.rank);
            }
            __ww_run(program, slots, program.body, program.epilogue, k * program.reduced + r,
                     program.rank);
            for (int i = program.reducers; i < program.body; ++i) {
                const __ww_reducer one = __ww_reducer_of(program.words[i]);
                __ww_reduce_by(one.code, __ww_take, slots + (batch + one.state) * __ww_block,
                               slots + one.value * __ww_block, 0, (long long)r);
            }
        }
        __ww_merge_all(program, slots, program.states, slots + batch * __ww_block, __ww_block);
    }
}

// The epilogue of result `k`, whose states this thread has.
__device__ __forceinline__ void __ww_finish(const __ww_program& program, __ww_cell* slots,
                                            __ww_cell k) {
    __ww_run(program, slots, program.epilogue, program.end, k, program.kept_axes);
}

// Keeps this thread's states as number `number` of the partial results.
__device__ __forceinline__ void __ww_keep(const __ww_program& program, const __ww_cell* slots,
                                          __ww_cell number) {
    __ww_cell* const all = (__ww_cell*)program.workspace + number * program.state_words;
    for (int i = 0; i < program.state_words; ++i) {
        all[i] = slots[(program.states + i) * __ww_block];
    }
}
__device__ __forceinline__ const __ww_cell* __ww_kept(const __ww_program& program,
                                                      __ww_cell number) {
    return (const __ww_cell*)program.workspace + number * program.state_words;
}

extern "C" __global__ void __launch_bounds__(256)
    ww_interpreted_reduction(const __ww_program program) {
    const unsigned int thread = threadIdx.y * blockDim.x + threadIdx.x;
    const unsigned int lanes = program.lanes;
    const unsigned int lane = lanes == 1 ? 0 : lanes == 32 ? threadIdx.x : thread;
    __ww_cell* const slots = __ww_all_slots + thread;
    // Rows of blocks, the last one longer than what is left.
    const __ww_cell block = (__ww_cell)blockIdx.y * gridDim.x + blockIdx.x;
    __ww_cell k = 0, part = 0, counter = 0;
    if (lanes == 1) {
        const __ww_cell tiles = (program.kept + __ww_block - 1) / __ww_block;
        part = block / tiles;
        counter = block % tiles;
        k = counter * __ww_block + thread;
    } else if (lanes == 32) {
        k = block * 8 + threadIdx.y;
    } else {
        part = block % program.parts;
        counter = k = block / program.parts;
    }
    if (part >= program.parts || (lanes == __ww_block && k >= program.kept)) return;
    const bool is_inside = k < program.kept;
    __ww_clear_all(program, slots, program.states);
    if (is_inside && program.needs_coordinates) {
        __ww_decompose(program, slots, k, 0, program.kept_axes);
    }
    if (is_inside) __ww_take_part(program, slots, k, part, lane);
    // Leaves in lane 0 the merge of all lanes, by halves; then once more that of all parts.
    __shared__ bool is_last;
    for (int round = 0;; ++round) {
        for (unsigned int half = lanes / 2; half > 0; half /= 2) {
            __syncthreads();
            if (lane < half) {
                __ww_merge_all(program, slots, program.states,
                               slots + program.states * __ww_block + half, __ww_block);
            }
        }
        if (round == 1 || program.parts == 1) break;
        if (is_inside && lane == 0) {
            __ww_keep(program, slots,
                      lanes == 1 ? part * program.kept + k : k * program.parts + part);
        }
        __threadfence();
        __syncthreads();
        if (thread == 0) {
            unsigned int* const count = (unsigned int*)program.counters + counter;
            is_last = atomicAdd(count, 1u) == (unsigned int)(program.parts - 1);
            if (is_last) *count = 0;
        }
        __syncthreads();
        if (!is_last) return;
        __threadfence();
        __ww_clear_all(program, slots, program.states);
        for (__ww_cell p = lane; is_inside && p < program.parts; p += lanes) {
            __ww_merge_all(
                program, slots, program.states,
                __ww_kept(program, lanes == 1 ? p * program.kept + k : k * program.parts + p), 1);
        }
    }
    if (is_inside && lane == 0) __ww_finish(program, slots, k);
}
