use super::*;
use gpurepl_prelude::sparse::{LinearOperator, Outcome};

fn residual<T>(a: &sparse::Csr<T>, x: &GpuArray<T>, b: &GpuArray<T>) -> f64
where
    T: sparse::Field,
{
    let values = |array: &GpuArray<T>| format!("{:?}", array.shape());
    assert_eq!(values(x), values(b));
    let product = a.matmul(x).to_vec();
    let parts = product.iter().zip(b.to_vec()).map(|(y, b)| {
        let left = b - *y;
        left.real().powi(2) + left.imaginary().powi(2)
    });
    parts.sum::<f64>().sqrt()
}

fn right_side(n: usize) -> GpuArray<f64> {
    let mut numbers = Numbers::new();
    to_gpu((0..n).map(|_| numbers.unit()).collect::<Vec<f64>>())
}

/// Convection and diffusion: not symmetric.
fn convection(n: usize) -> sparse::Csr<f64> {
    let line = sparse::diags([n, n], &[(-1, -1.3), (0, 2.0), (1, -0.7)]).unwrap().to_csr();
    let one = sparse::eye(n).unwrap();
    sparse::kron(&one, &line).unwrap() + sparse::kron(&line, &one).unwrap()
}

#[test]
fn conjugate_gradients_solve_poissons_equation() {
    let a = poisson(40);
    let b = right_side(1600);
    for rtol in [1e-5, 1e-10] {
        let solution = sparse::solver().rtol(rtol).cg(&a, &b).unwrap();
        assert!(solution.is_converged());
        let limit = rtol * b.norm().item();
        assert!(residual(&a, &solution.x, &b) <= limit * (1.0 + 1e-4));
        assert!(*solution.residuals.last().unwrap() <= limit);
        assert!(solution.residuals[..solution.iterations].iter().all(|norm| *norm > limit));
        assert_eq!(solution.residuals.len(), solution.iterations + 1);
        // However often the host looks, to the bit.
        for every in [1, 7, 1000] {
            let other = sparse::solver().rtol(rtol).check_every(every).cg(&a, &b).unwrap();
            assert_eq!(other.iterations, solution.iterations);
            assert_eq!(other.x.to_vec(), solution.x.to_vec());
            assert_eq!(other.residuals, solution.residuals);
        }
    }
    // Every format, a dense matrix and a closure.
    let small = poisson(8);
    let b = right_side(64);
    let expected = sparse::cg(&small, &b).unwrap().x.to_vec();
    close(&sparse::cg(&small.to_csc(), &b).unwrap().x.to_vec(), &expected, 1e-9);
    close(&sparse::cg(&small.to_coo(), &b).unwrap().x.to_vec(), &expected, 1e-9);
    close(&sparse::cg(&small.to_dense(), &b).unwrap().x.to_vec(), &expected, 1e-9);
    let closure = sparse::operator(64, |x: &GpuArray<f64>| Ok(small.matmul(x)));
    close(&sparse::cg(&closure, &b).unwrap().x.to_vec(), &expected, 1e-9);
    let line = sparse::diags([50, 50], &[(-1, -1.0), (0, 2.0), (1, -1.0)]).unwrap();
    let b = right_side(50);
    close(
        &sparse::cg(&line, &b).unwrap().x.to_vec(),
        &sparse::cg(&line.to_csr(), &b).unwrap().x.to_vec(),
        1e-9,
    );
}

#[test]
fn every_type_is_solved() {
    let a = poisson(12);
    let b = right_side(144);
    let single = sparse::cg(&a.astype::<f32>(), b.astype(f32)).unwrap();
    assert!(single.is_converged());
    let x: Vec<f64> = single.x.to_vec().into_iter().map(f64::from).collect();
    assert!(residual(&a, &to_gpu(x), &b) < 3e-5 * b.norm().item());
    // Hermitian and positive definite, with imaginary parts.
    let z = complex_matrix([60, 60], 200);
    let hermitian = z.matmul(&z.t().conj()) + sparse::eye(60).unwrap();
    let b = to_gpu((0..60).map(|k| Complex::new(1.0, k as f64 / 60.0)).collect::<Vec<_>>());
    let size = b.to_vec().iter().map(|z| z.norm_sqr()).sum::<f64>().sqrt();
    for solution in [
        sparse::solver().rtol(1e-9).cg(&hermitian, &b).unwrap(),
        sparse::solver().rtol(1e-9).bicgstab(&hermitian, &b).unwrap(),
        sparse::solver().rtol(1e-9).gmres(&hermitian, &b).unwrap(),
        sparse::solver()
            .rtol(1e-9)
            .preconditioner(&sparse::jacobi(&hermitian).unwrap())
            .cg(&hermitian, &b)
            .unwrap(),
        sparse::solver()
            .rtol(1e-9)
            .preconditioner(&sparse::ilu(&hermitian).unwrap())
            .gmres(&hermitian, &b)
            .unwrap(),
    ] {
        assert!(solution.is_converged(), "{solution:?}");
        assert!(residual(&hermitian, &solution.x, &b) < 2e-9 * size);
    }
    let single = hermitian.astype::<Complex<f32>>();
    let b = to_gpu(b.to_vec().iter().map(|z| Complex::new(z.re as f32, z.im as f32)).collect::<Vec<_>>());
    assert!(sparse::bicgstab(&single, &b).unwrap().is_converged());
    assert!(sparse::gmres(&single, &b).unwrap().is_converged());
}

#[test]
fn systems_that_are_not_symmetric() {
    let a = convection(20);
    let b = right_side(400);
    let jacobi = sparse::jacobi(&a).unwrap();
    let ilu = sparse::ilu(&a).unwrap();
    let limit = 1e-8 * b.norm().item();
    let mut steps = Vec::new();
    for preconditioner in [None, Some(&jacobi as &dyn LinearOperator<f64>), Some(&ilu)] {
        for restart in [5, 50] {
            let mut solver = sparse::solver().rtol(1e-8).restart(restart);
            if let Some(preconditioner) = preconditioner {
                solver = solver.preconditioner(preconditioner);
            }
            let solution = solver.gmres(&a, &b).unwrap();
            assert!(solution.is_converged(), "{solution:?}");
            assert!(residual(&a, &solution.x, &b) <= limit * 1.0001);
            steps.push(solution.iterations);
        }
        for every in [1, 6] {
            let mut solver = sparse::solver().rtol(1e-8).check_every(every);
            if let Some(preconditioner) = preconditioner {
                solver = solver.preconditioner(preconditioner);
            }
            let solution = solver.bicgstab(&a, &b).unwrap();
            assert!(solution.is_converged(), "{solution:?}");
            assert!(residual(&a, &solution.x, &b) <= limit * 1.0001);
            steps.push(solution.iterations);
        }
    }
    // Without a preconditioner, and with the incomplete factors: gmres(50), and bicgstab looked at in two ways.
    assert!(steps[9] < steps[1] && steps[10] < steps[2], "{steps:?}");
    assert!(steps[2] == steps[3] && steps[10] == steps[11], "{steps:?}");
}

#[test]
fn preconditioners_help() {
    // Rows of very different sizes: the diagonal alone makes them alike.
    let n = 900;
    let scale =
        sparse::diags([n, n], &[(0, &to_gpu((0..n).map(|k| 1.0 + (k % 97) as f64).collect::<Vec<_>>()))])
            .unwrap();
    let scale = scale.to_csr();
    let a = scale.matmul(&poisson(30)).matmul(&scale);
    let b = right_side(n);
    let plain = sparse::solver().rtol(1e-8).cg(&a, &b).unwrap();
    let jacobi = sparse::solver().rtol(1e-8).preconditioner(&sparse::jacobi(&a).unwrap()).cg(&a, &b).unwrap();
    let ilu = sparse::solver().rtol(1e-8).preconditioner(&sparse::ilu(&a).unwrap()).cg(&a, &b).unwrap();
    for solution in [&plain, &jacobi, &ilu] {
        assert!(solution.is_converged(), "{solution:?}");
        assert!(residual(&a, &solution.x, &b) <= 1.01e-8 * b.norm().item());
    }
    let steps = [plain.iterations, jacobi.iterations, ilu.iterations];
    assert!(steps[1] * 3 < steps[0] && steps[2] * 2 < steps[1], "{steps:?}");
    // The diagonal given as a closure is no diagonal to the solver, and the same steps.
    let inverse = a.diagonal();
    let closure = sparse::operator(n, |x: &GpuArray<f64>| Ok(x / &inverse));
    let general = sparse::solver().rtol(1e-8).preconditioner(&closure).cg(&a, &b).unwrap();
    assert!(general.is_converged() && general.iterations.abs_diff(jacobi.iterations) <= 2);
}

#[test]
fn factors_without_fill_in_are_exact_where_there_is_none() {
    let a = sparse::diags([200, 200], &[(-1, -1.0), (0, 2.5), (1, -1.2)]).unwrap().to_csr();
    let b = right_side(200);
    let x = sparse::ilu(&a).unwrap().apply(&b).unwrap();
    assert!(residual(&a, &x, &b) < 1e-13 * b.norm().item());
    for (solution, steps) in [
        (sparse::solver().preconditioner(&sparse::ilu(&a).unwrap()).gmres(&a, &b).unwrap(), 1),
        (sparse::solver().preconditioner(&sparse::ilu(&a).unwrap()).bicgstab(&a, &b).unwrap(), 1),
    ] {
        assert!(solution.is_converged() && solution.iterations == steps, "{solution:?}");
    }
    let missing = sparse::Csr::from_dense(&gpu![[1.0, 2.0], [3.0, 0.0]]).unwrap();
    let error = sparse::ilu(&missing).err().unwrap().to_string();
    assert!(error.contains("row 1 has no element on the diagonal"), "{error}");
    let zero = sparse::Csr::from_dense(&gpu![[1.0, 2.0], [3.0, 6.0]]).unwrap();
    assert!(sparse::ilu(&zero).err().unwrap().to_string().contains("row 1 has a pivot of zero"));
    assert!(
        sparse::jacobi(&missing)
            .err()
            .unwrap()
            .to_string()
            .contains("element (1, 1) of the diagonal is zero")
    );
}

#[test]
fn first_guesses_and_systems_that_are_solved_at_once() {
    let a = poisson(10);
    let b = right_side(100);
    let exact = sparse::solver().rtol(1e-12).cg(&a, &b).unwrap().x;
    for solution in [
        sparse::solver().x0(&exact).cg(&a, &b).unwrap(),
        sparse::solver().x0(&exact).bicgstab(&a, &b).unwrap(),
        sparse::solver().x0(&exact).gmres(&a, &b).unwrap(),
        sparse::cg(&a, zeros::<f64>(100)).unwrap(),
        sparse::bicgstab(&a, zeros::<f64>(100)).unwrap(),
        sparse::gmres(&a, zeros::<f64>(100)).unwrap(),
        sparse::cg(
            &sparse::Csr::from_triplets([0, 0], &[0_i32; 0], &[0_i32; 0], &[0.0; 0]).unwrap(),
            zeros::<f64>(0),
        )
        .unwrap(),
    ] {
        assert!(solution.is_converged() && solution.iterations == 0, "{solution:?}");
    }
    // A guess is not changed, and steps go on from it.
    let guess = 1.001 * &exact;
    let guess = guess.copy();
    let solution = sparse::solver().rtol(1e-9).x0(&guess).cg(&a, &b).unwrap();
    assert!(solution.is_converged() && solution.residuals[0] < 0.01 * b.norm().item());
    assert_eq!(guess.to_vec(), (1.001 * &exact).to_vec());
    // The identity: one step, in which the second half of bicgstab has nothing left.
    let one = sparse::eye::<f64>(100).unwrap();
    for solution in
        [sparse::cg(&one, &b).unwrap(), sparse::bicgstab(&one, &b).unwrap(), sparse::gmres(&one, &b).unwrap()]
    {
        assert!(solution.is_converged() && solution.iterations == 1, "{solution:?}");
        close(&solution.x.to_vec(), &b.to_vec(), 1e-14);
    }
}

#[test]
fn ends_without_convergence_say_why() {
    let a = poisson(20);
    let b = right_side(400);
    for solution in [
        sparse::solver().maxiter(5).cg(&a, &b).unwrap(),
        sparse::solver().maxiter(5).check_every(3).bicgstab(&a, &b).unwrap(),
        sparse::solver().maxiter(5).restart(3).gmres(&a, &b).unwrap(),
    ] {
        assert_eq!((solution.outcome, solution.iterations), (Outcome::MaxIterations, 5), "{solution:?}");
        assert!(format!("{solution:?}").starts_with("not converged after 5 steps: allow more by `maxiter`"));
    }
    let grown = sparse::solver().maxiter(3).x0(&(1e-8 * right_side(3))).cg(
        &sparse::Csr::from_dense(&gpu![[1.0, 90.0, 0.0], [-90.0, 1.0, 90.0], [0.0, -90.0, 1.0]]).unwrap(),
        &[1.0, 2.0, 3.0],
    );
    let grown = format!("{:?}", grown.unwrap());
    assert!(grown.contains("the residual has grown: use another solver"), "{grown}");
    assert_eq!(format!("{:?}", sparse::jacobi(&a).unwrap()), "Jacobi(float64, shape [400, 400])");
    assert_eq!(
        format!("{:?}", sparse::ilu(&a).unwrap()),
        "Ilu(float64, shape [400, 400], 1920 stored elements)"
    );
    let indefinite = sparse::diags([4, 4], &[(0, &gpu![1.0, -1.0, 2.0, 3.0])]).unwrap();
    let solution = sparse::cg(&indefinite, gpu![1.0, 2.0, 1.0, 1.0]).unwrap();
    assert_eq!(solution.outcome, Outcome::NotPositiveDefinite, "{solution:?}");
    let minus = sparse::diags([400, 400], &[(0, -1.0)]).unwrap();
    let solution = sparse::solver().preconditioner(&minus).cg(&a, &b).unwrap();
    assert_eq!(solution.outcome, Outcome::NotPositiveDefinite, "{solution:?}");
    let mut bad = b.copy();
    bad.set(7, f64::NAN);
    for solution in
        [sparse::cg(&a, &bad).unwrap(), sparse::bicgstab(&a, &bad).unwrap(), sparse::gmres(&a, &bad).unwrap()]
    {
        assert_eq!((solution.outcome, solution.iterations), (Outcome::NotFinite, 0));
    }
    let broken = sparse::operator(400, |x: &GpuArray<f64>| Ok(x * f64::NAN));
    for solution in [
        sparse::cg(&broken, &b).unwrap(),
        sparse::bicgstab(&broken, &b).unwrap(),
        sparse::gmres(&broken, &b).unwrap(),
    ] {
        assert_eq!(solution.outcome, Outcome::NotFinite, "{solution:?}");
        assert_eq!(solution.residuals.len(), solution.iterations + 1);
        assert!(solution.x.to_vec().iter().all(|x| x.is_finite()));
    }
    // Singular, and the right side out of reach: no method may run for ever, or say that it has converged.
    let singular = sparse::diags([3, 3], &[(0, &gpu![1.0, 0.0, 2.0])]).unwrap();
    let b = ones::<f64>(3);
    for solution in [
        sparse::cg(&singular, &b).unwrap(),
        sparse::bicgstab(&singular, &b).unwrap(),
        sparse::gmres(&singular, &b).unwrap(),
    ] {
        assert!(!solution.is_converged(), "{solution:?}");
    }
}

#[test]
fn callbacks_see_the_residuals() {
    let a = poisson(15);
    let b = right_side(225);
    let mut seen = Vec::new();
    let solution =
        sparse::solver().check_every(4).callback(|steps, norm| seen.push((steps, norm))).cg(&a, &b).unwrap();
    assert!(seen.len() >= solution.iterations / 4);
    // The last one is that of the recurrence; the solution has the system's own.
    let (end, before) = seen.split_last().unwrap();
    assert!(before.iter().all(|(steps, norm)| solution.residuals[*steps] == *norm));
    assert_eq!(end.0, solution.iterations);
    assert!((end.1 / solution.residuals[end.0] - 1.0).abs() < 1e-6);
}

/// The interrupt is one for the process, in which other tests run: this one has a process of its own.
#[test]
fn an_interrupt_keeps_the_solution_so_far() {
    let program = std::env::current_exe().unwrap();
    let alone = ["--exact", "solvers::an_interrupt_alone", "--ignored"];
    let output = std::process::Command::new(program).args(alone).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
}

#[test]
#[ignore = "run by the test above, in a process of its own"]
fn an_interrupt_alone() {
    let a = poisson(30);
    let b = right_side(900);
    type Method = fn(
        sparse::Solver<'_, f64>,
        &dyn LinearOperator<f64>,
        &GpuArray<f64>,
    ) -> Result<sparse::Solution<f64>>;
    let methods: [Method; 3] = [
        |solver, a, b| solver.cg(&a, b),
        |solver, a, b| solver.bicgstab(&a, b),
        |solver, a, b| solver.gmres(&a, b),
    ];
    for (number, method) in methods.into_iter().enumerate() {
        // In the midst of a step, between two looks; and while the host looks.
        for is_within in [true, false] {
            extend::interrupt::begin(10 * number as u64 + u64::from(is_within) + 1);
            let products = std::cell::Cell::new(0);
            let operator = sparse::operator(900, |x: &GpuArray<f64>| {
                products.set(products.get() + 1);
                if is_within && products.get() == 23 {
                    extend::interrupt::set();
                }
                // It looks after interrupts, and raises its error.
                Ok(a.matmul(x) + 0.0 * x.sum().item())
            });
            let solver = sparse::solver().rtol(1e-12).check_every(5).restart(5);
            let solver = solver.callback(|steps, _| {
                if !is_within && steps >= 10 {
                    extend::interrupt::set();
                }
            });
            let solution = method(solver, &operator, &b).unwrap();
            assert_eq!(solution.outcome, Outcome::Interrupted);
            assert!(solution.iterations >= 5 && solution.iterations < 40, "{solution:?}");
            let last = *solution.residuals.last().unwrap();
            assert!((residual(&a, &solution.x, &b) / last - 1.0).abs() < 1e-6, "{solution:?}");
            assert!(!extend::interrupt::is_pending());
            // A loop of solvers ends with it.
            let next = sparse::cg(&a, &b).unwrap_err();
            assert_eq!(next.kind(), ErrorKind::Interrupted);
        }
    }
    extend::interrupt::begin(100);
    assert!(sparse::cg(&a, &b).unwrap().is_converged());
}

/// What a solver calls converged is so by the system's own residual, computed here in 64 bits.
#[test]
fn converged_is_what_has_converged() {
    for n in [40, 150] {
        let a = poisson(n);
        let single = a.astype::<f32>();
        let b = ones::<f64>(n * n);
        for solution in [
            sparse::cg(&single, b.astype(f32)).unwrap(),
            sparse::bicgstab(&single, b.astype(f32)).unwrap(),
            sparse::solver()
                .preconditioner(&sparse::jacobi(&single).unwrap())
                .cg(&single, b.astype(f32))
                .unwrap(),
        ] {
            let x: Vec<f64> = solution.x.to_vec().into_iter().map(f64::from).collect();
            let own = residual(&a, &to_gpu(x), &b);
            let said = *solution.residuals.last().unwrap();
            assert!(own <= 1.5 * said && said <= 1.5 * own, "{n}: {own} {said} {:?}", solution.outcome);
            match solution.outcome {
                Outcome::Converged => assert!(said <= solution.limit),
                Outcome::Stagnated => {
                    assert!(said > solution.limit);
                    assert!(format!("{solution:?}").contains("compute in f64"), "{solution:?}");
                }
                other => panic!("{n}: {other:?}"),
            }
        }
        assert!(sparse::cg(&a, &b).unwrap().is_converged());
    }
}

#[test]
fn right_sides_of_any_size() {
    let a = poisson(12);
    let b = right_side(144);
    let expected = sparse::cg(&a, &b).unwrap();
    for power in [-900, -300, 300, 900] {
        let scale = 2.0_f64.powi(power);
        let solution = sparse::cg(&a, &(scale * &b)).unwrap();
        // Powers of two change no digit.
        assert_eq!(solution.x.to_vec(), (scale * &expected.x).to_vec(), "{power}");
        assert_eq!(solution.iterations, expected.iterations);
        assert!(sparse::bicgstab(&a, &(scale * &b)).unwrap().is_converged());
        assert!(sparse::gmres(&a, &(scale * &b)).unwrap().is_converged());
    }
    let single = a.astype::<f32>();
    for scale in [1e-25, 1e20] {
        let b = (scale * &b).astype(f32);
        for solution in [
            sparse::cg(&single, &b).unwrap(),
            sparse::bicgstab(&single, &b).unwrap(),
            sparse::gmres(&single, &b).unwrap(),
        ] {
            assert!(solution.is_converged() && solution.iterations > 5, "{scale}: {solution:?}");
        }
    }
    for b in [gpu![f64::INFINITY, 1.0], gpu![1.0, f64::NAN]] {
        let solution = sparse::cg(&sparse::eye(2).unwrap(), &b).unwrap();
        assert_eq!(solution.outcome, Outcome::NotFinite);
    }
    // Of zeros the solution is known, whatever the guess.
    let solution = sparse::solver().x0(&b).cg(&a, &zeros::<f64>(144)).unwrap();
    assert!(solution.is_converged() && solution.iterations == 0 && solution.x.to_vec() == [0.0; 144]);
    assert!(sparse::solver().maxiter(usize::MAX).gmres(&a, &b).unwrap().is_converged());
    assert!(sparse::solver().maxiter(usize::MAX).bicgstab(&a, &b).unwrap().is_converged());
}

/// The best that can be had, and no noise divided by noise.
#[test]
fn systems_without_a_solution_keep_the_best() {
    let line = |n: usize| {
        let mut diagonal = vec![2.0; n];
        (diagonal[0], diagonal[n - 1]) = (1.0, 1.0);
        let side = vec![-1.0; n - 1];
        sparse::diags([n, n], &[(-1, side.clone()), (0, diagonal), (1, side)]).unwrap()
    };
    for (a, b, best) in [
        (sparse::diags([3, 3], &[(0, vec![1.0, 0.0, 2.0])]).unwrap(), ones::<f64>(3), 1.0),
        (line(8), to_gpu((1..=8).map(f64::from).collect::<Vec<_>>()), 36.0 / 8.0_f64.sqrt()),
        (sparse::diags([4, 4], &[(0, vec![0.0; 4])]).unwrap(), ones::<f64>(4), 2.0),
    ] {
        let solution = sparse::gmres(&a, &b).unwrap();
        assert_eq!(solution.outcome, Outcome::Stagnated, "{solution:?}");
        let own = residual(&a.to_csr(), &solution.x, &b);
        assert!(own <= best * (1.0 + 1e-6), "{own} {best} {solution:?}");
        assert!(solution.iterations <= 40, "{solution:?}");
    }
}

#[test]
fn wrong_systems_are_refused_with_words() {
    let a = poisson(3);
    let error = |result: Result<sparse::Solution<f64>>| result.unwrap_err().to_string();
    let e = error(sparse::cg(&a, zeros::<f64>(8)));
    assert!(e.contains("the operator has shape [9, 9] and `b` [8]; it must be [9]"), "{e}");
    let e = error(sparse::cg(&matrix([3, 4], 5), zeros::<f64>(3)));
    assert!(e.contains("[3, 4]") && e.contains("as many rows as columns"), "{e}");
    let e = error(sparse::solver().x0(&zeros::<f64>(2)).cg(&a, &zeros::<f64>(9)));
    assert!(e.contains("`x0` [2]"), "{e}");
    let e = error(sparse::solver().preconditioner(&poisson(2)).cg(&a, &ones::<f64>(9)));
    assert!(e.contains("the preconditioner [4, 4]"), "{e}");
    let e = error(sparse::solver().rtol(f64::NAN).cg(&a, &zeros::<f64>(9)));
    assert!(e.contains("`rtol` is NaN"), "{e}");
    let e = error(sparse::solver().restart(0).gmres(&a, &zeros::<f64>(9)));
    assert!(e.contains("`restart` is 0"), "{e}");
    for e in [
        sparse::jacobi(&a).unwrap().apply(&zeros::<f64>(1)).unwrap_err().to_string(),
        sparse::ilu(&a).unwrap().apply(&zeros::<f64>(10)).unwrap_err().to_string(),
    ] {
        assert!(e.contains("the preconditioner has shape [9, 9] and the vector ["), "{e}");
    }
    let e = error(sparse::cg(&ones::<f64>(3), ones::<f64>(3)));
    assert!(e.contains("the operator has shape [3, 1]"), "{e}");
    let wrong = sparse::operator(9, |_: &GpuArray<f64>| Ok(zeros::<f64>(2)));
    let e = error(sparse::cg(&wrong, ones::<f64>(9)));
    assert!(e.contains("the operator of 9 rows gave an array of shape [2]"), "{e}");
}
