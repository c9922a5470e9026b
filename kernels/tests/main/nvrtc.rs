//! Every generated kernel compiles for a GPU: with NVIDIA's run-time compiler,
//! which needs no GPU itself. `GPUREPL_TEST_NVRTC` is the path of its library;
//! without it these tests are ignored.

mod users_kernels;

use std::ffi::{CStr, CString, c_char, c_int, c_void};

use gpurepl_kernels::headers::HEADERS;
use gpurepl_kernels::{
    BinaryOp, DType, Group, Indexed, Instruction, Operand, Pairs, Program, ReduceOp, SortKernels, SortText,
    TernaryOp, UnaryOp, View, Walk, places, random,
};
use libloading::{Library, Symbol};

type Handle = *mut c_void;

/// NVRTC, loaded.
struct Nvrtc(Library);

impl Nvrtc {
    fn load() -> Option<Nvrtc> {
        let Some(path) = std::env::var_os("GPUREPL_TEST_NVRTC").filter(|path| !path.is_empty()) else {
            crate::ignored::missing("NVRTC", "GPUREPL_TEST_NVRTC");
            return None;
        };
        // SAFETY: NVIDIA's library asks nothing of the program that loads it.
        Some(Nvrtc(
            unsafe { Library::new(&path) }.unwrap_or_else(|error| panic!("{}: {error}", path.display())),
        ))
    }

    /// Compiles a text to PTX for a Hopper GPU; what the compiler says if it
    /// cannot.
    fn compile(&self, text: &str) -> Result<String, String> {
        let text = CString::new(text).unwrap();
        let options = [
            c"--gpu-architecture=sm_90",
            c"--std=c++17",
            c"--fmad=false",
            c"--device-as-default-execution-space",
        ];
        let pointers = options.map(CStr::as_ptr);
        type Create = unsafe extern "C" fn(
            *mut Handle,
            *const c_char,
            *const c_char,
            c_int,
            *const *const c_char,
            *const *const c_char,
        ) -> c_int;
        // SAFETY: the functions have these types in `nvrtc.h`; texts end with
        // zeros, lists are as long as is said, and the log and the PTX fit their buffers.
        unsafe {
            let create: Symbol<Create> = self.0.get("nvrtcCreateProgram").unwrap();
            let compile: Symbol<unsafe extern "C" fn(Handle, c_int, *const *const c_char) -> c_int> =
                self.0.get("nvrtcCompileProgram").unwrap();
            let log_size: Symbol<unsafe extern "C" fn(Handle, *mut usize) -> c_int> =
                self.0.get("nvrtcGetProgramLogSize").unwrap();
            let get_log: Symbol<unsafe extern "C" fn(Handle, *mut c_char) -> c_int> =
                self.0.get("nvrtcGetProgramLog").unwrap();
            let ptx_size: Symbol<unsafe extern "C" fn(Handle, *mut usize) -> c_int> =
                self.0.get("nvrtcGetPTXSize").unwrap();
            let get_ptx: Symbol<unsafe extern "C" fn(Handle, *mut c_char) -> c_int> =
                self.0.get("nvrtcGetPTX").unwrap();
            let destroy: Symbol<unsafe extern "C" fn(*mut Handle) -> c_int> =
                self.0.get("nvrtcDestroyProgram").unwrap();
            let mut program: Handle = std::ptr::null_mut();
            let (texts, names): (Vec<_>, Vec<_>) =
                HEADERS.iter().map(|(name, text)| (text.as_ptr(), name.as_ptr())).unzip();
            let count = HEADERS.len() as c_int;
            let name = c"test.cu".as_ptr();
            assert_eq!(
                create(&raw mut program, text.as_ptr(), name, count, texts.as_ptr(), names.as_ptr()),
                0
            );
            let result = compile(program, options.len() as c_int, pointers.as_ptr());
            let mut size = 0;
            assert_eq!(log_size(program, &raw mut size), 0);
            let mut log = vec![0_u8; size];
            assert_eq!(get_log(program, log.as_mut_ptr().cast()), 0);
            let mut ptx = Vec::<u8>::new();
            if result == 0 {
                assert_eq!(ptx_size(program, &raw mut size), 0);
                ptx.resize(size, 0);
                assert_eq!(get_ptx(program, ptx.as_mut_ptr().cast()), 0);
            }
            destroy(&raw mut program);
            let log = String::from_utf8_lossy(&log).trim_end_matches('\0').to_owned();
            // A warning in text of ours is a mistake of ours.
            if result == 0 && log.is_empty() {
                Ok(String::from_utf8(ptx).unwrap().trim_end_matches('\0').to_owned())
            } else {
                Err(format!("{log}\n{}", text.to_string_lossy()))
            }
        }
    }

    /// Compiles a text, whose PTX sets every register before it reads it.
    #[track_caller]
    fn accepts(&self, what: &str, text: &str) {
        match self.compile(text) {
            Ok(ptx) => assert_eq!(gpurepl_kernels::ptx::unset(&ptx), [], "{what}"),
            Err(log) => panic!("{what}: {log}"),
        }
    }
}

/// A program of operations over inputs of a type.
fn program(inputs: usize, dtype: DType, view: View, answer: DType, last: Operand) -> Program {
    let mut instructions: Vec<Instruction> =
        (0..inputs).map(|k| Instruction { dtype, operand: Operand::Input(k) }).collect();
    instructions.push(Instruction { dtype: answer, operand: last });
    Program {
        inputs: vec![(dtype, view); inputs],
        scalars: Vec::new(),
        instructions,
        output: if view == View::Strided { View::Strided } else { View::Contiguous },
        rank: if view == View::Strided { 2 } else { 1 },
        reports_overflow: false,
    }
}

fn is_defined(op: BinaryOp, dtype: DType) -> bool {
    use BinaryOp::*;
    let is_bool = dtype == DType::Bool;
    match op {
        Add | Multiply | Maximum | Minimum | Equal | NotEqual => true,
        Subtract => !is_bool,
        Divide => dtype.is_float() || dtype.is_complex(),
        FloorDivide | Remainder => !is_bool && !dtype.is_complex(),
        Power => !is_bool,
        And | Or | Xor => is_bool || dtype.is_integer(),
        LeftShift | RightShift => dtype.is_integer() && !is_bool,
        Less | LessEqual | Greater | GreaterEqual => !dtype.is_complex(),
        Ldexp => dtype.is_float(),
        _ => match op.group().expect("a row in the table") {
            Pairs::floating | Pairs::special => dtype.is_float(),
            Pairs::common => !is_bool && !dtype.is_complex(),
            Pairs::integers => dtype.is_integer() && !is_bool,
        },
    }
}

#[test]
fn every_operation_compiles_for_every_type() {
    use UnaryOp::*;
    let Some(nvrtc) = Nvrtc::load() else { return };
    for dtype in DType::ALL {
        for op in BinaryOp::ALL.iter().copied() {
            if is_defined(op, dtype) {
                let answer = if op.is_comparison() { DType::Bool } else { dtype };
                // How elements are found does not depend on what is done with them.
                let views: &[View] = if op == BinaryOp::Add {
                    &[View::Contiguous, View::Strided]
                } else {
                    &[View::Contiguous]
                };
                for view in views.iter().copied() {
                    let program = program(2, dtype, view, answer, Operand::Binary(op, 0, 1));
                    nvrtc.accepts(&format!("{} of {dtype}", op.name()), &program.to_cuda(Walk::Elements));
                }
            }
        }
        let mut unary = vec![(Absolute, dtype.real())];
        if dtype != DType::Bool {
            unary.push((Negative, dtype));
        }
        if dtype.is_integer() {
            unary.push((Invert, dtype));
        }
        if dtype.is_complex() {
            unary.extend([(Conjugate, dtype), (Real, dtype.real()), (Imag, dtype.real())]);
        }
        if dtype != DType::Bool {
            unary.extend([(Sign, dtype), (Reciprocal, dtype)]);
        }
        if dtype.is_float() || dtype.is_complex() {
            unary.extend([(Angle, dtype.real()), (Loggamma, dtype)]);
        }
        if dtype.is_float() {
            for op in TernaryOp::ALL {
                let program = program(3, dtype, View::Contiguous, dtype, Operand::Ternary(*op, 0, 1, 2));
                nvrtc.accepts(&format!("{op:?} of {dtype}"), &program.to_cuda(Walk::Elements));
            }
            unary.extend([(Fraction, dtype), (Mantissa, dtype), (Exponent, DType::Int32)]);
        }
        if dtype == DType::Float32 {
            unary.extend([(Order, DType::Int64), (OrderNanFirst, DType::Int64)]);
        }
        if dtype == DType::Float64 {
            unary.push((WithSquare, DType::Complex128));
        }
        for (group, functions) in UnaryOp::TABLE {
            let answer = match group {
                Group::analytic | Group::floating | Group::special if dtype.is_float() => dtype,
                Group::analytic if dtype.is_complex() => dtype,
                Group::rounding if !dtype.is_complex() => dtype,
                Group::signs if dtype.is_float() => DType::Bool,
                Group::tests if dtype.is_float() || dtype.is_complex() => DType::Bool,
                _ => continue,
            };
            unary.extend(functions.iter().map(|op| (*op, answer)));
        }
        for (op, answer) in unary {
            let program = program(1, dtype, View::Contiguous, answer, Operand::Unary(op, 0));
            nvrtc.accepts(&format!("{op:?} of {dtype}"), &program.to_cuda(Walk::Elements));
        }
    }
}

#[test]
fn overflow_that_is_reported_compiles() {
    let Some(nvrtc) = Nvrtc::load() else { return };
    for op in [BinaryOp::Add, BinaryOp::Subtract, BinaryOp::Multiply, BinaryOp::Power] {
        for view in [View::Contiguous, View::Strided] {
            let mut reporting = program(2, DType::Int32, view, DType::Int32, Operand::Binary(op, 0, 1));
            assert!(reporting.may_overflow());
            reporting.reports_overflow = true;
            nvrtc.accepts(op.name(), &reporting.to_cuda(Walk::Elements));
            reporting.output = View::Contiguous;
            nvrtc.accepts(op.name(), &reporting.to_cuda_reduction(ReduceOp::Sum));
        }
    }
}

#[test]
fn every_walk_compiles_for_every_type() {
    let Some(nvrtc) = Nvrtc::load() else { return };
    let squares = |through| Walk::Squares { axis: 0, through, side: 32 };
    for dtype in DType::ALL {
        let step = Operand::Binary(BinaryOp::Equal, 0, 1);
        for view in [View::Contiguous, View::Strided] {
            let mut program = program(2, dtype, View::Strided, DType::Bool, step);
            program.output = view;
            for walk in [Walk::Elements, Walk::Rows, squares(1), squares(3)] {
                nvrtc.accepts(&format!("{dtype} in {walk:?}"), &program.to_cuda(walk));
            }
            program.inputs[1].1 = View::Contiguous;
            nvrtc.accepts(&format!("{dtype} in squares"), &program.to_cuda(squares(1)));
            program.inputs[1].1 = View::Single;
            nvrtc.accepts(&format!("{dtype} in squares"), &program.to_cuda(squares(1)));
        }
    }
}

#[test]
fn every_conversion_compiles() {
    let Some(nvrtc) = Nvrtc::load() else { return };
    for from in DType::ALL {
        for to in DType::ALL {
            let program = program(1, from, View::Contiguous, to, Operand::Cast(0));
            nvrtc.accepts(&format!("{from} to {to}"), &program.to_cuda(Walk::Elements));
        }
    }
}

#[test]
fn every_reduction_compiles() {
    use ReduceOp::*;
    let Some(nvrtc) = Nvrtc::load() else { return };
    // Half precision is summed in single precision.
    for dtype in DType::ALL.into_iter().filter(|dtype| *dtype != DType::Float16) {
        for op in [Sum, Product, Maximum, Minimum] {
            let mut summed = program(1, dtype, View::Strided, dtype, Operand::Input(0));
            summed.instructions.truncate(1);
            summed.output = View::Contiguous;
            nvrtc.accepts(&format!("{} of {dtype}", op.name()), &summed.to_cuda_reduction(op));
        }
    }
    let mut truth = program(1, DType::Bool, View::Contiguous, DType::Bool, Operand::Input(0));
    truth.instructions.truncate(1);
    for op in [Any, All] {
        nvrtc.accepts(op.name(), &truth.to_cuda_reduction(op));
    }
}

#[test]
fn every_reduction_and_running_sum_along_an_axis_compiles() {
    use ReduceOp::*;
    let Some(nvrtc) = Nvrtc::load() else { return };
    for dtype in DType::ALL.into_iter().filter(|dtype| *dtype != DType::Float16) {
        let mut summed = program(1, dtype, View::Strided, dtype, Operand::Input(0));
        summed.instructions.truncate(1);
        summed.output = View::Contiguous;
        for op in [Sum, Product, Maximum, Minimum] {
            nvrtc.accepts(
                &format!("{} of {dtype} along an axis", op.name()),
                &summed.to_cuda_axis_reduction(op),
            );
        }
        for op in [Sum, Product, Maximum, Minimum] {
            if dtype != DType::Bool || op == Maximum || op == Minimum {
                nvrtc.accepts(&format!("running {} of {dtype}", op.name()), &summed.to_cuda_scan(op));
            }
            // The types differ in size, and the operations in how they are combined.
            if summed.has_resident_scan() && matches!(op, Sum | Maximum) && !dtype.name().starts_with('u') {
                summed.inputs[0].1 = View::Contiguous;
                nvrtc.accepts(
                    &format!("running {} of {dtype} in long rows", op.name()),
                    &summed.to_cuda_resident_scan(op),
                );
                summed.inputs[0].1 = View::Strided;
            }
        }
    }
    let mut reporting =
        program(2, DType::Int32, View::Contiguous, DType::Int32, Operand::Binary(BinaryOp::Multiply, 0, 1));
    reporting.reports_overflow = true;
    nvrtc.accepts("overflow along an axis", &reporting.to_cuda_axis_reduction(Sum));
    nvrtc.accepts("overflow in running sums", &reporting.to_cuda_scan(Sum));
    nvrtc.accepts("overflow in running sums of long rows", &reporting.to_cuda_resident_scan(Sum));
    let mut strided = program(1, DType::Float32, View::Strided, DType::Float32, Operand::Input(0));
    strided.output = View::Contiguous;
    strided.instructions.truncate(1);
    nvrtc.accepts("running sums of long rows that lie apart", &strided.to_cuda_resident_scan(Sum));
}

/// The places of an array's elements that equal a number, beside it; of any
/// other a large one.
fn places_of_equals(dtype: DType) -> Program {
    let step = |dtype, operand| Instruction { dtype, operand };
    Program {
        inputs: vec![(dtype, View::Strided), (dtype, View::Strided)],
        scalars: vec![DType::Int64],
        instructions: vec![
            step(dtype, Operand::Input(0)),
            step(dtype, Operand::Input(1)),
            step(DType::Bool, Operand::Binary(BinaryOp::Equal, 0, 1)),
            step(DType::Bool, Operand::Binary(BinaryOp::NotEqual, 0, 0)),
            step(DType::Bool, Operand::Binary(BinaryOp::Or, 2, 3)),
            step(DType::Int64, Operand::Index),
            step(DType::Int64, Operand::Scalar(0)),
            step(DType::Int64, Operand::Select(4, 5, 6)),
        ],
        output: View::Contiguous,
        rank: 2,
        reports_overflow: false,
    }
}

#[test]
fn the_places_of_extremes_compile() {
    let Some(nvrtc) = Nvrtc::load() else { return };
    for dtype in DType::ALL {
        let places = places_of_equals(dtype);
        let what = format!("places of {dtype}");
        nvrtc.accepts(&what, &places.to_cuda_reduction(ReduceOp::Minimum));
        nvrtc.accepts(&what, &places.to_cuda_axis_reduction(ReduceOp::Minimum));
    }
}

/// The squares of what differs from a number, beside it, as variances add them.
fn squares_of_deviations(dtype: DType) -> Program {
    let step = |dtype, operand| Instruction { dtype, operand };
    let (wide, real) = match dtype {
        DType::Float16 => (DType::Float32, DType::Float32),
        _ if dtype.is_complex() => (DType::Complex128, DType::Float64),
        _ => (DType::Float64, DType::Float64),
    };
    let mut instructions = vec![
        step(dtype, Operand::Input(0)),
        step(wide, Operand::Cast(0)),
        step(wide, Operand::Input(1)),
        step(wide, Operand::Binary(BinaryOp::Subtract, 1, 2)),
    ];
    if wide.is_complex() {
        instructions.extend([
            step(real, Operand::Unary(UnaryOp::Real, 3)),
            step(real, Operand::Unary(UnaryOp::Imag, 3)),
            step(real, Operand::Binary(BinaryOp::Multiply, 4, 4)),
            step(real, Operand::Binary(BinaryOp::Multiply, 5, 5)),
            step(real, Operand::Binary(BinaryOp::Add, 6, 7)),
        ]);
    } else {
        instructions.push(step(real, Operand::Binary(BinaryOp::Multiply, 3, 3)));
    }
    Program {
        inputs: vec![(dtype, View::Strided), (wide, View::Strided)],
        scalars: Vec::new(),
        instructions,
        output: View::Contiguous,
        rank: 2,
        reports_overflow: false,
    }
}

#[test]
fn the_sums_of_variances_compile() {
    let Some(nvrtc) = Nvrtc::load() else { return };
    for dtype in DType::ALL {
        let squares = squares_of_deviations(dtype);
        let what = format!("squares of {dtype}");
        nvrtc.accepts(&what, &squares.to_cuda_reduction(ReduceOp::Sum));
        nvrtc.accepts(&what, &squares.to_cuda_axis_reduction(ReduceOp::Sum));
    }
}

#[test]
fn every_product_of_matrices_compiles() {
    let Some(nvrtc) = Nvrtc::load() else { return };
    for dtype in DType::ALL.into_iter().filter(|dtype| !matches!(dtype, DType::Bool | DType::Float16)) {
        nvrtc.accepts(&format!("products of {dtype}"), &gpurepl_kernels::matmul::to_cuda(dtype));
    }
}

#[test]
fn every_reduction_of_segments_compiles() {
    let Some(nvrtc) = Nvrtc::load() else { return };
    for dtype in DType::ALL {
        for op in [ReduceOp::Sum, ReduceOp::Product, ReduceOp::Maximum, ReduceOp::Minimum] {
            nvrtc.accepts(&format!("segments of {dtype}"), &gpurepl_kernels::segments::to_cuda(dtype, op));
        }
    }
}

#[test]
fn every_sort_compiles() {
    let Some(nvrtc) = Nvrtc::load() else { return };
    for dtype in DType::ALL {
        let small = SortText { dtype, is_wide: false, has_places: false, kernels: SortKernels::Short };
        nvrtc.accepts(&format!("a short sort of {dtype}"), &small.to_cuda());
        let search = SortText { kernels: SortKernels::Search, ..small };
        nvrtc.accepts(&format!("a search in {dtype}"), &search.to_cuda());
        for has_places in [false, true] {
            for is_wide in [false, true] {
                // Large elements leave shared memory no room for mistakes.
                if is_wide && dtype.size() < 8 && dtype != DType::Int8 {
                    continue;
                }
                let text = SortText { dtype, is_wide, has_places, kernels: SortKernels::Long };
                nvrtc.accepts(&format!("a sort of {dtype}"), &text.to_cuda());
            }
        }
    }
}

#[test]
fn every_summary_compiles() {
    let Some(nvrtc) = Nvrtc::load() else { return };
    for dtype in DType::ALL {
        for view in [View::Contiguous, View::Single, View::Strided] {
            let mut shown = program(1, dtype, view, dtype, Operand::Input(0));
            shown.instructions.truncate(1);
            shown.output = View::Contiguous;
            nvrtc.accepts(&format!("a summary of {dtype}"), &shown.to_cuda_summary());
            if !dtype.is_complex() {
                shown.instructions.push(Instruction { dtype: DType::Float64, operand: Operand::Cast(0) });
                nvrtc.accepts(&format!("a histogram of {dtype}"), &shown.to_cuda_histogram());
            }
        }
    }
}

#[test]
fn reading_and_writing_by_indices_and_masks_compiles() {
    let Some(nvrtc) = Nvrtc::load() else { return };
    let mut all: Vec<Indexed> =
        [1, 2, 4, 8, 16].map(|element| Indexed { element, index: DType::Int64, rank: 2 }).into();
    for index in DType::ALL.into_iter().filter(|dtype| dtype.is_integer()) {
        all.push(Indexed { element: 4, index, rank: 1 });
    }
    all.extend([0, 3, 8].map(|rank| Indexed { element: 8, index: DType::Int32, rank }));
    for indexed in all {
        nvrtc.accepts(&format!("reading by {indexed:?}"), &indexed.to_cuda_gather());
        nvrtc.accepts(&format!("writing by {indexed:?}"), &indexed.to_cuda_scatter());
    }
    for element in [None, Some(1), Some(2), Some(4), Some(8), Some(16)] {
        nvrtc.accepts(&format!("the places of a mask: {element:?}"), &places::to_cuda(element));
    }
}

#[test]
fn bins_compile() {
    let Some(nvrtc) = Nvrtc::load() else { return };
    nvrtc.accepts("bins", &gpurepl_kernels::bins::to_cuda());
}

#[test]
fn random_numbers_compile() {
    let Some(nvrtc) = Nvrtc::load() else { return };
    for dtype in [DType::Int32, DType::UInt32, DType::Int64, DType::UInt64, DType::Float32, DType::Float64] {
        nvrtc.accepts(&format!("uniform {dtype}"), &random::to_cuda(dtype, false));
        if dtype.is_float() {
            nvrtc.accepts(&format!("normal {dtype}"), &random::to_cuda(dtype, true));
        }
    }
}

#[test]
fn distributions_compile() {
    use random::distributions::{Distribution, to_cuda};
    let Some(nvrtc) = Nvrtc::load() else { return };
    for distribution in Distribution::ALL {
        let of_floats = [DType::Float32, DType::Int64];
        let of_integers = [DType::Bool, DType::UInt8, DType::Int64];
        for dtype in if distribution.is_integer() { &of_integers[..] } else { &of_floats[..] } {
            nvrtc.accepts(&format!("{distribution:?} {dtype}"), &to_cuda(*dtype, *distribution));
        }
    }
}

#[test]
fn headers_of_ours_compile() {
    let Some(nvrtc) = Nvrtc::load() else { return };
    for (name, _) in HEADERS {
        let name = name.to_str().unwrap();
        nvrtc.accepts(
            name,
            &format!("#include <{name}>\n#include <{name}>\n__global__ void k(int *a) {{ a[0] = 1; }}"),
        );
    }
    for (name, text) in [
        ("groups and numbers", include_str!("headers/groups_and_numbers.cu")),
        ("cuda_bf16.h", include_str!("headers/bf16.cu")),
        ("cuda_fp8.h", include_str!("headers/fp8.cu")),
    ] {
        nvrtc.accepts(name, text);
    }
}

#[test]
fn blocks_wait_for_each_other() {
    let Some(nvrtc) = Nvrtc::load() else { return };
    let text = "#include <cooperative_groups.h>\n\
                __global__ void k() { cooperative_groups::this_grid().sync(); }";
    nvrtc.accepts("a barrier for the grid", text);
}

#[test]
fn texture_and_surface_references_compile() {
    let Some(nvrtc) = Nvrtc::load() else { return };
    let uses = r#"
        texture<float, 2> a; texture<unsigned char, 2, cudaReadModeNormalizedFloat> b; texture<float4> c;
        texture<short, 3> d; texture<char, cudaTextureType2DLayered> e; texture<uint2, cudaTextureType1DLayered> f;
        texture<fp_tex_double> g; texture<fp_tex_cfloat, 3> h;
        surface<void> s; surface<void, 2> t; surface<void, 3> u; surface<void, cudaSurfaceType2DLayered> v;
        __global__ void k(float *x, double *y, gpurepl::complex<float> *z)
        {
            x[0] = tex2D(a, 1, 2) + tex2D(b, 1, 2) + tex1Dfetch(c, 1).w + tex1D(c, 1).x + tex3D(d, 1, 2, 3)
                 + tex2DLayered(e, 1, 2, 3) + tex1DLayered(f, 1, 2).y;
            y[0] = fp_tex1Dfetch(g, 1);
            z[0] = fp_tex3D(h, 1, 2, 3);
            float w; surf2Dread(&w, t, 4, 1); x[1] = w + surf1Dread<float>(s, 4, cudaBoundaryModeZero);
            surf3Dwrite(w, u, 4, 1, 2); surf2DLayeredwrite(w, v, 4, 1, 2, cudaBoundaryModeClamp);
            fp_surf2DLayeredwrite(y[0], v, 1, 1, 2, cudaBoundaryModeClamp); fp_surf3Dread(z + 1, u, 1, 1, 2);
        }
    "#;
    let header = gpurepl_kernels::PYCUDA_HELPERS_HEADER.to_str().unwrap();
    nvrtc.accepts("texture references", &format!("{header}\n{uses}"));
}

#[test]
fn a_mistake_is_noticed() {
    let Some(nvrtc) = Nvrtc::load() else { return };
    assert!(nvrtc.compile("__global__ void f(float *a) { a[0] = missing; }").is_err());
}
