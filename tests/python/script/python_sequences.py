"""Comprehensions, calls that consume sequences, functions as values: see python_constructs.py."""

# ruff: noqa: B023, C417 -- the constructs are the point

from __future__ import annotations

import functools
import itertools
import math


def scaled(x, factor, offset=0):
    return x * factor + offset


tripled = functools.partial(scaled, factor=3)
of_two = functools.partial(scaled, 2)


def applied(function, x):
    return function(x)


def adder(n):
    return lambda x: x + n


def composed(outer, inner):
    return lambda x: outer(inner(x))


def i_sum_of_a_generator(a, b):
    odd = sum(x * b for x in range(abs(a) % 20) if x % 2 if x != 5)
    return odd + sum(i * j + a for i in range(4) for j in range(i))


def i_names_that_comprehensions_assign(a, b):
    odd = sum(o for i in range(9) if (o := i * a % 5) > 1)
    inner = sum(sum(w for j in range(3) if (w := v + j) > 1) for i in range(4) if (v := i * b % 3))
    pairs = [(q := i + 1) * q + a * q for i in range(3)]
    return (
        odd + 7 * inner + pairs[2] + max((d * d for i in range(4) if (d := a - i) > 0), default=5)
    )


def i_names_that_chained_comparisons_assign(a, b):
    c = b
    if 0 < a <= (c := a % 7 + 3):
        return c + 1000
    if a < (a := b % 5) <= 3:
        return a - 1000
    d = 5
    e = 0 < b < (d := a + b) < (d := d * 2)
    return c + 100 * d + e


def i_any_and_all(a, b):
    return any(x == b for x in range(abs(a) % 10)) + 2 * all(x != b for x in (a, a + 1, 7))


def i_greatest_and_least(a, b):
    least = min((abs(x - b) % 11 for x in range(abs(a) % 5)), default=-7)
    return least + 100 * max(x * b % 7 for x in range(1, 8)) + max(range(1, 10, 4))


def i_greatest_by_key(a, b):
    first = max(range(10), key=lambda i: i * a % 11)  # the first of several
    return first + 100 * min((a, b, a + b, a * b), key=abs)


def i_place_of_the_greatest(a, b):
    value, place = max((i * a % 7, -i) for i in range(6))
    return value * 10 - place + b


def i_order_of_tuples(a, b):
    return ((a, b) < (b, a)) + 2 * ((a, b, 1) >= (a, b)) + 4 * ((a % 3, b) <= (b % 3, a))


def i_tuple_of_a_generator(a, b):
    items = tuple(x * a + b for x in range(4))
    return items[0] + items[b % 4] * 2 + len(items)


def i_list_of_several_loops(a, b):
    items = [x * y for x in (a, b, a + b) for y in range(4) if y != 1]
    result = 0
    for item in items:
        result = result * 3 + item
    return result


def i_list_of_a_known_length(a, b):
    n = 3
    items = [a + k for k in range(n)]
    pairs = list(zip(items, (1, 2, 3)))
    return items[b % 3] + pairs[1][0] * pairs[2][1] + list(range(3))[2]


def i_lists_in_lists(a, b):
    matrix = [[i * a + j * b for j in range(3)] for i in range(3)]
    turned = [[row[k] for row in matrix] for k in range(3)]
    return sum(matrix[i][2 - i] for i in range(3)) * 100 + turned[2][1]


def i_number_of_items(a, b):
    return len([x for x in range(abs(a) % 30) if x % 2 == b % 2])


def i_product(a, b):
    return math.prod(x for x in range(1, abs(a) % 6)) + math.prod((a, 2), start=b)


def i_reduced(a, b):
    hashed = functools.reduce(lambda x, y: (x * 31 + y) % 1009, range(abs(a) % 10), b % 7)
    return hashed + functools.reduce(lambda x, y: x * 2 - y, (a, b, 3))


def i_sums_of_sequences(a, b):
    return sum(range(a % 10)) + sum(range(3), 5) + sum((a, b), start=7)


def i_consumers_in_consumers(a, b):
    return max(sum(i * j + a for j in range(i)) for i in range(1, 5)) + b


def i_generator_over_pairs(a, b):
    dot = sum(x * y for x, y in zip((1, 2, 3), (a, b, a + b)))
    return dot + sum(i * x for i, x in enumerate((a, b, 3)))


def i_generator_over_text(a, b):
    return sum(1 for c in "hello" if c == "l") * a + b


def i_names_of_comprehensions_are_their_own(a, b):
    x = a
    squares = sum(x * x for x in range(4))
    return squares + x + b


def i_contained_in_range(a, b):
    whole = (a in range(b)) + 2 * (a in range(-5, 50, 3)) + 4 * (b not in range(20, -20, -7))
    return whole + 8 * (a + 0.0 in range(10)) + 16 * (b + 0.5 in range(10))


def i_modular_power(a, b):
    inverse = pow(a * 2 + 1, -(abs(b) % 5), 256)
    return pow(a, abs(b), 97) + pow(a, abs(b) % 7, -13) + inverse + pow(a, abs(b), 1)


def i_modular_power_of_large_numbers(a, b):
    return pow(a + 2**62, abs(b) + 2**40, 2**62 + 135) % 1000003


def i_partial_functions(a, b):
    own = functools.partial(scaled, a)
    return tripled(a) + of_two(b) + tripled(a, offset=b) + own(b) + applied(own, 5)


def i_lambda_for_another_function(a, b):
    k = a * 2
    return applied(lambda x: x + k, b) * 3 + applied(lambda x: applied(lambda y: y * x - k, a), b)


def i_local_functions_for_another_function(a, b):
    def shifted(x):
        return x + a

    both = lambda x: shifted(x) * b  # noqa: E731
    return applied(both, 3) + applied(shifted, b)


def i_returned_functions(a, b):
    step = adder(a)
    twice = composed(step, adder(b))
    return step(b) * 2 + twice(10) + composed(twice, twice)(1) + adder(5)(a)


def i_functions_in_tuples(a, b):
    def total(functions, x):
        result = 0
        for function in functions:
            result += function(x)
        return result

    return total((lambda x: x * a, lambda x: x - b, adder(3)), 7)


def i_functions_read_variables_at_the_call(a, b):
    k = a
    late = lambda x: x * k  # noqa: E731
    early = lambda x, k=k: x * k  # noqa: E731
    k = b
    functions = [lambda x: x + n for n in range(3)]
    bound = [lambda x, n=n: x + n * a for n in range(3)]
    return late(3) + 10 * early(5) + functions[0](a) + bound[0](b) + 7 * bound[1](b)


def i_defaults_of_local_functions(a, b):
    def moved(x, *, by=a, times=2):
        return x + by * times

    a = 17
    return moved(b) + applied(moved, 5) + moved(1, by=a)


def i_else_of_loops_that_are_written_out(a, b):
    for x in (1, 2, 3):
        if x == a:
            break
    else:
        return b
    for x in zip((a, b), (5, 6)):
        if x[0] == x[1]:
            a = 100
            break
    else:
        a = 3
    return -a


def i_next_item(a, b):
    found = next((x for x in range(1, 40) if x * x > abs(a) and x % 3 == b % 3), -1)
    return found + next(x for x in (a, b) if x == b)


def i_sorted(a, b):
    low, middle, high = sorted((a, b, 3))
    falling = sorted([x * a % 11 for x in range(6)], reverse=True)
    return low + 10 * middle + 100 * high + falling[0] * 1000 + falling[b % 6]


def i_map_and_filter(a, b):
    total = sum(map(abs, (a, b, a - b))) + max(map(lambda x: x * b % 7, range(1, 9)))
    return total + sum(filter(lambda x: x % 2, range(abs(a) % 20))) + any(filter(None, (a, b)))


def i_tuples_of_mixed_tuples_by_index(a, b):
    corners = ((-1, -1), (1, -1), (2, 1), (0, 3))
    return corners[a % 4][0] * 10 + corners[b % 4][1]


def f_tuples_of_mixed_tuples_by_index(a, b):
    corners = ((-1, -1), (1.5, -1), (2, 0.25))
    x, y = corners[int(abs(a)) % 3]
    return x * a + y * b


def f_sorted(a, b):
    items = sorted((a, b, a * b, 0.5))
    return items[1] + 2 * items[2] - items[0] * items[3]


def i_counts_in_a_list(a, b):
    counts = [0] * 5
    for k in range(20):
        counts[(a * k + b) % 5] += 1
    return counts[0] + 10 * counts[-1] + sum(counts) * 1000 + max(counts) + len(counts)


def f_list_of_whole_numbers_that_gets_others(a, b):
    total = [0] * 3
    for k in range(6):
        total[k % 3] += a * k
    total[1] = b
    return total[0] + total[1] * 3 + total[2]


def i_lists_that_are_swapped(a, b):
    before = [0, 1, 2, 3]
    now = [0] * 4
    for _ in range(5):
        for j in range(4):
            now[j] = (before[j - 1] * a + before[(j + 1) % 4] - b) % 1009
        before, now = now, before
    return before[0] + before[3] * 7


def i_list_of_a_list_that_is_changed(a, b):
    counts = [0] * 3
    rows = [[a, b], [b, a]]
    for k in range(7):
        counts[(a * k + b) % 3] += 1
        rows[k % 2][0] += k
    shares = [count * 2 for count in counts]
    return shares[0] * 100 + shares[1] * 10 + shares[2] + [row[0] - row[1] for row in rows][b % 2]


def i_list_with_another_name(a, b):
    values = [a, b, 1]
    other = values
    other[0] += 5
    return values[0] + other[1] * 2


def i_list_of_lists(a, b):
    matrix = [[0] * 3 for _ in range(4)]
    for i in range(4):
        for j in range(3):
            matrix[i][j] = i * a - j * b
    matrix[1][2] += 5
    row = matrix[2]
    row[0] = 77
    return sum(matrix[k][k % 3] * (k + 1) for k in range(4)) + len(matrix) * 100 + len(matrix[0])


def i_list_made_of_the_one_before(a, b):
    pair = [a, b]
    for _ in range(3):
        pair = [pair[1], pair[0] + pair[1]]
        pair[0] += 1
    return pair[0] * 3 + pair[1]


def i_list_that_a_local_function_changes(a, b):
    seen = [0] * 8

    def mark(k):
        seen[k % 8] += 1

    for k in (a, b, 3):
        mark(k)
    return seen[3] + 10 * sum(1 for count in seen if count) + (2 in seen)


def filled(items, value):
    for k in range(len(items)):
        items[k] = value * k


def multiples(n, offset):
    result = [0] * 4
    for k in range(4):
        result[k] = n * k + offset
    return result


def i_lists_of_other_functions(a, b):
    own = [0] * 5
    own[0] = 1
    filled(own, a)
    first, second, _, last = multiples(a, b)
    return own[4] + own[0] + tuple(own)[2] + first * second + last


def i_list_sorted_in_place(a, b):
    values = [a, b, a - b, 7, a * b % 13]
    for end in range(4, 0, -1):
        for k in range(end):
            if values[k] > values[k + 1]:
                values[k], values[k + 1] = values[k + 1], values[k]
    return values[0] + values[2] * 10 + values[4] * 100


def i_sorted_by_a_key(a, b):
    values = [a, b, a - b, 7, a * b % 13]
    by_digit = sorted(values, key=lambda v: abs(v) % 10)
    falling = sorted(values, key=abs, reverse=True)
    order = sorted(range(5), key=lambda k: values[k])
    return by_digit[0] + falling[0] * 10 + order[0] * 100 + order[4] * 1000


def i_sorted_tuples(a, b):
    pairs = sorted([(a % 3, b), (b % 3, a), (a % 3, b - 1), (0, 5)])
    last = sorted(((b % 4, a), (a % 4, b), (1, 1)), key=lambda p: (p[0], -p[1]), reverse=True)
    return pairs[0][1] + pairs[3][1] * 7 + last[0][1] * 11 + last[2][0]


def f_sorted_by_a_key(a, b):
    items = sorted((a, b, a * b, 0.5), key=lambda v: -v * v)
    return items[0] - items[3] + 2 * sorted([items[1], a], key=None)[0]


def i_sorted_list_of_the_function(a, b):
    values = [0] * 4
    for k in range(4):
        values[k] = (a * k + b) % 7
    low, *_, high = sorted(values)
    values[0] = high
    return low * 10 + high + sum(values)


def i_slices_of_lists(a, b):
    values = [a, b, 3, 4, 5]
    values[1] += 1
    middle = values[1:4]
    copied = values[:]
    back = values[::-1]
    values[2] = a * b
    copied[0] = 9
    other = list(values)
    other[4] = 2
    return sum(middle) + 10 * sum(copied) + 100 * sum(values[2:]) + back[0] * 7 + sum(other)


def i_slices_of_lists_that_are_assigned(a, b):
    values = [0] * 6
    values[:2] = a, b
    values[1:5:2] = values[:2]
    first = values[:2]
    values[-2:] = [x + 1 for x in first]
    values[0:2] = values[1], values[0]
    return sum(x * 10**k % 9973 for k, x in enumerate(values))


def i_unpacked_generators(a, b):
    x, y = (v * v + 1 for v in (a, b))
    first, *others = (v - 1 for v in (a, b, 5))
    return x - y + first * others[0] + others[1]


def i_sequences_of_itertools(a, b):
    joined = sum(x * k for k, x in enumerate(itertools.chain((a, b), range(3), (5,))))
    steps = sum(y - x for x, y in itertools.pairwise((a, b, a * b)))
    for x in itertools.chain(range(a % 4), range(b % 5, 9)):
        if x == 7:
            continue
        joined = joined * 3 % 1009 + x
    return joined + steps + sum(x * y for x, y in itertools.product((a, b), range(1, 4)))


def f_variance(a, b):
    values = [a, b, a * b]
    mean = sum(values) / len(values)
    return sum((x - mean) ** 2 for x in values)


def f_integral(a, b):
    def integral(f, low, high, parts=16):
        step = (high - low) / parts
        return step * sum(f(low + (i + 0.5) * step) for i in range(parts))

    return 1e4 + integral(lambda t: t * t * a + b, 0.0, 1.0)


def f_descent(a, b):
    def descended(slope, x):
        for _ in range(5):
            x -= 0.01 * slope(x)
        return x

    return 1e6 + descended(lambda x: 2 * a * x - b, 1.0)


SEQUENCES = {
    name: value
    for name, value in list(globals().items())
    if name.startswith(("i_", "f_")) and callable(value)
}
