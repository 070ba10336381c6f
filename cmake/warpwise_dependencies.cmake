# Third-party libraries, all from the distribution, all linked privately.
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_path(XXHASH_INCLUDE_DIR xxhash.h REQUIRED)
find_library(BOOST_CONTEXT_LIBRARY NAMES libboost_context.a REQUIRED)

add_library(warpwise_fmt STATIC ${CMAKE_CURRENT_LIST_DIR}/fmt_functions.cpp)
target_include_directories(warpwise_fmt SYSTEM PUBLIC
  $<TARGET_PROPERTY:fmt::fmt-header-only,INTERFACE_INCLUDE_DIRECTORIES>)

add_library(warpwise_private_dependencies INTERFACE)
target_link_libraries(warpwise_private_dependencies INTERFACE
  Threads::Threads warpwise_fmt ${BOOST_CONTEXT_LIBRARY} ${CMAKE_DL_LIBS})
target_include_directories(warpwise_private_dependencies SYSTEM INTERFACE ${XXHASH_INCLUDE_DIR})
