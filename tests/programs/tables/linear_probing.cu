// A hash table with open addressing: 64-bit slots of key and value, claimed by atomicCAS; a key that
// is inserted again adds to its value. Deleting leaves a grave.
#include <cstdint>

namespace table {

using slot_t = unsigned long long;
constexpr uint32_t kEmpty = 0xffffffffu;
constexpr uint32_t kGrave = 0xfffffffeu;

__device__ inline uint32_t murmur(uint32_t k) {
    k ^= k >> 16;
    k *= 0x85ebca6b;
    k ^= k >> 13;
    k *= 0xc2b2ae35;
    k ^= k >> 16;
    return k;
}

__device__ inline slot_t pack(uint32_t key, uint32_t value) { return (slot_t(value) << 32) | key; }

__global__ void clear(slot_t *slots, uint32_t capacity) {
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < capacity; i += gridDim.x * blockDim.x)
        slots[i] = pack(kEmpty, 0);
}

__global__ void insert_add(slot_t *slots, uint32_t capacity, const uint32_t *keys,
                           const uint32_t *values, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const uint32_t key = keys[i];
    for (uint32_t at = murmur(key) & (capacity - 1);; at = (at + 1) & (capacity - 1)) {
        slot_t seen = slots[at];
        while (uint32_t(seen) == kEmpty || uint32_t(seen) == key) {
            const uint32_t old = uint32_t(seen) == key ? uint32_t(seen >> 32) : 0;
            const slot_t before = atomicCAS(&slots[at], seen, pack(key, old + values[i]));
            if (before == seen) return;
            seen = before;
        }
    }
}

__global__ void erase(slot_t *slots, uint32_t capacity, const uint32_t *keys, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint32_t at = murmur(keys[i]) & (capacity - 1);
    while (uint32_t(slots[at]) != kEmpty) {
        if (uint32_t(slots[at]) == keys[i]) {
            slots[at] = pack(kGrave, 0);
            return;
        }
        at = (at + 1) & (capacity - 1);
    }
}

__global__ void lookup(const slot_t *slots, uint32_t capacity, const uint32_t *keys, int *values,
                       int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint32_t at = murmur(keys[i]) & (capacity - 1);
    values[i] = -1;
    while (true) {
        const slot_t slot = slots[at];
        if (uint32_t(slot) == keys[i]) {
            values[i] = int(slot >> 32);
            break;
        }
        if (uint32_t(slot) == kEmpty) break;
        at = (at + 1) & (capacity - 1);
    }
}

}  // namespace table
