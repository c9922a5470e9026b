//! Structures and vectors as kernels have them.

use gpurepl_prelude::*;

kernel_struct! {
    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Inner {
        flag: bool,
        wide: f64,
    }

    /// Rust would put the large fields first.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub(crate) struct Mixed {
        a: u8,
        b: f64,
        c: i16,
        inner: [Inner; 2],
        d: f32,
        e: [u8; 3],
    }
}

const SOURCE: &str = "
    struct Inner { bool flag; double wide; };
    struct Mixed { unsigned char a; double b; short c; Inner inner[2]; float d; unsigned char e[3]; };
    __global__ void by_value(Mixed m, double *out)
    {
        out[0] = m.a; out[1] = m.b; out[2] = m.c; out[3] = m.inner[0].flag; out[4] = m.inner[1].wide;
        out[5] = m.d; out[6] = m.e[2]; out[7] = sizeof(Mixed);
    }
    __global__ void bump(Mixed *all) { Mixed &m = all[threadIdx.x]; m.b += m.a; m.inner[1].flag = !m.inner[1].flag; m.e[1] = 7; }
    __global__ void swap(float3 *v) { float x = v[threadIdx.x].x; v[threadIdx.x].x = v[threadIdx.x].z; v[threadIdx.x].z = x; }
    struct Vector { float *data; int n; };
    __global__ void fill(Vector v) { if (threadIdx.x < v.n) v.data[threadIdx.x] = threadIdx.x + 1; }";

fn mixed(a: u8) -> Mixed {
    let inner = [Inner { flag: true, wide: 0.5 }, Inner { flag: false, wide: 2.5 }];
    Mixed { a, b: 10.0, c: -3, inner, d: 1.5, e: [1, 2, 3] }
}

/// Fields arrived in the order that Rust had given them.
#[test]
fn fields_were_passed_in_another_order() {
    let module = SourceModule::new(SOURCE).unwrap();
    let mut out = zeros::<f64>(8);
    module.get_function("by_value").unwrap().launch(1, 1, (Struct(mixed(9)), &mut out)).unwrap();
    assert_eq!(out.to_vec(), [9.0, 10.0, -3.0, 1.0, 2.5, 1.5, 3.0, 64.0]);
    let prepared = module.get_function("by_value").unwrap().prepare("SP").unwrap();
    prepared.prepared_call(1, 1, (Struct(mixed(8)), &mut out)).unwrap();
    assert_eq!(out.to_vec()[0], 8.0);
}

#[test]
fn a_number_was_taken_for_a_structure_of_its_size() {
    let source = "
        struct Scale { float by; };
        typedef struct { int n; } Count;
        enum Mode { Off, On };
        __global__ void scale(Scale s, float *x) { x[threadIdx.x] *= s.by; }
        __global__ void fill(Count c, float *x) { x[threadIdx.x] = c.n; }
        __global__ void sum(float2 v, float *x) { x[threadIdx.x] = v.x + v.y; }
        __global__ void choose(Mode mode, float *x) { x[threadIdx.x] = mode == On; }";
    let module = SourceModule::new(source).unwrap();
    let mut x = ones::<f32>(2);
    let refused = |name: &str, arguments: String, result: Result<(), Error>| {
        let error = result.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Argument, "{error}");
        let wanted = format!("`{name}`, which takes a structure: `Struct(value)` passes one");
        assert!(error.to_string().contains(&wanted), "{arguments}: {error}");
    };
    let kernel = |name: &str| module.get_function(name).unwrap();
    refused("Scale", "2".to_owned(), kernel("scale").launch(1, 2, (2, &mut x)));
    refused("Scale", "2.0".to_owned(), kernel("scale").launch(1, 2, (2.0f32, &mut x)));
    refused("Count", "2".to_owned(), kernel("fill").launch(1, 2, (2, &mut x)));
    let error = kernel("sum").launch(1, 2, (2.0, &mut x)).unwrap_err().to_string();
    assert!(error.contains("`float2`, which takes `[f32; 2]`, not a number"), "{error}");
    assert_eq!(x.to_vec(), [1.0; 2]);
    kernel("choose").launch(1, 2, (1, &mut x)).unwrap();
    assert_eq!(x.to_vec(), [1.0; 2]);
}

#[test]
fn slices_of_structures_travel() {
    let bump = SourceModule::new(SOURCE).unwrap().get_function("bump").unwrap();
    let bumped = |a: u8| {
        let mut m = mixed(a);
        (m.b, m.inner[1].flag, m.e[1]) = (10.0 + f64::from(a), true, 7);
        m
    };
    let mut all = vec![mixed(1), mixed(2), mixed(3)];
    bump.launch(1, 3, InOut(&mut all)).unwrap();
    assert_eq!(all, [bumped(1), bumped(2), bumped(3)]);
    let mut wrapped = [Struct(mixed(4)), Struct(mixed(5))];
    bump.launch(1, 2, InOut(&mut wrapped)).unwrap();
    assert_eq!(wrapped, [Struct(bumped(4)), Struct(bumped(5))]);
    let mut memory = to_device(&all).unwrap();
    assert_eq!(memory.len(), 3 * 64);
    bump.launch(1, 3, &mut memory).unwrap();
    let mut back = vec![mixed(0); 3];
    memcpy_dtoh(&mut back, &memory).unwrap();
    assert_eq!((back[2].b, back[2].inner[1].flag), (16.0, false));
    memcpy_htod(&mut memory, &back[..1]).unwrap();
    let mut rows = to_gpu(vec![Struct(mixed(6)); 2]);
    assert_eq!(rows.shape(), [2, 64]);
    bump.launch(1, 2, &mut rows).unwrap();
    memcpy_dtoh(&mut back[..2], &rows.gpudata()).unwrap();
    assert_eq!(back[1], bumped(6));
    let refused = SourceModule::new("__global__ void k(float *x) {}").unwrap().get_function("k").unwrap();
    let error = refused.launch(1, 1, In(&all)).unwrap_err().to_string();
    assert_eq!(error, "k: argument 1 `x` is `float *`, which takes an array of float32, not of structures");
}

#[test]
fn slices_of_vectors_travel() {
    let swap = SourceModule::new(SOURCE).unwrap().get_function("swap").unwrap();
    let mut points = vec![[1.0f32, 2.0, 3.0]; 4];
    swap.launch(1, 4, InOut(&mut points)).unwrap();
    assert_eq!(points, [[3.0, 2.0, 1.0]; 4]);
    let mut on_device = to_gpu(&points);
    assert_eq!(on_device.shape(), [4, 3]);
    swap.launch(1, 4, &mut on_device).unwrap();
    assert_eq!(on_device.to_vec(), [1.0, 2.0, 3.0].repeat(4));
    let mut out = vec![[0f32; 3]; 4];
    memcpy_dtoh(&mut out, &on_device.gpudata()).unwrap();
    assert_eq!(out, [[1.0, 2.0, 3.0]; 4]);
    let copy = SourceModule::new("__global__ void copy(const float *a, float3 *b) { b[threadIdx.x] = make_float3(a[3*threadIdx.x], 0, 0); }").unwrap();
    let mut out = vec![[9f32; 3]; 4];
    copy.get_function("copy").unwrap().launch(1, 4, (In(&points), Out(&mut out))).unwrap();
    assert_eq!(out, [[3.0, 0.0, 0.0]; 4]);
    let error = swap.launch(1, 4, InOut(&mut vec![[1.0f64; 3]; 4])).unwrap_err().to_string();
    assert!(error.contains("which takes an array of float32, not of float64"), "{error}");
}

#[test]
fn addresses_as_numbers() {
    kernel_struct! {
        struct Vector { data: u64, n: i32 }
    }
    let module = SourceModule::new(SOURCE).unwrap();
    let x = zeros::<f32>(3);
    module.get_function("fill").unwrap().launch(1, 4, Struct(Vector { data: x.ptr(), n: 3 })).unwrap();
    assert_eq!(x.to_vec(), [1.0, 2.0, 3.0]);
    let source = "__global__ void add(const float *a, float *b, unsigned long long n) { b[threadIdx.x] = a[threadIdx.x] + n; }";
    let add = SourceModule::new(source).unwrap().get_function("add").unwrap().prepare("PPQ").unwrap();
    let (a, b) = (&x * 2.0f32, zeros::<f32>(3));
    add.prepared_call(1, 3, (a.ptr(), b.ptr(), 1_u64)).unwrap();
    assert_eq!(b.to_vec(), [3.0, 5.0, 7.0]);
    let error = add.prepared_call(1, 3, (&a, 3_usize, 1_u64)).unwrap_err().to_string();
    assert!(error.contains("argument 2 is an array or an address, not a number"), "{error}");
}

#[test]
fn a_dynamic_module_takes_a_source() {
    let source = "__device__ int twice(int x) { return 2 * x; } __global__ void k(int *a) { a[threadIdx.x] = twice(a[threadIdx.x]); }";
    let module = DynamicSourceModule::with_options(source, &["-DA"]).unwrap();
    let mut a = arange::<i32>(0..3);
    module.get_function("k").unwrap().launch(1, 3, &mut a).unwrap();
    assert_eq!(a.to_vec(), [0, 2, 4]);
}

/// Arguments of other sizes and alignments lie between each other. Numbers that
/// are not numbers keep their bits too.
#[test]
fn arguments_of_all_alignments_arrive_bit_for_bit() {
    kernel_struct! {
        #[derive(Clone, Copy)]
        struct Odd { tag: u8, number: f64, tail: u8 }
    }
    let source = "
        struct Odd { unsigned char tag; double number; unsigned char tail; };
        template <class T> __device__ unsigned char *put(unsigned char *out, const T &value)
        {
            const unsigned char *bytes = (const unsigned char *)&value;
            for (int k = 0; k < sizeof(T); k++) out[k] = bytes[k];
            return out + sizeof(T);
        }
        __global__ void k(char a, float4 b, char c, double2 d, Odd e, short f, unsigned char *out)
        {
            MEET
            out = put(put(put(put(out, a), b), c), d);
            out = put(put(out, e.tag), e.number);
            put(put(out, e.tail), f);
        }";
    let floats = [f32::from_bits(0x7fa0_0001), -0.0, f32::MIN_POSITIVE / 2.0, f32::from_bits(0xffc1_2345)];
    let doubles = [f64::from_bits(0x7ff4_0000_0000_0001), -f64::MIN_POSITIVE / 4.0];
    let odd = Odd { tag: 0xa5, number: f64::from_bits(0xfff8_1234_5678_9abc), tail: 0x5a };
    let mut expected = vec![-7_i8 as u8];
    floats.iter().for_each(|x| expected.extend(x.to_ne_bytes()));
    expected.push(i8::MIN as u8);
    doubles.iter().for_each(|x| expected.extend(x.to_ne_bytes()));
    expected.push(odd.tag);
    expected.extend(odd.number.to_ne_bytes());
    expected.push(odd.tail);
    expected.extend((-12345_i16).to_ne_bytes());
    for (meet, is_checked) in
        [("", false), ("", true), ("__syncthreads();", false), ("__syncthreads();", true)]
    {
        let module =
            SourceModule::builder(&source.replace("MEET", meet)).check(is_checked).compile().unwrap();
        let function = module.get_function("k").unwrap();
        let mut out = zeros::<u8>(expected.len());
        let (a, b, c, d, f) = (-7_i8, floats, i8::MIN, doubles, -12345_i16);
        function.launch(1, 1, (a, b, c, d, Struct(odd), f, &mut out)).unwrap();
        assert_eq!(out.to_vec(), expected, "{meet} {is_checked}");
        let mut out = zeros::<u8>(expected.len());
        let prepared = function.prepare("bSbSShP").unwrap();
        prepared.prepared_call(1, 1, (a, b, c, d, Struct(odd), f, &mut out)).unwrap();
        assert_eq!(out.to_vec(), expected, "prepared, {meet} {is_checked}");
    }
}

/// NVRTC has these types without a header; the host device did not.
#[test]
fn pitched_memory_was_refused() {
    kernel_struct! {
        struct Pitched { ptr: u64, pitch: u64, xsize: u64, ysize: u64 }
    }
    kernel_struct! {
        struct Extent { width: u64, height: u64, depth: u64 }
    }
    let source = "
        __global__ void k(cudaPitchedPtr to, cudaExtent extent, float *out)
        {
            cudaPos at = {threadIdx.x, threadIdx.y, 1};
            float *row = (float *)((char *)to.ptr + (at.z * to.ysize + at.y) * to.pitch);
            if (at.x < extent.width && at.y < extent.height) out[at.y * extent.width + at.x] = row[at.x];
        }";
    let memory = arange(0..2 * 3 * 8).astype(f32);
    let mut out = zeros::<f32>(3 * 5);
    let to = Pitched { ptr: memory.ptr(), pitch: 32, xsize: 20, ysize: 3 };
    let extent = Extent { width: 5, height: 3, depth: 2 };
    let kernel = SourceModule::new(source).unwrap().get_function("k").unwrap();
    kernel.launch(1, (8, 4), (Struct(to), Struct(extent), &mut out)).unwrap();
    let expected: Vec<f32> = (0..15).map(|k| (24 + k / 5 * 8 + k % 5) as f32).collect();
    assert_eq!(out.to_vec(), expected);
}
