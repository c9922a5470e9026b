//! Streams, events, graphs and timing.

use std::sync::mpsc;

use gpurepl_prelude::*;

use crate::{is_on_host, raises};

const SOURCE: &str = "
__global__ void twice(float *a, int n) {
    int i = blockIdx.x*blockDim.x + threadIdx.x;
    if (i < n) a[i] *= 2;
}
__global__ void spin(long long cycles, float *a) {
    long long start = clock64();
    while (clock64() - start < cycles) {}
    a[0] += 1;
}
__global__ void add(const float *a, const float *b, float *sum, int n) {
    int i = blockIdx.x*blockDim.x + threadIdx.x;
    if (i < n) sum[i] = a[i] + b[i];
}";

fn function(name: &str) -> Function {
    SourceModule::new(SOURCE).unwrap().get_function(name).unwrap()
}

#[test]
fn work_of_several_streams_is_put_in_order_by_the_arrays() {
    let (twice, add, spin) = (function("twice"), function("add"), function("spin"));
    let flags = StreamFlags { non_blocking: true };
    let streams: Vec<Stream> = (0..4).map(|_| Stream::with_flags(flags, 0).unwrap()).collect();
    let n = 1_usize << 16;
    for round in 0..20 {
        let mut a = ones::<f32>(n);
        let mut b = full::<f32>(n, 3.0);
        let mut sum = zeros::<f32>(n);
        // Slow work first, so that a wait that is missing shows.
        streams[0].scope(|| spin.launch(1, 1, (200_000_i64, &mut a))).unwrap().unwrap();
        twice.launch_async(n.div_ceil(256), 256, &streams[0], (&mut a, n as i32)).unwrap();
        streams[1].scope(|| spin.launch(1, 1, (400_000_i64, &mut b))).unwrap().unwrap();
        twice.launch_async(n.div_ceil(256), 256, &streams[1], (&mut b, n as i32)).unwrap();
        add.launch_async(n.div_ceil(256), 256, &streams[2], (&a, &b, &mut sum, n as i32)).unwrap();
        // Written again while the sum may still be reading.
        twice.launch_async(n.div_ceil(256), 256, &streams[3], (&mut a, n as i32)).unwrap();
        let total = streams[round % 4].scope(|| &sum + 0.5).unwrap();
        let expected = |k: usize| if k == 0 { 4.0 + 8.0 + 0.5 } else { 2.0 + 6.0 + 0.5 };
        assert!(total.to_vec().iter().enumerate().all(|(k, x)| *x == expected(k)), "round {round}");
        assert_eq!(a.slice(1..).max().item(), 4.0);
    }
}

#[test]
fn memory_given_back_on_one_stream_is_not_overwritten_from_another() {
    let (spin, twice) = (function("spin"), function("twice"));
    let flags = StreamFlags { non_blocking: true };
    let (slow, quick) = (Stream::with_flags(flags, 0).unwrap(), Stream::with_flags(flags, 0).unwrap());
    let n = 5000_usize;
    for _ in 0..50 {
        let result = slow.scope(|| {
            let mut a = ones::<f32>(n);
            let mut b = zeros::<f32>(n);
            spin.launch(1, 1, (100_000_i64, &mut a)).unwrap();
            twice.launch(n.div_ceil(256), 256, (&mut a, n as i32)).unwrap();
            b.set(.., &a);
            b // and `a` is given back while its work is under way
        });
        let result = result.unwrap();
        // Arrays of the same size, on the other stream.
        quick.scope(|| drop((0..4).map(|_| full::<f32>(n, -1.0)).collect::<Vec<_>>())).unwrap();
        let values = result.to_vec();
        assert_eq!((values[0], values[1], values[n - 1]), (4.0, 2.0, 2.0));
    }
}

#[test]
fn a_stream_waits_for_what_it_is_told_to() {
    let stream = Stream::new().unwrap();
    assert_eq!(Stream::current().unwrap(), Stream::default_stream().unwrap());
    stream.scope(|| assert_eq!(Stream::current().unwrap(), stream)).unwrap();
    let mut a = ones::<f32>(100);
    function("twice").launch_async(1, 128, &stream, (&mut a, 100)).unwrap();
    let event = stream.record().unwrap();
    Stream::default_stream().unwrap().wait_for_event(&event).unwrap();
    stream.synchronize().unwrap();
    assert!(stream.is_done().unwrap() && event.query().unwrap());
    assert_eq!(a.sum().item(), 200.0);
    let (lowest, highest) = Stream::priority_range().unwrap();
    assert!(highest <= lowest);
    Stream::with_flags(StreamFlags::default(), highest).unwrap().synchronize().unwrap();
}

#[test]
fn a_function_is_called_after_the_work() {
    let stream = Stream::new().unwrap();
    let mut a = ones::<f32>(1);
    let (sender, receiver) = mpsc::channel();
    function("spin").launch_async(1, 1, &stream, (1_000_000_i64, &mut a)).unwrap();
    let event = stream.record().unwrap();
    stream.launch_host_func(move || sender.send(7).unwrap()).unwrap();
    assert_eq!(receiver.recv(), Ok(7));
    assert!(event.query().unwrap());
    // A panic there ends nothing.
    stream.launch_host_func(|| panic!("on purpose")).unwrap();
    stream.synchronize().unwrap();
}

#[test]
fn events_measure_time() {
    let (start, end) = (Event::new().unwrap(), Event::new().unwrap());
    assert!(end.time_since(&start).unwrap_err().to_string().contains("was not recorded"));
    let mut a = ones::<f32>(1);
    start.record().unwrap();
    function("spin").launch(1, 1, (20_000_000_i64, &mut a)).unwrap();
    end.record().unwrap();
    end.synchronize().unwrap();
    let milliseconds = end.time_since(&start).unwrap();
    assert!(milliseconds > 1.0, "{milliseconds}");
    assert_eq!(start.time_till(&end).unwrap(), milliseconds);
    assert!(start.time_since(&end).unwrap() <= 0.0);
    let untimed = Event::with_flags(EventFlags { disable_timing: true, ..EventFlags::default() }).unwrap();
    untimed.record().unwrap().synchronize().unwrap();
    assert!(untimed.time_since(&start).unwrap_err().to_string().contains("disable_timing"));
    let seconds = function("spin").launch_timed(1, 1, (20_000_000_i64, &mut a)).unwrap();
    assert!(seconds > 1e-3, "{seconds}");
    let (sum, milliseconds) = timed(|| ones::<f64>(1000).sum()).unwrap();
    assert!(sum.item() == 1000.0 && milliseconds >= 0.0);
}

#[test]
fn a_graph_does_what_was_recorded_each_time() {
    let twice = function("twice");
    let mut a = ones::<f32>(1000);
    let b = arange(0.0f32..1000.0);
    let mut sum = zeros::<f32>(1000);
    let graph = Graph::capture(|| {
        twice.launch(4, 256, (&mut a, 1000))?;
        let temporary = &a * 3.0 + &b;
        sum.set(.., &temporary);
        Ok(())
    })
    .unwrap();
    assert!(graph.len() >= 2, "{graph:?}");
    assert_eq!((a.max().item(), sum.max().item()), (1.0, 0.0), "recorded, not done");
    for round in 1..=5 {
        graph.launch().unwrap();
        let factor = f32::powi(2.0, round);
        assert_eq!(a.min().item(), factor);
        let expected: Vec<f32> = (0..1000).map(|k| factor * 3.0 + k as f32).collect();
        assert_eq!(sum.to_vec(), expected);
    }
    // What the host changes in between is seen; a reader that has not read yet is served first.
    let before = &a + 0.0;
    a.fill(1.0);
    assert_eq!(before.max().item(), 32.0);
    let pending = &a * 10.0;
    graph.launch().unwrap();
    assert_eq!((pending.max().item(), a.max().item()), (10.0, 2.0));
}

#[test]
fn a_graph_keeps_what_it_uses() {
    let twice = function("twice");
    let (graph, view) = {
        let mut a = ones::<f32>(100);
        let mut view = zeros::<f32>(100);
        let graph = Graph::capture(|| {
            let data = to_gpu(&vec![5.0f32; 100]);
            let mut copy = data.copy();
            twice.launch(1, 128, (&mut copy, 100))?;
            twice.launch(1, 128, (&mut a, 100))?;
            view.set(.., &copy + &a);
            Ok(())
        })
        .unwrap();
        (graph, view)
    };
    let stream = Stream::new().unwrap();
    for round in 1..=3 {
        // Memory that the graph's arrays left would be handed out here.
        drop((0..8).map(|_| full::<f32>(100, -7.0)).collect::<Vec<_>>());
        stream.scope(|| graph.launch()).unwrap().unwrap();
        assert_eq!(view.to_vec(), vec![10.0 + f32::powi(2.0, round); 100]);
    }
}

#[test]
fn what_cannot_be_recorded_is_said_and_nothing_is_lost() {
    let a = ones::<f32>(10);
    let reading = Graph::capture(|| {
        a.try_get()?;
        Ok(())
    });
    let message = reading.unwrap_err().to_string();
    assert!(message.starts_with("reading an array: a graph is being captured"), "{message}");
    let waiting = Graph::capture(synchronize);
    assert!(waiting.unwrap_err().to_string().starts_with("synchronize: a graph is being captured"));
    let nested = Graph::capture(|| Graph::capture(|| Ok(())).map(drop));
    assert!(nested.unwrap_err().to_string().contains("already being captured"));
    let error = raises_inside();
    assert!(error.contains("reading"), "{error}");
    // After all of these the device works as before.
    assert_eq!((&a * 2.0).sum().item(), 20.0);
    let empty = Graph::capture(|| Ok(())).unwrap();
    assert!(empty.is_empty());
    empty.launch().unwrap();
}

/// A panic within a capture ends the capture.
fn raises_inside() -> String {
    let panicked = std::panic::catch_unwind(|| {
        let a = ones::<f32>(10);
        Graph::capture(|| {
            a.sum().item();
            Ok(())
        })
        .map(drop)
    });
    panicked.unwrap_err().downcast::<Error>().unwrap().to_string()
}

#[test]
fn prepared_launches_check_what_they_are_given() {
    let add = function("add").prepare("PPPi").unwrap();
    let (a, b, mut sum) = (ones::<f32>(100), arange(0.0f32..100.0), zeros::<f32>(100));
    add.prepared_call(1, 128, (&a, &b, &mut sum, 100)).unwrap();
    assert_eq!(sum.sum().item(), 5050.0);
    // An address within: the offset of PyCUDA's tests.
    let tail = sum.slice(50..);
    add.prepared_call(1, 128, (&a, &tail, &mut sum.gpudata(), 50)).unwrap();
    assert_eq!(sum.to_vec()[..3], [52.0, 53.0, 54.0]);
    let stream = Stream::new().unwrap();
    add.prepared_async_call(1, 128, &stream, (&a, &a, &mut sum, 100)).unwrap();
    assert_eq!(sum.sum().item(), 200.0);
    assert!(add.prepared_timed_call(1, 128, (&a, &a, &mut sum, 100)).unwrap() >= 0.0);
    let wrong = |types: &str| function("add").prepare(types).unwrap_err().to_string();
    assert!(wrong("PPP").starts_with("add: prepare: 3 types for 4 arguments: "));
    assert_eq!(wrong("PPPf"), "add: prepare: `f` for argument 4, which is `int`");
    assert_eq!(wrong("PPPz"), "add: prepare: `z` is no type");
    let error = add.prepared_call(1, 128, (&a, &b, &mut sum)).unwrap_err().to_string();
    assert!(error.starts_with("add: 3 arguments given, but it takes 4: "), "{error}");
    let error = add.prepared_call(1, 128, (&a, 5, &mut sum, 100)).unwrap_err().to_string();
    assert_eq!(error, "add: argument 2 is an array or an address, not a number");
    let whole = arange::<i32>(0..100);
    let error = add.prepared_call(1, 128, (&whole, &b, &mut sum, 100)).unwrap_err().to_string();
    assert_eq!(error, "add: argument 1 is an array of int32, but the kernel takes float32");
    let error = add.prepared_call(1, 2048, (&a, &b, &mut sum, 100)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Launch);
    let view = sum.slice(s![..; 2]);
    let error = add.prepared_call(1, 2, (&a, &b, &view, 2)).unwrap_err().to_string();
    assert!(error.contains("do not lie in order"), "{error}");
}

#[test]
fn structures_and_vectors_go_by_value() {
    kernel_struct! {
        #[derive(Clone, Copy)]
        struct Particle {
            place: [f64; 3],
            mass: f32,
            kind: u8,
        }
    }
    let source = "
        struct Particle { double place[3]; float mass; unsigned char kind; };
        __global__ void weigh(float3 by, Particle p, double *out, float *all) {
            int i = threadIdx.x;
            out[i] = p.place[i] * p.mass + p.kind;
            all[3*i] = by.x; all[3*i + 1] = by.y; all[3*i + 2] = by.z;
        }
        __global__ void wide(int4 v, char2 c, double2 d, double *out) { out[0] = v.w + c.y + d.x; }";
    let module = SourceModule::new(source).unwrap();
    let particle = Particle { place: [1.0, 2.0, 3.0], mass: 0.5, kind: 7 };
    let (mut out, mut all) = (zeros::<f64>(3), zeros::<f32>(9));
    let weigh = module.get_function("weigh").unwrap();
    weigh.launch(1, 3, ([1.0f32, 2.0, 3.0], Struct(particle), &mut out, &mut all)).unwrap();
    assert_eq!(out.to_vec(), [7.5, 8.0, 8.5]);
    assert_eq!(all.to_vec(), [1.0, 2.0, 3.0].repeat(3));
    let wide = module.get_function("wide").unwrap();
    wide.launch(1, 1, ([1, 2, 3, 4], [5i8, 6], [0.25, 9.0], &mut out)).unwrap();
    assert_eq!(out.to_vec()[0], 10.25);
    let wrong = weigh.launch(1, 3, ([1.0f64, 2.0, 3.0], Struct(particle), &mut out, &mut all));
    let message = wrong.unwrap_err().to_string();
    assert_eq!(message, "weigh: argument 1 `by` is `float3`, which takes `[f32; 3]`, not `[f64; 3]`");
    let wrong = weigh.launch(1, 3, ([1.0f32, 2.0, 3.0], Struct([0u8; 16]), &mut out, &mut all));
    let message = wrong.unwrap_err().to_string();
    assert!(message.contains("`Particle` of 32 bytes, but `[u8; 16]` has 16"), "{message}");
    let wrong = weigh.launch(1, 3, ([1.0f32, 2.0, 3.0], Struct(particle), [1.0f64; 2], &mut all));
    assert!(wrong.unwrap_err().to_string().contains("by value"));
}

#[test]
fn a_stream_of_another_context_stays_there() {
    let stream = Stream::new().unwrap();
    let context = Device::new(0).unwrap().make_context().unwrap();
    assert_eq!(Stream::current().unwrap(), Stream::default_stream().unwrap());
    assert_eq!(stream.scope(|| Context::current().unwrap()).unwrap(), stream.context());
    Context::pop().unwrap();
    context.detach();
    raises(
        ErrorKind::Value,
        "Context::push: this context has been detached; make a new one with `Device::new(0)?.make_context()`",
        || {
            if let Err(error) = context.push() {
                error.raise();
            }
        },
    );
    let _ = is_on_host();
}

#[test]
fn a_graph_keeps_kernels_and_textures_that_are_dropped() {
    let mut a = ones::<f32>(64);
    let graph = {
        let source = "__global__ void read(cudaTextureObject_t t, float *a)
            { a[threadIdx.x] += tex2D<float>(t, threadIdx.x % 8, threadIdx.x / 8); }";
        let read = SourceModule::new(source).unwrap().get_function("read").unwrap();
        let image = matrix_to_array(&ndarray::Array2::<f32>::from_elem((8, 8), 2.0), Order::C).unwrap();
        let texture = TextureObject::new(&image, TextureDescriptor::default()).unwrap();
        Graph::capture(|| read.launch(1, 64, (&texture, &mut a))).unwrap()
    };
    // What was freed would be overwritten by these.
    for k in 0..4 {
        drop(SourceModule::new(&format!("__global__ void k{k}(float *a) {{ a[0] = {k}; }}")).unwrap());
        drop(matrix_to_array(&ndarray::Array2::<f32>::from_elem((8, 8), -1.0), Order::C).unwrap());
    }
    graph.launch().unwrap();
    graph.launch().unwrap();
    assert_eq!(a.to_vec(), [5.0; 64]);
}

#[test]
fn a_capture_takes_only_what_is_written_within_it() {
    let a = arange(0.0f32..100.0);
    let before = &a + 1.0;
    let mut sum = zeros::<f32>(100);
    let (to_main, from_thread) = mpsc::channel();
    let (to_thread, from_main) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        let a = &a;
        scope.spawn(move || {
            from_main.recv().unwrap();
            let elsewhere = a * 2.0;
            to_main.send(()).unwrap();
            from_main.recv().unwrap();
            assert_eq!(elsewhere.sum().item(), 9900.0, "another thread's expression");
            to_main.send(()).unwrap();
        });
        let graph = Graph::capture(|| {
            to_thread.send(()).unwrap();
            from_thread.recv().unwrap();
            sum.set(.., a + 10.0);
            Ok(())
        })
        .unwrap();
        to_thread.send(()).unwrap();
        from_thread.recv().unwrap();
        assert_eq!((sum.sum().item(), before.sum().item()), (0.0, 5050.0));
        graph.launch().unwrap();
        assert_eq!(sum.sum().item(), 5950.0);
    });
    // A reader from before, whose array is written within: served at once.
    let mut b = ones::<f32>(100);
    let reader = &b + 1.0;
    let graph = Graph::capture(|| {
        b *= 3.0;
        Ok(())
    })
    .unwrap();
    assert_eq!(reader.sum().item(), 200.0);
    graph.launch().unwrap();
    assert_eq!((reader.sum().item(), b.sum().item()), (200.0, 300.0));
}

#[test]
fn a_capture_refuses_work_of_another_context() {
    let other = Device::new(0).unwrap().make_context().unwrap();
    let mut b = ones::<f32>(10);
    Context::pop().unwrap();
    let raised = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        Graph::capture(|| {
            b *= 2.0;
            Ok(())
        })
        .map(drop)
    }));
    let message = match raised {
        Ok(result) => result.unwrap_err().to_string(),
        Err(payload) => payload.downcast::<Error>().unwrap().to_string(),
    };
    assert!(message.contains("a graph of another context is being captured"), "{message}");
    // Dropped within a capture, it goes back to where it came from.
    let captured = Graph::capture(|| {
        drop(b);
        Ok(())
    });
    drop(captured.unwrap());
    other.detach();
    assert_eq!(ones::<f32>(10).sum().item(), 10.0);
}

#[test]
fn expressions_are_computed_on_the_stream_they_were_written_on() {
    let stream = Stream::with_flags(StreamFlags { non_blocking: true }, 0).unwrap();
    let n = 1 << 22;
    let (a, b) = (ones::<f32>(n), ones::<f32>(n));
    synchronize().unwrap();
    let start = stream.record().unwrap();
    let c = stream.scope(|| &a + &b).unwrap();
    let end = stream.record().unwrap();
    end.synchronize().unwrap();
    assert!(end.time_since(&start).unwrap() > 0.001, "{:?}", end.time_since(&start));
    assert_eq!(c.max().item(), 2.0);
    // One that cannot be computed is told of once, and stops nobody else.
    let other = Device::new(0).unwrap().make_context().unwrap();
    let d = ones::<f32>(n);
    Context::pop().unwrap();
    let mixed = crate::raised(|| drop(&a + &d)).to_string();
    assert!(mixed.contains("objects of two contexts"), "{mixed}");
    stream.record().unwrap();
    timed(|| ()).unwrap();
    drop(d);
    other.detach();
}

#[test]
fn a_variable_is_in_order_without_a_handle() {
    let source = "__device__ int counter; __constant__ int by;
        __global__ void count(long long cycles) {
            long long start = clock64();
            while (clock64() - start < cycles) {}
            counter += by;
        }";
    let module = SourceModule::new(source).unwrap();
    let count = module.get_function("count").unwrap();
    let stream = Stream::with_flags(StreamFlags { non_blocking: true }, 0).unwrap();
    let mut expected = 0;
    for round in 1..20 {
        memcpy_htod(&mut module.get_global("by").unwrap(), &[round]).unwrap();
        count.launch_async(1, 1, &stream, 300_000_i64).unwrap();
        expected += round;
        let mut counter = [0];
        memcpy_dtoh(&mut counter, &module.get_global("counter").unwrap()).unwrap();
        assert_eq!(counter, [expected]);
    }
}

#[test]
fn cooperative_launches_on_two_streams_wait_for_each_other() {
    let source = "#include <cooperative_groups.h>
        __global__ void meet(int *a, int n) {
            auto grid = cooperative_groups::this_grid();
            for (int k = 0; k < n; k++) { a[grid.thread_rank()] += 1; grid.sync(); }
        }";
    let meet = SourceModule::new(source).unwrap().get_function("meet").unwrap();
    let flags = StreamFlags { non_blocking: true };
    let streams = [Stream::with_flags(flags, 0).unwrap(), Stream::with_flags(flags, 0).unwrap()];
    let mut arrays = [zeros::<i32>(256), zeros::<i32>(256)];
    for _ in 0..20 {
        for (stream, array) in streams.iter().zip(&mut arrays) {
            stream.scope(|| meet.launch_cooperative(4, 64, (array, 50))).unwrap().unwrap();
        }
    }
    assert!(arrays.iter().all(|array| array.min().item() == 1000));
}
