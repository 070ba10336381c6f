// Expressions are changed in place: a << 32 becomes (a << 31) << 1, a conversion that of the
// integer it gives.
#include "src/backends/cpu/compiler/frontend/parse/constant_arithmetic.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Expr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <llvm/ADT/APFloat.h>
#include <llvm/ADT/APSInt.h>

#include <algorithm>
#include <cstdint>
#include <optional>

namespace warpwise::cpu_compiler {
namespace {

constexpr unsigned kLeastBits = 32;  // narrower integers are cut from these
constexpr unsigned kWidestShift = 64;

class Definer : public clang::RecursiveASTVisitor<Definer> {
    using Base = clang::RecursiveASTVisitor<Definer>;

  public:
    explicit Definer(clang::ASTContext& context) : context_(context) {}

    bool shouldVisitTemplateInstantiations() const { return true; }

    // The parser has evaluated the initial value of a constant, and has kept the result.
    bool TraverseVarDecl(clang::VarDecl* variable) {
        const unsigned before = changes_;
        const bool goes_on = Base::TraverseVarDecl(variable);
        clang::EvaluatedStmt* const known = variable->getEvaluatedStmt();
        if (changes_ != before && known != nullptr && !variable->isConstexpr()) {
            known->WasEvaluated = false;
            known->Evaluated = clang::APValue();
        }
        return goes_on;
    }

    bool VisitBinaryOperator(clang::BinaryOperator* shift) {
        if (!shift->isShiftOp() || shift->isInstantiationDependent()) return true;
        const clang::QualType type = shift->getType();
        if (!type->isIntegerType() || context_.getIntWidth(type) > kWidestShift) return true;
        clang::Expr::EvalResult count;
        if (!shift->getRHS()->EvaluateAsInt(count, context_)) return true;
        define(*shift, count.Val.getInt());
        return true;
    }

    bool VisitCastExpr(clang::CastExpr* cast) {
        if (cast->getCastKind() != clang::CK_FloatingToIntegral ||
            cast->isInstantiationDependent()) {
            return true;
        }
        clang::Expr::EvalResult number;
        if (!cast->getSubExpr()->EvaluateAsRValue(number, context_) || number.HasSideEffects ||
            !number.Val.isFloat()) {
            return true;
        }
        if (const auto value = outside(number.Val.getFloat(), cast->getType())) {
            cast->setSubExpr(literal(*value, cast->getExprLoc()));
            cast->setCastKind(clang::CK_IntegralCast);
            ++changes_;
        }
        return true;
    }

  private:
    clang::Expr* literal(const llvm::APSInt& value, clang::SourceLocation where) {
        const clang::QualType type =
            context_.getIntTypeForBitwidth(value.getBitWidth(), value.isSigned());
        return clang::IntegerLiteral::Create(context_, value, type, where);
    }

    // The count is the low 32 bits of the number, as in PTX.
    void define(clang::BinaryOperator& shift, const llvm::APSInt& number) {
        const clang::QualType type = shift.getType();
        const unsigned width = context_.getIntWidth(type);
        if (!number.isNegative() && number.ult(width)) return;
        ++changes_;
        const clang::SourceLocation where = shift.getExprLoc();
        const auto count_of = [&](std::uint64_t count) {
            return literal(llvm::APSInt(llvm::APInt(kLeastBits, count), false), where);
        };
        const std::uint64_t count = number.extOrTrunc(kLeastBits).getZExtValue();
        if (count < width) return shift.setRHS(count_of(count));
        shift.setLHS(clang::BinaryOperator::Create(
            context_, shift.getLHS(), count_of(width - 1), shift.getOpcode(), type,
            clang::VK_PRValue, clang::OK_Ordinary, where, clang::FPOptionsOverride()));
        shift.setRHS(count_of(1));
    }

    // What a number becomes that the type does not hold.
    std::optional<llvm::APSInt> outside(const llvm::APFloat& number, clang::QualType type) {
        if (type->isBooleanType()) return std::nullopt;
        const unsigned width = context_.getIntWidth(type);
        const bool is_unsigned = type->isUnsignedIntegerOrEnumerationType();
        llvm::APSInt exact(width, is_unsigned);
        bool is_exact = false;
        const auto toward_zero = llvm::APFloat::rmTowardZero;
        if (number.convertToInteger(exact, toward_zero, &is_exact) != llvm::APFloat::opInvalidOp) {
            return std::nullopt;
        }
        llvm::APSInt value(std::max(width, kLeastBits), is_unsigned);
        number.convertToInteger(value, toward_zero, &is_exact);  // the nearest limit
        const bool is_double = &number.getSemantics() == &llvm::APFloat::IEEEdouble();
        if (number.isNaN() && (is_double || width > kLeastBits)) {
            value = llvm::APSInt(llvm::APInt::getSignedMinValue(value.getBitWidth()), is_unsigned);
        }
        return value.trunc(width);
    }

    clang::ASTContext& context_;
    unsigned changes_ = 0;
};

}  // namespace

void define_constant_arithmetic(clang::ASTContext& context, clang::DeclGroupRef group) {
    Definer definer(context);
    for (clang::Decl* const declaration : group) definer.TraverseDecl(declaration);
}

}  // namespace warpwise::cpu_compiler
