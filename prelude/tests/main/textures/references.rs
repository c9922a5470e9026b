//! References: declared in a source, bound from outside, as in PyCUDA.

use gpurepl_prelude::*;

use crate::is_on_host;

/// The texture of the walkthrough that this library started from.
#[test]
fn a_texture_of_the_walkthrough() {
    let code_snippet = r#"
        texture<float, 2> MyTexture;
        // Rest of Code
        __global__ void read(float *a, int width) { int i = threadIdx.x; a[i] = tex2D(MyTexture, i % width, i / width); }
    "#;
    let texture_mode = SourceModule::new(code_snippet).unwrap();
    let texture = texture_mode.get_texref("MyTexture").unwrap();
    assert!(format!("{texture:?}").starts_with("TextureReference(MyTexture: two axes"));
    let x = to_gpu(&[[1.0_f32, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    matrix_to_texref(&x, &texture, Order::C).unwrap();
    let mut a = zeros::<f32>(6);
    texture_mode.get_function("read").unwrap().launch(1, 6, (&mut a, 3)).unwrap();
    assert_eq!(a.to_vec(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
}

#[test]
fn linear_memory_is_read_by_its_index() {
    let source = "texture<float> tex; texture<float4, 1, cudaReadModeElementType> wide;\n\
                  __global__ void f(float *a, int shift)
                  { int i = (int)threadIdx.x + shift; a[threadIdx.x] = tex1Dfetch(tex, i) + 100 * tex1Dfetch(wide, i).z; }";
    let module = SourceModule::new(source).unwrap();
    let f = module.get_function("f").unwrap();
    let mut x = gpu![f32; 1, 2, 3, 4];
    x.bind_to_texref_ext(&module.get_texref("tex").unwrap()).unwrap();
    let mut a = zeros::<f32>(6);
    // What nothing is bound to reads zeros, and so does what lies outside.
    f.launch(1, 6, (&mut a, -1)).unwrap();
    assert_eq!(a.to_vec(), [0.0, 1.0, 2.0, 3.0, 4.0, 0.0]);
    let wide = module.get_texref("wide").unwrap();
    wide.set_address(&to_device(&[0.0_f32, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]).unwrap(), 32).unwrap();
    f.launch(1, 6, (&mut a, 0)).unwrap();
    assert_eq!(a.to_vec(), [201.0, 602.0, 3.0, 4.0, 0.0, 0.0]);
    // The memory is the array's own.
    x += 10.0;
    wide.unbind();
    f.launch(1, 6, (&mut a, 0)).unwrap();
    assert_eq!(a.to_vec(), [11.0, 12.0, 13.0, 14.0, 0.0, 0.0]);
    // It outlives the array.
    drop(x);
    let _other = zeros::<f32>(4);
    f.launch(1, 6, (&mut a, 0)).unwrap();
    assert_eq!(a.to_vec(), [11.0, 12.0, 13.0, 14.0, 0.0, 0.0]);
}

/// PyCUDA's `test_2d_texture`, `test_multiple_2d_textures` and
/// `test_multichannel_2d_texture`.
#[test]
fn matrices_in_fortran_order() {
    let source = "texture<float, 2, cudaReadModeElementType> mtx_tex;\n\
                  texture<float, 2, cudaReadModeElementType> mtx2_tex;\n\
                  texture<float4, 2, cudaReadModeElementType> deep_tex;\n\
                  __global__ void copy(float *dest)
                  { int row = threadIdx.x, col = threadIdx.y, w = blockDim.y;
                    float4 deep = tex2D(deep_tex, row, col);
                    dest[row*w+col] = tex2D(mtx_tex, row, col) + tex2D(mtx2_tex, row, col) + deep.x + deep.w; }";
    let module = SourceModule::new(source).unwrap();
    let a = ndarray::Array2::from_shape_fn((3, 4), |(i, j)| (10 * i + j) as f32);
    let b = ndarray::Array2::from_shape_fn((3, 4), |(i, j)| 0.5 * (i + j) as f32);
    let c = ndarray::Array3::from_shape_fn((4, 3, 4), |(k, i, j)| (1000 * k + 100 * i + j) as f32);
    matrix_to_texref(&a, &module.get_texref("mtx_tex").unwrap(), Order::F).unwrap();
    matrix_to_texref(&to_gpu(&b), &module.get_texref("mtx2_tex").unwrap(), Order::F).unwrap();
    let deep = make_multichannel_2d_array(&c, Order::F).unwrap();
    bind_array_to_texref(&deep, &module.get_texref("deep_tex").unwrap()).unwrap();
    let mut dest = ndarray::Array2::<f32>::zeros((3, 4));
    module.get_function("copy").unwrap().launch(1, (3, 4), Out(&mut dest)).unwrap();
    let c = &c.index_axis(ndarray::Axis(0), 0) + &c.index_axis(ndarray::Axis(0), 3);
    assert_eq!(dest, &a + &b + &c);
}

#[test]
fn settings_hold_from_the_next_launch_on() {
    let source = "texture<unsigned char, 1, cudaReadModeNormalizedFloat> tex;\n\
                  __global__ void f(float *a, float x) { a[0] = tex1D(tex, x); }";
    let module = SourceModule::new(source).unwrap();
    let (f, tex) = (module.get_function("f").unwrap(), module.get_texref("tex").unwrap());
    let array = np_to_array(&ndarray::arr1(&[0_u8, 51, 102, 255]), Order::C, ArrayFlags::NONE).unwrap();
    tex.set_array(&array).unwrap();
    let read = |x: f32| {
        let mut a = [0.0_f32];
        f.launch(1, 1, (Out(&mut a), x)).unwrap();
        (a[0] * 1000.0).round() / 1000.0
    };
    assert_eq!([read(1.5), read(9.0)], [0.2, 1.0]);
    tex.set_filter_mode(FilterMode::Linear).unwrap();
    assert_eq!([read(1.5), read(2.0)], [0.2, 0.3]);
    tex.set_normalized_coordinates(true);
    tex.set_address_mode(0, AddressMode::Wrap).unwrap();
    assert_eq!([read(0.5), read(1.5), read(-0.5)], [0.3, 0.3, 0.3]);
    tex.set_normalized_coordinates(false);
    tex.set_address_mode(0, AddressMode::Border).unwrap();
    tex.set_filter_mode(FilterMode::Point).unwrap();
    assert_eq!([read(3.5), read(4.5)], [1.0, 0.0]);
    // The same reference by another handle, and the array by another name.
    drop((array, tex));
    module.get_texref("tex").unwrap().set_border_color([1.0, 0.0, 0.0, 0.0]);
    assert_eq!(read(4.5), 1.0);
}

#[test]
fn volumes_layers_and_every_type() {
    let source = "texture<short, 3> volume; texture<char, cudaTextureType2DLayered> layers;\n\
                  texture<uint2, cudaTextureType1DLayered> rows; namespace deep { static texture<int2, 2> pairs; }\n\
                  __global__ void f(int *a)
                  { a[0] = tex3D(volume, 1, 0, 2); a[1] = tex2DLayered(layers, 1, 1, 1);
                    uint2 row = tex1DLayered(rows, 2.0f, 1); a[2] = row.x; a[3] = row.y;
                    a[4] = tex2D(deep::pairs, 0, 1).y; }";
    let module = SourceModule::new(source).unwrap();
    let volume =
        ndarray::Array3::from_shape_fn((3, 2, 2), |(z, y, x)| -(100 * z as i16) - 10 * y as i16 - x as i16);
    let of = |name: &str| module.get_texref(name).unwrap();
    of("volume").set_array(&np_to_array(&volume, Order::C, ArrayFlags::NONE).unwrap()).unwrap();
    let layers =
        ndarray::Array3::from_shape_fn((2, 2, 2), |(z, y, x)| (-(z as i8) * 100) - (y * 2 + x) as i8);
    of("layers").set_array(&np_to_array(&layers, Order::C, ArrayFlags::LAYERED).unwrap()).unwrap();
    let descriptor = ArrayDescriptor {
        width: 3,
        height: 0,
        depth: 2,
        format: ArrayFormat::UnsignedInt32,
        num_channels: 2,
        flags: ArrayFlags::LAYERED,
    };
    let mut rows = CudaArray::new(&descriptor).unwrap();
    rows.copy_from(&(0_u32..12).collect::<Vec<u32>>()).unwrap();
    of("rows").set_array(&rows).unwrap();
    let pairs = ndarray::Array3::from_shape_fn((2, 1, 2), |(y, _, c)| (10 * y + c) as i32);
    of("deep::pairs").set_array(&make_multichannel_2d_array(&pairs, Order::C).unwrap()).unwrap();
    let mut a = [0; 5];
    module.get_function("f").unwrap().launch(1, 1, Out(&mut a)).unwrap();
    assert_eq!(a, [-201, -103, 10, 11, 11]);
}

/// PyCUDA's `test_2d_fp_textures` and its like: one layer of layered arrays is
/// read by any number.
#[test]
fn doubles_and_complex_numbers_by_the_helpers() {
    let source = "#include <pycuda-helpers.hpp>\n\
                  texture<fp_tex_double, 2, cudaReadModeElementType> doubles;\n\
                  texture<fp_tex_cfloat, 3, cudaReadModeElementType> complexes;\n\
                  texture<fp_tex_cdouble, cudaTextureType2DLayered, cudaReadModeElementType> both;\n\
                  texture<fp_tex_double> line; texture<fp_tex_float, 2> plain;\n\
                  __global__ void f(double *a, pycuda::complex<float> *b, pycuda::complex<double> *c)
                  { int i = threadIdx.x; a[i] = fp_tex2D(doubles, i, 1) + fp_tex1Dfetch(line, i) + fp_tex2D(plain, i, 0);
                    b[i] = fp_tex3D(complexes, i, 0, 1); c[i] = fp_tex2DLayered(both, i, 1, 1); }";
    let module = SourceModule::new(source).unwrap();
    let of = |name: &str| module.get_texref(name).unwrap();
    let doubles = ndarray::arr2(&[[0.1, 0.2], [1.0 / 3.0, -1e300]]);
    of("doubles").set_array(&np_to_array(&doubles, Order::C, ArrayFlags::NONE).unwrap()).unwrap();
    let complexes =
        ndarray::Array3::from_shape_fn((2, 1, 2), |(z, _, x)| Complex32::new(z as f32, x as f32 - 0.5));
    of("complexes")
        .set_array(&gpuarray_to_array(&to_gpu(&complexes), Order::C, ArrayFlags::NONE).unwrap())
        .unwrap();
    let both =
        ndarray::arr2(&[[Complex64::ZERO; 2], [Complex64::new(0.1, -0.2), Complex64::new(1e-300, 3.0)]]);
    let flags = ArrayFlags::SURFACE_LDST | ArrayFlags::LAYERED;
    of("both").set_array(&np_to_array(&both, Order::C, flags).unwrap()).unwrap();
    gpu![f64; 1, 0].bind_to_texref_ext(&of("line")).unwrap();
    matrix_to_texref(&ndarray::arr2(&[[0.5_f32, 0.0]]), &of("plain"), Order::C).unwrap();
    let (mut a, mut b, mut c) = ([0.0; 2], [Complex32::ZERO; 2], [Complex64::ZERO; 2]);
    module.get_function("f").unwrap().launch(1, 2, (Out(&mut a), Out(&mut b), Out(&mut c))).unwrap();
    assert_eq!(a, [1.0 / 3.0 + 1.0 + 0.5, -1e300]);
    assert_eq!(b, [Complex32::new(1.0, -0.5), Complex32::new(1.0, 0.5)]);
    assert_eq!(c, [both[[1, 0]], both[[1, 1]]]);
}

#[test]
fn references_that_do_not_fit() {
    let source = "texture<float, 2> flat; texture<int> line; surface<void, 2> out; __device__ int x;\n\
                  __global__ void f(float *a) { a[0] = tex2D(flat, 0, 0) + tex1Dfetch(line, 0) + x; }";
    let module = SourceModule::new(source).unwrap();
    let message = |error: Error| error.to_string();
    assert_eq!(
        message(module.get_texref("x").unwrap_err()),
        "x: the source has no texture reference of this name; it has flat, line"
    );
    assert_eq!(
        message(module.get_surfref("flat").unwrap_err()),
        "flat: the source has no surface reference of this name; it has out"
    );
    assert!(message(module.get_global("flat").unwrap_err()).ends_with("it has x"));
    let (flat, line) = (module.get_texref("flat").unwrap(), module.get_texref("line").unwrap());
    let of = |flags| np_to_array(&ndarray::Array2::<f32>::zeros((2, 2)), Order::C, flags).unwrap();
    assert_eq!(
        message(flat.set_array(&of(ArrayFlags::LAYERED)).unwrap_err()),
        "flat: the source declares two axes, the array has layers of two axes"
    );
    let bytes = np_to_array(&ndarray::Array2::<u8>::zeros((2, 2)), Order::C, ArrayFlags::NONE).unwrap();
    assert_eq!(
        message(flat.set_array(&bytes).unwrap_err()),
        "flat: the source declares elements of 1 x float32, the array has 1 x uint8"
    );
    assert_eq!(
        message(module.get_surfref("out").unwrap().set_array(&of(ArrayFlags::NONE)).unwrap_err()),
        "surface reference: surfaces cannot use this array; make it with ArrayFlags::SURFACE_LDST"
    );
    assert_eq!(
        message(gpu![f32; 1].bind_to_texref_ext(&flat).unwrap_err()),
        "flat: the source declares two axes, and memory without a shape has one axis; bind an array: `bind_array_to_texref`"
    );
    assert_eq!(
        message(gpu![f32; 1].bind_to_texref_ext(&line).unwrap_err()),
        "line: the source declares elements of 1 x int32, the array has 1 x float32"
    );
    assert_eq!(gpu![i64; 1].bind_to_texref_ext(&line).unwrap_err().kind(), ErrorKind::Argument);
    let x = arange(0..300);
    assert!(message(x.slice(1..).bind_to_texref_ext(&line).unwrap_err()).contains("4 bytes into its memory"));
    assert!(
        message(x.slice(s![..;2]).bind_to_texref_ext(&line).unwrap_err()).contains("do not lie in order")
    );
    assert!(message(line.set_filter_mode(FilterMode::Linear).unwrap_err()).contains("cannot be filtered"));
    assert!(message(line.set_address_mode(3, AddressMode::Wrap).unwrap_err()).contains("axis 3"));
    let memory = mem_alloc(10).unwrap();
    assert!(message(line.set_address(&memory, 12).unwrap_err()).contains("allocation of 10"));
    assert!(message(line.set_address(&memory, 10).unwrap_err()).contains("not a whole number"));
}

#[test]
fn what_textures_on_the_host_cannot_do_is_said() {
    if !is_on_host() {
        return crate::ignored::ignored(crate::ignored::NEEDS_HOST);
    }
    let source = "__global__ void f(cudaTextureObject_t t, float *a) { a[0] = tex2DLod<float>(t, 0, 0, 1); }";
    let error = SourceModule::new(source).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Spec);
    assert!(error.to_string().contains("`tex2DLod`"), "{error}");
}

#[test]
fn elements_that_no_texture_has() {
    let error = SourceModule::new("texture<double, 2> tex;\n__global__ void f() {}").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Compile);
    assert!(error.to_string().contains("numbers of up to 32 bits"), "{error}");
}
