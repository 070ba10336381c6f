// Spin locks: a sorted linked list that many threads insert into under one lock each takes with
// atomicCAS, and accounts guarded by ticket locks, taken in order of their number.

struct SpinLock {
    int taken;
    __device__ bool try_lock() { return atomicCAS(&taken, 0, 1) == 0; }
    __device__ void unlock()
    {
        __threadfence();
        atomicExch(&taken, 0);
    }
};

struct List {
    SpinLock lock;
    int used;
    int head;
};

__device__ List list = {{0}, 0, -1};

__global__ void insert_sorted(const int *values, int n, int *value, int *next)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    // Lanes of a warp run together on old devices: the critical section is inside the attempt.
    for (bool done = false; !done;) {
        if (list.lock.try_lock()) {
            __threadfence();
            List volatile *l = &list;
            const int node = l->used;
            l->used = node + 1;
            ((volatile int *)value)[node] = values[i];
            int before = -1, at = l->head;
            while (at >= 0 && ((volatile int *)value)[at] < values[i]) {
                before = at;
                at = ((volatile int *)next)[at];
            }
            ((volatile int *)next)[node] = at;
            if (before < 0) l->head = node;
            else ((volatile int *)next)[before] = node;
            list.lock.unlock();
            done = true;
        }
    }
}

class TicketLock {
    unsigned next_ = 0, served_ = 0;

public:
    __device__ void lock()
    {
        const unsigned mine = atomicAdd(&next_, 1u);
        while (atomicAdd(&served_, 0u) != mine) __nanosleep(10);
        __threadfence();
    }
    __device__ void unlock()
    {
        __threadfence();
        atomicAdd(&served_, 1u);
    }
};

struct Account {
    TicketLock lock;
    volatile long long balance;
};

// One thread of a block moves money; blocks contend.
__global__ void transfer(Account *accounts, const int3 *orders, int n)
{
    if (threadIdx.x) return;
    for (int i = blockIdx.x; i < n; i += gridDim.x) {
        const int3 o = orders[i];
        if (o.x == o.y) continue;
        Account &first = accounts[min(o.x, o.y)], &second = accounts[max(o.x, o.y)];
        first.lock.lock();
        second.lock.lock();
        accounts[o.x].balance = accounts[o.x].balance - o.z;
        accounts[o.y].balance = accounts[o.y].balance + o.z;
        second.lock.unlock();
        first.lock.unlock();
    }
}
