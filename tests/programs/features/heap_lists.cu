// Adjacency lists grown with malloc on the device: nodes are pushed without locks by atomicCAS on the
// head pointer, walked and freed by later kernels; a scratch array a thread as well.
#include <cstdlib>
#include <cstring>

struct ListNode {
    int payload;
    ListNode *next;
};

static_assert(sizeof(ListNode *) == sizeof(unsigned long long), "heads are swapped as integers");

__global__ void push_all(ListNode **heads, const int *bucket, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    ListNode *node = static_cast<ListNode *>(malloc(sizeof(ListNode)));
    node->payload = i;
    auto *head = reinterpret_cast<unsigned long long *>(&heads[bucket[i]]);
    unsigned long long seen = *head, assumed;
    do {
        assumed = seen;
        node->next = reinterpret_cast<ListNode *>(assumed);
        __threadfence();
        seen = atomicCAS(head, assumed, reinterpret_cast<unsigned long long>(node));
    } while (seen != assumed);
}

__global__ void sum_and_free(ListNode **heads, int buckets, int *lengths, long long *sums)
{
    const int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= buckets) return;
    lengths[b] = 0;
    sums[b] = 0;
    for (ListNode *p = heads[b]; p != NULL;) {
        lengths[b]++;
        sums[b] += p->payload;
        ListNode *gone = p;
        p = p->next;
        free(gone);
    }
    heads[b] = nullptr;
}

// Digits of i! in base ten, in the thread's own memory; out has a row of `width` digits.
__global__ void factorials(unsigned char *out, int n, int width)
{
    const int i = threadIdx.x;
    if (i >= n) return;
    int *digits = new int[width];
    memset(digits, 0, width * sizeof *digits);
    digits[0] = 1;
    for (int k = 2; k <= i; ++k) {
        int carry = 0;
        for (int d = 0; d < width; ++d) {
            carry += digits[d] * k;
            digits[d] = carry % 10;
            carry /= 10;
        }
    }
    for (int d = 0; d < width; ++d) out[i * width + d] = digits[d];
    delete[] digits;
}
