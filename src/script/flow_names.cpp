// Names by the syntax that assigns, changes or grows what they stand for.
#include <algorithm>

#include "src/script/flow.hpp"

namespace warpwise::script {

bool is_function(const Syntax& node) {
    return node.is("FunctionDef") || node.is("AsyncFunctionDef") || node.is("Lambda");
}

bool is_comprehension(const Syntax& node) {
    return node.is("GeneratorExp") || node.is("ListComp") || node.is("SetComp") ||
           node.is("DictComp");
}

bool is_item_of_computed(const Syntax& node) {
    if (!node.is("Subscript") || !node["ctx"].is("Load")) return false;
    if (!node["value"].is("Call") && !node["value"].is("BinOp")) return false;
    std::set<std::string> names;
    std::set<std::string> free;
    collect_names(node, names, free);
    return names.empty();
}

void collect_names(const Syntax& value, std::set<std::string>& names, std::set<std::string>& free) {
    if (value.form == Syntax::Form::List) {
        for (const Syntax* item : value.items) collect_names(*item, names, free);
        return;
    }
    if (value.form != Syntax::Form::Node) return;
    if (value.is("Name") && !value["ctx"].is("Load")) names.insert(value["id"].text);
    if (value.is("Nonlocal") || value.is("Global")) {
        for (const Syntax* name : value.list("names")) free.insert(name->text);
    }
    if ((value.is("MatchAs") || value.is("MatchStar")) && !value["name"].is_none()) {
        names.insert(value["name"].text);
    }
    if (value.is("FunctionDef")) names.insert(value["name"].text);
    if (is_function(value) || is_comprehension(value)) return;
    for (const auto& [name, field] : value.fields) collect_names(*field, names, free);
}

namespace {

// Names of which items are assigned: x[i] = v, x[i][j] += v.
void collect_changed(const Syntax& value, std::set<std::string>& names) {
    if (value.is("Subscript") && value["ctx"].is("Store")) {
        const Syntax* root = &value;
        while (root->is("Subscript")) root = &(*root)["value"];
        if (root->is("Name")) names.insert((*root)["id"].text);
    }
    for (const Syntax* item : value.items) collect_changed(*item, names);
    for (const auto& [name, field] : value.fields) collect_changed(*field, names);
}

// Names of which append() or extend() is called: x.append(v).
void collect_grown(const Syntax& value, std::set<std::string>& names) {
    if (value.is("Call") && value["func"].is("Attribute") && value["func"]["value"].is("Name")) {
        const std::string& method = value["func"]["attr"].text;
        const bool grows = method == "append" || method == "extend";
        if (grows) names.insert(value["func"]["value"]["id"].text);
    }
    if (value.is("FunctionDef") || value.is("Lambda")) return;
    for (const Syntax* item : value.items) collect_grown(*item, names);
    for (const auto& [name, field] : value.fields) collect_grown(*field, names);
}

// Names that a statement gives the value of another name: a = b; a, b = b, a.
void collect_pairs(const Syntax& target, const Syntax& value,
                   std::vector<std::pair<std::string, std::string>>& pairs) {
    if (target.is("Name") && value.is("Name")) {
        pairs.emplace_back(target["id"].text, value["id"].text);
    }
    const auto targets = target.list("elts");
    const auto values = value.list("elts");
    for (std::size_t i = 0; i < std::min(targets.size(), values.size()); ++i) {
        collect_pairs(*targets[i], *values[i], pairs);
    }
}

void collect_other_names(const Syntax& value,
                         std::vector<std::pair<std::string, std::string>>& pairs) {
    if (value.is("Assign")) {
        for (const Syntax* target : value.list("targets")) {
            collect_pairs(*target, value["value"], pairs);
        }
        return;
    }
    for (const Syntax* item : value.items) collect_other_names(*item, pairs);
    for (const auto& [name, field] : value.fields) collect_other_names(*field, pairs);
}

void collect_listed(const Syntax& value, std::set<std::string>& names) {
    if (value.is("Assign") && (value["value"].is("List") || value["value"].is("ListComp"))) {
        for (const Syntax* target : value.list("targets")) {
            if (target->is("Name")) names.insert((*target)["id"].text);
        }
    }
    for (const Syntax* item : value.items) collect_listed(*item, names);
    for (const auto& [name, field] : value.fields) collect_listed(*field, names);
}

// Names of what has other names are changed by each of them.
void add_other_names(const Syntax& body, std::set<std::string>& names) {
    std::vector<std::pair<std::string, std::string>> pairs;
    collect_other_names(body, pairs);
    std::size_t before = 0;
    while (before != names.size()) {
        before = names.size();
        for (const auto& [one, other] : pairs) {
            if (names.contains(one)) names.insert(other);
            if (names.contains(other)) names.insert(one);
        }
    }
}

}  // namespace

std::set<std::string> changed_names(const Syntax& function) {
    std::set<std::string> names;
    collect_changed(function["body"], names);
    if (!names.empty()) add_other_names(function["body"], names);
    return names;
}

std::set<std::string> listed_names(const Syntax& function) {
    std::set<std::string> names;
    collect_listed(function["body"], names);
    if (!names.empty()) add_other_names(function["body"], names);
    return names;
}

std::set<std::string> grown_names(const Syntax& function) {
    std::set<std::string> names;
    collect_grown(function["body"], names);
    return names;
}

std::set<std::string> local_names(const Syntax& function) {
    std::set<std::string> names;
    std::set<std::string> free;
    for (const Syntax* parameter : parameters_of(function)) names.insert((*parameter)["arg"].text);
    collect_names(function["body"], names, free);
    for (const std::string& name : free) names.erase(name);
    return names;
}

std::set<std::string> assigned_names(const Syntax& function) {
    std::set<std::string> names;
    std::set<std::string> free;
    collect_names(function["body"], names, free);
    return names;
}

std::vector<const Syntax*> parameters_of(const Syntax& function) {
    const Syntax& args = function["args"];
    std::vector<const Syntax*> parameters;
    for (const char* list : {"posonlyargs", "args"}) {
        for (const Syntax* one : args.list(list)) parameters.push_back(one);
    }
    if (!args["vararg"].is_none()) parameters.push_back(&args["vararg"]);
    for (const Syntax* one : args.list("kwonlyargs")) parameters.push_back(one);
    return parameters;
}

}  // namespace warpwise::script
