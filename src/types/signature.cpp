// How a kernel's signature reads in messages.
#include "warpwise/signature.hpp"

#include "src/base/text.hpp"

namespace warpwise {
namespace {

// "const float *x", "int n", "dim3".
std::string spell(const Parameter& parameter) {
    if (parameter.name.empty()) return parameter.type;
    const bool joins = parameter.type.ends_with('*') || parameter.type.ends_with('&');
    return parameter.type + (joins ? "" : " ") + parameter.name;
}

}  // namespace

std::string KernelSignature::declaration() const {
    std::vector<std::string> spelled;
    spelled.reserve(parameters.size());
    for (const Parameter& parameter : parameters) spelled.push_back(spell(parameter));
    return name + "(" + join(spelled) + ")";
}

}  // namespace warpwise
