// A shared library that is no compiler library.
#include "warpwise/export.hpp"

extern "C" WARPWISE_API int something_else() {
    return 1;
}
