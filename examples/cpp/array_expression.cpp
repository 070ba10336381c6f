// Arrays: an expression and its sum, each one kernel, without a temporary array.
//
// Nothing runs where the expression is written; explain() shows what will.
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "warpwise/warpwise.hpp"

namespace ww = warpwise;

int main() {
    constexpr int kCount = 1'000'000;
    const ww::Array x = ww::linspace(0, 10, kCount, ww::float32);
    const ww::Array y = ww::linspace(1, 2, kCount, ww::float32);
    const ww::Array z = 5 * x + 6 * y - ww::sin(x) * ww::sqrt(y);
    const ww::Array total = ww::sum(z);

    const std::string plan = ww::explain(total);
    std::printf("%s\n", plan.substr(0, plan.find('\n')).c_str());

    const double sum = total.item().real();
    const std::vector<float> values = z.to_vector<float>();
    double expected = 0;
    for (int i = 0; i < kCount; ++i) {
        const double a = 10.0 * i / (kCount - 1);
        const double b = 1 + 1.0 * i / (kCount - 1);
        const double element = 5 * a + 6 * b - std::sin(a) * std::sqrt(b);
        expected += element;
        if (std::fabs(values[static_cast<std::size_t>(i)] - element) > 1e-4) {
            std::printf("element %d is %f, not %f\n", i, values[static_cast<std::size_t>(i)],
                        element);
            return 1;
        }
    }
    if (std::fabs(sum - expected) > 1e-5 * expected) {
        std::printf("the sum is %f, not %f\n", sum, expected);
        return 1;
    }
    std::printf("the sum of %d elements is %.1f: right\n", kCount, sum);

    // Views and writes in place mean what they mean in NumPy.
    ww::Array m = ww::zeros({3, 4}, ww::float32);
    ww::Array column = m.transpose().at({1});
    column += 2.0;
    if (ww::sum(m).item().real() != 6) return 1;
    std::puts("a write through a view is right");
    return 0;
}
