# With WARPWISE_GLIBC, everything is linked against stubs of glibc and libstdc++ that have no symbol
# younger than that glibc and the libstdc++ of its time, so that it loads on systems as old as that.
# Of libstdc++, what is younger comes from the archive, hidden; the rest stays shared, so that an
# exception or a locale is the same for all libraries of a process. This is how the compilers of the
# manylinux images work.
set(WARPWISE_GLIBC "" CACHE STRING "The oldest glibc to run on: 2.28, or empty for this machine's")
if(NOT WARPWISE_GLIBC)
  return()
endif()
if(NOT WARPWISE_GLIBC STREQUAL "2.28" OR NOT CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64"
   OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  message(FATAL_ERROR "WARPWISE_GLIBC is '${WARPWISE_GLIBC}': stubs are made for 2.28, on x86-64, "
          "with g++ (this is ${CMAKE_SYSTEM_PROCESSOR}, ${CMAKE_CXX_COMPILER_ID}); leave it empty")
endif()
if(NOT WARPWISE_LLD)
  message(FATAL_ERROR "WARPWISE_GLIBC=${WARPWISE_GLIBC} needs the linker lld; install the package "
          "lld, or leave WARPWISE_GLIBC empty")
endif()
# As of GCC 8, the compiler of RHEL 8, and what the tag manylinux_2_28 allows.
set(WARPWISE_OLD_VERSIONS GLIBC_:2.28,GLIBCXX_:3.4.24,CXXABI_:1.3.11,GCC_:7.0.0)

find_package(Python 3.10 REQUIRED COMPONENTS Interpreter)
set(stubs ${PROJECT_BINARY_DIR}/old_glibc)
foreach(name libc.so.6 libm.so.6 libstdc++.so.6 libgcc_s.so.1 libstdc++.a libgcc.a
        libc_nonshared.a)
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=${name}
    OUTPUT_VARIABLE path_of_${name} OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
endforeach()
execute_process(
  COMMAND ${Python_EXECUTABLE} -B ${CMAKE_CURRENT_LIST_DIR}/old_symbols.py ${stubs}
    ${WARPWISE_OLD_VERSIONS} ${path_of_libc.so.6} ${path_of_libm.so.6} ${path_of_libstdc++.so.6}
    ${path_of_libgcc_s.so.1}
  COMMAND_ERROR_IS_FATAL ANY)
foreach(name libc.so.6 libm.so.6 libpthread.so.0 libdl.so.2 librt.so.1 libstdc++.so.6
        libgcc_s.so.1)
  execute_process(
    COMMAND ${CMAKE_C_COMPILER} -shared -nostdlib -fuse-ld=lld ${stubs}/${name}.s -o ${stubs}/${name}
      -Wl,-soname=${name} -Wl,--version-script=${stubs}/${name}.map
    COMMAND_ERROR_IS_FATAL ANY)
endforeach()

# What the compiler's -lc, -lm, -lstdc++ and -lgcc_s find.
set(moved "${stubs}/libpthread.so.0 ${stubs}/libdl.so.2 ${stubs}/librt.so.1")
file(WRITE ${stubs}/libc.so
  "GROUP(${stubs}/libc.so.6 ${path_of_libc_nonshared.a} AS_NEEDED(${moved} "
  "/lib64/ld-linux-x86-64.so.2))\n")
file(WRITE ${stubs}/libgcc_s.so "GROUP(${stubs}/libgcc_s.so.1 ${path_of_libgcc.a})\n")
file(WRITE ${stubs}/libm.so "GROUP(${stubs}/libm.so.6)\n")
file(WRITE ${stubs}/libstdc++.so "GROUP(${stubs}/libstdc++.so.6 ${path_of_libstdc++.a})\n")

add_library(warpwise_old_glibc STATIC ${CMAKE_CURRENT_LIST_DIR}/old_glibc.c)
add_library(warpwise_old_glibc_start OBJECT ${CMAKE_CURRENT_LIST_DIR}/old_glibc_start.c)
set_target_properties(warpwise_old_glibc PROPERTIES C_VISIBILITY_PRESET hidden)
add_link_options(-L${stubs} LINKER:--exclude-libs,ALL
  $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:LINKER:--wrap=__libc_start_main>)
link_libraries(warpwise_old_glibc
  $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:$<TARGET_OBJECTS:warpwise_old_glibc_start>>)
