// Particles as structs, stencils of several fields, rays, deposition, random walks.

struct Body {
    float4 place;  // and mass
    float3 speed;
};

__global__ void move_bodies(const Body *in, Body *out, const float3 *force, float step, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    Body b = in[i];
    float3 f = force[i];
    float scale = step / b.place.w;
    b.speed.x += f.x * scale;
    b.speed.y += f.y * scale;
    b.speed.z += f.z * scale;
    b.place.x += b.speed.x * step;
    b.place.y += b.speed.y * step;
    b.place.z += b.speed.z * step;
    out[i] = b;
}

// Lattice Boltzmann in two dimensions with nine speeds: pull, collide, store; periodic.
__global__ void lattice_step(const float *in, float *out, unsigned width, unsigned height,
                             float omega)
{
    const float weight[9] = {4 / 9.f,  1 / 9.f,  1 / 9.f,  1 / 9.f, 1 / 9.f,
                             1 / 36.f, 1 / 36.f, 1 / 36.f, 1 / 36.f};
    const int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= width)
        return;
    unsigned cells = width * height;
    float f[9], density = 0, ux = 0, uy = 0;
    for (int k = 0; k < 9; ++k) {
        unsigned from_x = (x + width - cx[k]) % width, from_y = (y + height - cy[k]) % height;
        f[k] = in[k * cells + from_y * width + from_x];
        density += f[k];
        ux += cx[k] * f[k];
        uy += cy[k] * f[k];
    }
    ux /= density;
    uy /= density;
    float square = 1.5f * (ux * ux + uy * uy);
    for (int k = 0; k < 9; ++k) {
        float along = 3.0f * (cx[k] * ux + cy[k] * uy);
        float rest = weight[k] * density * (1.0f + along + 0.5f * along * along - square);
        out[k * cells + y * width + x] = f[k] + omega * (rest - f[k]);
    }
}

__global__ void heat(const float *in, float *out, size_t nx, size_t ny, size_t nz, float k)
{
    size_t x = blockIdx.x * blockDim.x + threadIdx.x;
    size_t y = blockIdx.y * blockDim.y + threadIdx.y;
    size_t z = blockIdx.z;
    if (x == 0 || y == 0 || z == 0 || x >= nx - 1 || y >= ny - 1 || z >= nz - 1)
        return;
    size_t i = (z * ny + y) * nx + x;
    float sides = in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + in[i - nx * ny] + in[i + nx * ny];
    out[i] = in[i] + k * (sides - 6.0f * in[i]);
}

// Yee's electric half step in two dimensions.
__global__ void electric_step(float *ex, float *ey, const float *hz, const float *ca,
                              const float *cb, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    int i = y * width + x;
    if (y > 0)
        ex[i] = ca[i] * ex[i] + cb[i] * (hz[i] - hz[i - width]);
    if (x > 0)
        ey[i] = ca[i] * ey[i] - cb[i] * (hz[i] - hz[i - 1]);
}

#define SPHERES 32

// Which sphere the rays of a wide pencil hit first; -1 where there is none.
__global__ void rays(const float4 *scene, int *hit, unsigned width, unsigned height)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
    float3 from = make_float3((x + 0.5f) / width, (y + 0.5f) / height, 0);
    float3 ray = make_float3(0.1f * (from.x - 0.5f), 0.1f * (from.y - 0.5f), 1);
    float length = rsqrtf(ray.x * ray.x + ray.y * ray.y + ray.z * ray.z);
    ray.x *= length;
    ray.y *= length;
    ray.z *= length;
    float nearest = 1e30f;
    int which = -1;
    for (int k = 0; k < SPHERES; ++k) {
        float4 s = scene[k];
        float3 d = make_float3(s.x - from.x, s.y - from.y, s.z - from.z);
        float along = d.x * ray.x + d.y * ray.y + d.z * ray.z;
        float inside = along * along - (d.x * d.x + d.y * d.y + d.z * d.z) + s.w * s.w;
        if (inside > 0) {
            float t = along - sqrtf(inside);
            if (t > 0 && t < nearest) {
                nearest = t;
                which = k;
            }
        }
    }
    hit[y * width + x] = which;
}

// Charges onto the four corners of their cells.
__global__ void deposit(const float2 *place, float *grid, int width, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float2 p = place[i];
    int x = (int)p.x, y = (int)p.y;
    float fx = p.x - x, fy = p.y - y;
    float *corner = grid + y * width + x;
    atomicAdd(corner, (1 - fx) * (1 - fy));
    atomicAdd(corner + 1, fx * (1 - fy));
    atomicAdd(corner + width, (1 - fx) * fy);
    atomicAdd(corner + width + 1, fx * fy);
}

// Walks on a torus of 256 x 256, by xorshift; counts returns to where they began.
__global__ void walk(unsigned *returns, unsigned steps, unsigned seed)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned state = (i + 1) * 2654435761u ^ seed, count = 0;
    unsigned char x = 0, y = 0;
    for (unsigned k = 0; k < steps; ++k) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        switch (state >> 30) {
        case 0: ++x; break;
        case 1: --x; break;
        case 2: ++y; break;
        default: --y;
        }
        if (x == 0 && y == 0)
            ++count;
    }
    returns[i] = count;
}
