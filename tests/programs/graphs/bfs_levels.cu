// Breadth-first search, one level a launch: flags mark the frontier, a second kernel makes the visited
// vertices the next frontier and reports to the host whether there is one.
#define WAVE_THREADS 256

typedef struct {
    int first_arc;
    int arc_count;
} Vertex;

__device__ __inline__ int own_vertex(void) { return __mul24(blockIdx.x, WAVE_THREADS) + threadIdx.x; }

__global__ void spread_wave(const Vertex *vertices, const int *arc_heads, bool *in_wave, bool *touched,
                            const bool *reached, int *level, int count)
{
    int v = own_vertex(), k;
    if (v >= count || !in_wave[v]) return;
    in_wave[v] = false;
    Vertex self = vertices[v];
    for (k = 0; k < self.arc_count; k++) {
        int head = arc_heads[self.first_arc + k];
        if (reached[head]) continue;
        level[head] = level[v] + 1;
        touched[head] = true;
    }
}

__global__ void form_wave(bool *in_wave, bool *touched, bool *reached, bool *goes_on, int count)
{
    int v = own_vertex();
    if (v < count && touched[v]) {
        touched[v] = false;
        in_wave[v] = reached[v] = true;
        *goes_on = true;
    }
}
