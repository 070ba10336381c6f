// Writing values to computed places. Of several values for one place the last stays: every value
// takes a turn there, the greatest number wins, and only the winner writes. Where a block is one
// thread, it writes the values for a part of the target that it alone owns, in order.
#pragma once

// Unit: what is written together, `words` of them a value. `places`: bytes from the lowest byte of
// the target on. `before`: bytes from there to `first`. `turns`: one for each unit of the target.
template <class Unit, class Turn>
struct __ww_scatter {
    const long long* places;
    const Unit* values;
    void* first;
    Turn* turns;
    long long before, count, words, step;

    __device__ __forceinline__ static long long number() {
        return (long long)blockIdx.x * blockDim.x + threadIdx.x;
    }
    __device__ __forceinline__ long long place(long long p) const {
        return (long long)((unsigned long long)places[p] / sizeof(Unit));
    }
    __device__ __forceinline__ void clear() const {
        const long long p = number();
        if (p < count) turns[place(p)] = -1;
    }
    __device__ __forceinline__ void contend() const {
        const long long p = number();
        if (p < count) atomicMax(turns + place(p), (Turn)p);
    }
    // `units`: of the whole target. What belongs to other blocks goes nowhere, without a branch
    // that random places would make unpredictable.
    __device__ __forceinline__ void write_in_order(long long units) const {
        Unit* const target = (Unit*)((char*)first - before);
        if (gridDim.x == 1) {
            for (long long p = 0; p < count; ++p) {
                for (long long w = 0; w < words; ++w) target[place(p) + w] = values[p * step + w];
            }
            return;
        }
        const unsigned long long size = (units + gridDim.x - 1) / gridDim.x;
        const unsigned long long own = blockIdx.x * size;
        Unit nowhere;
        for (long long p = 0; p < count; ++p) {
            const long long at = place(p);
            const bool is_own = (unsigned long long)at - own < size;
            if (words == 1) {
                Unit* const to = is_own ? target + at : &nowhere;
                *to = values[p];
            } else if (is_own) {
                for (long long w = 0; w < words; ++w) target[at + w] = values[p * step + w];
            }
        }
    }
    __device__ __forceinline__ void write(bool has_turns) const {
        const long long p = number();
        if (p >= count) return;
        const long long at = place(p);
        if (has_turns && turns[at] != (Turn)p) return;
        Unit* target = (Unit*)((char*)first - before) + at;
        for (long long w = 0; w < words; ++w) target[w] = values[p * step + w];
    }
};
