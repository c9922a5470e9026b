//! The innermost loops of reductions, in the processor's vectors.

use num_complex::{Complex, ComplexFloat};
use pulp::{Arch, Simd, WithSimd};

/// A type of elements that a vector holds several of.
pub trait Lanes: ComplexFloat {
    /// The products of the adjoints of the columns with `x`; the columns, each `scale` times, are added to `y`. All have
    /// the length of `x`.
    fn columns(columns: [&[Self]; 4], scale: [Self; 4], x: &[Self], y: &mut [Self]) -> [Self; 4];

    /// `y -= a s + b t`, of one length.
    fn subtract(y: &mut [Self], a: &[Self], s: Self, b: &[Self], t: Self);

    /// The products of the adjoints of `a` and `b` with `x`, of one length.
    fn products(a: &[Self], b: &[Self], x: &[Self]) -> [Self; 2];
}

struct Columns<'a, T> {
    columns: [&'a [T]; 4],
    scale: [T; 4],
    x: &'a [T],
    y: &'a mut [T],
}

struct Subtract<'a, T> {
    y: &'a mut [T],
    a: &'a [T],
    s: T,
    b: &'a [T],
    t: T,
}

struct Products<'a, T> {
    a: &'a [T],
    b: &'a [T],
    x: &'a [T],
}

macro_rules! lanes {
    ($($t:ty: $vectors:ident $vectors_mut:ident $splat:ident $mul_add:ident $conj_mul_add:ident $sum:ident;)*) => {$(
        impl Lanes for $t {
            fn columns(columns: [&[$t]; 4], scale: [$t; 4], x: &[$t], y: &mut [$t]) -> [$t; 4] {
                Arch::new().dispatch(Columns { columns, scale, x, y })
            }

            fn subtract(y: &mut [$t], a: &[$t], s: $t, b: &[$t], t: $t) {
                Arch::new().dispatch(Subtract { y, a, s, b, t });
            }

            fn products(a: &[$t], b: &[$t], x: &[$t]) -> [$t; 2] {
                Arch::new().dispatch(Products { a, b, x })
            }
        }

        impl WithSimd for Columns<'_, $t> {
            type Output = [$t; 4];

            #[inline(always)]
            fn with_simd<S: Simd>(self, simd: S) -> [$t; 4] {
                let length = self.x.len();
                let (xs, x_rest) = S::$vectors(self.x);
                let (ys, y_rest) = S::$vectors_mut(self.y);
                let [(c0, r0), (c1, r1), (c2, r2), (c3, r3)] = self.columns.map(|c| S::$vectors(&c[..length]));
                let scale = self.scale.map(|s| simd.$splat(s));
                let mut sums = [simd.$splat(<$t>::default()); 4];
                for (((((&x, y), &c0), &c1), &c2), &c3) in xs.iter().zip(ys).zip(c0).zip(c1).zip(c2).zip(c3) {
                    let two = simd.$mul_add(c1, scale[1], simd.$mul_add(c0, scale[0], *y));
                    *y = simd.$mul_add(c3, scale[3], simd.$mul_add(c2, scale[2], two));
                    sums[0] = simd.$conj_mul_add(c0, x, sums[0]);
                    sums[1] = simd.$conj_mul_add(c1, x, sums[1]);
                    sums[2] = simd.$conj_mul_add(c2, x, sums[2]);
                    sums[3] = simd.$conj_mul_add(c3, x, sums[3]);
                }
                let mut sums = sums.map(|sum| simd.$sum(sum));
                let rests = r0.iter().zip(r1).zip(r2).zip(r3);
                for ((&x, y), (((&c0, &c1), &c2), &c3)) in x_rest.iter().zip(y_rest).zip(rests) {
                    for ((sum, c), s) in sums.iter_mut().zip([c0, c1, c2, c3]).zip(self.scale) {
                        *y += c * s;
                        *sum += c.conj() * x;
                    }
                }
                sums
            }
        }

        impl WithSimd for Subtract<'_, $t> {
            type Output = ();

            #[inline(always)]
            fn with_simd<S: Simd>(self, simd: S) {
                let length = self.y.len();
                let (ys, y_rest) = S::$vectors_mut(self.y);
                let (a, a_rest) = S::$vectors(&self.a[..length]);
                let (b, b_rest) = S::$vectors(&self.b[..length]);
                let (s, t) = (simd.$splat(-self.s), simd.$splat(-self.t));
                for ((y, &a), &b) in ys.iter_mut().zip(a).zip(b) {
                    *y = simd.$mul_add(b, t, simd.$mul_add(a, s, *y));
                }
                for ((y, &a), &b) in y_rest.iter_mut().zip(a_rest).zip(b_rest) {
                    *y -= a * self.s + b * self.t;
                }
            }
        }

        impl WithSimd for Products<'_, $t> {
            type Output = [$t; 2];

            #[inline(always)]
            fn with_simd<S: Simd>(self, simd: S) -> [$t; 2] {
                let length = self.x.len();
                let (xs, x_rest) = S::$vectors(self.x);
                let (a, a_rest) = S::$vectors(&self.a[..length]);
                let (b, b_rest) = S::$vectors(&self.b[..length]);
                // Two sums each: an addition takes longer than its vector does to come.
                let mut sums = [simd.$splat(<$t>::default()); 4];
                let (xs, last_x) = xs.as_chunks::<2>();
                let ((a, last_a), (b, last_b)) = (a.as_chunks::<2>(), b.as_chunks::<2>());
                for ((x, a), b) in xs.iter().zip(a).zip(b) {
                    sums[0] = simd.$conj_mul_add(a[0], x[0], sums[0]);
                    sums[1] = simd.$conj_mul_add(a[1], x[1], sums[1]);
                    sums[2] = simd.$conj_mul_add(b[0], x[0], sums[2]);
                    sums[3] = simd.$conj_mul_add(b[1], x[1], sums[3]);
                }
                for ((&x, &a), &b) in last_x.iter().zip(last_a).zip(last_b) {
                    sums[0] = simd.$conj_mul_add(a, x, sums[0]);
                    sums[2] = simd.$conj_mul_add(b, x, sums[2]);
                }
                let [a0, a1, b0, b1] = sums.map(|sum| simd.$sum(sum));
                let mut sums = [a0 + a1, b0 + b1];
                for ((&x, &a), &b) in x_rest.iter().zip(a_rest).zip(b_rest) {
                    sums[0] += a.conj() * x;
                    sums[1] += b.conj() * x;
                }
                sums
            }
        }
    )*};
}
lanes! {
    f32: as_simd_f32s as_mut_simd_f32s splat_f32s mul_add_f32s mul_add_f32s reduce_sum_f32s;
    f64: as_simd_f64s as_mut_simd_f64s splat_f64s mul_add_f64s mul_add_f64s reduce_sum_f64s;
    Complex<f32>: as_simd_c32s as_mut_simd_c32s splat_c32s mul_add_c32s conj_mul_add_c32s reduce_sum_c32s;
    Complex<f64>: as_simd_c64s as_mut_simd_c64s splat_c64s mul_add_c64s conj_mul_add_c64s reduce_sum_c64s;
}
