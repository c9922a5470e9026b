//! Arrays over the memory of vectors.

use super::*;

const PRODUCT: &str = "
    __global__ void product(const double *a, const double *b, double *c, int n) {
        int i = threadIdx.x + blockIdx.x * blockDim.x;
        if (i < n) c[i] = a[i] * b[i];
    }";

#[test]
fn a_kernel_multiplies_two_vectors() {
    if !shares_memory() {
        return;
    }
    let (mut a, mut b, mut c) = (
        petsc::Vector::zeros(8).unwrap(),
        petsc::Vector::zeros(8).unwrap(),
        petsc::Vector::zeros(8).unwrap(),
    );
    a.set(3.0).unwrap();
    b.set(2.0).unwrap();
    let (x, y, mut z) = (a.borrow().unwrap(), b.borrow().unwrap(), c.borrow_mut().unwrap());
    let product = SourceModule::new(PRODUCT).unwrap().get_function("product").unwrap();
    product.launch(1, 8, (&x, &y, &mut z, 8)).unwrap();
    x.restore().unwrap();
    y.restore().unwrap();
    z.restore().unwrap();
    assert_eq!(c.to_vec().unwrap(), [6.0; 8]);
    // A prepared kernel, and one of an expression.
    let prepared = product.prepare("PPPi").unwrap();
    prepared
        .prepared_call(1, 8, (&a.borrow().unwrap(), &c.borrow().unwrap(), &mut b.borrow_mut().unwrap(), 8))
        .unwrap();
    assert_eq!(b.to_vec().unwrap(), [18.0; 8]);
    let twice =
        ElementwiseKernel::new("double *to, const double *from", "to[i] = 2*from[i]", "twice").unwrap();
    twice.call((&mut c.borrow_mut().unwrap(), &a.borrow().unwrap())).unwrap();
    assert_eq!(c.to_vec().unwrap(), [6.0; 8]);
}

#[test]
fn what_is_written_is_petscs_at_once() {
    if !shares_memory() {
        return;
    }
    let mut x = vector(&[3.0, 4.0]);
    // PETSc keeps norms that it has computed.
    assert_eq!(x.norm().unwrap(), 5.0);
    let mut array = x.borrow_mut().unwrap();
    array.fill(1.0);
    *array += 1.0;
    drop(array);
    close(&[x.norm().unwrap()], &[8.0_f64.sqrt()], 1e-14);
    assert_eq!(x.to_vec().unwrap(), [2.0; 2]);
    // What a kernel writes through a shared reference counts as well.
    let module = SourceModule::new("__global__ void zero(double *a) { a[threadIdx.x] = 0; }").unwrap();
    let array = x.borrow().unwrap();
    module.get_function("zero").unwrap().launch(1, 2, &*array).unwrap();
    drop(array);
    assert_eq!(x.norm().unwrap(), 0.0);
}

#[test]
fn another_array_in_its_place_is_copied() {
    if !shares_memory() {
        return;
    }
    let mut x = vector(&[1.0, 2.0, 3.0]);
    let mut array = x.borrow_mut().unwrap();
    *array = 2.0 * &*array + 1.0;
    drop(array);
    assert_eq!(x.to_vec().unwrap(), [3.0, 5.0, 7.0]);
    x.with_mut(|array| *array = -&*array).unwrap();
    assert_eq!(x.to_vec().unwrap(), [-3.0, -5.0, -7.0]);
    let mut array = x.borrow_mut().unwrap();
    *array = zeros::<f64>(2);
    let error = array.restore().unwrap_err();
    assert!(error.to_string().contains("shape [2]") && error.to_string().contains("[3]"), "{error}");
    // When it is dropped, the next call says so, once.
    *x.borrow_mut().unwrap() = zeros::<f64>(2);
    assert!(x.norm().unwrap_err().to_string().contains("restore"));
    assert_eq!(x.norm_inf().unwrap(), 7.0);
}

#[test]
fn a_vector_that_is_lent_is_not_used_by_petsc() {
    if !shares_memory() {
        return;
    }
    let (mut x, y) = (vector(&[1.0, 2.0]), vector(&[1.0, 1.0]));
    let array = x.borrow_mut().unwrap();
    for (operation, error) in [
        ("norm", x.norm().unwrap_err()),
        ("dot", y.dot(&x).unwrap_err()),
        ("set", x.set(0.0).unwrap_err()),
        ("borrow", x.borrow().unwrap_err()),
        ("borrow_mut", x.borrow_mut().unwrap_err()),
        ("to_vec", x.to_vec().unwrap_err()),
        ("copy", x.copy().unwrap_err()),
    ] {
        assert_eq!(error.kind(), ErrorKind::Value);
        let error = error.to_string();
        assert!(
            error.starts_with(&format!("{operation}: ")) && error.contains("may write it; drop it"),
            "{error}"
        );
    }
    assert!(x.to_string().contains("may write it"), "{x}");
    drop(array);
    assert_eq!(x.sum().unwrap(), 3.0);
    // Several may read, PETSc as well.
    let (first, second) = (x.borrow().unwrap(), x.borrow().unwrap());
    assert_eq!((x.sum().unwrap(), (&*first + &*second).to_vec()), (3.0, vec![2.0, 4.0]));
    first.restore().unwrap();
    let error = x.set(0.0).unwrap_err().to_string();
    assert!(error.contains("an array that reads it"), "{error}");
    assert!(x.borrow_mut().is_err());
    second.restore().unwrap();
    x.set(0.0).unwrap();
}

#[test]
fn the_memory_goes_back_when_nothing_uses_it() {
    if !shares_memory() {
        return;
    }
    let mut x = vector(&[1.0, 2.0, 3.0]);
    // An expression is evaluated before PETSc may change what it reads.
    let array = x.borrow().unwrap();
    let later = 10.0 * &*array;
    array.restore().unwrap();
    x.set(0.0).unwrap();
    assert_eq!(later.to_vec(), [10.0, 20.0, 30.0]);
    // A view keeps it.
    let mut array = x.borrow_mut().unwrap();
    array.fill(5.0);
    let view = array.flip();
    let error = array.restore().unwrap_err().to_string();
    assert!(error.contains("views") && error.contains("drop them"), "{error}");
    assert!(x.norm_inf().is_err());
    assert_eq!(view.to_vec(), [5.0; 3]);
    drop(view);
    assert_eq!(x.norm_inf().unwrap(), 5.0);
}

#[test]
fn an_array_keeps_its_vector_alive() {
    if !shares_memory() {
        return;
    }
    let array = {
        let mut x = vector(&[1.0, 2.0, 3.0]);
        let mut array = x.borrow_mut().unwrap();
        drop(x);
        array.fill(4.0);
        array
    };
    // Another one that is as large would be where freed memory was.
    let _other = vector(&[9.0, 9.0, 9.0]);
    assert_eq!(array.to_vec(), [4.0; 3]);
    // On another thread, too.
    std::thread::spawn(move || drop(array)).join().unwrap();
}

#[test]
fn no_elements_are_lent() {
    if !shares_memory() {
        return;
    }
    let mut x = petsc::Vector::zeros(0).unwrap();
    assert_eq!(x.borrow().unwrap().size(), 0);
    x.borrow_mut().unwrap().fill(1.0);
    assert_eq!(x.with(|array| array.size()).unwrap(), 0);
}

/// Where PETSc has no CUDA, memory of the host is not lent to arrays of a GPU.
#[test]
fn other_memory_is_refused_by_name() {
    if !has_petsc() {
        return;
    }
    if device().kind() == DeviceKind::Host || petsc::info().unwrap().has_cuda {
        return ignored::ignored("needs an NVIDIA GPU and a PETSc without CUDA");
    }
    let error = vector(&[1.0]).borrow().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    let error = error.to_string();
    assert!(error.contains("type seq") && error.contains("cuda:0") && error.contains("to_array"), "{error}");
}
