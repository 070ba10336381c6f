// Cutting PTX text at its semicolons, commas and dots. Invariant: brackets and braces of operands
// stay whole.
#include "src/backends/cpu/compiler/lowering/ptx/inline_ptx_text.hpp"

#include <llvm/ADT/StringExtras.h>

namespace warpwise::cpu_compiler {
namespace {

using llvm::StringRef;

constexpr StringRef kSpace = " \t\r\n";

std::string without_comments(StringRef text) {
    std::string result;
    while (!text.empty()) {
        const bool is_line = text.starts_with("//");
        if (!is_line && !text.starts_with("/*")) {
            result.push_back(text.front());
            text = text.drop_front();
            continue;
        }
        const std::size_t end = is_line ? text.find('\n') : text.find("*/", 2);
        text = end == StringRef::npos ? StringRef() : text.drop_front(is_line ? end : end + 2);
    }
    return result;
}

// Up to the next comma outside brackets; removes it and the text before it from `rest`.
std::string next_operand(StringRef& rest) {
    int depth = 0;
    std::size_t end = 0;
    for (; end < rest.size(); ++end) {
        const char c = rest[end];
        if (c == '[' || c == '{' || c == '(') ++depth;
        if (c == ']' || c == '}' || c == ')') --depth;
        // "p|q" are the two results of one instruction.
        if (depth == 0 && (c == ',' || c == '|')) break;
    }
    std::string operand;
    for (const char c : rest.take_front(end)) {
        if (!kSpace.contains(c)) operand.push_back(c);
    }
    rest = rest.drop_front(std::min(end + 1, rest.size()));
    return operand;
}

// "L1" of a text that begins with "L1:"; empty for others. Opcodes may hold "::".
StringRef label_of(StringRef text) {
    const StringRef name =
        text.take_while([](char c) { return llvm::isAlnum(c) || c == '_' || c == '$'; });
    const StringRef behind = text.drop_front(name.size()).ltrim(kSpace);
    return behind.starts_with(":") && !behind.starts_with("::") ? name : StringRef();
}

bool parse_instruction(StringRef text, PtxInstruction& result) {
    if (text.consume_front("@")) {
        result.guard_negated = text.consume_front("!");
        const StringRef guard = text.take_until([](char c) { return kSpace.contains(c); });
        result.guard = guard.str();
        text = text.drop_front(guard.size()).ltrim(kSpace);
    }
    // "ldmatrix.x4.shared.b16{%0, ..." has no space before its operands.
    StringRef opcode = text.take_until([](char c) { return kSpace.contains(c) || c == '{'; });
    if (opcode.empty() || opcode.contains('(')) return false;
    StringRef rest = text.drop_front(opcode.size()).trim(kSpace);
    while (!opcode.empty()) {
        auto [part, behind] = opcode.split('.');
        if (!part.empty()) result.opcode.push_back(part.str());
        opcode = behind;
    }
    while (!rest.empty()) result.operands.push_back(next_operand(rest));
    return !result.opcode.empty();
}

}  // namespace

std::optional<llvm::SmallVector<PtxInstruction, 4>> parse_ptx(StringRef raw) {
    std::string clean = without_comments(raw);
    // "%=", a number of the statement's own: names need not differ between statements here.
    constexpr StringRef kUnique = "${:uid}";
    for (std::size_t at = clean.find(kUnique); at != clean.npos; at = clean.find(kUnique, at)) {
        clean.erase(at + 1, kUnique.size() - 1);
        clean[at] = '_';
    }
    StringRef text = StringRef(clean).trim(kSpace);
    llvm::SmallVector<PtxInstruction, 4> result;
    while (!text.empty()) {
        if (const StringRef label = label_of(text); !label.empty()) {
            result.emplace_back().label = label.str();
            text = text.drop_front(text.find(':') + 1).ltrim(kSpace);
            continue;
        }
        // A brace that begins or ends a scope takes the place of an instruction.
        if (text.front() == '{' || text.front() == '}' || text.front() == ';') {
            text = text.drop_front().ltrim(kSpace);
            continue;
        }
        const std::size_t end = text.find(';');
        const StringRef statement = text.take_front(end).rtrim(kSpace);
        text = end == StringRef::npos ? StringRef() : text.drop_front(end + 1).ltrim(kSpace);
        if (statement.starts_with(".reg")) continue;
        if (!parse_instruction(statement, result.emplace_back())) return std::nullopt;
    }
    return result;
}

}  // namespace warpwise::cpu_compiler
