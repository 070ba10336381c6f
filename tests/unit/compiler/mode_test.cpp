// Modes: each member is part of the key and of the encoding; options become one.
#include <gmock/gmock.h>

#include <functional>

#include "src/compiler/cache_record.hpp"
#include "src/compiler/mode_options.hpp"
#include "src/compiler/worker/wire.hpp"
#include "tests/unit/compiler/example_program.hpp"
#include "warpwise/error.hpp"

namespace warpwise::compiler {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

KernelSignature example_signature() {
    return example_program().kernels[0].signature;
}

CompileRequest request_in(const CompileMode& mode) {
    CompileRequest request;
    request.source = "void f();";
    request.mode = mode;
    return request;
}

Hash128 key_in(const CompileMode& mode) {
    return request_key(request_in(mode), "fingerprint");
}

template <class Action>
std::string complaint(Action&& action) {
    try {
        action();
    } catch (const Error& error) {
        return error.what();
    }
    return "nothing was thrown";
}

// Each changes one member of a mode in which all members are set.
using Change = std::function<void(CompileMode&)>;
class EachMember : public ::testing::TestWithParam<Change> {
  protected:
    EachMember() {
        mode.executor = Executor::Gang;
        mode.tier = Tier::Quick;
        mode.block = BlockShape{8, 8, 1};
        mode.skipped_passes = {"licm"};
        mode.kernel = "k";
        mode.checks = Checks::Bounds;
        mode.signatures = {example_signature()};
        changed = mode;
        GetParam()(changed);
    }

    CompileMode mode;
    CompileMode changed;
};

TEST_P(EachMember, ChangesTheKey) {
    EXPECT_FALSE(key_in(mode) == key_in(changed));
}

TEST_P(EachMember, MakesModesUnequal) {
    EXPECT_FALSE(mode == changed);
}

TEST_P(EachMember, ReachesTheWorker) {
    const auto bytes = encode_request(Job::Compile, request_in(changed));
    EXPECT_EQ(decode_request(bytes).request.mode, changed);
}

INSTANTIATE_TEST_SUITE_P(
    Of, EachMember,
    ::testing::Values([](CompileMode& m) { m.executor = Executor::Regions; },
                      [](CompileMode& m) { m.executor.reset(); },
                      [](CompileMode& m) { m.tier = Tier::Full; },
                      [](CompileMode& m) { m.tier.reset(); },
                      [](CompileMode& m) { m.block = BlockShape{8, 1, 8}; },
                      [](CompileMode& m) { m.skipped_passes = {"licm", "few-lanes"}; },
                      [](CompileMode& m) { m.skipped_passes.reset(); },
                      [](CompileMode& m) { m.block.reset(); },
                      [](CompileMode& m) { m.kernel = "kk"; },
                      [](CompileMode& m) { m.checks = Checks::Bounds | Checks::Races; },
                      [](CompileMode& m) { m.contraction = false; },
                      [](CompileMode& m) { m.allow_beyond_gpu = true; },
                      [](CompileMode& m) { m.signatures.clear(); },
                      [](CompileMode& m) { m.signatures[0].symbol += "x"; },
                      [](CompileMode& m) { m.signatures[0].parameters[0].is_const = false; }));

TEST(Mode, EqualModesHaveOneKey) {
    CompileMode mode;
    mode.block = BlockShape{64, 1, 1};
    mode.signatures = {example_signature()};
    const CompileMode same = mode;
    EXPECT_EQ(key_in(mode), key_in(same));
}

TEST(Mode, SpellingsOfOneModeHaveOneKey) {
    std::vector<std::string> one = {"-DA", "--warpwise-block=16,4", "--fmad=false"};
    std::vector<std::string> other = {"-fmad", "0", "-DA", "--warpwise-block", "16,4,1"};
    EXPECT_EQ(key_in(take_mode(one)), key_in(take_mode(other)));
    EXPECT_EQ(one, other);
}

TEST(Mode, DamagedBytesAreRefused) {
    ByteWriter out;
    put_mode(out, {});
    std::vector<std::byte> bytes = std::move(out).take();
    bytes[0] = std::byte{9};
    ByteReader in(bytes, "mode");
    EXPECT_THAT(complaint([&] { get_mode(in); }), HasSubstr("names an unknown executor"));
}

TEST(Mode, ChecksAreRefusedByName) {
    CompileMode mode;
    mode.checks = Checks::Bounds | Checks::Uninitialized;
    EXPECT_THROW(require_supported(mode), UnsupportedError);
    EXPECT_THAT(complaint([&] { require_supported(mode); }),
                AllOf(HasSubstr("bounds, uninitialized reads"), HasSubstr("without checks")));
}

TEST(Mode, NoChecksAreTheDefault) {
    EXPECT_NO_THROW(require_supported({}));
}

TEST(ModeOptions, AreTakenOutOfTheOthers) {
    std::vector<std::string> options = {"-DA",  "--warpwise-executor=gang", "-I", "--warpwise-tier",
                                        "full", "--warpwise-kernel=k"};
    const CompileMode mode = take_mode(options);
    EXPECT_EQ(mode.executor, Executor::Gang);
    EXPECT_EQ(mode.kernel, "k");
    EXPECT_EQ(mode.tier, std::nullopt) << "the folder of -I is no option";
    EXPECT_THAT(options, ElementsAre("-DA", "-I", "--warpwise-tier", "full"));
}

TEST(ModeOptions, OneHasNoValue) {
    std::vector<std::string> options = {"--allow-beyond-gpu", "-DA"};
    EXPECT_TRUE(take_mode(options).allow_beyond_gpu);
    EXPECT_THAT(options, ElementsAre("-DA"));
    EXPECT_FALSE(take_mode(options).allow_beyond_gpu);
    options = {"--allow-beyond-gpu=1"};
    EXPECT_THAT(complaint([&] { take_mode(options); }),
                HasSubstr("--allow-beyond-gpu expects no value, got '1'"));
}

TEST(ModeOptions, ABlockHasNoExtentAbove1024) {
    std::vector<std::string> largest = {"--warpwise-block=1024"},
                             larger = {"--warpwise-block=1025"};
    EXPECT_EQ(take_mode(largest).block, (BlockShape{1024, 1, 1}));
    EXPECT_THAT(complaint([&] { take_mode(larger); }), HasSubstr("got '1025'"));
}

TEST(ModeOptions, NameThePassesToSkip) {
    std::vector<std::string> options = {"--warpwise-skip-pass=licm,few-lanes"};
    EXPECT_THAT(take_mode(options).skipped_passes,
                ::testing::Optional(::testing::ElementsAre("licm", "few-lanes")));
}

TEST(ModeOptions, TheLastOneDecides) {
    std::vector<std::string> options = {"--fmad=false", "--warpwise-tier=quick", "-fmad=true",
                                        "--warpwise-tier=full"};
    const CompileMode mode = take_mode(options);
    EXPECT_TRUE(mode.contraction);
    EXPECT_EQ(mode.tier, Tier::Full);
    EXPECT_THAT(options, IsEmpty());
}

TEST(ModeOptions, ContractionIsOnUnlessSwitchedOff) {
    std::vector<std::string> none;
    EXPECT_TRUE(take_mode(none).contraction);
    std::vector<std::string> off = {"-fmad=false"};
    EXPECT_FALSE(take_mode(off).contraction);
}

TEST(ModeOptions, WrongValuesAreNamed) {
    const auto complain = [](std::string option) {
        std::vector<std::string> options = {std::move(option)};
        return complaint([&] { take_mode(options); });
    };
    EXPECT_THAT(
        complain("--warpwise-executor=fibers"),
        AllOf(HasSubstr("expects auto, reference, gang or regions"), HasSubstr("'fibers'")));
    EXPECT_THAT(complain("--warpwise-tier=slow"), HasSubstr("expects quick or full, got 'slow'"));
    EXPECT_THAT(complain("--warpwise-block=8,,1"), HasSubstr("expects the shape of a block"));
    EXPECT_THAT(complain("-fmad=maybe"), HasSubstr("-fmad expects true or false, got 'maybe'"));
    EXPECT_THAT(complain("--warpwise-block"), HasSubstr("expects a value"));
    EXPECT_THAT(complain("--warpwise-executer=gang"),
                HasSubstr("did you mean '--warpwise-executor'?"));
}

TEST(ModeOptions, NvidiasCompilersLearnOfContraction) {
    CompileRequest request;
    request.options = {"-DA"};
    EXPECT_THAT(nvidia_options(request), ElementsAre("-DA"));
    request.mode.contraction = false;
    EXPECT_THAT(nvidia_options(request), ElementsAre("-DA", "--fmad=false"));
}

class KnownSignatures : public ::testing::Test {
  protected:
    KernelSignature known = example_signature();
    KernelSignature read = example_signature();

    std::string mismatch(std::vector<KernelSignature> given,
                         std::vector<const KernelSignature*> found) {
        return complaint([&] { require_same_signatures(given, found); });
    }
};

TEST_F(KnownSignatures, MayNameTheirParametersDifferently) {
    read.parameters[0].name = "other";
    EXPECT_EQ(mismatch({known}, {&read}), "nothing was thrown");
}

TEST_F(KnownSignatures, OfOtherTypesAreRefusedWithBothDeclarations) {
    known.parameters[0].dtype = float64;
    known.parameters[0].type = "double";
    EXPECT_THAT(mismatch({known}, {&read}),
                AllOf(HasSubstr(known.declaration()), HasSubstr(read.declaration())));
}

TEST_F(KnownSignatures, WithOtherLaunchBoundsAreRefused) {
    known.max_threads_per_block = 128;
    EXPECT_THAT(mismatch({known}, {&read}),
                AllOf(HasSubstr("launch bounds 128"), HasSubstr("launch bounds 256")));
}

TEST_F(KnownSignatures, LackNoKernelOfTheSource) {
    EXPECT_THAT(mismatch({}, {&read}), HasSubstr("that the given signatures lack"));
}

TEST_F(KnownSignatures, NameNoKernelThatTheSourceLacks) {
    EXPECT_THAT(mismatch({known}, {}), HasSubstr("that the source lacks"));
}

TEST_F(KnownSignatures, AreReadWithoutTheCompilerLibrary) {
    CompileRequest request = request_in({});
    request.mode.signatures = {known};
    const Program program = read_signatures(request);
    ASSERT_EQ(program.kernels.size(), 1u);
    EXPECT_EQ(program.kernels[0].signature.declaration(), known.declaration());
}

}  // namespace
}  // namespace warpwise::compiler
