// A ray tracer of spheres with shadows and reflections: vectors with operators, a scene in constant
// memory, recursion of known depth through a template.
#define MAX_SPHERES 16
#define INF 2e10f

struct Vec {
    float x, y, z;
    __device__ Vec() {}
    __device__ Vec(float a, float b, float c) : x(a), y(b), z(c) {}
    __device__ Vec operator+(const Vec &b) const { return Vec(x + b.x, y + b.y, z + b.z); }
    __device__ Vec operator-(const Vec &b) const { return Vec(x - b.x, y - b.y, z - b.z); }
    __device__ Vec operator*(float b) const { return Vec(x * b, y * b, z * b); }
    __device__ Vec mult(const Vec &b) const { return Vec(x * b.x, y * b.y, z * b.z); }
    __device__ Vec &norm() { return *this = *this * (1 / sqrtf(x * x + y * y + z * z)); }
    __device__ float dot(const Vec &b) const { return x * b.x + y * b.y + z * b.z; }
};

struct Sphere {
    float cx, cy, cz, radius;
    float r, g, b, shine;
};
struct Ray { Vec o, d; };

__constant__ Sphere scene[MAX_SPHERES];

__device__ float hit(const Sphere &s, const Ray &ray)
{
    Vec oc = ray.o - Vec(s.cx, s.cy, s.cz);
    float b = oc.dot(ray.d), c = oc.dot(oc) - s.radius * s.radius;
    float disc = b * b - c;
    if (disc < 0) return INF;
    float root = sqrtf(disc), t = -b - root;
    if (t > 1e-3f) return t;
    t = -b + root;
    return t > 1e-3f ? t : INF;
}

__device__ int closest(const Ray &ray, int count, float *t)
{
    int which = -1;
    *t = INF;
    for (int i = 0; i < count; i++) {
        float d = hit(scene[i], ray);
        if (d < *t) { *t = d; which = i; }
    }
    return which;
}

template <int Depth> struct Tracer {
    static __device__ Vec shade(const Ray &ray, int count, const Vec &light)
    {
        float t;
        int i = closest(ray, count, &t);
        if (i < 0) return Vec(0.2f, 0.3f, 0.5f) * (0.5f + 0.5f * ray.d.y);
        const Sphere &s = scene[i];
        Vec p = ray.o + ray.d * t;
        Vec n = (p - Vec(s.cx, s.cy, s.cz)).norm();
        Ray shadow = {p, light};
        float ignored;
        float lit = closest(shadow, count, &ignored) < 0 ? fmaxf(n.dot(light), 0.f) : 0.f;
        Vec colour = Vec(s.r, s.g, s.b) * (0.1f + 0.9f * lit);
        if (s.shine > 0) {
            Ray mirror = {p, ray.d - n * (2 * n.dot(ray.d))};
            colour = colour * (1 - s.shine) + Tracer<Depth - 1>::shade(mirror, count, light) * s.shine;
        }
        return colour;
    }
};
template <> struct Tracer<0> {
    static __device__ Vec shade(const Ray &, int, const Vec &) { return Vec(0, 0, 0); }
};

__global__ void render(float3 *image, int w, int h, int count, float3 light)
{
    int x = threadIdx.x + blockIdx.x * blockDim.x;
    int y = threadIdx.y + blockIdx.y * blockDim.y;
    if (x >= w || y >= h) return;
    Ray ray;
    ray.o = Vec(0, 0, -4);
    ray.d = Vec((x + 0.5f) / w * 2 - 1, (y + 0.5f) / h * 2 - 1, 2).norm();
    Vec c = Tracer<4>::shade(ray, count, Vec(light.x, light.y, light.z));
    image[y * w + x] = make_float3(c.x, c.y, c.z);
}
