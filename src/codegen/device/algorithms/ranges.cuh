// The rarer functions of <algorithm>: questions about ranges, copies and removals by condition,
// partitions, merges, heaps. Included by <algorithm>. One thread runs each, without memory of its
// own; iterators need ++, --, and for sorting and heaps [] and differences.
#pragma once

extern "C++" {

namespace std {

#define __WW_RANGE __host__ __device__ inline

// Questions.
template <class It, class Test>
__WW_RANGE It find_if(It first, It last, Test test) {
    while (first != last && !test(*first)) ++first;
    return first;
}
template <class It, class Test>
__WW_RANGE It find_if_not(It first, It last, Test test) {
    while (first != last && test(*first)) ++first;
    return first;
}
template <class It, class Test>
__WW_RANGE ptrdiff_t count_if(It first, It last, Test test) {
    ptrdiff_t found = 0;
    for (; first != last; ++first) found += test(*first) ? 1 : 0;
    return found;
}
template <class It, class Test>
__WW_RANGE bool any_of(It first, It last, Test test) {
    return find_if(first, last, test) != last;
}
template <class It, class Test>
__WW_RANGE bool all_of(It first, It last, Test test) {
    return find_if_not(first, last, test) == last;
}
template <class It, class Test>
__WW_RANGE bool none_of(It first, It last, Test test) {
    return find_if(first, last, test) == last;
}
template <class It, class Other, class Same>
__WW_RANGE bool equal(It first, It last, Other other, Same same) {
    for (; first != last; ++first, ++other) {
        if (!same(*first, *other)) return false;
    }
    return true;
}
template <class It, class Other>
__WW_RANGE bool equal(It first, It last, Other other) {
    return equal(first, last, other, equal_to<>());
}
template <class It, class Other>
__WW_RANGE pair<It, Other> mismatch(It first, It last, Other other) {
    for (; first != last && *first == *other; ++first) ++other;
    return pair<It, Other>(first, other);
}
template <class It>
__WW_RANGE It adjacent_find(It first, It last) {
    if (first == last) return last;
    for (It after = first; ++after != last; first = after) {
        if (*first == *after) return first;
    }
    return last;
}
template <class It, class Other, class Less>
__WW_RANGE bool lexicographical_compare(It a, It a_end, Other b, Other b_end, Less less) {
    for (; a != a_end && b != b_end; ++a, ++b) {
        if (less(*a, *b)) return true;
        if (less(*b, *a)) return false;
    }
    return a == a_end && b != b_end;
}
template <class It, class Other>
__WW_RANGE bool lexicographical_compare(It a, It a_end, Other b, Other b_end) {
    return lexicographical_compare(a, a_end, b, b_end, less<>());
}
template <class It, class Less>
__WW_RANGE It is_sorted_until(It first, It last, Less less) {
    if (first == last) return last;
    for (It after = first; ++after != last; first = after) {
        if (less(*after, *first)) return after;
    }
    return last;
}
template <class It, class Less>
__WW_RANGE bool is_sorted(It first, It last, Less less) {
    return is_sorted_until(first, last, less) == last;
}
template <class It>
__WW_RANGE bool is_sorted(It first, It last) {
    return is_sorted(first, last, less<>());
}
template <class It, class Less>
__WW_RANGE pair<It, It> minmax_element(It first, It last, Less less) {
    pair<It, It> found(first, first);
    for (; first != last; ++first) {
        if (less(*first, *found.first)) found.first = first;
        if (!less(*first, *found.second)) found.second = first;
    }
    return found;
}
template <class It>
__WW_RANGE pair<It, It> minmax_element(It first, It last) {
    return minmax_element(first, last, less<>());
}
template <class It, class T>
__WW_RANGE pair<It, It> equal_range(It first, It last, const T& value) {
    return pair<It, It>(lower_bound(first, last, value), upper_bound(first, last, value));
}
template <class It, class T, class Less>
__WW_RANGE bool binary_search(It first, It last, const T& value, Less less) {
    It at = lower_bound(first, last, value, less);
    return at != last && !less(value, *at);
}

// Copies and changes.
template <class In, class Size, class Out>
__WW_RANGE Out copy_n(In first, Size n, Out to) {
    for (; n > 0; --n, ++first, ++to) *to = *first;
    return to;
}
template <class In, class Out, class Test>
__WW_RANGE Out copy_if(In first, In last, Out to, Test test) {
    for (; first != last; ++first) {
        if (test(*first)) *to++ = *first;
    }
    return to;
}
template <class In, class Out>
__WW_RANGE Out copy_backward(In first, In last, Out end) {
    while (first != last) *--end = *--last;
    return end;
}
template <class In, class Out>
__WW_RANGE Out move(In first, In last, Out to) {
    for (; first != last; ++first, ++to) *to = std::move(*first);
    return to;
}
template <class It, class Make>
__WW_RANGE void generate(It first, It last, Make make) {
    for (; first != last; ++first) *first = make();
}
template <class It, class T>
__WW_RANGE void replace(It first, It last, const T& old, const T& now) {
    for (; first != last; ++first) {
        if (*first == old) *first = now;
    }
}
template <class It, class Test, class T>
__WW_RANGE void replace_if(It first, It last, Test test, const T& now) {
    for (; first != last; ++first) {
        if (test(*first)) *first = now;
    }
}
template <class It, class Test>
__WW_RANGE It remove_if(It first, It last, Test test) {
    It to = first;
    for (; first != last; ++first) {
        if (!test(*first)) *to++ = *first;
    }
    return to;
}
template <class It, class T>
__WW_RANGE It remove(It first, It last, const T& value) {
    It to = first;
    for (; first != last; ++first) {
        if (!(*first == value)) *to++ = *first;
    }
    return to;
}
template <class In, class Out, class Same>
__WW_RANGE Out unique_copy(In first, In last, Out to, Same same) {
    if (first == last) return to;
    auto kept = *first;
    for (*to++ = kept; ++first != last;) {
        if (same(kept, *first)) continue;
        kept = *first;
        *to++ = kept;
    }
    return to;
}
template <class It, class Same>
__WW_RANGE It unique(It first, It last, Same same) {
    return unique_copy(first, last, first, same);
}
template <class It>
__WW_RANGE It unique(It first, It last) {
    return unique_copy(first, last, first, equal_to<>());
}
template <class It, class Other>
__WW_RANGE void iter_swap(It a, Other b) {
    swap(*a, *b);
}
template <class It, class Other>
__WW_RANGE Other swap_ranges(It first, It last, Other other) {
    for (; first != last; ++first, ++other) swap(*first, *other);
    return other;
}
template <class In, class Out>
__WW_RANGE Out reverse_copy(In first, In last, Out to) {
    while (first != last) *to++ = *--last;
    return to;
}
template <class It>
__WW_RANGE It rotate(It first, It middle, It last) {
    reverse(first, middle);
    reverse(middle, last);
    reverse(first, last);
    return first + (last - middle);
}
template <class It, class Test>
__WW_RANGE It partition(It first, It last, Test test) {
    for (It at = first; at != last; ++at) {
        if (!test(*at)) continue;
        if (at != first) swap(*first, *at);
        ++first;
    }
    return first;
}

// Two sorted ranges.
template <class A, class B, class Out, class Less>
__WW_RANGE Out merge(A a, A a_end, B b, B b_end, Out to, Less less) {
    while (a != a_end && b != b_end) {
        if (less(*b, *a)) {
            *to++ = *b++;
        } else {
            *to++ = *a++;
        }
    }
    return copy(b, b_end, copy(a, a_end, to));
}
template <class A, class B, class Out>
__WW_RANGE Out merge(A a, A a_end, B b, B b_end, Out to) {
    return merge(a, a_end, b, b_end, to, less<>());
}
template <class A, class B, class Out>
__WW_RANGE Out set_intersection(A a, A a_end, B b, B b_end, Out to) {
    while (a != a_end && b != b_end) {
        if (*a < *b) {
            ++a;
        } else {
            if (!(*b < *a)) *to++ = *a++;
            ++b;
        }
    }
    return to;
}
template <class A, class B>
__WW_RANGE bool includes(A a, A a_end, B b, B b_end) {
    for (; b != b_end; ++a) {
        if (a == a_end || *b < *a) return false;
        if (!(*a < *b)) ++b;
    }
    return true;
}

// Heaps, and what is made of them.
template <class It, class Less>
__WW_RANGE void __ww_sift_down(It heap, ptrdiff_t root, ptrdiff_t n, Less less) {
    for (ptrdiff_t child; (child = 2 * root + 1) < n; root = child) {
        if (child + 1 < n && less(heap[child], heap[child + 1])) ++child;
        if (!less(heap[root], heap[child])) break;
        swap(heap[root], heap[child]);
    }
}
template <class It, class Less>
__WW_RANGE void make_heap(It first, It last, Less less) {
    for (ptrdiff_t n = last - first, root = n / 2; root-- > 0;) {
        __ww_sift_down(first, root, n, less);
    }
}
template <class It, class Less>
__WW_RANGE void push_heap(It first, It last, Less less) {
    for (ptrdiff_t at = last - first - 1; at > 0;) {
        ptrdiff_t parent = (at - 1) / 2;
        if (!less(first[parent], first[at])) break;
        swap(first[parent], first[at]);
        at = parent;
    }
}
template <class It, class Less>
__WW_RANGE void pop_heap(It first, It last, Less less) {
    ptrdiff_t n = last - first - 1;
    if (n <= 0) return;
    swap(first[0], first[n]);
    __ww_sift_down(first, ptrdiff_t(0), n, less);
}
template <class It, class Less>
__WW_RANGE void sort_heap(It first, It last, Less less) {
    for (; last - first > 1; --last) pop_heap(first, last, less);
}
template <class It, class Less>
__WW_RANGE void partial_sort(It first, It middle, It last, Less less) {
    make_heap(first, middle, less);
    for (It at = middle; at != last; ++at) {
        if (middle == first || !less(*at, *first)) continue;
        swap(*first, *at);
        __ww_sift_down(first, ptrdiff_t(0), middle - first, less);
    }
    sort_heap(first, middle, less);
}
template <class It, class Less>
__WW_RANGE void nth_element(It first, It nth, It last, Less less) {
    if (nth != last) partial_sort(first, nth + 1, last, less);
}
#define __WW_HEAP(name)                       \
    template <class It>                       \
    __WW_RANGE void name(It first, It last) { \
        name(first, last, less<>());          \
    }
__WW_HEAP(make_heap)
__WW_HEAP(push_heap)
__WW_HEAP(pop_heap)
__WW_HEAP(sort_heap)
#undef __WW_HEAP
template <class It>
__WW_RANGE void partial_sort(It first, It middle, It last) {
    partial_sort(first, middle, last, less<>());
}
template <class It>
__WW_RANGE void nth_element(It first, It nth, It last) {
    nth_element(first, nth, last, less<>());
}

#undef __WW_RANGE

}  // namespace std

}  // extern "C++"
