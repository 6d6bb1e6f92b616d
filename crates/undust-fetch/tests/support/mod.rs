//! A server on loopback that does what a test tells it: answers, stalls, breaks off; and remembers who asked when.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// What is sent: pieces of bytes, each after a pause. Then the connection is closed.
pub(crate) struct Reply(Vec<(Duration, Vec<u8>)>);

impl Reply {
    pub(crate) fn new(status: u16, headers: &str, body: impl AsRef<[u8]>) -> Reply {
        let body = body.as_ref();
        let head = format!("HTTP/1.1 {status} X\r\nContent-Length: {}\r\n{headers}\r\n", body.len());
        Reply::raw([head.as_bytes(), body].concat())
    }

    pub(crate) fn ok(body: impl AsRef<[u8]>) -> Reply {
        Reply::new(200, "Content-Type: text/html\r\n", body)
    }

    pub(crate) fn redirect(location: &str) -> Reply {
        Reply::new(302, &format!("Location: {location}\r\n"), "")
    }

    pub(crate) fn raw(bytes: impl Into<Vec<u8>>) -> Reply {
        Reply(vec![(Duration::ZERO, bytes.into())])
    }

    pub(crate) fn after(mut self, pause: Duration, bytes: &[u8]) -> Reply {
        self.0.push((pause, bytes.to_vec()));
        self
    }
}

/// One request as it arrived.
#[derive(Clone, Debug)]
pub(crate) struct Hit {
    pub(crate) path: String,
    pub(crate) head: String,
    pub(crate) at: Instant,
}

#[derive(Default)]
struct Record {
    hits: Mutex<Vec<Hit>>,
    open: AtomicUsize,
    most_open: AtomicUsize,
    stopped: AtomicBool,
}

pub(crate) struct Server {
    address: SocketAddr,
    record: Arc<Record>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// `answer` gets the path and how many requests came before.
    pub(crate) fn start(answer: impl Fn(&str, usize) -> Reply + Send + Sync + 'static) -> Server {
        Server::start_at(0, answer)
    }

    /// A server at this port: that of one that was stopped, or 0 for any.
    pub(crate) fn start_at(
        port: u16,
        answer: impl Fn(&str, usize) -> Reply + Send + Sync + 'static,
    ) -> Server {
        let listener = TcpListener::bind(("127.0.0.1", port)).expect("a free port");
        let address = listener.local_addr().expect("its address");
        let record = Arc::new(Record::default());
        let (shared, answer) = (Arc::clone(&record), Arc::new(answer));
        let thread = thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if shared.stopped.load(Ordering::SeqCst) {
                    return;
                }
                let (record, answer) = (Arc::clone(&shared), Arc::clone(&answer));
                thread::spawn(move || serve(stream, &record, &*answer));
            }
        });
        Server { address, record, thread: Some(thread) }
    }

    /// A server without a robots.txt.
    pub(crate) fn pages(answer: impl Fn(&str, usize) -> Reply + Send + Sync + 'static) -> Server {
        Server::start(move |path, before| match path {
            "/robots.txt" => Reply::new(404, "", ""),
            // The first request is that for robots.txt.
            _ => answer(path, before - 1),
        })
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(crate) fn port(&self) -> u16 {
        self.address.port()
    }

    pub(crate) fn hits(&self) -> Vec<Hit> {
        self.record.hits.lock().expect("no panic").clone()
    }

    pub(crate) fn paths(&self) -> Vec<String> {
        self.hits().into_iter().map(|hit| hit.path).collect()
    }

    pub(crate) fn most_open(&self) -> usize {
        self.record.most_open.load(Ordering::SeqCst)
    }

    /// Closes the port.
    #[expect(clippy::disallowed_methods, reason = "one more connection, so that the server looks up")]
    pub(crate) fn stop(&mut self) {
        self.record.stopped.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.address);
        if let Some(thread) = self.thread.take() {
            thread.join().expect("no panic");
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "pauses between requests are measured")]
fn serve(mut stream: TcpStream, record: &Record, answer: &dyn Fn(&str, usize) -> Reply) {
    let open = record.open.fetch_add(1, Ordering::SeqCst) + 1;
    record.most_open.fetch_max(open, Ordering::SeqCst);
    let at = Instant::now();
    let lines = BufReader::new(&stream).lines().map_while(Result::ok);
    let head: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
    let path = head.first().and_then(|line| line.split(' ').nth(1)).unwrap_or_default().to_owned();
    let before = {
        let mut hits = record.hits.lock().expect("no panic");
        hits.push(Hit { path: path.clone(), head: head.join("\n"), at });
        hits.len() - 1
    };
    for (pause, bytes) in answer(&path, before).0 {
        thread::sleep(pause);
        if stream.write_all(&bytes).is_err() {
            break;
        }
    }
    // Before it is closed: the client may ask again at once.
    record.open.fetch_sub(1, Ordering::SeqCst);
}
