# Writes a C++ file that holds the texts of FILES (paths relative to ROOT, or to GENERATED where ROOT has
# none, by '|') as warpwise::codegen::device_headers().
# Run with: cmake -DOUTPUT=... -DROOT=... -DGENERATED=... -DFILES=... -P.
# Texts are cut into pieces: compilers need not accept string literals above 64 KiB.
string(REPLACE "|" ";" FILES "${FILES}")
set(rows "")
set(texts "")
set(index 0)
foreach(file IN LISTS FILES)
  set(path ${ROOT}/${file})
  if(NOT EXISTS ${path})
    set(path ${GENERATED}/${file})
  endif()
  file(READ ${path} text)
  string(LENGTH "${text}" length)
  set(pieces "")
  set(from 0)
  while(from LESS length)
    string(SUBSTRING "${text}" ${from} 16000 piece)
    string(APPEND pieces "\n  R\"ww__(${piece})ww__\"")
    math(EXPR from "${from} + 16000")
  endwhile()
  if(length EQUAL 0)
    set(pieces "\"\"")
  endif()
  string(APPEND texts "constexpr std::string_view kText${index} = ${pieces};\n")
  string(APPEND rows "    {\"${file}\", kText${index}},\n")
  math(EXPR index "${index} + 1")
endforeach()
file(WRITE ${OUTPUT} "#include \"src/codegen/device_headers.hpp\"

namespace warpwise::codegen {

namespace {
${texts}
constexpr DeviceHeader kHeaders[] = {
${rows}    {{}, {}},
};
}  // namespace

std::span<const DeviceHeader> device_headers() noexcept { return {kHeaders, ${index}}; }

}  // namespace warpwise::codegen
")
