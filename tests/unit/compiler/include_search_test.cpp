// What a compile looked for on disk.
#include "src/compiler/include_search.hpp"

#include <gmock/gmock.h>

#include "tests/unit/base/temporary_folder.hpp"

namespace warpwise::compiler {

void PrintTo(const Dependency& file, std::ostream* out) {
    *out << file.path << " " << file.hash;
}
bool operator==(const Dependency& a, const Dependency& b) {
    return a.path == b.path && a.hash == b.hash;
}

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class IncludeSearch : public ::testing::Test {
  protected:
    IncludeSearch() {
        request_.name = folder_ / "src/kernel.cu";
        request_.include_dirs = {folder_ / "one"};
        request_.options = {"-I", folder_ / "two", "-I" + (folder_ / "three")};
    }

    std::vector<Dependency> search(const std::string& source,
                                   std::vector<Dependency> reported = {}) {
        request_.source = source;
        return complete_dependencies(request_, std::move(reported));
    }
    Dependency absent(const std::string& name) const { return {folder_ / name, kAbsentFile}; }
    Dependency present(const std::string& name, const std::string& text) const {
        return {folder_.write(name, text), hash_of_file(folder_ / name)};
    }

    const TemporaryFolder folder_;
    CompileRequest request_;
};

TEST_F(IncludeSearch, FindsNothingWithoutIncludes) {
    EXPECT_THAT(search("// include \"a.h\"\nint include;"), IsEmpty());
}

TEST_F(IncludeSearch, LooksForQuotedNamesBesideTheSourceFirst) {
    EXPECT_THAT(search("#include \"a.h\""), ElementsAre(absent("src/a.h"), absent("one/a.h"),
                                                        absent("two/a.h"), absent("three/a.h")));
}

TEST_F(IncludeSearch, LooksForAngledNamesInTheFoldersOnly) {
    EXPECT_THAT(search("#  include  <a.h>"),
                ElementsAre(absent("one/a.h"), absent("two/a.h"), absent("three/a.h")));
}

TEST_F(IncludeSearch, EndsWhereTheHeaderIs) {
    const Dependency found = present("two/a.h", "text");
    EXPECT_THAT(search("#include <a.h>", {found}), ElementsAre(found, absent("one/a.h")));
}

TEST_F(IncludeSearch, RemembersFilesThatWereOnlyAskedFor) {
    const Dependency asked = present("one/a.h", "text");
    EXPECT_THAT(search("#if __has_include(<a.h>)"), ElementsAre(asked));
}

TEST_F(IncludeSearch, GoesThroughTheDependencies) {
    const Dependency outer = present("two/outer.h", "#include \"inner.h\"");
    EXPECT_THAT(search("", {outer}),
                ElementsAre(outer, absent("two/inner.h"), absent("src/inner.h"),
                            absent("one/inner.h"), absent("three/inner.h")));
}

TEST_F(IncludeSearch, EndsAtHeadersInMemory) {
    request_.headers = {{"a.h", "#include <b.h>"}, {"b.h", ""}};
    EXPECT_THAT(search("#include \"a.h\""), ElementsAre(absent("src/a.h")));
}

TEST_F(IncludeSearch, TakesForcedIncludes) {
    request_.options = {"-include", "a.h"};
    EXPECT_THAT(search(""), ElementsAre(absent("src/a.h"), absent("one/a.h")));
}

TEST_F(IncludeSearch, TakesAbsoluteNames) {
    EXPECT_THAT(search("#include \"/nowhere/a.h\""),
                ElementsAre(Dependency{"/nowhere/a.h", kAbsentFile}));
}

TEST_F(IncludeSearch, SkipsNamesMadeByMacros) {
    EXPECT_THAT(search("#include HEADER\n#include \"unfinished\n#include <\n#include"), IsEmpty());
}

TEST_F(IncludeSearch, KeepsOnePathOnce) {
    EXPECT_THAT(search("#include <a.h>\n#include <a.h>\n#include <../one/a.h>"), SizeIs(3));
}

TEST(WorkingFolder, MattersForRelativeSearches) {
    CompileRequest request;
    request.source = "#include \"a.h\"";
    EXPECT_TRUE(depends_on_working_folder(request));
    request.source = "#include <a.h>";
    EXPECT_FALSE(depends_on_working_folder(request));
    request.include_dirs = {"headers"};
    EXPECT_TRUE(depends_on_working_folder(request));
}

TEST(WorkingFolder, MattersForMacrosThatNameHeaders) {
    CompileRequest request;
    request.source = "#include HEADER";
    EXPECT_TRUE(depends_on_working_folder(request));
}

TEST(WorkingFolder, DoesNotMatterForAbsoluteSearches) {
    CompileRequest request;
    request.source = "#include \"a.h\"";
    request.name = "/home/ada/kernel.cu";
    request.include_dirs = {"/home/ada/headers"};
    EXPECT_FALSE(depends_on_working_folder(request));
}

TEST(WorkingFolder, MattersForRelativeOptions) {
    for (const char* option : {"-Iheaders", "--include-path=headers", "-include=a.h"}) {
        CompileRequest request;
        request.options = {option};
        EXPECT_TRUE(depends_on_working_folder(request)) << option;
    }
}

}  // namespace
}  // namespace warpwise::compiler
