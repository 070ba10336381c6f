// What the CPU device has made of a kernel, and why it is as fast as it is.
//
//   kernel.compile_fully(256);                        // the form for blocks of 256 threads
//   fmt::print("{}\n", kernel.report().text());       // accesses of memory, by source line
//
// A kernel is compiled quickly at first, for blocks of any shape, and again in full for each block
// shape that is launched often. Each of these is a form. In a form that runs threads in vectors, an
// access of memory is one vector access where neighbouring threads access neighbouring elements;
// else it is a gather or scatter, whose cost is that of one access for each thread.
//
// Ownership: plain values. Threading: any thread.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "warpwise/export.hpp"

namespace warpwise {

// The accesses that one line of the source was compiled to, counted in the code: how often they
// run is not part of it.
struct LineReport {
    std::string file;
    std::uint32_t line = 0;
    std::uint32_t vectors = 0;       // loads and stores of whole vectors
    std::uint32_t strided = 0;       // loads in a constant step, put together from elements
    std::uint32_t gathers = 0;       // loads of unrelated places
    std::uint32_t scatters = 0;      // stores to unrelated places
    std::uint32_t lane_by_lane = 0;  // instructions that run for one thread after the other
};

struct KernelForm {
    std::array<std::uint32_t, 3> block{};  // the shape it is for; 0: any
    std::string executor;                  // "gang", "regions" or "reference"
    std::uint32_t columns = 1;             // threads that run as one, along x
    std::uint32_t rows = 1;                // and along y
    // Share of the instructions, called functions' included, that run for one thread after the
    // other; 1 on executor "reference".
    double lane_by_lane = 0;
    std::vector<LineReport>
        lines;  // in the order of the source; lines without accesses are left out
};

struct KernelReport {
    std::string kernel;  // its name
    std::string device;
    // The form for any block first. Empty on a GPU, where the driver's compiler has none.
    std::vector<KernelForm> forms;

    // A table for people: each form, then the lines that are not vectors alone.
    WARPWISE_API std::string text() const;
};

}  // namespace warpwise
