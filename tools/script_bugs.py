"""Bugs that planted_script_bugs.py plants in the translation of Python functions."""

from __future__ import annotations

from planting import Bug

SCRIPT = "src/script/"


BUGS = (
    # --- types
    Bug(
        "a variable takes the narrower of two types",
        "promotion.cpp",
        "return DType(a).size() == wide ? a : b;",
        "return DType(a).size() == wide ? b : a;",
    ),
    Bug(
        "float32 beside float64 gives float32",
        "promotion.cpp",
        "if (!is_single(a) || !is_single(b)) return Kind::Float64;",
        "if (!is_single(a) && !is_single(b)) return Kind::Float64;",
    ),
    Bug(
        "a list has the type of its first items",
        "resolve/containers/lists.cpp",
        "if (!joint || *joint == list->element) return true;",
        "if (!joint || list->number != 0) return true;",
    ),
    Bug(
        "a comparison is made in the type of its first operand",
        "resolve/expressions/comparisons.cpp",
        "const Type type = number_type(unified(a->type->kind, b->type->kind));\n"
        "    return infix(text,",
        "const Type type = number_type(unified(a->type->kind, a->type->kind));\n"
        "    return infix(text,",
    ),
    # --- what 32 bits hold
    Bug(
        "a sum's range is that of its first operand",
        "narrow/interval.cpp",
        "return {a.least + b.least, a.most + b.most};",
        "return {a.least + b.least, a.most};",
    ),
    Bug(
        "a variable that a loop adds to has the range of one turn",
        "narrow/narrow.cpp",
        "Wide times = turns;",
        "Wide times = 1;",
    ),
    Bug(
        "what continues is not at the head of the next turn",
        "narrow/narrow.cpp",
        "join(state, nexts_[loop.loop]);",
        "(void)nexts_[loop.loop];",
    ),
    Bug(
        "a function's argument has the range of the last call",
        "narrow/expressions.cpp",
        "known[i] = joined(known[i], operands[i].range);",
        "known[i] = operands[i].range;",
    ),
    Bug(
        "a shift to the right asks for the last bits of its operand",
        "narrow/low_bits.cpp",
        'if (op == "<<") {',
        'if (op == "<<" || op == ">>") {',
    ),
    Bug(
        "a common term is taken out of sums that pass their type",
        "narrow/shared_terms.cpp",
        "if (!common || !is_exact(operands[i], range_of) || !is_exact(operands[j], range_of)) {",
        "if (!common) {",
    ),
    # --- what is known of values
    Bug(
        "a >= b counts as a > b",
        "resolve/facts.cpp",
        'at_least(a, b, op == ">" ? 1 : 0);',
        'at_least(a, b, op == ">" ? 1 : 1);',
    ),
    Bug(
        "not a < b counts as a > b",
        "resolve/build.cpp",
        'if (op == "<") return ">=";',
        'if (op == "<") return ">";',
    ),
    Bug(
        "what a branch establishes holds behind the statement",
        "resolve/statements/statements.cpp",
        "        facts_ = before;\n        join_presence(",
        "        facts_ = behind_body;\n        join_presence(",
    ),
    Bug(
        "what either operand of `or` establishes holds where the whole does",
        "resolve/facts.cpp",
        "condition->op == (holds ? Op::And : Op::Or)",
        "condition->op == Op::And || condition->op == Op::Or",
    ),
    Bug(
        "x[n - 2] is no index from the end where x has an item",
        "resolve/expressions/subscripts.cpp",
        "    with_item.raise(length, 1);",
        "    with_item.raise(length, 2);",
    ),
    Bug(
        "(i + 2) % n is i + 2 or that less n, where i < n",
        "resolve/facts.cpp",
        "to < least + 2 * *apart",
        "to <= least + 2 * *apart",
    ),
    Bug(
        "a range that descends to -1 has no negative number",
        "resolve/statements/loops.cpp",
        "*stop->whole >= -1)",
        "*stop->whole >= -2)",
    ),
    Bug(
        "the difference of two numbers that are not negative is not negative",
        "resolve/build.cpp",
        '((both && (op == "+" || op == "*"',
        '((both && (op == "+" || op == "-" || op == "*"',
    ),
    Bug(
        "a parameter is not negative where one call's argument is not",
        "resolve/calls.cpp",
        "if (parameter.is_never_negative && !value->is_never_negative) {",
        "if (parameter.is_never_negative && value->constant && !value->is_never_negative) {",
    ),
    # --- operators
    Bug(
        "a quotient is truncated where one operand is not negative",
        "resolve/expressions/operators.cpp",
        "!type->is_signed() || (is_surely_natural(a) && is_surely_natural(b));",
        "!type->is_signed() || is_surely_natural(a) || is_surely_natural(b);",
    ),
    Bug(
        "`and` gives its first operand where that is true",
        "resolve/expressions/conditions.cpp",
        "is_and ? select(std::move(test), result, held, type)",
        "is_and ? select(std::move(test), held, result, type)",
    ),
    Bug(
        "tuples are compared by their last items first",
        "resolve/expressions/comparisons.cpp",
        "for (std::size_t i = std::min(left, right); i-- > 0;) {",
        "for (std::size_t i = 0; i < std::min(left, right); ++i) {",
    ),
    # --- order
    Bug(
        "the middle of a chained comparison is evaluated twice",
        "resolve/expressions/comparisons.cpp",
        'right = once(std::move(right), "middle", own);',
        'if (i > 1) right = once(std::move(right), "middle", own);',
    ),
    Bug(
        "items of a tuple are evaluated at each use",
        "resolve/order.cpp",
        "return tuple->effect == Effect::Acts ? fixed(tuple, lets) : tuple;",
        "return tuple->op != Expression::Op::Tuple ? fixed(tuple, lets) : tuple;",
    ),
    Bug(
        "a swap assigns one after the other",
        "resolve/statements/assignments.cpp",
        "is_direct &= !reads(items[later], variable.get());",
        "is_direct &= !reads(items[i], variable.get());",
    ),
    Bug(
        "items of a loop that is written out are evaluated in their turns",
        "resolve/statements/loops.cpp",
        "if (value->effect == Effect::Pure || value->type->family == Family::Unknown)",
        "if (value->effect != Effect::Acts || value->type->family == Family::Unknown)",
    ),
    Bug(
        "operands are read behind the call that changes them",
        "emit/expressions.cpp",
        "if (values[before]->effect == Effect::Pure) continue;",
        "if (values[before]->effect != Effect::Acts) continue;",
    ),
    # --- variables
    Bug(
        "a variable that one of two paths sets has a value",
        "flow.cpp",
        "if (!other.contains(name)) definitions.insert(kUnset);",
        "if (!other.contains(name)) definitions.insert(definitions.begin(), definitions.begin());",
    ),
    Bug(
        "what the end of a loop's body assigns does not reach its beginning",
        "flow.cpp",
        "changed = head != before;",
        "changed = head.size() > before.size();",
    ),
    Bug(
        "a variable that a local function reads is not one",
        "flow.cpp",
        "if (!is_new) unite(found->second, definition);",
        "if (is_new) unite(found->second, definition);",
    ),
    Bug(
        "the variable of a loop is lost behind it",
        "flow.cpp",
        "if (!is_own || captured_.contains(",
        "if ((!is_own && is_own) || captured_.contains(",
    ),
    Bug(
        "defaults are evaluated when a local function is called",
        "resolve/closures.cpp",
        'if (value.is_none() || value.is("Constant") ||',
        'if (value.is_none() || value.is("Name") || value.is("Constant") ||',
    ),
    # --- loops and match
    Bug(
        "break runs the else of its loop",
        "resolve/statements/loops.cpp",
        ".breaks_past_else = loop.has_else || loop.copy != loop.number});",
        ".breaks_past_else = loop.copy != loop.number});",
    ),
    Bug(
        "continue in a loop that is written out leaves it",
        "resolve/statements/loops.cpp",
        ".loop = is_break ? loop.number : loop.copy,",
        ".loop = is_break || loop.copy != loop.number ? loop.number : loop.copy,",
    ),
    Bug(
        "a range that goes down includes its end",
        "emit/statements.cpp",
        'goes_down ? ">" : "<", wrapped(texts[1], 8), advance,',
        'goes_down ? ">=" : "<", wrapped(texts[1], 8), advance,',
    ),
    Bug(
        "items of a range that is counted differ by 1",
        "resolve/containers/sequences.cpp",
        'return infix("+", start, infix("*", k, step, int64()), int64());',
        'return infix("+", start, step->constant ? k : infix("*", k, step, int64()), int64());',
    ),
    Bug(
        "a guard is asked before its names are bound",
        "resolve/statements/matches.cpp",
        "if (has_guard && !bindings.empty()) {",
        "if (has_guard && bindings.size() > 1) {",
    ),
    # --- places
    Bug(
        "a slice takes its start for its stop",
        "resolve/array_views.cpp",
        "index.start ? 1 : 0, index.stop ? 1 : 0);",
        "index.stop ? 1 : 0, index.start ? 1 : 0);",
    ),
    Bug(
        "a constant index of an array from the end is off by one",
        "resolve/expressions/subscripts.cpp",
        'infix("-", length, whole(-*at->constant->whole), int64());',
        'infix("-", length, whole(1 - *at->constant->whole), int64());',
    ),
    # --- C++
    Bug(
        "a - (b - c) loses its parentheses",
        "emit/expressions.cpp",
        "wrapped(texts[1], std::min(tight, own - 1)),",
        "wrapped(texts[1], std::min(tight, own)),",
    ),
    Bug(
        "both values of a conditional expression are evaluated",
        "emit/expressions.cpp",
        'line(fmt::format("if ({}) {{", test.text), value.effect == Effect::Acts);\n'
        "    for (std::size_t i = 0; i < 2; ++i) {\n"
        "        out_->insert(out_->end(), lines[i].begin(), lines[i].end());",
        "out_->insert(out_->end(), lines[1].begin(), lines[1].end());\n"
        '    line(fmt::format("if ({}) {{", test.text), value.effect == Effect::Acts);\n'
        "    for (std::size_t i = 0; i < 2; ++i) {\n"
        "        if (i == 0) out_->insert(out_->end(), lines[i].begin(), lines[i].end());",
    ),
    Bug(
        "`or` evaluates its second operand where the first holds",
        "emit/expressions.cpp",
        'is_and ? "" : "!", held)',
        'is_and ? "" : "", held)',
    ),
)
