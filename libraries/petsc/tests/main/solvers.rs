//! Solvers beside the systems that they solve.

use super::*;

fn solver(a: &petsc::Matrix, method: &str, preconditioner: &str) -> petsc::Solver {
    petsc::Solver::new(a).unwrap().method(method).unwrap().preconditioner(preconditioner).unwrap()
}

/// The system of `src/ksp/ksp/tutorials/ex1.c` and `ex23.c`: the solution is all ones.
#[test]
fn methods_and_preconditioners_solve_petscs_tutorial() {
    if !has_petsc() {
        return;
    }
    let a = laplace(10);
    let mut ones = petsc::Vector::zeros(10).unwrap();
    ones.set(1.0).unwrap();
    let b = a.mult(&ones).unwrap();
    for (method, preconditioner) in [
        ("gmres", "jacobi"),
        ("cg", "none"),
        ("cg", "jacobi"),
        ("cg", "icc"),
        ("bcgs", "ilu"),
        ("minres", "none"),
        ("preonly", "lu"),
        ("richardson", "sor"),
    ] {
        let solver = solver(&a, method, preconditioner).tolerance(1e-10).unwrap();
        assert_eq!(solver.types().unwrap(), [Some(method.to_owned()), Some(preconditioner.to_owned())]);
        let solution = solver.solve(&b).unwrap();
        assert!(solution.is_converged(), "{method} {preconditioner}: {solution}");
        close(&solution.x.to_vec().unwrap(), &[1.0; 10], 1e-6);
    }
    let solution = petsc::Solver::new(&a).unwrap().solve(&b).unwrap();
    assert!(solution.is_converged() && solution.reason.starts_with("CONVERGED"), "{solution}");
}

#[test]
fn a_transposed_system_and_one_that_begins_near_its_end() {
    if !has_petsc() {
        return;
    }
    let a = petsc::Matrix::from_csr(2, &[0, 2, 3], &[0, 1, 1], &[2.0, 1.0, 3.0]).unwrap();
    let direct = solver(&a, "preonly", "lu");
    close(&direct.solve(&vector(&[4.0, 6.0])).unwrap().x.to_vec().unwrap(), &[1.0, 2.0], 1e-12);
    close(&direct.solve_transpose(&vector(&[2.0, 7.0])).unwrap().x.to_vec().unwrap(), &[1.0, 2.0], 1e-12);
    let a = laplace(50);
    let mut b = petsc::Vector::zeros(50).unwrap();
    b.set(1.0).unwrap();
    let cg = solver(&a, "cg", "none").tolerance(1e-8).unwrap();
    let solution = cg.solve(&b).unwrap();
    assert!(solution.iterations > 10, "{solution}");
    let again = cg.solve_from(&b, solution.x).unwrap();
    assert!(again.iterations <= 1 && again.is_converged(), "{again}");
    // The next one begins at zeros again.
    assert!(cg.solve(&b).unwrap().iterations > 10);
}

#[test]
fn a_method_that_does_not_converge_says_so() {
    if !has_petsc() {
        return;
    }
    let a = laplace(100);
    let mut b = petsc::Vector::zeros(100).unwrap();
    b.set(1.0).unwrap();
    let solution = solver(&a, "cg", "none").max_iterations(3).unwrap().solve(&b).unwrap();
    assert!(!solution.is_converged());
    assert_eq!((solution.iterations, solution.reason.as_str()), (3, "DIVERGED_ITS"));
    let text = solution.to_string();
    assert!(text.starts_with("did not converge in 3 iterations (DIVERGED_ITS), residual "), "{text}");
}

#[test]
fn options_come_before_what_was_set() {
    if !has_petsc() {
        return;
    }
    let a = laplace(20);
    let mut b = petsc::Vector::zeros(20).unwrap();
    b.set(1.0).unwrap();
    let solver = solver(&a, "cg", "none").prefix("inner_").unwrap();
    petsc::options("-inner_ksp_max_it 2 -inner_pc_type jacobi").unwrap();
    let solution = solver.solve(&b).unwrap();
    assert_eq!((solution.iterations, solution.reason.as_str()), (2, "DIVERGED_ITS"));
    assert_eq!(solver.types().unwrap()[1].as_deref(), Some("jacobi"));
    assert!(
        format!("{solver:?}").contains("method: cg, preconditioner: jacobi, prefix: inner_"),
        "{solver:?}"
    );
    for name in ["-inner_ksp_max_it", "-inner_pc_type"] {
        petsc::clear_option(name).unwrap();
    }
}

#[test]
fn petscs_errors_are_told_in_its_words() {
    if !has_petsc() {
        return;
    }
    let a = laplace(3);
    let error = petsc::Solver::new(&a).unwrap().method("nonsense").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Value);
    let error = error.to_string();
    assert!(error.contains("PETSc's KSPSetType says: ") && error.contains("nonsense"), "{error}");
    assert!(error.contains("error 86"), "{error}");
    let error = petsc::Solver::new(&a).unwrap().preconditioner("nonsense").unwrap_err().to_string();
    assert!(error.contains("PCSetType") && error.contains("nonsense"), "{error}");
    let error = petsc::options("no-hyphen").err().map(|error| error.to_string());
    assert!(error.is_none_or(|error| error.contains("PETSc")));
    // PETSc goes on after an error.
    assert_eq!(a.mult(&vector(&[1.0, 1.0, 1.0])).unwrap().to_vec().unwrap(), [1.0, 0.0, 1.0]);
}

#[test]
fn impossible_systems_are_refused() {
    if !has_petsc() {
        return;
    }
    let wide = petsc::Matrix::from_csr(3, &[0, 1], &[0], &[1.0]).unwrap();
    let a = laplace(3);
    for (said, error) in [
        ("shape [1, 3]", petsc::Solver::new(&wide).unwrap_err()),
        ("the vector of size 2", petsc::Solver::new(&a).unwrap().solve(&vector(&[1.0, 2.0])).unwrap_err()),
        ("less than 1", petsc::Solver::new(&a).unwrap().tolerance(1.5).unwrap_err()),
        ("not negative", petsc::Solver::new(&a).unwrap().absolute_tolerance(f64::NAN).unwrap_err()),
        ("zero character", petsc::Solver::new(&a).unwrap().method("c\0g").unwrap_err()),
    ] {
        assert!(error.to_string().contains(said), "{error}");
    }
}
