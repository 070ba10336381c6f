// Temperature of a chip from its power map: several time steps a launch on a tile that shrinks by one
// cell a step (a pyramid), borders clamped.
#define SIDE 16

struct material { float cap, rx, ry, rz, ambient; };

__global__ void hotspot(int steps, const float *power, const float *before, float *after, int cols,
                        int rows, material m, float dt)
{
    __shared__ float t[2][SIDE][SIDE];
    const int keep = SIDE - 2 * steps;
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int x = blockIdx.x * keep - steps + tx, y = blockIdx.y * keep - steps + ty;
    const bool inside = x >= 0 && y >= 0 && x < cols && y < rows;
    float heat = 0.0f;
    int now = 0;

    if (inside) {
        t[0][ty][tx] = before[y * cols + x];
        heat = power[y * cols + x];
    }
    __syncthreads();
    // Neighbours past an edge of the chip are the cell itself.
    const int up = y == 0 ? ty : ty - 1;
    const int down = y == rows - 1 ? ty : ty + 1;
    const int left = x == 0 ? tx : tx - 1, right = x == cols - 1 ? tx : tx + 1;
    for (int s = 1; s <= steps; s++, now ^= 1) {
        if (inside && tx >= s && tx < SIDE - s && ty >= s && ty < SIDE - s) {
            const float c = t[now][ty][tx];
            t[now ^ 1][ty][tx] =
                c + dt / m.cap *
                        (heat + (t[now][down][tx] + t[now][up][tx] - 2.0f * c) / m.ry +
                         (t[now][ty][right] + t[now][ty][left] - 2.0f * c) / m.rx +
                         (m.ambient - c) / m.rz);
        }
        __syncthreads();
    }
    if (inside && tx >= steps && tx < SIDE - steps && ty >= steps && ty < SIDE - steps)
        after[y * cols + x] = t[now][ty][tx];
}
