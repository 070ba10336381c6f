# Installs the build BUILD below WORK, builds the outside project against it by WAY with COMPILER and
# the flags SANITIZE, and runs it.
function(must)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${ARGN}: ${result}")
  endif()
endfunction()

set(prefix ${WORK}/prefix)
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
must(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix} --component development)
file(GLOB library ${prefix}/lib*/libwarpwise.so ${prefix}/lib/*/libwarpwise.so)
if(NOT library)
  message(FATAL_ERROR "libwarpwise.so was not installed below ${prefix}")
endif()
cmake_path(GET library PARENT_PATH folder)

if(WAY STREQUAL "cmake")
  must(${CMAKE_COMMAND} -G Ninja -S ${PROJECT} -B ${WORK}/build -DCMAKE_PREFIX_PATH=${prefix}
    -DCMAKE_CXX_COMPILER=${COMPILER} "-DCMAKE_CXX_FLAGS=${SANITIZE}")
  must(${CMAKE_COMMAND} --build ${WORK}/build)
  set(program ${WORK}/build/outside)
else()
  find_program(pkg_config NAMES pkg-config pkgconf REQUIRED)
  set(ENV{PKG_CONFIG_PATH} ${folder}/pkgconfig)
  execute_process(COMMAND ${pkg_config} --cflags --libs warpwise
    OUTPUT_VARIABLE flags COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags UNIX_COMMAND "${flags}")
  set(program ${WORK}/outside)
  must(${COMPILER} ${SANITIZE} ${PROJECT}/main.cpp -o ${program} ${flags} -Wl,-rpath,${folder})
endif()
must(${program})
