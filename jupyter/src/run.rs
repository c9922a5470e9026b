//! A kernel from its start to its end: channels, the thread that evaluates,
//! signals.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use gpurepl_session::{Options, ReplayPolicy, SessionFolder};
use jupyter_protocol::{ConnectionInfo, Status};

use crate::arguments::Workers;
use crate::channel::{self, Address};
use crate::error::StartError;
use crate::execution::{self, outlet::Outlet};
use crate::kernel::Kernel;
use crate::message::Signature;
use crate::{connection, log, parent, request};

/// The stack of threads that read texts of the user's.
const STACK: usize = 64 << 20;

/// Runs a kernel until it is ended.
///
/// # Errors
///
/// If it cannot be started.
pub fn run(file: &Path, device: Option<String>, workers: &Workers) -> Result<(), StartError> {
    let connection = connection::read(file)?;
    let launch = workers.launch().map_err(StartError::Workers)?;
    let folder = folder().map_err(StartError::Folder)?;
    let session = uuid::Uuid::new_v4().to_string();
    let kernel = Arc::new(Kernel::new());
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .thread_stack_size(STACK)
        .enable_all()
        .build();
    let runtime = runtime.map_err(StartError::Thread)?;
    channel::heartbeat::start(&connection, folder.path())?;
    let asking = runtime.block_on(open(&connection, folder.path(), &session, &kernel))?;
    signals(&kernel).map_err(StartError::Thread)?;
    parent::watch(&kernel);
    let common = execution::Common {
        outlet: Outlet::start(Arc::clone(&kernel.broadcast)),
        session: session[..8].to_owned(),
        widgets: kernel.widgets(),
        comms: kernel.shared_comms(),
        origins: Mutex::default(),
    };
    let options = Options {
        device,
        arguments: vec!["gpurepl".into()],
        keeps_results: true,
        replay: ReplayPolicy::On,
        is_rich: true,
        workers: workers.workers.unwrap_or(1),
        launch,
        ..Options::default()
    };
    let (sender, over) = std::sync::mpsc::channel();
    let evaluating = Arc::clone(&kernel);
    let thread = std::thread::Builder::new().name("evaluator".to_owned());
    // Cells nest as deep as their authors like.
    let thread = thread.stack_size(STACK).spawn(move || {
        execution::run(&evaluating, common, options, asking);
        let _ = sender.send(());
    });
    thread.map_err(StartError::Thread)?;
    runtime.block_on(kernel.stopped());
    finish(&kernel, &over);
    // What has been answered last is on its way through the doors.
    kernel.broadcast.drain(Duration::from_millis(300));
    std::thread::sleep(Duration::from_millis(50));
    // Nobody waits for what the analyser is still thinking about.
    runtime.shutdown_background();
    Ok(())
}

/// A folder for sockets that only the user can enter. The path of a socket
/// may have no more than about a hundred bytes.
fn folder() -> std::io::Result<SessionFolder> {
    const MOST: usize = 60;
    let usual = std::env::temp_dir();
    let is_short = usual.as_os_str().len() <= MOST;
    let parent = if is_short { usual } else { PathBuf::from("/tmp") };
    SessionFolder::named(&parent, "jupyter-")
}

async fn open(
    connection: &ConnectionInfo,
    folder: &Path,
    session: &str,
    kernel: &Arc<Kernel>,
) -> Result<channel::stdin::Asking, StartError> {
    let signature = Arc::new(Signature::new(&connection.key));
    let address = Address { connection, folder, session };
    channel::iopub::start(&address, Arc::clone(&kernel.broadcast)).await?;
    kernel.broadcast.status(Status::starting(), None);
    let (asking, disturb) = channel::stdin::start(&address, Arc::clone(&signature)).await?;
    kernel.set_disturb(disturb);
    request::control::start(&address, Arc::clone(&signature), Arc::clone(kernel)).await?;
    request::shell::start(&address, signature, Arc::clone(kernel)).await?;
    Ok(asking)
}

/// Ends what runs, in steps: Jupyter kills a kernel that takes five seconds.
fn finish(kernel: &Kernel, over: &std::sync::mpsc::Receiver<()>) {
    kernel.queue.close();
    kernel.interrupt();
    let interrupter = kernel.interrupter();
    if over.recv_timeout(Duration::from_millis(1200)).is_ok() {
        return;
    }
    if let Some(interrupter) = interrupter {
        // It did not listen.
        interrupter.interrupt();
        interrupter.interrupt();
    }
    if over.recv_timeout(Duration::from_millis(800)).is_err() {
        log::line("what runs did not end in time; the worker ends with the kernel");
        if let Some(folder) = kernel.folder() {
            let _ = std::fs::remove_dir_all(folder);
        }
    }
}

/// SIGINT interrupts, as the message does; other signals end the kernel.
fn signals(kernel: &Arc<Kernel>) -> std::io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    let kernel = Arc::clone(kernel);
    let thread = std::thread::Builder::new().name("signals".to_owned());
    let thread = thread.spawn(move || {
        for signal in &mut signals {
            if signal == SIGINT { kernel.interrupt() } else { kernel.stop() }
        }
    });
    thread.map(drop)
}
