// %% [markdown]
// # First steps
//
// The device is ready as soon as the first cell needs it: there is nothing to
// import and no context to make.

// %% Which device?
println!("{}", device().name());

// %% [markdown]
// ## Memory by hand
//
// The kernel doubles the numbers of one array into another. Its length comes
// through the device's memory as well, which is more than it needs, but shows
// how an `int *` is passed. Each thread begins at its own number in the whole
// grid and goes on by the number of all threads, so any grid does.

// %% The kernel
let module = SourceModule::new(r#"
    __global__ void double_array_new(float *b, float *a, int *info)
    {
        int datalen = info[0];
        for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < datalen; i += blockDim.x * gridDim.x)
            b[i] = 2 * a[i];
    }
"#)?;
let func = module.get_function("double_array_new")?;

// %% Three pieces of memory on the device
let a: Vec<f32> = (0..128).map(|k| k as f32).collect();
let mut a_gpu = mem_alloc(size_of_val(&a[..]))?;
let mut b_gpu = mem_alloc(size_of_val(&a[..]))?;
let mut info_gpu = mem_alloc(size_of::<i32>())?;
memcpy_htod(&mut a_gpu, &a)?;
memcpy_htod(&mut info_gpu, &[a.len() as i32])?;

// %% Four blocks of 32 threads
func.launch(4, 32, (&mut b_gpu, &a_gpu, &info_gpu))?;
let mut b = vec![0.0_f32; 128];
memcpy_dtoh(&mut b, &b_gpu)?;
assert!(b.iter().enumerate().all(|(k, x)| *x == 2.0 * k as f32));
println!("result: {}", to_gpu(&b));

// %% A single block does the same: each of its threads takes more turns
memcpy_htod(&mut b_gpu, &vec![0.0_f32; 128])?;
func.launch(1, 32, (&mut b_gpu, &a_gpu, &info_gpu))?;
let mut again = vec![0.0_f32; 128];
memcpy_dtoh(&mut again, &b_gpu)?;
assert_eq!(again, b);

// %% [markdown]
// ## Arrays

// %% There and back
seed(1);
let x = randn::<f32>(5).get();
let x_gpu = to_gpu(&x);
assert_eq!(x_gpu.get(), x);

// %% An array on the device looks like one on the host
x_gpu

// %% Arithmetic keeps the type: 2 is as narrow as it has to be
let doubled = 2 * &x_gpu;
assert_eq!(doubled.dtype(), DType::Float32);
assert_eq!(doubled.get(), &x * 2.0);
assert_eq!((&x_gpu + &x_gpu).get(), &x * 2.0);
doubled

// %% Its length
assert_eq!(x_gpu.len(), 5);
x_gpu.len()

// %% A part of it
assert_eq!(x_gpu[0..3].to_vec(), &x.as_slice().unwrap()[..3]);
&x_gpu[0..3]

// %% One element
assert_eq!(x_gpu[1].item(), x[1]);

// %% The memory behind it
let memory = x_gpu.gpudata();
assert_ne!(memory.address(), 0);
memory

// %% That memory as an argument of the kernel above
let y_gpu = zeros::<f32>(5);
func.launch(1, 32, (y_gpu.gpudata(), x_gpu.gpudata(), to_gpu(&[5_i32]).gpudata()))?;
assert_eq!(y_gpu.get(), &x * 2.0);
y_gpu

// %% Simpler: arrays themselves are arguments
let mut y_gpu = zeros::<f32>(5);
func.launch(1, 32, (&mut y_gpu, &x_gpu, &to_gpu(&[5_i32])))?;
assert_eq!(y_gpu.get(), &x * 2.0);
