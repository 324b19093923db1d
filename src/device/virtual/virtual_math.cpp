#include "device/virtual/virtual_math.hpp"

#include "core/error.hpp"

namespace feedtune {

std::size_t VirtualMath::element_bytes(Element element) const { return modelled_element_bytes(element); }

double VirtualMath::traffic(const Tensor& tensor) const {
  if (tensor.address == nullptr) return 0;
  return static_cast<double>(tensor.count) * static_cast<double>(element_bytes(tensor.element));
}

void VirtualMath::streaming(Stream& stream, double bytes) {
  dynamic_cast<VirtualStream&>(stream).compute(parts_->costs->streaming(bytes));
}

void VirtualMath::gemm(Stream& stream, const Gemm& gemm) {
  dynamic_cast<VirtualStream&>(stream).compute(parts_->costs->gemm(gemm));
}

void VirtualMath::extract_patches(Stream& stream, const Tensor& input, const Tensor& patches, std::int64_t, int, int) {
  streaming(stream, traffic(input) + traffic(patches));
}

void VirtualMath::bias_gelu(Stream& stream, const Tensor& pre, const Tensor&, const Tensor& out, std::int64_t,
                            std::int64_t) {
  streaming(stream, 2 * traffic(pre) + traffic(out));
}

void VirtualMath::bias_gelu_backward(Stream& stream, const Tensor& pre, const Tensor& gradient, const Tensor&,
                                     std::int64_t, std::int64_t) {
  streaming(stream, traffic(pre) + 2 * traffic(gradient));
}

void VirtualMath::bias_residual(Stream& stream, const Tensor& x, const Tensor&, const Tensor& residual,
                                const Tensor& out, std::int64_t, std::int64_t) {
  streaming(stream, traffic(x) + traffic(residual) + traffic(out));
}

void VirtualMath::bias_backward(Stream& stream, const Tensor& gradient, const Tensor&, std::int64_t, std::int64_t) {
  streaming(stream, traffic(gradient));
}

void VirtualMath::transpose(Stream& stream, const Tensor& x, const Tensor&, const Tensor& residual, const Tensor& out,
                            std::int64_t, std::int64_t, std::int64_t) {
  streaming(stream, traffic(x) + traffic(residual) + traffic(out));
}

void VirtualMath::mean_pool(Stream& stream, const Tensor& x, const Tensor& pooled, std::int64_t, std::int64_t,
                            std::int64_t) {
  streaming(stream, traffic(x) + traffic(pooled));
}

void VirtualMath::mean_pool_backward(Stream& stream, const Tensor& pooled_gradient, const Tensor& gradient,
                                     std::int64_t, std::int64_t, std::int64_t) {
  streaming(stream, traffic(pooled_gradient) + traffic(gradient));
}

void VirtualMath::softmax_cross_entropy(Stream& stream, const Tensor& logits, const std::byte*, const Tensor&,
                                        std::int64_t, std::int64_t, float) {
  streaming(stream, 2 * traffic(logits));
}

void VirtualMath::sgd_momentum(Stream& stream, const Tensor& weights, const Tensor& momentum, const Tensor& gradient,
                               const Tensor& copy, float, float, float) {
  streaming(stream, 2 * traffic(weights) + 2 * traffic(momentum) + traffic(gradient) + traffic(copy));
}

void VirtualMath::fill_zero(Stream& stream, const Tensor& tensor) { streaming(stream, traffic(tensor)); }

void VirtualMath::upload(const Tensor&, std::span<const float>) {}

void VirtualMath::download(const Tensor&, std::span<float>) {
  throw TrialFailure(TrialStatus::unsupported, "the virtual device computes no values");
}

}  // namespace feedtune
