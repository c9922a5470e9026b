//! Matrices, compared with plain Rust.

use super::*;

#[test]
fn triplets_rows_and_entries_make_the_same_matrix() {
    if !has_petsc() {
        return;
    }
    let of_triplets = petsc::Matrix::from_triplets(
        [3, 3],
        &[0, 0, 1, 1, 1, 2, 2, 1],
        &[0, 1, 0, 1, 2, 1, 2, 1],
        &[2.0, -1.0, -1.0, 1.5, -1.0, -1.0, 2.0, 0.5],
    )
    .unwrap();
    let of_rows = petsc::Matrix::from_csr(
        3,
        &[0, 2, 5, 7],
        &[0, 1, 0, 1, 2, 1, 2],
        &[2.0, -1.0, -1.0, 2.0, -1.0, -1.0, 2.0],
    )
    .unwrap();
    for a in [&of_triplets, &of_rows, &laplace(3)] {
        assert_eq!((a.size().unwrap(), a.nnz().unwrap(), a.ownership_range().unwrap()), ([3, 3], 7, 0..3));
        assert_eq!(a.get_row(1).unwrap(), (vec![0, 1, 2], vec![-1.0, 2.0, -1.0]));
        assert_eq!(a.diagonal().unwrap().to_vec().unwrap(), [2.0; 3]);
        assert_eq!((a.norm_1().unwrap(), a.norm_inf().unwrap(), a.norm().unwrap()), (4.0, 4.0, 4.0));
        assert_eq!(a.mult(&vector(&[1.0, 2.0, 4.0])).unwrap().to_vec().unwrap(), [0.0, -1.0, 6.0]);
    }
}

#[test]
fn a_matrix_that_is_not_square_is_multiplied_from_both_sides() {
    if !has_petsc() {
        return;
    }
    let mut a = petsc::Matrix::from_csr(3, &[0, 2, 3], &[0, 2, 1], &[1.0, 2.0, 3.0]).unwrap();
    assert_eq!((a.size().unwrap(), a.local_size().unwrap()), ([2, 3], [2, 3]));
    let (x, y) = (vector(&[1.0, 10.0, 100.0]), vector(&[1.0, 10.0]));
    assert_eq!(a.mult(&x).unwrap().to_vec().unwrap(), [201.0, 30.0]);
    assert_eq!(a.mult_transpose(&y).unwrap().to_vec().unwrap(), [1.0, 30.0, 2.0]);
    let (mut right, mut left) = a.create_vectors().unwrap();
    a.scale(2.0).unwrap();
    a.mult_into(&x, &mut left).unwrap();
    a.mult_transpose_into(&y, &mut right).unwrap();
    assert_eq!((left.get(0).unwrap(), right.get(1).unwrap()), (402.0, 60.0));
    for (said, error) in [
        ("shape [2, 3], and the vector of size 2", a.mult(&y).unwrap_err()),
        ("as many elements as the matrix has rows", a.mult_transpose(&x).unwrap_err()),
        ("the result of size 3", a.mult_into(&x, &mut right).unwrap_err()),
        ("row 2 is out of bounds for a matrix of 2 rows", a.get_row(2).unwrap_err()),
    ] {
        assert!(error.to_string().contains(said), "{error}");
    }
}

#[test]
fn a_vector_that_is_lent_is_not_multiplied() {
    if !shares_memory() {
        return;
    }
    let a = laplace(2);
    let (mut x, mut y) = (vector(&[1.0, 2.0]), vector(&[0.0, 0.0]));
    let reading = x.borrow().unwrap();
    a.mult_into(&x, &mut y).unwrap();
    assert!(a.mult_into(&y, &mut x).unwrap_err().to_string().contains("lent"));
    drop(reading);
    let _writing = y.borrow_mut().unwrap();
    assert!(a.mult_into(&x, &mut y).unwrap_err().to_string().contains("lent"));
    assert!(a.mult(&y).unwrap_err().to_string().contains("lent"));
}

#[test]
fn impossible_matrices_are_refused() {
    if !has_petsc() {
        return;
    }
    let mut entries = petsc::MatrixBuilder::new([2, 2]).unwrap();
    for (said, error) in [
        ("(2, 0) is out of bounds", petsc::Matrix::from_triplets([2, 2], &[2], &[0], &[1.0]).unwrap_err()),
        (
            "1, 2 and 1 rows, columns and values",
            petsc::Matrix::from_triplets([2, 2], &[1], &[0, 1], &[1.0]).unwrap_err(),
        ),
        ("rise from 0", petsc::Matrix::from_csr(2, &[0, 2, 1], &[0], &[1.0]).unwrap_err()),
        ("rise from 0", petsc::Matrix::from_csr(2, &[], &[], &[]).unwrap_err()),
        ("column 2 is out of bounds", petsc::Matrix::from_csr(2, &[0, 1], &[2], &[1.0]).unwrap_err()),
        ("(0, 5) is out of bounds", entries.add(0, 5, 1.0).unwrap_err()),
    ] {
        assert!(error.to_string().contains(said), "{error}");
    }
}

#[test]
fn a_matrix_is_shown_by_its_rows() {
    if !has_petsc() {
        return;
    }
    let a = laplace(2);
    let name = a.type_name().unwrap();
    let expected = format!(
        "Mat Object: 1 MPI process\n  type: {name}\n  rows=2, cols=2\nrow 0: (0, 2.) (1, -1.)\nrow 1: (0, -1.) (1, 2.)"
    );
    assert_eq!(a.to_string(), expected);
    assert!(laplace(1000).to_string().contains("\n...\n"));
}
