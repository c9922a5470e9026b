//! Ranks that meet, and others that want to.

use std::io::{Read as _, Write as _};

use super::talk::{Hello, read_line, received, write_line};
use super::*;
use crate::interrupt::Interrupter;

fn read(variables: &[(&str, &str)]) -> Option<Launched> {
    let variable =
        |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into());
    Launched::read(&variable, 77)
}

#[test]
fn ranks_of_one_machine_are_known() {
    let open = |rank, ranks, local| {
        read(&[
            ("OMPI_COMM_WORLD_RANK", rank),
            ("OMPI_COMM_WORLD_SIZE", ranks),
            ("OMPI_COMM_WORLD_LOCAL_SIZE", local),
            ("PMIX_NAMESPACE", "job"),
        ])
    };
    let (first, second) = (open("0", "2", "2").unwrap(), open("1", "2", "2").unwrap());
    assert_eq!((first.rank, first.ranks, second.rank), (0, 2, 1));
    assert_eq!(first.name, second.name);
    // One rank is a session as always, and so are those of several machines.
    assert_eq!((open("0", "1", "1"), open("0", "4", "2"), open("5", "4", "4")), (None, None, None));
    let hydra = read(&[("PMI_RANK", "1"), ("PMI_SIZE", "3"), ("MPI_LOCALNRANKS", "3")]).unwrap();
    let other = Launched::read(&|name| (name != "PMIX_NAMESPACE").then(|| "3".into()), 78);
    assert_eq!((hydra.rank, hydra.ranks, other), (1, 3, None));
    assert_eq!(
        hydra.name,
        read(&[("PMI_RANK", "2"), ("PMI_SIZE", "3"), ("MPI_LOCALNRANKS", "3")]).unwrap().name
    );
    // A worker of a session.
    assert_eq!(
        read(&[("GPUREPL_RANK", "0"), ("PMI_RANK", "1"), ("PMI_SIZE", "3"), ("MPI_LOCALNRANKS", "3")]),
        None
    );
    assert_eq!(read(&[]), None);
}

/// A job of this test alone.
fn job(rank: usize, name: &str) -> Launched {
    Launched { rank, ranks: 3, name: format!("gpurepl-test-{}-{name}", std::process::id()) }
}

fn stranger(name: &str) -> UnixStream {
    UnixStream::connect_addr(&job(0, name).address().unwrap()).unwrap()
}

fn start() -> Start {
    Start { arguments: vec!["name".into()], environment: vec![("A".into(), None)], folder: None }
}

#[test]
fn ranks_meet_in_any_order_and_others_are_turned_away() {
    let meeting = job(0, "meet").listen().unwrap();
    assert!(job(0, "meet").listen().is_err(), "two sessions of one job");
    std::thread::scope(|scope| {
        let of = |rank: usize| {
            scope.spawn(move || {
                let frames = job(rank, "meet").connect().unwrap();
                let [stdout, stderr] = received(&frames).unwrap().unwrap();
                write!(std::fs::File::from(stdout), "out {rank}").unwrap();
                write!(std::fs::File::from(stderr), "err {rank}").unwrap();
                read_line(&frames, None).unwrap()
            })
        };
        // Garbage, silence, and a rank that there is not.
        write_line(&stranger("meet"), b"GET / HTTP/1.1").unwrap();
        drop(stranger("meet"));
        drop(job(9, "meet").connect());
        let lines = [of(2), of(1)];
        for rank in [1, 2] {
            let joined = meeting.start(rank, &start(), &Interrupter::default()).unwrap();
            assert_eq!(joined.process, std::process::id() as i32);
            for (pipe, name) in [(joined.stdout, "out"), (joined.stderr, "err")] {
                let mut text = String::new();
                std::fs::File::from(pipe).read_to_string(&mut text).unwrap();
                assert_eq!(text, format!("{name} {rank}"));
            }
        }
        for line in lines {
            let told: Start = serde_json::from_slice(&line.join().unwrap()).unwrap();
            assert_eq!((told.arguments, told.environment), (start().arguments, start().environment));
        }
    });
    // All have come, so that the job may begin another session; those of this one do not come twice.
    assert!(job(0, "meet").listen().is_ok());
    let again = meeting.start(1, &start(), &Interrupter::default()).unwrap_err();
    assert!(again.contains("has been a worker and has ended"), "{again}");
}

#[test]
fn ranks_that_are_not_needed_are_told() {
    let meeting = job(0, "needless").listen().unwrap();
    let ranks = [1, 2].map(|rank| job(rank, "needless").connect().unwrap());
    drop(meeting);
    for frames in ranks {
        assert!(received(&frames).unwrap().is_none());
    }
}

#[test]
fn other_programs_and_other_arguments_are_named() {
    let told = |name: &str, hello: &Hello| {
        let meeting = job(0, name).listen().unwrap();
        let stream = stranger(name);
        write_line(&stream, &serde_json::to_vec(hello).unwrap()).unwrap();
        meeting.start(1, &start(), &Interrupter::default()).unwrap_err()
    };
    let older = told("older", &Hello { version: "0.0.1".to_owned(), ..Hello::of(1) });
    assert!(older.contains("rank 1 is another gpurepl (0.0.1) than rank 0"), "{older}");
    let other = told("other", &Hello { arguments: vec!["b.rs".into()], ..Hello::of(1) });
    assert!(other.contains("rank 1 was started with other arguments, `b.rs`"), "{other}");
}

#[test]
fn who_waits_for_a_rank_can_be_interrupted() {
    let meeting = job(0, "wait").listen().unwrap();
    let interrupter = Interrupter::default();
    interrupter.begin();
    interrupter.interrupt();
    let told = meeting.start(1, &start(), &interrupter).unwrap_err();
    assert!(told.contains("interrupted"), "{told}");
}
