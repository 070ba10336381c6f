// Julia's set with a complex struct as books have it, and Mandelbrot's in double with a period check;
// escape counts per pixel.

class Point
{
public:
    __device__ Point(float re, float im) : re_(re), im_(im) {}
    __device__ float size2() const { return re_ * re_ + im_ * im_; }
    __device__ Point operator*(const Point &o) const
    {
        return Point(re_ * o.re_ - im_ * o.im_, im_ * o.re_ + re_ * o.im_);
    }
    __device__ Point operator+(const Point &o) const { return Point(re_ + o.re_, im_ + o.im_); }

private:
    float re_, im_;
};

__device__ int steps_to_escape(Point z, Point c)
{
    for (int step = 0; step < 200; step++)
        if ((z = z * z + c).size2() > 1000) return step;
    return 200;
}

// A block a pixel, one thread in each.
__global__ void julia(int *steps, float re, float im)
{
    const int half = gridDim.x / 2;
    const float x = 1.5 * (float)(half - (int)blockIdx.x) / half;
    const float y = 1.5 * (float)(half - (int)blockIdx.y) / half;
    steps[blockIdx.y * gridDim.x + blockIdx.x] = steps_to_escape(Point(x, y), Point(re, im));
}

template <typename Real>
__global__ void mandelbrot(unsigned short *out, int w, int h, Real x0, Real y0, Real step, int limit)
{
    const int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= w || py >= h) return;
    const Real cx = x0 + px * step, cy = y0 + py * step;
    Real x = 0, y = 0, old_x = 0, old_y = 0;
    int period = 0, check = 3, i = 0;
    do {
        const Real t = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = t;
        if (x == old_x && y == old_y) { i = limit; break; }
        if (++period == check) { period = 0; check *= 2; old_x = x; old_y = y; }
    } while (x * x + y * y <= 4 && ++i < limit);
    out[py * w + px] = i;
}
