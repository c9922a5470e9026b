//! What starts places: `--launch`, as its user writes it.

use std::net::IpAddr;

use crate::ranks::{MOST_WORKERS, number_of_workers};

/// How workers are started elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    pub(super) starter: Starter,
    pub(super) count: usize,
    /// Where the session listens, if it does.
    pub(super) address: Address,
}

/// Who starts places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Starter {
    /// A command that starts all of them, to which theirs is added.
    Command(Vec<String>),
    /// `ssh`, once for each place: its options, and where to.
    Ssh { options: Vec<String>, hosts: Vec<String> },
    /// The user.
    Nobody,
}

/// Where a session listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Address {
    pub(super) host: String,
    /// Zero for any.
    pub(super) port: u16,
}

/// Options of ssh that the next word belongs to.
const SSH_WITH_VALUE: &str = "BbcDEeFIiJLlmOoPpQRSWw";

impl Launch {
    /// Reads `--launch`, `--workers` and `--listen`; none if none of them means workers elsewhere.
    ///
    /// ```
    /// use gpurepl_session::Launch;
    /// let launch = |text| Launch::read(Some(text), None, None);
    /// assert_eq!(launch("srun -n 16")?.unwrap().count(), 16);
    /// assert_eq!(launch("ssh node1 node2*3")?.unwrap().count(), 4);
    /// assert!(launch("sh -c").is_err());
    /// # Ok::<(), String>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If a text is not what it should be, or it is not known how many workers there are to be.
    pub fn read(
        launch: Option<&str>,
        workers: Option<usize>,
        listen: Option<&str>,
    ) -> Result<Option<Launch>, String> {
        if launch.is_none() && listen.is_none() {
            return Ok(None);
        }
        let address = listen.map(Address::read).transpose()?;
        let words = match launch {
            Some(text) => {
                shlex::split(text).ok_or_else(|| format!("`--launch`: a quote is open in `{text}`"))?
            }
            None => Vec::new(),
        };
        let (starter, known) = match words.split_first() {
            None if launch.is_some() => {
                return Err("`--launch` is empty: it names what starts workers, `srun -n 4`".to_owned());
            }
            None => (Starter::Nobody, None),
            Some((first, rest)) if first == "ssh" || first.ends_with("/ssh") => {
                if listen.is_some() {
                    return Err(
                        "`--listen` is of no use with ssh, over which all goes; leave it out".to_owned()
                    );
                }
                let starter = ssh(first, rest)?;
                let count = match &starter {
                    Starter::Ssh { hosts, .. } => hosts.len(),
                    _ => 0,
                };
                (starter, Some(count))
            }
            Some(_) => (Starter::Command(words.clone()), count(&words, &|name| std::env::var(name).ok())),
        };
        let count = match (known, workers) {
            (Some(known), Some(workers)) if known != workers && matches!(starter, Starter::Ssh { .. }) => {
                return Err(format!(
                    "`--launch` starts {known} workers, and `--workers` says {workers}; leave one out"
                ));
            }
            // Of a command it is a guess.
            (_, Some(count)) | (Some(count), None) => number_of_workers(&count.to_string())?,
            (None, None) => {
                return Err(
                    "how many workers start elsewhere is not known\n  = help: say `--workers 4`".to_owned()
                );
            }
        };
        let address = address.unwrap_or(Address { host: "127.0.0.1".to_owned(), port: 0 });
        Ok(Some(Launch { starter, count, address }))
    }

    /// How many workers there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// As its user knows it.
    pub(crate) fn name(&self) -> String {
        match &self.starter {
            Starter::Command(words) => words.first().cloned().unwrap_or_default(),
            Starter::Ssh { .. } => "ssh".to_owned(),
            Starter::Nobody => "the user".to_owned(),
        }
    }
}

impl Address {
    /// Reads `10.0.0.5`, `node1:4711`, `[::1]:4711`.
    fn read(text: &str) -> Result<Address, String> {
        let text = text.trim();
        let wrong =
            || format!("`--listen {text}` is no address: write `10.0.0.5`, `node1` or `10.0.0.5:4711`");
        if text.parse::<IpAddr>().is_ok() {
            return Ok(Address { host: text.to_owned(), port: 0 });
        }
        let (host, port) = match text.rsplit_once(':') {
            Some((host, port)) => (host, port.parse().map_err(|_| wrong())?),
            None => (text, 0),
        };
        let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        let is_name = |character: char| character.is_ascii_alphanumeric() || "-._:%".contains(character);
        if host.is_empty() || !host.chars().all(is_name) {
            return Err(wrong());
        }
        Ok(Address { host: host.to_owned(), port })
    }

    /// As one says it, with a port.
    pub(super) fn with_port(&self, port: u16) -> String {
        if self.host.contains(':') {
            format!("[{}]:{port}", self.host)
        } else {
            format!("{}:{port}", self.host)
        }
    }
}

/// `ssh -p 2222 node1 node2*3`: three places on node2.
fn ssh(program: &str, rest: &[String]) -> Result<Starter, String> {
    let (mut options, mut hosts) = (vec![program.to_owned()], Vec::new());
    let mut rest = rest.iter();
    while let Some(word) = rest.next() {
        if word.starts_with('-') && word.len() > 1 {
            options.push(word.clone());
            if word.chars().last().is_some_and(|last| SSH_WITH_VALUE.contains(last)) && word.len() == 2 {
                options.extend(rest.next().cloned());
            }
            continue;
        }
        let (host, count) = match word.rsplit_once('*') {
            Some((host, count)) => (host, number_of_workers(count)?),
            None => (word.as_str(), 1),
        };
        hosts.extend(std::iter::repeat_n(host.to_owned(), count));
    }
    if hosts.is_empty() || hosts.iter().any(String::is_empty) {
        return Err(
            "`--launch ssh` names no machine; write `ssh node1 node2`, or `ssh node1*4` for four workers"
                .to_owned(),
        );
    }
    if hosts.len() > MOST_WORKERS {
        return Err(format!("a session has 1 to {MOST_WORKERS} workers, not {}", hosts.len()));
    }
    Ok(Starter::Ssh { options, hosts })
}

/// How many processes a command starts, by the options that `srun` and `mpiexec` have in common, or by the allocation
/// of Slurm that it runs in.
fn count(words: &[String], variable: &dyn Fn(&str) -> Option<String>) -> Option<usize> {
    const NAMES: [&str; 4] = ["-n", "-np", "--np", "--ntasks"];
    let mut words_left = words.iter().skip(1);
    while let Some(word) = words_left.next() {
        if NAMES.contains(&word.as_str()) {
            return words_left.next()?.parse().ok();
        }
        let value = word.strip_prefix("--ntasks=").or_else(|| word.strip_prefix("--np="));
        let value = value.or_else(|| {
            word.strip_prefix("-n").filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        });
        if let Some(value) = value {
            return value.parse().ok();
        }
    }
    let is_srun = words.first().is_some_and(|first| first == "srun" || first.ends_with("/srun"));
    is_srun.then(|| variable("SLURM_NTASKS")?.trim().parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, workers: Option<usize>) -> Result<Launch, String> {
        Launch::read(Some(text), workers, None).map(Option::unwrap)
    }

    #[test]
    fn the_number_of_workers_is_found_in_the_command() {
        for (text, expected) in [
            ("srun -n 16", 16),
            ("srun -n16 --gpus-per-task=1", 16),
            ("srun --ntasks=3 -p short", 3),
            ("srun --ntasks 3", 3),
            ("mpiexec -n 8 -hostfile 'my hosts'", 8),
            ("mpirun -np 2", 2),
            ("/opt/ssh -p 2222 -i key -v a b*2", 3),
        ] {
            assert_eq!(read(text, None).unwrap().count(), expected, "{text}");
        }
        assert_eq!(read("my-launcher --fast", Some(5)).unwrap().count(), 5);
        assert!(read("my-launcher --fast", None).unwrap_err().contains("say `--workers 4`"));
        assert!(read("ssh a*4", Some(5)).unwrap_err().contains("starts 4 workers, and `--workers` says 5"));
        assert_eq!(read("srun nice -n 10", Some(5)).unwrap().count(), 5);
        assert!(
            read("srun -n 0", None).is_err() && read("srun -n 'x", None).is_err() && read(" ", None).is_err()
        );
        let inside = |name: &str| (name == "SLURM_NTASKS").then(|| "6".to_owned());
        assert_eq!(count(&["srun".to_owned()], &inside), Some(6));
        assert_eq!(count(&["other".to_owned()], &inside), None);
    }

    #[test]
    fn ssh_has_options_and_machines() {
        let launch = read("ssh -p 2222 -oBatchMode=yes user@a b*2", None).unwrap();
        let (options, hosts) = match launch.starter {
            Starter::Ssh { options, hosts } => (options, hosts),
            other => panic!("{other:?}"),
        };
        assert_eq!(options, ["ssh", "-p", "2222", "-oBatchMode=yes"]);
        assert_eq!(hosts, ["user@a", "b", "b"]);
        for wrong in ["ssh", "ssh -v", "ssh *3", "ssh a*0", "ssh a*x"] {
            assert!(read(wrong, None).is_err(), "{wrong}");
        }
    }

    #[test]
    fn addresses_are_names_and_numbers() {
        for (text, host, port) in [
            ("10.0.0.5", "10.0.0.5", 0),
            ("10.0.0.5:4711", "10.0.0.5", 4711),
            ("node1", "node1", 0),
            ("::1", "::1", 0),
            ("[::1]:80", "::1", 80),
        ] {
            assert_eq!(Address::read(text), Ok(Address { host: host.to_owned(), port }), "{text}");
        }
        assert_eq!(Address::read("::1").unwrap().with_port(5), "[::1]:5");
        for wrong in ["", ":80", "a b", "node1:x", "node1:99999"] {
            assert!(Address::read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn listening_without_a_command_waits_for_the_user() {
        let launch = Launch::read(None, Some(2), Some("10.0.0.5")).unwrap().unwrap();
        assert_eq!((launch.starter, launch.count), (Starter::Nobody, 2));
        assert_eq!(Launch::read(None, Some(2), None), Ok(None));
        assert!(Launch::read(Some("ssh a"), None, Some("10.0.0.5")).is_err());
    }
}
