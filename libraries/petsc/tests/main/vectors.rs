//! Vectors, compared with plain Rust.

use super::*;

#[test]
fn a_vector_is_made_of_zeros_and_filled() {
    if !has_petsc() {
        return;
    }
    let mut x = petsc::Vector::zeros(8).unwrap();
    assert_eq!(x.to_vec().unwrap(), [0.0; 8]);
    x.set(3.0).unwrap();
    assert_eq!((x.size().unwrap(), x.local_size().unwrap(), x.ownership_range().unwrap()), (8, 8, 0..8));
    assert_eq!(x.sum().unwrap(), 24.0);
    close(&[x.norm().unwrap()], &[72.0_f64.sqrt()], 1e-14);
    x.scale(2.0).unwrap();
    x.shift(1.0).unwrap();
    assert_eq!(x.to_vec().unwrap(), [7.0; 8]);
    assert_eq!(x.zeros_like().unwrap().to_vec().unwrap(), [0.0; 8]);
    let copy = x.copy().unwrap();
    x.set(0.0).unwrap();
    assert_eq!(copy.to_vec().unwrap(), [7.0; 8]);
    assert_eq!(petsc::Vector::with_local_size(3).unwrap().size().unwrap(), 3);
}

/// What `src/vec/vec/tutorials/ex1.c` of PETSc prints, for 20 elements.
#[test]
fn petscs_first_tutorial_of_vectors() {
    if !has_petsc() {
        return;
    }
    let n = 20;
    let (mut x, mut y) = (petsc::Vector::zeros(n).unwrap(), petsc::Vector::zeros(n).unwrap());
    x.set(1.0).unwrap();
    y.set(2.0).unwrap();
    assert_eq!((x.dot(&y).unwrap(), x.dot(&x).unwrap()), (40.0, 20.0));
    assert_eq!(x.max().unwrap(), (0, 1.0));
    x.scale(2.0).unwrap();
    assert!((x.norm().unwrap() - 2.0 * (n as f64).sqrt()).abs() < 1e-12);
    let mut w = x.copy().unwrap();
    w.axpy(3.0, &y).unwrap();
    assert_eq!(w.to_vec().unwrap(), [8.0; 20]);
    w.aypx(2.0, &x).unwrap();
    assert_eq!(w.to_vec().unwrap(), [18.0; 20]);
    w.pointwise_mult(&y).unwrap();
    assert_eq!(w.to_vec().unwrap(), [36.0; 20]);
}

/// `src/vec/vec/tutorials/ex2.c`: each process adds to a part of the vector.
#[test]
fn values_are_set_and_added_by_their_places() {
    if !has_petsc() {
        return;
    }
    let mut x = petsc::Vector::zeros(6).unwrap();
    x.set(1.0).unwrap();
    x.add_values(&[0, 1, 5, 5], &[1.0, 2.0, 3.0, 4.0]).unwrap();
    x.set_values(&[3], &[-9.0]).unwrap();
    assert_eq!(x.to_vec().unwrap(), [2.0, 3.0, 1.0, -9.0, 1.0, 8.0]);
    assert_eq!((x.max().unwrap(), x.min().unwrap(), x.get(1).unwrap()), ((5, 8.0), (3, -9.0), 3.0));
    assert_eq!((x.norm_1().unwrap(), x.norm_inf().unwrap()), (24.0, 9.0));
    x.set_values(&[], &[]).unwrap();
}

#[test]
fn arrays_and_data_of_the_host_become_vectors() {
    if !has_petsc() {
        return;
    }
    let matrix = gpu![[1.0f64, 2.0], [3.0, 4.0]];
    // A column is not contiguous, and other types become f64.
    let column = matrix.t().ravel();
    let x = petsc::Vector::from_array(&column).unwrap();
    assert_eq!(x.to_vec().unwrap(), [1.0, 3.0, 2.0, 4.0]);
    assert_eq!(petsc::Vector::from_array(&gpu![1i32, 2]).unwrap().to_vec().unwrap(), [1.0, 2.0]);
    let mut y = petsc::Vector::zeros(3).unwrap();
    y.copy_from(&[1.0, 2.0, 3.0]).unwrap();
    y.copy_from(&(2.0 * y.to_array().unwrap())).unwrap();
    assert_eq!(y.to_array().unwrap().to_vec(), [2.0, 4.0, 6.0]);
    for (problem, error) in [
        ("shape [2, 2]", petsc::Vector::from_array(&matrix).err()),
        ("Complex", petsc::Vector::from_array(&gpu![Complex::new(1.0f64, 2.0)]).err()),
        ("2 elements, the vector 3", y.copy_from(&[1.0, 2.0]).err()),
    ] {
        let error = error.expect(problem).to_string().to_lowercase();
        assert!(error.contains(&problem.to_lowercase()), "{error}");
    }
    let none = petsc::Vector::from_array(&Vec::<f64>::new()).unwrap();
    assert_eq!((none.size().unwrap(), none.sum().unwrap()), (0, 0.0));
    assert!(none.max().unwrap_err().to_string().contains("no elements"));
}

#[test]
fn what_does_not_fit_is_refused_with_both_sides() {
    if !has_petsc() {
        return;
    }
    let (mut x, y) = (vector(&[1.0, 2.0]), vector(&[1.0, 2.0, 3.0]));
    for (said, error) in [
        ("dot: vectors of sizes 2 and 3", x.dot(&y).unwrap_err()),
        ("axpy: vectors of sizes 2 and 3", x.axpy(1.0, &y).unwrap_err()),
        ("index 2 is out of bounds for a vector of size 2", x.set_values(&[0, 2], &[1.0, 1.0]).unwrap_err()),
        ("2 indices and 1 values", x.add_values(&[0, 1], &[1.0]).unwrap_err()),
        ("index 7 is out of bounds for a vector of size 2", x.get(7).unwrap_err()),
    ] {
        assert!(error.to_string().contains(said), "{error}");
    }
    assert_eq!(x.to_vec().unwrap(), [1.0, 2.0]);
}

#[test]
fn a_vector_is_shown_as_petsc_shows_it() {
    if !has_petsc() {
        return;
    }
    let x = vector(&[6.0, 0.5, 1e-7, 1234567.0]);
    let name = x.type_name().unwrap();
    assert_eq!(
        x.to_string(),
        format!("Vec Object: 1 MPI process\n  type: {name}\n6.\n0.5\n1.e-07\n1.23457e+06")
    );
    assert_eq!(format!("{x:?}"), x.to_string());
    let long = petsc::Vector::zeros(100_000).unwrap().to_string();
    assert!(long.ends_with("\n0.\n0.\n0.\n...\n0.\n0.\n0."), "{long}");
}

#[test]
fn what_there_is_of_petsc_is_told() {
    if !has_petsc() {
        return;
    }
    let info = petsc::info().unwrap();
    assert_eq!((info.processes, petsc::size().unwrap(), petsc::rank().unwrap()), (1, 1, 0));
    assert!(matches!(info.integer_bits, 32 | 64));
    assert!(info.to_string().starts_with(&format!("PETSc {} with", petsc::version().unwrap())), "{info}");
    petsc::barrier().unwrap();
    assert_eq!(petsc::ownership_range(7).unwrap(), 0..7);
    if info.integer_bits == 32 {
        let error = petsc::Vector::zeros(1 << 40).unwrap_err().to_string();
        assert!(error.contains("1099511627776 is more than the 2147483647"), "{error}");
    }
}

#[test]
fn threads_use_it_one_after_another() {
    if !has_petsc() {
        return;
    }
    std::thread::scope(|scope| {
        for k in 0..4 {
            scope.spawn(move || {
                for _ in 0..20 {
                    let mut x = petsc::Vector::zeros(100).unwrap();
                    x.set(f64::from(k)).unwrap();
                    assert_eq!(x.sum().unwrap(), 100.0 * f64::from(k));
                }
            });
        }
    });
}
