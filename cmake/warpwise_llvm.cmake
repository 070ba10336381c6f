# LLVM and clang 19, as Debian packages them. Two targets:
#   warpwise_llvm       headers and definitions, for every file that includes them
#   warpwise_llvm_link  the libraries: libclang-cpp and libLLVM, or with WARPWISE_STATIC_LLVM their
#                       archives, of which only what is used gets in (82 MB stripped)
# and warpwise_export_only(TARGET SYMBOLS...), which hides all else.
find_package(LLVM 19.1 REQUIRED CONFIG)

# Clang's headers lie beside LLVM's. Clang's own package file requires every clang tool to be installed.
add_library(warpwise_llvm INTERFACE)
target_include_directories(warpwise_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
separate_arguments(WARPWISE_LLVM_DEFINITIONS NATIVE_COMMAND ${LLVM_DEFINITIONS})
target_compile_definitions(warpwise_llvm INTERFACE ${WARPWISE_LLVM_DEFINITIONS})

add_library(warpwise_llvm_link INTERFACE)
if(WARPWISE_STATIC_LLVM)
  # Order does not matter to lld and is right for linkers to which it does.
  set(WARPWISE_CLANG_ARCHIVES
    clangCodeGen clangFrontend clangSerialization clangDriver clangParse clangSema clangEdit
    clangAnalysis clangASTMatchers clangAPINotes clangAST clangLex clangBasic clangSupport)
  list(TRANSFORM WARPWISE_CLANG_ARCHIVES PREPEND "${LLVM_LIBRARY_DIRS}/lib")
  list(TRANSFORM WARPWISE_CLANG_ARCHIVES APPEND ".a")
  execute_process(
    COMMAND ${LLVM_TOOLS_BINARY_DIR}/llvm-config --link-static --libfiles
      passes coverage lto orcjit x86 nvptx option
      frontendhlsl frontendopenmp frontenddriver frontendoffloading
    OUTPUT_VARIABLE WARPWISE_LLVM_ARCHIVES OUTPUT_STRIP_TRAILING_WHITESPACE
    COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(WARPWISE_LLVM_ARCHIVES NATIVE_COMMAND ${WARPWISE_LLVM_ARCHIVES})
  # Polly is a package of its own; the one symbol that clang refers to is in polly_absent.cpp.
  list(FILTER WARPWISE_LLVM_ARCHIVES EXCLUDE REGEX "Polly")
  target_sources(warpwise_llvm_link INTERFACE
    ${PROJECT_SOURCE_DIR}/src/backends/cpu/compiler/polly_absent.cpp)
  target_link_libraries(warpwise_llvm_link INTERFACE
    ${WARPWISE_CLANG_ARCHIVES} ${WARPWISE_LLVM_ARCHIVES} libzstd.a libz.a libtinfo.a
    Threads::Threads ${CMAKE_DL_LIBS})
  target_link_options(warpwise_llvm_link INTERFACE LINKER:--gc-sections LINKER:--exclude-libs,ALL)
else()
  target_link_libraries(warpwise_llvm_link INTERFACE
    ${LLVM_LIBRARY_DIRS}/libclang-cpp.so.19.1 ${LLVM_LIBRARY_DIRS}/libLLVM.so.19.1)
endif()

# warpwise_export_only(TARGET SYMBOLS...): the library's whole dynamic symbol table. Templates of the
# standard library over LLVM's types would be exported otherwise, and clash with those of another LLVM.
function(warpwise_export_only target)
  set(script ${CMAKE_CURRENT_BINARY_DIR}/${target}.map)
  list(JOIN ARGN "; " symbols)
  file(CONFIGURE OUTPUT ${script} CONTENT "{ global: ${symbols}; local: *; };\n" @ONLY)
  target_link_options(${target} PRIVATE LINKER:--version-script=${script})
  set_target_properties(${target} PROPERTIES LINK_DEPENDS ${script})
endfunction()
