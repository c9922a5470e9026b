// The language: traits, enumerations, closures, iterators, generics, patterns, macros, slices, text, modules.
mod geometry {
    pub trait Area {
        const SIDES: usize;
        fn area(&self) -> f32;
        fn doubled(&self) -> f32 { 2.0 * self.area() }
    }
    pub struct Square(pub f32);
    pub struct Box { pub w: f32, pub h: f32 }
    impl Area for Square {
        const SIDES: usize = 4;
        fn area(&self) -> f32 { self.0 * self.0 }
    }
    impl Area for Box {
        const SIDES: usize = 4;
        fn area(&self) -> f32 { self.w * self.h }
    }
}
use geometry::{Area, Square};
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Operation {
    Push(i32),
    Add,
    Multiply,
    Swap,
}
fn run(program: &[Operation]) -> Result<i32, u8> {
    let mut stack = [0; 8];
    let mut top = 0usize;
    for operation in program {
        match *operation {
            Operation::Push(value) => {
                *stack.get_mut(top).ok_or(1u8)? = value;
                top += 1;
            }
            Operation::Swap if top >= 2 => stack.swap(top - 1, top - 2),
            Operation::Add | Operation::Multiply if top >= 2 => {
                let (a, b) = (stack[top - 2], stack[top - 1]);
                top -= 1;
                stack[top - 1] = if *operation == Operation::Add { a + b } else { a * b };
            }
            _ => return Err(2),
        }
    }
    if top == 1 { Ok(stack[0]) } else { Err(3) }
}
macro_rules! largest {
    ($x:expr) => { $x };
    ($x:expr, $($rest:expr),+) => {{ let rest = largest!($($rest),+); if $x > rest { $x } else { rest } }};
}
#[kernel]
fn programs(out: &mut [i32]) {
    use Operation::*;
    let i = thread::index();
    let program = [Push(i as i32), Push(3), Swap, Add, Push(2), Multiply];
    out[i] = match run(&program[..if i == 5 { 3 } else { 6 }]) {
        Ok(value) => value,
        Err(code) => -(code as i32),
    };
}
#[kernel]
fn shapes(out: &mut [f32]) {
    let shapes: [&dyn Fn(f32) -> f32; 2] = [&|s| Square(s).doubled(), &|s| geometry::Box { w: s, h: 3.0 }.area()];
    let i = thread::index();
    out[i] = shapes[i % 2](i as f32) + Square::SIDES as f32;
}
#[kernel]
fn iterators(x: &[i32], out: &mut [i32]) {
    let i = thread::index();
    if i > 0 { return; }
    out[0] = x.iter().copied().filter(|v| v % 2 == 0).map(|v| v * v).sum();
    out[1] = x.windows(2).map(|w| (w[1] - w[0]).abs()).max().unwrap_or(0);
    out[2] = x.chunks_exact(3).map(|c| c[0] * c[2]).fold(0, |a, b| a ^ b);
    out[3] = x.iter().rev().skip(1).step_by(2).take_while(|v| **v != 4).count() as i32;
    out[4] = x.iter().zip(x.iter().skip(1)).position(|(a, b)| a > b).map_or(-1, |p| p as i32);
    out[5] = x.iter().any(|v| *v == 9) as i32 + 2 * x.iter().all(|v| *v < 10) as i32;
    out[6] = *x.iter().min_by_key(|v| (**v - 5).abs()).unwrap();
    out[7] = x.split(|v| *v == 3).map(<[i32]>::len).max().unwrap() as i32;
    out[8] = largest!(x[0], x[1], x[2], x[3]);
    out[9] = x.binary_search(&100).unwrap_or_else(|place| place as i32 as usize) as i32;
    if let [first, .., last] = x { out[10] = first * 100 + last; }
    out[11] = 'outer: { for v in x { if *v > 6 { break 'outer *v; } } 0 };
    let mut sorted = [0; 8];
    sorted.copy_from_slice(&x[..8]);
    sorted.sort_unstable();
    out[12] = sorted[6];
    out[13] = b"text".iter().map(|b| *b as i32).sum::<i32>() + "größe".chars().count() as i32 + "12".parse::<i32>().unwrap_or(0);
}
#[kernel]
fn generic<T: Copy + std::ops::Mul<Output = T> + From<u8>, const N: usize>(x: &[T], out: &mut [[T; N]]) {
    let i = thread::index();
    if i < out.len() {
        out[i] = std::array::from_fn(|k| x[i] * T::from(k as u8));
    }
}
#[device]
fn newton(x: f64) -> f64 {
    std::iter::successors(Some(x), |r| Some(0.5 * (r + x / r))).take(20).last().unwrap_or(x)
}
#[kernel]
fn dynamic(x: &[f32], out: &mut [f32]) {
    struct Window<'a> { data: &'a [f32], at: usize }
    impl Drop for Window<'_> { fn drop(&mut self) {} }
    impl<'a> Window<'a> {
        fn mean(&self) -> Option<f32> {
            let part = self.data.get(self.at..self.at + 3)?;
            Some(part.iter().sum::<f32>() / 3.0)
        }
    }
    let at = thread::index();
    out[at] = Window { data: x, at }.mean().unwrap_or(f32::NAN);
}
// %%
let mut out = zeros::<i32>(8);
programs.launch(1, 8, (&mut out,))?;
assert_eq!(out.to_vec(), [6, 8, 10, 12, 14, -3, 18, 20]);
// %%
let mut areas = zeros::<f32>(4);
shapes.launch(1, 4, (&mut areas,))?;
assert_eq!(areas.to_vec(), [4.0, 7.0, 12.0, 13.0]);
// %%
let x = gpu![i32; 2, 7, 1, 8, 2, 8, 1, 4, 9, 3];
let mut out = zeros::<i32>(14);
iterators.launch(1, 2, (&x, &mut out))?;
let text = b"text".iter().map(|b| *b as i32).sum::<i32>() + 5 + 12;
assert_eq!(out.to_vec(), [152, 7, 2 ^ 64 ^ 9, 5, 1, 3, 4, 9, 8, 10, 203, 7, 8, text]);
// %%
let x = gpu![f32; 1, 2, 3];
let mut triples = vec![[0.0f32; 3]; 3];
generic::<f32, 3>.launch_for(3, (&x, InOut(&mut triples)))?;
assert_eq!(triples[2], [0.0, 3.0, 6.0]);
// %%
assert_eq!(gpu![2.0, 9.0].map(newton).to_vec(), [newton(2.0), 3.0]);
// %%
let mut means = zeros::<f32>(4);
dynamic.launch(1, 4, (&gpu![f32; 1, 2, 3, 4, 5], &mut means))?;
assert_eq!((means[2].item(), means[3].item().is_nan()), (4.0, true));
// %%
assert_eq!(gpu![f32; 4, 9].map(f32::sqrt).to_vec(), [2.0, 3.0]);
assert_eq!(gpu![f32; 4, 9].zip_with(&gpu![f32; 5, 6], f32::max).to_vec(), [5.0, 9.0]);
assert_eq!(gpu![i32; 5, -7].map(i32::abs).reduce(0, i32::wrapping_add), 12);
