// Typed expressions and statements: what a function means for given types of its arguments.
//
// Made by resolve/, read by emit/. Operands of an expression are evaluated from left to right, each
// once; how it is written in C++ is left to emit/.
//
// Threading: plain values; one translation owns them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "src/script/syntax.hpp"
#include "src/script/type.hpp"

namespace warpwise::script {

// What evaluating an expression may do besides giving a value. Ordered.
enum class Effect : std::uint8_t {
    Pure,   // the same value at any time
    Reads,  // depends on memory or on variables that others may write
    Acts,   // writes, waits for others, prints: happens exactly once, where it stands
};

struct Expression;

// A variable of a function: all assignments of one name that reach a common use.
struct Variable {
    std::string name;  // in Python
    std::string text;  // in C++; set by emit/
    Type type = unknown_type();
    std::size_t assignments = 0;
    bool is_parameter = false;
    std::set<std::size_t> origins;         // an array: parameters whose memory it may show
    bool is_temporary = false;             // of the translation's own
    std::optional<std::int64_t> constant;  // its only value, where that is known
    bool is_never_negative = true;         // whole numbers: until an assignment says otherwise
    std::optional<std::uint64_t> most;     // no value is larger; empty: the type's
    // Of a parameter: the numbers of a tuple that are known, or the extents of an array.
    std::vector<std::int64_t> constant_items;
    std::vector<std::int64_t> bounded_shape;  // of its only value
    bool is_whole_part = false;               // of its only value
    std::vector<bool> unit_axes;              // of its only value
    // Of its only value: a parameter's extent, x.shape[0].
    std::shared_ptr<const Expression> extent;
    std::shared_ptr<Variable> has_value;  // a bool, of what may be None; null: it never is
};

struct Constant {
    std::optional<std::int64_t> whole;
    std::optional<std::uint64_t> large;  // beyond int64
    std::optional<double> real;
    std::optional<bool> truth;

    bool operator==(const Constant&) const = default;
};

struct Instance;
using ExpressionRef = std::shared_ptr<const Expression>;

struct Expression {
    enum class Op : std::uint8_t {
        Constant,  // `constant`
        Variable,  // `variable`
        Storage,   // memory of the kernel's own: `text`
        Cast,      // of its operand to `type`
        Prefix,    // `text` operand: "-", "!", "~"
        Infix,     // operand `text` operand
        Call,      // `text`(operands)
        Element,   // operand 0 [ operands... ]
        Tuple,     // of the operands
        Member,    // operand 0 . `text`
        Select,    // operand 0 ? operand 1 : operand 2
        And,       // operand 0 && operand 1
        Or,
        Let,      // `variable` = operand 0; then operand 1
        Check,    // operand 0, unless `text` holds of the operands: then the thread raises `raise`
        Nothing,  // has no value at run time
    };

    Op op = Op::Nothing;
    Type type = none_type();
    Effect effect = Effect::Pure;
    // A whole number that is provably >= 0 before it is cut to its type: see magnitudes.hpp.
    bool is_never_negative = false;
    std::optional<std::uint64_t> most;  // its absolute value then is not above; empty: the type's
    bool is_place = false;              // Element: the place in memory, not its value
    bool is_member = false;             // the value of a member of an enum
    std::string text;
    std::vector<ExpressionRef> operands;
    std::shared_ptr<Variable> variable;
    std::optional<std::string> format;  // Call: a first argument, as a string
    const Instance* target = nullptr;   // Call: of a function of the program
    ExpressionRef storage;              // of an array that this makes: where it lies
    // Of x[i:i + 3]: its extents, unless the array ends before. Empty: they do not follow.
    std::vector<std::int64_t> bounded_shape;
    bool is_whole_part = false;   // it has these extents: the array does not end before
    std::vector<bool> unit_axes;  // of x[:, None]: which axes have one item; empty: it is not known
    bool is_row = false;          // Call: the last axis of operand 0, in C order, at the others
    int raise = 0;                // Check: the number of what it raises
    std::optional<Constant> constant;
    Place place;
};

struct Statement;
using Block = std::vector<Statement>;

struct Statement {
    enum class Op : std::uint8_t {
        Assign,    // `variable` = value
        Store,     // target = value; the target is an Element or Member
        Evaluate,  // value
        If,        // value, body, otherwise
        While,     // value, body, otherwise
        For,       // `variable` from `range`, body, otherwise
        Break,
        Continue,
        Return,    // value, or null
        End,       // the thread ends
        Unrolled,  // body once, the body of a loop or all of its copies, then otherwise
    };

    Op op = Op::Evaluate;
    Place place;
    std::shared_ptr<Variable> variable;
    ExpressionRef target;
    ExpressionRef value;
    std::vector<ExpressionRef> range;  // start, stop, step
    bool keeps_counter = false;        // For: the variable has other uses than its body's
    bool is_narrow = false;            // For: it counts with 32 bits
    Block body;
    Block otherwise;
    int loop = 0;                   // Break, Continue, While, For: which loop
    bool breaks_past_else = false;  // Break: behind the `otherwise` of its loop
    int raise = 0;                  // End: the number of what is raised; 0: none is reported
};

// What a kernel with checks can raise, and where.
struct Raise {
    enum class Detail : std::uint8_t {
        None,
        Index,  // the index and the extent that it exceeds are recorded too
    };

    std::string exception;  // "ValueError"; a dotted name where the source has one
    std::string message;
    std::string function;
    std::string file;
    Place place;
    Detail detail = Detail::None;
};

// Memory that a function declares: __shared__, local or __constant__.
struct StorageDeclaration {
    std::string name;  // in C++
    std::string qualifier;
    Type element = nullptr;
    std::vector<std::int64_t> shape;
    std::string initializer;  // of constants
};

}  // namespace warpwise::script
