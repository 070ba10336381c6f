// Stencils, filters and automata as written by hand: the counterparts of stencils.py.

extern "C" __global__ void heat(const double* u, double alpha, double* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1)
        out[i] = u[i] + alpha * (u[i - 1] - 2 * u[i] + u[i + 1]);
    else if (i == 0 || i == n - 1)
        out[i] = u[i];
}

extern "C" __global__ void jacobi(const double* u, const double* f, double h, double* out,
                                  int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= 1 && x < width - 1 && y >= 1 && y < height - 1) {
        int p = y * width + x;
        double neighbours = u[p - width] + u[p + width] + u[p - 1] + u[p + 1];
        out[p] = 0.25 * (neighbours - h * h * f[p]);
    }
}

extern "C" __global__ void laplacian(const float* a, int width, int height, float* out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && y > 0 && x < width - 1 && y < height - 1) {
        int p = y * width + x;
        out[p] = a[p - width] + a[p + width] + a[p - 1] + a[p + 1] - 4 * a[p];
    }
}

extern "C" __global__ void wave(const float* previous, const float* current, float c, float* out,
                                int width, int height, int depth)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x > 0 && x < width - 1 && y > 0 && y < height - 1 && z > 0 && z < depth - 1) {
        int layer = width * height;
        int p = z * layer + y * width + x;
        float around = current[p - 1] + current[p + 1];
        around += current[p - width] + current[p + width];
        around += current[p - layer] + current[p + layer];
        float bend = around - 6 * current[p];
        out[p] = 2 * current[p] - previous[p] + c * c * bend;
    }
}

extern "C" __global__ void life(const signed char* world, signed char* out, int columns, int rows)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < rows && j < columns) {
        int alive = 0;
        for (int di = -1; di < 2; di++)
            for (int dj = -1; dj < 2; dj++)
                if (di != 0 || dj != 0)
                    alive += world[(i + di + rows) % rows * columns + (j + dj + columns) % columns];
        out[i * columns + j] = alive == 3 || (alive == 2 && world[i * columns + j] == 1);
    }
}

extern "C" __global__ void sobel(const float* image, float* out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && x < width - 1 && y > 0 && y < height - 1) {
        const float* p = image + y * width + x;
        const float *above = p - width, *below = p + width;
        float gx = above[1] + 2 * p[1] + below[1] - (above[-1] + 2 * p[-1] + below[-1]);
        float gy = below[-1] + 2 * below[0] + below[1] - (above[-1] + 2 * above[0] + above[1]);
        out[y * width + x] = sqrtf(gx * gx + gy * gy);
    }
}

extern "C" __global__ void median(const unsigned char* image, unsigned char* out, int columns,
                                  int rows)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= rows || j >= columns) return;
    unsigned char window[9];
    int at = 0;
    for (int di = -1; di <= 1; di++)
        for (int dj = -1; dj <= 1; dj++) {
            int y = min(max(i + di, 0), rows - 1), x = min(max(j + dj, 0), columns - 1);
            window[at++] = image[y * columns + x];
        }
    for (int a = 0; a < 5; a++) {
        int smallest = a;
        for (int b = a + 1; b < 9; b++)
            if (window[b] < window[smallest]) smallest = b;
        unsigned char other = window[a];
        window[a] = window[smallest];
        window[smallest] = other;
    }
    out[i * columns + j] = window[4];
}

extern "C" __global__ void tiled_blur(const float* x, float* out, int n)
{
    __shared__ float tile[256 + 4];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    tile[t + 2] = x[min(i, n - 1)];
    if (t < 2) {
        tile[t] = x[max(i - 2, 0)];
        tile[t + 256 + 2] = x[min(i + 256, n - 1)];
    }
    __syncthreads();
    if (i < n) {
        float total = 0;
        for (int d = 0; d < 5; d++) total += tile[t + d];
        out[i] = total / 5;
    }
}

extern "C" __global__ void elementary(const int* cells, int rule, int* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int left = i == 0 ? n - 1 : i - 1, right = i == n - 1 ? 0 : i + 1;
        int pattern = cells[left] * 4 + cells[i] * 2 + cells[right];
        out[i] = (rule >> pattern) & 1;
    }
}
