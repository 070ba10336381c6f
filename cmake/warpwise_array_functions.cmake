# Declares the elementwise functions of src/ir/ops.def for users of the library, one for each row:
# include/warpwise/array_elementwise.inc in the build tree; and the interpreter's table of their
# spellings, interpreter/interpreted_ops.inc there, for GPUs interpreter/device/interpreter/interpreted_ops.cuh.
# A changed table configures again.
set(WARPWISE_OPS ${PROJECT_SOURCE_DIR}/src/ir/ops.def)
set(WARPWISE_GENERATED_INCLUDE ${PROJECT_BINARY_DIR}/include)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${WARPWISE_OPS})

# Brackets and semicolons of the documentation would change what CMake takes for a list.
file(READ ${WARPWISE_OPS} rows)
string(REPLACE ";" "<semicolon>" rows "${rows}")
string(REPLACE "[" "<open>" rows "${rows}")
string(REPLACE "]" "<close>" rows "${rows}")
string(REGEX REPLACE "\"[ \n]+\"" "" rows "${rows}")
set(row_pattern "\nWARPWISE_OP\\(([A-Za-z0-9]+), ([a-z0-9_]+), ([1-3]), ([A-Za-z]+), ([A-Za-z]+),[ \n]*\"([^\"]*)\",[ \n]*\"([^\"]*)\"\\)")
string(REGEX MATCHALL "${row_pattern}" matched "${rows}")
string(REGEX MATCHALL "\nWARPWISE_OP\\(" counted "${rows}")
list(LENGTH matched matched_rows)
list(LENGTH counted all_rows)
if(matched_rows EQUAL 0 OR NOT matched_rows EQUAL all_rows)
  message(FATAL_ERROR "${WARPWISE_OPS}: ${matched_rows} of ${all_rows} rows have the form that "
          "cmake/warpwise_array_functions.cmake reads; write them like their neighbours")
endif()

set(operands_1 "const Operand& x")
set(operands_2 "const Operand& x1, const Operand& x2")
set(operands_3 "const Operand& x1, const Operand& x2, const Operand& x3")
set(functions "// Generated from src/ir/ops.def: the elementwise functions. Included by array_functions.hpp.\n")
set(interpreted "// Generated from src/ir/ops.def: what an op computes. Included by element_loops.inc.\n")
set(interpreted_on_gpus "// Generated from src/ir/ops.def: what an op computes. Included by steps.cuh.\n")
foreach(row IN LISTS matched)
  string(REGEX MATCH "${row_pattern}" ignored "${row}")
  string(APPEND interpreted
    "WW_OP(${CMAKE_MATCH_1}, ${CMAKE_MATCH_3}, ${CMAKE_MATCH_4}, (${CMAKE_MATCH_6}))\n")
  string(APPEND interpreted_on_gpus
    "WW_OP(${CMAKE_MATCH_1}, ${CMAKE_MATCH_3}, ${CMAKE_MATCH_4}, ${CMAKE_MATCH_5}, (${CMAKE_MATCH_6}))\n")
  string(APPEND functions
    "// ${CMAKE_MATCH_7}\nWARPWISE_API Array ${CMAKE_MATCH_2}(${operands_${CMAKE_MATCH_3}}, "
    "const Elementwise& options = {});\n")
endforeach()
string(REPLACE "<semicolon>" ";" functions "${functions}")
string(REPLACE "<open>" "[" functions "${functions}")
string(REPLACE "<close>" "]" functions "${functions}")
file(CONFIGURE OUTPUT ${WARPWISE_GENERATED_INCLUDE}/warpwise/array_elementwise.inc
     CONTENT "${functions}" @ONLY)
set(WARPWISE_INTERPRETER_FOLDER ${PROJECT_BINARY_DIR}/interpreter)
file(CONFIGURE OUTPUT ${WARPWISE_INTERPRETER_FOLDER}/interpreted_ops.inc
     CONTENT "${interpreted}" @ONLY)
# Below this folder, files lie as the device headers do below theirs.
set(WARPWISE_GENERATED_HEADERS ${WARPWISE_INTERPRETER_FOLDER}/device)
file(CONFIGURE OUTPUT ${WARPWISE_GENERATED_HEADERS}/interpreter/interpreted_ops.cuh
     CONTENT "${interpreted_on_gpus}" @ONLY)
