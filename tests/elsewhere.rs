//! Workers that something else starts: over TCP on this machine, and over what stands in for ssh.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use gpurepl_session::{Launch, Options, Outcome};
use gpurepl_tests::{Conversation, gpurepl};

/// Starts what follows `-n 3` three times, with what `srun` has in its processes' environments, and waits.
const SRUN: &str = r#"
shift; count=$1; shift
rank=0
while [ $rank -lt $count ]; do
  SLURM_PROCID=$rank SLURM_NTASKS=$count "$@" &
  rank=$((rank + 1))
done
wait
"#;

/// The same, with every second one on what it takes for another machine.
const TWO_MACHINES: &str = r#"
shift; count=$1; shift
rank=0
while [ $rank -lt $count ]; do
  GPUREPL_MACHINE=$((rank % 2)) SLURM_PROCID=$rank SLURM_NTASKS=$count "$@" &
  rank=$((rank + 1))
done
wait
"#;

/// Runs the last of its words, as ssh has a shell do at the other end.
const SSH: &str = r#"
echo "Welcome to this machine"
for last; do :; done
unset GPUREPL_RANK SLURM_PROCID
cd / && exec sh -c "$last"
"#;

/// A folder with programs of these names.
fn programs(scripts: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in scripts {
        let path = folder.path().join(name);
        std::fs::write(&path, format!("#!/bin/sh{text}")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    folder
}

fn session(folder: &Path, launch: &str) -> Conversation {
    let launch = format!("{}/{launch}", folder.display());
    let launch = Launch::read(Some(&launch), None, None).unwrap();
    Conversation::with_options(Options { launch, ..Options::default() })
}

/// A process that is ended when this is dropped.
struct Ending(Child);

impl Drop for Ending {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn workers_of_srun_are_those_of_the_session() {
    let folder = programs(&[("srun", SRUN)]);
    let mut cells = session(folder.path(), "srun -n 3");
    cells.shows("(rank(), ranks())", "[0] (0, 3)\n[1] (1, 3)\n[2] (2, 3)");
    cells.ok("let a = arange(0..3) + rank() as i32; let mut n = rank();");
    cells.shows("distributed::all_reduce(&a, distributed::Reduce::Sum)?.to_vec()", "[3, 6, 9]");
    // A failure within a crate is on the user's line.
    cells.fails("let three = 3;\n\nlet text = \"xy\".repeat(usize::MAX);");
    let told = cells.rendered();
    assert!(told.contains(":3:17\n") && told.contains("capacity overflow"), "{told}");
    // Libraries and their plugins come as bytes.
    cells.shows("linalg::det(&(2.0 * eye::<f64>(3)))?.item()", "8.0");
    cells.reply(&["three"]);
    cells.ok("let line = input(\"how many? \");");
    cells.shows("line", "\"three\"");
    cells.ok(":workers");
    let table = cells.displays()[0].get("text/plain").unwrap();
    assert!(table.lines().next().unwrap().ends_with("machine"), "{table}");
    assert!(cells.fails(":workers 4").message.contains("the 3 workers are started by `--launch`"));
    cells.ok(":reset");
    cells.shows("ranks()", "3");
}

#[test]
fn arrays_go_between_machines() {
    let folder = programs(&[("srun", TWO_MACHINES)]);
    let mut cells = session(folder.path(), "srun -n 4");
    cells.ok("use distributed::{DistArray, Reduce};");
    cells.shows("distributed::all_gather(&(rank() as i64))?.to_vec()", "[0, 1, 2, 3]");
    // More than goes at once, in all directions.
    cells.ok("let a = arange(0..1_000_000).astype::<f64>() + rank() as f64;");
    cells.shows(
        "distributed::all_reduce(&a, Reduce::Sum)?.to_vec()[999_998..].to_vec()",
        "[3999998.0, 4000002.0]",
    );
    cells.ok("let mine = distributed::all_to_all(&a)?.sum().item();");
    cells.shows("distributed::all_reduce(&mine, Reduce::Sum)?", "2000004000000.0");
    cells.ok("let part = distributed::scatter(if rank() == 1 { Some(&a) } else { None }, 1)?;");
    cells
        .shows("distributed::gather(&part, 3)?.is_none_or(|all| all.sum().item() == 500000500000.0)", "true");
    cells.ok("if rank() == 0 { distributed::send(&a, 3)?; }\n\
         let got = if rank() == 3 { distributed::recv::<f64>(0)?.sum().item() } else { 0.0 };");
    cells.shows("%%rank 3\ngot", "499999500000.0");
    cells.ok("let sorted = DistArray::<f64>::rand(1 << 16)?.sort()?;");
    cells.shows(
        "sorted.gather(0)?.is_none_or(|all| all.len() == 1 << 16 && all.to_vec().is_sorted())",
        "true",
    );
    // What cannot be is told as on one machine.
    let failure = cells.fails("if rank() != 2 { distributed::barrier()?; }");
    assert!(failure.message.contains("rank 2 has ended this cell without it"), "{failure:?}");
    let failure = cells.fails("distributed::send(&a, (rank() + 1) % 4)?;");
    assert!(failure.message.contains("the ranks wait for each other without end"), "{failure:?}");
    let failure = cells.fails("if rank() == 1 { panic!(\"no luck\") } distributed::barrier()?;");
    assert!(failure.message.contains("no luck"), "{failure:?}");
    let (outcome, _) = cells.interrupted(
        "if rank() == 3 { println!(\"begins\"); loop { ones::<f32>(10).sum().item(); } } distributed::barrier()?;",
        &[Duration::from_millis(20)],
    );
    assert!(matches!(outcome, Outcome::Interrupted), "{outcome:?}");
    let outcome = cells.run("if rank() == 1 { std::process::abort() }\ndistributed::barrier()?;");
    assert!(matches!(outcome, Outcome::Lost(_)), "{outcome:?}");
    cells.shows("distributed::all_reduce(&part.sum().item(), Reduce::Sum)?", "500000500000.0");
}

#[test]
fn what_happens_to_one_elsewhere_costs_what_it_costs_here() {
    let folder = programs(&[("srun", SRUN)]);
    let mut cells = session(folder.path(), "srun -n 2");
    cells.ok("let mut n = rank(); n += 10;");
    // An interrupt that is heard.
    let (outcome, _) = cells.interrupted(
        "println!(\"begins\"); loop { ones::<f32>(10).sum().item(); }",
        &[Duration::from_millis(20)],
    );
    assert!(matches!(outcome, Outcome::Interrupted), "{outcome:?}");
    cells.shows("n", "[0] 10\n[1] 11");
    // One that is not.
    let outcome = cells.interrupted_again("println!(\"begins\"); loop { std::hint::spin_loop() }");
    assert!(!outcome.is_done(), "{outcome:?}");
    cells.shows("n", "[0] 10\n[1] 11");
    // By itself, while the other one waits for it.
    let outcome = cells.run("if rank() == 1 { std::process::abort() }\ndistributed::barrier()?;");
    assert!(matches!(outcome, Outcome::Lost(_)), "{outcome:?}");
    assert!(cells.rendered().contains("rank 1: signal 6 (SIGABRT)"), "{}", cells.rendered());
    cells.shows("n", "[0] 10\n[1] 11");
    // The connection goes, with what has the worker at its other end.
    let cut = "println!(\"begins\"); if rank() == 0 {\n\
               \x20   let parent = std::os::unix::process::parent_id().to_string();\n\
               \x20   std::process::Command::new(\"kill\").args([\"-9\", &parent]).status()?;\n\
               }\nloop { std::thread::sleep(std::time::Duration::from_secs(1)); }";
    let outcome = cells.run(cut);
    assert!(matches!(outcome, Outcome::Lost(_)), "{outcome:?}");
    assert!(cells.rendered().contains("the connection to "), "{}", cells.rendered());
    cells.shows("n", "[0] 10\n[1] 11");
    // A panic on one.
    let failure = cells.fails("if rank() == 1 { panic!(\"no luck\") }");
    assert!(failure.message.contains("no luck"), "{failure:?}");
    let outcome = cells.run("std::process::exit(3)");
    let Outcome::Lost(loss) = &outcome else { panic!("{outcome:?}") };
    assert_eq!(loss.status, Some(3));
}

/// Neither an interrupt nor its repetition waits for a place that takes nothing more, and a session that has nothing to
/// replay has workers again.
#[test]
fn a_place_that_hangs_is_given_up() {
    let folder = programs(&[("srun", SRUN)]);
    let mut cells = session(folder.path(), "srun -n 1");
    let hang = "println!(\"begins\");\n\
                let parent = std::os::unix::process::parent_id().to_string();\n\
                std::process::Command::new(\"kill\").args([\"-STOP\", &parent]).status()?;\n\
                loop { std::thread::sleep(std::time::Duration::from_secs(1)); }";
    let times = [Duration::from_millis(500), Duration::from_millis(1500)];
    let (outcome, _) = cells.interrupted(hang, &times);
    assert!(!outcome.is_done(), "{outcome:?}");
    cells.shows("1 + 1", "2");
}

#[test]
fn over_ssh_nothing_listens() {
    let folder = programs(&[("ssh", SSH)]);
    let mut cells = session(folder.path(), "ssh -p 22 one two*2");
    cells.shows("(rank(), ranks())", "[0] (0, 3)\n[1] (1, 3)\n[2] (2, 3)");
    cells.ok("let x = 0..20_000; for i in x { println!(\"{i}\") }");
    assert_eq!(String::from_utf8_lossy(cells.stdout()).lines().count(), 20_000);
    cells.shows("distributed::broadcast(&(10 * rank() as i64 + 5), 2)?", "25");
    // One worker is a session of one worker, elsewhere.
    let mut cells = session(folder.path(), "ssh one");
    cells.shows("(rank(), ranks())", "(0, 1)");
    cells.ok("let a = arange(0..3);");
    let outcome = cells.run("std::process::abort()");
    assert!(matches!(outcome, Outcome::Lost(_)), "{outcome:?}");
    cells.shows("a.to_vec()", "[0, 1, 2]");
}

#[test]
fn what_cannot_start_workers_is_said_with_its_own_words() {
    let folder = programs(&[("srun", "\necho no such partition >&2\nexit 1\n"), ("lazy", "\nexit 0\n")]);
    let run = |launch: &str, rest: &[&str]| {
        let launch = format!("{}/{launch}", folder.path().display());
        let arguments: Vec<&str> = ["--launch", &launch, "-e", "1"].iter().chain(rest).copied().collect();
        let output = gpurepl(&arguments).output().unwrap();
        assert!(!output.status.success(), "{output:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let said = run("srun -n 2", &[]);
    assert!(
        said.contains("0 of 2 workers have come; it says:") && said.contains("no such partition"),
        "{said}"
    );
    assert!(run("lazy", &["--workers", "2"]).contains("is to start 2 times what is added to it"));
    assert!(run("lazy", &[]).contains("say `--workers 4`"));
    assert!(run("no-such-program -n 2", &[]).contains("could not be started"));
    // An option of theirs is not one of Open MPI's.
    let folder = programs(&[("srun", &format!("\n[ \"$1 $2\" = \"-x bad\" ] || exit 1\nshift 2{SRUN}"))]);
    session(folder.path(), "srun -x bad -n 2").shows("ranks()", "2");
}

/// A session that waits for the user to start its workers: how it says so, its token and its address.
fn waiting(workers: &str, text: &str) -> (Ending, String, String) {
    let mut command = gpurepl(&["--listen", "127.0.0.1", "--workers", workers, "-e", text]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut session = Ending(command.spawn().unwrap());
    let mut lines = BufReader::new(session.0.stderr.take().unwrap()).lines();
    let line = lines.by_ref().map_while(Result::ok).find(|line| line.contains("GPUREPL_TOKEN=")).unwrap();
    // It may say more.
    std::thread::spawn(move || lines.for_each(drop));
    let (_, rest) = line.split_once("GPUREPL_TOKEN=").unwrap();
    let (token, address) = rest.split_once(" gpurepl join ").unwrap();
    (session, token.to_owned(), address.trim().to_owned())
}

fn join(token: &str, address: &str) -> Command {
    let mut command = gpurepl(&["join", address]);
    command.env("GPUREPL_TOKEN", token).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Scans of ports, garbage, peers that say nothing, and those with another token.
#[test]
fn strangers_do_no_harm() {
    let (mut session, token, address) = waiting("2", "distributed::all_gather(&(rank() as i64))?.to_vec()");
    let mut silent = Vec::new();
    for length in [0, 10, 48, 5000] {
        let mut stream = TcpStream::connect(&address).unwrap();
        let _ = stream.write_all(&vec![7; length]);
        silent.push(stream);
    }
    silent.extend((0..40).map(|_| TcpStream::connect(&address).unwrap()));
    let other = join(&"0".repeat(64), &address).output().unwrap();
    let said = String::from_utf8_lossy(&other.stderr).into_owned();
    assert!(!other.status.success() && said.contains("its token is another one"), "{said}");
    let none = gpurepl(&["join", &address]).env_remove("GPUREPL_TOKEN").output().unwrap();
    let said = String::from_utf8_lossy(&none.stderr).into_owned();
    assert!(!none.status.success() && said.contains("GPUREPL_TOKEN is not set"), "{said}");
    // A stranger learns nothing: what has proved nothing is told nothing.
    silent[2].set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    assert_eq!(silent[2].read(&mut [0; 100]).unwrap(), 0);
    let workers = [(); 2].map(|()| Ending(join(&token, &address).spawn().unwrap()));
    let mut told = String::new();
    session.0.stdout.take().unwrap().read_to_string(&mut told).unwrap();
    assert_eq!(told, "[0, 1]\n");
    assert!(session.0.wait().unwrap().success());
    for mut worker in workers {
        assert!(worker.0.wait().unwrap().success());
    }
}

/// The token is for one job, and nobody listens once all have come.
#[test]
fn who_comes_late_finds_nobody() {
    let (mut session, token, address) = waiting("1", "println!(\"runs\"); std::io::stdin().lines().count()");
    let worker = Ending(join(&token, &address).spawn().unwrap());
    let mut stdout = BufReader::new(session.0.stdout.take().unwrap());
    let mut line = String::new();
    stdout.read_line(&mut line).unwrap();
    assert_eq!(line, "runs\n");
    let late = join(&token, &address).output().unwrap();
    let said = String::from_utf8_lossy(&late.stderr).into_owned();
    assert!(!late.status.success() && said.contains("cannot be reached"), "{said}");
    // Its input is the session's.
    session.0.stdin.take().unwrap().write_all(b"a\nb\n").unwrap();
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "2\n");
    drop(worker);
}

/// Cells may be large, and what they print may be more than anybody reads at once.
#[test]
fn much_goes_through_in_both_directions() {
    let folder = programs(&[("srun", SRUN)]);
    let mut cells = session(folder.path(), "srun -n 1");
    let mut text = String::from("let table = [");
    for number in 0..30_000 {
        let _ = write!(text, "{number}_u64,");
    }
    text += "];";
    cells.ok(&text);
    cells.shows("table.iter().sum::<u64>()", "449985000");
    cells.ok("print!(\"{}\", \"x\".repeat(5_000_000));");
    assert_eq!(cells.stdout().len(), 5_000_000);
    cells.ok("std::thread::spawn(|| for _ in 0..1000 { println!(\"{}\", \"y\".repeat(1000)) });");
    cells.shows("1 + 1", "2");
}
