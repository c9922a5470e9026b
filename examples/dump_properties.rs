//! Prints what each device is and can do, and tries two of its limits.

// %% The GPUs of this machine; where there is none, the host device is number 0
for k in 0..Device::count()? {
    let device = Device::new(k)?;
    let capability = match device.compute_capability() {
        Some((major, minor)) => format!("compute capability {major}.{minor}"),
        None => "no compute capability".to_string(),
    };
    println!("{k}: {}, {capability}, {} MiB", device.name(), device.total_memory() >> 20);
}

// %% All attributes of the one in use, by PyCUDA's names
let device = device();
println!("\nin use: {}", device.name());
for (attribute, value) in device.attributes()? {
    println!("{:>45} {value}", attribute.name());
}

// %% A kernel reports what it finds: the size of a warp, and that all threads of its block took part
let report = SourceModule::new("
__global__ void report(int *warp, int *threads)
{
    warp[0] = warpSize;
    atomicAdd(threads, 1);
}")?
.get_function("report")?;
let most = device.attribute(DeviceAttribute::MaxThreadsPerBlock)? as usize;
let (mut warp, mut threads) = (zeros::<i32>(1), zeros::<i32>(1));
report.launch(1, most, (&mut warp, &mut threads))?;
assert_eq!(i64::from(warp.item()), device.attribute(DeviceAttribute::WarpSize)?);
assert_eq!(threads.item() as usize, most);

// %% One thread more is refused before the launch
let error = report.launch(1, most + 1, (&mut warp, &mut threads)).unwrap_err();
println!("\n{error}");
assert!(error.to_string().contains(&(most + 1).to_string()), "{error}");
assert_eq!(threads.item() as usize, most);
