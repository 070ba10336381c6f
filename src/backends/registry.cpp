// The only file that knows every back end.
#include "src/runtime/registry.hpp"
