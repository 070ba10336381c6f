# Third-party libraries, all from the distribution, all linked privately.
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_path(XXHASH_INCLUDE_DIR xxhash.h REQUIRED)
find_library(BOOST_CONTEXT_LIBRARY NAMES libboost_context.a REQUIRED)

add_library(warpwise_private_dependencies INTERFACE)
target_link_libraries(warpwise_private_dependencies INTERFACE
  Threads::Threads fmt::fmt-header-only ${BOOST_CONTEXT_LIBRARY} ${CMAKE_DL_LIBS})
target_include_directories(warpwise_private_dependencies SYSTEM INTERFACE ${XXHASH_INCLUDE_DIR})
