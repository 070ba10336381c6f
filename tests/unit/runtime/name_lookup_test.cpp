// From names as users write them to kernels and variables.
#include "src/runtime/module/name_lookup.hpp"

#include "tests/unit/runtime/null_device.hpp"
#include "tests/unit/runtime/programs.hpp"

namespace warpwise {
namespace {

using runtime::match_global;
using runtime::match_kernel;
using runtime::normalised_name;
using testing::AllOf;
using testing::HasSubstr;

class NameLookup : public testing::Test {
  protected:
    NameLookup() {
        const auto x = pointer_to("x", "float *", float32);
        const auto n = value_of("n", "const int", int32);
        add(kernel_info("plain", {}, "_Z5plainv"));
        add(kernel_info("ns::inner", {}, "_ZN2ns5innerEv"));
        add(kernel_info("twice", {x, n}, "_Z5twicePfi"));
        add(kernel_info("twice", {x}, "_Z5twicePf"));
        add(kernel_info("made<float, 4>", {}, "_Z4madeIfLi4EEvv"));
        add(kernel_info("a::same", {}, "_ZN1a4sameEv"));
        add(kernel_info("b::same", {}, "_ZN1b4sameEv"));
    }
    void add(compiler::KernelInfo info) {
        infos.push_back(std::make_unique<compiler::KernelInfo>(std::move(info)));
        kernels.push_back(infos.back().get());
    }
    std::string symbol(const char* name) {
        const auto match = match_kernel(name, kernels, templates, globals);
        return match.kernel != nullptr ? match.kernel->signature.symbol : "";
    }
    std::string refusal(const char* name) {
        return message_of<ArgumentError>([&] { match_kernel(name, kernels, templates, globals); });
    }
    std::vector<std::unique_ptr<compiler::KernelInfo>> infos;
    std::vector<const compiler::KernelInfo*> kernels;
    std::vector<std::string> templates = {"scale", "ns::fill", "ns::deep::fill", "a::t", "b::t"};
    const compiler::GlobalInfo table{.name = "ns::table", .symbol = "_ZN2ns5tableE"};
    std::vector<const compiler::GlobalInfo*> globals = {&table};
};

TEST(NormalisedName, KeepsOnlyBlanksBetweenWords) {
    EXPECT_EQ(normalised_name(" scale< unsigned  int , 4 > "), "scale<unsigned int,4>");
    EXPECT_EQ(normalised_name("k(float *, int)"), "k(float*,int)");
    EXPECT_EQ(normalised_name(""), "");
}

TEST_F(NameLookup, FindsExactNames) {
    EXPECT_EQ(symbol("plain"), "_Z5plainv");
    EXPECT_EQ(symbol("ns::inner"), "_ZN2ns5innerEv");
    EXPECT_EQ(symbol("made< float,4 >"), "_Z4madeIfLi4EEvv");
}

TEST_F(NameLookup, FindsNamesWithoutNamespaceIfUnique) {
    EXPECT_EQ(symbol("inner"), "_ZN2ns5innerEv");
    EXPECT_THAT(refusal("same"),
                HasSubstr("'same' is the name of 2 kernels; ask for one of: a::same(), b::same()"));
}

TEST_F(NameLookup, FindsSymbols) {
    EXPECT_EQ(symbol("_Z5twicePf"), "_Z5twicePf");
}

TEST_F(NameLookup, FindsOverloadsByTheirTypes) {
    EXPECT_EQ(symbol("twice(float *, int)"), "_Z5twicePfi");
    EXPECT_EQ(symbol("twice(float*)"), "_Z5twicePf");
    EXPECT_EQ(symbol("inner()"), "_ZN2ns5innerEv");
    EXPECT_THAT(refusal("twice"), HasSubstr("ask for one of: twice(float *, int), twice(float *)"));
}

TEST_F(NameLookup, TurnsInstancesIntoExpressions) {
    EXPECT_EQ(match_kernel("scale<float>", kernels, templates, globals).expression, "scale<float>");
    EXPECT_EQ(match_kernel("ns::fill<A<int> >", kernels, templates, globals).expression,
              "ns::fill<A<int>>");
}

TEST_F(NameLookup, FindsTemplatesWithoutNamespaceIfUnique) {
    EXPECT_THAT(refusal("t<int>"), HasSubstr("2 kernel templates; ask for one of: a::t<...>"));
    templates = {"ns::fill"};
    EXPECT_EQ(match_kernel("fill<int>", kernels, templates, globals).expression, "ns::fill<int>");
}

TEST_F(NameLookup, RefusesTemplatesWithoutArguments) {
    EXPECT_EQ(refusal("scale"), "'scale' is a template; name an instance, such as scale<float>");
}

TEST_F(NameLookup, ListsWhatThereIsAndGuesses) {
    EXPECT_THAT(refusal("plane"),
                AllOf(HasSubstr("there is no kernel 'plane'; the module has plain, ns::inner"),
                      HasSubstr("scale<...>"), HasSubstr("did you mean 'plain'?")));
    EXPECT_THAT(refusal("scalee<int>"), HasSubstr("did you mean 'scale'?"));
}

TEST_F(NameLookup, SendsWhoWantsAVariableToGetGlobal) {
    EXPECT_EQ(
        refusal("table"),
        "there is no kernel 'table': it is a variable, which get_global('ns::table') returns");
    EXPECT_THAT(refusal("ns::table"), HasSubstr("get_global('ns::table')"));
}

TEST_F(NameLookup, SaysWhenThereIsNothing) {
    EXPECT_EQ(message_of<ArgumentError>([] { match_kernel("k", {}, {}, {}); }),
              "there is no kernel 'k'; the module has no kernels");
}

TEST_F(NameLookup, CutsLongLists) {
    for (int i = 0; i < 30; ++i) add(kernel_info("k" + std::to_string(i), {}));
    EXPECT_THAT(refusal("zzz"), HasSubstr("and 22 more"));
}

TEST_F(NameLookup, NamesEverythingSoThatItCanBeAskedFor) {
    EXPECT_THAT(runtime::function_names(kernels, std::vector<std::string>{"scale"}),
                testing::ElementsAre("plain", "ns::inner", "twice(float *, int)", "twice(float *)",
                                     "made<float, 4>", "a::same", "b::same", "scale<...>"));
}

TEST(GlobalLookup, FindsByNameSymbolAndWithoutNamespace) {
    const compiler::GlobalInfo table{.name = "table", .symbol = "table"};
    const compiler::GlobalInfo count{.name = "ns::count", .symbol = "_ZN2ns5countE"};
    const std::vector<const compiler::GlobalInfo*> globals = {&table, &count};
    EXPECT_EQ(&match_global("table", globals), &table);
    EXPECT_EQ(&match_global("ns::count", globals), &count);
    EXPECT_EQ(&match_global("count", globals), &count);
    EXPECT_EQ(&match_global("_ZN2ns5countE", globals), &count);
    EXPECT_EQ(message_of<ArgumentError>([&] { match_global("tabel", globals); }),
              "there is no __device__ or __constant__ variable 'tabel'; the module has table, "
              "ns::count; did you mean 'table'?");
}

TEST(GlobalLookup, RefusesAmbiguousNames) {
    const compiler::GlobalInfo a{.name = "a::n", .symbol = "1"}, b{.name = "b::n", .symbol = "2"};
    const std::vector<const compiler::GlobalInfo*> globals = {&a, &b};
    EXPECT_THAT(message_of<ArgumentError>([&] { match_global("n", globals); }),
                HasSubstr("2 variables; ask for one of: a::n, b::n"));
}

}  // namespace
}  // namespace warpwise
