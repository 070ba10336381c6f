// Convolution layers by im2col: unfolding patches into columns and adding columns back, the loop over
// the grid and the index arithmetic hidden in macros.
#define CUDA_KERNEL_LOOP(i, n) \
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += blockDim.x * gridDim.x)

template <typename Dtype>
__global__ void im2col_gpu_kernel(const int n, const Dtype *data_im, const int height, const int width,
                                  const int kernel_h, const int kernel_w, const int pad,
                                  const int stride, const int height_col, const int width_col,
                                  Dtype *data_col) {
  CUDA_KERNEL_LOOP(index, n) {
    const int h_index = index / width_col;
    const int h_col = h_index % height_col;
    const int w_col = index % width_col;
    const int c_im = h_index / height_col;
    const int c_col = c_im * kernel_h * kernel_w;
    const int h_offset = h_col * stride - pad;
    const int w_offset = w_col * stride - pad;
    Dtype *data_col_ptr = data_col;
    data_col_ptr += (c_col * height_col + h_col) * width_col + w_col;
    const Dtype *data_im_ptr = data_im;
    data_im_ptr += (c_im * height + h_offset) * width + w_offset;
    for (int i = 0; i < kernel_h; ++i) {
      for (int j = 0; j < kernel_w; ++j) {
        int h_im = h_offset + i;
        int w_im = w_offset + j;
        *data_col_ptr = (h_im >= 0 && w_im >= 0 && h_im < height && w_im < width)
                            ? data_im_ptr[i * width + j]
                            : static_cast<Dtype>(0);
        data_col_ptr += height_col * width_col;
      }
    }
  }
}

template <typename Dtype>
__global__ void col2im_gpu_kernel(const int n, const Dtype *data_col, const int height,
                                  const int width, const int kernel_h, const int kernel_w,
                                  const int pad, const int stride, const int height_col,
                                  const int width_col, Dtype *data_im) {
  CUDA_KERNEL_LOOP(index, n) {
    Dtype val = 0;
    const int w_im = index % width + pad;
    const int h_im = (index / width) % height + pad;
    const int c_im = index / (width * height);
    const int w_start = (w_im < kernel_w) ? 0 : (w_im - kernel_w) / stride + 1;
    const int w_end = min(w_im / stride + 1, width_col);
    const int h_start = (h_im < kernel_h) ? 0 : (h_im - kernel_h) / stride + 1;
    const int h_end = min(h_im / stride + 1, height_col);
    for (int h_col = h_start; h_col < h_end; h_col += 1) {
      for (int w_col = w_start; w_col < w_end; w_col += 1) {
        int h_k = h_im - h_col * stride;
        int w_k = w_im - w_col * stride;
        val += data_col[(((c_im * kernel_h + h_k) * kernel_w + w_k) * height_col + h_col) *
                            width_col + w_col];
      }
    }
    data_im[index] = val;
  }
}
