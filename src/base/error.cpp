// The error classes. Their destructors live here, so that each class has one type_info and a catch
// clause in another library finds it.
#include "warpwise/error.hpp"

#include <utility>

#include "warpwise/axis_error.hpp"

namespace warpwise {

Error::~Error() = default;

CompileError::CompileError(const std::string& message, std::string log, std::string file, int line)
    : Error(message), log_(std::move(log)), file_(std::move(file)), line_(line) {}
CompileError::~CompileError() = default;

ArgumentError::ArgumentError(Kind kind, const std::string& message) : Error(message), kind_(kind) {}
ArgumentError::~ArgumentError() = default;

AxisError::AxisError(const std::string& message, std::int64_t axis, int rank)
    : ArgumentError(Kind::Index, message), axis_(axis), rank_(rank) {}
AxisError::~AxisError() = default;

LaunchError::LaunchError(const std::string& message) : Error(message) {}
LaunchError::LaunchError(const std::string& message, std::string kernel, std::optional<Index> block,
                         std::optional<Index> thread)
    : Error(message), kernel_(std::move(kernel)), block_(block), thread_(thread) {}
LaunchError::~LaunchError() = default;

OutOfMemoryError::~OutOfMemoryError() = default;
DeviceError::~DeviceError() = default;

UnsupportedError::UnsupportedError(const std::string& message) : Error(message) {}
UnsupportedError::UnsupportedError(const std::string& message, std::string log, std::string file,
                                   int line)
    : Error(message), log_(std::move(log)), file_(std::move(file)), line_(line) {}
UnsupportedError::~UnsupportedError() = default;
CheckError::~CheckError() = default;
Interrupted::~Interrupted() = default;

}  // namespace warpwise
