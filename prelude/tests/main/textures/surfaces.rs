//! Surfaces: arrays that kernels write.

use gpurepl_prelude::*;

use super::kernel;
use crate::is_on_host;

fn array(width: usize, height: usize, depth: usize, flags: ArrayFlags) -> CudaArray {
    let (format, num_channels) = (ArrayFormat::SignedInt32, 1);
    let flags = flags | ArrayFlags::SURFACE_LDST;
    let descriptor = ArrayDescriptor { width, height, depth, format, num_channels, flags };
    let mut array = CudaArray::new(&descriptor).unwrap();
    array.copy_from(&vec![-1; width * height.max(1) * depth.max(1)]).unwrap();
    array
}

fn contents(array: &CudaArray) -> Vec<i32> {
    let mut contents = vec![0; array.nbytes() / 4];
    array.copy_to(&mut contents).unwrap();
    contents
}

#[test]
fn objects_of_all_axes_are_written_and_read() {
    // A kernel must not read what it has written itself: a GPU's caches would
    // not know of it.
    let source = "__global__ void write(cudaSurfaceObject_t a, cudaSurfaceObject_t b, cudaSurfaceObject_t c,
                                        cudaSurfaceObject_t d, cudaSurfaceObject_t e)
                  { int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
                    if (y == 0 && z == 0) surf1Dwrite(x, a, x * 4);
                    if (z == 0) { surf2Dwrite(x + 10 * y, b, x * 4, y); surf1DLayeredwrite(x + 10 * y, d, x * 4, y); }
                    surf3Dwrite(x + 10 * y + 100 * z, c, x * 4, y, z);
                    surf2DLayeredwrite(x + 10 * y + 100 * z, e, x * 4, y, z); }
                  __global__ void read(cudaSurfaceObject_t a, cudaSurfaceObject_t b, cudaSurfaceObject_t c,
                                       cudaSurfaceObject_t d, cudaSurfaceObject_t e, int *sum)
                  { int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z, v;
                    surf3Dread(&v, c, x * 4, y, z);
                    v += surf1Dread<int>(a, x * 4) + surf2Dread<int>(b, x * 4, y);
                    v += surf1DLayeredread<int>(d, x * 4, y) + surf2DLayeredread<int>(e, x * 4, y, z);
                    sum[x + 2 * (y + 2 * z)] = v; }";
    let (write, read) = (kernel(source, "write"), kernel(source, "read"));
    let objects = [
        array(2, 0, 0, ArrayFlags::NONE),
        array(2, 2, 0, ArrayFlags::NONE),
        array(2, 2, 2, ArrayFlags::NONE),
        array(2, 0, 2, ArrayFlags::LAYERED),
        array(2, 2, 2, ArrayFlags::LAYERED),
    ];
    let [a, b, c, d, e] = objects.each_ref().map(|array| SurfaceObject::new(array).unwrap());
    write.launch(1, (2, 2, 2), (&a, &b, &c, &d, &e)).unwrap();
    let all: Vec<i32> = (0..8).map(|k| k % 2 + 10 * (k / 2 % 2) + 100 * (k / 4)).collect();
    assert_eq!(contents(&objects[0]), [0, 1]);
    assert_eq!(contents(&objects[1]), all[..4]);
    assert_eq!(contents(&objects[2]), all);
    assert_eq!(contents(&objects[3]), all[..4]);
    assert_eq!(contents(&objects[4]), all);
    let mut sum = [0; 8];
    read.launch(1, (2, 2, 2), (&a, &b, &c, &d, &e, Out(&mut sum))).unwrap();
    let wanted: Vec<i32> = (0..8).map(|k| 2 * all[k] + 2 * all[k % 4] + all[k % 2]).collect();
    assert_eq!(sum.to_vec(), wanted);
}

#[test]
fn outside_of_a_surface() {
    let source = "__global__ void f(cudaSurfaceObject_t s, int *a, int clamp)
                  { int i = (int)threadIdx.x - 1;
                    if (clamp) { a[threadIdx.x] = surf2Dread<int>(s, i * 4, i, cudaBoundaryModeClamp); }
                    else { a[threadIdx.x] = surf2Dread<int>(s, i * 4, 0, cudaBoundaryModeZero);
                           surf2Dwrite(50 + i, s, i * 4, 1, cudaBoundaryModeZero); } }";
    let f = kernel(source, "f");
    let mut array = array(2, 2, 0, ArrayFlags::NONE);
    array.copy_from(&[1, 2, 3, 4]).unwrap();
    let surface = SurfaceObject::new(&array).unwrap();
    let mut a = [9; 4];
    f.launch(1, 4, (&surface, Out(&mut a), 1)).unwrap();
    assert_eq!(a, [1, 1, 4, 4]);
    f.launch(1, 4, (&surface, Out(&mut a), 0)).unwrap();
    assert_eq!((a, contents(&array)), ([0, 1, 2, 0], vec![1, 2, 50, 51]));
}

#[test]
fn a_trap_is_an_error_of_the_kernel() {
    // On a GPU the process could not go on.
    if !is_on_host() {
        return crate::ignored::ignored(crate::ignored::NEEDS_HOST);
    }
    let source =
        "surface<void, 2> out;\n__global__ void f()\n{\n  surf2Dwrite(1, out, threadIdx.x * 4, 0);\n}";
    let module = SourceModule::new(source).unwrap();
    let array = array(2, 1, 0, ArrayFlags::NONE);
    module.get_surfref("out").unwrap().set_array(&array).unwrap();
    let f = module.get_function("f").unwrap();
    f.launch(1, 2, ()).unwrap();
    let error = f.launch(1, 3, ()).unwrap_err();
    let fault = error.kernel_fault().unwrap();
    assert_eq!(
        (fault.kind, fault.line, fault.thread),
        (FaultKind::OutOfBounds, Some(4), Some([2, 0, 0])),
        "{fault}"
    );
    assert_eq!(fault.message, "an access outside of the surface");
    assert_eq!(contents(&array), [1, 1]);
}

#[test]
fn references_write_and_textures_read_the_same_array() {
    let source = "surface<void, 2> out; texture<float, 2> in;\n\
                  __global__ void put(float by) { int x = threadIdx.x, y = threadIdx.y;
                    float v; surf2Dread(&v, out, x * sizeof(float), y); v += surf2Dread<float>(out, x * 4, y);
                    surf2Dwrite(by * (x + 10 * y) + v, out, x * sizeof(float), y); }\n\
                  __global__ void get(float *a) { a[threadIdx.x] = tex2D(in, threadIdx.x % 2, threadIdx.x / 2); }";
    let module = SourceModule::new(source).unwrap();
    let (put, get) = (module.get_function("put").unwrap(), module.get_function("get").unwrap());
    let zeros = ndarray::Array2::<f32>::zeros((2, 2));
    let array = np_to_array(&zeros, Order::C, ArrayFlags::SURFACE_LDST).unwrap();
    // What nothing is bound to swallows what is written.
    put.launch(1, (2, 2), 1.0).unwrap();
    module.get_surfref("out").unwrap().set_array(&array).unwrap();
    module.get_texref("in").unwrap().set_array(&array).unwrap();
    put.launch(1, (2, 2), 2.0).unwrap();
    put.launch(1, (2, 2), 0.5).unwrap();
    let mut a = gpurepl_prelude::zeros::<f32>(4);
    get.launch(1, 4, &mut a).unwrap();
    assert_eq!(a.to_vec(), [0.0, 4.5, 45.0, 49.5]);
}

/// PyCUDA's `test_3d_fp_surfaces` and `test_2d_fp_surfaces`.
#[test]
fn the_helpers_write_and_read_transposed() {
    fn check<T: Elem>(c: &str, values: impl Fn(usize) -> T) {
        let source = "#include <pycuda-helpers.hpp>\n\
            surface<void, cudaSurfaceType3D> mtx_tex; surface<void, cudaSurfaceType2DLayered> flat_tex;\n\
            __global__ void copy(TYPE *dest, TYPE *flat, int rw)
            { int row = threadIdx.x, col = threadIdx.y, slice = threadIdx.z, tid = row + 4*(col + 4*slice);
              if (rw == 0) { fp_surf3Dwrite(dest[tid], mtx_tex, row, col, slice, cudaBoundaryModeClamp);
                if (slice == 0) fp_surf2DLayeredwrite(flat[tid], flat_tex, row, col, 1, cudaBoundaryModeClamp); }
              else { TYPE aux; fp_surf3Dread(&aux, mtx_tex, slice, col, row, cudaBoundaryModeClamp); dest[tid] = aux;
                if (slice == 0) { fp_surf2DLayeredread(&aux, flat_tex, col, row, 1, cudaBoundaryModeClamp); flat[tid] = aux; } } }";
        let module = SourceModule::new(&source.replace("TYPE", c)).unwrap();
        let copy = module.get_function("copy").unwrap();
        let surface = ArrayFlags::SURFACE_LDST;
        let (empty3, empty2) = (zeros::<T>((4, 4, 4)), zeros::<T>((4, 4)));
        let cube = gpuarray_to_array(&empty3, Order::C, surface).unwrap();
        let flat = gpuarray_to_array(&empty2, Order::C, surface | ArrayFlags::LAYERED).unwrap();
        module.get_surfref("mtx_tex").unwrap().set_array(&cube).unwrap();
        module.get_surfref("flat_tex").unwrap().set_array(&flat).unwrap();
        let before = ndarray::Array3::from_shape_fn((4, 4, 4), |(z, y, x)| values(x + 4 * (y + 4 * z)));
        let before2 = ndarray::Array2::from_shape_fn((4, 4), |(y, x)| values(x + 4 * y));
        let (mut a, mut b) = (to_gpu(&before), to_gpu(&before2));
        copy.launch(1, (4, 4, 4), (&mut a, &mut b, 0)).unwrap();
        copy.launch(1, (4, 4, 4), (&mut a, &mut b, 1)).unwrap();
        let turned: Vec<T> = before.t().iter().copied().collect();
        let turned2: Vec<T> = before2.t().iter().copied().collect();
        assert_eq!((a.to_vec(), b.to_vec()), (turned, turned2), "{c}");
    }
    check("short", |k| k as i16 * 7);
    check("float", |k| k as f32 / 7.0);
    check("double", |k| k as f64 / 7.0);
    check("pycuda::complex<float>", |k| Complex32::new(k as f32, -1.0 / (k as f32 + 1.0)));
    check("pycuda::complex<double>", |k| Complex64::new(k as f64, -1.0 / (k as f64 + 1.0)));
}
