//! Copies on streams and between contexts, and fills.

use gpurepl_prelude::*;

use super::Other;

#[test]
fn copies_on_a_stream_come_in_order() {
    let stream = Stream::new().unwrap();
    let numbers: Vec<i32> = (0..100_000).collect();
    let a = pagelocked_from(&numbers).unwrap();
    let mut back = pagelocked_zeros::<i32>(numbers.len()).unwrap();
    let (mut one, mut other) = (mem_alloc(a.nbytes()).unwrap(), mem_alloc(a.nbytes()).unwrap());
    memcpy_htod_async(&mut one, &a, &stream).unwrap();
    memcpy_dtod_async(&mut other, &one, &stream).unwrap();
    memcpy_dtoh_async(&mut back, &other, &stream).unwrap();
    assert_eq!(*back, *numbers);
    // Changing what is being copied waits.
    let mut a = a;
    memcpy_htod_async(&mut one, &a, &stream).unwrap();
    a.fill(0);
    assert_eq!(from_device::<i32>(&one, numbers.len()).unwrap().as_slice().unwrap(), numbers);
    // So does dropping it, and memory that is dropped is not used too early.
    memcpy_dtoh_async(&mut back, &one, &stream).unwrap();
    drop((a, one, back));
}

#[test]
fn an_array_and_page_locked_memory() {
    let stream = Stream::new().unwrap();
    let from = pagelocked_from(&[[1.0_f32, 2.0], [3.0, 4.0]]).unwrap();
    let mut to = pagelocked_zeros::<f32>((2, 2)).unwrap();
    let mut a = zeros::<f32>((2, 2));
    let pending = &a + 1.0; // has to read `a` before it is written
    a.set_async(&from, &stream).unwrap();
    let doubled = stream.scope(|| &a * 2.0).unwrap();
    doubled.get_async(&mut to, &stream).unwrap();
    assert_eq!(*to, [2.0, 4.0, 6.0, 8.0]);
    assert_eq!(pending.to_vec(), [1.0; 4]);
    let error = zeros::<f32>(4).get_async(&mut to, &stream).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Shape, "{error}");
    let error = a.t().get_async(&mut to, &stream).unwrap_err();
    assert!(error.to_string().contains("order"), "{error}");
}

#[test]
fn more_than_there_is_room_for() {
    let stream = Stream::new().unwrap();
    let mut memory = mem_alloc(8).unwrap();
    let mut large = pagelocked_zeros::<u8>(9).unwrap();
    for error in [
        memcpy_htod_async(&mut memory, &large, &stream).unwrap_err(),
        memcpy_dtoh_async(&mut large, &memory, &stream).unwrap_err(),
    ] {
        assert!(error.to_string().contains('9') && error.to_string().contains('8'), "{error}");
    }
    let nothing = pagelocked_empty::<u8>(0).unwrap();
    memcpy_htod_async(&mut memory, &nothing, &stream).unwrap();
    memcpy_htod(&mut memory, &nothing).unwrap();
}

#[test]
fn a_stream_of_another_context() {
    let other = Other::new();
    let stream = other.0.scope(|| Stream::new().unwrap()).unwrap();
    let (mut memory, a) = (mem_alloc(8).unwrap(), pagelocked_zeros::<u8>(8).unwrap());
    let error = memcpy_htod_async(&mut memory, &a, &stream).unwrap_err();
    assert!(error.to_string().contains("two contexts"), "{error}");
    // Page-locked memory goes anywhere.
    other
        .0
        .scope(|| {
            let mut there = mem_alloc(8).unwrap();
            memset_d8(&mut there, 1, 8).unwrap();
            memcpy_htod_async(&mut there, &a, &stream).unwrap();
            assert_eq!(from_device::<u8>(&there, 8).unwrap().sum(), 0);
        })
        .unwrap();
}

#[test]
fn from_context_to_context() {
    let other = Other::new();
    let numbers: Vec<f64> = (0..70_000).map(f64::from).collect();
    let a = to_gpu(&numbers);
    let there = (&a * 2.0).to_context(other.0);
    assert_eq!(there.to_vec(), numbers.iter().map(|x| x * 2.0).collect::<Vec<_>>());
    assert_eq!(there.gpudata().context(), other.0);
    assert!((&a + &there.to_context(Context::current().unwrap())).sum().item() > 0.0);
    assert_eq!(a.reshape((7, 10_000)).t().to_context(other.0).shape(), [10_000, 7]);
    assert_eq!(zeros::<i32>(0).to_context(other.0).size(), 0);
}

#[test]
fn memory_from_context_to_context() {
    let other = Other::new();
    let from = to_device(&[1_u8, 2, 3]).unwrap();
    let mut to = other.0.scope(|| mem_alloc(2)).unwrap().unwrap();
    assert!(memcpy_peer(&mut to, &from).is_err());
    memcpy_peer(&mut to, &from.offset(1).unwrap()).unwrap();
    assert_eq!(from_device::<u8>(&to, 2).unwrap().as_slice().unwrap(), [2, 3]);
    // `memcpy_dtod` is for one context.
    let mut here = mem_alloc(2).unwrap();
    assert!(memcpy_dtod(&mut here, &to).unwrap_err().to_string().contains("two contexts"));
    let stream = other.0.scope(|| Stream::new().unwrap()).unwrap();
    memcpy_peer_async(&mut to, &from.slice(0..2).unwrap(), &stream).unwrap();
    drop(from);
    assert_eq!(from_device::<u8>(&to, 2).unwrap().as_slice().unwrap(), [1, 2]);
    // Page-locked memory that one context has made, used by another one, and
    // waited for.
    let mut page_locked = pagelocked_zeros::<u8>(2).unwrap();
    memcpy_dtoh_async(&mut page_locked, &to, &stream).unwrap();
    assert_eq!(*page_locked, [1, 2]);
    page_locked[0] = 9;
    memcpy_htod_async(&mut to, &page_locked, &stream).unwrap();
    memcpy_htod(&mut here, &page_locked).unwrap();
    page_locked.fill(0);
    assert_eq!(from_device::<u8>(&to, 2).unwrap().as_slice().unwrap(), [9, 2]);
}

#[test]
fn fills() {
    let mut memory = mem_alloc(64).unwrap();
    memset_d8(&mut memory, 0xab, 64).unwrap();
    assert_eq!(from_device::<u8>(&memory, 64).unwrap().as_slice().unwrap(), [0xab; 64]);
    memset_d16(&mut memory, 0x1234, 3).unwrap();
    let mut part = memory.offset(8).unwrap();
    memset_d32(&mut part, 0xdead_beef, 2).unwrap();
    let words = from_device::<u16>(&memory, 10).unwrap();
    let expected = [0x1234, 0x1234, 0x1234, 0xabab, 0xbeef, 0xdead, 0xbeef, 0xdead, 0xabab, 0xabab];
    assert_eq!(words.as_slice().unwrap(), expected);
    memset_d8(&mut memory, 0, 0).unwrap();
    for error in [
        memset_d8(&mut memory, 0, 65).unwrap_err(),
        memset_d32(&mut memory, 0, usize::MAX / 2).unwrap_err(),
        memset_d32(&mut memory.offset(2).unwrap(), 0, 1).unwrap_err(),
        memset_d2d32(&mut memory, 6, 0, 1, 2).unwrap_err(),
        memset_d2d8(&mut memory, 3, 0, 4, 2).unwrap_err(),
        memset_d2d16(&mut memory, 32, 0, 17, 2).unwrap_err(),
    ] {
        assert_eq!(error.kind(), ErrorKind::Value, "{error}");
        assert!(error.to_string().starts_with("memset_d"), "{error}");
    }
}

#[test]
fn fills_of_rows() {
    let (mut memory, pitch) = mem_alloc_pitch(10, 4, 4).unwrap();
    let size = memory.len();
    memset_d8(&mut memory, 9, size).unwrap();
    let stream = Stream::new().unwrap();
    memset_d2d16_async(&mut memory, pitch, 0x0505, 5, 4, &stream).unwrap();
    let rows = from_device::<u8>(&memory, (4, pitch)).unwrap();
    for ((_, x), value) in rows.indexed_iter().map(|(at, value)| ((at[0], at[1]), *value)) {
        assert_eq!(value, if x < 10 { 5 } else { 9 });
    }
    memset_d2d8(&mut memory, pitch, 1, 3, 2).unwrap();
    memset_d2d32(&mut memory, pitch, 0, 1, 1).unwrap();
    let rows = from_device::<u8>(&memory, (4, pitch)).unwrap();
    let start = |y: usize| [0, 1, 2, 3, 4].map(|x: usize| rows[[y, x]]);
    assert_eq!([start(0), start(1), start(2)], [[0, 0, 0, 0, 5], [1, 1, 1, 5, 5], [5; 5]]);
    for (width, height, access) in [(10, 4, 5), (usize::MAX, 4, 4), (1 << 40, 1 << 40, 4)] {
        assert!(mem_alloc_pitch(width, height, access).is_err());
    }
}

#[test]
fn a_fill_comes_after_what_has_yet_to_read() {
    let a: GpuArray<i32> = arange(0..4);
    let doubled = &a * 2;
    memset_d32(&mut a.gpudata(), 7, 4).unwrap();
    assert_eq!((a.to_vec(), doubled.to_vec()), (vec![7; 4], vec![0, 2, 4, 6]));
}

#[test]
fn fills_and_copies_in_a_graph() {
    let (mut a, mut b) = (to_device(&[1_u8; 8]).unwrap(), to_device(&[2_u8; 8]).unwrap());
    let mut page_locked = pagelocked_from(&[5_u8, 6]).unwrap();
    let graph = Graph::capture(|| {
        memset_d8(&mut a, 3, 8)?;
        memcpy_htod(&mut a, &page_locked)?; // what it holds now
        memcpy_dtod(&mut b, &a)
    })
    .unwrap();
    page_locked.fill(0);
    assert_eq!(from_device::<u8>(&b, 8).unwrap().sum(), 16);
    graph.launch().unwrap();
    assert_eq!(from_device::<u8>(&b, 8).unwrap().as_slice().unwrap(), [5, 6, 3, 3, 3, 3, 3, 3]);
    let refused = Graph::capture(|| memcpy_dtoh(&mut page_locked, &a));
    assert!(refused.unwrap_err().to_string().contains("graph"));
    let mut managed = managed_zeros::<f32>(4).unwrap();
    let kernel = SourceModule::new("__global__ void set(float *a) { a[threadIdx.x] = 1; }").unwrap();
    let set = kernel.get_function("set").unwrap();
    let refused = Graph::capture(|| set.launch(1, 4, &mut managed));
    assert!(refused.unwrap_err().to_string().contains("part of a graph"));
    assert_eq!(*managed, [0.0; 4]);
}
