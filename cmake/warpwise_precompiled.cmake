# Precompiled headers, where they save time. Seconds a file with g++ 12, without and with: LLVM's IR headers
# 2.6 and 1.5, googletest 4.0 and 2.7; fmt and the standard library 4.5 and 4.0, less than the
# rebuilds they would cause; clang's are slower to load (655 MB) than to parse.
# With clang++ 19, for the sanitizer presets: clang's headers 8.9 and 4.1 (121 MB), LLVM's 4.7 and 1.7,
# googletest 3.7 and 1.5.
option(WARPWISE_PCH "Precompile the headers of LLVM and googletest" OFF)
if(WARPWISE_PCH AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)  # for ccache
endif()

# warpwise_precompile(TARGET NAME HEADERS...): all targets that give the same NAME share one file,
# made by the first of them. They must be of one kind: an executable's flags are not a library's.
function(warpwise_precompile target name)
  if(NOT WARPWISE_PCH)
    return()
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")  # for ccache
  endif()
  get_property(maker GLOBAL PROPERTY warpwise_precompiled_${name})
  if(maker)
    target_precompile_headers(${target} REUSE_FROM ${maker})
  else()
    target_precompile_headers(${target} PRIVATE ${ARGN})
    set_property(GLOBAL PROPERTY warpwise_precompiled_${name} ${target})
  endif()
endfunction()
