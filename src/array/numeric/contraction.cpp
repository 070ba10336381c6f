// Products of NumPy's names, and Einstein's summation.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>

#include "src/array/parts.hpp"
#include "src/array/reduction.hpp"
#include "src/array/refuse.hpp"
#include "src/types/promotion.hpp"
#include "warpwise/array_numeric.hpp"
#include "warpwise/array_shapes.hpp"

namespace warpwise {
namespace {

Array with_axis(const Array& array, int axis) {
    return expand_dims(array, std::span(&axis, 1));
}

// Labels of einsum() are numbers: letters, then the axes of the ellipsis from the last on.
constexpr int kEllipsis = 256;

struct Term {
    Array array;
    std::vector<int> labels;  // of its axes, each once
};

// "ij,j->i" as labels of each operand and of the result.
class Subscripts {
  public:
    Subscripts(std::string_view text, std::span<const Array* const> operands) : text_(text) {
        const std::size_t arrow = text.find("->");
        std::string_view inputs = text.substr(0, arrow);
        for (std::size_t i = 0; i < operands.size(); ++i) {
            const std::size_t comma = inputs.find(',');
            const bool is_last = i + 1 == operands.size();
            if ((comma == inputs.npos) != is_last) {
                array::refuse_value("einsum got {} operands for \"{}\"; give one for each part",
                                    operands.size(), text);
            }
            terms.push_back(labels_of(inputs.substr(0, comma), operands[i]->ndim(), i));
            if (!is_last) inputs.remove_prefix(comma + 1);
        }
        if (arrow == text.npos) {
            imply_result();
        } else {
            result = labels_of(text.substr(arrow + 2), -1, 0);
            check_result();
        }
    }

    std::vector<std::vector<int>> terms;
    std::vector<int> result;

  private:
    // `rank` -1: the result, whose ellipsis stands for all axes without labels.
    std::vector<int> labels_of(std::string_view part, int rank, std::size_t number) {
        std::string letters;
        std::size_t dots = part.npos;
        for (std::size_t i = 0; i < part.size(); ++i) {
            const char c = part[i];
            if (c == ' ') continue;
            if (c == '.' && dots == part.npos && part.substr(i, 3) == "...") {
                dots = letters.size();
                i += 2;
                continue;
            }
            const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
            if (!is_letter) {
                array::refuse_value(
                    "einsum got '{}' in \"{}\"; labels are letters, and '...' stands "
                    "for axes without labels",
                    c, text_);
            }
            letters += c;
        }
        const int named = static_cast<int>(letters.size());
        const int unnamed = rank < 0 ? most_unnamed_ : rank - named;
        if (rank >= 0 && (unnamed < 0 || (unnamed > 0 && dots == part.npos))) {
            array::refuse_value(
                "einsum got {} labels for operand {} with {} axes; label each axis, "
                "or write '...'",
                named, number, rank);
        }
        if (rank >= 0 && dots != part.npos) most_unnamed_ = std::max(most_unnamed_, unnamed);
        std::vector<int> labels;
        for (int i = 0; i <= named; ++i) {
            if (dots != part.npos && i == static_cast<int>(dots)) {
                for (int k = unnamed; k > 0; --k) labels.push_back(kEllipsis + k);
            }
            if (i < named) labels.push_back(letters[static_cast<std::size_t>(i)]);
        }
        return labels;
    }

    // Without an arrow: the axes of the ellipsis, then labels that come once, in alphabetical
    // order.
    void imply_result() {
        std::map<int, int> counts;
        for (const auto& term : terms) {
            for (const int label : term) ++counts[label];
        }
        for (int k = most_unnamed_; k > 0; --k) result.push_back(kEllipsis + k);
        for (const auto& [label, count] : counts) {
            if (label < kEllipsis && count == 1) result.push_back(label);
        }
    }

    void check_result() const {
        for (std::size_t i = 0; i < result.size(); ++i) {
            const int label = result[i];
            const bool is_known = std::ranges::any_of(terms, [&](const auto& term) {
                return std::ranges::find(term, label) != term.end();
            });
            if (!is_known) {
                array::refuse_value("einsum got '{}' in the result of \"{}\", which no operand has",
                                    static_cast<char>(label), text_);
            }
            if (std::find(result.begin(), result.begin() + static_cast<std::ptrdiff_t>(i), label) !=
                result.begin() + static_cast<std::ptrdiff_t>(i)) {
                array::refuse_value("einsum got '{}' twice in the result of \"{}\"",
                                    static_cast<char>(label), text_);
            }
        }
    }

    const std::string_view text_;
    int most_unnamed_ = 0;
};

// Axes with one label are its diagonal.
Term with_labels_once(Term term) {
    for (std::size_t i = 0; i < term.labels.size(); ++i) {
        for (std::size_t j = i + 1; j < term.labels.size();) {
            if (term.labels[j] != term.labels[i]) {
                ++j;
                continue;
            }
            const auto a = static_cast<int>(i);
            const auto b = static_cast<int>(j);
            if (term.array.shape()[a] != term.array.shape()[b]) {
                array::refuse_value(
                    "einsum got the extents {} and {} for label '{}' of one operand",
                    term.array.shape()[a], term.array.shape()[b],
                    static_cast<char>(term.labels[i]));
            }
            const Array diagonals = diagonal(term.array, 0, a, b);
            const int last = -1;
            term.array = moveaxis(diagonals, std::span(&last, 1), std::span(&a, 1));
            term.labels.erase(term.labels.begin() + b);
        }
    }
    return term;
}

// The axes in the order of `labels`, with axes of extent 1 for those it has not.
Array lying_by(const Term& term, const std::vector<int>& labels) {
    std::vector<int> order;
    std::vector<int> missing;
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const auto at = std::ranges::find(term.labels, labels[i]);
        if (at == term.labels.end()) {
            missing.push_back(static_cast<int>(i));
        } else {
            order.push_back(static_cast<int>(at - term.labels.begin()));
        }
    }
    return expand_dims(term.array.transpose(order), missing);
}

// Sums over the labels that `wanted` has not.
Term summed(const Term& term, const std::vector<int>& wanted, Kind kind) {
    std::vector<int> axes;
    Term result{term.array, {}};
    for (std::size_t i = 0; i < term.labels.size(); ++i) {
        if (std::ranges::find(wanted, term.labels[i]) != wanted.end()) {
            result.labels.push_back(term.labels[i]);
        } else {
            axes.push_back(static_cast<int>(i));
        }
    }
    if (axes.empty()) return term;
    const Reduction over{.axes = axes, .dtype = DType(kind)};
    result.array = kind == Kind::Bool ? any(term.array, {.axes = axes}) : sum(term.array, over);
    return result;
}

Term product(const Term& a, const Term& b) {
    std::vector<int> labels = a.labels;
    for (const int label : b.labels) {
        if (std::ranges::find(labels, label) == labels.end()) labels.push_back(label);
    }
    if (labels.size() > static_cast<std::size_t>(kMaxRank)) {
        array::refuse_value(
            "einsum multiplies over {} labels at once; an array has at most {} axes", labels.size(),
            kMaxRank);
    }
    for (const int label : a.labels) {
        const auto other = std::ranges::find(b.labels, label);
        if (other == b.labels.end()) continue;
        const std::int64_t own =
            a.array
                .shape()[static_cast<int>(std::ranges::find(a.labels, label) - a.labels.begin())];
        const std::int64_t its = b.array.shape()[static_cast<int>(other - b.labels.begin())];
        if (own == its || own == 1 || its == 1) continue;
        array::refuse_value("einsum got the extents {} and {} for one label; they must be equal",
                            own, its);
    }
    return {multiply(lying_by(a, labels), lying_by(b, labels)), labels};
}

bool has(const std::vector<int>& labels, int label) {
    return std::ranges::find(labels, label) != labels.end();
}

std::int64_t extent_of(const Term& term, int label) {
    const auto at = std::ranges::find(term.labels, label) - term.labels.begin();
    return term.array.shape()[static_cast<int>(at)];
}

// The labels of two terms by what a product of matrices does with them.
struct Pairing {
    std::vector<int> both;     // in both terms, and kept: a product for each
    std::vector<int> rows;     // in the first alone
    std::vector<int> columns;  // in the second alone
    std::vector<int> summed;   // in both, and in nothing later
};

// Of terms that a product of matrices contracts: rows and columns to sum for, and none that has
// extent 1 in one term alone.
std::optional<Pairing> pairing_of(const Term& a, const Term& b, const std::vector<int>& wanted) {
    Pairing pairing;
    for (const int label : a.labels) {
        if (!has(b.labels, label)) {
            pairing.rows.push_back(label);
            continue;
        }
        if (extent_of(a, label) != extent_of(b, label)) return std::nullopt;
        (has(wanted, label) ? pairing.both : pairing.summed).push_back(label);
    }
    for (const int label : b.labels) {
        if (!has(a.labels, label)) pairing.columns.push_back(label);
    }
    const bool is_product =
        !pairing.summed.empty() && !pairing.rows.empty() && !pairing.columns.empty();
    return is_product ? std::optional(pairing) : std::nullopt;
}

std::vector<int> joined(std::initializer_list<const std::vector<int>*> lists) {
    std::vector<int> all;
    for (const auto* list : lists) all.insert(all.end(), list->begin(), list->end());
    return all;
}

// The axes of `labels` behind those of `batch`, as two axes.
Array as_matrices(const Term& term, const std::vector<int>& batch, const std::vector<int>& first,
                  const std::vector<int>& second) {
    const Array lying = lying_by(term, joined({&batch, &first, &second}));
    Shape shape;
    for (const int label : batch) shape.push_back(extent_of(term, label));
    for (const auto* labels : {&first, &second}) {
        std::int64_t extent = 1;
        for (const int label : *labels) extent *= extent_of(term, label);
        shape.push_back(extent);
    }
    return lying.reshape(shape);
}

// Sums over the pairing's summed labels, as products of matrices.
Term contracted(const Term& a, const Term& b, const Pairing& pairing) {
    const Array product = matmul(as_matrices(a, pairing.both, pairing.rows, pairing.summed),
                                 as_matrices(b, pairing.both, pairing.summed, pairing.columns));
    Shape shape;
    for (const int label : pairing.both) shape.push_back(extent_of(a, label));
    for (const int label : pairing.rows) shape.push_back(extent_of(a, label));
    for (const int label : pairing.columns) shape.push_back(extent_of(b, label));
    return {product.reshape(shape), joined({&pairing.both, &pairing.rows, &pairing.columns})};
}

void require_vectors(const Array& array, int axis, const char* which) {
    if (array.shape()[axis] == 3) return;
    array::refuse_value("cross got {} of shape {}; axis {} must have 3 elements", which,
                        text_of(array.shape()), axis);
}

}  // namespace

Array einsum(std::string_view subscripts, std::span<const Array* const> operands) {
    if (operands.empty()) array::refuse_value("einsum got no operands; give at least one");
    std::vector<Operand> all;
    for (const Array* operand : operands) {
        array::require_same_device(*operands[0], *operand, "einsum");
        array::require_numbers(*operand, "einsum");
        all.emplace_back(*operand);
    }
    const Kind kind = result_type(all).kind();
    // Products of 16-bit floats are exact in float32, and added there.
    const Kind wide = array::accumulator_of(kind);
    const Subscripts labels(subscripts, operands);
    std::optional<Term> total;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        Term term = with_labels_once({array::converted(*operands[i], wide), labels.terms[i]});
        std::vector<int> later = labels.result;
        for (std::size_t k = i + 1; k < operands.size(); ++k) {
            later.insert(later.end(), labels.terms[k].begin(), labels.terms[k].end());
        }
        if (!total) {
            total = summed(term, later, wide);
            continue;
        }
        // What this term alone has, and nothing later, is summed before the product.
        std::vector<int> kept = later;
        kept.insert(kept.end(), total->labels.begin(), total->labels.end());
        term = summed(term, kept, wide);
        const std::optional<Pairing> pairing =
            wide == Kind::Bool ? std::nullopt : pairing_of(*total, term, later);
        total = pairing ? contracted(*total, term, *pairing)
                        : summed(product(*total, term), later, wide);
    }
    std::vector<int> order;
    for (const int label : labels.result) {
        const auto at = std::ranges::find(total->labels, label);
        order.push_back(static_cast<int>(at - total->labels.begin()));
    }
    return array::converted(total->array.transpose(order), kind);
}

Array outer(const Array& a, const Array& b) {
    return multiply(with_axis(a.reshape(Shape{-1}), 1), with_axis(b.reshape(Shape{-1}), 0));
}

Array inner(const Array& a, const Array& b) {
    if (a.ndim() == 0 || b.ndim() == 0) return multiply(a, b);
    const std::array last{-1};
    return tensordot(a, b, last, last);
}

Array dot(const Array& a, const Array& b) {
    if (a.ndim() == 0 || b.ndim() == 0) return multiply(a, b);
    const std::array last{-1};
    const std::array before{b.ndim() == 1 ? -1 : -2};
    return tensordot(a, b, last, before);
}

Array vdot(const Array& a, const Array& b) {
    if (a.size() != b.size()) {
        array::refuse_value("vdot got arrays of {} and {} elements; it takes as many of both",
                            a.size(), b.size());
    }
    return vecdot(a.reshape(Shape{-1}), b.reshape(Shape{-1}));
}

Array kron(const Array& a, const Array& b) {
    const int rank = std::max(a.ndim(), b.ndim());
    if (2 * rank > kMaxRank) {
        array::refuse_value("kron got arrays of {} axes; it takes {} at most", rank, kMaxRank / 2);
    }
    Array left = a;
    Array right = b;
    while (left.ndim() < rank) left = with_axis(left, 0);
    while (right.ndim() < rank) right = with_axis(right, 0);
    Shape shape;
    std::vector<int> odd;
    std::vector<int> even;
    for (int axis = 0; axis < rank; ++axis) {
        shape.push_back(left.shape()[axis] * right.shape()[axis]);
        even.push_back(2 * axis);
        odd.push_back(2 * axis + 1);
    }
    return multiply(expand_dims(left, odd), expand_dims(right, even)).reshape(shape);
}

Array cross(const Array& a, const Array& b, int axis_a, int axis_b, int axis_c) {
    const int from_a = checked_axis(axis_a, a.ndim());
    const int from_b = checked_axis(axis_b, b.ndim());
    require_vectors(a, from_a, "vectors");
    require_vectors(b, from_b, "vectors");
    const int first = 0;
    const Array x = moveaxis(a, std::span(&from_a, 1), std::span(&first, 1));
    const Array y = moveaxis(b, std::span(&from_b, 1), std::span(&first, 1));
    std::vector<Array> parts;
    for (std::int64_t i = 0; i < 3; ++i) {
        const std::int64_t j = (i + 1) % 3;
        const std::int64_t k = (i + 2) % 3;
        parts.push_back(subtract(multiply(x.at({j}), y.at({k})), multiply(x.at({k}), y.at({j}))));
    }
    const Array* const pointers[] = {&parts[0], &parts[1], &parts[2]};
    return stack(pointers, axis_c);
}

}  // namespace warpwise
