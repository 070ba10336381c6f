// NumPy's functions of small arrays, whose shape is known when compiled: tables, orders, products,
// matrices. Some of them read arrays of any length.
//
// Threading: used by one thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/script/resolve/resolver.hpp"

namespace warpwise::script {

class SmallArrays {
  public:
    explicit SmallArrays(Resolver& resolver) : resolver_(resolver) {}

    // A function of numpy by its name; null for others.
    ExpressionRef call_of(std::string_view name, const Resolver::Arguments& arguments,
                          const Syntax& node);

    // array_orders.cpp: sort(), argsort(), median() and their like; null for other names.
    ExpressionRef order(std::string_view name, const Resolver::Arguments& arguments,
                        const Syntax& node);
    ExpressionRef sort_in_place(const ExpressionRef& array, const Resolver::Arguments& arguments,
                                const Syntax& node);

    // array_products.cpp
    std::vector<ExpressionRef> vector_items(const ExpressionRef& given, Resolver::Lets& lets,
                                            const Syntax& node);
    ExpressionRef product(const std::string& name, const ExpressionRef& left,
                          const ExpressionRef& right, const Syntax& node);
    // Null where a shape is not known.
    ExpressionRef matrix_product(const ExpressionRef& left, const ExpressionRef& right,
                                 const Syntax& node);
    // `others`: arguments of each reduction, ddof.
    ExpressionRef reduced_axis(std::string_view name, const ExpressionRef& given, std::int64_t axis,
                               bool keeps_axis, const Resolver::Arguments& others,
                               const Syntax& node);

  private:
    using Values = std::vector<ExpressionRef>;
    using Index = Resolver::Index;
    using Argument = Resolver::Argument;
    using Arguments = Resolver::Arguments;
    using Lets = Resolver::Lets;

    // array_tables.cpp
    ExpressionRef table_of(const Argument& argument, Lets& lets);
    ExpressionRef interpolated(const Arguments& arguments, const Syntax& node);
    ExpressionRef place_in_order(const Arguments& arguments, const Syntax& node);
    ExpressionRef joined(std::string_view name, const Arguments& arguments, const Syntax& node);
    ExpressionRef polynomial(const Arguments& arguments, const Syntax& node);
    ExpressionRef running(std::string_view name, const ExpressionRef& value, const Syntax& node);

    // array_orders.cpp
    ExpressionRef places_in_order(const ExpressionRef& keys, const Syntax& node);
    ExpressionRef quantile(std::string_view name, const ExpressionRef& copy, const Argument* place,
                           const Syntax& node);

    // small_matrices.cpp: null for other names.
    ExpressionRef square_matrix(std::string_view name, const ExpressionRef& given,
                                const Syntax& node);
    ExpressionRef matrix(std::string_view name, const Arguments& arguments, const Syntax& node);
    ExpressionRef moved(std::string_view name, const Arguments& arguments, const Syntax& node);
    ExpressionRef selected(const Arguments& arguments, const Syntax& node);

    Resolver& resolver_;
};

}  // namespace warpwise::script
