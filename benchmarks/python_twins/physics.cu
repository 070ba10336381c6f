// Particles, equations and rays as written by hand: the counterparts of physics.py.

#define BLOCK 128

extern "C" __global__ void accelerations(const double* positions, const double* masses,
                                         double softening, double* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double x = positions[3 * i], y = positions[3 * i + 1], z = positions[3 * i + 2];
    double ax = 0, ay = 0, az = 0;
    for (int j = 0; j < n; j++) {
        double dx = positions[3 * j] - x;
        double dy = positions[3 * j + 1] - y;
        double dz = positions[3 * j + 2] - z;
        double inverse = 1 / sqrt(dx * dx + dy * dy + dz * dz + softening);
        double pull = masses[j] * inverse * inverse * inverse;
        ax += pull * dx;
        ay += pull * dy;
        az += pull * dz;
    }
    out[3 * i] = ax;
    out[3 * i + 1] = ay;
    out[3 * i + 2] = az;
}

extern "C" __global__ void tiled_accelerations(const float* bodies, float softening, float* out,
                                               int n)
{
    __shared__ float tile[BLOCK][4];
    int t = threadIdx.x;
    int i = blockIdx.x * BLOCK + t;
    float x = bodies[4 * i], y = bodies[4 * i + 1], z = bodies[4 * i + 2];
    float ax = 0, ay = 0, az = 0;
    for (int start = 0; start < n; start += BLOCK) {
        for (int k = 0; k < 4; k++) tile[t][k] = bodies[4 * (start + t) + k];
        __syncthreads();
        for (int j = 0; j < BLOCK; j++) {
            float dx = tile[j][0] - x, dy = tile[j][1] - y, dz = tile[j][2] - z;
            float inverse = 1 / sqrtf(dx * dx + dy * dy + dz * dz + softening);
            float pull = tile[j][3] * inverse * inverse * inverse;
            ax += pull * dx;
            ay += pull * dy;
            az += pull * dz;
        }
        __syncthreads();
    }
    out[3 * i] = ax;
    out[3 * i + 1] = ay;
    out[3 * i + 2] = az;
}

__device__ void lorenz(double x, double y, double z, double& a, double& b, double& c)
{
    a = 10.0 * (y - x);
    b = x * (28.0 - z) - y;
    c = x * y - 8.0 / 3.0 * z;
}

extern "C" __global__ void lorenz_steps(const double* states, double dt, int steps, double* out,
                                        int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double x = states[3 * i], y = states[3 * i + 1], z = states[3 * i + 2];
    for (int step = 0; step < steps; step++) {
        double a1, b1, c1, a2, b2, c2, a3, b3, c3, a4, b4, c4;
        lorenz(x, y, z, a1, b1, c1);
        lorenz(x + dt / 2 * a1, y + dt / 2 * b1, z + dt / 2 * c1, a2, b2, c2);
        lorenz(x + dt / 2 * a2, y + dt / 2 * b2, z + dt / 2 * c2, a3, b3, c3);
        lorenz(x + dt * a3, y + dt * b3, z + dt * c3, a4, b4, c4);
        x += dt / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
        y += dt / 6 * (b1 + 2 * b2 + 2 * b3 + b4);
        z += dt / 6 * (c1 + 2 * c2 + 2 * c3 + c4);
    }
    out[3 * i] = x;
    out[3 * i + 1] = y;
    out[3 * i + 2] = z;
}

extern "C" __global__ void kepler(const double* mean, const double* eccentricity, double* out,
                                  int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double m = mean[i], e = eccentricity[i];
        double anomaly = e < 0.8 ? m : 3.141592653589793;
        double delta = 1;
        while (fabs(delta) > 1e-13) {
            delta = (anomaly - e * sin(anomaly) - m) / (1 - e * cos(anomaly));
            anomaly -= delta;
        }
        out[i] = anomaly;
    }
}

extern "C" __global__ void deposit(const double* positions, const double* charges, double* grid,
                                   int n)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p < n) {
        int cell = (int)floor(positions[p]);
        double rest = positions[p] - cell;
        atomicAdd(&grid[cell], charges[p] * (1 - rest));
        atomicAdd(&grid[cell + 1], charges[p] * rest);
    }
}

__device__ double hit_sphere(double dx, double dy, double dz, const double* sphere)
{
    double x = sphere[0], y = sphere[1], z = sphere[2], radius = sphere[3];
    double along = x * dx + y * dy + z * dz;
    if (along < 0) return -1;
    double square = x * x + y * y + z * z - along * along;
    if (square > radius * radius) return -1;
    return along - sqrt(radius * radius - square);
}

extern "C" __global__ void cast_rays(const double* spheres, const double* directions, double* depth,
                                     double* shade, int count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double dx = directions[3 * i], dy = directions[3 * i + 1], dz = directions[3 * i + 2];
    double nearest = INFINITY;
    int which = -1;
    for (int s = 0; s < count; s++) {
        double t = hit_sphere(dx, dy, dz, spheres + 4 * s);
        if (t > 0 && t < nearest) {
            nearest = t;
            which = s;
        }
    }
    depth[i] = nearest;
    shade[i] = 0;
    if (which >= 0) {
        const double* sphere = spheres + 4 * which;
        double nx = (nearest * dx - sphere[0]) / sphere[3];
        double ny = (nearest * dy - sphere[1]) / sphere[3];
        double nz = (nearest * dz - sphere[2]) / sphere[3];
        shade[i] = fmax(0.0, -(nx * dx + ny * dy + nz * dz));
    }
}

extern "C" __global__ void fft_stage(const float* re, const float* im, const float* wr,
                                     const float* wi, int half, int step, float* out_re,
                                     float* out_im, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 2) {
        int j = i % half;
        int a = i / half * 2 * half + j;
        int b = a + half;
        float c = wr[j * step], s = wi[j * step];
        float tr = re[b] * c - im[b] * s;
        float ti = re[b] * s + im[b] * c;
        out_re[b] = re[a] - tr;
        out_im[b] = im[a] - ti;
        out_re[a] = re[a] + tr;
        out_im[a] = im[a] + ti;
    }
}
