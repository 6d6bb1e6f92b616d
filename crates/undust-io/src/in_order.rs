//! Work done side by side, with results handed on in order: the one parallel primitive of undust.

use std::iter::Peekable;
use std::sync::Mutex;
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::thread;

use crate::error::ReadError;

/// Large enough that handing it to another thread costs nothing beside the work on it.
pub(crate) const JOB_BYTES: usize = 512 * 1024;

/// Do `work` on each of `jobs`, on as many threads, and give the results to `sink` in the order of the jobs.
///
/// One more thread makes the jobs: reads and decompresses. At most a few jobs per thread are held at a time. With one
/// thread everything runs here, one job after the other. The first error of the jobs or of the sink ends it all.
pub(crate) fn map_in_order<J, T, E>(
    jobs: impl Iterator<Item = Result<J, ReadError>> + Send,
    threads: usize,
    work: impl Fn(J) -> T + Sync,
    mut sink: impl FnMut(T) -> Result<(), E>,
) -> Result<(), E>
where
    J: Send,
    T: Send,
    E: From<ReadError>,
{
    if threads <= 1 {
        for job in jobs {
            sink(work(job?))?;
        }
        return Ok(());
    }
    let (sender, queue) = mpsc::channel();
    let queue = Mutex::new(queue);
    // This queue alone bounds what is in flight: nothing is handed out before it has its place in the order.
    let (order, results) = mpsc::sync_channel(2 * threads);
    thread::scope(|scope| {
        scope.spawn(move || hand_out(jobs, &sender, &order));
        for _ in 0..threads {
            scope.spawn(|| work_off(&queue, &work));
        }
        collect(results, sink)
    })
}

/// Results of a job that may wait for those of earlier jobs: what makes threads work side by side, and bounds what is in flight.
#[cfg(feature = "parquet")]
const MAX_WAITING_RESULTS: usize = 64;

/// As [`map_in_order`], but each job has many results, each given to `sink` as soon as all before it were. Whoever works may stop when nobody
/// takes its results any more: then `give` says `false`.
#[cfg(feature = "parquet")]
pub(crate) fn flat_map_in_order<J, T, E>(
    jobs: impl Iterator<Item = J> + Send,
    threads: usize,
    work: impl Fn(J, &mut dyn FnMut(T) -> bool) + Sync,
    mut sink: impl FnMut(T) -> Result<(), E>,
) -> Result<(), E>
where
    J: Send,
    T: Send,
{
    if threads <= 1 {
        let mut end = Ok(());
        for job in jobs {
            work(job, &mut |result| {
                end = sink(result);
                end.is_ok()
            });
            end?;
            end = Ok(());
        }
        return Ok(());
    }
    let jobs = Mutex::new(jobs);
    let (order, all_results) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..threads {
            let order = order.clone();
            let (jobs, work) = (&jobs, &work);
            scope.spawn(move || {
                while let Some((job, results)) = next_in_order(jobs, &order) {
                    work(job, &mut |result| results.send(result).is_ok());
                }
            });
        }
        drop(order);
        all_results.into_iter().flatten().try_for_each(&mut sink)
    })
}

/// The next job, and where its results go; in the order of the jobs, since nobody else takes one meanwhile.
#[cfg(feature = "parquet")]
fn next_in_order<J, T>(
    jobs: &Mutex<impl Iterator<Item = J>>,
    order: &Sender<Receiver<T>>,
) -> Option<(J, SyncSender<T>)> {
    let mut jobs = jobs.lock().ok()?;
    let job = jobs.next()?;
    let (sender, results) = mpsc::sync_channel(MAX_WAITING_RESULTS);
    order.send(results).ok()?;
    Some((job, sender))
}

/// A job and where its result is awaited.
type Order<J, T> = (J, Sender<T>);

/// A result to come, or the error in its place.
type Awaited<T> = Result<Receiver<T>, ReadError>;

/// The reading thread: give each job its place in the order, then to whoever is free. Ends when nobody listens.
fn hand_out<J, T>(
    jobs: impl Iterator<Item = Result<J, ReadError>>,
    queue: &Sender<Order<J, T>>,
    order: &SyncSender<Awaited<T>>,
) {
    for job in jobs {
        let (result, awaited) = mpsc::channel();
        let (job, place) = match job {
            Ok(job) => (Some(job), Ok(awaited)),
            Err(error) => (None, Err(error)),
        };
        let listening = order.send(place).is_ok();
        let handed_out = job.is_some_and(|job| queue.send((job, result)).is_ok());
        if !(listening && handed_out) {
            return;
        }
    }
}

/// A working thread: take jobs until there are no more.
fn work_off<J, T>(queue: &Mutex<Receiver<Order<J, T>>>, work: &impl Fn(J) -> T) {
    while let Ok(Ok((job, result))) = queue.lock().map(|queue| queue.recv()) {
        // Nobody waits for the result when the sink has failed; the queue is about to end then.
        let _ = result.send(work(job));
    }
}

/// The calling thread: wait for each result in its turn. Takes `results`, so that a failing sink stops the reader.
fn collect<T, E: From<ReadError>>(
    results: Receiver<Awaited<T>>,
    mut sink: impl FnMut(T) -> Result<(), E>,
) -> Result<(), E> {
    for awaited in results {
        // No result means that its worker panicked; leaving the scope passes the panic on.
        let Ok(result) = awaited?.recv() else { break };
        sink(result)?;
    }
    Ok(())
}

/// Items in batches that make up a job: of about [`JOB_BYTES`], as `weigh` tells. An error comes behind what was before it.
pub(crate) struct Batches<I: Iterator, W> {
    items: Peekable<I>,
    weigh: W,
}

impl<I: Iterator, W> Batches<I, W> {
    pub(crate) fn new(items: I, weigh: W) -> Batches<I, W> {
        Batches { items: items.peekable(), weigh }
    }
}

impl<T, I, W> Iterator for Batches<I, W>
where
    I: Iterator<Item = Result<T, ReadError>>,
    W: Fn(&T) -> usize,
{
    type Item = Result<Vec<T>, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut batch = Vec::new();
        let mut weight = 0;
        while weight < JOB_BYTES {
            match self.items.next_if(|item| item.is_ok() || batch.is_empty()) {
                Some(Ok(item)) => {
                    weight += (self.weigh)(&item);
                    batch.push(item);
                }
                Some(Err(error)) => return Some(Err(error)),
                None => break,
            }
        }
        (!batch.is_empty()).then_some(Ok(batch))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ReadErrorKind;

    fn failure() -> ReadError {
        ReadError { file: "a".into(), line: None, kind: ReadErrorKind::Truncated }
    }

    #[test]
    fn an_error_comes_behind_what_was_before_it() {
        let items = [Ok(1), Ok(2), Err(failure())];
        let batches: Vec<_> = Batches::new(items.into_iter(), |_: &i32| 1).collect();
        assert!(matches!(&batches[..], [Ok(batch), Err(_)] if *batch == [1, 2]), "{batches:?}");
    }

    #[test]
    fn batches_are_full_when_they_weigh_enough() {
        let items = (0..5).map(Ok);
        let batches: Result<Vec<Vec<i32>>, _> = Batches::new(items, |_: &i32| JOB_BYTES / 2).collect();
        assert_eq!(batches.unwrap(), [vec![0, 1], vec![2, 3], vec![4]]);
    }

    #[test]
    fn results_before_an_error_are_given_out() {
        for threads in [1, 3] {
            let jobs = (0..10).map(|n| if n < 7 { Ok(n) } else { Err(failure()) });
            let mut seen = Vec::new();
            let done: Result<(), ReadError> = map_in_order(
                jobs,
                threads,
                |n| n * n,
                |n| {
                    seen.push(n);
                    Ok(())
                },
            );
            assert!(done.is_err());
            assert_eq!(seen, [0, 1, 4, 9, 16, 25, 36]);
        }
    }
}
