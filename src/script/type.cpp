// The table of types, their names in Python and in C++.
#include "src/script/type.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <deque>
#include <functional>
#include <unordered_map>

#include "src/base/mutex.hpp"
#include "src/base/text.hpp"
#include "src/script/times.hpp"
#include "warpwise/error.hpp"

namespace warpwise::script {
namespace {

std::size_t hash_of(const TypeData& data) {
    std::size_t hash =
        static_cast<std::size_t>(data.family) * 31 + static_cast<std::size_t>(data.kind);
    const auto mix = [&](std::size_t value) { hash = hash * 1000003 ^ value; };
    mix(std::hash<const void*>()(data.element));
    mix(static_cast<std::size_t>(data.rank));
    mix(static_cast<std::size_t>(data.layout) * 2 + (data.is_constant ? 1 : 0));
    mix((data.is_packed ? 2 : 0) + (data.is_fields ? 1 : 0));
    for (const std::int64_t extent : data.shape) mix(static_cast<std::size_t>(extent));
    for (const Type item : data.items) mix(std::hash<const void*>()(item));
    mix(std::hash<std::string>()(data.name));
    mix(data.number);
    return hash;
}

struct HashOfType {
    std::size_t operator()(const TypeData* data) const noexcept { return hash_of(*data); }
};
struct EqualTypes {
    bool operator()(const TypeData* a, const TypeData* b) const noexcept { return *a == *b; }
};

struct Table {
    Mutex mutex;
    std::deque<TypeData> types WARPWISE_GUARDED_BY(mutex);
    std::unordered_map<const TypeData*, Type, HashOfType, EqualTypes> known
        WARPWISE_GUARDED_BY(mutex);
};

// Never destroyed: types outlive every static object that names one.
Table& table() {
    static Table& only = *new Table;
    return only;
}

std::string joined(const std::vector<Type>& items) {
    std::vector<std::string> texts;
    texts.reserve(items.size());
    for (const Type item : items) texts.push_back(text_of(item));
    return join(texts);
}

std::string array_text(Type type) {
    std::string axes;
    for (int axis = 0; axis < type->rank; ++axis) {
        const bool is_dense = type->layout != Layout::Strided && axis == type->rank - 1;
        axes += fmt::format("{}{}", axis == 0 ? "" : ", ", is_dense ? "::1" : ":");
    }
    return text_of(type->element) + "[" + axes + "]";
}

std::string record_text(Type type) {
    std::string text = "record(";
    for (std::size_t i = 0; i < type->items.size(); ++i) {
        const Type item = type->items[i];
        text += fmt::format("{}{}: ", i == 0 ? "" : ", ", type->names[i]);
        if (item->is_record()) {
            text += text_of(with_record_axes(item, 0));
            continue;
        }
        const int rank = item->rank - type->rank;
        text += rank == 0 ? text_of(item->element)
                          : text_of(array_type(item->element, rank, Layout::Strided));
        if (item->is_packed) text += "!";
    }
    text += ")";
    if (type->rank == 0) return text;
    text += "[";
    for (int axis = 0; axis < type->rank; ++axis) text += axis == 0 ? ":" : ", :";
    return text + "]";
}

// The parser of types and signatures.
class Parser {
  public:
    explicit Parser(std::string_view text) : text_(text) {}

    Type only() {
        const Type type = read();
        if (!at_end()) fail();
        return type;
    }

    std::vector<Type> signature() {
        const std::size_t open = text_.find('(');
        const std::size_t bracket = text_.find('[');
        // A call of something that is no tuple type: a result, or nothing.
        if (open != text_.npos && text_.ends_with(')') &&
            (bracket == text_.npos || open < bracket)) {
            const std::string_view head = text_.substr(0, open);
            const bool is_type = head.find("Tuple") != head.npos || head == "record";
            if (!is_type && head.find(',') == head.npos) {
                if (!head.empty() && head != "void" && head != "none") Parser(head).only();
                text_ = text_.substr(open + 1, text_.size() - open - 2);
            }
        }
        std::vector<Type> types;
        while (!at_end()) {
            types.push_back(read());
            if (!at_end() && !take(',')) fail();
        }
        return types;
    }

  private:
    [[noreturn]] void fail() const {
        throw ArgumentError(
            ArgumentError::Kind::Value,
            fmt::format(
                "{} is no type of a kernel's argument; types are written as int32, float64, "
                "float32[:], float32[:, ::1], Tuple(int64, float64) or none",
                quote(whole_)));
    }
    void skip() {
        while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    }
    bool at_end() {
        skip();
        return at_ == text_.size();
    }
    bool take(char c) {
        skip();
        if (at_ == text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }
    std::string_view word() {
        skip();
        const std::size_t start = at_;
        while (at_ < text_.size() &&
               (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_')) {
            ++at_;
        }
        return text_.substr(start, at_ - start);
    }

    Type read() {
        const std::string_view name = word();
        if (name == "none" || name == "None" || name == "void") return none_type();
        if (name == "Tuple" || name == "UniTuple") return read_tuple(name == "UniTuple");
        if (name == "record") return read_record();
        const bool is_date = name == "datetime64" || name == "M8";
        const bool is_time = is_date || name == "timedelta64" || name == "m8";
        Type type = is_time ? read_time(is_date) : element(name);
        if (take('[')) type = read_axes(type);
        return type;
    }

    // What follows datetime64 and timedelta64: a unit in brackets, unless these are axes.
    Type read_time(bool is_date) {
        const std::size_t end = text_.find(']', at_);
        const bool has_unit = at_ + 1 < text_.size() && text_[at_] == '[' &&
                              text_[at_ + 1] != ':' && end != text_.npos;
        if (!has_unit) return *parse_time(is_date, "");
        const auto type = parse_time(is_date, text_.substr(at_ + 1, end - at_ - 1));
        if (!type) fail();
        at_ = end + 1;
        return *type;
    }

    // S5 and U5.
    static std::optional<Type> chars(std::string_view name) {
        if (name.size() < 2 || name.size() > 6 || (name[0] != 'S' && name[0] != 'U')) {
            return std::nullopt;
        }
        std::size_t length = 0;
        const auto [end, error] =
            std::from_chars(name.data() + 1, name.data() + name.size(), length);
        if (error != std::errc() || end != name.data() + name.size() || length == 0) {
            return std::nullopt;
        }
        return chars_type(name[0] == 'S' ? Kind::UInt8 : Kind::UInt32, length);
    }

    Type element(std::string_view name) const {
        if (const auto known = chars(name)) return *known;
        static const std::unordered_map<std::string_view, Kind> others = {
            {"boolean", Kind::Bool},   {"bool_", Kind::Bool},   {"intp", Kind::Int64},
            {"uintp", Kind::UInt64},   {"int", Kind::Int64},    {"float", Kind::Float64},
            {"intc", Kind::Int32},     {"uintc", Kind::UInt32}, {"complex", Kind::Complex128},
            {"double", Kind::Float64}, {"byte", Kind::UInt8},   {"i1", Kind::Int8},
            {"u1", Kind::UInt8},       {"i2", Kind::Int16},     {"u2", Kind::UInt16},
            {"i4", Kind::Int32},       {"u4", Kind::UInt32},    {"i8", Kind::Int64},
            {"u8", Kind::UInt64},      {"f2", Kind::Float16},   {"f4", Kind::Float32},
            {"f8", Kind::Float64},     {"c8", Kind::Complex64}, {"c16", Kind::Complex128},
            {"b1", Kind::Bool}};
        const auto found = others.find(name);
        if (found != others.end()) return number_type(found->second);
        for (Kind kind = Kind::Bool; kind <= Kind::Complex128;
             kind = static_cast<Kind>(static_cast<int>(kind) + 1)) {
            if (DType(kind).name() == name && kind != Kind::BFloat16) return number_type(kind);
        }
        fail();
    }

    Type read_axes(Type element) {
        int rank = 0;
        bool is_dense = false;
        bool is_column = false;
        do {
            if (!take(':')) fail();
            if (take(':')) {
                if (!take('1')) fail();
                is_dense = true;
                is_column = rank == 0;
            } else {
                is_dense = false;
            }
            ++rank;
        } while (take(','));
        if (!take(']')) fail();
        if (is_column && rank > 1) is_dense = false;
        return array_type(element, rank, is_dense ? Layout::C : Layout::Strided);
    }

    // record(a: int32, b: float64!, c: float32[:](3), d: record(...))[:]
    Type read_record() {
        if (!take('(')) fail();
        std::vector<std::string> names;
        std::vector<Type> fields;
        while (!take(')')) {
            names.emplace_back(word());
            if (names.back().empty() || !take(':')) fail();
            Type field = read();
            if (field->is_scalar()) field = array_type(field, 0, Layout::C);
            if (!field->is_array() && !field->is_record()) fail();
            TypeData data = *field;
            if (field->is_array() && take('(')) {
                while (!take(')')) data.shape.push_back(number());
                if (data.shape.size() != static_cast<std::size_t>(data.rank)) fail();
            }
            data.is_packed = take('!');
            field = field->is_array() ? intern(std::move(data)) : field;
            fields.push_back(field);
            take(',');
            if (at_end()) fail();
        }
        const Type alone = record_type(std::move(names), std::move(fields), 0);
        if (alone->items.empty() || !take('[')) return alone;
        return with_record_axes(alone, read_axes(number_type(Kind::Int8))->rank);
    }

    std::int64_t number() {
        const std::string digits(word());
        if (digits.empty() || digits.size() > 9 ||
            !std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; })) {
            fail();
        }
        return std::atoi(digits.c_str());
    }

    Type read_tuple(bool is_uniform) {
        if (!take('(')) fail();
        std::vector<Type> items;
        if (is_uniform) {
            const Type item = read();
            if (!take(',') && !take('x')) fail();
            const std::int64_t count = number();
            if (count > 9999) fail();
            items.assign(static_cast<std::size_t>(count), item);
        } else {
            while (!take(')')) {
                items.push_back(read());
                take(',');
                if (at_end()) fail();
            }
            return tuple_type(std::move(items));
        }
        if (!take(')')) fail();
        return tuple_type(std::move(items));
    }

    std::string_view text_;
    const std::string_view whole_ = text_;
    std::size_t at_ = 0;
};

}  // namespace

bool TypeData::is_signed() const noexcept {
    return kind == Kind::Int8 || kind == Kind::Int16 || kind == Kind::Int32 || kind == Kind::Int64;
}

Type intern(TypeData data) {
    Table& types = table();
    MutexLock lock(types.mutex);
    const auto found = types.known.find(&data);
    if (found != types.known.end()) return found->second;
    const Type type = &types.types.emplace_back(std::move(data));
    types.known.emplace(type, type);
    return type;
}

Type unknown_type() {
    static const Type type = intern({});
    return type;
}

Type none_type() {
    static const Type type = intern({.family = Family::None});
    return type;
}

Type number_type(Kind kind) {
    return intern({.family = Family::Number, .kind = kind});
}

bool is_whole_number(Type type) {
    return type->is_number() && type->is_whole();
}

Type array_type(Type element, int rank, Layout layout, bool is_constant) {
    return intern({.family = Family::Array,
                   .element = element,
                   .rank = rank,
                   .layout = layout,
                   .is_constant = is_constant});
}

Type tuple_type(std::vector<Type> items) {
    return intern({.family = Family::Tuple, .items = std::move(items)});
}

Type chars_type(Kind kind, std::size_t length) {
    return intern({.family = Family::Chars, .kind = kind, .number = length});
}

std::size_t bytes_of(Type type) {
    return DType(type->kind).size() * (type->is_chars() ? type->number : 1);
}

Type with_axes(Type array, int rank, Layout layout) {
    TypeData data = *array;
    data.rank = rank;
    data.layout = rank == 0 ? Layout::C : layout;
    data.shape.clear();
    data.name.clear();
    return intern(std::move(data));
}

Type record_type(std::vector<std::string> names, std::vector<Type> fields, int rank) {
    TypeData data{.family = Family::Tuple, .rank = rank, .is_fields = true};
    data.items = std::move(fields);
    data.names = std::move(names);
    return intern(std::move(data));
}

Type with_record_axes(Type type, int rank) {
    TypeData data = *type;
    for (Type& item : data.items) {
        const int own = item->rank - type->rank;
        item = item->is_record() ? with_record_axes(item, rank)
                                 : with_axes(item, rank + own, Layout::Strided);
    }
    data.rank = rank;
    return intern(std::move(data));
}

std::string text_of(Type type) {
    switch (type->family) {
        case Family::Unknown:
            return "unknown";
        case Family::None:
            return "none";
        case Family::Number:
            return DType(type->kind).name();
        case Family::Time:
            return time_text(type);
        case Family::Chars:
            return fmt::format("{}{}", type->kind == Kind::UInt8 ? 'S' : 'U', type->number);
        case Family::Array:
            return array_text(type);
        case Family::Tuple:
            if (type->is_record()) return record_text(type);
            if (!type->name.empty()) return type->name + "(" + joined(type->items) + ")";
            return "Tuple(" + joined(type->items) + ")";
        case Family::Text:
            return "str";
        case Family::Function:
        case Family::Local:
        case Family::Known:
        case Family::Module:
        case Family::Other:
            return type->name;
        case Family::Element:
            return text_of(type->element);
        case Family::Slice:
            return "slice";
        case Family::Range:
            return "range";
        case Family::Dict:
            return "dict(" + joined(type->items) + ")";
        case Family::Partial:
            return "partial(" + joined(type->items) + ")";
    }
    return "?";
}

std::string described(Type type) {
    switch (type->family) {
        case Family::Array:
            return "an array " + text_of(type);
        case Family::Tuple:
            return (!type->is_record() ? "" : type->rank > 0 ? "an array " : "a ") + text_of(type);
        case Family::Function:
        case Family::Local:
            return "the function " + quote(type->name);
        case Family::Known:
            return "the function " + type->name;
        case Family::Partial:
            return "the function " + text_of(type);
        case Family::Element:
            return "the type " + text_of(type);
        case Family::Module:
            return "the module " + type->name;
        case Family::None:
            return "None";
        case Family::Slice:
        case Family::Range:
            return "a " + text_of(type);
        default:
            return text_of(type);
    }
}

std::string spelling_of(Type type) {
    switch (type->family) {
        case Family::Number:
            if (type->kind == Kind::Float16) return "__half";
            if (type->kind == Kind::Complex64) return "__ww_py_complex<float>";
            if (type->kind == Kind::Complex128) return "__ww_py_complex<double>";
            return DType(type->kind).cuda_name();
        case Family::Time:
            return "long long";
        case Family::Chars:
            return fmt::format("__ww_py_chars<{}, {}>", DType(type->kind).cuda_name(),
                               type->number);
        case Family::Array: {
            std::string element = spelling_of(type->element);
            if (type->is_packed) element = "__ww_py_packed<" + element + ">";
            if (type->is_constant) element = "const " + element;
            return fmt::format(
                "{}<{}, {}>", type->layout == Layout::Strided ? "__ww_py_strided" : "__ww_py_array",
                element, type->rank);
        }
        case Family::Dict:
        case Family::Local:
        case Family::Partial:
        case Family::Tuple: {
            if (!type->has_items()) return "__ww_py_nothing";
            std::string text = "__ww_py_tuple<";
            for (std::size_t i = 0; i < type->items.size(); ++i) {
                text += (i == 0 ? "" : ", ") + spelling_of(type->items[i]);
            }
            return text + ">";
        }
        case Family::None:
            return "void";
        default:
            return "__ww_py_nothing";  // known when compiled: no value at run time
    }
}

Type parse_type(std::string_view text) {
    return Parser(text).only();
}

std::vector<Type> parse_signature(std::string_view text) {
    return Parser(text).signature();
}

}  // namespace warpwise::script
