// warpwise-nvrtc-worker: started by the library, see nvrtc_server.hpp.
#include <unistd.h>

#include <cstdio>

#include "src/backends/cuda/nvrtc/nvrtc_server.hpp"

int main(int count, char** words) {
    if (count == 2) ::_exit(warpwise::cuda::serve_nvrtc(words[1]));
    std::fputs("warpwise-nvrtc-worker is started by the library, not by hand\n", stderr);
    return 2;
}
