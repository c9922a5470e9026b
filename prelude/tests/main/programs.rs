//! Random programs over arrays beside NumPy: `numpy/programs.txt`, which
//! `numpy/programs.py` writes. More of them, by the same script, are read from the
//! file that `GPUREPL_TEST_PROGRAMS` names.

use gpurepl_prelude::array::{SliceItem, Slices};
use gpurepl_prelude::*;

use crate::answers::Written;

/// An array of any type.
#[derive(Clone)]
enum Register {
    Bool(GpuArray<bool>),
    Int8(GpuArray<i8>),
    Int16(GpuArray<i16>),
    Int32(GpuArray<i32>),
    Int64(GpuArray<i64>),
    UInt8(GpuArray<u8>),
    UInt16(GpuArray<u16>),
    UInt32(GpuArray<u32>),
    UInt64(GpuArray<u64>),
    Float16(GpuArray<f16>),
    Float32(GpuArray<f32>),
    Float64(GpuArray<f64>),
    Complex64(GpuArray<Complex32>),
    Complex128(GpuArray<Complex64>),
}

macro_rules! from_arrays {
    ($($variant:ident $t:ty;)*) => {$(
        impl From<GpuArray<$t>> for Register {
            fn from(array: GpuArray<$t>) -> Register {
                Register::$variant(array)
            }
        }
    )*};
}
from_arrays! {
    Bool bool; Int8 i8; Int16 i16; Int32 i32; Int64 i64; UInt8 u8; UInt16 u16; UInt32 u32; UInt64 u64;
    Float16 f16; Float32 f32; Float64 f64; Complex64 Complex32; Complex128 Complex64;
}

/// `$body` for an array of any type, or of those that are named.
macro_rules! any {
    ($register:expr, $a:ident => $body:expr) => {
        any!($register, $a, Bool Int8 Int16 Int32 Int64 UInt8 UInt16 UInt32 UInt64 Float16 Float32 Float64 Complex64 Complex128 => $body)
    };
    ($register:expr, ordered $a:ident => $body:expr) => {
        any!($register, $a, Bool Int8 Int16 Int32 Int64 UInt8 UInt16 UInt32 UInt64 Float16 Float32 Float64 => $body)
    };
    ($register:expr, number $a:ident => $body:expr) => {
        any!($register, $a, Int8 Int16 Int32 Int64 UInt8 UInt16 UInt32 UInt64 Float16 Float32 Float64 Complex64 Complex128 => $body)
    };
    ($register:expr, real $a:ident => $body:expr) => {
        any!($register, $a, Int8 Int16 Int32 Int64 UInt8 UInt16 UInt32 UInt64 Float16 Float32 Float64 => $body)
    };
    ($register:expr, signed $a:ident => $body:expr) => {
        any!($register, $a, Int8 Int16 Int32 Int64 Float16 Float32 Float64 Complex64 Complex128 => $body)
    };
    ($register:expr, $a:ident, $($variant:ident)* => $body:expr) => {
        match $register {
            $(Register::$variant($a) => $body,)*
            #[allow(unreachable_patterns)]
            _ => panic!("an operation that the type does not have"),
        }
    };
}

/// `$body` for two arrays of the same type.
macro_rules! both {
    ($first:expr, $second:expr, $a:ident, $b:ident, $($variant:ident)* => $body:expr) => {
        match ($first, $second) {
            $((Register::$variant($a), Register::$variant($b)) => $body,)*
            _ => panic!("arrays of two types"),
        }
    };
    ($first:expr, $second:expr, any $a:ident, $b:ident => $body:expr) => {
        both!($first, $second, $a, $b, Bool Int8 Int16 Int32 Int64 UInt8 UInt16 UInt32 UInt64 Float16 Float32 Float64 Complex64 Complex128 => $body)
    };
    ($first:expr, $second:expr, number $a:ident, $b:ident => $body:expr) => {
        both!($first, $second, $a, $b, Int8 Int16 Int32 Int64 UInt8 UInt16 UInt32 UInt64 Float16 Float32 Float64 Complex64 Complex128 => $body)
    };
    ($first:expr, $second:expr, real $a:ident, $b:ident => $body:expr) => {
        both!($first, $second, $a, $b, Int8 Int16 Int32 Int64 UInt8 UInt16 UInt32 UInt64 Float16 Float32 Float64 => $body)
    };
    ($first:expr, $second:expr, ordered $a:ident, $b:ident => $body:expr) => {
        both!($first, $second, $a, $b, Bool Int8 Int16 Int32 Int64 UInt8 UInt16 UInt32 UInt64 Float16 Float32 Float64 => $body)
    };
}

/// The word after the last one that was read.
struct Words<'a>(std::str::SplitWhitespace<'a>);

impl<'a> Words<'a> {
    fn next(&mut self) -> &'a str {
        self.0.next().expect("a word")
    }

    fn number<N: std::str::FromStr<Err: std::fmt::Debug>>(&mut self) -> N {
        self.next().parse().unwrap()
    }

    fn numbers<N: std::str::FromStr<Err: std::fmt::Debug>>(&mut self) -> Vec<N> {
        match self.next() {
            "-" => Vec::new(),
            list => list.split(',').map(|number| number.parse().unwrap()).collect(),
        }
    }

    /// Indices and slices as Python writes them.
    fn index(&mut self) -> Vec<SliceItem<'static>> {
        let item = |text: &str| match *text.split(':').collect::<Vec<_>>() {
            [place] => SliceItem::At(place.parse().unwrap()),
            [start, end, step] => SliceItem::Range {
                start: start.parse().ok(),
                end: end.parse().ok(),
                step: step.parse().unwrap_or(1),
            },
            _ => panic!("{text} is no slice"),
        };
        self.next().split(',').map(item).collect()
    }
}

/// What a register starts with: the formula of `programs.py`.
fn start(text: &str) -> Register {
    let mut words = Words(text.split_whitespace());
    let (dtype, shape) = (words.next(), words.numbers::<usize>());
    let (seed, size) = (words.number::<i64>(), shape.iter().product::<usize>());
    let numbers = (0..size as i64).map(|k| (k * 7919 + seed * 104_729) % 27);
    macro_rules! made {
        ($numbers:expr) => {
            Register::from(to_gpu($numbers.collect::<Vec<_>>()).reshape(shape))
        };
    }
    let complex = |v: i64| Complex64::new((v - 13) as f64 / 4.0, (v * 5 % 7 - 3) as f64 / 2.0);
    match dtype {
        "bool" => made!(numbers.map(|v| v % 3 == 0)),
        "int8" => made!(numbers.map(|v| (v - 13) as i8)),
        "int16" => made!(numbers.map(|v| (v - 13) as i16)),
        "int32" => made!(numbers.map(|v| (v - 13) as i32)),
        "int64" => made!(numbers.map(|v| v - 13)),
        "uint8" => made!(numbers.map(|v| v as u8)),
        "uint16" => made!(numbers.map(|v| v as u16)),
        "uint32" => made!(numbers.map(|v| v as u32)),
        "uint64" => made!(numbers.map(|v| v as u64)),
        "float16" => made!(numbers.map(|v| f16::from_f64((v - 13) as f64 / 4.0))),
        "float32" => made!(numbers.map(|v| (v - 13) as f32 / 4.0)),
        "float64" => made!(numbers.map(|v| (v - 13) as f64 / 4.0)),
        "complex64" => {
            made!(numbers.map(|v| Complex32::new(complex(v).re as f32, complex(v).im as f32)))
        }
        "complex128" => made!(numbers.map(complex)),
        other => panic!("no type {other}"),
    }
}

/// A number in the type of an array's elements.
fn number<T: Elem>(_: &GpuArray<T>, value: i64) -> GpuArray<T> {
    to_gpu(&[value]).reshape(()).astype(|| -> array::TypeOf<T> { unreachable!("it names a type") })
}

/// Does one step.
fn step(registers: &mut Vec<Register>, text: &str) {
    let mut words = Words(text.split_whitespace());
    let (name, first) = (words.next(), words.number::<usize>());
    let a = &registers[first];
    let made: Register = match name {
        "t" => any!(a, a => a.t().into()),
        "ravel" => any!(a, a => a.ravel().into()),
        "squeeze" => any!(a, a => a.squeeze().into()),
        "copy" => any!(a, a => a.copy().into()),
        "clone" => any!(a, a => a.clone().into()),
        "swapaxes" => {
            let (i, j) = (words.number(), words.number());
            any!(a, a => a.swapaxes(i, j).into())
        }
        "flip" => {
            let axis: isize = words.number();
            any!(a, a => a.flip_axis(axis).into())
        }
        "expand" => {
            let axis: isize = words.number();
            any!(a, a => a.expand_dims(axis).into())
        }
        "reshape" => {
            let shape = words.numbers::<usize>();
            any!(a, a => a.reshape(shape).into())
        }
        "broadcast" => {
            let shape = words.numbers::<usize>();
            any!(a, a => a.broadcast_to(shape).into())
        }
        "slice" => {
            let items = words.index();
            any!(a, a => a.slice(Slices::new(&items)).into())
        }
        "diagonal" => {
            let offset = words.number();
            any!(a, a => a.diagonal(offset).into())
        }
        "tril" => {
            let k = words.number();
            any!(a, a => a.tril(k).into())
        }
        "repeat" => {
            let (count, axis) = (words.number::<usize>(), words.number());
            any!(a, a => a.repeat_axis(count, axis).into())
        }
        "roll" => {
            let (shift, axis) = (words.number::<isize>(), words.number::<isize>());
            any!(a, a => a.roll_axis(shift, axis).into())
        }
        "take" => {
            let (places, axis) = (to_gpu(words.numbers::<i64>()), words.number());
            any!(a, a => a.take_axis(&places, axis).into())
        }
        "sort" => {
            let axis = words.number();
            any!(a, a => a.sort_axis(axis).into())
        }
        "argsort" => {
            let axis = words.number();
            any!(a, a => a.argsort_axis(axis).into())
        }
        "unique" => any!(a, a => a.unique().into()),
        "concatenate" => {
            let (b, axis) = (&registers[words.number::<usize>()], words.number());
            both!(a, b, any a, b => array::concatenate_axis((a, b), axis).into())
        }
        "compress" => {
            let Register::Bool(mask) = &registers[words.number::<usize>()] else { panic!("no mask") };
            any!(a, a => a.slice(mask).into())
        }
        "where" => {
            let Register::Bool(mask) = a else { panic!("no mask") };
            let (a, b) = (&registers[words.number::<usize>()], &registers[words.number::<usize>()]);
            both!(a, b, any a, b => where_(mask, a, b).into())
        }
        "sum" => {
            let axis: isize = words.number();
            any!(a, a => a.sum_axis(axis).into())
        }
        "any" => {
            let axis: isize = words.number();
            any!(a, a => a.any_axis(axis).into())
        }
        "all" => {
            let axis: isize = words.number();
            any!(a, a => a.all_axis(axis).into())
        }
        "count_nonzero" => {
            let axis: isize = words.number();
            any!(a, a => a.count_nonzero_axis(axis).into())
        }
        "cumsum" => {
            let axis = words.number();
            any!(a, a => a.cumsum_axis(axis).into())
        }
        "max" => {
            let axis: isize = words.number();
            any!(a, ordered a => a.max_axis(axis).into())
        }
        "min" => {
            let axis: isize = words.number();
            any!(a, ordered a => a.min_axis(axis).into())
        }
        "argmax" => {
            let axis = words.number();
            any!(a, ordered a => a.argmax_axis(axis).into())
        }
        "argmin" => {
            let axis = words.number();
            any!(a, ordered a => a.argmin_axis(axis).into())
        }
        "diff" => {
            let axis = words.number();
            any!(a, number a => a.diff_axis(axis).into())
        }
        "add" => both!(a, &registers[words.number::<usize>()], any a, b => (a + b).into()),
        "multiply" => both!(a, &registers[words.number::<usize>()], any a, b => (a * b).into()),
        "subtract" => both!(a, &registers[words.number::<usize>()], real a, b => (a - b).into()),
        "maximum" => both!(a, &registers[words.number::<usize>()], real a, b => maximum(a, b).into()),
        "equal" => both!(a, &registers[words.number::<usize>()], any a, b => a.eq(b).into()),
        "less" => both!(a, &registers[words.number::<usize>()], ordered a, b => a.lt(b).into()),
        "negative" => any!(a, signed a => (-a).into()),
        "square" => any!(a, number a => a.square().into()),
        "scale" => {
            let n = words.number();
            any!(a, number a => (a * number(a, n)).into())
        }
        "above" => {
            let n = words.number();
            any!(a, real a => a.gt(number(a, n)).into())
        }
        "astype" => match words.next() {
            "bool" => any!(a, a => a.astype(bool).into()),
            "int8" => any!(a, ordered a => a.astype(i8).into()),
            "int16" => any!(a, ordered a => a.astype(i16).into()),
            "int32" => any!(a, ordered a => a.astype(i32).into()),
            "int64" => any!(a, ordered a => a.astype(i64).into()),
            "uint8" => any!(a, ordered a => a.astype(u8).into()),
            "uint16" => any!(a, ordered a => a.astype(u16).into()),
            "uint32" => any!(a, ordered a => a.astype(u32).into()),
            "uint64" => any!(a, ordered a => a.astype(u64).into()),
            "float16" => any!(a, ordered a => a.astype(f16).into()),
            "float32" => any!(a, ordered a => a.astype(f32).into()),
            "float64" => any!(a, ordered a => a.astype(f64).into()),
            "complex64" => any!(a, a => a.astype(Complex32).into()),
            "complex128" => any!(a, a => a.astype(Complex64).into()),
            other => panic!("no type {other}"),
        },
        "matmul" => both!(a, &registers[words.number::<usize>()], number a, b => a.matmul(b).into()),
        "iadd" => {
            let b = registers[words.number::<usize>()].clone();
            return both!(&mut registers[first], &b, number a, b => *a += b);
        }
        "setslice" => {
            let (items, n) = (words.index(), words.number());
            return any!(&mut registers[first], a => { let n = number(a, n); a.set(Slices::new(&items), n) });
        }
        "setmask" => {
            let Register::Bool(mask) = registers[words.number::<usize>()].clone() else { panic!("no mask") };
            let n = words.number();
            return any!(&mut registers[first], a => { let n = number(a, n); a.set(&mask, n) });
        }
        other => panic!("no operation {other}"),
    };
    registers.push(made);
}

/// Whether a register is what NumPy has.
fn is(register: &Register, text: &str) -> bool {
    fn of<T: Written + PartialEq>(a: &GpuArray<T>, words: &mut Words<'_>) -> bool {
        let shape = words.numbers::<usize>();
        let wanted: Vec<T> = words.0.by_ref().map(T::read).collect();
        a.shape() == shape && a.to_vec() == wanted
    }
    let mut words = Words(text.split_whitespace());
    let dtype = words.next();
    if let Register::Bool(a) = register {
        let shape = words.numbers::<usize>();
        let wanted: Vec<bool> = words.0.map(|word| word == "1").collect();
        return dtype == "bool" && a.shape() == shape && a.to_vec() == wanted;
    }
    any!(register, number a => dtype == a.dtype().to_string() && of(a, &mut words))
}

/// Runs a program, and says which register is wrong.
fn run(line: &str) -> Result<(), String> {
    let mut parts = line.split(" | ");
    let mut part = || parts.next().expect("three parts").split("; ");
    let (starts, steps, wanted) = (part(), part(), part());
    let mut registers: Vec<Register> = starts.map(start).collect();
    for text in steps {
        step(&mut registers, text);
    }
    let wanted: Vec<&str> = wanted.collect();
    if registers.len() != wanted.len() {
        return Err(format!("{} registers, not {}", registers.len(), wanted.len()));
    }
    // From the last, so that what is lazy is read through what came after it.
    for (number, (register, wanted)) in registers.iter().zip(&wanted).enumerate().rev() {
        if !is(register, wanted) {
            let found = any!(register, a => format!("{:?} {:?}", a.shape().to_vec(), a.to_vec()));
            return Err(format!("register {number} is {found}, not {wanted}"));
        }
    }
    Ok(())
}

#[test]
fn they_do_what_numpy_does() {
    let own = std::env::var("GPUREPL_TEST_PROGRAMS").ok().map(|path| std::fs::read_to_string(path).unwrap());
    let programs = own.as_deref().unwrap_or(include_str!("numpy/programs.txt"));
    let wrong: Vec<String> = programs
        .lines()
        .filter_map(|line| {
            let answer =
                std::panic::catch_unwind(|| run(line)).unwrap_or_else(|_| Err("a panic, above".to_owned()));
            answer.err().map(|why| format!("{why}\n  in {}", line.rsplit_once(" | ").unwrap().0))
        })
        .collect();
    assert!(programs.lines().count() > 1000);
    assert!(wrong.is_empty(), "{} programs:\n{}", wrong.len(), wrong[..wrong.len().min(20)].join("\n"));
}
