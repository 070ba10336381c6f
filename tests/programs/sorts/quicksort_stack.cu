// Every thread sorts one row: quicksort with an explicit stack in local memory, insertion
// sort for short pieces.
#define STACK 32
#define SHORT 8

__device__ void insertion_sort(float *v, int lo, int hi)
{
    for (int i = lo + 1; i <= hi; i++) {
        float x = v[i];
        int j = i - 1;
        while (j >= lo && v[j] > x) {
            v[j + 1] = v[j];
            j--;
        }
        v[j + 1] = x;
    }
}

__device__ float median3(float a, float b, float c)
{
    return fmaxf(fminf(a, b), fminf(fmaxf(a, b), c));
}

__global__ void sort_rows(float *rows, int width, int count)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= count) return;
    float *v = rows + row * width;
    int2 stack[STACK];
    int top = 0;
    stack[top++] = make_int2(0, width - 1);
    while (top > 0) {
        int2 range = stack[--top];
        int lo = range.x, hi = range.y;
        if (hi - lo < SHORT) {
            insertion_sort(v, lo, hi);
            continue;
        }
        float pivot = median3(v[lo], v[(lo + hi) / 2], v[hi]);
        int i = lo, j = hi;
        do {
            while (v[i] < pivot) i++;
            while (v[j] > pivot) j--;
            if (i <= j) {
                float t = v[i];
                v[i++] = v[j];
                v[j--] = t;
            }
        } while (i <= j);
        // The longer part first, so that the stack stays logarithmic.
        int2 left = make_int2(lo, j), right = make_int2(i, hi);
        bool left_longer = j - lo > hi - i;
        stack[top++] = left_longer ? left : right;
        stack[top++] = left_longer ? right : left;
    }
}
