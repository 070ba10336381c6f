// Statistics, networks and graphs as written by hand: the counterparts of learning.py.

#define BLOCK 128
#define NEAREST 5

extern "C" __global__ void assign(const double* points, const double* centres, int* labels, int n,
                                  int count, int width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double best = INFINITY;
    int label = 0;
    for (int c = 0; c < count; c++) {
        double d = 0;
        for (int k = 0; k < width; k++) {
            double gap = points[i * width + k] - centres[c * width + k];
            d += gap * gap;
        }
        if (d < best) {
            best = d;
            label = c;
        }
    }
    labels[i] = label;
}

extern "C" __global__ void softmax(const double* x, double* out, int rows, int columns)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    x += row * columns;
    out += row * columns;
    double largest = -INFINITY, total = 0;
    for (int j = 0; j < columns; j++) largest = fmax(largest, x[j]);
    for (int j = 0; j < columns; j++) {
        double e = exp(x[j] - largest);
        out[j] = e;
        total += e;
    }
    for (int j = 0; j < columns; j++) out[j] /= total;
}

__device__ float block_sum(float* part, float value)
{
    int t = threadIdx.x;
    part[t] = value;
    __syncthreads();
    for (int step = BLOCK / 2; step > 0; step /= 2) {
        if (t < step) part[t] += part[t + step];
        __syncthreads();
    }
    float total = part[0];
    __syncthreads();
    return total;
}

extern "C" __global__ void layer_norm(const float* x, const float* gain, const float* bias,
                                      float* out, int columns)
{
    __shared__ float part[BLOCK];
    x += blockIdx.x * columns;
    out += blockIdx.x * columns;
    float total = 0;
    for (int j = threadIdx.x; j < columns; j += BLOCK) total += x[j];
    float mean = block_sum(part, total) / columns;
    total = 0;
    for (int j = threadIdx.x; j < columns; j += BLOCK) total += (x[j] - mean) * (x[j] - mean);
    float scale = 1 / sqrtf(block_sum(part, total) / columns + 1e-5f);
    for (int j = threadIdx.x; j < columns; j += BLOCK)
        out[j] = (x[j] - mean) * scale * gain[j] + bias[j];
}

extern "C" __global__ void convolution(const float* image, const float* filters, float* out,
                                       int channels, int size, int width, int height)
{
    int f = blockIdx.z;
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= height || j >= width) return;
    int across = width + size - 1, down = height + size - 1;
    float total = 0;
    for (int c = 0; c < channels; c++)
        for (int a = 0; a < size; a++)
            for (int b = 0; b < size; b++)
                total += image[(c * down + i + a) * across + j + b] *
                         filters[((f * channels + c) * size + a) * size + b];
    out[(f * height + i) * width + j] = fmaxf(total, 0);
}

extern "C" __global__ void max_pool(const double* x, double* out, signed char* where, int width,
                                    int height)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= height || j >= width) return;
    double best = -INFINITY;
    int at = 0;
    for (int a = 0; a < 2; a++)
        for (int b = 0; b < 2; b++) {
            double value = x[(2 * i + a) * 2 * width + 2 * j + b];
            if (value > best) {
                best = value;
                at = 2 * a + b;
            }
        }
    out[i * width + j] = best;
    where[i * width + j] = at;
}

extern "C" __global__ void attention(const double* q, const double* k, const double* v, double* out,
                                     int rows, int keys, int width)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    q += row * width;
    out += row * width;
    double largest = -INFINITY, total = 0;
    for (int d = 0; d < width; d++) out[d] = 0;
    for (int j = 0; j < keys; j++) {
        double score = 0;
        for (int d = 0; d < width; d++) score += q[d] * k[j * width + d];
        score /= sqrt((double)width);
        double next = fmax(largest, score);
        double keep = exp(largest - next), weight = exp(score - next);
        total = total * keep + weight;
        for (int d = 0; d < width; d++) out[d] = out[d] * keep + weight * v[j * width + d];
        largest = next;
    }
    for (int d = 0; d < width; d++) out[d] /= total;
}

extern "C" __global__ void classify(const double* samples, const double* points, const int* labels,
                                    int* out, int n, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double near[NEAREST];
    int kind[NEAREST];
    for (int j = 0; j < NEAREST; j++) {
        near[j] = INFINITY;
        kind[j] = 0;
    }
    for (int p = 0; p < count; p++) {
        double d = fabs(points[p] - samples[i]);
        if (d < near[NEAREST - 1]) {
            int at = NEAREST - 1;
            for (; at > 0 && near[at - 1] > d; at--) {
                near[at] = near[at - 1];
                kind[at] = kind[at - 1];
            }
            near[at] = d;
            kind[at] = labels[p];
        }
    }
    int votes = 0;
    for (int j = 0; j < NEAREST; j++) votes += kind[j];
    out[i] = 2 * votes > NEAREST;
}

extern "C" __global__ void find_roots(const int* parent, int* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int root = i;
        while (parent[root] != root) root = parent[root];
        out[i] = root;
    }
}

extern "C" __global__ void floyd_step(const int* distance, int k, int* out, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < n) {
        int through = distance[i * n + k] + distance[k * n + j];
        out[i * n + j] = min(through, distance[i * n + j]);
    }
}

extern "C" __global__ void page_ranks(const int* starts, const int* sources, const int* degrees,
                                      const double* ranks, double damping, double* out, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n) {
        double total = 0;
        for (int e = starts[v]; e < starts[v + 1]; e++) {
            int u = sources[e];
            total += ranks[u] / degrees[u];
        }
        out[v] = (1 - damping) / n + damping * total;
    }
}
