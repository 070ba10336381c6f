# Writes a C++ file with warpwise::compiler::compiler_identity(): a hash over what a compiled program
# depends on besides its request. Run with:
#   cmake -DOUTPUT=... -DROOT=... -DFILES=a|b|c -DVERSION=... -P
string(REPLACE "|" ";" FILES "${FILES}")
set(sums "${VERSION}")
foreach(file IN LISTS FILES)
  file(SHA256 ${ROOT}/${file} sum)
  string(APPEND sums "\n${file} ${sum}")
endforeach()
string(SHA256 identity "${sums}")
string(SUBSTRING "${identity}" 0 32 identity)
set(text "#include \"src/compiler/service.hpp\"

namespace warpwise::compiler {

std::string_view compiler_identity() noexcept { return \"${identity}\"; }

}  // namespace warpwise::compiler
")
# Left alone when nothing changed, so that nothing is linked again.
set(before "")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} before)
endif()
if(NOT before STREQUAL text)
  file(WRITE ${OUTPUT} "${text}")
endif()
