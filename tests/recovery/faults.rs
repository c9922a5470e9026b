//! Everything that can go wrong on a device or in a cell, in a session with
//! variables: how the cell ends, and what is lost. On the host device faults
//! cost nothing; a GPU is lost for the process that had the fault, so there
//! they cost the worker, and a replay brings the variables back.

use std::fmt::Write as _;
use std::time::Duration;

use gpurepl_session::Outcome;
use gpurepl_tests::{Conversation, checkout, is_on_host};

/// How a cell may end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Done,
    Failed,
    Interrupted,
    Lost,
}
use End::{Done, Failed, Interrupted, Lost};

/// What goes wrong: its name, a kernel and the call of it, or a cell; and how
/// it ends on the host, and may end on a GPU.
struct Fault {
    name: &'static str,
    kernel: &'static str,
    call: &'static str,
    host: End,
    gpu: &'static [End],
}

const LAUNCH: &str = "f.launch(1, 64, &mut a)?;";

/// A fault within a kernel that a GPU does not survive either.
const fn fatal(name: &'static str, kernel: &'static str) -> Fault {
    Fault { name, kernel, call: LAUNCH, host: Failed, gpu: &[Lost] }
}

/// A mistake that is found before anything happens.
const fn refused(name: &'static str, call: &'static str) -> Fault {
    Fault { name, kernel: "a[threadIdx.x] = 1;", call, host: Failed, gpu: &[Failed] }
}

/// A crash of the cell itself, which is the same on every device.
const fn crash(name: &'static str, call: &'static str) -> Fault {
    Fault { name, kernel: "a[threadIdx.x] = 1;", call, host: Lost, gpu: &[Lost] }
}

const FAULTS: &[Fault] = &[
    fatal("kernel: write out of bounds", "a[1ll << 40] = 1;"),
    fatal("kernel: read out of bounds", "a[0] = a[123456789ll * 1000];"),
    fatal("kernel: null pointer", "int *p = (int *)(long long)(a[0] - a[0]); *p = 1;"),
    Fault {
        name: "kernel: misaligned access",
        kernel: "*(int *)((char *)a + 1) = 1;",
        call: LAUNCH,
        // The processor allows it.
        host: Done,
        gpu: &[Lost],
    },
    fatal("kernel: assertion", "assert(a[0] == 123);"),
    fatal("kernel: trap", "__trap();"),
    Fault {
        name: "kernel: integer division by zero",
        kernel: "a[threadIdx.x] = 5 / (a[0] - a[0]);",
        call: LAUNCH,
        host: Failed,
        // A GPU computes something.
        gpu: &[Done],
    },
    fatal("kernel: stack overflow", "a[threadIdx.x] = deep(1, a);"),
    // So far that on the host no process has the address: pointers there have
    // 47 bits. A GPU may take the lower 32 bits of such an offset alone: they
    // are outside of the window that shared memory has, too.
    fatal(
        "kernel: shared memory out of bounds",
        "__shared__ int s[32]; s[threadIdx.x + (1ll << 45) + (1 << 24)] = a[0]; __syncthreads(); a[0] = s[0];",
    ),
    Fault {
        name: "kernel: threads that wait for each other",
        kernel: "if (threadIdx.x < 16) __syncwarp(); else __syncthreads(); a[0] = 1;",
        call: LAUNCH,
        host: Failed,
        // What a GPU does with it is not said anywhere.
        gpu: &[Done, Interrupted, Lost],
    },
    Fault {
        name: "kernel: loop without an end, interrupted",
        kernel: "volatile int n = 1; while (n) a[0] += n;",
        call: LAUNCH,
        host: Interrupted,
        gpu: &[Lost],
    },
    fatal("elementwise kernel: out of bounds", ""),
    refused("launch: too many threads", "f.launch(1, 2048, &mut a)?;"),
    refused("launch: wrong arguments", "f.launch(1, 64, 1.5)?;"),
    refused("launch: too much shared memory", "f.launch_shared(1, 64, 1 << 30, &mut a)?;"),
    refused("kernel that does not compile", "SourceModule::new(\"__global__ void g() { nonsense }\")?;"),
    refused("kernel that is not there", "module.get_function(\"g\")?;"),
    refused("out of device memory", "zeros::<f64>(1_usize << 46)"),
    refused("array: shapes that do not fit", "&a + &zeros::<i32>(7)"),
    refused("array: index out of range", "a.slice(1000)"),
    refused("cell: panic", "let v = vec![1]; let k = v.len(); v[k]"),
    refused("cell: error from `?`", "\"x\".parse::<i32>()?;"),
    refused("cell: integer division by zero", "let zero = number - number; number / zero"),
    crash("cell: segmentation fault", "unsafe { std::ptr::null_mut::<i32>().write_volatile(1) }"),
    crash("cell: abort", "std::process::abort()"),
    crash(
        "cell: panic while panicking",
        "struct Bad; impl Drop for Bad { fn drop(&mut self) { panic!() } } let bad = Bad; panic!()",
    ),
    crash(
        "cell: stack overflow",
        "fn deep(n: u64) -> u64 { if n == u64::MAX { 0 } else { std::hint::black_box(deep(n + 1)) + 1 } }\ndeep(0)",
    ),
    crash("cell: `std::process::exit`", "std::process::exit(3)"),
    crash("worker killed, as when memory runs out", super::KILL_ME),
];

/// The end of a fault's cell, and the variables that are lost.
fn try_out(fault: &Fault) -> (End, Vec<String>) {
    let mut cells = Conversation::start();
    cells.ok("let before = to_gpu(&[1.0_f32, 2.0, 3.0]); let number = 5; let text = String::from(\"kept\");");
    cells.ok("let mut a = ones::<i32>(64); let doubled = &before * 2.0;");
    if fault.kernel.is_empty() {
        cells.ok("let f = ElementwiseKernel::new(\"int *a\", \"a[i + (1ll << 40)] = 1\", \"far\")?;");
    } else {
        let source = format!(
            "#include <assert.h>\n__device__ int deep(int n, volatile int *a) {{ return n == -1 ? 0 : deep(n + 1, a) + a[n & 7]; }}\n\
             __global__ void f(int *a)\n{{\n{}\n}}\n",
            fault.kernel
        );
        cells.ok(&format!(
            "let module = SourceModule::new({source:?})?; let f = module.get_function(\"f\")?;"
        ));
    }
    let interrupter = cells.interrupter();
    let (finished, is_finished) = std::sync::mpsc::channel::<()>();
    // Where the fault is to be found, it is, however busy the machine is.
    let is_patient = is_on_host() && !matches!(fault.host, Interrupted);
    let user = std::thread::spawn(move || {
        // A user with patience, who insists.
        let times = [Duration::from_secs(if is_patient { 600 } else { 8 }), Duration::from_secs(2)];
        for time in times {
            if is_finished.recv_timeout(time) != Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
                return;
            }
            interrupter.interrupt();
        }
    });
    let call = if fault.kernel.is_empty() { "f.call(&mut a)?;" } else { fault.call };
    let outcome = cells.run(call);
    drop(finished);
    user.join().unwrap();
    let said = format!("{}\n{}", cells.rendered(), cells.noted());
    let (end, restored) = match &outcome {
        Outcome::Done(_) => (Done, None),
        Outcome::Failed(_) => (Failed, None),
        Outcome::Interrupted => (Interrupted, None),
        Outcome::Lost(loss) => (Lost, Some(loss.restored.clone())),
    };
    // What is there is what was there.
    let names: Vec<String> = cells.session().variables().into_iter().map(|variable| variable.name).collect();
    let expected = ["a", "before", "doubled", "f", "module", "number", "text"];
    let expected = expected.iter().filter(|name| **name != "module" || !fault.kernel.is_empty());
    let lost: Vec<String> = expected
        .filter(|name| !names.contains(&(**name).to_owned()))
        .map(|name| (*name).to_owned())
        .collect();
    if let Some(restored) = restored {
        assert_eq!(
            restored.len() + lost.len(),
            if fault.kernel.is_empty() { 6 } else { 7 },
            "{}: {said}",
            fault.name
        );
    }
    if lost.is_empty() {
        cells.shows(
            "(before.to_vec(), doubled.to_vec(), number, text.as_str())",
            "([1.0, 2.0, 3.0], [2.0, 4.0, 6.0], 5, \"kept\")",
        );
    }
    cells.shows("(ones::<f32>(3) * 2).sum().item()", "6.0");
    (end, lost)
}

#[test]
fn every_fault_is_survived_and_nothing_is_lost() {
    let mut table = String::from("| fault | the cell | lost |\n|---|---|---|\n");
    let mut wrong = Vec::new();
    for fault in FAULTS {
        let (end, lost) = try_out(fault);
        let row = format!(
            "| {} | {} | {} |",
            fault.name,
            words(end),
            if lost.is_empty() { "nothing".to_owned() } else { lost.join(", ") }
        );
        let expected = if is_on_host() { &[fault.host][..] } else { fault.gpu };
        if !expected.contains(&end) || !lost.is_empty() {
            wrong.push(format!("{row} expected {expected:?}"));
        }
        let _ = writeln!(table, "{row}");
    }
    println!("{table}");
    if let Some(path) = std::env::var_os("GPUREPL_FAULT_TABLE") {
        std::fs::write(path, &table).unwrap();
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    if is_on_host()
        && let Ok(page) = std::fs::read_to_string(checkout().join("docs/recovery.md"))
    {
        for row in table.lines().skip(2) {
            let is_told = page.lines().any(|line| line.starts_with(row));
            assert!(is_told, "docs/recovery.md does not say: {row}");
        }
    }
}

fn words(end: End) -> &'static str {
    match end {
        Done => "runs to its end",
        Failed => "fails with an error",
        Interrupted => "is stopped by the first interrupt",
        Lost => "ends the worker; all is replayed",
    }
}
