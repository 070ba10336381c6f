// A record under a version number that is odd while someone writes (a sequence lock). Writers take it
// by atomicCAS, readers try again when the number has changed under them.

struct Record {
    unsigned version;
    int count;
    long long sum;
};

__device__ unsigned begin_write(Record *record)
{
    unsigned seen = 0, even;
    do {
        even = seen & ~1u;
        seen = atomicCAS(&record->version, even, even + 1);
    } while (seen != even);
    __threadfence();
    return even;
}

__device__ void end_write(Record *record, unsigned even)
{
    __threadfence();
    atomicExch(&record->version, even + 2);
}

__global__ void add_all(Record *records, int count, const int *values, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        Record *record = records + i % count;
        unsigned even = begin_write(record);
        volatile Record *r = record;
        r->count = r->count + 1;
        r->sum = r->sum + values[i];
        end_write(record, even);
    }
}

// Half of the blocks write equal pairs, the others must never see a torn one.
__global__ void pairs(Record *record, int rounds, int *torn)
{
    volatile Record *r = record;
    if (blockIdx.x % 2 == 0) {
        if (threadIdx.x != 0) return;
        for (int k = 0; k < rounds; k++) {
            unsigned even = begin_write(record);
            r->count = r->count + 1;
            __threadfence();
            r->sum = r->sum + 1;
            end_write(record, even);
        }
        return;
    }
    for (int k = 0; k < rounds; k++) {
        int count;
        long long sum;
        unsigned before;
        do {
            before = r->version;
            __threadfence();
            count = r->count;
            sum = r->sum;
            __threadfence();
        } while ((before & 1) || r->version != before);
        if (count != sum) atomicAdd(torn, 1);
    }
}
