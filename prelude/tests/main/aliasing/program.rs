//! Arbitrary programs over arrays.

use proptest::prelude::*;

/// One step of a program. Numbers pick arrays and places by their remainder.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// A new array of this shape, with elements from `first` on.
    New { shape: Vec<usize>, first: i32 },
    /// A view of a part of an array, by bounds and step for each axis.
    Slice { of: usize, parts: Vec<(i64, i64, i64)> },
    /// The same memory turned around.
    Transpose { of: usize },
    /// A new value out of one or two arrays, not computed at once.
    Expression { left: usize, right: usize, kind: u8 },
    /// An array as a new name for it.
    Alias { of: usize },
    /// `a += b`, `a -= b` or `a *= b`.
    InPlace { target: usize, other: usize, kind: u8 },
    /// `a.fill(n)`.
    Fill { target: usize, value: i32 },
    /// `a.set(s![...], b)`.
    Set { target: usize, other: usize },
    /// `a.set(&indices, b)`: numbers pick places along the first axis.
    SetAt { target: usize, other: usize, places: Vec<usize> },
    /// `a.set(&mask, n)`, or with as many values as the mask has; the mask is a
    /// comparison with a number.
    SetWhere { target: usize, limit: i32, value: Option<i32> },
    /// `a.put(&b, n)`: an array as indices, which are brought within bounds.
    Put { target: usize, indices: usize, values: usize },
    /// `a.take_axis(&indices, axis)`.
    Take { of: usize, axis: usize, places: Vec<usize> },
    /// `&a[&indices]`, lent and used at once.
    Lent { of: usize, places: Vec<usize> },
    /// `a.slice(&mask)`.
    Masked { of: usize, limit: i32 },
    /// `where_(&a.gt(n), &a, &b)`, not computed at once.
    Where { left: usize, right: usize, limit: i32 },
    /// A view by other ways than a slice: `kind` picks one.
    Reach { of: usize, kind: u8, k: usize },
    /// Written through the same bytes as another type: `u32`, or the lowest of four bytes.
    Bytes { target: usize, value: u8, whole: bool },
    /// `a.assign(&b - &c)`, evaluated into the memory that is there.
    Assign { target: usize, left: usize, right: usize },
    /// `for row in a.iter_axis(axis)`, each of which is written.
    Rows { target: usize, axis: usize, value: i32 },
    /// `a.putmask(&mask, &b)`.
    Putmask { target: usize, other: usize, limit: i32 },
    /// `a.sort_axis_in_place(-1)`.
    Sort { target: usize },
    /// `einsum("i,j->ij", ..)` of all elements of both.
    Outer { left: usize, right: usize },
    /// `a.cumsum_axis(axis)`.
    Sums { of: usize, axis: usize },
    /// The median of an expression, read at once.
    Median { which: usize },
    /// `a += b` on a stream of its own.
    OnStream { target: usize, other: usize },
    /// An expression that another thread computes, while the program goes on.
    Elsewhere { of: usize },
    /// A copy with memory of its own.
    Copy { of: usize },
    /// A name is dropped.
    Drop { which: usize },
    /// An array is read, which computes it.
    Read { which: usize },
}

impl Step {
    /// The array whose memory the step changes.
    pub(super) fn target(&self) -> Option<usize> {
        match self {
            Step::InPlace { target, .. }
            | Step::Fill { target, .. }
            | Step::Set { target, .. }
            | Step::SetAt { target, .. }
            | Step::SetWhere { target, .. }
            | Step::Put { target, .. }
            | Step::Bytes { target, .. }
            | Step::Assign { target, .. }
            | Step::Rows { target, .. }
            | Step::Putmask { target, .. }
            | Step::Sort { target }
            | Step::OnStream { target, .. } => Some(*target),
            _ => None,
        }
    }
}

fn new_array() -> impl Strategy<Value = Step> {
    let length = prop_oneof![1 => Just(0_usize), 8 => 1..5_usize];
    (prop::collection::vec(length, 0..4), -9..10_i32).prop_map(|(shape, first)| Step::New { shape, first })
}

/// Arrays to begin with, and what is done with them.
pub(super) fn program() -> impl Strategy<Value = Vec<Step>> {
    let steps = (prop::collection::vec(new_array(), 1..4), prop::collection::vec(step(), 1..40));
    steps.prop_map(|(first, rest)| first.into_iter().chain(rest).collect())
}

fn step() -> impl Strategy<Value = Step> {
    let any = 0..64_usize;
    let places = prop::collection::vec(0..12_usize, 0..5);
    let part = (-4..5_i64, -4..5_i64, prop_oneof![Just(1_i64), Just(2), Just(-1), Just(-2)]);
    prop_oneof![
        2 => new_array(),
        4 => (any.clone(), prop::collection::vec(part, 0..3)).prop_map(|(of, parts)| Step::Slice { of, parts }),
        1 => any.clone().prop_map(|of| Step::Transpose { of }),
        5 => (any.clone(), any.clone(), 0..6_u8).prop_map(|(left, right, kind)| Step::Expression { left, right, kind }),
        1 => any.clone().prop_map(|of| Step::Alias { of }),
        5 => (any.clone(), any.clone(), 0..3_u8).prop_map(|(target, other, kind)| Step::InPlace { target, other, kind }),
        1 => (any.clone(), -9..10_i32).prop_map(|(target, value)| Step::Fill { target, value }),
        3 => (any.clone(), any.clone()).prop_map(|(target, other)| Step::Set { target, other }),
        2 => (any.clone(), any.clone(), places.clone()).prop_map(|(target, other, places)| Step::SetAt { target, other, places }),
        2 => (any.clone(), -9..10_i32, prop::option::of(-9..10_i32)).prop_map(|(target, limit, value)| Step::SetWhere { target, limit, value }),
        2 => (any.clone(), any.clone(), any.clone()).prop_map(|(target, indices, values)| Step::Put { target, indices, values }),
        1 => (any.clone(), 0..3_usize, places.clone()).prop_map(|(of, axis, places)| Step::Take { of, axis, places }),
        1 => (any.clone(), places).prop_map(|(of, places)| Step::Lent { of, places }),
        1 => (any.clone(), -9..10_i32).prop_map(|(of, limit)| Step::Masked { of, limit }),
        1 => (any.clone(), any.clone(), -9..10_i32).prop_map(|(left, right, limit)| Step::Where { left, right, limit }),
        3 => (any.clone(), 0..5_u8, 0..4_usize).prop_map(|(of, kind, k)| Step::Reach { of, kind, k }),
        2 => (any.clone(), prop::num::u8::ANY, prop::bool::ANY).prop_map(|(target, value, whole)| Step::Bytes { target, value, whole }),
        2 => (any.clone(), any.clone(), any.clone()).prop_map(|(target, left, right)| Step::Assign { target, left, right }),
        1 => (any.clone(), 0..3_usize, -9..10_i32).prop_map(|(target, axis, value)| Step::Rows { target, axis, value }),
        1 => (any.clone(), any.clone(), -9..10_i32).prop_map(|(target, other, limit)| Step::Putmask { target, other, limit }),
        1 => any.clone().prop_map(|target| Step::Sort { target }),
        1 => (any.clone(), any.clone()).prop_map(|(left, right)| Step::Outer { left, right }),
        1 => (any.clone(), 0..3_usize).prop_map(|(of, axis)| Step::Sums { of, axis }),
        1 => any.clone().prop_map(|which| Step::Median { which }),
        1 => (any.clone(), any.clone()).prop_map(|(target, other)| Step::OnStream { target, other }),
        1 => any.clone().prop_map(|of| Step::Elsewhere { of }),
        1 => any.clone().prop_map(|of| Step::Copy { of }),
        2 => any.clone().prop_map(|which| Step::Drop { which }),
        1 => any.prop_map(|which| Step::Read { which }),
    ]
}
