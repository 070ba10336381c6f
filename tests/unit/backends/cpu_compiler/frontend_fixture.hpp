// What the tests of the front end share: a request in one line, and what it throws.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/backends/cpu/compiler/guard.hpp"
#include "src/backends/cpu/compiler/translation.hpp"
#include "src/compiler/mode_options.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cpu_compiler {

inline compiler::CompileRequest request(std::string source, std::vector<std::string> options = {}) {
    compiler::CompileRequest result;
    result.source = std::move(source);
    result.name = "k.cu";
    result.mode = compiler::take_mode(options);
    result.options = std::move(options);
    result.target = "x86-64-v2";
    return result;
}

inline Translation run(const compiler::CompileRequest& request) {
    Translation result;
    run_guarded([&] { result = translate(request); });
    return result;
}

inline Translation run(std::string source, std::vector<std::string> options = {}) {
    return run(request(std::move(source), std::move(options)));
}

// The error of class E that compiling must throw.
template <class E>
E error_of(const compiler::CompileRequest& request) {
    try {
        run(request);
    } catch (const E& error) {
        return error;
    } catch (const std::exception& error) {
        throw std::logic_error(std::string("another error: ") + error.what());
    }
    throw std::logic_error("no error");
}

template <class E>
E error_of(std::string source, std::vector<std::string> options = {}) {
    return error_of<E>(request(std::move(source), std::move(options)));
}

inline const KernelSignature* find_kernel(const Translation& translation, std::string_view name) {
    for (const compiler::KernelInfo& kernel : translation.kernels) {
        if (kernel.signature.name == name) return &kernel.signature;
    }
    return nullptr;
}

inline const compiler::GlobalInfo* find_global(const Translation& translation,
                                               std::string_view name) {
    for (const compiler::GlobalInfo& global : translation.globals) {
        if (global.name == name) return &global;
    }
    return nullptr;
}

}  // namespace warpwise::cpu_compiler
