//! Macros: they take tokens apart and call functions.

/// An array on the device from its elements, as they are written.
///
/// Numbers are of the types that Rust gives them: `1.0` is `f64`, `1` is
/// `i32`. A type in front converts them all.
///
/// ```
/// use gpurepl_prelude::*;
/// let a = gpu![1.0, 2.0, 3.0];                // f64
/// let b = gpu![[1, 2], [3, 4]];               // i32, 2 by 2
/// let c = gpu![f32; 1, 2.5, -3];              // f32
/// let d = gpu![f32; [1, 2], [3, 4.5]];        // f32, 2 by 2
/// let e = gpu![Complex64; 1, 2.5];            // complex numbers
/// assert_eq!(e.imag().to_vec(), [0.0, 0.0]);
/// assert_eq!((a.shape(), b.shape(), c.sum().item()), (&[3][..], &[2, 2][..], 0.5));
/// assert_eq!(d.to_vec(), [1.0, 2.0, 3.0, 4.5]);
/// ```
#[macro_export]
macro_rules! gpu {
    () => { $crate::to_gpu([0.0f64; 0]) };
    ($t:ident;) => { $crate::zeros::<$t>(0) };
    ($t:ident; $($elements:tt)+) => { $crate::to_gpu($crate::__elements!($t [$($elements)+])) };
    ($x:expr; $n:expr) => { $crate::full($n, $x) };
    ($($x:expr),+ $(,)?) => { $crate::to_gpu([$($x),+]) };
}

/// Elements of one type, nested as they are written.
#[doc(hidden)]
#[macro_export]
macro_rules! __elements {
    ($t:ident [$([$($inner:tt)*]),+ $(,)?]) => { [$($crate::__elements!($t [$($inner)*])),+] };
    (bool [$($x:expr),* $(,)?]) => { [$($crate::array::element::<bool>($x)),*] };
    (f16 [$($x:expr),* $(,)?]) => { [$($crate::array::element::<$crate::f16>($x)),*] };
    (Complex32 [$($x:expr),* $(,)?]) => { [$($crate::array::element::<$crate::Complex32>($x)),*] };
    (Complex64 [$($x:expr),* $(,)?]) => { [$($crate::array::element::<$crate::Complex64>($x)),*] };
    ($t:ident [$($x:expr),* $(,)?]) => { [$($x as $t),*] };
}

/// Which elements of an array: an item for each axis, as between Python's
/// brackets. `;` gives a range a step, `...` stands for all axes left.
///
/// ```
/// use gpurepl_prelude::*;
/// let a = arange(0..24).reshape((2, 3, 4));
/// assert_eq!(a[s![0, 1..]].shape(), [2, 4]);
/// assert_eq!(a[s![..., -1]].to_vec(), [3, 7, 11, 15, 19, 23]);
/// assert_eq!(a[s![1, 0, ..; -1]].to_vec(), [15, 14, 13, 12]);
/// assert_eq!(a[s![1, [2, 0], 3]].to_vec(), [23, 15]);
/// ```
#[macro_export]
macro_rules! s {
    ($($t:tt)*) => { $crate::__slices!([] [] $($t)*) };
}

/// Takes the tokens of `s!` apart: `[items done] [tokens of this item] rest`.
#[doc(hidden)]
#[macro_export]
macro_rules! __slices {
    ([$($done:expr,)*] []) => { $crate::Slices::new(&[$($done),*]) };
    ([$($done:expr,)*] [$($item:tt)+]) => {
        $crate::Slices::new(&[$($done,)* $crate::__slice!($($item)+)])
    };
    ([$($done:expr,)*] [$($item:tt)+] , $($rest:tt)*) => {
        $crate::__slices!([$($done,)* $crate::__slice!($($item)+),] [] $($rest)*)
    };
    ([$($done:expr,)*] [$($item:tt)*] $next:tt $($rest:tt)*) => {
        $crate::__slices!([$($done,)*] [$($item)* $next] $($rest)*)
    };
}

/// One item of `s!`.
#[doc(hidden)]
#[macro_export]
macro_rules! __slice {
    (...) => {
        $crate::SliceItem::Ellipsis
    };
    (NewAxis) => {
        $crate::SliceItem::NewAxis
    };
    (.. ; $step:expr) => {
        $crate::SliceItem::from(..).by($step)
    };
    ($range:expr ; $step:expr) => {
        $crate::SliceItem::from($range).by($step)
    };
    ($item:ident) => {
        $crate::SliceItem::from(&$item)
    };
    ([$($list:tt)*]) => {
        $crate::SliceItem::from(&[$($list)*])
    };
    (vec![$($list:tt)*]) => {
        $crate::SliceItem::from(&[$($list)*])
    };
    ($item:expr) => {
        $crate::SliceItem::from($item)
    };
}

/// Writes elements: `set!(a[1, 2] = 5.0)` for `a.set(s![1, 2], 5.0)`.
///
/// ```
/// use gpurepl_prelude::*;
/// let mut a = zeros::<f32>((2, 2));
/// set!(a[.., 1] = 3);
/// assert_eq!(a.to_vec(), [0.0, 3.0, 0.0, 3.0]);
/// set!(a[[1, 0], [0, 1]] = [5, 6]);
/// set!(a[a.gt(5)] = 7);
/// set!(a[1, ..] += 10);
/// assert_eq!(a.to_vec(), [0.0, 7.0, 15.0, 13.0]);
/// ```
#[macro_export]
macro_rules! set {
    ($array:ident[$($index:tt)*] += $value:expr) => { $crate::set!(@with + $array [$($index)*] $value) };
    ($array:ident[$($index:tt)*] -= $value:expr) => { $crate::set!(@with - $array [$($index)*] $value) };
    ($array:ident[$($index:tt)*] *= $value:expr) => { $crate::set!(@with * $array [$($index)*] $value) };
    ($array:ident[$($index:tt)*] /= $value:expr) => { $crate::set!(@with / $array [$($index)*] $value) };
    (@with $sign:tt $array:ident [$($index:tt)*] $value:expr) => {
        match $crate::s![$($index)*] {
            places => {
                let values = $array.slice(places) $sign $value;
                $array.set(places, values)
            }
        }
    };
    ($array:ident[$index:ident] = $value:expr) => { $array.set($crate::s![$index], $value) };
    ($array:ident[... $($index:tt)*] = $value:expr) => { $array.set($crate::s![... $($index)*], $value) };
    ($array:ident[$index:expr] = $value:expr) => { $array.set($index, $value) };
    ($array:ident[$($index:tt)*] = $value:expr) => { $array.set($crate::s![$($index)*], $value) };
}

/// Launches a kernel as CUDA writes it: `launch!(f<<<grid, block>>>(args))`.
/// Grid and block are single tokens: parentheses around anything longer.
///
/// ```
/// use gpurepl_prelude::*;
/// let source = "__global__ void fill(int *a, int value) { a[threadIdx.x] = value; }";
/// let fill = SourceModule::new(source)?.get_function("fill")?;
/// let mut a = zeros::<i32>(32);
/// launch!(fill<<<1, (8 * 4)>>>(&mut a, 7))?;
/// assert_eq!(a.sum().item(), 7 * 32);
/// # Ok::<(), Error>(())
/// ```
#[macro_export]
macro_rules! launch {
    ($function:ident <<< $grid:tt, $block:tt >>> ($($argument:expr),* $(,)?)) => {
        $function.launch($grid, $block, ($($argument,)*))
    };
}

/// A kernel that runs a C statement for each element `i`, called like a
/// function. Numbers are `a: f32`, arrays that are read `x: &[f32]`, arrays
/// that are written `z: &mut [f32]`.
///
/// ```
/// use gpurepl_prelude::*;
/// let lin_comb = elementwise!(|a: f32, x: &[f32], b: f32, y: &[f32], z: &mut [f32]| "z[i] = a*x[i] + b*y[i]");
/// let (x, y) = (ones::<f32>(4), ones::<f32>(4));
/// let mut z = empty_like(&x);
/// lin_comb(5.0, &x, 6.0, &y, &mut z);
/// assert_eq!(z.to_vec(), [11.0; 4]);
/// ```
#[macro_export]
macro_rules! elementwise {
    (|$($parameters:tt)*) => { $crate::__typed_kernel!(@parameters elementwise [] [] [] [] $($parameters)*) };
}

/// A kernel that reduces many elements to one, called like a function.
///
/// ```
/// use gpurepl_prelude::*;
/// let dot = reduction!(|x: &[f32], y: &[f32]| -> f32 { map: "x[i]*y[i]", reduce: "a + b", neutral: "0" });
/// let x = ones::<f32>(1000);
/// assert_eq!(dot(&x, &x).item(), 1000.0);
/// ```
///
/// Several results are the fields of a structure:
///
/// ```
/// use gpurepl_prelude::*;
/// kernel_struct! {
///     #[derive(Clone, Copy, Debug, PartialEq)]
///     struct MinMax { min: f32, max: f32 }
/// }
/// let minmax = reduction!(|x: &[f32]| -> MinMax {
///     map: "{x[i], x[i]}", reduce: "{fminf(a.min, b.min), fmaxf(a.max, b.max)}", neutral: "{INFINITY, -INFINITY}"
/// });
/// assert_eq!(minmax(&gpu![3.0f32, -1.0, 7.0]), MinMax { min: -1.0, max: 7.0 });
/// ```
#[macro_export]
macro_rules! reduction {
    (|$($parameters:tt)*) => { $crate::__typed_kernel!(@parameters reduction [] [] [] [] $($parameters)*) };
}

/// A kernel that runs a statement with the running results of its elements, called like a
/// function: [`ScanKernel`](crate::ScanKernel) says what the texts have. `is_segment_start` may
/// be there as well.
///
/// ```
/// use gpurepl_prelude::*;
/// let running = scan!(|x: &[i32], y: &mut [i32]| -> i32 {
///     input: "x[i]", scan: "a + b", neutral: "0", output: "y[i] = item"
/// });
/// let mut y = zeros::<i32>(4);
/// running(&gpu![3, 1, 4, 1], &mut y);
/// assert_eq!(y.to_vec(), [3, 4, 8, 9]);
/// ```
#[macro_export]
macro_rules! scan {
    (|$($parameters:tt)*) => { $crate::__typed_kernel!(@parameters scan [] [] [] [] $($parameters)*) };
}

/// Takes parameters apart, each into: what the core keeps, what the function
/// declares, the type of that, and how the argument is added to the list.
#[doc(hidden)]
#[macro_export]
macro_rules! __typed_kernel {
    (@parameters $kind:ident [$($core:tt)*] [$($declared:tt)*] [$($types:tt)*] [$($added:tt)*]
        $name:ident: &mut [$t:ident] $($rest:tt)*) => {
        $crate::__typed_kernel!(@next $kind
            [$($core)* (stringify!($name), <$t as $crate::Elem>::DTYPE, "write"),]
            [$($declared)* $name: &mut $crate::GpuArray<$t>,]
            [$($types)* &mut $crate::GpuArray<$t>,]
            [$($added)* $name]
            $($rest)*)
    };
    (@parameters $kind:ident [$($core:tt)*] [$($declared:tt)*] [$($types:tt)*] [$($added:tt)*]
        $name:ident: &[$t:ident] $($rest:tt)*) => {
        $crate::__typed_kernel!(@next $kind
            [$($core)* (stringify!($name), <$t as $crate::Elem>::DTYPE, "read"),]
            [$($declared)* $name: &$crate::GpuArray<$t>,]
            [$($types)* &$crate::GpuArray<$t>,]
            [$($added)* $name]
            $($rest)*)
    };
    (@parameters $kind:ident [$($core:tt)*] [$($declared:tt)*] [$($types:tt)*] [$($added:tt)*]
        $name:ident: $t:ident $($rest:tt)*) => {
        $crate::__typed_kernel!(@next $kind
            [$($core)* (stringify!($name), <$t as $crate::Elem>::DTYPE, "scalar"),]
            [$($declared)* $name: $t,]
            [$($types)* $t,]
            [$($added)* $name]
            $($rest)*)
    };
    (@parameters $kind:ident $core:tt $declared:tt $types:tt $added:tt | $($rest:tt)*) => {
        $crate::__typed_kernel!(@$kind $core $declared $types $added $($rest)*)
    };
    (@next $kind:ident $core:tt $declared:tt $types:tt $added:tt , $($rest:tt)*) => {
        $crate::__typed_kernel!(@parameters $kind $core $declared $types $added $($rest)*)
    };
    (@next $kind:ident $core:tt $declared:tt $types:tt $added:tt | $($rest:tt)*) => {
        $crate::__typed_kernel!(@$kind $core $declared $types $added $($rest)*)
    };
    (@elementwise [$($core:tt)*] [$($declared:tt)*] [$($types:tt)*] [$($added:ident)*] $operation:expr) => {{
        static CORE: $crate::kernel::ElementwiseCore = $crate::kernel::ElementwiseCore::new(&[$($core)*], $operation);
        fn call($($declared)*) {
            let mut list = $crate::kernel::ArgumentList::default();
            $($crate::kernel::KernelArg::add_to($added, &mut list);)*
            CORE.call(list);
        }
        $crate::kernel::TypedKernel::new(call as fn($($types)*), || CORE.source())
    }};
    (@scan $core:tt $declared:tt $types:tt $added:tt
        -> $t:ident { input: $input:expr, scan: $scan:expr, neutral: $neutral:expr, output: $output:expr $(,)? }) => {
        $crate::__typed_kernel!(@scan $core $declared $types $added
            -> $t { input: $input, scan: $scan, neutral: $neutral, output: $output, is_segment_start: "" })
    };
    (@scan [$($core:tt)*] [$($declared:tt)*] [$($types:tt)*] [$($added:ident)*]
        -> $t:ident { input: $input:expr, scan: $scan:expr, neutral: $neutral:expr, output: $output:expr,
            is_segment_start: $starts:expr $(,)? }) => {{
        static CORE: $crate::kernel::ScanCore = $crate::kernel::ScanCore::new(
            &[$($core)*], <$t as $crate::Elem>::DTYPE, [$input, $scan, $neutral, $output, $starts]);
        fn call($($declared)*) {
            let mut list = $crate::kernel::ArgumentList::default();
            $($crate::kernel::KernelArg::add_to($added, &mut list);)*
            CORE.call(list);
        }
        $crate::kernel::TypedKernel::new(call as fn($($types)*), || CORE.source())
    }};
    (@reduction [$($core:tt)*] [$($declared:tt)*] [$($types:tt)*] [$($added:ident)*]
        -> $t:ident { map: $map:expr, reduce: $reduce:expr, neutral: $neutral:expr $(,)? }) => {{
        static CORE: $crate::kernel::ReductionCore = $crate::kernel::ReductionCore::new(
            &[$($core)*], <$t as $crate::ReductionValue>::value_type, $neutral, $reduce, $map);
        fn call($($declared)*) -> <$t as $crate::ReductionValue>::Answer {
            let mut list = $crate::kernel::ArgumentList::default();
            $($crate::kernel::KernelArg::add_to($added, &mut list);)*
            CORE.call::<$t>(list)
        }
        $crate::kernel::TypedKernel::new(
            call as fn($($types)*) -> <$t as $crate::ReductionValue>::Answer, || CORE.source())
    }};
}

/// Values by names, for templates: `context! { type_name => f32::DTYPE, block_size => 256 }`.
///
/// A name alone is that variable's value; `..other` adds those of other values. Variables stay where they are.
///
/// ```
/// use gpurepl_prelude::*;
/// let block_size = 256;
/// let values = context! { block_size, unroll => true };
/// let values = context! { n => 3, ..values };
/// assert_eq!(values.to_string(), "block_size = 256, unroll = true, n = 3");
/// ```
#[macro_export]
macro_rules! context {
    ($($rest:tt)*) => {{
        #[allow(unused_mut)]
        let mut __values = $crate::kernel::KernelValues::new();
        $crate::__context!(__values, $($rest)*);
        __values
    }};
}

/// Takes the pairs of `context!` apart. What `..other` adds comes first, so that pairs
/// have the last word.
#[doc(hidden)]
#[macro_export]
macro_rules! __context {
    ($values:ident, $($name:ident $(=> $value:expr)?),* $(, ..$other:expr)* $(,)?) => {
        $($values.extend(&$crate::kernel::KernelValues::from(&$other));)*
        $($crate::__context!(@pair $values, $name $(=> $value)?);)*
    };
    ($values:ident, $(..$other:expr),+ $(,)?) => {
        $($values.extend(&$crate::kernel::KernelValues::from(&$other));)*
    };
    (@pair $values:ident, $name:ident) => { $values.set(stringify!($name), &$name) };
    (@pair $values:ident, $name:ident => $value:expr) => { $values.set(stringify!($name), &$value) };
}

/// Declares structures that kernels have too, with the layout of C: for
/// [`Struct`](crate::Struct), `In`, `Out`, `InOut` and `memcpy_htod`.
///
/// Fields are numbers, arrays of numbers, and structures of the same kind; a
/// pointer of the kernel's is the `u64` that `a.ptr()` returns. With `impl` in
/// front, it is for a structure that is declared elsewhere.
///
/// ```
/// use gpurepl_prelude::*;
/// kernel_struct! {
///     #[derive(Clone, Copy, Debug, PartialEq)]
///     struct Particle {
///         kind: u8,
///         place: [f64; 2],
///         mass: f32,
///     }
/// }
/// let source = "struct Particle { unsigned char kind; double place[2]; float mass; };
///     __global__ void push(Particle *all, float by) { all[threadIdx.x].place[1] += by * all[threadIdx.x].mass; }";
/// let mut all = vec![Particle { kind: 1, place: [0.0, 1.0], mass: 2.0 }; 3];
/// SourceModule::new(source)?.get_function("push")?.launch(1, 3, (InOut(&mut all), 0.5))?;
/// assert_eq!(all[2], Particle { kind: 1, place: [0.0, 2.0], mass: 2.0 });
/// # Ok::<(), Error>(())
/// ```
#[macro_export]
macro_rules! kernel_struct {
    ($(
        $(#[$attribute:meta])*
        $visible:vis struct $name:ident {
            $($(#[$of_field:meta])* $seen:vis $field:ident : $type:ty),+ $(,)?
        }
    )+) => {$(
        $(#[$attribute])*
        $visible struct $name {
            $($(#[$of_field])* $seen $field: $type),+
        }
        $crate::kernel_struct!(impl $name { $($field: $type),+ });
    )+};
    (impl $name:ident { $($field:ident : $type:ty),+ $(,)? }) => {
        impl $crate::KernelData for $name {
            const ELEMENT: ::core::option::Option<$crate::DType> = ::core::option::Option::None;
            const BYTES: usize =
                $crate::layout_of_c([$((<$type as $crate::KernelData>::BYTES, <$type as $crate::KernelData>::ALIGNMENT)),+]).1;
            const ALIGNMENT: usize =
                $crate::layout_of_c([$((<$type as $crate::KernelData>::BYTES, <$type as $crate::KernelData>::ALIGNMENT)),+]).2;

            fn c_declaration(name: &str) -> String {
                format!(concat!(stringify!($name), " {}"), name)
            }

            fn c_definitions(found: &mut ::std::vec::Vec<(String, String)>) {
                $(<$type as $crate::KernelData>::c_definitions(found);)+
                $crate::define_in_c(
                    found,
                    stringify!($name),
                    &[$(<$type as $crate::KernelData>::c_declaration(stringify!($field))),+],
                );
            }

            fn to_kernel_bytes(&self, to: &mut [u8]) {
                let mut at = 0_usize;
                $(
                    at = at.next_multiple_of(<$type as $crate::KernelData>::ALIGNMENT);
                    let end = at + <$type as $crate::KernelData>::BYTES;
                    <$type as $crate::KernelData>::to_kernel_bytes(&self.$field, &mut to[at..end]);
                    at = end;
                )+
                let _ = at;
            }

            fn from_kernel_bytes(from: &[u8]) -> Self {
                let mut at = 0_usize;
                $(
                    at = at.next_multiple_of(<$type as $crate::KernelData>::ALIGNMENT);
                    let end = at + <$type as $crate::KernelData>::BYTES;
                    let $field = <$type as $crate::KernelData>::from_kernel_bytes(&from[at..end]);
                    at = end;
                )+
                let _ = at;
                $name { $($field),+ }
            }
        }

        impl $crate::ReductionValue for $name {
            type Answer = $name;
            type Answers = ::std::vec::Vec<$name>;

            fn value_type() -> $crate::kernel::ValueType {
                $crate::kernel::structure_type::<$name>(stringify!($name))
            }

            fn answer(values: $crate::kernel::ReducedValues) -> $crate::Result<$name> {
                values.structure()
            }

            fn answers(values: $crate::kernel::ReducedValues) -> $crate::Result<::std::vec::Vec<$name>> {
                values.structures()
            }
        }
    };
}

/// Memory that the threads of a block share, within a kernel in Rust:
/// `let tile = shared!([f32; 256]);` is a `&mut [f32; 256]`, the same in all threads of the block. What it
/// holds at first is undefined.
///
/// `shared!([f32])` is dynamic shared memory, a `&mut [f32]` of as many elements as fit in the bytes that
/// `launch_shared` gives. All of them in a kernel begin at the same place.
///
/// # Panics
///
/// Outside of a kernel.
#[macro_export]
macro_rules! shared {
    ([$type:ty]) => {
        $crate::kernel::dynamic_shared::<$type>()
    };
    ($type:ty) => {
        $crate::kernel::shared::<$type>()
    };
}
