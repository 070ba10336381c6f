// Sparse matrices and solvers through the public header: what C++ programs write.
#include "tests/unit/array/on_cpu.hpp"
#include "warpwise/sparse_factors.hpp"
#include "warpwise/sparse_packets.hpp"

namespace warpwise::sparse {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pointwise;

// [4 1 0; 1 3 0; 0 0 2]
Matrix sample() {
    return Matrix::csr(numbers({4, 1, 1, 3, 2}),
                       from_vector(std::vector<std::int32_t>{0, 1, 0, 1, 2}),
                       from_vector(std::vector<std::int32_t>{0, 2, 4, 5}), 3, 3);
}

TEST(Sparse, MultipliesVectorsAndMatrices) {
    const Matrix a = sample();
    EXPECT_THAT(values_of(a.dot(numbers({1, 2, 3}))), ElementsAre(6, 7, 6));
    const Array wide = numbers({1, 2, 3, 4, 5, 6}).reshape(Shape{3, 2});
    EXPECT_THAT(values_of(a.dot(wide)), ElementsAre(7, 12, 10, 14, 10, 12));
}

TEST(Sparse, ChangesFormats) {
    const std::vector<double> dense = values_of(sample().to_dense());
    EXPECT_THAT(dense, ElementsAre(4, 1, 0, 1, 3, 0, 0, 0, 2));
    EXPECT_EQ(values_of(sample().to(Format::Coo).to(Format::Csc).to_dense()), dense);
    EXPECT_EQ(sample().transpose().format(), Format::Csc);
    const Matrix twice = Matrix::coo(numbers({1, 2, 3}), from_vector(std::vector<int>{1, 0, 1}),
                                     from_vector(std::vector<int>{0, 0, 0}), 2, 1);
    EXPECT_EQ(twice.to(Format::Csr).nnz(), 2);
    EXPECT_THAT(values_of(twice.to_dense()), ElementsAre(2, 4));
}

TEST(Sparse, AddsAndScales) {
    EXPECT_THAT(values_of(add(sample(), multiply(sample(), 2)).diagonal()), ElementsAre(12, 9, 6));
    const Matrix other =
        Matrix::from_dense(numbers({0, 0, 5, 0, 0, 0, 0, 0, 0}).reshape(Shape{3, 3}));
    EXPECT_THAT(values_of(subtract(sample(), other).to_dense()),
                ElementsAre(4, 1, -5, 1, 3, 0, 0, 0, 2));
    EXPECT_THAT(values_of(sample().slice_rows(1, 3).to_dense()), ElementsAre(1, 3, 0, 0, 0, 2));
}

TEST(Sparse, SolvesSystems) {
    const LinearOperator a(sample());
    const LinearOperator inverse = jacobi(sample());
    const Array b = numbers({1, 2, 3});
    for (const auto solver : {&cg, &bicgstab, &gmres, &minres}) {
        const Solution found = solver(a, b, {.rtol = 1e-10, .preconditioner = &inverse});
        EXPECT_EQ(found.info, 0);
        EXPECT_THAT(values_of(a(found.x)), Pointwise(DoubleNear(1e-8), {1.0, 2.0, 3.0}));
    }
}

TEST(Sparse, SaysWhenItDoesNotConverge) {
    const Solution found = cg(LinearOperator(sample()), numbers({1, 2, 3}), {.maxiter = 1});
    EXPECT_EQ(found.info, 1);
}

TEST(Sparse, RefusesWhatDoesNotFit) {
    const auto indices = from_vector(std::vector<int>{0, 7});
    const auto indptr = from_vector(std::vector<int>{0, 1, 2});
    EXPECT_THAT(refusal([&] { Matrix::csr(numbers({1, 2}), indices, indptr, 2, 2); }),
                HasSubstr("7"));
    EXPECT_THAT(refusal([] { sample().dot(numbers({1, 2})); }), HasSubstr("(3, 3)"));
    EXPECT_THAT(refusal([] { cg(LinearOperator(sample()), numbers({1, 2})); }), HasSubstr("cg"));
}

TEST(Sparse, HoldsPackets) {
    const PacketedMatrix packets(sample());
    EXPECT_EQ(packets.packets(), 1);
    EXPECT_EQ(packets.nnz(), 5);
    const Array x = numbers({1, 2, 3});
    EXPECT_EQ(values_of(packets.dot(x)), values_of(sample().dot(x)));
    EXPECT_EQ(values_of(packets.to_csr().to_dense()), values_of(sample().to_dense()));
    EXPECT_EQ(cg(packets.as_operator(), x).info, 0);
    EXPECT_THAT(refusal([&] { packets.dot(numbers({1, 2})); }), HasSubstr("takes vectors"));
}

TEST(Sparse, TellsHowLeastSquaresGo) {
    std::vector<std::string> lines;
    LeastSquares options;
    options.show = [&](const std::string& line) { lines.push_back(line); };
    const LeastSquaresSolution found = lsqr(LinearOperator(sample()), numbers({1, 2, 3}), options);
    EXPECT_EQ(lines.size(), static_cast<std::size_t>(found.itn) + 4);
    EXPECT_THAT(lines.back(), HasSubstr("istop"));
}

TEST(Sparse, HoldsBlocks) {
    const Matrix blocks = Matrix::bsr(numbers({1, 2, 3, 4, 5, 6, 7, 8}).reshape(Shape{2, 2, 2}),
                                      from_vector(std::vector<int>{1, 0}),
                                      from_vector(std::vector<int>{0, 1, 2}), 4, 4);
    EXPECT_EQ(blocks.format(), Format::Bsr);
    EXPECT_EQ(blocks.block_rows(), 2);
    EXPECT_EQ(blocks.nnz(), 8);
    EXPECT_THAT(values_of(blocks.dot(numbers({1, 2, 3, 4}))), ElementsAre(11, 25, 17, 23));
    EXPECT_EQ(values_of(blocks.to(Format::Csc).to_blocks(2, 2).to_dense()),
              values_of(blocks.to_dense()));
    EXPECT_EQ(values_of(blocks.transpose().to_dense()), values_of(blocks.to_dense().transpose()));
    EXPECT_THAT(refusal([&] { blocks.to_blocks(3, 2); }), HasSubstr("do not divide"));
}

TEST(Sparse, MultipliesSparseMatricesAndTakesRows) {
    const Matrix a = sample();
    EXPECT_THAT(values_of(a.dot(a).to_dense()), ElementsAre(17, 7, 0, 7, 10, 0, 0, 0, 4));
    EXPECT_EQ(a.to(Format::Csc).dot(a).format(), Format::Csc);
    const Matrix rows = a.take_rows(from_vector(std::vector<int>{-1, 0, 0}));
    EXPECT_THAT(values_of(rows.to_dense()), ElementsAre(0, 0, 2, 4, 1, 0, 4, 1, 0));
    EXPECT_THAT(refusal([&] { a.take_rows(from_vector(std::vector<int>{3})); }), HasSubstr("3"));
}

TEST(Sparse, FactorsAndSolvesTriangles) {
    const Matrix a = sample();
    const IncompleteLu factors = ilu0(a);  // the pattern is full in each block: exact
    EXPECT_THAT(values_of(factors.solve(a.dot(numbers({1, 2, 3})))),
                Pointwise(DoubleNear(1e-12), {1.0, 2.0, 3.0}));
    EXPECT_THAT(values_of(factors.solve(a.transpose().dot(numbers({1, 2, 3})), true)),
                Pointwise(DoubleNear(1e-12), {1.0, 2.0, 3.0}));
    EXPECT_THAT(values_of(solve_triangular(factors.lower(), numbers({4, 2, 6}))),
                Pointwise(DoubleNear(1e-12), {4.0, 1.0, 6.0}));
    EXPECT_THAT(values_of(block_jacobi(a, 2)(a.dot(numbers({1, 2, 3})))),
                Pointwise(DoubleNear(1e-12), {1.0, 2.0, 3.0}));
    EXPECT_THAT(refusal([&] { TriangularSolver solver(a); }), HasSubstr("(0, 1)"));
    const LeastSquaresSolution found =
        lsqr(LinearOperator(a), a.dot(numbers({1, 2, 3})), {.atol = 1e-12, .btol = 1e-12});
    EXPECT_THAT(values_of(found.x), Pointwise(DoubleNear(1e-9), {1.0, 2.0, 3.0}));
}

}  // namespace
}  // namespace warpwise::sparse
