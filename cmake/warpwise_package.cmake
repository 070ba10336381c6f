# What goes into the Python package: `python_package` builds it, component `python` installs it. All
# binaries lie in the package's own folder, where each finds the others beside itself.
set(WARPWISE_PACKAGE_TARGETS)
foreach(target warpwise warpwise_python warpwise_compiler warpwise_compile_worker
        warpwise_nvrtc_worker)
  if(TARGET ${target})
    list(APPEND WARPWISE_PACKAGE_TARGETS ${target})
  endif()
endforeach()
add_custom_target(python_package DEPENDS ${WARPWISE_PACKAGE_TARGETS})
if(TARGET warpwise_prelude)
  add_dependencies(python_package warpwise_prelude warpwise_interpreter)
endif()

if(WARPWISE_WHEEL)
  if(TARGET warpwise_programs)
    add_dependencies(python_package warpwise_programs)
    install(FILES $<TARGET_PROPERTY:warpwise_programs,IMAGE>
      DESTINATION warpwise COMPONENT python)
  endif()
  # Wheels cannot hold links, so a library goes by one name.
  foreach(target ${WARPWISE_PACKAGE_TARGETS})
    set_property(TARGET ${target} PROPERTY SOVERSION)
    set_property(TARGET ${target} PROPERTY VERSION)
    set_property(TARGET ${target} PROPERTY INSTALL_RPATH "$ORIGIN")
    if(NOT target STREQUAL "warpwise_python")
      install(TARGETS ${target}
        LIBRARY DESTINATION warpwise COMPONENT python
        RUNTIME DESTINATION warpwise COMPONENT python)
    endif()
  endforeach()
  if(TARGET warpwise_prelude)
    install(FILES $<TARGET_PROPERTY:warpwise_prelude,IMAGE>
      $<TARGET_PROPERTY:warpwise_interpreter,IMAGE> DESTINATION warpwise COMPONENT python)
  endif()
endif()
