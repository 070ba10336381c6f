// The works of the CPU benchmark as OpenCL users write them, for PoCL. Float atomics, shuffles and
// look-back have no portable equivalent there.

kernel void saxpy(float a, global const float *x, global const float *y, global float *z, int n)
{
    int i = get_global_id(0);
    if (i < n)
        z[i] = a * x[i] + y[i];
}

kernel void chain(global const float *x, global const float *y, global float *z, int n)
{
    int i = get_global_id(0);
    if (i < n)
        z[i] = 5 * x[i] + 6 * y[i] - sin(x[i]) * sqrt(y[i]);
}

void add_to(global volatile float *sum, float value)
{
    union { float number; int bits; } old, next;
    do {
        old.number = *sum;
        next.number = old.number + value;
    } while (atomic_cmpxchg((global volatile int *)sum, old.bits, next.bits) != old.bits);
}

kernel void sum_tree(global const float *x, global float *out, int n)
{
    local float part[256];
    int t = get_local_id(0);
    float total = 0;
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        total += x[i];
    part[t] = total;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_size = 128; half_size > 0; half_size >>= 1) {
        if (t < half_size)
            part[t] += part[t + half_size];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (t == 0)
        add_to(out, part[0]);
}

kernel void matmul(global const float *a, global const float *b, global float *c, int n)
{
    local float left[16][16], right[16][16];
    int tx = get_local_id(0), ty = get_local_id(1);
    int column = get_global_id(0), row = get_global_id(1);
    float total = 0;
    for (int step = 0; step < n; step += 16) {
        left[ty][tx] = a[row * n + step + tx];
        right[ty][tx] = b[(step + ty) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 16; ++k)
            total += left[ty][k] * right[k][tx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + column] = total;
}

kernel void stencil(global const float *x, global float *z, int height, int width)
{
    local float s[10][34];
    int tx = get_local_id(0), ty = get_local_id(1);
    int j = get_global_id(0), i = get_global_id(1);
    if (i < height && j < width) {
        s[ty + 1][tx + 1] = x[i * width + j];
        if (tx == 0 && j > 0)
            s[ty + 1][0] = x[i * width + j - 1];
        if (tx == 31 && j < width - 1)
            s[ty + 1][33] = x[i * width + j + 1];
        if (ty == 0 && i > 0)
            s[0][tx + 1] = x[(i - 1) * width + j];
        if (ty == 7 && i < height - 1)
            s[9][tx + 1] = x[(i + 1) * width + j];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i > 0 && i < height - 1 && j > 0 && j < width - 1)
        z[i * width + j] = 0.2f * (s[ty + 1][tx + 1] + s[ty + 1][tx] + s[ty + 1][tx + 2] +
                                   s[ty][tx + 1] + s[ty + 2][tx + 1]);
}

kernel void transpose(global const float *x, global float *z, int n)
{
    local float s[32][33];
    int tx = get_local_id(0), ty = get_local_id(1);
    int column = get_group_id(0) * 32, row = get_group_id(1) * 32;
    for (int k = 0; k < 32; k += 8)
        s[ty + k][tx] = x[(row + ty + k) * n + column + tx];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 32; k += 8)
        z[(column + ty + k) * n + row + tx] = s[tx][ty + k];
}

kernel void histogram(global const uchar *x, global int *counts, int n)
{
    local int own[256];
    int t = get_local_id(0);
    own[t] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_inc(&own[x[i]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&counts[t], own[t]);
}

kernel void mandelbrot(global int *out, int height, int width, int limit)
{
    int j = get_global_id(0), i = get_global_id(1);
    float c_real = -2.0f + 3.0f * j / width, c_imaginary = -1.5f + 3.0f * i / height;
    float real = 0, imaginary = 0;
    int step = 0;
    while (step < limit && real * real + imaginary * imaginary < 4.0f) {
        float next = real * real - imaginary * imaginary + c_real;
        imaginary = 2 * real * imaginary + c_imaginary;
        real = next;
        ++step;
    }
    out[i * width + j] = step;
}

kernel void nbody(global const float *bodies, global float *pulls, int n)
{
    local float s[4][256];
    int t = get_local_id(0), i = get_global_id(0);
    float x = bodies[i], y = bodies[n + i], z = bodies[2 * n + i];
    float pull_x = 0, pull_y = 0, pull_z = 0;
    for (int start = 0; start < n; start += 256) {
        for (int part = 0; part < 4; ++part)
            s[part][t] = bodies[part * n + start + t];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < 256; ++j) {
            float dx = s[0][j] - x, dy = s[1][j] - y, dz = s[2][j] - z;
            float inverse = 1.0f / sqrt(dx * dx + dy * dy + dz * dz + 1e-4f);
            float strength = s[3][j] * inverse * inverse * inverse;
            pull_x += dx * strength;
            pull_y += dy * strength;
            pull_z += dz * strength;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    pulls[i] = pull_x;
    pulls[n + i] = pull_y;
    pulls[2 * n + i] = pull_z;
}

kernel void spmv(global const int *starts, global const int *columns, global const float *values,
                 global const float *x, global float *y, int rows)
{
    int row = get_global_id(0);
    if (row < rows) {
        float total = 0;
        for (int k = starts[row]; k < starts[row + 1]; ++k)
            total += values[k] * x[columns[k]];
        y[row] = total;
    }
}
