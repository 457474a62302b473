//! Other programs that value orders: one JSON line in, one JSON line out.
//!
//! A worker has one order at a time. One that dies is started again and its order asked again; an order on which workers
//! die again and again ends the run with what the last of them said on standard error.

use std::{
    collections::VecDeque,
    io::{BufRead, BufReader, Read, Write},
    process::{Child, ChildStdin, Command, Stdio},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, anyhow};
use plackett::{
    optimizer::{Answer, Evaluator, Proposal},
    run::Run,
};
use serde::Deserialize;
use serde_json::Value;

use crate::interrupt;

/// How often an order is asked before the program is given up.
const MOST_TRIES: usize = 5;
/// How often to look for Ctrl-C and the time while waiting for an answer.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// How long a worker may take to end once its input is closed.
const PATIENCE: Duration = Duration::from_millis(500);
/// Bytes of a worker's standard error that are kept.
const COMPLAINT_BYTES: usize = 2000;
/// Orders per worker between two looks of the driver.
const ORDERS_PER_WORKER: usize = 4;

/// What the thread that reads a worker's output reports.
enum Event {
    Line(String),
    Closed,
}

/// A worker's number, which of its lives it is in, and what happened.
type Report = (usize, u64, Event);

struct Worker {
    child: Child,
    input: Option<ChildStdin>,
    complaint: Arc<Mutex<Vec<u8>>>,
    life: u64,
    /// The place of the order that it is working on.
    order: Option<usize>,
}

/// Copies of a program that run side by side.
pub(super) struct Workers<'a, 'r> {
    command: String,
    team: Vec<Option<Worker>>,
    lives: u64,
    run: &'a Run<'r>,
    reports: Receiver<Report>,
    reporter: Sender<Report>,
    failure: Option<anyhow::Error>,
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

impl<'a, 'r> Workers<'a, 'r> {
    pub(super) fn new(command: &str, count: usize, run: &'a Run<'r>) -> Self {
        let (reporter, reports) = channel();
        let team = (0..count).map(|_| None).collect();
        Self { command: command.to_owned(), team, lives: 0, run, reports, reporter, failure: None }
    }

    /// Why the last evaluation was given up, if it was.
    pub(super) fn failure(&mut self) -> Option<anyhow::Error> {
        self.failure.take()
    }

    fn start(&mut self, index: usize) -> anyhow::Result<()> {
        interrupt::at_once(end_all);
        self.lives += 1;
        let life = self.lives;
        let mut command = shell(&self.command);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().with_context(|| format!("cannot start '{}'", self.command))?;
        alive().push(child.id());
        let input = child.stdin.take();
        let complaint = Arc::new(Mutex::new(Vec::new()));
        if let Some(errors) = child.stderr.take() {
            let complaint = Arc::clone(&complaint);
            thread::spawn(move || keep_last(errors, &complaint));
        }
        if let Some(output) = child.stdout.take() {
            let reporter = self.reporter.clone();
            thread::spawn(move || {
                for line in BufReader::new(output).lines().map_while(Result::ok) {
                    if reporter.send((index, life, Event::Line(line))).is_err() {
                        return;
                    }
                }
                // Nobody listens any more once the run has ended.
                reporter.send((index, life, Event::Closed)).ok();
            });
        }
        self.team[index] = Some(Worker { child, input, complaint, life, order: None });
        Ok(())
    }

    /// Gives an idle worker an order, starting it if need be.
    fn send(&mut self, index: usize, place: usize, proposal: &Proposal) -> anyhow::Result<()> {
        if self.team[index].is_none() {
            self.start(index)?;
        }
        let line = serde_json::json!({ "id": proposal.id, "order": proposal.order.as_slice() });
        if let Some(worker) = &mut self.team[index] {
            worker.order = Some(place);
            if let Some(input) = &mut worker.input {
                // A worker that is no more is reported by the end of its output.
                writeln!(input, "{line}").and_then(|()| input.flush()).ok();
            }
        }
        Ok(())
    }

    fn evaluate_all(&mut self, proposals: &[Proposal]) -> anyhow::Result<Vec<Option<Answer>>> {
        let mut answers: Vec<Option<Answer>> = vec![None; proposals.len()];
        let mut tries = vec![0; proposals.len()];
        let mut todo: VecDeque<usize> = (0..proposals.len()).collect();
        let mut missing = proposals.len();
        while missing > 0 {
            if self.run.is_over() {
                // What is being worked on is abandoned with its worker, which would answer at the wrong time.
                self.team
                    .iter_mut()
                    .filter(|w| w.as_ref().is_some_and(|w| w.order.is_some()))
                    .for_each(|w| *w = None);
                break;
            }
            for index in 0..self.team.len() {
                let is_idle = self.team[index].as_ref().is_none_or(|worker| worker.order.is_none());
                if is_idle && let Some(place) = todo.pop_front() {
                    tries[place] += 1;
                    self.send(index, place, &proposals[place])?;
                }
            }
            let (index, life, event) = match self.reports.recv_timeout(LOOK_EVERY) {
                Ok(report) => report,
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => break,
            };
            let Some(worker) = self.team[index].as_mut().filter(|worker| worker.life == life) else {
                continue; // the last words of an earlier life
            };
            match event {
                Event::Line(line) => {
                    let Some(place) = worker.order else {
                        return Err(anyhow!("the program said '{}' without having been asked", short(&line)));
                    };
                    answers[place] = Some(understand(&line, &proposals[place])?);
                    worker.order = None;
                    missing -= 1;
                }
                Event::Closed => {
                    let place = worker.order;
                    let last_words = self.bury(index);
                    if let Some(place) = place {
                        if tries[place] >= MOST_TRIES {
                            let order = &proposals[place].order;
                            return Err(anyhow!(
                                "the program ended {MOST_TRIES} times without an answer to [{order}]{last_words}"
                            ));
                        }
                        todo.push_front(place);
                    }
                }
            }
        }
        Ok(answers)
    }

    /// Ends a dead worker's life and returns how it ended.
    fn bury(&mut self, index: usize) -> String {
        let Some(mut worker) = self.team[index].take() else { return String::new() };
        drop(worker.input.take());
        let status = worker.child.wait().map_or_else(|error| error.to_string(), |status| status.to_string());
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

impl Evaluator for Workers<'_, '_> {
    fn evaluate(&mut self, proposals: &[Proposal]) -> Vec<Answer> {
        match self.evaluate_all(proposals) {
            Ok(answers) => answers.into_iter().map_while(|answer| answer).collect(),
            Err(error) => {
                self.failure = Some(error);
                Vec::new()
            }
        }
    }

    fn width(&self) -> usize {
        ORDERS_PER_WORKER * self.team.len()
    }
}

impl Drop for Worker {
    /// Closes the worker's input, which tells it to end, and ends it if it does not.
    fn drop(&mut self) {
        drop(self.input.take());
        let start = Instant::now();
        let mut has_ended = false;
        while !has_ended && start.elapsed() < PATIENCE && self.order.is_none() {
            has_ended = !matches!(self.child.try_wait(), Ok(None));
            if !has_ended {
                thread::sleep(Duration::from_millis(5));
            }
        }
        let id = self.child.id();
        let mut alive = alive();
        if !has_ended {
            end_group(id);
            self.child.kill().ok();
        }
        alive.retain(|&other| other != id);
        drop(alive);
        self.child.wait().ok();
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
fn understand(line: &str, proposal: &Proposal) -> anyhow::Result<Answer> {
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
