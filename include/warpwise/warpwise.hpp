// Everything a user needs, in one include. The library itself includes single headers.
//
// How the concepts work together, in the order a program uses them:
//  - a Device (device.hpp) is where work runs; one is current for each thread;
//  - a SourceModule (module.hpp) is CUDA C++ compiled for a device; it gives Kernels (kernel.hpp),
//    each with its signature (signature.hpp, dtype.hpp), and its variables as Buffers;
//  - a Buffer (buffer.hpp) is device memory, from the device's Pool (pool.hpp);
//  - a HostBuffer (host_memory.hpp) is memory that the host and kernels both reach;
//  - a CudaArray (cuda_array.hpp) is memory for textures, a Texture or Surface (texture.hpp) what a
//    kernel reads it through;
//  - launching a Kernel checks the arguments and puts one launch into a Stream (stream.hpp), behind
//    the copies and launches given to it before; a Graph (graph.hpp) is such a sequence, kept;
//  - a Profile (profile.hpp) records what a device did and when, a Range (range.hpp) what the
//    program did at that time;
//  - waiting for a Stream, an Event or a Device is where results, the output of kernels
//    (output.hpp) and their errors (error.hpp) arrive.
#pragma once

#include "warpwise/array.hpp"               // IWYU pragma: export
#include "warpwise/array_accumulation.hpp"  // IWYU pragma: export
#include "warpwise/array_functions.hpp"     // IWYU pragma: export
#include "warpwise/array_numeric.hpp"       // IWYU pragma: export
#include "warpwise/array_scans.hpp"         // IWYU pragma: export
#include "warpwise/array_shapes.hpp"        // IWYU pragma: export
#include "warpwise/array_sorting.hpp"       // IWYU pragma: export
#include "warpwise/axis_error.hpp"          // IWYU pragma: export
#include "warpwise/buffer.hpp"              // IWYU pragma: export
#include "warpwise/cache.hpp"               // IWYU pragma: export
#include "warpwise/cuda_array.hpp"          // IWYU pragma: export
#include "warpwise/cuda_libraries.hpp"      // IWYU pragma: export
#include "warpwise/device.hpp"              // IWYU pragma: export
#include "warpwise/dtype.hpp"               // IWYU pragma: export
#include "warpwise/elementwise_kernel.hpp"  // IWYU pragma: export
#include "warpwise/error.hpp"               // IWYU pragma: export
#include "warpwise/fetched_array.hpp"       // IWYU pragma: export
#include "warpwise/graph.hpp"               // IWYU pragma: export
#include "warpwise/host_memory.hpp"         // IWYU pragma: export
#include "warpwise/kernel.hpp"              // IWYU pragma: export
#include "warpwise/module.hpp"              // IWYU pragma: export
#include "warpwise/output.hpp"              // IWYU pragma: export
#include "warpwise/pool.hpp"                // IWYU pragma: export
#include "warpwise/profile.hpp"             // IWYU pragma: export
#include "warpwise/python_function.hpp"     // IWYU pragma: export
#include "warpwise/random.hpp"              // IWYU pragma: export
#include "warpwise/range.hpp"               // IWYU pragma: export
#include "warpwise/reduction_kernel.hpp"    // IWYU pragma: export
#include "warpwise/repeated_launch.hpp"     // IWYU pragma: export
#include "warpwise/scalar.hpp"              // IWYU pragma: export
#include "warpwise/scan_kernel.hpp"         // IWYU pragma: export
#include "warpwise/settings.hpp"            // IWYU pragma: export
#include "warpwise/shape.hpp"               // IWYU pragma: export
#include "warpwise/signature.hpp"           // IWYU pragma: export
#include "warpwise/sparse.hpp"              // IWYU pragma: export
#include "warpwise/sparse_factors.hpp"      // IWYU pragma: export
#include "warpwise/sparse_packets.hpp"      // IWYU pragma: export
#include "warpwise/stream.hpp"              // IWYU pragma: export
#include "warpwise/texture.hpp"             // IWYU pragma: export
#include "warpwise/version.hpp"             // IWYU pragma: export
