/* A second program of the same module: shares the globals of the first. */
struct thread;

int counter;
int table[4] = {-1, -1, -1, -1};
int fresh = 7;

void use_shared(struct thread *thread, const char *arguments) {
    int *out = *(int **)arguments;
    out[0] = counter;
    out[1] = table[1];
    out[2] = fresh;
    table[1] = 99;
}
