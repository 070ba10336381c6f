// libFuzzer on the text of a program. Half of the changes are libFuzzer's own, of bytes and words
// of cuda.dict; the other half are of whole tokens, after which more programs still parse.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "tests/fuzz/compile_target.hpp"
#include "tests/fuzz/token_changes.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

std::string_view text_of(const std::uint8_t* data, std::size_t size) {
    return {reinterpret_cast<const char*>(data), size};
}

std::size_t put(std::string_view text, std::uint8_t* out, std::size_t most) {
    const std::size_t size = std::min(text.size(), most);
    std::memcpy(out, text.data(), size);
    return size;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    warpwise::compiler::CompileRequest request;
    request.source = text_of(data, size);
    warpwise::fuzz::compile(std::move(request));
    return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
    if (size == 0 || seed % 2 == 0) return LLVMFuzzerMutate(data, size, most);
    return put(warpwise::fuzz::change_tokens(text_of(data, size), seed), data, most);
}

extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* first, std::size_t first_size,
                                                 const std::uint8_t* second,
                                                 std::size_t second_size, std::uint8_t* out,
                                                 std::size_t most, unsigned seed) {
    return put(warpwise::fuzz::take_statement(text_of(first, first_size),
                                              text_of(second, second_size), seed),
               out, most);
}
