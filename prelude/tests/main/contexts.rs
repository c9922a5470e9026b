//! Devices and contexts.

use gpurepl_prelude::*;

use crate::is_on_host;

#[test]
fn devices_say_what_they_are() {
    let device = device();
    assert!(Device::count().unwrap() >= 1);
    assert_eq!(Device::new(device.number()).unwrap(), device);
    let beyond = Device::new(1000).unwrap_err();
    assert_eq!(beyond.kind(), ErrorKind::Missing);
    assert!(beyond.to_string().contains("1000"), "{beyond}");
    let attributes = device.attributes().unwrap();
    assert_eq!(attributes[&DeviceAttribute::WarpSize], 32);
    assert_eq!(attributes[&DeviceAttribute::MaxThreadsPerBlock], 1024);
    assert!(attributes[&DeviceAttribute::MultiprocessorCount] >= 1);
    assert_eq!("max_block_dim_z".parse(), Ok(DeviceAttribute::MaxBlockDimZ));
    assert!(!device.can_access_peer(device).unwrap_or(false));
    match device.pci_bus_id().unwrap() {
        Some(id) => assert_eq!(Device::by_pci_bus_id(&id).unwrap(), device),
        None => {
            assert!(is_on_host());
            let error = device.attribute(DeviceAttribute::PciBusId).unwrap_err();
            assert_eq!(error.to_string(), "the host device has no attribute `pci_bus_id`");
        }
    }
    if !is_on_host() {
        assert!(attributes.len() > 100, "{}", attributes.len());
        let error = Device::by_pci_bus_id("ffff:ff:1f.0").unwrap_err();
        assert!(error.to_string().contains("there is no CUDA device with the PCI bus id"), "{error}");
    }
    assert_eq!(Device::all().unwrap().len(), Device::count().unwrap());
}

#[test]
fn arrays_live_in_the_context_that_was_current() {
    let a = ones::<f32>(100);
    let first = Context::current().unwrap();
    assert!(first.is_primary());
    let second = Device::new(0).unwrap().make_context().unwrap();
    assert_eq!(Context::current().unwrap(), second);
    let b = full::<f32>(100, 2.0);
    let source = "__global__ void twice(float *a) { a[threadIdx.x] *= 2; }";
    let module = SourceModule::new(source).unwrap();
    let twice = module.get_function("twice").unwrap();
    let mut c = &b * 3.0;
    twice.launch(1, 100, &mut c).unwrap();
    assert_eq!(Context::pop().unwrap(), second);
    assert_eq!(Context::current().unwrap(), first);
    // Each is read where it lives, whatever is current.
    assert_eq!((a.sum().item(), b.sum().item(), c.sum().item()), (100.0, 200.0, 1200.0));
    assert_eq!((&b + 1.0).sum().item(), 300.0);
    let mixed = crate::raised(|| drop(&a + &b));
    assert!(mixed.to_string().contains("objects of two contexts"), "{mixed}");
    let mut a = a;
    let mixed = twice.launch(1, 100, &mut a).unwrap_err();
    assert!(mixed.to_string().starts_with("twice: cannot mix objects of two contexts"), "{mixed}");
    // The same text, compiled in the other context.
    SourceModule::new(source).unwrap().get_function("twice").unwrap().launch(1, 100, &mut a).unwrap();
    assert_eq!(a.sum().item(), 200.0);
    second.scope(|| assert_eq!(zeros::<f32>(3).sum().item(), 0.0)).unwrap();
    second.synchronize().unwrap();
    second.detach();
    assert!(second.push().is_err() && second.scope(|| ()).is_err());
    // What lives there lives on.
    twice.launch(1, 100, &mut c).unwrap();
    assert_eq!(c.sum().item(), 2400.0);
    drop((b, c, twice, module));
    assert_eq!(a.sum().item(), 200.0);
}

#[test]
fn contexts_come_and_go() {
    assert!(Context::pop().unwrap_err().to_string().contains("has not pushed a context"));
    for round in 0..10 {
        let context = Device::new(0).unwrap().make_context().unwrap();
        let a = arange::<i64>(0..1000);
        let stream = Stream::new().unwrap();
        let b = stream.scope(|| &a * 2).unwrap();
        assert_eq!(b.sum().item(), 999_000, "round {round}");
        if round % 2 == 0 {
            Context::pop().unwrap();
            context.detach();
            drop((a, b));
        } else {
            drop((a, b));
            context.detach();
            assert_ne!(Context::current().unwrap(), context);
        }
    }
}

#[test]
fn contexts_freed_out_of_order_and_from_other_threads() {
    let first = Device::new(0).unwrap().make_context().unwrap();
    let a = ones::<f32>(10_000);
    let second = Device::new(0).unwrap().make_context().unwrap();
    let b = ones::<f32>(10_000);
    first.detach();
    std::thread::spawn(move || drop(a)).join().unwrap();
    assert_eq!(b.sum().item(), 10_000.0);
    second.detach();
    std::thread::spawn(move || assert_eq!((&b * 2.0).sum().item(), 20_000.0)).join().unwrap();
    assert_eq!(ones::<f32>(4).sum().item(), 4.0);
}

#[test]
fn primary_contexts_are_shared_and_stay() {
    let device = device();
    let primary = device.retain_primary_context().unwrap();
    assert_eq!(primary, Context::current().unwrap());
    primary.detach();
    primary.push().unwrap();
    assert_eq!(ones::<f32>(8).sum().item(), 8.0);
    assert_eq!(Context::pop().unwrap(), primary);
    assert!(format!("{primary:?}").starts_with("Context(primary, on "), "{primary:?}");
}

#[test]
fn limits_are_asked_and_set() {
    let context = Context::current().unwrap();
    let stack = context.limit(Limit::StackSize).unwrap();
    assert!(stack >= 1024);
    context.set_limit(Limit::StackSize, stack).unwrap();
    context.set_limit(Limit::PrintfFifoSize, 2 << 20).unwrap();
    assert!(context.set_limit(Limit::StackSize, 1 << 40).is_err());
}

/// On a machine with several GPUs.
#[test]
fn arrays_of_two_gpus() {
    if Device::count().unwrap() < 2 {
        return crate::ignored::ignored("needs two NVIDIA GPUs");
    }
    let here = Context::current().unwrap();
    let (first, second) = (device(), Device::new(1 - device().number()).unwrap());
    assert_ne!(first.pci_bus_id().unwrap(), second.pci_bus_id().unwrap());
    let there = second.retain_primary_context().unwrap();
    assert_eq!(there.device(), second);
    let a = arange(0.0f32..1_000_000.0);
    // There and back, with work on both sides in between.
    let b = (&a + 1.0).to_context(there);
    let doubled = there.scope(|| &b * 2.0).unwrap();
    assert_eq!(doubled.to_context(here).slice(..3).to_vec(), [2.0, 4.0, 6.0]);
    assert!(crate::raised(|| drop(&a + &b)).to_string().contains("objects of two contexts"));
    let stream = there.scope(Stream::new).unwrap().unwrap();
    let on_stream = stream.scope(|| &b * 3.0).unwrap();
    assert_eq!(on_stream.to_context(here).slice(..2).to_vec(), [3.0, 6.0]);
    // Kernels of one GPU over the memory of the other.
    let source = "__global__ void add(const float *x, float *y, int n) {
        int i = blockIdx.x*blockDim.x + threadIdx.x;
        if (i < n) y[i] += x[i];
    }";
    let add = SourceModule::new(source).unwrap().get_function("add").unwrap();
    let n = 1_000_000_usize;
    let mut y = zeros::<f32>(n);
    let refused = add.launch(n.div_ceil(256), 256, (&b, &mut y, n as i32)).unwrap_err();
    assert!(refused.to_string().starts_with("add: what objects of two contexts"), "{refused}");
    if first.can_access_peer(second).unwrap() {
        here.enable_peer_access(there).unwrap();
        for round in 1..=10 {
            let fresh = there.scope(|| &b * 1.0).unwrap();
            add.launch(n.div_ceil(256), 256, (&fresh, &mut y, n as i32)).unwrap();
            assert_eq!(y.slice(..3).to_vec(), [1.0, 2.0, 3.0].map(|x| x * round as f32));
        }
        let prepared = add.prepare("PPi").unwrap();
        prepared.prepared_call(n.div_ceil(256), 256, (&b, &mut y, n as i32)).unwrap();
        assert_eq!(y.slice(1).item(), 22.0);
        here.disable_peer_access(there).unwrap();
        assert!(add.launch(1, 32, (&b, &mut y, 32)).is_err());
    }
    let mut from_there = mem_alloc(4 * n).unwrap();
    memcpy_peer(&mut from_there, &b.gpudata()).unwrap();
    let mut host = vec![0.0f32; n];
    memcpy_dtoh(&mut host, &from_there).unwrap();
    assert_eq!((host[0], host[n - 1]), (1.0, 1_000_000.0));
    // A context of its own on each, current by turns on this thread.
    let made = second.make_context().unwrap();
    let c = ones::<f32>(100);
    Context::pop().unwrap();
    assert_eq!((c.sum().item(), ones::<f32>(50).sum().item()), (100.0, 50.0));
    made.detach();
}
