# With WARPWISE_PREBUILT, a folder made by `./dev gpu-pack`, the libraries come from there and only
# the Python extension is built: for machines without LLVM.
add_library(warpwise SHARED IMPORTED GLOBAL)
set_target_properties(warpwise PROPERTIES
  IMPORTED_LOCATION ${WARPWISE_PREBUILT}/lib/libwarpwise.so
  INTERFACE_INCLUDE_DIRECTORIES ${PROJECT_SOURCE_DIR}/include)
add_library(warpwise::warpwise ALIAS warpwise)
