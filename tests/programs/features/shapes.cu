// Polymorphic shapes on the device: objects are made by one kernel with new, asked for areas through
// virtual functions by another, and deleted by a third.
#include <new>

class Shape {
public:
    __device__ explicit Shape(int id) : id_(id) {}
    __device__ virtual ~Shape() { atomicAdd(&destroyed, 1); }
    __device__ virtual float area() const = 0;
    __device__ virtual bool contains(float2 p) const { return false; }
    __device__ int id() const { return id_; }
    static __device__ int destroyed;

private:
    int id_;
};
__device__ int Shape::destroyed = 0;

class Circle : public Shape {
    float2 centre_;
    float radius_;

public:
    __device__ Circle(int id, float2 c, float r) : Shape(id), centre_(c), radius_(r) {}
    __device__ float area() const override { return 3.14159265358979f * radius_ * radius_; }
    __device__ bool contains(float2 p) const override
    {
        return hypotf(p.x - centre_.x, p.y - centre_.y) <= radius_;
    }
};

class Rectangle : public Shape {
protected:
    float4 edges_;  // left, bottom, right, top

public:
    __device__ Rectangle(int id, float4 e) : Shape(id), edges_(e) {}
    __device__ float area() const override { return (edges_.z - edges_.x) * (edges_.w - edges_.y); }
    __device__ bool contains(float2 p) const override
    {
        return p.x >= edges_.x && p.x <= edges_.z && p.y >= edges_.y && p.y <= edges_.w;
    }
};

class Frame final : public Rectangle {
    float width_;

public:
    __device__ Frame(int id, float4 e, float w) : Rectangle(id, e), width_(w) {}
    __device__ float area() const final { return Rectangle::area() - inner().area(); }
    __device__ bool contains(float2 p) const final
    {
        return Rectangle::contains(p) && !inner().Rectangle::contains(p);
    }

private:
    __device__ Rectangle inner() const
    {
        return Rectangle(-1, make_float4(edges_.x + width_, edges_.y + width_, edges_.z - width_,
                                         edges_.w - width_));
    }
};

__global__ void make(Shape **shapes, const float4 *numbers, const int *kinds, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 v = numbers[i];
    switch (kinds[i]) {
    case 0: shapes[i] = new Circle(i, make_float2(v.x, v.y), v.z); break;
    case 1: shapes[i] = new Rectangle(i, make_float4(v.x, v.y, v.x + v.z, v.y + v.w)); break;
    default: shapes[i] = new Frame(i, make_float4(v.x, v.y, v.x + v.z, v.y + v.w), 0.1f);
    }
}

__global__ void ask(Shape *const *shapes, int n, float2 point, float *areas, int *inside)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const Shape *shape = shapes[i];
    areas[shape->id()] = shape->area();
    if (shape->contains(point)) atomicAdd(inside, 1);
}

__global__ void destroy(Shape **shapes, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x) delete shapes[i];
}
