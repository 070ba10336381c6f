// Kernel printf prints what the C library prints, and survives formats that make no sense.
#include "src/runtime/stream/device_printf.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>

namespace warpwise::runtime {
namespace {

template <class T>
std::string printed(const char* format, T value) {
    std::string out;
    format_device_printf(out, format, &value, read_own_string);
    return out;
}

template <class T>
std::string from_libc(const char* format, T value) {
    char buffer[512];
    const int length = std::snprintf(buffer, sizeof buffer, format, value);
    return std::string(buffer, static_cast<std::size_t>(length));
}

TEST(DevicePrintf, IntegersPrintAsInC) {
    for (const char* format : {"%d", "%i", "%5d|", "%-5d|", "%05d", "%+d", "% d", "%.3d", "%x",
                               "%#X", "%o", "%u", "%hd", "%hhu", "%c", "%8.3d|"}) {
        for (int value : {0, 1, -1, 65, 70000, -70000}) {
            EXPECT_EQ(printed(format, value), from_libc(format, value)) << format;
        }
    }
}

TEST(DevicePrintf, LongIntegersPrintAsInC) {
    for (const char* format : {"%ld", "%lld", "%lu", "%llx", "%zu", "%jd", "%td"}) {
        EXPECT_EQ(printed(format, -1234567890123LL), from_libc(format, -1234567890123LL));
    }
}

TEST(DevicePrintf, FloatsPrintAsInC) {
    for (const char* format : {"%f", "%.0f", "%10.3e|", "%g", "%G", "%a", "%+08.2f", "%-9.1f|"}) {
        for (double value : {0.0, -0.0, 1.5, 1e300, 1e-300, -3.14159}) {
            EXPECT_EQ(printed(format, value), from_libc(format, value)) << format;
        }
    }
}

TEST(DevicePrintf, ArgumentsLieAtTheirNaturalAlignment) {
    struct {
        int a;
        double b;
        char* c;
        int d;
    } packed{1, 2.5, const_cast<char*>("text"), 4};
    std::string out;
    EXPECT_EQ(format_device_printf(out, "%d %.1f %s %d%%", &packed, read_own_string), 4);
    EXPECT_EQ(out, "1 2.5 text 4%");
}

TEST(DevicePrintf, StarsTakeWidthAndPrecisionFromTheArguments) {
    struct {
        int width;
        int precision;
        double value;
    } packed{8, 2, 1.239};
    std::string out;
    EXPECT_EQ(format_device_printf(out, "%*.*f|", &packed, read_own_string), 3);
    EXPECT_EQ(out, "    1.24|");
}

TEST(DevicePrintf, ANullStringPrintsAsNull) {
    EXPECT_EQ(printed<const char*>("%s", nullptr), "(null)");
}

TEST(DevicePrintf, AWildStringPointerIsNamedNotFollowed) {
    EXPECT_EQ(printed("%s", std::uint64_t{0x10}), "(bad pointer)");
}

TEST(DevicePrintf, AStringMayLieAcrossTheBorderOfTwoPages) {
    alignas(4096) char pages[2 * 4096] = {};
    char* const text = pages + 4096 - 3;
    std::strcpy(text, "abcdef");
    EXPECT_EQ(printed("%s", static_cast<const char*>(text)), "abcdef");
}

TEST(DevicePrintf, PrecisionBoundsAStringWithoutAnEnd) {
    const char text[3] = {'a', 'b', 'c'};
    EXPECT_EQ(printed("%.2s", static_cast<const char*>(text)), "ab");
}

TEST(DevicePrintf, WhatIsNoConversionIsPrintedAsItStands) {
    EXPECT_EQ(printed("100%", 0), "100%");
    EXPECT_EQ(printed("%y!", 0), "%y!");
    EXPECT_EQ(printed("%-+ #0", 0), "%-+ #0");
}

TEST(DevicePrintf, HugeWidthsAreCut) {
    EXPECT_EQ(printed("%999999999d", 1).size(), 4096U);
}

TEST(DevicePrintf, ANullFormatIsAnError) {
    std::string out;
    EXPECT_EQ(format_device_printf(out, nullptr, nullptr, read_own_string), -1);
}

}  // namespace
}  // namespace warpwise::runtime
