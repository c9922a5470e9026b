//! Connections: what goes through, and what does not.

use std::net::{TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;

use super::handshake::{Token, answer, ask};
use super::link::{Kind, Link};
use super::{Hello, machine};

/// Two ends of a connection over TCP, by these tokens.
fn pair(session: &Token, worker: &Token) -> (std::io::Result<Link>, std::io::Result<Link>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let worker = worker.clone();
    let asking = std::thread::spawn(move || ask(TcpStream::connect(address).unwrap(), &worker));
    let answered = answer(listener.accept().unwrap().0, session);
    (answered, asking.join().unwrap())
}

#[test]
fn messages_of_any_length_go_through_enciphered_or_not() {
    let token = Token::new().unwrap();
    let (session, worker) = pair(&token, &token);
    let (ours, theirs) = UnixStream::pair().unwrap();
    let over = |stream: UnixStream| {
        let stream = OwnedFd::from(stream);
        Link::new(stream.try_clone().unwrap(), stream, None)
    };
    for (mut one, other) in [(session.unwrap(), worker.unwrap()), (over(ours), over(theirs))] {
        let lengths = [0, 1, 1000, 65_514, 65_515, 65_519, 65_520, 200_000, 3_000_000];
        let sending = std::thread::spawn(move || {
            for length in lengths {
                let bytes: Vec<u8> = (0..length).map(|at| (at * 7) as u8).collect();
                other.writer.send(Kind::Stdout, &bytes).unwrap();
            }
            other
        });
        for length in lengths {
            let (kind, bytes) = one.reader.receive().unwrap().unwrap();
            assert_eq!((kind, bytes.len()), (Kind::Stdout, length));
            assert!(bytes.iter().enumerate().all(|(at, byte)| *byte == (at * 7) as u8));
        }
        let mut other = sending.join().unwrap();
        one.writer.send_json(Kind::Wanted, &[1, 2]).unwrap();
        assert_eq!(other.reader.receive_json::<Vec<usize>>(Kind::Wanted).unwrap(), [1, 2]);
        one.writer.send(Kind::Refused, b"why not").unwrap();
        assert_eq!(other.reader.receive_json::<u8>(Kind::Wanted).unwrap_err().to_string(), "why not");
        drop(one);
        assert!(other.reader.receive().unwrap().is_none());
    }
}

#[test]
fn another_token_opens_nothing() {
    let [session, worker] = [(); 2].map(|()| Token::new().unwrap());
    let (session, worker) = pair(&session, &worker);
    assert_eq!(session.unwrap_err().to_string(), "it has another token");
    assert!(worker.unwrap_err().to_string().ends_with("its token is another one"));
}

#[test]
fn a_token_is_read_as_it_is_written() {
    let token = Token::new().unwrap();
    assert_eq!(Token::read(&token.text()), Some(token.clone()));
    assert_eq!(format!("{token:?}"), "Token(..)");
    assert_ne!(Token::new().unwrap(), token);
    for wrong in ["", "0", &"g".repeat(64), &"é".repeat(32), &"0".repeat(65)] {
        assert_eq!(Token::read(wrong), None, "{wrong}");
    }
}

/// A record that was changed on its way ends the connection.
#[test]
fn what_was_changed_on_its_way_is_not_read() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let token = Token::new().unwrap();
    let asking = {
        let token = token.clone();
        std::thread::spawn(move || ask(TcpStream::connect(address).unwrap(), &token))
    };
    let stream = listener.accept().unwrap().0;
    let mut raw = stream.try_clone().unwrap();
    let _session = answer(stream, &token).unwrap();
    let mut worker = asking.join().unwrap().unwrap();
    std::io::Write::write_all(&mut raw, &[&[0, 30][..], &[9; 30]].concat()).unwrap();
    assert!(worker.reader.receive().unwrap_err().to_string().contains("speaks another language"));
}

#[test]
fn another_program_is_refused_by_name() {
    let own = Hello::own();
    assert_eq!(own.unlike(&own), None);
    let other = Hello { host: "node7".to_owned(), ..own.clone() };
    let problem = Hello { version: "9.9.9".to_owned(), ..other.clone() }.unlike(&own).unwrap();
    assert!(problem.starts_with("node7 has gpurepl 9.9.9, here it is "), "{problem}");
    let problem = Hello { sources: "x".to_owned(), ..other.clone() }.unlike(&own).unwrap();
    assert!(problem.starts_with("node7 has another build of gpurepl "), "{problem}");
    let problem = Hello { architecture: "z80".to_owned(), ..other }.unlike(&own).unwrap();
    assert!(problem.starts_with("node7 is a machine of another kind (z80)"), "{problem}");
}

#[test]
fn ranks_are_what_their_starter_says() {
    let rank = |variables: &[(&str, &str)]| {
        machine::rank(&|name| {
            variables.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
        })
    };
    assert_eq!(rank(&[]), (None, false));
    assert_eq!(rank(&[("SLURM_PROCID", "2"), ("SLURM_NTASKS", "4")]), (Some((2, 4)), false));
    let mpi = [("OMPI_COMM_WORLD_RANK", "1"), ("OMPI_COMM_WORLD_SIZE", "2"), ("SLURM_PROCID", "0")];
    assert_eq!(rank(&mpi), (Some((1, 2)), true));
    let pmix = [("PMIX_RANK", "1"), ("SLURM_PROCID", "1"), ("SLURM_NTASKS", "2")];
    assert_eq!(rank(&pmix), (Some((1, 2)), true));
    assert_eq!(rank(&[("PMI_RANK", "4"), ("PMI_SIZE", "4")]), (None, false));
}
