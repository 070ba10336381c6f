# Sets WARPWISE_PROCESSOR: the folder of the files that know the processor, in src/base/ and in
# src/backends/cpu/host/.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  set(WARPWISE_PROCESSOR x86_64)
else()
  message(FATAL_ERROR "The CPU device has no code for processor '${CMAKE_SYSTEM_PROCESSOR}', only for "
    "x86_64. Another needs the files of src/base/x86_64/ and src/backends/cpu/host/x86_64/ in folders "
    "of its own, and a line in cmake/warpwise_processor.cmake.")
endif()
