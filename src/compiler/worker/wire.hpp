// Requests and results as bytes, between the library and its worker process.
#pragma once

#include <cstdint>
#include <exception>
#include <span>
#include <vector>

#include "src/compiler/compiler.hpp"
#include "warpwise/export.hpp"

namespace warpwise::compiler {

enum class Job : std::uint8_t { Compile, ReadSignatures };

struct JobRequest {
    Job job = Job::Compile;
    CompileRequest request;
};

WARPWISE_API std::vector<std::byte> encode_request(Job job, const CompileRequest& request);
WARPWISE_API JobRequest decode_request(std::span<const std::byte> bytes);

WARPWISE_API std::vector<std::byte> encode_program(const Program& program);
// An error of warpwise/error.hpp keeps its class and contents; any other becomes an Error.
WARPWISE_API std::vector<std::byte> encode_error(const std::exception_ptr& error);
// Returns the program or throws the error. Throws DeviceError on bytes that are neither.
WARPWISE_API Program decode_result(std::span<const std::byte> bytes);

}  // namespace warpwise::compiler
