// A Program that uses every member, for tests of what stores and loads programs.
#pragma once

#include <string>

#include "src/compiler/program.hpp"

namespace warpwise::compiler {

inline Parameter example_parameter(std::string name, Parameter::Passing passing, DType dtype,
                                   std::uint32_t offset, std::uint32_t size) {
    Parameter parameter;
    parameter.name = std::move(name);
    parameter.type = dtype.cuda_name();
    parameter.passing = passing;
    parameter.dtype = dtype;
    parameter.is_const = true;
    parameter.offset = offset;
    parameter.size = size;
    parameter.alignment = size;
    return parameter;
}

inline Program example_program(const std::string& binary = "machine code") {
    const DType inner = DType::structure(
        lay_out_struct("Inner", {{"xyz", DType(Kind::Float32, 3)}, {"tag", int8, 0, 5}}));
    const DType outer =
        DType::structure(lay_out_struct("Outer", {{"a", int64}, {"inner", inner, 0, 2}}));
    Program program;
    program.target = "x86-64-v3";
    program.format = "object";
    for (const char c : binary) program.binary.push_back(static_cast<std::byte>(c));
    program.log = "k.cu:3: warning: unused variable";
    KernelInfo kernel;
    kernel.signature.name = "ns::scale<float>";
    kernel.signature.symbol = "_Z5scaleIfEvPfi";
    kernel.signature.parameters = {
        example_parameter("x", Parameter::Passing::Pointer, float32, 0, 8),
        example_parameter("o", Parameter::Passing::Struct, outer, 8,
                          static_cast<std::uint32_t>(outer.size()))};
    kernel.signature.argument_bytes = 8 + static_cast<std::uint32_t>(outer.size());
    kernel.signature.max_threads_per_block = 256;
    kernel.signature.min_blocks = 2;
    kernel.static_shared_bytes = 1024;
    kernel.local_bytes = 64;
    kernel.backend_data = {std::byte{1}, std::byte{0}, std::byte{3}};
    program.kernels = {kernel, kernel};
    program.globals = {{"ns::table", "_ZN2ns5tableE", 4096, true, float64},
                       {"state", "state", outer.size(), false, outer}};
    program.templates = {"scale", "ns::copy"};
    program.dependencies = {{"/usr/include/a.cuh", 0x1234567890abcdef}};
    return program;
}

}  // namespace warpwise::compiler
