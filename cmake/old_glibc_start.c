// The start of a program linked against the stubs of warpwise_old_glibc.cmake. Until glibc 2.34 the
// program itself ran its constructors, by a function that its startup file passed to
// __libc_start_main; Debian's startup file passes none, since the newer library runs them.
typedef void (*Constructor)(int argc, char** argv, char** environment);
typedef int (*Main)(int argc, char** argv, char** environment);

extern Constructor __init_array_start[] __attribute__((visibility("hidden")));
extern Constructor __init_array_end[] __attribute__((visibility("hidden")));
void _init(void);

static void run_constructors(int argc, char** argv, char** environment) {
    _init();
    for (Constructor* each = __init_array_start; each != __init_array_end; ++each) {
        (*each)(argc, argv, environment);
    }
}

int __real___libc_start_main(Main main, int argc, char** argv, Constructor init, void (*fini)(void),
                             void (*loader_fini)(void), void* stack_end);

int __wrap___libc_start_main(Main main, int argc, char** argv, Constructor init, void (*fini)(void),
                             void (*loader_fini)(void), void* stack_end) {
    return __real___libc_start_main(main, argc, argv, init ? init : run_constructors, fini,
                                    loader_fini, stack_end);
}
