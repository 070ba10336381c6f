// Reaching definitions over the syntax tree. Loops are repeated until nothing is added.
#include "src/script/flow.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

namespace warpwise::script {
namespace {

using Definitions = std::set<std::size_t>;
using State = std::map<std::string, Definitions>;  // no entry: unset on every path

constexpr std::size_t kUnset = 0;  // the definition "none"

// Whether the call may become a loop, which reads what is in it: see comprehensions.hpp.
bool may_consume(const Syntax& call) {
    static const std::set<std::string, std::less<>> kNames = {
        "sum",  "any",    "all",    "min",           "max",  "len",  "tuple",   "list",
        "prod", "reduce", "next",   "sorted",        "mean", "var",  "std",     "amin",
        "amax", "argmin", "argmax", "count_nonzero", "dot",  "norm", "allclose"};
    const Syntax& function = call["func"];
    const std::string& name = function.is("Name") ? function["id"].text : function["attr"].text;
    return kNames.contains(name) || std::ranges::any_of(call.list("args"), [](const Syntax* one) {
               return is_comprehension(*one);
           });
}

bool is_chain(const Syntax& node) {
    return node.is("Compare") && node.list("comparators").size() > 1;
}

class Analysis {
  public:
    Analysis(const Syntax& function, const std::vector<std::string>& outer,
             const std::function<int(const Syntax&)>& truth)
        : function_(function), outer_(outer), truth_(truth) {
        flow_.locals = local_names(function);
        flow_.changed = changed_names(function);
        flow_.lists = listed_names(function);
        flow_.grown = grown_names(function);
        parents_.push_back(kUnset);
    }

    Flow run() {
        State state;
        for (const Syntax* parameter : parameters_of(function_)) {
            define(*parameter, (*parameter)["arg"].text, state);
        }
        is_reachable_ = true;
        if (function_.is("Lambda")) {
            visit(function_["body"], state);
        } else {
            run_block(function_.list("body"), state);
        }
        join_captured();
        number();
        return std::move(flow_);
    }

  private:
    struct Loop {
        State breaks;
        bool has_break = false;
        State continues;
        bool has_continue = false;
    };

    std::size_t root(std::size_t definition) {
        while (parents_[definition] != definition) definition = parents_[definition];
        return definition;
    }
    void unite(std::size_t a, std::size_t b) { parents_[root(a)] = root(b); }

    std::size_t definition_at(const Syntax& node) {
        const auto [found, is_new] = definitions_.try_emplace(&node, parents_.size());
        if (is_new) parents_.push_back(parents_.size());
        return found->second;
    }

    void define(const Syntax& node, const std::string& name, State& state) {
        const std::size_t definition = definition_at(node);
        names_[definition] = name;
        state[name] = {definition};
    }

    void use(const Syntax& node, const std::string& name, const State& state) {
        if (!flow_.locals.contains(name)) return;
        const auto found = state.find(name);
        if (found == state.end() || found->second.contains(kUnset)) {
            if (is_reachable_ && name[0] != '.') unset_.insert(&node);
        }
        if (found == state.end()) return;
        std::size_t first = kUnset;
        for (const std::size_t definition : found->second) {
            if (definition == kUnset) continue;
            if (first != kUnset) unite(first, definition);
            first = definition;
            users_[definition].insert(&node);
        }
        if (first != kUnset) uses_[&node] = first;
    }

    static void join(State& into, const State& other) {
        for (auto& [name, definitions] : into) {
            if (!other.contains(name)) definitions.insert(kUnset);
        }
        for (const auto& [name, definitions] : other) {
            const auto [found, is_new] = into.try_emplace(name, definitions);
            if (is_new) {
                found->second.insert(kUnset);
            } else {
                found->second.insert(definitions.begin(), definitions.end());
            }
        }
    }

    // A state that may not be reached joins another.
    static void join_if(State& into, bool& is_reached, const State& other, bool other_reached) {
        if (!other_reached) return;
        if (is_reached) {
            join(into, other);
        } else {
            into = other;
        }
        is_reached = true;
    }

    void visit_all(std::span<const Syntax* const> nodes, State& state) {
        for (const Syntax* node : nodes) visit(*node, state);
    }

    // `state` becomes that where the condition holds, `other` that where it does not: in
    // `(a := f()) and (b := g())`, b has a value where both hold.
    void visit_condition(const Syntax& node, State& state, State& other) {
        if (node.is("UnaryOp") && node["op"].is("Not")) {
            visit_condition(node["operand"], state, other);
            std::swap(state, other);
            return;
        }
        if (is_chain(node)) {  // a < b < c: c is evaluated where a < b holds
            const auto later = node.list("comparators");
            visit(node["left"], state);
            visit(*later[0], state);
            other = state;
            for (const Syntax* one : later.subspan(1)) {
                visit(*one, state);
                join(other, state);
            }
            return;
        }
        if (!node.is("BoolOp")) {
            visit(node, state);
            other = state;
            return;
        }
        const bool is_and = node["op"].is("And");
        State decided;  // by an operand before the last
        bool is_first = true;
        for (const Syntax* value : node.list("values")) {
            visit_condition(*value, state, other);
            if (!is_and) std::swap(state, other);
            if (is_first) {
                decided = std::move(other);
            } else {
                join(decided, other);
            }
            is_first = false;
        }
        other = std::move(decided);
        if (!is_and) std::swap(state, other);
    }

    void visit(const Syntax& node, State& state) {
        if (node.form == Syntax::Form::List) {
            visit_all(node.items, state);
            return;
        }
        if (node.form != Syntax::Form::Node) return;
        if (node.is("Name")) {
            if (node["ctx"].is("Load")) use(node, node["id"].text, state);
            return;
        }
        if (node.is("NamedExpr")) {
            visit(node["value"], state);
            assign(node["target"], state);
            return;
        }
        if (node.is("BoolOp") || is_chain(node)) {
            State other;
            visit_condition(node, state, other);
            join(state, other);
            return;
        }
        if (node.is("IfExp")) {
            State other;
            visit_condition(node["test"], state, other);
            const int truth = truth_(node["test"]);
            if (truth != 0) visit(node["body"], state);
            if (truth != 1) visit(node["orelse"], other);
            if (truth == 0) {
                state = std::move(other);
            } else if (truth == -1) {
                join(state, other);
            }
            return;
        }
        if (node.is("Lambda")) {
            capture(node, state);
            return;
        }
        if (is_comprehension(node)) {
            read_at_once(node, state);
            return;
        }
        const bool is_product = node.is("BinOp") && node["op"].is("MatMult");
        if (is_product || is_item_of_computed(node) || (node.is("Call") && may_consume(node))) {
            read_at_once(node, state);
        }
        for (const auto& [name, field] : node.fields) visit(*field, state);
    }

    // A comprehension, or a call that becomes a loop.
    void read_at_once(const Syntax& node, const State& state) {
        std::vector<const Syntax*> loads;
        find_free(node, {}, loads);
        for (const Syntax* load : loads) use(*load, (*load)["id"].text, state);
        flow_.captures[&node] = loads;
    }

    // What a local function reads of the variables around it.
    void capture(const Syntax& function, State& state) {
        visit_all(function["args"].list("defaults"), state);
        visit_all(function["args"].list("kw_defaults"), state);
        std::vector<const Syntax*> loads;
        find_free(function, local_names(function), loads);
        for (const Syntax* load : loads) use(*load, (*load)["id"].text, state);
        flow_.captures[&function] = loads;
        for (const Syntax* load : loads) captured_.insert((*load)["id"].text);
    }

    void find_free(const Syntax& value, const std::set<std::string>& own,
                   std::vector<const Syntax*>& loads) const {
        if (value.form == Syntax::Form::List) {
            for (const Syntax* item : value.items) find_free(*item, own, loads);
            return;
        }
        if (value.form != Syntax::Form::Node) return;
        if (value.is("Name") && value["ctx"].is("Load")) {
            const std::string& name = value["id"].text;
            const bool is_outer = std::ranges::find(outer_, name) != outer_.end();
            if (own.contains(name) || (!flow_.locals.contains(name) && !is_outer)) return;
            const auto is_same = [&](const Syntax* load) { return (*load)["id"].text == name; };
            if (std::ranges::none_of(loads, is_same)) loads.push_back(&value);
            return;
        }
        if (is_comprehension(value)) {
            std::set<std::string> inner = own;
            std::set<std::string> none;
            for (const Syntax* one : value.list("generators")) {
                collect_names((*one)["target"], inner, none);
            }
            for (const auto& [name, field] : value.fields) find_free(*field, inner, loads);
            return;
        }
        if (is_function(value)) {
            for (const char* list : {"defaults", "kw_defaults"}) {
                for (const Syntax* one : value["args"].list(list)) find_free(*one, own, loads);
            }
            std::set<std::string> inner = local_names(value);
            inner.insert(own.begin(), own.end());
            for (const auto& [name, field] : value.fields) {
                if (name == "body") find_free(*field, inner, loads);
            }
            return;
        }
        for (const auto& [name, field] : value.fields) find_free(*field, own, loads);
    }

    // A name that a local function captures is one variable: it is read at the call.
    void join_captured() {
        std::map<std::string, std::size_t> first;
        for (const auto& [definition, name] : names_) {
            if (!captured_.contains(name)) continue;
            const auto [found, is_new] = first.try_emplace(name, definition);
            if (!is_new) unite(found->second, definition);
        }
    }

    void assign(const Syntax& target, State& state) {
        if (target.is("Name")) {
            define(target, target["id"].text, state);
        } else if (target.is("Tuple") || target.is("List")) {
            for (const Syntax* one : target.list("elts")) assign(*one, state);
        } else if (target.is("Starred")) {
            assign(target["value"], state);
        } else {
            visit(target, state);
        }
    }

    void run_block(std::span<const Syntax* const> statements, State& state) {
        for (const Syntax* statement : statements) {
            if (!is_reachable_) return;
            run(*statement, state);
        }
    }

    void run(const Syntax& node, State& state) {
        if (node.is("Assign")) {
            visit(node["value"], state);
            for (const Syntax* target : node.list("targets")) assign(*target, state);
        } else if (node.is("AugAssign")) {
            const Syntax& target = node["target"];
            if (target.is("Name")) {
                use_before(target, state);
                visit(node["value"], state);
                assign(target, state);
            } else {
                visit(target, state);  // the place comes first
                visit(node["value"], state);
            }
        } else if (node.is("AnnAssign")) {
            visit(node["value"], state);
            if (!node["value"].is_none()) assign(node["target"], state);
        } else if (node.is("If")) {
            run_if(node, state);
        } else if (node.is("While") || node.is("For")) {
            run_loop(node, state);
        } else if (node.is("Match")) {
            run_match(node, state);
        } else if (node.is("FunctionDef")) {
            define(node, node["name"].text, state);  // before: it may call itself
            capture(node, state);
        } else if (node.is("Return") || node.is("Raise") || node.is("ReturnNumber")) {
            for (const auto& [name, field] : node.fields) visit(*field, state);
            is_reachable_ = false;
        } else if (node.is("Assert")) {
            State failed;
            visit_condition(node["test"], state, failed);
            visit(node["msg"], failed);
        } else if (node.is("ReturnItems")) {
            for (const Syntax* one : node.list("generators")) {
                visit((*one)["iter"], state);
                assign((*one)["target"], state);
                visit_all(one->list("ifs"), state);
            }
            visit(node["elt"], state);
            is_reachable_ = false;
        } else if (node.is("Break") || node.is("Continue")) {
            leave(node.is("Break"), state);
        } else {
            for (const auto& [name, field] : node.fields) visit(*field, state);
        }
    }

    // x += 1 reads x: its node is the use too, of the variable that it defines.
    void use_before(const Syntax& target, State& state) {
        use(target, target["id"].text, state);
        const auto found = uses_.find(&target);
        if (found == uses_.end()) return;
        before_[&target] = found->second;
        uses_.erase(found);
    }

    void leave(bool is_break, const State& state) {
        if (!loops_.empty()) {
            Loop& loop = *loops_.back();
            if (is_break) {
                join_if(loop.breaks, loop.has_break, state, true);
            } else {
                join_if(loop.continues, loop.has_continue, state, true);
            }
        }
        is_reachable_ = false;
    }

    void run_if(const Syntax& node, State& state) {
        State other;
        visit_condition(node["test"], state, other);
        const int truth = truth_(node["test"]);
        bool other_reached = truth != 1;
        bool reached = truth != 0;
        if (reached) {
            run_block(node.list("body"), state);
            reached = is_reachable_;
        }
        if (other_reached) {
            is_reachable_ = true;
            run_block(node.list("orelse"), other);
            other_reached = is_reachable_;
        }
        join_if(state, reached, other, other_reached);
        is_reachable_ = reached;
    }

    // Whether a loop surely has a first item: of tuples in the source, range() of constants.
    bool runs_once(const Syntax& iter) const {
        if (iter.is("Tuple") || iter.is("List")) return !iter.list("elts").empty();
        const bool is_range = iter.is("Call") && iter["func"].is("Name") &&
                              iter["func"]["id"].text == "range" &&
                              !flow_.locals.contains("range") && iter.list("keywords").empty();
        if (!is_range) return false;
        const auto given = iter.list("args");
        std::array<std::int64_t, 3> bounds{0, 0, 1};
        if (given.empty() || given.size() > bounds.size()) return false;
        for (std::size_t i = 0; i < given.size(); ++i) {
            const std::optional<std::int64_t> number = literal(*given[i]);
            if (!number) return false;
            bounds[given.size() == 1 ? 1 : i] = *number;
        }
        return bounds[2] > 0 ? bounds[0] < bounds[1] : bounds[2] < 0 && bounds[0] > bounds[1];
    }

    // 5 and -5.
    static std::optional<std::int64_t> literal(const Syntax& node) {
        const bool is_negative = node.is("UnaryOp") && node["op"].is("USub");
        const Syntax& constant = is_negative ? node["operand"] : node;
        std::int64_t number = 0;
        if (!constant.is("Constant") || constant["value"].form != Syntax::Form::Int) {
            return std::nullopt;
        }
        if (!constant["value"].as_int(number)) return std::nullopt;
        return is_negative ? -number : number;
    }

    void run_loop(const Syntax& node, State& state) {
        const bool is_for = node.is("For");
        if (is_for) visit(node["iter"], state);
        const bool is_endless = !is_for && truth_(node["test"]) == 1;
        State head = state;
        Loop loop;
        State after;
        bool ends = true;
        const bool runs = is_for && runs_once(node["iter"]);
        bool changed = true;
        while (changed) {
            State now = head;
            loop = {};
            loops_.push_back(&loop);
            is_reachable_ = true;
            after = now;
            if (!is_for) visit_condition(node["test"], now, after);
            if (is_for) assign(node["target"], now);
            run_block(node.list("body"), now);
            bool reached = is_reachable_;
            join_if(now, reached, loop.continues, loop.has_continue);
            loops_.pop_back();
            // The end of the body is all that comes before the end of such a loop.
            if (runs && reached) after = now;
            ends = !runs || reached;
            const State before = head;
            if (reached) join(head, now);
            changed = head != before;
        }
        is_reachable_ = !is_endless && ends;
        if (is_reachable_) run_block(node.list("orelse"), after);
        bool reached = is_reachable_;
        join_if(after, reached, loop.breaks, loop.has_break);
        state = std::move(after);
        is_reachable_ = reached;
        if (is_for) for_loops_.push_back(&node);
    }

    // Whether a pattern fits every value; of a tuple that is written there, its length is known.
    static bool fits_all(const Syntax& pattern, const Syntax& subject) {
        if (pattern.is("MatchAs")) {
            return pattern["pattern"].is_none() || fits_all(pattern["pattern"], subject);
        }
        if (pattern.is("MatchOr")) {
            return std::ranges::any_of(pattern.list("patterns"),
                                       [&](const Syntax* one) { return fits_all(*one, subject); });
        }
        if (!pattern.is("MatchSequence") || !subject.is("Tuple")) return false;
        const auto parts = pattern.list("patterns");
        const auto given = subject.list("elts");
        const auto is_rest = [](const Syntax* one) { return one->is("MatchStar"); };
        const auto star = std::ranges::find_if(parts, is_rest);
        const bool has_star = star != parts.end();
        const bool is_plain =
            std::ranges::none_of(given, [](const Syntax* one) { return one->is("Starred"); });
        const bool has_length =
            has_star ? parts.size() <= given.size() + 1 : parts.size() == given.size();
        if (!is_plain || !has_length) return false;
        const auto before = static_cast<std::size_t>(star - parts.begin());
        for (std::size_t i = 0; i < parts.size(); ++i) {
            if (i == before) continue;
            const std::size_t at = i < before ? i : given.size() - (parts.size() - i);
            if (!fits_all(*parts[i], *given[at])) return false;
        }
        return true;
    }

    void run_match(const Syntax& node, State& state) {
        visit(node["subject"], state);
        State result;
        bool reached = false;
        bool is_total = false;
        for (const Syntax* one : node.list("cases")) {
            State taken = state;
            is_reachable_ = true;
            bind_pattern((*one)["pattern"], taken);
            State refused;
            visit_condition((*one)["guard"], taken, refused);
            run_block(one->list("body"), taken);
            join_if(result, reached, taken, is_reachable_);
            const Syntax& pattern = (*one)["pattern"];
            const bool matches_all = fits_all(pattern, node["subject"]);
            if ((*one)["guard"].is_none()) {
                is_total |= matches_all;
            } else if (matches_all) {  // what a guard assigns stays assigned where it is false
                state = std::move(refused);
            } else {
                join(state, refused);
            }
        }
        if (!is_total) join_if(result, reached, state, true);
        state = std::move(result);
        is_reachable_ = reached;
    }

    void bind_pattern(const Syntax& value, State& state) {
        if (value.form == Syntax::Form::List) {
            for (const Syntax* item : value.items) bind_pattern(*item, state);
        }
        if (value.form != Syntax::Form::Node) return;
        if (value.is("MatchValue")) {
            visit(value["value"], state);
            return;
        }
        if (value.is("MatchOr")) {  // each alternative binds the same names
            State all;
            bool is_first = true;
            for (const Syntax* one : value.list("patterns")) {
                State bound = state;
                bind_pattern(*one, bound);
                if (is_first) {
                    all = std::move(bound);
                } else {
                    join(all, bound);
                }
                is_first = false;
            }
            state = std::move(all);
            return;
        }
        for (const auto& [name, field] : value.fields) bind_pattern(*field, state);
        const bool binds = value.is("MatchAs") || value.is("MatchStar");
        if (binds && !value["name"].is_none()) define(value, value["name"].text, state);
    }

    static bool is_inside(const Syntax& value, const std::set<const Syntax*>& wanted) {
        if (wanted.contains(&value)) return true;
        for (const Syntax* item : value.items) {
            if (is_inside(*item, wanted)) return true;
        }
        return std::ranges::any_of(
            value.fields, [&](const auto& field) { return is_inside(*field.second, wanted); });
    }
    static std::size_t count_inside(const Syntax& value, const std::set<const Syntax*>& wanted) {
        std::size_t count = wanted.contains(&value) ? 1 : 0;
        for (const Syntax* item : value.items) count += count_inside(*item, wanted);
        for (const auto& [name, field] : value.fields) count += count_inside(*field, wanted);
        return count;
    }

    // A loop's variable is only the loop's where nothing else assigns it and nothing behind reads
    // it.
    void find_used_after() {
        std::map<std::size_t, std::set<const Syntax*>> members;
        for (const auto& [node, definition] : definitions_) members[root(definition)].insert(node);
        for (const auto& [definition, nodes] : users_) {
            members[root(definition)].insert(nodes.begin(), nodes.end());
        }
        for (const Syntax* loop : for_loops_) {
            const Syntax& target = (*loop)["target"];
            if (!target.is("Name")) continue;
            const auto& nodes = members[root(definitions_.at(&target))];
            bool is_own = count_inside(*loop, nodes) == nodes.size() &&
                          !is_inside((*loop)["orelse"], nodes) &&
                          !is_inside((*loop)["iter"], nodes);
            for (const Syntax* node : nodes) {
                if (node != &target && definitions_.contains(node)) is_own = false;
            }
            if (!is_own || captured_.contains(target["id"].text)) flow_.used_after.insert(loop);
        }
    }

    void number() {
        for (const auto& [node, definition] : before_) unite(definition, definitions_.at(node));
        find_used_after();
        std::map<std::size_t, std::size_t> numbers;
        const auto number_of = [&](std::size_t definition) {
            return numbers.try_emplace(root(definition), numbers.size()).first->second;
        };
        // In the order of the text: where nodes lie in memory must not show in what is emitted.
        for (const auto* const map : {&definitions_, &uses_}) {
            std::vector<std::size_t> order;
            for (const auto& [node, definition] : *map) order.push_back(definition);
            std::ranges::sort(order);
            for (const std::size_t definition : order) number_of(definition);
        }
        for (const auto& [node, definition] : definitions_) {
            const std::size_t number = number_of(definition);
            flow_.variable_of[node] = number;
            flow_.assignments.resize(std::max(flow_.assignments.size(), number + 1));
            ++flow_.assignments[number];
        }
        for (const auto& [node, definition] : uses_)
            flow_.variable_of[node] = number_of(definition);
        flow_.maybe_unset = std::move(unset_);
    }

    const Syntax& function_;
    const std::vector<std::string>& outer_;
    const std::function<int(const Syntax&)>& truth_;
    Flow flow_;
    std::vector<std::size_t> parents_;  // of definitions, united
    std::unordered_map<const Syntax*, std::size_t> definitions_;
    std::unordered_map<const Syntax*, std::size_t> uses_;
    std::unordered_map<const Syntax*, std::size_t> before_;
    std::map<std::size_t, std::set<const Syntax*>> users_;
    std::map<std::size_t, std::string> names_;
    std::set<const Syntax*> unset_;
    std::set<std::string> captured_;
    std::vector<const Syntax*> for_loops_;
    std::vector<Loop*> loops_;
    bool is_reachable_ = true;
};

}  // namespace

Flow analyse_flow(const Syntax& function, const std::vector<std::string>& outer,
                  const std::function<int(const Syntax&)>& truth) {
    return Analysis(function, outer, truth).run();
}

}  // namespace warpwise::script
