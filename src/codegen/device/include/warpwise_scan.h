// What scans and compactions of the library and of users' kernels are made of.
#pragma once

extern "C++" {
#include "../skeleton/scan.cuh"
#include "../skeleton/scan_ahead.cuh"
}  // extern "C++"
