// %% [markdown]
// # Four ways to scale an array
//
// From the one that hides nothing to the one that hides everything.

// %% The numbers: a million of them between 0 and 50, and a factor
let n = 1_usize << 20;
let h_array = (50 * rand::<f32>(n)).get().into_raw_vec_and_offset().0;
let factor = 10.0 * rand::<f64>(1).item();
let expected: Vec<f32> = h_array.iter().map(|x| x * factor as f32).collect();

fn is_close(results: &[f32], expected: &[f32]) -> bool {
    let is_close = |(a, b): (&f32, &f32)| (a - b).abs() <= 1e-8 + 1e-5 * b.abs();
    results.len() == expected.len() && results.iter().zip(expected).all(is_close)
}

// %% [markdown]
// ## One: memory by hand

// %%
let module = SourceModule::new(r#"
    __global__ void scale_array(float *array, unsigned int n, float factor)
    {
        unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n)
            array[i] *= factor;
    }
"#)?;
let scale = module.get_function("scale_array")?;
let threads = 128_usize;
let blocks = n.div_ceil(threads);

let mut d_array = mem_alloc(n * size_of::<f32>())?;
memcpy_htod(&mut d_array, &h_array)?;
scale.launch(blocks, threads, (&mut d_array, n as u32, factor))?;
let mut results = vec![0.0_f32; n];
memcpy_dtoh(&mut results, &d_array)?;
d_array.free();
assert!(is_close(&results, &expected));
println!("Success");

// %% [markdown]
// ## Two: `InOut` copies there and back

// %%
let mut copied = h_array.clone();
scale.launch(blocks, threads, (InOut(&mut copied), n as u32, factor))?;
assert!(is_close(&copied, &expected));
println!("Success");

// %% [markdown]
// ## Three: `In` and `Out` copy one way only

// %%
let module = SourceModule::new(r#"
    __global__ void scale_to(float *results, const float *array, unsigned int n, float factor)
    {
        unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n)
            results[i] = array[i] * factor;
    }
"#)?;
let scale_to = module.get_function("scale_to")?;
let mut results = vec![0.0_f32; n];
scale_to.launch(blocks, threads, (Out(&mut results), In(&h_array), n as u32, factor))?;
assert!(is_close(&results, &expected));
println!("Success");

// %% [markdown]
// ## Four: an array, and nothing to write

// %%
let d_array = to_gpu(&h_array);
let product = factor * &d_array;
assert_eq!(product.dtype(), DType::Float32);
assert!(is_close(&product.to_vec(), &expected));
println!("Success");

// %% [markdown]
// ## More that arrays can do

// %% Functions of each element
let h_matrix = randn::<f32>((4000, 4000)).get();
let roots = cumath::sqrt(&cumath::fabs(&to_gpu(&h_matrix)));
let host_roots = h_matrix.mapv(|x| x.abs().sqrt());
assert!(allclose(&roots, &to_gpu(&host_roots)));
println!("Success");

// %% A kernel for each element
let a = rand::<f32>(50);
let b = rand::<f32>(50);
let mut c = empty_like(&a);
let lin_comb = ElementwiseKernel::new(
    "float a, float *x, float b, float *y, float *z",
    "z[i] = a*x[i] + b*y[i]",
    "linear_combination",
)?;
lin_comb.call((5, &a, 6, &b, &mut c))?;
assert!((&c - (5 * &a + 6 * &b)).norm().item() < 1e-5);
c

// %% Reductions
let (a_host, b_host) = (a.to_vec(), b.to_vec());
let largest = a.max().item();
assert_eq!(largest, a_host.iter().copied().fold(f32::MIN, f32::max));
let product = a.dot(&b).item();
let expected_product: f64 = a_host.iter().zip(&b_host).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
assert!((f64::from(product) - expected_product).abs() <= 1e-4 * expected_product);
(largest, product)
