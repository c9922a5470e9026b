/// An array of `N` axes as a kernel reads it, strided or not: `m[(row, column)]`, `m[[i, j, k]]`.
///
/// A parameter of this type takes `&array`. Each access is checked along each axis.
pub struct View<'a, T, const N: usize> {
    place: *const T,
    lengths: [usize; N],
    strides: [isize; N],
    of: core::marker::PhantomData<&'a [T]>,
}

impl<T, const N: usize> Clone for View<'_, T, N> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, const N: usize> Copy for View<'_, T, N> {}

/// An array of `N` axes as a kernel writes it, strided or not: `m[(row, column)] = 1.0`.
///
/// A parameter `mut m: MatrixMut<f32>` takes `&mut array`. Each access is checked along each axis.
pub struct ViewMut<'a, T, const N: usize> {
    place: *mut T,
    lengths: [usize; N],
    strides: [isize; N],
    of: core::marker::PhantomData<&'a mut [T]>,
}

/// An array of two axes that a kernel reads: `m[(row, column)]`.
pub type Matrix<'a, T> = View<'a, T, 2>;

/// An array of two axes that a kernel writes: `m[(row, column)] = 1.0`.
pub type MatrixMut<'a, T> = ViewMut<'a, T, 2>;

/// How far an element lies from the first one, in elements.
#[inline(always)]
#[track_caller]
fn offset<const N: usize>(at: [usize; N], lengths: &[usize; N], strides: &[isize; N]) -> isize {
    let mut offset = 0isize;
    let mut axis = 0;
    while axis < N {
        if at[axis] >= lengths[axis] {
            super::out_of_bounds(at[axis], lengths[axis]);
        }
        offset = offset.wrapping_add((at[axis] as isize).wrapping_mul(strides[axis]));
        axis += 1;
    }
    offset
}

macro_rules! both {
    ($name:ident $pointer:ty) => {
        impl<'a, T, const N: usize> $name<'a, T, N> {
            /// A view of the elements at a place; strides are in elements.
            ///
            /// # Safety
            ///
            /// Every element within the lengths is there while the view is.
            #[inline(always)]
            pub unsafe fn from_raw_parts(place: $pointer, lengths: [usize; N], strides: [isize; N]) -> Self {
                $name { place, lengths, strides, of: core::marker::PhantomData }
            }

            /// The lengths of the axes.
            #[inline(always)]
            pub fn shape(&self) -> [usize; N] {
                self.lengths
            }

            /// How many elements there are.
            #[inline(always)]
            pub fn size(&self) -> usize {
                let mut size = 1;
                let mut axis = 0;
                while axis < N {
                    size *= self.lengths[axis];
                    axis += 1;
                }
                size
            }

            /// Whether there is an element at these indices.
            #[inline(always)]
            pub fn contains(&self, at: impl Place<N>) -> bool {
                let at = at.indices();
                let mut axis = 0;
                while axis < N {
                    if at[axis] >= self.lengths[axis] {
                        return false;
                    }
                    axis += 1;
                }
                true
            }

            /// The element at these indices, if there is one.
            #[inline(always)]
            pub fn get(&self, at: impl Place<N>) -> Option<&T> {
                let at = at.indices();
                if self.contains(at) { Some(&self[at]) } else { None }
            }
        }

        impl<'a, T> $name<'a, T, 2> {
            /// The length of the first axis.
            #[inline(always)]
            pub fn rows(&self) -> usize {
                self.lengths[0]
            }

            /// The length of the second axis.
            #[inline(always)]
            pub fn columns(&self) -> usize {
                self.lengths[1]
            }
        }

        impl<'a, T, I: Place<N>, const N: usize> core::ops::Index<I> for $name<'a, T, N> {
            type Output = T;

            #[inline(always)]
            #[track_caller]
            fn index(&self, at: I) -> &T {
                let offset = offset(at.indices(), &self.lengths, &self.strides);
                // SAFETY: each index is less than the length of its axis, and whoever made the
                // view has seen to it that all those elements are there.
                unsafe { &*self.place.offset(offset) }
            }
        }
    };
}
both!(View *const T);
both!(ViewMut *mut T);

impl<'a, T, I: Place<N>, const N: usize> core::ops::IndexMut<I> for ViewMut<'a, T, N> {
    #[inline(always)]
    #[track_caller]
    fn index_mut(&mut self, at: I) -> &mut T {
        let offset = offset(at.indices(), &self.lengths, &self.strides);
        // SAFETY: as for reading; the view was made of elements that may be written.
        unsafe { &mut *self.place.offset(offset) }
    }
}

/// The indices of an element: one for each axis.
#[diagnostic::on_unimplemented(
    message = "a view of {N} axes cannot be indexed by `{Self}`",
    label = "not the indices of an element",
    note = "an element is `m[(row, column)]` in a matrix and `v[(i, j, k)]` in a view of three axes; each index is a `usize`"
)]
pub trait Place<const N: usize>: Copy {
    /// As an array.
    fn indices(self) -> [usize; N];
}

impl<const N: usize> Place<N> for [usize; N] {
    #[inline(always)]
    fn indices(self) -> [usize; N] {
        self
    }
}

impl Place<1> for usize {
    #[inline(always)]
    fn indices(self) -> [usize; 1] {
        [self]
    }
}

impl Place<2> for (usize, usize) {
    #[inline(always)]
    fn indices(self) -> [usize; 2] {
        [self.0, self.1]
    }
}

impl Place<3> for (usize, usize, usize) {
    #[inline(always)]
    fn indices(self) -> [usize; 3] {
        [self.0, self.1, self.2]
    }
}
