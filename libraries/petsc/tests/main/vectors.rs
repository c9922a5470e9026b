//! Vectors, and arrays over their memory.

use super::*;

#[test]
fn walkthrough() {
    if !has_petsc() {
        return;
    }
    let mut a = petsc::Vector::zeros(8).unwrap();
    a.set(3.0).unwrap();
    let mut b = petsc::Vector::zeros(8).unwrap();
    b.set(2.0).unwrap();
    let mut c = petsc::Vector::zeros(8).unwrap();
    let (x, y, mut z) = (a.borrow().unwrap(), b.borrow().unwrap(), c.borrow_mut().unwrap());
    let module = SourceModule::new(
        "__global__ void mult(double *a, double *b, double *c, int n) { int i = threadIdx.x; if (i < n) c[i] = a[i] * b[i]; }",
    ).unwrap();
    let mult = module.get_function("mult").unwrap();
    mult.launch(1, 8, (&x, &y, &mut z, 8)).unwrap();
    x.restore().unwrap();
    y.restore().unwrap();
    z.restore().unwrap();
    assert_eq!(c.to_vec().unwrap(), [6.0; 8]);
    println!("{c}");
    c.view().unwrap();
    println!("{}", petsc::version().unwrap());
    println!("{}", a.max().unwrap().1);
    let e = a.dot(&petsc::Vector::zeros(9).unwrap()).unwrap_err();
    println!("{e}");
}
