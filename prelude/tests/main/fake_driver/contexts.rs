//! Contexts that are made: destroyed with the last thing in them.

use gpurepl_prelude::*;

use super::{fake, has_nvrtc, in_child};

#[test]
fn made_contexts_go_with_the_last_thing_in_them() {
    if !has_nvrtc() {
        return;
    }
    let Some(outcome) = fake(&[], "contexts::come_and_go") else { return };
    outcome.is_clean();
    let made = outcome.calls("cuCtxCreate_v4").len();
    assert_eq!((made, outcome.calls("cuCtxDestroy_v2").len()), (6, 6));
}

#[test]
#[ignore = "a body"]
fn come_and_go() {
    if !in_child() {
        return;
    }
    for round in 0..6 {
        let context = Device::new(round % 2).unwrap().make_context().unwrap();
        let a = arange(0..1000);
        let stream = Stream::new().unwrap();
        // Kernels of the library's own and of the user's are kept for the context.
        let b = stream.scope(|| &a + 1).unwrap();
        let double = ElementwiseKernel::new("int *x", "x[i] *= 2", "double").unwrap();
        let mut c = a.copy();
        double.call(&mut c).unwrap();
        let module = SourceModule::new("__global__ void k(int *a) { a[threadIdx.x] = 1; }").unwrap();
        let kernel = module.get_function("k").unwrap();
        kernel.launch(1, 32, &mut c).unwrap();
        let event = stream.record().unwrap();
        let image = matrix_to_array(&ndarray::Array2::<f32>::zeros((4, 4)), Order::C).unwrap();
        if round < 3 {
            Context::pop().unwrap();
            context.detach();
            drop((a, b, c, stream, module, kernel, event, image));
        } else {
            drop((a, b, c, stream, module, kernel, event, image));
            context.detach();
        }
    }
    drop(ones::<f32>(4));
}
