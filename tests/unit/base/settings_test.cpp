// Settings: every allowed form, and for every variable the message a wrong one gets.
#include "src/base/settings/settings.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "warpwise/error.hpp"

namespace warpwise {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

using Variables = std::map<std::string, std::string>;

Environment environment(Variables variables) {
    return [variables = std::move(variables)](const std::string& name) {
        const auto found = variables.find(name);
        return found == variables.end() ? std::nullopt : std::optional(found->second);
    };
}

Settings read(const Variables& variables) {
    return read_settings(environment(variables));
}

template <class Error>
std::string message_of(const Variables& variables) {
    try {
        read(variables);
    } catch (const Error& error) {
        return error.what();
    }
    return "nothing was thrown";
}

// A wrong value's message names the variable, the value and what would be right.
struct WrongValue {
    std::string variable;
    std::string value;
    std::string allowed;
};

class WrongSetting : public ::testing::TestWithParam<WrongValue> {};

TEST_P(WrongSetting, IsRefusedByName) {
    const WrongValue& wrong = GetParam();
    EXPECT_THAT(message_of<ArgumentError>({{wrong.variable, wrong.value}}),
                AllOf(HasSubstr(wrong.variable), HasSubstr("'" + wrong.value + "'"),
                      HasSubstr(wrong.allowed)));
}

INSTANTIATE_TEST_SUITE_P(
    Each, WrongSetting,
    ::testing::Values(WrongValue{"WARPWISE_DEVICE", "gpu", "cpu, cuda, cuda:N"},
                      WrongValue{"WARPWISE_DEVICE", "cuda:", "cuda:N"},
                      WrongValue{"WARPWISE_DEVICE", "cuda:-1", "cuda:N"},
                      WrongValue{"WARPWISE_DEVICE", "cuda:99999999999", "cuda:N"},
                      WrongValue{"WARPWISE_DEVICE", "CPU", "cpu"},
                      WrongValue{"WARPWISE_DEVICE", " cpu", "cpu"},
                      WrongValue{"WARPWISE_NUM_THREADS", "0", "1 to 4096"},
                      WrongValue{"WARPWISE_NUM_THREADS", "-2", "1 to 4096"},
                      WrongValue{"WARPWISE_NUM_THREADS", "4097", "1 to 4096"},
                      WrongValue{"WARPWISE_NUM_THREADS", "four", "1 to 4096"},
                      WrongValue{"WARPWISE_NUM_THREADS", "2 ", "1 to 4096"},
                      WrongValue{"WARPWISE_CACHE_SIZE", "1.5G", "500M, 2G"},
                      WrongValue{"WARPWISE_CACHE_SIZE", "G", "500M, 2G"},
                      WrongValue{"WARPWISE_CACHE_SIZE", "-1", "500M, 2G"},
                      WrongValue{"WARPWISE_CACHE_SIZE", "99999999999T", "500M, 2G"},
                      WrongValue{"WARPWISE_CACHE_SIZE", "10X", "500M, 2G"},
                      WrongValue{"WARPWISE_CHECK", "maybe", "1, true, on, yes"},
                      WrongValue{"WARPWISE_LOG", "verbose", "error, warning, info, debug"},
                      WrongValue{"WARPWISE_POOL", "off", "segments, reserved, none, guard"},
                      WrongValue{"WARPWISE_WATCHDOG", "-1", "seconds, from 0"},
                      WrongValue{"WARPWISE_TIME_LIMIT", "-1", "seconds, from 0"},
                      WrongValue{"WARPWISE_TIME_LIMIT", "nan", "seconds, from 0"},
                      WrongValue{"WARPWISE_TIME_LIMIT", "1s", "seconds, from 0"},
                      WrongValue{"WARPWISE_EXIT_WAIT", "1e7", "seconds, from 0 to 1000000"},
                      WrongValue{"WARPWISE_CPU", "x86-64-v5", "x86-64-v2, x86-64-v3"},
                      WrongValue{"CUDA_DEVICE", "first", "0, 1, ..."},
                      WrongValue{"CUDA_DEVICE", "-1", "0, 1, ..."},
                      WrongValue{"NUMBA_ENABLE_CUDASIM", "2", "0, false, off, no"}));

TEST(Settings, WithoutVariablesHasDefaults) {
    const Settings s = read({{"HOME", "/home/ada"}});
    EXPECT_EQ(s.device, "");
    EXPECT_EQ(s.num_threads, std::nullopt);
    EXPECT_EQ(s.cache_dir, "/home/ada/.cache/warpwise");
    EXPECT_EQ(s.cache_size, 1u << 30);
    EXPECT_EQ(s.log_level, "warning");
    EXPECT_EQ(s.cpu, "native");
    EXPECT_EQ(s.watchdog, std::chrono::seconds(10));
    EXPECT_EQ(s.pool, "segments");
    EXPECT_TRUE(s.default_options.empty());
}

TEST(Settings, AnEmptyVariableIsNotSet) {
    const Settings s = read({{"WARPWISE_DEVICE", ""},
                             {"WARPWISE_NUM_THREADS", ""},
                             {"WARPWISE_CACHE_SIZE", ""},
                             {"WARPWISE_LOG", ""},
                             {"WARPWISE_CPU", ""},
                             {"CUDA_DEVICE", ""}});
    EXPECT_EQ(s.device, "");
    EXPECT_EQ(s.cache_size, 1u << 30);
}

TEST(Settings, DeviceTakesEveryKind) {
    for (const char* name : {"cpu", "cuda", "cuda:0", "cuda:12", "null"}) {
        EXPECT_EQ(read({{"WARPWISE_DEVICE", name}}).device, name);
    }
}

TEST(Settings, CudaDeviceChoosesAGpu) {
    EXPECT_EQ(read({{"CUDA_DEVICE", "1"}}).device, "cuda:1");
}

TEST(Settings, NumbaSimulatorChoosesTheCpu) {
    EXPECT_EQ(read({{"NUMBA_ENABLE_CUDASIM", "1"}, {"CUDA_DEVICE", "1"}}).device, "cpu");
    EXPECT_EQ(read({{"NUMBA_ENABLE_CUDASIM", "0"}}).device, "");
}

TEST(Settings, OurOwnVariableWins) {
    EXPECT_EQ(
        read({{"WARPWISE_DEVICE", "cuda:2"}, {"NUMBA_ENABLE_CUDASIM", "1"}, {"CUDA_DEVICE", "1"}})
            .device,
        "cuda:2");
}

TEST(Settings, NumThreadsIsANumber) {
    EXPECT_EQ(read({{"WARPWISE_NUM_THREADS", "16"}}).num_threads, 16u);
}

TEST(Settings, OneThreadIsEnough) {
    EXPECT_EQ(read({{"WARPWISE_NUM_THREADS", "1"}}).num_threads, 1u);
}

TEST(Settings, CacheSizeTakesUnits) {
    EXPECT_EQ(read({{"WARPWISE_CACHE_SIZE", "0"}}).cache_size, 0u);
    EXPECT_EQ(read({{"WARPWISE_CACHE_SIZE", "12345"}}).cache_size, 12345u);
    EXPECT_EQ(read({{"WARPWISE_CACHE_SIZE", "8K"}}).cache_size, 8u << 10);
    EXPECT_EQ(read({{"WARPWISE_CACHE_SIZE", "500m"}}).cache_size, 500ull << 20);
    EXPECT_EQ(read({{"WARPWISE_CACHE_SIZE", "2G"}}).cache_size, 2ull << 30);
    EXPECT_EQ(read({{"WARPWISE_CACHE_SIZE", "1T"}}).cache_size, 1ull << 40);
}

TEST(Settings, CheckedModeIsRefusedByName) {
    for (const char* yes : {"1", "true", "on", "yes"}) {
        EXPECT_THAT(message_of<UnsupportedError>({{"WARPWISE_CHECK", yes}}),
                    StartsWith("WARPWISE_CHECK"));
    }
}

TEST(Settings, CheckedModeMayBeSwitchedOff) {
    for (const char* no : {"", "0", "false", "off", "no"}) {
        EXPECT_NO_THROW(read({{"WARPWISE_CHECK", no}}));
    }
}

TEST(Settings, LogTakesEveryLevel) {
    for (const char* level : {"error", "warning", "info", "debug"}) {
        EXPECT_EQ(read({{"WARPWISE_LOG", level}}).log_level, level);
    }
}

TEST(Settings, CpuTakesEveryLevel) {
    for (const char* cpu : {"x86-64-v2", "x86-64-v3", "x86-64-v4", "native"}) {
        EXPECT_EQ(read({{"WARPWISE_CPU", cpu}}).cpu, cpu);
    }
}

TEST(Settings, PycudaFlagsAreSplitAtBlanks) {
    EXPECT_THAT(read({{"PYCUDA_DEFAULT_NVCC_FLAGS", " -O3  -DN=4"}}).default_options,
                ElementsAre("-O3", "-DN=4"));
}

TEST(CacheFolder, OurOwnVariableWins) {
    EXPECT_EQ(read({{"WARPWISE_CACHE_DIR", "/data/cache"}, {"XDG_CACHE_HOME", "/x"}}).cache_dir,
              "/data/cache");
}

TEST(CacheFolder, IsAbsolute) {
    EXPECT_THAT(read({{"WARPWISE_CACHE_DIR", "here"}}).cache_dir, StartsWith("/"));
}

TEST(CacheFolder, FollowsXdg) {
    EXPECT_EQ(read({{"XDG_CACHE_HOME", "/x"}, {"HOME", "/home/ada"}}).cache_dir, "/x/warpwise");
}

TEST(CacheFolder, IgnoresARelativeXdgFolder) {
    EXPECT_EQ(read({{"XDG_CACHE_HOME", "x"}, {"HOME", "/home/ada"}}).cache_dir,
              "/home/ada/.cache/warpwise");
}

TEST(CacheFolder, ExistsWithoutHome) {
    EXPECT_THAT(read({}).cache_dir, AllOf(StartsWith("/"), HasSubstr("warpwise")));
}

TEST(SettingRows, TellWhatTheUserSet) {
    const auto rows = setting_rows(environment({{"WARPWISE_LOG", "debug"}}));
    const auto log = std::find_if(rows.begin(), rows.end(),
                                  [](const auto& row) { return row.variable == "WARPWISE_LOG"; });
    ASSERT_NE(log, rows.end());
    EXPECT_EQ(log->value, "debug");
    EXPECT_TRUE(log->is_set);
    EXPECT_EQ(std::count_if(rows.begin(), rows.end(), [](const auto& row) { return row.is_set; }),
              1);
}

TEST(SettingRows, HaveAMeaningEach) {
    for (const SettingRow& row : setting_rows(environment({}))) {
        EXPECT_FALSE(row.meaning.empty()) << row.variable;
    }
}

TEST(SettingRows, RefuseWhatSettingsRefuse) {
    EXPECT_THROW(setting_rows(environment({{"WARPWISE_LOG", "loud"}})), ArgumentError);
}

TEST(SettingDefinitions, NameEachVariableOnce) {
    std::map<std::string, int> counts;
    for (const SettingDefinition& definition : setting_definitions()) {
        EXPECT_EQ(++counts[definition.variable], 1) << definition.variable;
    }
    EXPECT_EQ(counts.size(), 25u);
}

// The table of the page is made of the definitions: replace it by what this test prints.
TEST(SettingDefinitions, AreTheTableOfThePage) {
    const auto cell = [](const std::string& text) { return " " + text + " |"; };
    std::string table = "| variable | values | default | meaning |\n|---|---|---|---|\n";
    for (const SettingDefinition& one : setting_definitions()) {
        table += "|" + cell("`" + one.variable + "`") + cell(one.values) + cell(one.preset) +
                 cell(one.meaning) + "\n";
    }
    std::ifstream file(SETTINGS_PAGE);
    const std::string page{std::istreambuf_iterator<char>(file), {}};
    EXPECT_THAT(page, HasSubstr(table));
}

std::vector<std::string> misspelt(const std::string& variable) {
    return misspelt_settings(std::vector<std::string>{variable});
}

TEST(MisspeltSettings, AreNamedWithTheNearestSetting) {
    EXPECT_THAT(misspelt("WARPWISE_DEVISE=cpu"),
                ElementsAre(AllOf(HasSubstr("'WARPWISE_DEVISE'"),
                                  HasSubstr("did you mean WARPWISE_DEVICE?"))));
}

TEST(MisspeltSettings, MayLackWordsOfTheSetting) {
    EXPECT_THAT(misspelt("WARPWISE_SIZE=1G"),
                ElementsAre(HasSubstr("did you mean WARPWISE_CACHE_SIZE?")));
}

TEST(MisspeltSettings, AreNotTheSettingsThemselves) {
    EXPECT_THAT(misspelt("WARPWISE_DEVICE=cpu"), ElementsAre());
}

TEST(MisspeltSettings, AreNotOtherVariablesWithThePrefix) {
    EXPECT_THAT(misspelt("WARPWISE_EXPERIMENT_FOLDER=/tmp"), ElementsAre());
}

TEST(MisspeltSettings, AreNotVariablesWithoutThePrefix) {
    EXPECT_THAT(misspelt("DEVISE=cpu"), ElementsAre());
}

TEST(Settings, AreReadOnce) {
    EXPECT_EQ(&settings(), &settings());
}

}  // namespace
}  // namespace warpwise
