//! What everybody may see: each subscriber has a socket and a queue of its
//! own.
//!
//! The socket is an XPUB, so the kernel hears of subscriptions and welcomes
//! them (JEP 65). Nothing is dropped. A cell that prints faster than its
//! readers read waits for them; a reader that takes nothing for a while is
//! not waited for any more, and its queue grows up to a bound, at which it is
//! disconnected: an unnoticed gap would be worse.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use jupyter_protocol::{IoPubWelcome, JupyterMessage, JupyterMessageContent, Status};
use jupyter_zmq_client::{Connection, KernelIoPubXPubConnection, SubscriptionEvent};
use tokio::sync::Notify;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use zeromq::{Socket as _, XPubSocket};

use super::Address;
use crate::door::{self, Door};
use crate::error::StartError;
use crate::log;
use crate::message::{Origin, message};

/// Bytes that may wait for one subscriber before cells wait for it: 8 MiB.
const PATIENT: usize = 8 << 20;

/// Bytes that may wait for one that takes nothing: 512 MiB.
const MOST: usize = 512 << 20;

/// How long one may take nothing and still be waited for.
const STUCK: Duration = Duration::from_secs(3);

/// All subscribers.
#[derive(Default)]
pub struct Broadcast {
    subscribers: Mutex<Vec<Arc<Subscriber>>>,
    /// Some subscriber has taken something.
    taken: Condvar,
}

struct Subscriber {
    queue: UnboundedSender<Arc<JupyterMessage>>,
    /// Bytes in the queue, about.
    waiting: AtomicUsize,
    /// When it has last taken something, or had nothing to take.
    moved: Mutex<Instant>,
    /// It is not served any more.
    dropped: Notify,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Subscriber {
    fn took(&self, bytes: usize) {
        self.waiting.fetch_sub(bytes, Ordering::Relaxed);
        *lock(&self.moved) = Instant::now();
    }

    fn is_behind(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) > PATIENT && lock(&self.moved).elapsed() < STUCK
    }
}

impl Broadcast {
    /// Tells all, and does not wait.
    pub fn publish(&self, content: impl Into<JupyterMessageContent>, origin: Option<&Origin>) {
        let message = message(content, origin);
        // What subscribers could choose by, had they a reason to.
        let topic = format!("kernel.{}", message.header.msg_type);
        let message = Arc::new(message.with_zmq_identities(vec![topic.into()]));
        let bytes = weight(&message);
        lock(&self.subscribers).retain(|subscriber| {
            if subscriber.waiting.fetch_add(bytes, Ordering::Relaxed) == 0 {
                *lock(&subscriber.moved) = Instant::now();
            }
            let is_full = subscriber.waiting.load(Ordering::Relaxed) > MOST;
            if is_full {
                subscriber.dropped.notify_one();
                log::line("iopub: a subscriber has read nothing for too long and was disconnected");
            }
            !is_full && subscriber.queue.send(Arc::clone(&message)).is_ok()
        });
    }

    /// Tells everybody what a cell has to show, as soon as those who read have
    /// not too much to read.
    pub fn publish_patiently(&self, content: impl Into<JupyterMessageContent>, origin: Option<&Origin>) {
        self.publish(content, origin);
        let mut subscribers = lock(&self.subscribers);
        while subscribers.iter().any(|subscriber| subscriber.is_behind()) {
            let waited = self.taken.wait_timeout(subscribers, STUCK / 10);
            subscribers = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Tells everybody that the kernel is busy with a request, or through.
    pub fn status(&self, status: Status, origin: Option<&Origin>) {
        self.publish(status, origin);
    }

    /// Waits until everything has been taken, but not for long.
    pub fn drain(&self, time: Duration) {
        let until = Instant::now() + time;
        let mut subscribers = lock(&self.subscribers);
        while subscribers.iter().any(|subscriber| subscriber.waiting.load(Ordering::Relaxed) > 0) {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            let waited = self.taken.wait_timeout(subscribers, left);
            subscribers = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn add(&self) -> (Arc<Subscriber>, UnboundedReceiver<Arc<JupyterMessage>>) {
        let (queue, messages) = unbounded_channel();
        let subscriber = Arc::new(Subscriber {
            queue,
            waiting: AtomicUsize::new(0),
            moved: Mutex::new(Instant::now()),
            dropped: Notify::new(),
        });
        lock(&self.subscribers).push(Arc::clone(&subscriber));
        (subscriber, messages)
    }

    fn remove(&self, gone: &Arc<Subscriber>) {
        lock(&self.subscribers).retain(|subscriber| !Arc::ptr_eq(subscriber, gone));
        self.notify();
    }

    /// Wakes those who wait: with the lock, so that nobody is between looking
    /// and waiting.
    fn notify(&self) {
        let _subscribers = lock(&self.subscribers);
        self.taken.notify_all();
    }
}

/// About how many bytes a message has.
fn weight(message: &JupyterMessage) -> usize {
    const HEADERS: usize = 600;
    let content = match &message.content {
        JupyterMessageContent::StreamContent(stream) => stream.text.len(),
        JupyterMessageContent::Status(_) => 0,
        content => serde_json::to_vec(content).map_or(0, |content| content.len()),
    };
    HEADERS + content
}

/// Opens the channel.
///
/// # Errors
///
/// If its port is taken.
pub async fn start(address: &Address<'_>, broadcast: Arc<Broadcast>) -> Result<(), StartError> {
    let door = Door::open(address.connection, address.connection.iopub_port).await?;
    let (folder, session) = (address.folder.to_owned(), address.session.to_owned());
    let key = address.connection.key.clone();
    tokio::spawn(async move {
        for number in 1_u64.. {
            let client = door.accept().await;
            let path = folder.join(format!("iopub-{number}"));
            let mut socket = XPubSocket::new();
            if let Err(error) = socket.bind(&format!("ipc://{}", path.display())).await {
                log::line(&format!("iopub: a subscriber was not taken: {error}"));
                continue;
            }
            let connection = Connection::new(socket, &key, &session);
            tokio::spawn(serve(connection, client, path, Arc::clone(&broadcast)));
        }
    });
    Ok(())
}

/// Serves a subscriber until it goes.
async fn serve(
    mut connection: KernelIoPubXPubConnection,
    client: (door::Reader, door::Writer),
    path: PathBuf,
    broadcast: Arc<Broadcast>,
) {
    let (subscriber, mut messages) = broadcast.add();
    tokio::select! {
        () = door::pass("iopub", client, &path, None) => {}
        () = subscriber.dropped.notified() => {}
        () = tell(&mut connection, &mut messages, &subscriber, &broadcast) => {}
    }
    broadcast.remove(&subscriber);
    let _ = std::fs::remove_file(path);
}

async fn tell(
    connection: &mut KernelIoPubXPubConnection,
    messages: &mut UnboundedReceiver<Arc<JupyterMessage>>,
    subscriber: &Subscriber,
    broadcast: &Broadcast,
) {
    loop {
        tokio::select! {
            // A subscription counts before what comes after it.
            biased;
            event = connection.recv_subscription() => match event {
                Ok(SubscriptionEvent::Subscribe(topic)) => {
                    // By the topic, so that it gets there.
                    let welcome = message(IoPubWelcome::new(topic.clone()), None);
                    let welcome = welcome.with_zmq_identities(vec![topic.into()]);
                    if connection.send(welcome).await.is_err() {
                        return;
                    }
                }
                Ok(SubscriptionEvent::Unsubscribe(_)) => {}
                Err(_) => return,
            },
            next = messages.recv() => {
                let Some(next) = next else { return };
                let bytes = weight(&next);
                let sent = connection.send(JupyterMessage::clone(&next)).await;
                subscriber.took(bytes);
                broadcast.notify();
                if sent.is_err() {
                    return;
                }
            }
        }
    }
}
