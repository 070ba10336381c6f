// Mapping of builtin, enum, vector, complex, half and record types. CUDA's own types are recognised
// by their names in the built-in headers, the user's records field by field.
#include "src/backends/cpu/compiler/frontend/harvest/types.hpp"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/RecordLayout.h>

#include <array>
#include <string_view>

#include "src/backends/cpu/compiler/frontend/parse/preamble.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cpu_compiler {

namespace {

struct NamedType {
    std::string_view name;
    DType dtype;
};

constexpr NamedType kCudaTypes[] = {
    {"dim3", DType(Kind::UInt32, 3)},
    {"__half", DType(Kind::Float16)},
    {"__half2", DType(Kind::Float16, 2)},
    {"__nv_bfloat16", DType(Kind::BFloat16)},
    {"__nv_bfloat162", DType(Kind::BFloat16, 2)},
};

// Bases of CUDA's vector types: "float" + "4".
constexpr NamedType kVectorBases[] = {
    {"char", DType(Kind::Int8)},      {"uchar", DType(Kind::UInt8)},
    {"short", DType(Kind::Int16)},    {"ushort", DType(Kind::UInt16)},
    {"int", DType(Kind::Int32)},      {"uint", DType(Kind::UInt32)},
    {"long", DType(Kind::Int64)},     {"ulong", DType(Kind::UInt64)},
    {"longlong", DType(Kind::Int64)}, {"ulonglong", DType(Kind::UInt64)},
    {"float", DType(Kind::Float32)},  {"double", DType(Kind::Float64)},
};

constexpr NamedType kComplexTypedefs[] = {
    {"cuFloatComplex", DType(Kind::Complex64)},
    {"cuComplex", DType(Kind::Complex64)},
    {"cuDoubleComplex", DType(Kind::Complex128)},
};

std::optional<DType> integer_of(std::uint64_t bits, bool is_signed) {
    switch (bits) {
        case 8:
            return DType(is_signed ? Kind::Int8 : Kind::UInt8);
        case 16:
            return DType(is_signed ? Kind::Int16 : Kind::UInt16);
        case 32:
            return DType(is_signed ? Kind::Int32 : Kind::UInt32);
        case 64:
            return DType(is_signed ? Kind::Int64 : Kind::UInt64);
        default:
            return std::nullopt;
    }
}

std::optional<DType> builtin_of(const clang::ASTContext& context, const clang::BuiltinType& type) {
    using Builtin = clang::BuiltinType;
    const std::uint64_t bits = type.isVoidType() ? 0 : context.getTypeSize(&type);
    switch (type.getKind()) {
        case Builtin::Bool:
            return DType(Kind::Bool);
        case Builtin::Half:
        case Builtin::Float16:
            return DType(Kind::Float16);
        case Builtin::BFloat16:
            return DType(Kind::BFloat16);
        case Builtin::Float:
        case Builtin::Double:
        case Builtin::LongDouble:
            if (bits == 32) return DType(Kind::Float32);
            return bits == 64 ? std::optional(DType(Kind::Float64)) : std::nullopt;
        default:
            if (!type.isInteger()) return std::nullopt;
            return integer_of(bits, type.isSignedInteger());
    }
}

bool is_in_global_namespace(const clang::RecordDecl& record) {
    return record.getDeclContext()->getRedeclContext()->isTranslationUnit();
}

std::optional<DType> vector_of(std::string_view name) {
    if (name.size() < 2 || name.back() < '1' || name.back() > '4') return std::nullopt;
    const std::string_view base = name.substr(0, name.size() - 1);
    for (const NamedType& row : kVectorBases) {
        if (row.name == base) {
            return DType(row.dtype.kind(), static_cast<std::uint8_t>(name.back() - '0'));
        }
    }
    return std::nullopt;
}

// complex<float> of any namespace: pycuda::complex, cuda::std::complex and the like.
std::optional<DType> complex_of(const clang::RecordDecl& record) {
    const auto* instance = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(&record);
    if (instance == nullptr || instance->getName() != "complex") return std::nullopt;
    const clang::TemplateArgumentList& arguments = instance->getTemplateArgs();
    if (arguments.size() != 1 || arguments[0].getKind() != clang::TemplateArgument::Type) {
        return std::nullopt;
    }
    const clang::QualType element = arguments[0].getAsType();
    if (element->isSpecificBuiltinType(clang::BuiltinType::Float)) return DType(Kind::Complex64);
    if (element->isSpecificBuiltinType(clang::BuiltinType::Double)) return DType(Kind::Complex128);
    return std::nullopt;
}

// A record known by name. Its real size must agree: a user may have a `float4` of his own.
std::optional<DType> known_record(const clang::ASTContext& context,
                                  const clang::RecordDecl& record) {
    std::optional<DType> known = complex_of(record);
    if (!known && is_in_global_namespace(record)) {
        const std::string_view name(record.getName().data(), record.getName().size());
        for (const NamedType& row : kCudaTypes) {
            if (row.name == name) known = row.dtype;
        }
        if (!known) known = vector_of(name);
    }
    if (!known) return std::nullopt;
    const clang::ASTRecordLayout& layout = context.getASTRecordLayout(&record);
    const bool agrees = known->size() == static_cast<std::size_t>(layout.getSize().getQuantity());
    return agrees ? known : std::nullopt;
}

bool collect_fields(const clang::ASTContext& context, const clang::RecordDecl& record,
                    std::uint64_t base, std::vector<StructField>& fields);

bool collect_field(const clang::ASTContext& context, const clang::FieldDecl& field,
                   std::uint64_t offset, std::vector<StructField>& fields) {
    if (field.isBitField()) return false;
    clang::QualType type = field.getType().getCanonicalType();
    if (field.getName().empty()) {
        // An anonymous struct's members are the record's own; a lambda's captures have no names.
        const auto* inner = type->getAsRecordDecl();
        if (inner == nullptr || !field.isAnonymousStructOrUnion() || inner->isUnion()) return false;
        return collect_fields(context, *inner, offset, fields);
    }
    std::size_t count = 1;
    while (const auto* array = context.getAsConstantArrayType(type)) {
        count *= array->getSize().getZExtValue();
        type = array->getElementType();
    }
    if (count == 0 || type->isArrayType()) return false;
    const std::optional<DType> element = dtype_of(context, type);
    if (!element) return false;
    fields.push_back({without_own_prefix(field.getName().str()), *element,
                      static_cast<std::size_t>(offset), count});
    return true;
}

bool collect_fields(const clang::ASTContext& context, const clang::RecordDecl& record,
                    std::uint64_t base, std::vector<StructField>& fields) {
    const clang::ASTRecordLayout& layout = context.getASTRecordLayout(&record);
    if (const auto* cxx = llvm::dyn_cast<clang::CXXRecordDecl>(&record)) {
        if (cxx->isDynamicClass() || cxx->getNumVBases() > 0) return false;
        for (const clang::CXXBaseSpecifier& specifier : cxx->bases()) {
            const clang::CXXRecordDecl* parent = specifier.getType()->getAsCXXRecordDecl();
            if (parent == nullptr) return false;
            if (parent->isEmpty()) continue;
            const auto offset = layout.getBaseClassOffset(parent).getQuantity();
            if (!collect_fields(context, *parent, base + offset, fields)) return false;
        }
    }
    for (const clang::FieldDecl* field : record.fields()) {
        const std::uint64_t offset = layout.getFieldOffset(field->getFieldIndex()) / 8;
        if (!collect_field(context, *field, base + offset, fields)) return false;
    }
    return true;
}

std::optional<DType> record_of(const clang::ASTContext& context, const clang::RecordDecl& record) {
    if (std::optional<DType> known = known_record(context, record)) return known;
    if (record.isUnion()) return std::nullopt;
    StructType type;
    if (!collect_fields(context, record, 0, type.fields) || type.fields.empty()) {
        return std::nullopt;
    }
    const clang::ASTRecordLayout& layout = context.getASTRecordLayout(&record);
    type.name = spelling_of(context, context.getRecordType(&record));
    type.size = static_cast<std::size_t>(layout.getSize().getQuantity());
    type.alignment = static_cast<std::size_t>(layout.getAlignment().getQuantity());
    try {
        return DType::structure(type);
    } catch (const ArgumentError&) {
        return std::nullopt;  // fields share bytes ([[no_unique_address]]): not a plain struct
    }
}

// cuFloatComplex is a typedef of float2: only the name in the source distinguishes them.
std::optional<DType> complex_typedef(const clang::ASTContext& context, clang::QualType type) {
    while (true) {
        if (const auto* alias = type->getAs<clang::TypedefType>()) {
            const llvm::StringRef name = alias->getDecl()->getName();
            for (const NamedType& row : kComplexTypedefs) {
                if (name == llvm::StringRef(row.name)) return row.dtype;
            }
        }
        const clang::QualType next = type.getSingleStepDesugaredType(context);
        if (next == type) return std::nullopt;
        type = next;
    }
}

// What a pointer points to. Void where any memory will do.
DType pointee_of(const clang::ASTContext& context, clang::QualType type) {
    while (const clang::ArrayType* array = context.getAsArrayType(type)) {
        type = array->getElementType();
    }
    return dtype_of(context, type).value_or(DType());
}

}  // namespace

std::optional<DType> dtype_of(const clang::ASTContext& context, clang::QualType type) {
    if (std::optional<DType> complex = complex_typedef(context, type)) return complex;
    type = type.getCanonicalType().getUnqualifiedType();
    if (type->isDependentType() || type->isIncompleteType()) return std::nullopt;
    if (const auto* builtin = type->getAs<clang::BuiltinType>())
        return builtin_of(context, *builtin);
    if (const auto* enumeration = type->getAs<clang::EnumType>()) {
        return dtype_of(context, enumeration->getDecl()->getIntegerType());
    }
    if (const auto* complex = type->getAs<clang::ComplexType>()) {
        const std::optional<DType> part = dtype_of(context, complex->getElementType());
        if (part == DType(Kind::Float32)) return DType(Kind::Complex64);
        if (part == DType(Kind::Float64)) return DType(Kind::Complex128);
        return std::nullopt;
    }
    if (const auto* vector = type->getAs<clang::VectorType>()) {
        const std::optional<DType> part = dtype_of(context, vector->getElementType());
        const unsigned lanes = vector->getNumElements();
        if (!part || lanes < 2 || lanes > 4) return std::nullopt;
        const DType whole(part->kind(), static_cast<std::uint8_t>(lanes));
        return whole.size() * 8 == context.getTypeSize(type) ? std::optional(whole) : std::nullopt;
    }
    if (type->isPointerType() || type->isReferenceType()) return DType(Kind::Pointer);
    if (const auto* record = type->getAs<clang::RecordType>()) {
        return record_of(context, *record->getDecl());
    }
    return std::nullopt;
}

// By the alias of the built-in headers that the type goes through, whatever it is called here.
Parameter::Handle handle_of(clang::QualType type) {
    while (const auto* const alias = type->getAs<clang::TypedefType>()) {
        const llvm::StringRef name = alias->getDecl()->getName();
        if (name == "cudaTextureObject_t") return Parameter::Handle::Texture;
        if (name == "cudaSurfaceObject_t") return Parameter::Handle::Surface;
        type = alias->desugar();
    }
    return Parameter::Handle::None;
}

Parameter parameter_of(const clang::ASTContext& context, clang::QualType type) {
    Parameter result;
    result.type = spelling_of(context, type);
    result.size = static_cast<std::uint32_t>(
        type->isReferenceType() ? 8 : context.getTypeSizeInChars(type).getQuantity());
    result.alignment = static_cast<std::uint32_t>(
        type->isReferenceType() ? 8 : context.getTypeAlignInChars(type).getQuantity());
    const clang::QualType pointee = type->getPointeeType();
    if ((type->isPointerType() || type->isReferenceType()) && !pointee->isFunctionType()) {
        result.passing = Parameter::Passing::Pointer;
        result.dtype = pointee_of(context, pointee);
        result.is_const = pointee.isConstQualified();
        return result;
    }
    const std::optional<DType> dtype =
        type->isFunctionPointerType() ? std::nullopt : dtype_of(context, type);
    if (!dtype) {
        result.passing = Parameter::Passing::Opaque;
        return result;
    }
    result.dtype = *dtype;
    result.handle = handle_of(type);
    result.passing =
        dtype->kind() == Kind::Struct ? Parameter::Passing::Struct : Parameter::Passing::Scalar;
    return result;
}

clang::PrintingPolicy naming_policy(const clang::ASTContext& context) {
    clang::PrintingPolicy policy(context.getPrintingPolicy());
    policy.Bool = true;
    policy.SuppressTagKeyword = true;
    policy.SuppressUnwrittenScope = true;
    policy.SuppressInlineNamespace = true;
    return policy;
}

std::string spelling_of(const clang::ASTContext& context, clang::QualType type) {
    return without_own_prefix(type.getAsString(naming_policy(context)));
}

}  // namespace warpwise::cpu_compiler
