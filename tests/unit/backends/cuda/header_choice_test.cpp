// Which headers a text reaches, and when nothing may be left out.
#include "src/backends/cuda/nvrtc/header_choice.hpp"

#include <gmock/gmock.h>

namespace warpwise::cuda {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

HeaderTable table() {
    HeaderTable result;
    result.emplace("prelude.h", HeaderEntry("#include \"root/include/a.h\"\n"));
    result.emplace("root/include/a.h", HeaderEntry("typedef int cudaThing;\n"));
    result.emplace("b.h", HeaderEntry("#pragma once\n#include <c.h>\n"));
    result.emplace("c.h", HeaderEntry("#include <b.h>\nint c;\n"));
    result.emplace("images.h", HeaderEntry("int tex2D(int);\n"));
    return result;
}

HeaderChoice choose(std::string_view source, std::vector<std::string> forced = {},
                    const std::set<std::string_view>& in_memory = {}) {
    static const HeaderTable headers = table();
    return choose_headers({&source, 1}, forced, "prelude.h", headers, in_memory);
}

TEST(HeaderChoice, IsThePreludeAlone) {
    const HeaderChoice choice = choose("__global__ void k(int *p) { *p = __CUDA_ARCH__; }");
    EXPECT_FALSE(choice.is_all);
    EXPECT_FALSE(choice.may_use_runtime_api);
    EXPECT_THAT(choice.names, ElementsAre("prelude.h", "root/include/a.h"));
}

TEST(HeaderChoice, FollowsWhatHeadersInclude) {
    const HeaderChoice choice = choose("  #  include\t<b.h> // for c\nint x;");
    EXPECT_THAT(choice.names, ElementsAre("b.h", "c.h", "prelude.h", "root/include/a.h"));
    EXPECT_FALSE(choice.may_use_runtime_api);
    EXPECT_THAT(choose("", {"c.h"}).names,
                ElementsAre("b.h", "c.h", "prelude.h", "root/include/a.h"));
    EXPECT_THAT(choose("#include \"mine.h\"", {}, {"mine.h"}).names,
                ElementsAre("prelude.h", "root/include/a.h"));
}

TEST(HeaderChoice, LeavesNothingOutWhereItCannotTell) {
    for (const char* text :
         {"#include NAME\n", "#include \"on/disk.h\"\n", "#if __has_include(<b.h>)",
          "# /* */ include <b.h>\n", "// #include <b.h>\n", "#include <b.h",
          "#include_next <b.h>\n", "#include \"b.h\n\"\n"}) {
        const HeaderChoice choice = choose(text);
        EXPECT_TRUE(choice.is_all) << text;
        EXPECT_TRUE(choice.may_use_runtime_api) << text;
        EXPECT_THAT(choice.names, IsEmpty()) << text;
    }
}

TEST(HeaderChoice, KnowsTheWordsOfTheRuntimeApi) {
    for (const char* text :
         {"cudaError_t e;", "k<<<1, 2>>>();", "tex2D<float>(t, x, y)", "surf1Dread",
          "#if CUDART_VERSION > 12000", "#ifdef __DRIVER_TYPES_H__", "#include <images.h>\n",
          "#include <cuda_runtime.h>\n"}) {
        EXPECT_TRUE(choose(text).may_use_runtime_api) << text;
    }
    for (const char* text : {"__CUDA_ARCH__", "int context, vertex = a << 3;", "my_cuda"}) {
        EXPECT_FALSE(choose(text).may_use_runtime_api) << text;
    }
}

}  // namespace
}  // namespace warpwise::cuda
