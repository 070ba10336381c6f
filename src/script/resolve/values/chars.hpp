// NumPy's strings of a fixed size, S and U: what Python's bytes and str do with them.
//
// Threading: used by one thread.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/script/resolve/resolver.hpp"

namespace warpwise::script {

class Chars {
  public:
    explicit Chars(Resolver& resolver) : resolver_(resolver) {}

    // A value as a string; null where it is none.
    static ExpressionRef of(const ExpressionRef& value);
    static ExpressionRef length(const ExpressionRef& value);
    // `what`: what needs them, for the message.
    std::pair<ExpressionRef, ExpressionRef> both(std::string_view what, const ExpressionRef& a,
                                                 const ExpressionRef& b, const Syntax& node);
    ExpressionRef comparison(std::string_view op, const ExpressionRef& a, const ExpressionRef& b,
                             const Syntax& node);
    ExpressionRef sum(const ExpressionRef& a, const ExpressionRef& b, const Syntax& node);
    ExpressionRef item_of(const ExpressionRef& value, const Resolver::Index& index,
                          const Syntax& node);
    ExpressionRef method(const ExpressionRef& value, const std::string& name,
                         const Resolver::Arguments& arguments, const Syntax& node);
    // `gone`: the axes that the characters of a string have.
    ExpressionRef stored_as(const ExpressionRef& value, Type type, int gone, const Syntax& node);

  private:
    using Values = std::vector<ExpressionRef>;
    using Arguments = Resolver::Arguments;
    using Index = Resolver::Index;
    using Lets = Resolver::Lets;

    Resolver& resolver_;
};

}  // namespace warpwise::script
