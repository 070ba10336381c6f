// Dates and spans of time: operators, comparisons, what makes them (NumPy's rules).
//
// Threading: used by one thread.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/script/resolve/resolver.hpp"

namespace warpwise::script {

class Times {
  public:
    explicit Times(Resolver& resolver) : resolver_(resolver) {}

    ExpressionRef in_unit(const ExpressionRef& value, Type type, const Syntax& node);
    std::pair<ExpressionRef, ExpressionRef> in_joint_unit(const ExpressionRef& a,
                                                          const ExpressionRef& b,
                                                          const Syntax& node);
    ExpressionRef operation(std::string_view op, const ExpressionRef& a, const ExpressionRef& b,
                            const Syntax& node);
    ExpressionRef comparison(std::string_view op, const ExpressionRef& a, const ExpressionRef& b,
                             const Syntax& node);
    ExpressionRef sign(std::string_view op, const ExpressionRef& value, const Syntax& node);
    ExpressionRef made(Type type, const Resolver::Arguments& arguments, const Syntax& node);
    // Of numpy's functions; null for those that take no times.
    ExpressionRef call_of(const std::string& name, const Resolver::Arguments& arguments,
                          const Syntax& node);

  private:
    using Values = std::vector<ExpressionRef>;
    using Arguments = Resolver::Arguments;

    Resolver& resolver_;
};

}  // namespace warpwise::script
