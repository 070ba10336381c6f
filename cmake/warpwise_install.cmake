# What C++ users get: `cmake --install BUILD --component development`. The compiler library and its
# worker lie beside libwarpwise, which looks for them there.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/warpwise)
target_compile_features(warpwise INTERFACE cxx_std_20)
install(TARGETS warpwise EXPORT warpwise_targets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
foreach(target warpwise_compiler warpwise_compile_worker warpwise_nvrtc_worker)
  if(TARGET ${target})
    set_property(TARGET ${target} PROPERTY INSTALL_RPATH "$ORIGIN")
    install(PROGRAMS $<TARGET_FILE:${target}> DESTINATION ${CMAKE_INSTALL_LIBDIR}
      COMPONENT development)
  endif()
endforeach()
if(TARGET warpwise_prelude)
  install(FILES $<TARGET_PROPERTY:warpwise_prelude,IMAGE>
    $<TARGET_PROPERTY:warpwise_interpreter,IMAGE> DESTINATION ${CMAKE_INSTALL_LIBDIR}
    COMPONENT development)
endif()
if(TARGET warpwise_programs)
  install(FILES $<TARGET_PROPERTY:warpwise_programs,IMAGE> DESTINATION ${CMAKE_INSTALL_LIBDIR}
    COMPONENT development)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/warpwise DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  COMPONENT development FILES_MATCHING PATTERN "*.hpp")
install(FILES ${PROJECT_BINARY_DIR}/include/warpwise/array_elementwise.inc
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/warpwise COMPONENT development)

install(EXPORT warpwise_targets NAMESPACE warpwise:: DESTINATION ${package_folder}
  COMPONENT development)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/warpwise-config.cmake.in
  ${PROJECT_BINARY_DIR}/warpwise-config.cmake INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/warpwise-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/warpwise-config.cmake
  ${PROJECT_BINARY_DIR}/warpwise-config-version.cmake
  DESTINATION ${package_folder} COMPONENT development)

configure_file(${CMAKE_CURRENT_LIST_DIR}/warpwise.pc.in ${PROJECT_BINARY_DIR}/warpwise.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/warpwise.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
  COMPONENT development)
