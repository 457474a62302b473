//! Other programs that value orders: one JSON line in, one JSON line out.
//!
//! A worker has one order at a time. One that dies is started again and its order asked again; an order on which workers
//! die again and again ends the run with what the last of them said on standard error. One that takes longer than the
//! timeout is ended, and its order has failed. Nothing that a worker does or leaves undone makes the run wait: threads of
//! their own write to it and read from it, within bounds, and it is ended with all that it has started.

use std::{
    collections::{HashMap, VecDeque},
    io::{BufRead, BufReader, Read, Write},
    process::{Child, ChildStdout, Command, Stdio},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel},
    },
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, anyhow};
use plackett::{
    faults,
    optimizer::{Answer, Proposal},
};
use serde::Deserialize;
use serde_json::Value;

use crate::interrupt;

/// How often an order is asked before the program is given up.
const MOST_TRIES: usize = 5;
/// How often to look for Ctrl-C, the time and workers that have died while waiting for an answer.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// How long a worker may take to end once its input is closed.
const PATIENCE: Duration = Duration::from_millis(500);
/// Bytes of a worker's standard error that are kept.
const COMPLAINT_BYTES: usize = 2000;
/// Bytes of a line that any answer may have, and for each of its parts.
const LINE_BYTES: usize = 1 << 16;
const PART_BYTES: usize = 32;
/// Lines that may wait to be looked at.
const WAITING_LINES: usize = 64;

/// What the threads that read a worker's output and write its input report.
enum Event {
    Line(String),
    /// A line that is longer than any answer.
    Flood,
    /// Its output has ended, or its input cannot be written to.
    Closed,
}

/// A worker's number, which of its lives it is in, and what happened.
type Report = (usize, u64, Event);

struct Worker {
    child: Child,
    /// Lines for its input, which a thread writes; closed when this is dropped.
    input: Option<Sender<String>>,
    complaint: Arc<Mutex<Vec<u8>>>,
    life: u64,
    /// What it is working on, and since when.
    task: Option<(Proposal, Instant)>,
}

/// Copies of a program that run side by side.
pub(super) struct Workers {
    command: String,
    timeout: Option<Duration>,
    team: Vec<Option<Worker>>,
    lives: u64,
    /// Orders to be asked again, as their worker died.
    again: VecDeque<Proposal>,
    tries: HashMap<u64, usize>,
    line_bytes: usize,
    /// When the workers were last looked after.
    looked: Instant,
    reports: Receiver<Report>,
    reporter: SyncSender<Report>,
}

/// A worker's answer: a value, or its parts, or why there is none.
#[derive(Deserialize)]
struct Reply {
    id: u64,
    #[serde(default)]
    value: Option<Value>,
    #[serde(default)]
    parts: Option<Vec<f64>>,
    #[serde(default)]
    error: Option<Value>,
}

impl Workers {
    pub(super) fn new(command: &str, count: usize, items: usize, timeout: Option<Duration>) -> Self {
        let (reporter, reports) = sync_channel(WAITING_LINES);
        let team = (0..count).map(|_| None).collect();
        let line_bytes = LINE_BYTES.saturating_add(PART_BYTES.saturating_mul(items));
        Self {
            command: command.to_owned(),
            timeout,
            team,
            lives: 0,
            again: VecDeque::new(),
            tries: HashMap::new(),
            line_bytes,
            looked: Instant::now(),
            reports,
            reporter,
        }
    }

    fn start(&mut self, index: usize) -> anyhow::Result<()> {
        interrupt::at_once(end_all);
        self.lives += 1;
        let life = self.lives;
        let mut command = shell(&self.command);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = faults::at("spawn")
            .and_then(|()| command.spawn())
            .with_context(|| format!("cannot start '{}'", self.command))?;
        alive().push(child.id());
        let input = child.stdin.take().map(|mut input| {
            let (sender, lines) = channel::<String>();
            let reporter = self.reporter.clone();
            // A worker that does not read lets this thread wait, not the run. It ends with the worker.
            thread::spawn(move || {
                for line in lines {
                    let written = faults::at("tell").and_then(|()| writeln!(input, "{line}"));
                    if written.and_then(|()| input.flush()).is_err() {
                        // It will never know what it was asked, though it may go on.
                        reporter.send((index, life, Event::Closed)).ok();
                        return;
                    }
                }
            });
            sender
        });
        let complaint = Arc::new(Mutex::new(Vec::new()));
        if let Some(errors) = child.stderr.take() {
            let complaint = Arc::clone(&complaint);
            thread::spawn(move || keep_last(errors, &complaint));
        }
        if let Some(output) = child.stdout.take() {
            let (reporter, most) = (self.reporter.clone(), self.line_bytes);
            thread::spawn(move || listen(output, most, |event| reporter.send((index, life, event)).is_ok()));
        }
        self.team[index] = Some(Worker { child, input, complaint, life, task: None });
        Ok(())
    }

    /// Workers that have nothing to do, whether they have been started or not.
    fn resting(&self) -> usize {
        let rests = |worker: &&Option<Worker>| worker.as_ref().is_none_or(|worker| worker.task.is_none());
        self.team.iter().filter(rests).count()
    }

    /// How many orders could be worked on in addition to those that are, or are to be asked again.
    pub(super) fn idle(&self) -> usize {
        self.resting().saturating_sub(self.again.len())
    }

    /// Whether somebody is working on something.
    pub(super) fn is_busy(&self) -> bool {
        !self.again.is_empty() || self.team.iter().flatten().any(|worker| worker.task.is_some())
    }

    /// Gives an order to an idle worker, starting it if need be.
    pub(super) fn give(&mut self, proposal: Proposal) -> anyhow::Result<()> {
        let is_idle = |worker: &Option<Worker>| worker.as_ref().is_none_or(|worker| worker.task.is_none());
        let Some(index) = self.team.iter().position(is_idle) else {
            self.again.push_back(proposal);
            return Ok(());
        };
        if self.team[index].is_none() {
            self.start(index)?;
        }
        *self.tries.entry(proposal.id).or_insert(0) += 1;
        let line = serde_json::json!({ "id": proposal.id, "order": proposal.order.as_slice() });
        if let Some(worker) = &mut self.team[index] {
            if let Some(input) = &worker.input {
                // A worker that is no more is reported by the end of its output.
                input.send(line.to_string()).ok();
            }
            worker.task = Some((proposal, Instant::now()));
        }
        Ok(())
    }

    /// The next answer with its number, if one comes soon.
    pub(super) fn answer(&mut self) -> anyhow::Result<Option<(u64, Answer)>> {
        while self.resting() > 0
            && let Some(proposal) = self.again.pop_front()
        {
            self.give(proposal)?;
        }
        let next_look = self.next_look();
        if next_look.is_zero() {
            return Ok(self.look_after());
        }
        let (index, life, event) = match self.reports.recv_timeout(next_look) {
            Ok(report) => report,
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return Ok(None),
        };
        let Some(worker) = self.team[index].as_mut().filter(|worker| worker.life == life) else {
            return Ok(None); // the last words of an earlier life
        };
        match event {
            Event::Line(line) => {
                let Some((proposal, _)) = worker.task.take() else {
                    return Err(anyhow!("the program said '{}' without having been asked", short(&line)));
                };
                self.tries.remove(&proposal.id);
                Ok(Some((proposal.id, worker_answer(&line, &proposal)?)))
            }
            Event::Flood => {
                Err(anyhow!("the program said more than {} bytes without a line break", self.line_bytes))
            }
            Event::Closed => {
                let task = worker.task.take();
                let last_words = self.bury(index);
                if let Some((proposal, _)) = task {
                    if self.tries.get(&proposal.id).is_some_and(|&tries| tries >= MOST_TRIES) {
                        let order = &proposal.order;
                        return Err(anyhow!(
                            "the program ended {MOST_TRIES} times without an answer to [{order}]{last_words}"
                        ));
                    }
                    self.again.push_back(proposal);
                }
                Ok(None)
            }
        }
    }

    /// How long to wait for a report before somebody must be looked after.
    fn next_look(&self) -> Duration {
        let regular = LOOK_EVERY.saturating_sub(self.looked.elapsed());
        let Some(timeout) = self.timeout else { return regular };
        let tasks = self.team.iter().flatten().filter_map(|worker| worker.task.as_ref());
        let left = tasks.map(|(_, since)| timeout.saturating_sub(since.elapsed()));
        left.min().map_or(regular, |left| left.min(regular))
    }

    /// Ends whoever takes too long: the failure of one. Ends what the dead have left behind, so that the end of their output
    /// is heard of.
    fn look_after(&mut self) -> Option<(u64, Answer)> {
        self.looked = Instant::now();
        for place in &mut self.team {
            let Some(worker) = place else { continue };
            let is_late =
                |(_, since): &(Proposal, Instant)| self.timeout.is_some_and(|most| since.elapsed() >= most);
            if worker.task.as_ref().is_some_and(is_late)
                && let Some((proposal, _)) = worker.task.take()
            {
                worker.end();
                *place = None;
                let seconds = self.timeout.unwrap_or_default().as_secs_f64();
                self.tries.remove(&proposal.id);
                return Some((proposal.id, Answer::Failed(format!("no answer within {seconds} seconds"))));
            }
            if has_exited(worker.child.id()) {
                end_group(worker.child.id());
            }
        }
        None
    }

    /// Ends a dead worker's life and returns how it ended.
    fn bury(&mut self, index: usize) -> String {
        let Some(mut worker) = self.team[index].take() else { return String::new() };
        let status = worker.end().map_or_else(String::new, |status| status.to_string());
        // The reader of the complaints may be a moment behind.
        thread::sleep(Duration::from_millis(20));
        let complaint =
            worker.complaint.lock().map(|bytes| String::from_utf8_lossy(&bytes).trim().to_owned());
        match complaint {
            Ok(complaint) if !complaint.is_empty() => format!(" ({status}); it said: {complaint}"),
            _ => format!(" ({status})"),
        }
    }
}

impl Worker {
    /// Closes the worker's input, which tells it to end, and ends it if it does not, with all that it has started. One that is
    /// at work is not waited for.
    fn end(&mut self) -> Option<std::process::ExitStatus> {
        drop(self.input.take());
        let id = self.child.id();
        let start = Instant::now();
        while start.elapsed() < PATIENCE && self.task.is_none() && !has_exited(id) {
            thread::sleep(Duration::from_millis(5));
        }
        let mut alive = alive();
        if alive.contains(&id) {
            // Its number is its own until it is waited for.
            end_group(id);
            if !has_exited(id) {
                self.child.kill().ok();
            }
            alive.retain(|&other| other != id);
        }
        drop(alive);
        self.child.wait().ok()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.end();
    }
}

/// Reports the lines of an output, none of more than so many bytes, until nobody listens.
fn listen(output: ChildStdout, most: usize, mut report: impl FnMut(Event) -> bool) {
    let mut output = BufReader::new(output);
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = output.by_ref().take(most as u64).read_until(b'\n', &mut line);
        let event = match read {
            Ok(0) | Err(_) => break,
            Ok(count) if count == most && !line.ends_with(b"\n") => Event::Flood,
            Ok(_) => Event::Line(String::from_utf8_lossy(&line).trim_end().to_owned()),
        };
        let is_flood = matches!(event, Event::Flood);
        if !report(event) || is_flood {
            return;
        }
    }
    report(Event::Closed);
}

/// Whether a child has ended; it is not waited for, so that its number stays its own.
fn has_exited(id: u32) -> bool {
    #[cfg(unix)]
    {
        use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
        let Some(child) = i32::try_from(id).ok().and_then(Pid::from_raw) else { return true };
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        !matches!(waitid(WaitId::Pid(child), options), Ok(None))
    }
    #[cfg(not(unix))]
    {
        let _ = id;
        false
    }
}

/// The processes of the workers that have not been waited for, so that their numbers are still theirs.
static ALIVE: Mutex<Vec<u32>> = Mutex::new(Vec::new());

fn alive() -> MutexGuard<'static, Vec<u32>> {
    ALIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends all workers: the program ends, and nobody else will.
fn end_all() {
    alive().iter().copied().for_each(end_group);
}

/// Ends a program and what it has started, its whole process group, where there is such a thing.
fn end_group(id: u32) {
    #[cfg(unix)]
    {
        use rustix::process::{Pid, Signal, kill_process_group};
        if let Some(group) = i32::try_from(id).ok().and_then(Pid::from_raw) {
            kill_process_group(group, Signal::KILL).ok();
        }
    }
    #[cfg(not(unix))]
    let _ = id;
}

/// The command in the system's shell, out of the reach of Ctrl-C: the run decides when it ends.
fn shell(command: &str) -> Command {
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt as _;
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(command).process_group(0);
        shell
    }
    #[cfg(not(unix))]
    {
        let mut shell = Command::new("cmd");
        shell.arg("/C").arg(command);
        shell
    }
}

fn keep_last(mut errors: impl Read, complaint: &Mutex<Vec<u8>>) {
    let mut buffer = [0; 1024];
    while let Ok(count) = errors.read(&mut buffer)
        && count > 0
        && let Ok(mut kept) = complaint.lock()
    {
        kept.extend_from_slice(&buffer[..count]);
        let surplus = kept.len().saturating_sub(COMPLAINT_BYTES);
        kept.drain(..surplus);
    }
}

/// What a line says about a proposal. NaN and infinities, which are no JSON but which some languages write, are failures.
///
/// # Errors
/// A line that is no answer to it.
pub fn worker_answer(line: &str, proposal: &Proposal) -> anyhow::Result<Answer> {
    let parse = |line: &str| serde_json::from_str::<Reply>(line);
    let reply = parse(line).or_else(|error| {
        let plain = line.replace("-Infinity", "null").replace("Infinity", "null").replace("NaN", "null");
        parse(&plain).map_err(|_| error)
    });
    let expected = "a line {\"id\": …, \"value\": …} is needed";
    let reply = reply.map_err(|error| anyhow!("the program said '{}': {expected} ({error})", short(line)))?;
    if reply.id != proposal.id {
        return Err(anyhow!("the program answered {} when asked {}", reply.id, proposal.id));
    }
    match reply {
        Reply { parts: Some(parts), .. } if parts.len() == proposal.order.len() => Ok(Answer::Parts(parts)),
        Reply { parts: Some(parts), .. } => {
            let items = proposal.order.len();
            Err(anyhow!("the program answered with {} parts for an order of {items}", parts.len()))
        }
        Reply { value: Some(Value::Number(value)), .. } => {
            Ok(Answer::Value(value.as_f64().unwrap_or(f64::NAN)))
        }
        Reply { error: Some(error), .. } => {
            Ok(Answer::Failed(error.as_str().map_or(error.to_string(), str::to_owned)))
        }
        Reply { value: None | Some(Value::Null), .. } => Ok(Answer::Failed("no value".to_owned())),
        _ => Err(anyhow!("the program said '{}': {expected}", short(line))),
    }
}

/// The beginning of a line that may be long.
fn short(line: &str) -> String {
    const MOST_CHARACTERS: usize = 80;
    let start: String = line.chars().take(MOST_CHARACTERS).collect();
    if start.len() < line.len() { start + "…" } else { start }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::process::ExitStatusExt as _;

    use super::*;

    #[test]
    fn a_program_that_is_cut_short_leaves_no_worker_behind() {
        // A shell that waits for another program: both are to end.
        let mut child = shell("sleep 1000; true").stdout(Stdio::piped()).spawn().unwrap();
        let mut output = child.stdout.take().unwrap();
        alive().push(child.id());
        end_all();
        assert_eq!(child.wait().unwrap().signal(), Some(9));
        // The output is closed once nobody is left who could write there.
        assert_eq!(output.read(&mut [0]).unwrap(), 0);
        alive().retain(|&other| other != child.id());
    }
}
