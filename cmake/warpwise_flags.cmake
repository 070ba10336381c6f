# Compiler flags and the helpers that every component uses.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# Libraries and programs that find each other at run time are in one folder, as in the wheel.
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

add_library(warpwise_flags INTERFACE)
target_compile_options(warpwise_flags INTERFACE -Wall -Wextra -Wno-missing-field-initializers
  $<$<BOOL:${WARPWISE_WERROR}>:-Werror>)
target_include_directories(warpwise_flags INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
  $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>)

# The whole build, so that the tests' programs and the libraries agree. Not checked: `vptr`, which
# needs RTTI of LLVM's classes, and `function`, which reads what lies before a compiled kernel.
if(WARPWISE_SANITIZE)
  add_compile_options(-fsanitize=${WARPWISE_SANITIZE}
    -fno-sanitize-recover=all -fno-sanitize=vptr,function)
  add_link_options(-fsanitize=${WARPWISE_SANITIZE})
endif()

find_program(WARPWISE_CCACHE ccache)
if(WARPWISE_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${WARPWISE_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${WARPWISE_CCACHE})
endif()
find_program(WARPWISE_LLD NAMES ld.lld ld.lld-19)
if(WARPWISE_LLD)
  add_link_options(-fuse-ld=lld)
  # What every launch, allocation, copy and event goes through is marked [[gnu::hot]] and lies side by
  # side: a driver's call in between has the processor's caches to itself, and what counts then is
  # how few pages and lines of code are read again. GNU's linker sorts so unasked.
  add_link_options(-Wl,-z,keep-text-section-prefix)
endif()

# warpwise_component(NAME FILES...): one component as an object library.
function(warpwise_component name)
  add_library(${name} OBJECT ${ARGN})
  target_link_libraries(${name} PRIVATE warpwise_flags warpwise_private_dependencies)
endfunction()
