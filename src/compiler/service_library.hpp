// Where the compiler library lies, and the steps of service(), for tests that open other files.
//
// Threading: any thread.
#pragma once

#include <string>

#include "src/compiler/service.hpp"

namespace warpwise::compiler {

inline constexpr const char* kServiceLibrary = "libwarpwise_compiler.so";

// Of the file this code was loaded from: the compiler library and the compile worker lie there too.
std::string library_folder();
std::string service_library_path();

// Throws DeviceError naming the file that is missing, cannot be loaded or is of another version.
CompilerService& open_service_library(const std::string& path);

}  // namespace warpwise::compiler
