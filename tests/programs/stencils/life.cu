// Conway's Life on a torus of bytes.
typedef unsigned char ubyte;

__device__ __forceinline__ ubyte alive(const ubyte* world, uint2 size, int x, int y) {
    x = (x + size.x) % size.x;
    y = (y + size.y) % size.y;
    return world[y * size.x + x];
}

__global__ void simpleLifeKernel(const ubyte* lifeData, uint worldWidth, uint worldHeight,
                                 ubyte* resultLifeData) {
    uint worldSize = worldWidth * worldHeight;
    for (uint cellId = blockIdx.x * blockDim.x + threadIdx.x; cellId < worldSize;
         cellId += blockDim.x * gridDim.x) {
        int x = cellId % worldWidth, y = cellId / worldWidth;
        uint2 size = make_uint2(worldWidth, worldHeight);
        uint neighbours = 0;
        for (int dy = -1; dy <= 1; ++dy)
            for (int dx = -1; dx <= 1; ++dx)
                if (dx || dy) neighbours += alive(lifeData, size, x + dx, y + dy);
        switch (neighbours) {
            case 2: resultLifeData[cellId] = lifeData[cellId]; break;
            case 3: resultLifeData[cellId] = 1; break;
            default: resultLifeData[cellId] = 0;
        }
    }
}
