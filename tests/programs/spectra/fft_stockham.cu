// Stockham FFT, radix 4 with a last radix-2 pass, one pass a launch between two buffers; no
// reordering. Complex arithmetic by operators on a vector type chosen by a trait.
template <typename T> struct vec2;
template <> struct vec2<float>  { using type = float2;  };
template <> struct vec2<double> { using type = double2; };
template <typename T> using complex_t = typename vec2<T>::type;

template <typename T> struct cplx : complex_t<T> {
    __device__ cplx(complex_t<T> v) : complex_t<T>(v) {}
    __device__ cplx(T re = 0, T im = 0) { this->x = re; this->y = im; }
    friend __device__ cplx operator+(cplx a, cplx b) { return {a.x + b.x, a.y + b.y}; }
    friend __device__ cplx operator-(cplx a, cplx b) { return {a.x - b.x, a.y - b.y}; }
    friend __device__ cplx operator*(cplx a, cplx b) {
        return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
    }
    __device__ cplx times_minus_i() const { return {this->y, -this->x}; }
};

template <typename T> __device__ cplx<T> root_of_unity(int k, int n);
template <> __device__ cplx<float> root_of_unity(int k, int n) {
    float s, c;
    sincospif(-2.0f * k / n, &s, &c);
    return {c, s};
}
template <> __device__ cplx<double> root_of_unity(int k, int n) {
    double s, c;
    sincospi(-2.0 * k / n, &s, &c);
    return {c, s};
}

template <int Radix> struct butterfly;
template <> struct butterfly<2> {
    template <typename C> static __device__ void run(C (&v)[2]) {
        C a = v[0];
        v[0] = a + v[1];
        v[1] = a - v[1];
    }
};
template <> struct butterfly<4> {
    template <typename C> static __device__ void run(C (&v)[4]) {
        C a = v[0] + v[2], b = v[0] - v[2], c = v[1] + v[3], d = (v[1] - v[3]).times_minus_i();
        v[0] = a + c; v[1] = b + d; v[2] = a - c; v[3] = b - d;
    }
};

// `done` is the length of the transforms that lie in the source; n / Radix threads work.
template <typename T, int Radix>
__global__ void stockham_pass(const complex_t<T> *src, complex_t<T> *dst, int n, int done) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int stride = n / Radix;
    if (i >= stride) return;
    const int k = i % done;
    cplx<T> v[Radix];
#pragma unroll
    for (int r = 0; r < Radix; ++r)
        v[r] = cplx<T>(src[i + r * stride]) * root_of_unity<T>(r * k, done * Radix);
    butterfly<Radix>::run(v);
    complex_t<T> *to = dst + (i - k) * Radix + k;
#pragma unroll
    for (int r = 0; r < Radix; ++r) to[r * done] = v[r];
}
