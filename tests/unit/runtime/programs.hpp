// Programs made by hand, for the null device: signatures without code.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "src/runtime/context.hpp"
#include "src/runtime/module/module_state.hpp"

namespace warpwise {

inline Parameter pointer_to(std::string name, std::string type, DType element,
                            bool is_const = false) {
    return {.name = std::move(name),
            .type = std::move(type),
            .passing = Parameter::Passing::Pointer,
            .dtype = element,
            .is_const = is_const,
            .size = 8,
            .alignment = 8};
}

inline Parameter value_of(std::string name, std::string type, DType dtype) {
    const bool is_struct = dtype.kind() == Kind::Struct;
    return {.name = std::move(name),
            .type = std::move(type),
            .passing = is_struct ? Parameter::Passing::Struct : Parameter::Passing::Scalar,
            .dtype = dtype,
            .size = static_cast<std::uint32_t>(dtype.size()),
            .alignment = static_cast<std::uint32_t>(dtype.alignment())};
}

// Lays the parameters out as CUDA does.
inline compiler::KernelInfo kernel_info(std::string name, std::vector<Parameter> parameters,
                                        std::string symbol = {}) {
    compiler::KernelInfo info;
    info.signature.symbol = symbol.empty() ? "_Z" + name : std::move(symbol);
    info.signature.name = std::move(name);
    std::uint32_t offset = 0;
    for (Parameter& parameter : parameters) {
        offset = (offset + parameter.alignment - 1) / parameter.alignment * parameter.alignment;
        parameter.offset = offset;
        offset += parameter.size;
    }
    info.signature.argument_bytes = offset;
    info.signature.parameters = std::move(parameters);
    return info;
}

inline Kernel load_kernel(compiler::KernelInfo info, const Device& device = Device()) {
    auto program = std::make_shared<compiler::Program>();
    program->kernels.push_back(std::move(info));
    const auto module = runtime::ModuleState::load(device.context().shared(), program);
    return Kernel(module->kernel(program->kernels.front()));
}

inline Kernel kernel_with(Parameter parameter) {
    return load_kernel(kernel_info("k", {std::move(parameter)}));
}

}  // namespace warpwise
