/* Device code as the compiler emits it, in C: compiled by clang when the tests are built. */
typedef unsigned long long u64;
struct thread;

void *memcpy(void *, const void *, u64);
double fmod(double, double);

int counter;                     /* .bss */
int table[4] = {10, 20, 30, 40}; /* .data */
static int hidden = 5;
const double scale = 2.5;

static int twice(int x) { return 2 * x; }
static int thrice(int x) { return 3 * x; }
int (*const operations[])(int) = {twice, thrice}; /* addresses in constant data */

void add_to_counter(struct thread *thread, const char *arguments) {
    counter += **(int **)arguments;
    hidden += counter;
}

void read_back(struct thread *thread, const char *arguments) {
    double *out = *(double **)arguments;
    out[0] = counter;
    out[1] = table[1];
    out[2] = fmod(7.5, scale);
    out[3] = operations[1](hidden);
    double copy[16];
    memcpy(copy, *(void **)(arguments + 8), sizeof copy);
    out[4] = copy[15];
}
