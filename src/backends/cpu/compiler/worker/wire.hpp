// Requests and results as bytes, between the library and its worker process.
#pragma once

#include <cstdint>
#include <exception>
#include <span>
#include <vector>

#include "src/compiler/compiler.hpp"

namespace warpwise::cpu_compiler {

enum class Job : std::uint8_t { CompileForCpu, ReadSignatures };

struct JobRequest {
    Job job = Job::CompileForCpu;
    compiler::CompileRequest request;
};

std::vector<std::byte> encode_request(Job job, const compiler::CompileRequest& request);
JobRequest decode_request(std::span<const std::byte> bytes);

std::vector<std::byte> encode_program(const compiler::Program& program);
// An error of warpwise/error.hpp keeps its class and contents; any other becomes an Error.
std::vector<std::byte> encode_error(const std::exception_ptr& error);
// Returns the program or throws the error. Throws DeviceError on bytes that are neither.
compiler::Program decode_result(std::span<const std::byte> bytes);

}  // namespace warpwise::cpu_compiler
