// matmul: m.k.f32 -> k.n.f32 -> m.n.f32
// m = 1024, k = 1024, n = 1024

void matmul(float* restrict output, const float* restrict a, const float* restrict b) {
  for (int i0 = 0; i0 < 1024; i0++) {
    for (int i1 = 0; i1 < 1024; i1++) {
      float t0 = 0.0f;
      for (int i2 = 0; i2 < 1024; i2++) {
        t0 += a[i2 + 1024 * i0] * b[i1 + 1024 * i2];
      }
      output[i1 + 1024 * i0] = t0;
    }
  }
}
