// Sparse matrices in packets. See warpwise/sparse_packets.hpp.
#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "src/array/refuse.hpp"
#include "src/sparse/kernels.hpp"
#include "src/sparse/structure.hpp"
#include "src/types/promotion.hpp"
#include "warpwise/sparse_packets.hpp"

namespace warpwise::sparse {
namespace {

constexpr std::size_t kWindow = 2048;  // columns; as in sparse_packets.cuh
constexpr std::int64_t kRows = 1024;   // of a packet

// Rows of some entries each, cut to packets.
struct Cut {
    std::vector<std::int64_t> first_rows{0};
    std::vector<std::int64_t> first_columns{0};
    std::vector<std::int64_t> columns;
    std::vector<std::int64_t> starts{0};  // of rows, among the entries that are in packets
    std::vector<std::uint16_t> places;    // of those entries, in the window of their packet
    std::vector<std::int64_t> kept;       // which entries of the matrix those are
    std::vector<std::int64_t> long_rows;  // whose entries are in no packet
};

class Cutter {
  public:
    Cutter(const std::vector<std::int64_t>& indptr, const std::vector<std::int64_t>& indices,
           std::int64_t columns)
        : indptr_(indptr),
          indices_(indices),
          packet_of_(static_cast<std::size_t>(columns), -1),
          place_of_(static_cast<std::size_t>(columns)) {}

    Cut cut() {
        const auto rows = static_cast<std::int64_t>(indptr_.size()) - 1;
        for (std::int64_t row = 0; row < rows; ++row) {
            if (!add(row)) {
                if (window() > 0) close(row);
                if (!add(row)) cut_.long_rows.push_back(row);
            }
            cut_.starts.push_back(static_cast<std::int64_t>(cut_.places.size()));
            if (row + 1 - cut_.first_rows.back() == kRows) close(row + 1);
        }
        if (cut_.first_rows.back() < rows) close(rows);
        return std::move(cut_);
    }

  private:
    std::size_t window() const {
        return cut_.columns.size() - static_cast<std::size_t>(cut_.first_columns.back());
    }
    void close(std::int64_t row) {
        cut_.first_rows.push_back(row);
        cut_.first_columns.push_back(static_cast<std::int64_t>(cut_.columns.size()));
    }
    // Whether the window had room; else nothing has changed.
    bool add(std::int64_t row) {
        const auto packet = static_cast<std::int64_t>(cut_.first_rows.size());
        const std::size_t entries_before = cut_.places.size();
        const std::size_t columns_before = cut_.columns.size();
        for (std::int64_t k = indptr_[static_cast<std::size_t>(row)];
             k < indptr_[static_cast<std::size_t>(row) + 1]; ++k) {
            const auto column = static_cast<std::size_t>(indices_[static_cast<std::size_t>(k)]);
            if (packet_of_[column] != packet) {
                if (window() == kWindow) {
                    forget(columns_before);
                    cut_.places.resize(entries_before);
                    cut_.kept.resize(entries_before);
                    return false;
                }
                packet_of_[column] = packet;
                place_of_[column] = static_cast<std::uint16_t>(window());
                cut_.columns.push_back(static_cast<std::int64_t>(column));
            }
            cut_.places.push_back(place_of_[column]);
            cut_.kept.push_back(k);
        }
        return true;
    }
    void forget(std::size_t columns) {
        for (std::size_t i = columns; i < cut_.columns.size(); ++i) {
            packet_of_[static_cast<std::size_t>(cut_.columns[i])] = -1;
        }
        cut_.columns.resize(columns);
    }

    const std::vector<std::int64_t>& indptr_;
    const std::vector<std::int64_t>& indices_;
    std::vector<std::int64_t> packet_of_;  // of columns: whose window they are in
    std::vector<std::uint16_t> place_of_;
    Cut cut_;
};

}  // namespace

struct PacketedMatrix::State {
    Matrix rows;  // the whole structure's shape; entries are in the packets
    std::int64_t packets = 0;
    Array first_rows, first_columns, columns, starts, places, values;
    std::optional<Matrix> rest;
};

PacketedMatrix::PacketedMatrix(const Matrix& matrix) {
    const Matrix rows = matrix.to(Format::Csr);
    const std::vector<std::int64_t> indptr = fetch_indices(rows.indptr());
    const std::vector<std::int64_t> indices = fetch_indices(rows.indices());
    const Cut cut = Cutter(indptr, indices, rows.columns()).cut();
    const Device device = rows.device();
    const DType type = index_type(rows.rows(), rows.columns(), rows.nnz());
    const auto entries = static_cast<std::int64_t>(cut.places.size());
    State state{
        .rows = Matrix::zeros(rows.rows(), rows.columns(), Format::Csr, rows.dtype(), device),
        .packets = static_cast<std::int64_t>(cut.first_rows.size()) - 1,
        .first_rows = upload_indices(cut.first_rows, type, device),
        .first_columns = upload_indices(cut.first_columns, type, device),
        .columns = upload_indices(cut.columns, type, device),
        .starts = upload_indices(cut.starts, type, device),
        .places = from_host(cut.places.data(), Shape{entries}, uint16, nullptr, device),
        .values = ascontiguousarray(rows.data()),
        .rest = std::nullopt};
    if (!cut.long_rows.empty()) {
        state.values = take(state.values, upload_indices(cut.kept, int64, device));
        std::vector<std::int64_t> rest_starts{0};
        std::vector<std::int64_t> rest;
        std::size_t next = 0;
        for (std::int64_t row = 0; row < rows.rows(); ++row) {
            if (next < cut.long_rows.size() && cut.long_rows[next] == row) {
                ++next;
                for (std::int64_t k = indptr[static_cast<std::size_t>(row)];
                     k < indptr[static_cast<std::size_t>(row) + 1]; ++k) {
                    rest.push_back(k);
                }
            }
            rest_starts.push_back(static_cast<std::int64_t>(rest.size()));
        }
        const Array order = upload_indices(rest, int64, device);
        state.rest =
            Matrix::csr(take(rows.data(), order), take(rows.indices(), order),
                        upload_indices(rest_starts, type, device), rows.rows(), rows.columns());
    }
    state_ = std::make_shared<const State>(std::move(state));
}

std::int64_t PacketedMatrix::rows() const noexcept {
    return state_->rows.rows();
}
std::int64_t PacketedMatrix::columns() const noexcept {
    return state_->rows.columns();
}
std::int64_t PacketedMatrix::nnz() const noexcept {
    return state_->values.size() + remainder();
}
std::int64_t PacketedMatrix::packets() const noexcept {
    return state_->packets;
}
std::int64_t PacketedMatrix::remainder() const noexcept {
    return state_->rest ? state_->rest->nnz() : 0;
}
DType PacketedMatrix::dtype() const noexcept {
    return state_->rows.dtype();
}
Device PacketedMatrix::device() const {
    return state_->values.device();
}

Array PacketedMatrix::dot(const Array& x) const {
    array::require_numbers(x, "a sparse product");
    array::require_same_device(state_->values, x, "a sparse product");
    if (x.ndim() != 1 || x.shape()[0] != columns()) {
        array::refuse_value(
            "a packeted matrix of shape ({}, {}) was multiplied with an array of shape {}; it "
            "takes vectors of shape ({},)",
            rows(), columns(), text_of(x.shape()), columns());
    }
    const Operand operands[] = {state_->values, x};
    const DType dtype = result_type(operands);
    if (rows() == 0 || nnz() == 0) return zeros(Shape{rows()}, dtype, device());
    Array vector = ascontiguousarray(x);
    if (types::is_bool(array::kind_of(x)) || DType(array::kind_of(x)).size() == 2) {
        vector = astype(vector, dtype);
    }
    const Array y = array::empty_beside(x, Shape{rows()}, dtype);
    runtime::Context& context = array::context_of(x);
    const int threads = algorithm::is_serial(context) ? 1 : kThreads;
    const Kind value = array::kind_of(state_->values);
    const std::string body = fmt::format(
        "__ww_spmv_packets<{}, {}, {}, {}>(a0, a1, a2, a3, a4, a5, a6, a7);",
        algorithm::device_type(dtype.kind()), algorithm::device_type(state_->starts.dtype().kind()),
        algorithm::device_type(value), algorithm::device_type(array::kind_of(vector)));
    array::LibraryStep(kernel("ww_spmv_packets", "rrrrrrrw", body,
                              {value, array::kind_of(vector), dtype.kind()}, context, threads),
                       context)
        .read(state_->first_rows)
        .read(state_->first_columns)
        .read(state_->columns)
        .read(state_->starts)
        .read(state_->places)
        .read(state_->values)
        .read(vector)
        .write(y)
        .run(state_->packets, threads);
    return state_->rest ? warpwise::add(y, state_->rest->dot(x)) : y;
}

Matrix PacketedMatrix::to_csr() const {
    const std::vector<std::int64_t> first_rows = fetch_indices(state_->first_rows);
    const std::vector<std::int64_t> first_columns = fetch_indices(state_->first_columns);
    const std::vector<std::int64_t> columns = fetch_indices(state_->columns);
    const std::vector<std::int64_t> starts = fetch_indices(state_->starts);
    const std::vector<std::int64_t> places = fetch_indices(state_->places);
    std::vector<std::int64_t> indices(places.size());
    for (std::size_t packet = 0; packet + 1 < first_rows.size(); ++packet) {
        const auto end = starts[static_cast<std::size_t>(first_rows[packet + 1])];
        for (auto k = starts[static_cast<std::size_t>(first_rows[packet])]; k < end; ++k) {
            const auto at = static_cast<std::size_t>(k);
            indices[at] = columns[static_cast<std::size_t>(first_columns[packet] + places[at])];
        }
    }
    const Matrix whole =
        Matrix::csr(state_->values, upload_indices(indices, state_->starts.dtype(), device()),
                    state_->starts, rows(), this->columns());
    return state_->rest ? add(whole, *state_->rest) : whole;
}

LinearOperator PacketedMatrix::as_operator() const {
    return {rows(), columns(), dtype(), [self = *this](const Array& x) { return self.dot(x); }};
}

}  // namespace warpwise::sparse
