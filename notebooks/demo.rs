// %% [markdown]
// # The demo
//
// What PyCUDA's slides show first: a kernel as a string, an array on the
// device, and the same with no kernel at all. Run it with
// `gpurepl notebooks/demo.rs`, or cell by cell in an editor that knows the
// percent format.

// %% An array on the host, and room for it on the device
seed(2010);
let a = randn::<f32>((4, 4)).get();
let mut a_gpu = mem_alloc(a.len() * size_of::<f32>())?;
memcpy_htod(&mut a_gpu, &a)?;

// %% A kernel, compiled while we wait
let module = SourceModule::new(r#"
    __global__ void twice(float *a)
    {
        int idx = threadIdx.x + threadIdx.y * 4;
        a[idx] *= 2;
    }
"#)?;
let twice = module.get_function("twice")?;

// %% One block of 4 by 4 threads: one thread for each element
twice.launch(1, (4, 4), (&mut a_gpu,))?;

// %% Back to the host
let mut a_doubled = ndarray::ArrayD::<f32>::zeros(a.raw_dim());
memcpy_dtoh(&mut a_doubled, &a_gpu)?;
println!("{a_doubled}");
println!("{a}");
assert_eq!(a_doubled, &a * 2.0);

// %% The same with an array that feels like NumPy's
let a_gpu = to_gpu(&a);
let a_doubled = (2 * &a_gpu).get();
assert_eq!(a_doubled, &a * 2.0);
a_gpu

// %% [markdown]
// ## Expressions of one's own
//
// `ElementwiseKernel` runs a line of C for each element: no temporary arrays.

// %% A linear combination
let a_gpu = rand::<f32>(50);
let b_gpu = rand::<f32>(50);
let lin_comb = ElementwiseKernel::new(
    "float a, float *x, float b, float *y, float *z",
    "z[i] = a*x[i] + b*y[i]",
    "linear_combination",
)?;
let mut c_gpu = empty_like(&a_gpu);
lin_comb.call((5, &a_gpu, 6, &b_gpu, &mut c_gpu))?;
let error = (&c_gpu - (5 * &a_gpu + 6 * &b_gpu)).norm().item();
assert!(error < 1e-5, "{error}");
error

// %% [markdown]
// ## Reductions of one's own
//
// `map_expr` says what each element contributes, `reduce_expr` how two
// contributions become one.

// %% An inner product
let x = rand::<f32>(1000 * 1000);
let y = rand::<f32>(1000 * 1000);
let dot = ReductionKernel::<f32>::new("0", "a+b", "x[i]*y[i]", "const float *x, const float *y", "dot")?;
let x_dot_y = dot.call((&x, &y))?.item();

// In double precision on the host, to compare with.
let (x_host, y_host) = (x.get().mapv(f64::from), y.get().mapv(f64::from));
let expected = (&x_host * &y_host).sum();
assert!((f64::from(x_dot_y) - expected).abs() < 1e-4 * expected, "{x_dot_y} and {expected}");
x_dot_y
