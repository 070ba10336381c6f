// What a matrix keeps besides its arrays.
#pragma once

#include <memory>

#include "src/base/mutex.hpp"
#include "warpwise/sparse.hpp"

namespace warpwise::sparse {

struct Matrix::Cache {
    Mutex mutex;
    std::unique_ptr<Matrix> rows WARPWISE_GUARDED_BY(mutex);  // in CSR
};

}  // namespace warpwise::sparse
